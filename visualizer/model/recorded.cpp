// What is known of a recording beside its steps: names, which tensors it uses, ranges of values.
#include <algorithm>
#include <cmath>
#include <map>

#include "visualizer/model/session.h"
#include "visualizer/model/statements.h"

namespace tilescope::model {
namespace {

/// A chain of calls as text, to tell two inlined copies of a helper apart.
std::string key_of(const CallFrame* call) {
  std::string out;
  for (; call != nullptr; call = call->outer.get())
    out += call->callee + "@" + std::to_string(call->call.line) + ":" + std::to_string(call->call.column) + "/";
  return out;
}

/// First op-step of every op, for the two ways in which it gives values; -1: it never does.
struct FirstSteps {
  std::vector<int64_t> results, iteration;

  FirstSteps(const ProgramTrace& trace, size_t ops) : results(ops, -1), iteration(ops, -1) {
    for (size_t i = 0; i < trace.steps.size(); ++i) {
      const Step& s = trace.steps[i];
      int64_t& first = (s.phase == StepPhase::Iteration ? iteration : results)[static_cast<size_t>(s.op)];
      if (first < 0) first = static_cast<int64_t>(i);
    }
  }
};

class Names {
 public:
  explicit Names(const Function& f) : function_(f), statements_(f) {}

  void add(ValueId value, const Op& op, int64_t first_step) {
    const std::string& name = function_.values[value].name;
    if (name.empty() || first_step < 0) return;
    const CallChain scope = op.loc == nullptr || is_result(name, op) ? nullptr : op.loc->calls;
    const auto [at, fresh] = index_.try_emplace({name, key_of(scope.get())}, out_.size());
    if (fresh) out_.push_back({scope == nullptr ? name : scope->callee + "." + name, scope, {}, UINT64_MAX});
    NamedValues& named = out_[at->second];
    named.values.push_back(value);
    named.first_step = std::min(named.first_step, static_cast<uint64_t>(first_step));
  }

  std::vector<NamedValues> take() {
    std::stable_sort(out_.begin(), out_.end(),
                     [](const NamedValues& a, const NamedValues& b) { return a.first_step < b.first_step; });
    return std::move(out_);
  }

 private:
  /// What a helper returned is a variable of the kernel: the calling statement names it.
  bool is_result(const std::string& name, const Op& op) const {
    const int statement = is_inlined(op) ? statements_.of(op) : -1;
    return statement >= 0 && statements_.all()[static_cast<size_t>(statement)].assigns(name);
  }

  const Function& function_;
  const Statements statements_;
  std::map<std::pair<std::string, std::string>, size_t> index_;
  std::vector<NamedValues> out_;
};

std::vector<NamedValues> find_names(const ProgramTrace& trace, const std::vector<const Op*>& ops, const Function& f) {
  const FirstSteps first(trace, ops.size());
  Names names(f);
  for (size_t i = 0; i < ops.size(); ++i) {
    for (ValueId v : ops[i]->results) names.add(v, *ops[i], first.results[i]);
    if (ops[i]->code == OpCode::For || ops[i]->code == OpCode::While)
      for (const Block& region : ops[i]->regions)
        for (ValueId v : region.args) names.add(v, *ops[i], first.iteration[i]);
  }
  return names.take();
}

}  // namespace

ValueRange value_range(const Tensor& tensor) {
  ValueRange out;
  const int64_t n = tensor.storage_elements();
  if (n == 0) return out;
  const int64_t stride = std::max<int64_t>(1, n >> 18) | 1;  // odd: it meets every column of a power of two
  bool any = false;
  for (int64_t i = 0; i < n; i += stride) {
    const double v = read_double(tensor.dtype, tensor.element(i));
    if (!std::isfinite(v)) continue;
    out.low = any ? std::min(out.low, v) : v;
    out.high = any ? std::max(out.high, v) : v;
    any = true;
  }
  return out;
}

ValueRange join(ValueRange a, ValueRange b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

Recorded make_recorded(std::unique_ptr<ProgramRecording> recording, const Launch& launch, std::vector<ValueRange> ranges) {
  Recorded out;
  const Function& f = launch.kernel.function;
  const ProgramTrace& trace = recording->trace();
  out.timeline = make_timeline(trace, recording->ops(), f);
  out.variables = find_names(trace, recording->ops(), f);
  out.uses.resize(launch.tensors.size());
  for (const AccessSummary& a : trace.accesses)
    if (a.tensor >= 0 && a.on > 0 && static_cast<size_t>(a.tensor) < out.uses.size()) {
      out.uses[static_cast<size_t>(a.tensor)].loaded |= a.reads;
      out.uses[static_cast<size_t>(a.tensor)].stored |= a.writes;
    }
  // Copies what the program stores to, here and not when the window first looks.
  for (size_t i = 0; i < out.uses.size(); ++i)
    if (out.uses[i].stored) recording->memory(static_cast<int>(i), trace.steps.size());
  out.ranges = std::move(ranges);
  out.recording = std::move(recording);
  return out;
}

}  // namespace tilescope::model
