#include "visualizer/model/tile_view.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "visualizer/model/memory_view.h"
#include "visualizer/model/provenance.h"
#include "visualizer/model/summary.h"

namespace tilescope::model {
namespace {

constexpr size_t kSamples = 6;    // moments of the program at which a variable is looked at for its scale
constexpr size_t kMostLit = 16;

struct Items {
  std::vector<Variable> all;
};

struct Numbers {
  std::map<std::string, TileStatistics> by_name;
};

/// Scales by variable, of the recording that was shown last: they are the same at all its steps.
struct Scales {
  std::weak_ptr<ProgramRecording> recording;
  std::map<std::string, double> reach;
};

// An unnamed value that a store writes.
void add_stored(const Scene& scene, const ProgramValues& values, std::vector<Variable>& out) {
  const Dataflow& flow = values.flow();
  for (const Op* op : flow.ops()) {
    if (op->code != OpCode::Store) continue;
    const ValueId id = op->operands[1];
    const Definition& d = flow.definition(id);
    if (!values.name(id).empty() || d.by != Definition::By::Result) continue;
    Variable v;
    v.name = values.text_of_expression(*d.op);
    v.value = id;
    v.type = flow.function().type(id);
    const bool known = std::any_of(out.begin(), out.end(), [&](const Variable& o) { return o.name == v.name; });
    if (v.name.empty() || v.name.size() > 32 || known || d.op->info().group == OpGroup::Shape) continue;
    const ProgramValues::Found found = values.at(id, scene.step);
    if (found && found.step >= 0) {
      v.defined_at = found.step;
      v.data = values.data(static_cast<uint64_t>(found.step));
      for (const ValueRecord& r : v.data->results)
        if (r.value == id) v.record = &r;
      if (scene.timeline != nullptr && scene.line_step < scene.timeline->lines.size()) {
        const LineStep& line = scene.timeline->lines[scene.line_step];
        v.now = static_cast<uint64_t>(found.step) >= line.first && static_cast<uint64_t>(found.step) <= line.last;
      }
    }
    out.push_back(std::move(v));
  }
}

// The value of a load that faulted, as far as its lanes could be read: memory where they are on and inside, `other` where
// they are masked, undefined elsewhere.
void add_faulted(const Scene& scene, const ProgramValues& values, std::vector<Variable>& items) {
  for (const CurrentAccess& a : scene.accesses) {
    if (a.op->code != OpCode::Load || a.lanes == nullptr || a.lanes->tensor < 0) continue;
    const ValueId id = a.op->results[0];
    for (Variable& v : items) {
      if ((v.value != id && (v.name != values.name(id) || v.name.empty())) || v.defined_at >= static_cast<int64_t>(a.step)) continue;
      const Type type = values.flow().function().type(id);
      auto data = std::make_shared<StepData>();
      ValueRecord& r = data->results.emplace_back();
      r.value = id;
      r.type = type;
      r.data.resize(static_cast<size_t>(type.elements() * type.storage_bytes()));
      const Tensor& memory = values.recording().memory(a.lanes->tensor, a.step);
      const int64_t bytes = dtype_bytes(memory.dtype);
      if (type.pointer || bytes != type.storage_bytes() || a.lanes->states.size() != static_cast<size_t>(type.elements())) continue;
      const ProgramValues::Found other = a.op->operands.size() > 2 ? values.at(a.op->operands[2], a.step) : ProgramValues::Found{};
      const bool has_other = other && other.record->data.size() == r.data.size();
      r.poison.assign(a.lanes->states.size(), 0);
      for (size_t i = 0; i < a.lanes->states.size(); ++i) {
        const int64_t at = memory.origin + a.lanes->offsets[i], lane = static_cast<int64_t>(i) * bytes;
        if (a.lanes->states[i] == LaneState::On && at >= 0 && at < memory.storage_elements())
          std::memcpy(r.data.data() + lane, memory.element(at), static_cast<size_t>(bytes));
        else if (a.lanes->states[i] == LaneState::Masked && has_other)
          std::memcpy(r.data.data() + lane, other.record->data.data() + lane, static_cast<size_t>(bytes));
        else r.poison[i] = 1;
      }
      data->access = *a.lanes;
      v.value = id;
      v.type = type;
      v.defined_at = static_cast<int64_t>(a.step);
      v.now = true;
      v.record = &r;
      v.access = a.summary;
      v.lanes = &*data->access;
      v.data = std::move(data);
    }
  }
}

// Index tiles: the same step from lane to lane along each axis.
bool is_affine(const ValueRecord& r) {
  const Shape& s = r.type.shape;
  const int64_t n = r.type.elements();
  if (n == 0) return true;
  int64_t stride = 1;
  std::vector<int64_t> steps(static_cast<size_t>(s.rank));
  for (int a = s.rank - 1; a >= 0; --a) {
    steps[static_cast<size_t>(a)] = s[a] > 1 ? lane_integer(r, stride) - lane_integer(r, 0) : 0;
    stride *= s[a];
  }
  for (int64_t i = 0; i < n; ++i) {
    int64_t rest = i, expected = lane_integer(r, 0);
    for (int a = s.rank - 1; a >= 0; --a) {
      expected += rest % s[a] * steps[static_cast<size_t>(a)];
      rest /= s[a];
    }
    if (lane_integer(r, i) != expected) return false;
  }
  return true;
}

double magnitude(const ValueRecord& r) {
  double out = 0;
  for (int64_t i = 0; i < r.type.elements(); ++i) {
    const double x = std::fabs(lane_number(r, i));
    if (std::isfinite(x) && !lane_poisoned(r, i)) out = std::max(out, x);
  }
  return out;
}

// Over the whole program, as far as some of its moments show.
double program_reach(const Scene& scene, const ProgramValues& values, const Variable& v) {
  static Scales kept;
  if (kept.recording.lock() != scene.run.recorded->recording) kept = {scene.run.recorded->recording, {}};
  const auto it = kept.reach.find(v.name);
  if (it != kept.reach.end()) return it->second;
  double reach = 0;
  const uint64_t steps = scene.trace->steps.size();
  const Function& f = values.flow().function();
  int64_t seen_step = -1;
  for (ValueId id = 0; id < f.values.size(); ++id) {
    if (id != v.value && (f.values[id].name != v.name || !(f.type(id) == v.type))) continue;
    for (size_t i = kSamples; i > 0; --i) {
      const ProgramValues::Found found = values.at(id, std::max<uint64_t>(steps * i / kSamples, 1) - 1);
      if (!found || found.step == seen_step) continue;
      seen_step = found.step;
      reach = std::max(reach, magnitude(*found.record));
    }
  }
  kept.reach[v.name] = reach;
  return reach;
}

void choose_scale(const Scene& scene, const ProgramValues& values, const Variable& v, TileStatistics& out) {
  if (v.type.pointer) {
    out.scale = ValueScale::Plain;
  } else if (is_bool(v.type.elem)) {
    out.scale = ValueScale::Bool;
  } else if (is_int(v.type.elem) && v.access == nullptr && is_affine(*v.record)) {
    out.scale = ValueScale::Plain;
  } else {
    out.scale = is_unsigned_int(v.type.elem) ? ValueScale::Counts : ValueScale::Signed;
    const int tensor = v.access != nullptr ? v.access->tensor : -1;
    out.reach = tensor >= 0 ? value_reach(scene, tensor) : program_reach(scene, values, v);
    if (!(out.reach > 0)) out.reach = out.largest > 0 ? out.largest : 1;
  }
}

TileStatistics count(const Scene& scene, const Variable& v) {
  TileStatistics out;
  const ProgramValues* values = program_values(scene);
  if (v.record == nullptr || values == nullptr) return out;
  const ValueRecord& r = *v.record;
  double sum = 0;
  for (int64_t i = 0; i < r.type.elements(); ++i) {
    if (lane_poisoned(r, i)) {
      ++out.undefined;
      continue;
    }
    const double x = lane_number(r, i);
    if (std::isnan(x)) ++out.nan;
    else if (std::isinf(x)) ++out.infinite;
    if (!std::isfinite(x)) continue;
    if (out.finite++ == 0) out.low = out.high = x;
    out.low = std::min(out.low, x);
    out.high = std::max(out.high, x);
    out.ones += x == 1 ? 1 : 0;
    if (x != std::rint(x)) out.whole = false;
    sum += x;
  }
  out.mean = out.finite > 0 ? sum / static_cast<double>(out.finite) : 0;
  out.largest = std::max(std::fabs(out.low), std::fabs(out.high));
  choose_scale(scene, *values, v, out);
  return out;
}

}  // namespace

const std::vector<Variable>& tile_items(const Scene& scene) {
  return scene
      .derived<Items>([](const Scene& s) {
        Items items{s.variables};
        const ProgramValues* values = program_values(s);
        if (values != nullptr) {
          add_stored(s, *values, items.all);
          add_faulted(s, *values, items.all);
        }
        return items;
      })
      .all;
}

const Variable* find_item(const Scene& scene, const std::string& name) {
  for (const Variable& v : tile_items(scene))
    if (v.name == name) return &v;
  return nullptr;
}

const Variable* current_item(const Scene& scene) {
  const std::vector<Variable>& items = tile_items(scene);
  // A store shows what it stores; other lines the last thing they computed.
  for (const CurrentAccess& a : scene.accesses) {
    if (a.op->code != OpCode::Store) continue;
    for (const Variable& v : items)
      if (v.value == a.op->operands[1] || (!a.variable.empty() && v.name == a.variable)) return &v;
  }
  const Variable *best = nullptr, *last = nullptr;
  for (const Variable& v : items) {
    if (v.record == nullptr) continue;
    if (v.now && (best == nullptr || v.defined_at >= best->defined_at)) best = &v;
    if (last == nullptr || v.defined_at >= last->defined_at) last = &v;
  }
  if (best != nullptr) return best;
  return last != nullptr ? last : items.empty() ? nullptr : &items.front();
}

bool off_lanes_are_the_undefined(const Variable& v, const VariableLanes& lanes) {
  if (v.record == nullptr || lanes.use.empty()) return false;
  for (size_t lane = 0; lane < lanes.use.size(); ++lane)
    if ((lanes.use[lane] == LaneUse::Off) != lane_poisoned(*v.record, static_cast<int64_t>(lane))) return false;
  return true;
}

double variable_reach(const Scene& scene, const Variable& v) {
  const ProgramValues* values = program_values(scene);
  return values == nullptr ? 0 : program_reach(scene, *values, v);
}

const TileStatistics& statistics_of(const Scene& scene, const Variable& v) {
  auto& kept = const_cast<Numbers&>(scene.derived<Numbers>([](const Scene&) { return Numbers{}; }));
  const auto it = kept.by_name.find(v.name);
  if (it != kept.by_name.end()) return it->second;
  return kept.by_name.emplace(v.name, count(scene, v)).first->second;
}

std::vector<int64_t> lanes_of_element(const Scene& scene, const Variable& v, const Element& e) {
  if (v.record == nullptr || !e) return {};
  if (e.of == Element::Of::Variable) {
    if (static_cast<int>(e.index.size()) != v.type.shape.rank) return {};
    const Variable* other = e.name == v.name ? &v : find_item(scene, e.name);
    // Vectors of one length share their lanes; other tiles do not.
    if (other == nullptr || (other != &v && (v.type.shape.rank != 1 || !(other->type.shape == v.type.shape)))) return {};
    for (int a = 0; a < v.type.shape.rank; ++a)
      if (e.index[static_cast<size_t>(a)] < 0 || e.index[static_cast<size_t>(a)] >= v.type.shape[a]) return {};
    return {lane_of(v.type.shape, e.index)};
  }
  const VariableLanes& lanes = lanes_of(scene, v);
  if (lanes.tensor < 0 || lanes.offsets.empty() || static_cast<size_t>(lanes.tensor) >= scene.tensors.size()) return {};
  const TensorNow& t = scene.tensors[static_cast<size_t>(lanes.tensor)];
  if (t.name != e.name || t.tensor == nullptr || t.tensor->layout.shape.size() != e.index.size()) return {};
  std::vector<int64_t> out;
  for (const int64_t lane : lanes_at(lanes.offsets, t.tensor->layout.offset_of(e.index), kMostLit))
    if (lanes.is_on(lane)) out.push_back(lane);
  return out;
}

}  // namespace tilescope::model
