#include "sim/record.h"

#include <algorithm>

#include "core/passes.h"
#include "sim/access_probe.h"
#include "sim/plan_analysis.h"
#include "sim/recording.h"

namespace tilescope {
namespace {

/// Dots that go on from an accumulator.
int count_accumulating_dots(const Function& f) {
  std::vector<bool> zero(f.values.size(), false);
  int n = 0;
  walk(f.body, [&](const Op& op) {
    if (op.code == OpCode::Constant && op.int_attr("bits") == 0) zero[op.results[0]] = true;
    if (op.code == OpCode::Dot) n += !zero[op.operands[2]];
  });
  return n;
}

const std::shared_ptr<const StepData>& no_data() {
  static const std::shared_ptr<const StepData> none = std::make_shared<StepData>();
  return none;
}

}  // namespace

Expected<CompiledKernel> compile_for_recording(const LaunchSpec& spec, SourcePtr source) {
  if (source == nullptr) {
    Expected<SourcePtr> read = launch_source(spec);
    if (!read) return read.errors();
    source = *read;
  }
  CompileRequest request = compile_request(spec, source);
  request.optimise = false;
  Expected<CompiledKernel> kernel = compile_kernel(request);
  if (!kernel) return kernel;
  Function& f = kernel->function;
  bool dots = false;
  walk(f.body, [&](const Op& op) { dots = dots || op.code == OpCode::Dot; });
  if (!dots) return kernel;
  // Which sums are folded into a dot decides bits. Where simplifying the kernel first lets more of them be folded, that
  // has to be done here as well.
  Function simplified = clone(f);
  run_passes(simplified, {"canonicalise", "dce", "fold-dot-acc"});
  run_passes(f, {"fold-dot-acc"});
  if (count_accumulating_dots(f) != count_accumulating_dots(simplified)) f = std::move(simplified);
  return kernel;
}

// ---- back and forth
// -------------------------------------------------------------------------------------------------------

void apply_change(Tensor& tensor, const MemoryChange& change, bool forward) {
  const auto bytes = static_cast<size_t>(dtype_bytes(tensor.dtype));
  const std::vector<std::byte>& from = forward ? change.after : change.before;
  for (size_t k = 0; k < change.offsets.size(); ++k)
    std::memcpy(tensor.element(tensor.origin + change.offsets[k]), from.data() + k * bytes, bytes);
}

size_t ProgramRecording::State::changes_before(uint64_t step) const {
  const auto it = std::lower_bound(trace.changes.begin(), trace.changes.end(), step,
                                   [](const MemoryChange& c, uint64_t s) { return c.step < s; });
  return static_cast<size_t>(it - trace.changes.begin());
}

void ProgramRecording::State::redo(size_t number, bool forward) {
  const MemoryChange& change = trace.changes[number];
  apply_change(*own[static_cast<size_t>(change.tensor)], change, forward);
  TensorRange& range = memory.range(change.tensor);
  if (range.written.empty()) return;
  for (size_t k = 0; k < change.offsets.size(); ++k) {
    const auto at = static_cast<size_t>(range.tensor->origin + change.offsets[k]);
    range.written[at] = forward ? uint8_t{1} : was_written[number][k];
  }
}

void ProgramRecording::State::need_element(size_t tensor, int64_t storage_index) {
  std::vector<bool>& here = pages[tensor];
  if (here.empty()) return;
  Tensor& to = *own[tensor];
  const auto page = static_cast<size_t>(storage_index * dtype_bytes(to.dtype) / kPageBytes);
  if (here[page]) return;
  here[page] = true;
  const size_t begin = page * kPageBytes, end = std::min(begin + kPageBytes, to.storage.size());
  std::memcpy(to.storage.data() + begin, (*before)[tensor].storage.data() + begin, end - begin);
}

void ProgramRecording::State::go_before(uint64_t step) {
  auto it = std::upper_bound(checkpoints.begin(), checkpoints.end(), step,
                             [](uint64_t s, const Checkpoint& c) { return s < c.step; });
  const Checkpoint& from = *std::prev(it);
  if (stepper->can_go_on() && stepper->done() >= from.step && stepper->done() <= step) return;
  size_t now = changes_before(stepper->done());
  const size_t then = changes_before(from.step);
  while (now > then) redo(--now, false);
  while (now < then) redo(now++, true);
  stepper->restore(from);
}

ValueRecord ProgramRecording::State::read_value(ValueId v) {
  Machine& m = stepper->machine;
  ValueRecord out;
  out.value = v;
  out.type = function().type(v);
  const Slot slot = plan->slots[v];
  const auto elements = static_cast<size_t>(out.type.elements());
  const int bytes = out.type.storage_bytes();
  out.data.resize(elements * static_cast<size_t>(bytes));
  if (slot.scalar) {
    write_bits(bytes, out.data.data(), m.reg(slot.index));
    if (m.reg_poison(slot.index) != 0) out.poison.assign(1, 1);
    return out;
  }
  const Tile& t = m.tile(slot.index);
  write_lanes(m, t, m.type(slot.index), out.data.data());
  if (!any_poison(t)) return out;
  out.poison.resize(elements);
  write_poison(t, m.type(slot.index), out.poison.data());
  if (std::find(out.poison.begin(), out.poison.end(), uint8_t{1}) == out.poison.end()) out.poison.clear();
  return out;
}

ProgramRecording::State::Kept ProgramRecording::State::compute(size_t stretch) {
  Kept out;
  out.stretch = stretch;
  const uint64_t first = stretches[stretch];
  const uint64_t end = stretch + 1 < stretches.size() ? stretches[stretch + 1] : trace.steps.size();
  go_before(first);
  while (stepper->done() < first) stepper->advance([](const Inst*) {});
  while (stepper->done() < end) {
    auto data = std::make_shared<StepData>();
    const StepEvent event = stepper->advance([&](const Inst* i) {
      if (is_memory(i->op->code)) data->access = AccessProbe(stepper->machine, i).lanes();
    });
    if (event.inst == nullptr) internal_error("a recorded program ends earlier when it is run again");
    if (data->access) out.bytes += data->access->offsets.size() * (sizeof(int64_t) + sizeof(LaneState));
    for (ValueId v : *event.results) {
      data->results.push_back(read_value(v));
      out.bytes += sizeof(ValueRecord) + data->results.back().data.size() + data->results.back().poison.size();
    }
    out.bytes += sizeof(StepData);
    out.steps.push_back(std::move(data));
  }
  return out;
}

// ---- the public side
// --------------------------------------------------------------------------------------------------------

ProgramRecording::ProgramRecording(std::unique_ptr<State> state) : state_(std::move(state)) {}
ProgramRecording::~ProgramRecording() = default;

const ProgramTrace& ProgramRecording::trace() const { return state_->trace; }
const std::vector<const Op*>& ProgramRecording::ops() const { return state_->ops; }

std::shared_ptr<const StepData> ProgramRecording::step(uint64_t step) {
  State& s = *state_;
  if (step >= s.trace.steps.size()) return no_data();
  const std::lock_guard lock(s.mutex);
  const auto it = std::upper_bound(s.stretches.begin(), s.stretches.end(), step);
  const auto stretch = static_cast<size_t>(it - s.stretches.begin()) - 1;
  auto found = std::find_if(s.kept.begin(), s.kept.end(), [&](const State::Kept& k) { return k.stretch == stretch; });
  if (found != s.kept.end()) {
    s.kept.splice(s.kept.begin(), s.kept, found);
  } else {
    try {
      s.kept.push_front(s.compute(stretch));
    } catch (const std::bad_alloc&) {
      s.stepper->stop();
      return no_data();
    } catch (const ProgramStopped&) {  // the pool of tiles is full
      s.stepper->stop();
      return no_data();
    }
    s.kept_bytes += s.kept.front().bytes;
    while (s.kept.size() > 1 && s.kept_bytes > s.memory_limit / 4) {
      s.kept_bytes -= s.kept.back().bytes;
      s.kept.pop_back();
    }
  }
  return s.kept.front().steps[step - s.stretches[stretch]];
}

int64_t ProgramRecording::last_definition(ValueId value, uint64_t step) const {
  const State& s = *state_;
  if (value >= s.defined_by.size() || s.defined_by[value].first < 0) return -1;
  const auto [op, at_start] = s.defined_by[value];
  const std::vector<uint32_t>& steps = s.definitions[2 * static_cast<size_t>(op) + at_start];
  const auto it = std::upper_bound(steps.begin(), steps.end(), step);
  return it == steps.begin() ? -1 : static_cast<int64_t>(*std::prev(it));
}

const Tensor& ProgramRecording::memory(int tensor, uint64_t steps) {
  State& s = *state_;
  const auto t = static_cast<size_t>(tensor);
  if (t >= s.before->size()) internal_error("a recording is asked for a tensor that the launch does not have");
  const std::lock_guard lock(s.mutex);
  const std::vector<size_t>& changes = s.changes_of[t];
  const auto it = std::lower_bound(changes.begin(), changes.end(), steps,
                                   [&](size_t c, uint64_t n) { return s.trace.changes[c].step < n; });
  const auto target = static_cast<size_t>(it - changes.begin());
  State::View& view = s.views[t];
  if (view.tensor == nullptr) return (*s.before)[t];
  while (view.applied > target) apply_change(*view.tensor, s.trace.changes[changes[--view.applied]], false);
  while (view.applied < target) apply_change(*view.tensor, s.trace.changes[changes[view.applied++]], true);
  return *view.tensor;
}

uint64_t ProgramRecording::bytes() const {
  State& s = *state_;
  const std::lock_guard lock(s.mutex);
  uint64_t n = s.log_bytes + s.checkpoint_bytes + s.kept_bytes;
  for (size_t t = 0; t < s.own.size(); ++t) {
    if (s.own[t] == nullptr) continue;
    const std::vector<bool>& here = s.pages[t];
    n += here.empty() ? s.own[t]->storage.size()
                      : static_cast<uint64_t>(std::count(here.begin(), here.end(), true)) * State::kPageBytes;
  }
  for (const State::View& v : s.views) n += v.tensor == nullptr ? 0 : v.tensor->storage.size();
  return n;
}

}  // namespace tilescope
