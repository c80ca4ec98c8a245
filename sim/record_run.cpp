// The one run of a program that a recording is made of.
#include <algorithm>
#include <chrono>

#include "sim/access_probe.h"
#include "sim/faults.h"
#include "sim/recording.h"
#include "sim/tensor_uses.h"
#include "sim/words.h"

namespace tilescope {
namespace {

using Clock = std::chrono::steady_clock;

/// A store reached a tensor that no store was expected to reach: begin again with a copy of that tensor.
struct UnexpectedStore {
  int tensor;
};

/// Computing the values of a stretch again takes a short moment, and holds little memory.
constexpr uint64_t kStretchBytes = 2 << 20, kStretchSteps = 256;
/// Lanes to compute between two checkpoints, as long as memory allows.
constexpr uint64_t kFirstSpacing = 1 << 20;
/// What the smallest step takes, in lanes.
constexpr uint64_t kStepWork = 32;

}  // namespace

/// Fills a State.
class RecordingRun {
 public:
  using State = ProgramRecording::State;

  RecordingRun(const Launch& launch, State& state, const RecordOptions& options)
      : launch_(launch), s_(state), options_(options) {
    for (const Tensor& t : *s_.before) maps_.emplace_back(t.layout);
    for (const MemoryOp& op : s_.plan->memory_ops) costs_.emplace_back(op.layout, op.type);
    number_ops();
  }

  void run(ProgramIndex program, std::vector<bool> changing);

 private:
  void number_ops();
  void bind(ProgramIndex program, const std::vector<bool>& changing);
  std::unique_ptr<Tensor> own_to_be_filled(size_t t);
  void look_before(const Inst* i);
  void note(const StepEvent& event);
  void note_frame(const StepEvent& event, Step& step);
  void note_access(Step& step);
  void note_changes();
  void count_step(const StepEvent& event, const Step& step);
  void keep_checkpoint(const StepEvent& event);
  void thin_checkpoints();
  bool must_stop();
  void finish();

  const Launch& launch_;
  State& s_;
  const RecordOptions& options_;
  std::vector<IndexMap> maps_;
  std::deque<AccessCosts> costs_;
  std::unordered_map<const Op*, int32_t> number_;
  std::vector<int32_t> open_;        ///< frames of the iterations that are running, outermost first
  std::vector<int32_t> open_loops_;  ///< their loops
  std::optional<AccessSummary> access_;
  std::vector<MemoryChange> changes_;  ///< of the running step, without what comes after
  std::vector<std::vector<uint8_t>> was_written_;
  uint64_t work_ = 0;  ///< since the last checkpoint
  uint64_t spacing_ = kFirstSpacing;
  uint64_t stretch_bytes_ = 0;
  Clock::time_point last_report_ = Clock::now();
};

void RecordingRun::number_ops() {
  const Function& f = s_.function();
  s_.defined_by.assign(f.values.size(), {-1, false});
  walk(f.body, [&](const Op& op) {
    const auto number = static_cast<int32_t>(s_.ops.size());
    number_[&op] = number;
    s_.ops.push_back(&op);
    for (ValueId r : op.results) s_.defined_by[r] = {number, false};
    if (op.code == OpCode::For || op.code == OpCode::While)
      for (ValueId a : op.regions[0].args) s_.defined_by[a] = {number, true};
  });
  // The condition of a `while` gives the body its values.
  walk(f.body, [&](const Op& op) {
    if (op.code != OpCode::While) return;
    for (ValueId a : op.regions[1].args) s_.defined_by[a] = {number_.at(op.regions[0].ops.back().get()), false};
  });
  s_.definitions.resize(2 * s_.ops.size());
}

void RecordingRun::bind(ProgramIndex program, const std::vector<bool>& changing) {
  const Function& f = s_.function();
  const size_t tensors = s_.before->size();
  TensorUses uses(launch_);
  for (size_t t = 0; t < changing.size(); ++t) uses.stores[t] = uses.stores[t] || changing[t];
  s_.own.resize(tensors);
  s_.pages.resize(tensors);
  s_.views.resize(tensors);
  s_.changes_of.resize(tensors);
  for (size_t t = 0; t < tensors; ++t) {
    // Tensors that no store reaches are read where they are.
    auto* tensor = const_cast<Tensor*>(&(*s_.before)[t]);
    if (uses.stores[t]) {
      s_.own[t] = uses.loads[t] ? std::make_unique<Tensor>(*tensor) : own_to_be_filled(t);
      tensor = s_.own[t].get();
    }
    s_.memory.add(tensor, uses.loads[t]);
  }
  s_.stepper.emplace(*s_.plan, s_.memory, uses.stores);
  Machine& m = s_.stepper->machine;
  m.program = program;
  m.grid = launch_.grid;
  m.order = m.position = program[0] + launch_.grid[0] * (program[1] + launch_.grid[1] * program[2]);
  for (size_t p = 0; p < f.params.size(); ++p) {
    const Slot slot = s_.plan->slots[p];
    const Type& type = f.params[p].type;
    if (!type.pointer)
      m.reg(slot.index) = canonical(type.elem, launch_.arguments[p].bits);
    else if (const int t = TensorUses::tensor_of(launch_, p); t >= 0)
      m.reg(slot.index) = s_.memory.range(t).origin;
  }
}

// Memory that no load reads needs to hold only what stores touch.
std::unique_ptr<Tensor> RecordingRun::own_to_be_filled(size_t t) {
  auto out = std::make_unique<Tensor>((*s_.before)[t].share());
  const size_t bytes = out->storage.size();
  std::optional<Buffer> fresh = Buffer::allocate(bytes);
  if (!fresh) throw std::bad_alloc();
  out->storage = std::move(*fresh);
  s_.pages[t].assign(bytes / State::kPageBytes + 1, false);
  return out;
}

void RecordingRun::run(ProgramIndex program, std::vector<bool> changing) {
  bind(program, changing);
  s_.trace.program = program;
  s_.checkpoints.push_back(s_.stepper->save());
  s_.checkpoint_bytes = s_.checkpoints.back().bytes();
  while (!must_stop()) {
    access_.reset();
    changes_.clear();
    was_written_.clear();
    const StepEvent event = s_.stepper->advance([&](const Inst* i) { look_before(i); });
    if (event.inst == nullptr) break;
    note(event);
    if (event.faulted) break;
  }
  finish();
}

void RecordingRun::look_before(const Inst* i) {
  if (!is_memory(i->op->code)) return;
  AccessProbe probe(s_.stepper->machine, i);
  access_ = probe.summarise(maps_, costs_[static_cast<size_t>(i->index)]);
  if (!probe.writes()) return;
  const auto bytes = static_cast<uint64_t>(i->type->elem_bytes);
  for (uint64_t address : probe.held_addresses()) {
    const TensorRange& r = *s_.memory.find(address);
    if (s_.own[static_cast<size_t>(r.index)] == nullptr) throw UnexpectedStore{r.index};
    if (changes_.empty() || changes_.back().tensor != r.index) {
      changes_.emplace_back();
      changes_.back().tensor = r.index;
      was_written_.emplace_back();
    }
    MemoryChange& change = changes_.back();
    const Tensor& tensor = *r.tensor;
    const int64_t last = r.element_offset(address + bytes - 1);
    for (int64_t offset = r.element_offset(address); offset <= last; ++offset) {
      if (!change.offsets.empty() && change.offsets.back() == offset) continue;
      change.offsets.push_back(offset);
      s_.need_element(static_cast<size_t>(r.index), tensor.origin + offset);
      const std::byte* p = tensor.element(tensor.origin + offset);
      change.before.insert(change.before.end(), p, p + r.elem_bytes);
      if (!r.written.empty()) was_written_.back().push_back(r.written[static_cast<size_t>(tensor.origin + offset)]);
    }
  }
}

void RecordingRun::note(const StepEvent& event) {
  Step step;
  step.op = number_.at(event.op);
  step.phase = event.phase;
  note_frame(event, step);
  note_access(step);
  note_changes();
  count_step(event, step);
  s_.trace.steps.push_back(step);
  keep_checkpoint(event);
}

void RecordingRun::note_frame(const StepEvent& event, Step& step) {
  std::vector<LoopFrame>& frames = s_.trace.frames;
  const uint64_t now = s_.trace.steps.size();
  if (event.phase != StepPhase::Op && !open_.empty() && open_loops_.back() == event.loop) {
    frames[static_cast<size_t>(open_.back())].last_step = now;
    open_.pop_back();
    open_loops_.pop_back();
  }
  if (event.phase == StepPhase::Iteration) {
    LoopFrame frame;
    frame.parent = open_.empty() ? -1 : open_.back();
    frame.position = s_.stepper->machine.loop_position(event.loop);
    frame.first_step = now;
    s_.log_bytes += sizeof frame;
    open_.push_back(static_cast<int32_t>(frames.size()));
    open_loops_.push_back(event.loop);
    frames.push_back(std::move(frame));
  }
  step.frame = open_.empty() ? -1 : open_.back();
}

void RecordingRun::note_access(Step& step) {
  if (!access_) return;
  access_->step = s_.trace.steps.size();
  step.access = static_cast<int32_t>(s_.trace.accesses.size());
  s_.log_bytes += sizeof(AccessSummary) + 4 * sizeof(int64_t) * (access_->whole.lo.size() + 2);
  s_.trace.accesses.push_back(std::move(*access_));
}

void RecordingRun::note_changes() {
  for (size_t k = 0; k < changes_.size(); ++k) {
    MemoryChange& change = changes_[k];
    change.step = s_.trace.steps.size();
    const Tensor& tensor = *s_.own[static_cast<size_t>(change.tensor)];
    const auto bytes = static_cast<size_t>(dtype_bytes(tensor.dtype));
    change.after.resize(change.before.size());
    for (size_t e = 0; e < change.offsets.size(); ++e)
      std::memcpy(change.after.data() + e * bytes, tensor.element(tensor.origin + change.offsets[e]), bytes);
    s_.log_bytes +=
        sizeof change + change.offsets.size() * sizeof(int64_t) + 2 * change.before.size() + was_written_[k].size();
    s_.changes_of[static_cast<size_t>(change.tensor)].push_back(s_.trace.changes.size());
    s_.trace.changes.push_back(std::move(change));
    s_.was_written.push_back(std::move(was_written_[k]));
  }
}

// Where the step's values are found later, and what computing them takes.
void RecordingRun::count_step(const StepEvent& event, const Step& step) {
  const uint64_t now = s_.trace.steps.size();
  const bool at_start = event.phase == StepPhase::Iteration;
  if (!event.faulted && !event.results->empty()) {
    s_.definitions[2 * static_cast<size_t>(step.op) + at_start].push_back(static_cast<uint32_t>(now));
    s_.log_bytes += sizeof(uint32_t);
  }
  s_.log_bytes += sizeof(Step);
  uint64_t bytes = sizeof(StepData);
  for (ValueId v : *event.results) {
    const Type& t = s_.function().type(v);
    bytes += sizeof(ValueRecord) + static_cast<uint64_t>(t.elements() * t.storage_bytes());
    work_ += static_cast<uint64_t>(t.elements());
  }
  if (step.access >= 0)
    bytes += static_cast<uint64_t>(event.inst->type->elements) * (sizeof(int64_t) + sizeof(LaneState));
  if (event.op->code == OpCode::Dot) {
    const Shape& a = s_.function().type(event.op->operands[0]).shape;
    constexpr uint64_t kProductsPerLane = 16;
    work_ +=
        static_cast<uint64_t>(s_.function().type(event.op->results[0]).elements() * a[a.rank - 1]) / kProductsPerLane;
  }
  work_ += kStepWork;
  stretch_bytes_ += bytes;
  if (s_.stretches.empty() || stretch_bytes_ > kStretchBytes || now - s_.stretches.back() >= kStretchSteps) {
    s_.stretches.push_back(now);
    stretch_bytes_ = bytes;
  }
}

// The start of an iteration is the best place: little is alive there.
void RecordingRun::keep_checkpoint(const StepEvent& event) {
  constexpr uint64_t kAnywhere = 4;
  const bool start = event.phase == StepPhase::Iteration;
  if (event.faulted || work_ < (start ? spacing_ : kAnywhere * spacing_)) {
    if (s_.log_bytes + s_.checkpoint_bytes > s_.memory_limit / 4 * 3) thin_checkpoints();
    return;
  }
  Checkpoint c = s_.stepper->save();
  if (start) {  // before the step of the iteration itself, which changes nothing
    --c.step;
    c.next = event.inst;
  }
  work_ = 0;
  s_.checkpoint_bytes += c.bytes();
  s_.checkpoints.push_back(std::move(c));
  if (s_.log_bytes + s_.checkpoint_bytes > s_.memory_limit / 4 * 3) thin_checkpoints();
}

void RecordingRun::thin_checkpoints() {
  std::vector<Checkpoint>& all = s_.checkpoints;
  while (all.size() > 1 && s_.log_bytes + s_.checkpoint_bytes > s_.memory_limit / 4 * 3) {
    size_t n = 0;
    s_.checkpoint_bytes = 0;
    for (size_t k = 0; k < all.size(); k += 2) {
      if (n != k) all[n] = std::move(all[k]);
      s_.checkpoint_bytes += all[n++].bytes();
    }
    all.resize(n);
    spacing_ = std::min(spacing_ * 2, uint64_t{1} << 60);
  }
}

bool RecordingRun::must_stop() {
  const uint64_t done = s_.trace.steps.size();
  const auto recorded = [&](Words why) { return remember(say(SimWords::RecordedFirst, {{"n", static_cast<int64_t>(done)}, {"why", std::move(why)}})); };
  const uint64_t most = std::min<uint64_t>(options_.max_steps, UINT32_MAX);
  if (done >= most) {
    s_.trace.truncated = recorded(say(SimWords::StepLimit, {{"n", static_cast<int64_t>(most)}}));
    return true;
  }
  // A part is left for checkpoints, so that all that was recorded can be reached quickly.
  if (s_.log_bytes > s_.memory_limit / 8 * 5) {
    const uint64_t mib = s_.memory_limit >> 20;
    const std::string limit = mib > 0 ? std::to_string(mib) + " MiB" : std::to_string(s_.memory_limit) + " byte";
    s_.trace.truncated = recorded(say(SimWords::SizeLimit, {{"size", limit}}));
    return true;
  }
  constexpr uint64_t kStepsBetweenLooks = 32;
  if (!options_.progress || done % kStepsBetweenLooks != 0) return false;
  if (Clock::now() - last_report_ < std::chrono::milliseconds(20)) return false;
  last_report_ = Clock::now();
  if (options_.progress(done)) return false;
  s_.trace.truncated = recorded(say(SimWords::RecordingStopped));
  return true;
}

void RecordingRun::finish() {
  for (int32_t f : open_) s_.trace.frames[static_cast<size_t>(f)].last_step = s_.trace.steps.size();
  // Made here, where nobody waits for it.
  for (size_t t = 0; t < s_.views.size(); ++t)
    if (!s_.changes_of[t].empty()) s_.views[t].tensor = std::make_unique<Tensor>((*s_.before)[t]);
  std::vector<RawFault>& faults = s_.stepper->machine.faults;
  if (faults.empty()) return;
  FaultTable table;
  table.add(std::move(faults.back()));
  std::vector<std::string> notes;
  s_.trace.faults = table.report(*s_.plan, s_.memory, {}, 1, notes);
}

Expected<std::unique_ptr<ProgramRecording>> ProgramRecording::make(const Launch& launch,
                                                                   std::shared_ptr<const std::vector<Tensor>> before,
                                                                   ProgramIndex program, const RecordOptions& options) {
  for (size_t a = 0; a < 3; ++a)
    if (program[a] < 0 || program[a] >= launch.grid[a]) return plain_error("the launch has no program of that number");
  if (before == nullptr || before->size() != launch.tensors.size())
    internal_error("a recording needs the tensors of its launch");
  RunOptions run_options;
  run_options.check = options.check;
  run_options.dot = options.dot;
  run_options.limits.max_steps_per_program = UINT64_MAX / 2;  // the recording has a limit of its own
  std::vector<bool> changing(before->size(), false);
  try {
    for (;;) {
      Expected<std::unique_ptr<Plan>> plan = make_plan(launch.kernel.function, run_options, PlanStyle::Steps);
      if (!plan) return plan.errors();
      auto state = std::make_unique<State>();
      state->plan = std::move(*plan);
      state->before = before;
      state->memory_limit = options.memory_limit;
      try {
        RecordingRun(launch, *state, options).run(program, changing);
      } catch (const UnexpectedStore& store) {
        changing[static_cast<size_t>(store.tensor)] = true;
        continue;
      }
      return std::unique_ptr<ProgramRecording>(new ProgramRecording(std::move(state)));
    }
  } catch (const std::bad_alloc&) {
    return plain_error("there is not enough memory to record this program",
                       "close other programs, or use smaller tensors");
  }
}

}  // namespace tilescope
