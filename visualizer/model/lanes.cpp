#include "visualizer/model/lanes.h"

#include <algorithm>
#include <deque>
#include <map>

namespace tilescope::model {
namespace {

constexpr int kMaxHops = 2000;  // values that a search follows

bool keeps_order(const Op& op) { return op.code == OpCode::ExpandDims || op.code == OpCode::Reshape; }

// Where each lane of the operand goes in an op that only rearranges them; empty when it is no such op.
std::vector<int64_t> rearranged(const Function& f, const Op& op) {
  const Shape& from = f.type(op.operands[0]).shape;
  std::vector<int64_t> out;
  switch (op.code) {
    case OpCode::Trans: {
      const std::vector<int64_t>& order = op.ints_attr("order");
      const Shape& to = f.type(op.results[0]).shape;
      out.resize(static_cast<size_t>(from.elements()));
      for (int64_t i = 0; i < from.elements(); ++i) {
        const std::vector<int64_t> index = index_of_lane(from, i);
        std::vector<int64_t> moved(order.size());
        for (size_t a = 0; a < order.size(); ++a) moved[a] = index[static_cast<size_t>(order[a])];
        out[static_cast<size_t>(i)] = lane_of(to, moved);
      }
      return out;
    }
    case OpCode::Flip: {
      const auto axis = static_cast<size_t>(op.int_attr("axis"));
      out.resize(static_cast<size_t>(from.elements()));
      for (int64_t i = 0; i < from.elements(); ++i) {
        std::vector<int64_t> index = index_of_lane(from, i);
        index[axis] = from[static_cast<int>(axis)] - 1 - index[axis];
        out[static_cast<size_t>(i)] = lane_of(from, index);
      }
      return out;
    }
    default:
      return out;
  }
}

struct Trail {
  ValueId value;
  std::vector<int64_t> lanes;  ///< as in StoredBy
  bool same = true;
};

std::vector<int64_t> through(const std::vector<int64_t>& first, const std::vector<int64_t>& second) {
  if (first.empty()) return second;
  std::vector<int64_t> out(first.size());
  for (size_t i = 0; i < first.size(); ++i) out[i] = second[static_cast<size_t>(first[i])];
  return out;
}

// The scalar that fills a tile, or the value itself when it is one.
ValueId scalar_behind(const Dataflow& flow, ValueId v) {
  for (int i = 0; i < 8; ++i) {
    if (flow.function().type(v).is_scalar()) return v;
    const Definition& d = flow.definition(v);
    if (d.by != Definition::By::Result) return kNoValue;
    if (d.op->code != OpCode::Splat && d.op->code != OpCode::Broadcast && d.op->code != OpCode::ExpandDims && d.op->code != OpCode::Cast) {
      return d.op->code == OpCode::Constant ? v : kNoValue;
    }
    v = d.op->operands[0];
  }
  return kNoValue;
}

bool is_comparison(OpCode c) {
  return c == OpCode::CmpLt || c == OpCode::CmpLe || c == OpCode::CmpGt || c == OpCode::CmpGe;
}

bool holds(OpCode c, int64_t a, int64_t b) {
  switch (c) {
    case OpCode::CmpLt: return a < b;
    case OpCode::CmpLe: return a <= b;
    case OpCode::CmpGt: return a > b;
    default: return a >= b;
  }
}

OpCode mirrored(OpCode c) {
  switch (c) {
    case OpCode::CmpLt: return OpCode::CmpGt;
    case OpCode::CmpLe: return OpCode::CmpGe;
    case OpCode::CmpGt: return OpCode::CmpLt;
    default: return OpCode::CmpLe;
  }
}

void count(VariableLanes& out, const Shape& shape) {
  std::vector<int64_t> index(static_cast<size_t>(shape.rank), 0);
  const auto next = [&] {
    for (int a = shape.rank - 1; a >= 0; --a) {
      if (++index[static_cast<size_t>(a)] < shape[a]) return;
      index[static_cast<size_t>(a)] = 0;
    }
  };
  for (int64_t i = 0; i < static_cast<int64_t>(out.use.size()); ++i, next()) {
    switch (out.use[static_cast<size_t>(i)]) {
      case LaneUse::On: ++out.on; break;
      case LaneUse::Off: ++out.off; break;
      case LaneUse::OutOfBounds: ++out.out_of_bounds; break;
      case LaneUse::Undefined: ++out.undefined; break;
    }
    if (out.use[static_cast<size_t>(i)] != LaneUse::On) continue;
    if (out.on == 1) out.lo = out.hi = index;
    for (size_t a = 0; a < index.size(); ++a) {
      out.lo[a] = std::min(out.lo[a], index[a]);
      out.hi[a] = std::max(out.hi[a], index[a] + 1);
    }
  }
  if (out.use.empty()) out.on = static_cast<uint64_t>(shape.elements());
}

LaneUse use_of(LaneState s) {
  switch (s) {
    case LaneState::On: return LaneUse::On;
    case LaneState::Masked: return LaneUse::Off;
    case LaneState::OutOfBounds: return LaneUse::OutOfBounds;
    case LaneState::Uninitialised: return LaneUse::Undefined;
  }
  return LaneUse::On;
}

// The value of masked lanes, when they all have one.
void find_other(const ProgramValues& values, const ValueRecord& record, VariableLanes& out) {
  bool first = true;
  for (size_t i = 0; i < out.use.size(); ++i) {
    if (out.use[i] != LaneUse::Off) continue;
    const std::string text = values.lane_text(record, static_cast<int64_t>(i));
    if (lane_poisoned(record, static_cast<int64_t>(i))) return out.other.clear();
    if (first) out.other = text;
    else if (text != out.other) return out.other.clear();
    first = false;
    if (i > 4096) return;  // `other` is nearly always one value; enough was seen
  }
}

bool by_load(const ProgramValues& values, const Variable& v, VariableLanes& out) {
  if (v.lanes == nullptr || static_cast<int64_t>(v.lanes->states.size()) != v.type.elements()) return false;
  out.by = VariableLanes::By::Load;
  out.tensor = v.lanes->tensor;
  out.offsets = v.lanes->offsets;
  out.use.reserve(v.lanes->states.size());
  for (const LaneState s : v.lanes->states) out.use.push_back(use_of(s));
  find_other(values, *v.record, out);
  return true;
}

bool by_bound(const ProgramValues& values, const Variable& v, VariableLanes& out) {
  if (v.type.pointer || !is_int(v.type.elem) || is_bool(v.type.elem) || v.type.is_scalar()) return false;
  const Dataflow& flow = values.flow();
  const auto step = static_cast<uint64_t>(std::max<int64_t>(0, v.defined_at));
  std::deque<ValueId> open{v.value};
  for (int hops = 0; !open.empty() && hops < kMaxHops; ++hops) {
    const ValueId at = open.front();
    open.pop_front();
    for (const Use& u : flow.uses(at)) {
      if (u.op->code == OpCode::ExpandDims || u.op->code == OpCode::Broadcast || u.op->code == OpCode::Reshape) open.push_back(u.op->results[0]);
      if (!is_comparison(u.op->code)) continue;
      const ValueId scalar = scalar_behind(flow, u.op->operands[static_cast<size_t>(1 - u.operand)]);
      if (scalar == kNoValue) continue;
      // The bound as it is when the comparison comes; a parameter or constant is known at once.
      ProgramValues::Found bound = values.at(scalar, step);
      const int64_t compared = values.next_run(u.number, step);
      if (compared >= 0) bound = values.at(scalar, static_cast<uint64_t>(compared));
      if (!bound) continue;
      const OpCode c = u.operand == 0 ? u.op->code : mirrored(u.op->code);
      const int64_t limit = lane_integer(*bound.record, 0);
      out.by = VariableLanes::By::Bound;
      out.bound = values.name(scalar);
      out.bound_value = values.lane_text(*bound.record, 0);
      out.below = c == OpCode::CmpGt || c == OpCode::CmpGe;
      out.use.resize(static_cast<size_t>(v.type.elements()));
      for (int64_t i = 0; i < v.type.elements(); ++i)
        out.use[static_cast<size_t>(i)] = holds(c, lane_integer(*v.record, i), limit) ? LaneUse::On : LaneUse::Off;
      return true;
    }
  }
  return false;
}

bool by_store(const ProgramValues& values, const Variable& v, VariableLanes& out) {
  if (v.type.is_scalar()) return false;
  const StoredBy s = stored_by(values, v.value, static_cast<uint64_t>(std::max<int64_t>(0, v.defined_at)));
  if (s.store == nullptr || s.data == nullptr || !s.data->access) return false;
  out.by = VariableLanes::By::Store;
  out.tensor = s.tensor;
  for (int64_t lane = 0; lane < v.type.elements(); ++lane) {
    const auto i = static_cast<size_t>(s.lane_of(lane));
    out.use.push_back(i < s.data->access->states.size() ? use_of(s.data->access->states[i]) : LaneUse::On);
    out.offsets.push_back(i < s.data->access->offsets.size() ? s.data->access->offsets[i] : 0);
  }
  return true;
}

}  // namespace

StoredBy stored_by(const ProgramValues& values, ValueId value, uint64_t defined_at) {
  const Dataflow& flow = values.flow();
  const Function& f = flow.function();
  StoredBy out;
  std::deque<Trail> open;
  std::vector<bool> seen(f.values.size(), false);
  open.push_back({value, {}, true});
  seen[value] = true;
  for (int hops = 0; !open.empty() && hops < kMaxHops; ++hops) {
    const Trail at = std::move(open.front());
    open.pop_front();
    const auto go = [&](ValueId to, std::vector<int64_t> lanes, bool same = true) {
      if (seen[to]) return;
      seen[to] = true;
      open.push_back({to, std::move(lanes), at.same && same});
    };
    for (const Use& u : flow.uses(at.value)) {
      if (u.op->code == OpCode::Store && u.operand == 1) {
        const int64_t step = values.next_run(u.number, defined_at);
        if (step < 0) continue;
        out.store = u.op;
        out.step = step;
        out.same = at.same;
        out.lanes = at.lanes;
        out.data = values.data(static_cast<uint64_t>(step));
        if (out.data != nullptr && out.data->access) out.tensor = out.data->access->tensor;
        return out;
      }
      for (const ValueId to : flow.passed_on(u)) go(to, at.lanes);
      if (u.op->results.size() != 1) continue;
      const ValueId result = u.op->results[0];
      const bool lane_wise = u.op->info().group == OpGroup::Elementwise && !(u.op->code == OpCode::Select && u.operand == 0) &&
                             !is_bool(f.type(result).elem) && !f.type(result).pointer;
      const bool accumulates = u.op->code == OpCode::Dot && u.operand == 2;
      const std::string &from = values.name(value), &to = values.name(result);
      if (lane_wise || accumulates) go(result, at.lanes, accumulates || u.op->code == OpCode::Cast || (!from.empty() && from == to));
      else if (keeps_order(*u.op)) go(result, at.lanes);
      else if (u.operand == 0 && u.op->info().group == OpGroup::Shape) {
        const std::vector<int64_t> moved = rearranged(f, *u.op);
        if (!moved.empty()) go(result, through(at.lanes, moved));
      }
    }
  }
  return out;
}

VariableLanes variable_lanes(const ProgramValues& values, const Variable& v) {
  VariableLanes out;
  if (v.record == nullptr) return out;
  const bool is_mask = is_bool(v.type.elem) && !v.type.pointer;
  if (by_load(values, v, out)) {
  } else if (is_mask && v.type.is_tile()) {
    out.by = VariableLanes::By::Itself;
    for (int64_t i = 0; i < v.type.elements(); ++i)
      out.use.push_back(lane_integer(*v.record, i) != 0 ? LaneUse::On : LaneUse::Off);
  } else if (!by_bound(values, v, out)) {
    by_store(values, v, out);
  }
  if (!v.record->poison.empty()) {
    if (out.use.empty()) out.use.assign(static_cast<size_t>(v.type.elements()), LaneUse::On);
    for (size_t i = 0; i < out.use.size(); ++i)
      if (v.record->poison[i] != 0 && out.use[i] == LaneUse::On) out.use[i] = LaneUse::Undefined;
  }
  count(out, v.type.shape);
  return out;
}

}  // namespace tilescope::model
