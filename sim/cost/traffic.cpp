#include "sim/cost/traffic.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "core/passes.h"
#include "core/provenance.h"
#include "sim/cost/traffic_machine.h"
#include "sim/cost/traffic_work.h"

namespace tilescope::cost {
namespace {

// Which tensors are filled: those that an access which is done may touch. All when one of them may touch any.
std::vector<bool> tensors_read(const Function& sliced) {
  const Provenance from(sliced);
  std::vector<bool> out(sliced.params.size(), false);
  walk(sliced.body, [&](const Op& op) {
    if (!is_memory(op.code) || op.int_attr("address_only") != 0) return;
    const std::vector<bool>& params = from.of(op.operands[0]);
    for (size_t p = 0; p < out.size(); ++p) out[p] = out[p] || params[p] || params.back();
  });
  return out;
}

bool stores_are_done(const Function& sliced) {
  bool done = false;
  walk(sliced.body, [&](const Op& op) { done = done || (is_store(op.code) && op.int_attr("address_only") == 0); });
  return done;
}

/// The launch's tensors; those that nothing reads have no storage.
Expected<std::vector<Tensor>> make_tensors_read(const LaunchSpec& spec, const Function& sliced, const std::vector<bool>& read) {
  std::vector<Tensor> out;
  int64_t total = 0;
  for (const LaunchArg& arg : spec.args) {
    const auto* t = std::get_if<TensorSpec>(&arg.value);
    if (t == nullptr) continue;
    const auto param = std::find_if(sliced.params.begin(), sliced.params.end(), [&](const Param& p) { return p.name == arg.name; });
    if (param == sliced.params.end() || !read[static_cast<size_t>(param - sliced.params.begin())]) {
      Tensor& v = out.emplace_back();
      v.name = arg.name;
      v.dtype = t->dtype;
      v.layout = t->layout;
      v.origin = -t->layout.lowest();
      v.uninitialised = t->init.kind == Init::Kind::Empty;
      continue;
    }
    Expected<Tensor> tensor = allocate_tensor(arg.name, t->dtype, t->layout);
    if (!tensor) return tensor.errors();
    total += static_cast<int64_t>(tensor->storage.size());
    if (total > tensor_bytes_limit())
      return plain_error("args." + arg.name + ": the tensors whose values decide addresses take more than the limit of " +
                         std::to_string(tensor_bytes_limit() >> 20) + " MiB in all");
    if (std::optional<Diagnostic> d = fill_tensor(*tensor, t->init, "args." + arg.name)) return *d;
    out.push_back(std::move(*tensor));
  }
  return out;
}

/// What one program did, kept where programs change what later ones read.
struct Kept {
  std::vector<AccessRows> rows;
  WorkCounts work;
  bool finished = false;
};

class Source final : public TrafficSource {
 public:
  static Expected<std::unique_ptr<TrafficSource>> make(LaunchSpec spec, int lanes, SourcePtr text) {
    Expected<CompiledKernel> kernel = compile_complete(spec, std::move(text));
    if (!kernel) return kernel.errors();
    return make(spec, std::move(*kernel), lanes);
  }
  static Expected<std::unique_ptr<TrafficSource>> make(const LaunchSpec& spec, CompiledKernel kernel, int lanes) {
    if (Expected<std::array<int64_t, 3>> grid = evaluate_grid(spec); !grid) return grid.errors();
    auto s = std::make_unique<Source>();
    s->slice(kernel.function);
    Expected<std::vector<Tensor>> tensors = make_tensors_read(spec, s->sliced_, s->read_);
    if (!tensors) return tensors.errors();
    Expected<Launch> launch = bind_launch(spec, std::move(kernel), std::move(*tensors));
    if (!launch) return launch.errors();
    return start(std::move(s), std::move(*launch), lanes);
  }
  static Expected<std::unique_ptr<TrafficSource>> make(Launch launch, int lanes) {
    auto s = std::make_unique<Source>();
    s->slice(launch.kernel.function);
    return start(std::move(s), std::move(launch), lanes);
  }

  const CompiledKernel& kernel() const override { return launch_.kernel; }
  const Function& sliced() const override { return sliced_; }
  std::array<int64_t, 3> grid() const override { return launch_.grid; }
  int lanes() const override { return static_cast<int>(machines_.size()); }
  const std::vector<TrafficOp>& ops() const override { return ops_; }
  const std::vector<TrafficTensor>& tensors() const override { return tensors_; }
  WorkUnit dominant_unit() const override { return work_.dominant; }

  bool program(int64_t number, int lane, std::vector<AccessRows>& out) override {
    if (in_order_) return kept_program(number, out);
    return run(number, *machines_[static_cast<size_t>(lane)], out);
  }

  WorkCounts work() const override {
    if (in_order_) return replayed_;
    WorkCounts sum;
    for (const auto& m : machines_) add_times(m->log.times(), {}, sum);
    return sum;
  }

  std::vector<std::string> notes() const override {
    std::vector<std::string> out;
    if (in_order_ && !kept_full_)
      out.push_back("addresses depend on values that programs store: programs ran one after the other, in the order of their numbers");
    if (kept_full_)
      out.push_back("addresses depend on values that programs store: only the first " + std::to_string(kept_.size()) +
                    " programs ran in the order of their numbers");
    if (work_.left_out)
      out.push_back("arithmetic inside branches that access no memory is counted as if the longer side always ran");
    if (stop_.load() != INT64_MAX)
      out.push_back("program " + std::to_string(stop_.load()) + " reached the limit of steps; programs after it did not run");
    return out;
  }

 private:
  // `launch.kernel` is the one that was sliced: moving a function moves the list of its ops, not the ops.
  static Expected<std::unique_ptr<TrafficSource>> start(std::unique_ptr<Source> s, Launch launch, int lanes) {
    s->launch_ = std::move(launch);
    s->options_.record = RecordLevel::None;
    Expected<std::unique_ptr<Plan>> plan = make_plan(s->sliced_, s->options_, PlanStyle::Addresses);
    if (!plan) return plan.errors();
    s->plan_ = std::move(*plan);
    s->in_order_ = stores_are_done(s->sliced_);
    s->place_tensors();
    s->describe_ops();
    s->plan_work();
    for (int l = 0; l < (s->in_order_ ? 1 : std::max(lanes, 1)); ++l)
      if (!s->add_machine()) return plain_error("the tiles of one program of `" + s->sliced_.name + "` take more than 1 GiB");
    return std::unique_ptr<TrafficSource>(std::move(s));
  }

  void slice(const Function& whole) {
    sliced_ = clone(whole);
    std::vector<const Op*> before, copies;
    walk(whole.body, [&](const Op& op) { before.push_back(&op); });
    walk(std::as_const(sliced_).body, [&](const Op& op) { copies.push_back(&op); });
    OpMap original;
    for (size_t i = 0; i < copies.size(); ++i) original[copies[i]] = before[i];
    run_passes(sliced_, {"slice-addresses"});
    walk(std::as_const(sliced_).body, [&](const Op& op) {
      const auto at = original.find(&op);
      if (at == original.end()) return;
      original_[&op] = at->second;
      sliced_of_[at->second] = &op;
    });
    read_ = tensors_read(sliced_);
  }

  // In the order of the parameters, as a run does.
  void place_tensors() {
    const Function& f = launch_.kernel.function;
    for (size_t p = 0; p < f.params.size(); ++p) {
      const Argument& a = launch_.arguments[p];
      if (!f.params[p].type.pointer) {
        arguments_.push_back(canonical(f.params[p].type.elem, a.bits));
      } else if (a.tensor == nullptr) {
        arguments_.push_back(0);
      } else {
        const bool filled = read_[p] && a.tensor->storage.data() != nullptr;
        arguments_.push_back(memory_.range(filled ? memory_.add(a.tensor, plan_->may_load[p]) : memory_.add_virtual(a.tensor)).origin);
      }
    }
    for (int t = 0; t < memory_.size(); ++t) {
      const TensorRange& r = memory_.range(t);
      tensors_.push_back({r.tensor->name, r.tensor->dtype, r.tensor->layout.shape, r.begin, r.end, r.origin, r.tensor->layout.strides});
    }
  }

  void describe_ops() {
    const Function& whole = launch_.kernel.function;
    const AxisAnalysis axes(whole);
    const auto dot_loads = loads_of_dots(whole);
    log_plan_.ops = &plan_->memory_ops;
    log_plan_.memory_size = memory_.size();
    for (MemoryOp& m : plan_->memory_ops) {
      const Op& op = *original_.at(m.op);
      m.layout = choose_access_layout(whole, op, whole.num_warps, axes);
      const TensorRange* r = m.param < 0 ? nullptr : memory_.find(arguments_[static_cast<size_t>(m.param)]);
      TrafficOp t;
      if (op.loc != nullptr) t.line = op.loc->range.line, t.column = op.loc->range.column;
      t.mnemonic = op.info().name;
      t.tensor = r == nullptr ? -1 : r->index;
      t.loads = op.code != OpCode::Store;
      t.stores = op.code != OpCode::Load;
      t.elem_bytes = m.type.elem_bytes;
      t.feeds_dot = dot_loads.count(&op) != 0;
      log_plan_.tensors.push_back(t.tensor);
      ops_.push_back(std::move(t));
    }
  }

  void plan_work() {
    work_ = count_work(launch_.kernel.function, sliced_of_);
    for (const WorkCounts& w : work_.places) log_plan_.place_flops.push_back(static_cast<float>(w.flops[static_cast<int>(work_.dominant)]));
  }

  bool add_machine() {
    machines_.push_back(std::make_unique<TrafficMachine>(*plan_, memory_, log_plan_));
    TrafficMachine& m = *machines_.back();
    m.grid = launch_.grid;
    for (size_t p = 0; p < arguments_.size(); ++p) m.reg(plan_->slots[p].index) = arguments_[p];
    try {
      for (const Inst* i = plan_->prologue.data(); i != nullptr;) i = i->run(m, i);
      m.wrapped_in_prologue = m.wrapped;
    } catch (const ProgramStopped&) {
      return false;
    }
    return true;
  }

  // A program that does not end is likely not alone: those after it do not run.
  bool run(int64_t number, TrafficMachine& m, std::vector<AccessRows>& out) {
    out.clear();
    if (number > stop_.load(std::memory_order_relaxed)) return false;
    const std::array<int64_t, 3>& grid = launch_.grid;
    m.program = {number % grid[0], number / grid[0] % grid[1], number / grid[0] / grid[1]};
    m.order = m.position = number;
    m.log.begin(out);
    if (run_program(m)) return true;
    if (m.faults.back().kind == FaultKind::Limit) {
      int64_t old = stop_.load();
      while (number < old && !stop_.compare_exchange_weak(old, number)) {
      }
    }
    m.faults.clear();
    return false;
  }

  // Programs run in order, each once; asked for again they are what they were.
  bool kept_program(int64_t number, std::vector<AccessRows>& out) {
    const std::lock_guard lock(mutex_);
    TrafficMachine& m = *machines_[0];
    while (!kept_full_ && static_cast<int64_t>(kept_.size()) <= number) {
      Kept& k = kept_.emplace_back();
      const std::vector<uint64_t> before = m.log.times();
      k.finished = run(static_cast<int64_t>(kept_.size()) - 1, m, k.rows);
      add_times(m.log.times(), before, k.work);
      k.rows.shrink_to_fit();
      kept_rows_ += k.rows.size();
      kept_full_ = kept_rows_ > kMostKeptRows;
    }
    if (static_cast<size_t>(number) < kept_.size()) {
      const Kept& k = kept_[static_cast<size_t>(number)];
      out = k.rows;
      add_work(replayed_, k.work);
      return k.finished;
    }
    const std::vector<uint64_t> before = m.log.times();
    const bool finished = run(number, m, out);
    add_times(m.log.times(), before, replayed_);
    return finished;
  }

  void add_times(const std::vector<uint64_t>& times, const std::vector<uint64_t>& before, WorkCounts& to) const {
    for (size_t p = 0; p < times.size(); ++p)
      add_work(to, work_.places[p], static_cast<double>(times[p] - (before.empty() ? 0 : before[p])));
  }

  static constexpr size_t kMostKeptRows = size_t{1} << 22;

  Launch launch_;
  Function sliced_;
  OpMap original_, sliced_of_;  ///< by op of the sliced function: that of the kernel; the other way round
  std::vector<bool> read_;  ///< by parameter
  RunOptions options_;
  std::unique_ptr<Plan> plan_;
  Memory memory_;
  std::vector<uint64_t> arguments_;
  std::vector<TrafficOp> ops_;
  std::vector<TrafficTensor> tensors_;
  KernelWork work_;
  LogPlan log_plan_;
  std::vector<std::unique_ptr<TrafficMachine>> machines_;
  std::atomic<int64_t> stop_{INT64_MAX};  ///< first program that reached a limit

  // Of a kernel whose programs store what decides addresses.
  bool in_order_ = false, kept_full_ = false;
  std::mutex mutex_;
  std::vector<Kept> kept_;
  size_t kept_rows_ = 0;
  WorkCounts replayed_;
};

}  // namespace

std::vector<std::string> tensors_behind_addresses(const Function& kernel) {
  Function sliced = clone(kernel);
  run_passes(sliced, {"slice-addresses"});
  const std::vector<bool> read = tensors_read(sliced);
  std::vector<std::string> out;
  for (size_t p = 0; p < sliced.params.size(); ++p)
    if (read[p] && sliced.params[p].type.pointer) out.push_back(sliced.params[p].name);
  return out;
}

Expected<std::unique_ptr<TrafficSource>> TrafficSource::open(const LaunchSpec& spec, int lanes, SourcePtr text) {
  return Source::make(spec, lanes, std::move(text));
}
Expected<std::unique_ptr<TrafficSource>> TrafficSource::open(const LaunchSpec& complete, CompiledKernel kernel, int lanes) {
  return Source::make(complete, std::move(kernel), lanes);
}
Expected<std::unique_ptr<TrafficSource>> TrafficSource::open(Launch launch, int lanes) { return Source::make(std::move(launch), lanes); }

}  // namespace tilescope::cost
