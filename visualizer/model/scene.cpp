#include "visualizer/model/scene.h"

#include <algorithm>

#include "visualizer/model/statements.h"

namespace tilescope::model {
namespace {

bool same_call(const CallFrame& a, const CallFrame& b) {
  return a.callee == b.callee && a.call.line == b.call.line && a.call.column == b.call.column;
}

bool same_calls(const CallFrame* a, const CallFrame* b) {
  for (; a != nullptr && b != nullptr; a = a->outer.get(), b = b->outer.get())
    if (a != b && !same_call(*a, *b)) return false;
  return a == b;
}

/// `inner` is the scope itself or a helper that it calls.
bool is_inside(const CallFrame* inner, const CallFrame* scope) {
  for (; inner != nullptr; inner = inner->outer.get())
    if (same_calls(inner, scope)) return true;
  return scope == nullptr;
}

std::vector<LoopPosition> loops_around(const ProgramTrace& trace, int32_t frame) {
  std::vector<LoopPosition> out;
  for (; frame >= 0; frame = trace.frames[static_cast<size_t>(frame)].parent)
    out.push_back(trace.frames[static_cast<size_t>(frame)].position);
  std::reverse(out.begin(), out.end());
  return out;
}

/// Gathers the parts of one scene.
class Maker {
 public:
  Maker(Scene& scene, const Recorded& recorded)
      : scene_(scene), recorded_(recorded), recording_(*recorded.recording), trace_(*scene.trace),
        ops_(recording_.ops()), definition_(scene.function->values.size(), nullptr) {
    for (const Op* op : ops_)
      for (ValueId v : op->results) definition_[v] = op;
  }

  void add_variables() {
    const Op& now = *ops_[static_cast<size_t>(trace_.steps[scene_.step].op)];
    const CallFrame* here = now.loc == nullptr ? nullptr : now.loc->calls.get();
    for (const NamedValues& named : recorded_.variables)
      if (is_inside(here, named.scope.get())) scene_.variables.push_back(variable(named));
  }

  void add_accesses() {
    const LineStep& line = scene_.timeline->lines[scene_.line_step];
    const auto& all = trace_.accesses;
    auto at = std::lower_bound(all.begin(), all.end(), line.first,
                               [](const AccessSummary& a, uint64_t step) { return a.step < step; });
    for (; at != all.end() && at->step <= std::min(line.last, scene_.step); ++at) scene_.accesses.push_back(access(*at));
  }

  void add_tensors() {
    const std::vector<Tensor>& tensors = scene_.run.launch->tensors;
    for (size_t i = 0; i < tensors.size(); ++i) {
      TensorNow now;
      now.name = tensors[i].name;
      now.tensor = &recorded_.recording->memory(static_cast<int>(i), scene_.step + 1);
      if (i < recorded_.uses.size()) now.loaded = recorded_.uses[i].loaded, now.stored = recorded_.uses[i].stored;
      if (i < recorded_.ranges.size()) now.low = recorded_.ranges[i].low, now.high = recorded_.ranges[i].high;
      scene_.tensors.push_back(std::move(now));
    }
  }

 private:
  Variable variable(const NamedValues& named) {
    Variable out;
    out.name = named.name;
    for (ValueId v : named.values) {
      const int64_t at = recording_.last_definition(v, scene_.step);
      if (out.value != kNoValue && at <= out.defined_at) continue;
      out.value = v;
      out.defined_at = at;
    }
    out.type = scene_.function->type(out.value);
    if (out.defined_at < 0) return out;
    const LineStep& line = scene_.timeline->lines[scene_.line_step];
    const auto at = static_cast<uint64_t>(out.defined_at);
    out.now = at >= line.first && at <= line.last;
    out.data = recording_.step(at);
    for (const ValueRecord& r : out.data->results)
      if (r.value == out.value) out.record = &r;
    if (out.record == nullptr) {  // the step faulted
      out.defined_at = -1;
      out.now = false;
      out.data = nullptr;
      return out;
    }
    add_origin(out, at);
    return out;
  }

  /// The load behind the variable; `tl.load(...).to(tl.float32)` counts too.
  void add_origin(Variable& v, uint64_t step) {
    ValueId value = v.value;
    std::shared_ptr<const StepData> data = v.data;
    for (const Op* op = definition_[value]; op != nullptr && op->code == OpCode::Cast; op = definition_[value]) {
      value = op->operands[0];
      const int64_t at = recording_.last_definition(value, step);
      if (at < 0) return;
      step = static_cast<uint64_t>(at);
    }
    const int32_t access = trace_.steps[step].access;
    if (access < 0 || trace_.steps[step].phase != StepPhase::Op) return;
    if (value != v.value) data = recording_.step(step);
    if (!data->access) return;
    v.access = &trace_.accesses[static_cast<size_t>(access)];
    v.lanes = &*data->access;
    if (data != v.data) v.origin = data;
  }

  CurrentAccess access(const AccessSummary& summary) {
    CurrentAccess out;
    out.step = summary.step;
    out.op = ops_[static_cast<size_t>(trace_.steps[summary.step].op)];
    out.summary = &summary;
    out.data = recording_.step(summary.step);
    if (out.data->access) out.lanes = &*out.data->access;
    const bool stores = out.op->code == OpCode::Store;
    const ValueId value = stores ? out.op->operands[1] : out.op->results[0];
    out.type = scene_.function->type(value);
    out.variable = stores ? stored_name(value) : loaded_name(value, summary.step);
    return out;
  }

  /// The name of a stored value, through the conversion to the tensor's type.
  std::string stored_name(ValueId value) const {
    for (const Op* op = definition_[value]; op != nullptr && op->code == OpCode::Cast; op = definition_[value]) {
      if (!scene_.function->values[value].name.empty()) break;
      value = op->operands[0];
    }
    return scene_.function->values[value].name;
  }

  /// Its own name, else the one that the current statement gives to what it makes of the loaded value.
  std::string loaded_name(ValueId value, uint64_t step) const {
    if (!scene_.function->values[value].name.empty()) return scene_.function->values[value].name;
    const LineStep& line = scene_.timeline->lines[scene_.line_step];
    for (uint64_t s = step + 1; s <= line.last; ++s) {
      const Op& op = *ops_[static_cast<size_t>(trace_.steps[s].op)];
      if (op.code != OpCode::Cast || op.operands[0] != value) continue;
      value = op.results[0];
      if (!scene_.function->values[value].name.empty()) return scene_.function->values[value].name;
    }
    return {};
  }

  Scene& scene_;
  const Recorded& recorded_;
  ProgramRecording& recording_;
  const ProgramTrace& trace_;
  const std::vector<const Op*>& ops_;
  std::vector<const Op*> definition_;  ///< by value
};

}  // namespace

const Variable* Scene::find_variable(const std::string& name) const {
  for (const Variable& v : variables)
    if (v.name == name) return &v;
  return nullptr;
}

const TensorNow* Scene::find_tensor(const std::string& name) const {
  for (const TensorNow& t : tensors)
    if (t.name == name) return &t;
  return nullptr;
}

Scene make_scene(const Published& run, const ViewState& state) {
  Scene scene;
  scene.run = run;
  scene.state = state;
  scene.program = state.program;
  if (run.launch == nullptr || run.recorded == nullptr) return scene;
  const Recorded& recorded = *run.recorded;
  const ProgramTrace& trace = recorded.recording->trace();
  if (trace.steps.empty() || recorded.timeline.lines.empty()) return scene;
  scene.ready = true;
  scene.function = &run.launch->kernel.function;
  scene.trace = &trace;
  scene.timeline = &recorded.timeline;
  scene.program = trace.program;
  scene.step = std::min<uint64_t>(state.step, trace.steps.size() - 1);
  scene.line_step = recorded.timeline.line_of(scene.step);
  scene.section = recorded.timeline.section_of(scene.line_step);
  scene.line = recorded.timeline.lines[scene.line_step].statement.line;
  const Op& op = *recorded.recording->ops()[static_cast<size_t>(trace.steps[scene.step].op)];
  if (is_inlined(op) && (state.unit == StepUnit::Op || scene.step < recorded.timeline.lines[scene.line_step].last))
    scene.helper_line = op.loc->statement.line;
  scene.loops = loops_around(trace, trace.steps[scene.step].frame);
  Maker maker(scene, recorded);
  maker.add_variables();
  maker.add_accesses();
  maker.add_tensors();
  return scene;
}

}  // namespace tilescope::model
