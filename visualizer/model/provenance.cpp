#include "visualizer/model/provenance.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "visualizer/model/formula.h"
#include "visualizer/model/lanes.h"

namespace tilescope::model {

std::string index_text(const std::vector<int64_t>& index) {
  return index.empty() ? std::string() : fmt::format("[{}]", fmt::join(index, ", "));
}

std::vector<int64_t> lanes_at(const std::vector<int64_t>& offsets, int64_t offset, size_t limit) {
  std::vector<int64_t> out;
  for (size_t i = 0; i < offsets.size() && out.size() < limit; ++i)
    if (offsets[i] == offset) out.push_back(static_cast<int64_t>(i));
  return out;
}

namespace {

// One lane of one value as it was made at `step` (-1: a parameter).
struct Spot {
  ValueId value = kNoValue;
  int64_t lane = 0;
  uint64_t step = 0;  ///< at or after which it is looked at
};

class Explainer {
 public:
  Explainer(const ProgramValues& values, const Timeline* timeline) : values_(values), flow_(values.flow()), f_(flow_.function()), timeline_(timeline) {}

  Provenance run(Spot spot) {
    Provenance out;
    const ProgramValues::Found shown = values_.at(spot.value, spot.step);
    if (!shown || spot.lane < 0 || spot.lane >= shown.record->type.elements()) return out;
    out.element = name_of(spot.value) + index_text(index_of_lane(shown.record->type.shape, spot.lane));
    out.text = values_.lane_text(*shown.record, spot.lane);
    const Spot made = source_of(spot);
    const ProgramValues::Found found = values_.at(made.value, made.step);
    const Definition& d = flow_.definition(made.value);
    if (d.by == Definition::By::Parameter) {
      out.kind = Provenance::Kind::Parameter;
      out.formula = f_.params[static_cast<size_t>(d.index)].name;
    } else if (found && d.by == Definition::By::Result) {
      out.line = line_of(*d.op);
      explain_op(*d.op, d.index, made.lane, static_cast<uint64_t>(found.step), *found.record, out);
    } else {
      out.kind = Provenance::Kind::Other;
      out.line = d.op != nullptr ? line_of(*d.op) : 0;
      out.formula = out.text;
      if (found && found.step >= 0) explain_counter(d, static_cast<uint64_t>(found.step), out);
    }
    find_destination(spot, shown, out);
    find_uses(spot.value, spot.lane, shown, out);
    return out;
  }

 private:
  std::string name_of(ValueId v) const {
    const std::string& name = values_.name(v);
    if (!name.empty()) return name;
    const Definition& d = flow_.definition(v);
    if (d.by == Definition::By::Parameter) return f_.params[static_cast<size_t>(d.index)].name;
    std::string text = d.by == Definition::By::Result ? values_.text_of_expression(*d.op) : std::string();
    if (text.size() > 40) text = "value";
    const bool single = text.find_first_of(" +-*/") == std::string::npos;
    return single || text.empty() ? text : "(" + text + ")";
  }

  // In the kernel itself, also for what an inlined helper does.
  static int line_of(const Op& op) {
    if (op.loc == nullptr) return 0;
    const CallFrame* outermost = nullptr;
    for (const CallFrame* c = op.loc->calls.get(); c != nullptr; c = c->outer.get()) outermost = c;
    if (outermost != nullptr) return outermost->call.line;
    return op.loc->range.line;
  }

  // Follows what only hands an element on: loops, branches.
  Spot source_of(Spot at) const {
    for (int hops = 0; hops < 64; ++hops) {
      const Definition& d = flow_.definition(at.value);
      const ProgramValues::Found found = values_.at(at.value, at.step);
      if (!found || found.step < 0 || d.op == nullptr) return at;
      const auto step = static_cast<uint64_t>(found.step);
      const ValueId from = d.by == Definition::By::Argument ? carried_into(d, step) : handed_out(d, step);
      if (from == kNoValue || !values_.at(from, step)) return at;
      at = {from, at.lane, step};
    }
    return at;
  }

  static ValueId pick(const std::vector<ValueId>& values, int index) {
    return index >= 0 && static_cast<size_t>(index) < values.size() ? values[static_cast<size_t>(index)] : kNoValue;
  }

  ValueId carried_into(const Definition& d, uint64_t step) const {
    const int32_t frame = values_.trace().steps[step].frame;
    const bool first = frame < 0 || values_.trace().frames[static_cast<size_t>(frame)].position.iteration == 0;
    if (d.op->code == OpCode::For && d.index >= 1)
      return first ? pick(d.op->operands, d.index + 2) : pick(d.op->regions[0].ops.back()->operands, d.index - 1);
    if (d.op->code == OpCode::While && d.region == 0) return first ? pick(d.op->operands, d.index) : pick(d.op->regions[1].ops.back()->operands, d.index);
    if (d.op->code == OpCode::While) return pick(d.op->regions[0].ops.back()->operands, d.index + 1);
    return kNoValue;
  }

  ValueId handed_out(const Definition& d, uint64_t step) const {
    const std::vector<Step>& steps = values_.trace().steps;
    if (d.op->code == OpCode::For) {
      const bool ran = step > 0 && steps[step - 1].frame != steps[step].frame;
      return ran ? pick(d.op->regions[0].ops.back()->operands, d.index) : pick(d.op->operands, d.index + 3);
    }
    if (d.op->code == OpCode::While) return pick(d.op->regions[0].ops.back()->operands, d.index + 1);
    if (d.op->code == OpCode::If) {
      const ProgramValues::Found c = values_.at(d.op->operands[0], step);
      const size_t region = c && lane_integer(*c.record, 0) != 0 ? 0 : 1;
      return region < d.op->regions.size() && !d.op->regions[region].ops.empty() ? pick(d.op->regions[region].ops.back()->operands, d.index) : kNoValue;
    }
    return kNoValue;
  }

  void explain_op(const Op& op, int result, int64_t lane, uint64_t step, const ValueRecord& record, Provenance& out) {
    if (op.code == OpCode::Load || op.code == OpCode::AtomicRmw || op.code == OpCode::AtomicCas) return explain_load(op, lane, step, out);
    if (op.code == OpCode::Dot) return explain_dot(op, lane, step, record, out);
    if (op.code == OpCode::Reduce || op.code == OpCode::Scan) return explain_reduce(op, result, lane, step, out);
    if (op.info().group == OpGroup::Elementwise) {
      const Formula formula = formula_of(values_, op, lane, step);
      out.kind = Provenance::Kind::Formula;
      out.formula = formula.symbols;
      out.with_values = formula.values;
      return;
    }
    out.kind = Provenance::Kind::Other;
    out.formula = values_.text_of_expression(op);
    if (op.info().group != OpGroup::Shape || op.code == OpCode::Gather) return;
    const std::vector<OperandLanes> from = source_lanes(f_, op, result, lane);
    if (from.empty() || from[0].lanes.size() != 1) return;
    const ValueId v = op.operands[static_cast<size_t>(from[0].operand)];
    out.kind = Provenance::Kind::Moved;
    out.formula = name_of(v) + index_text(index_of_lane(f_.type(v).shape, from[0].lanes[0]));
    // An unnamed source is arithmetic inside the same statement: write it out.
    const Definition& d = flow_.definition(v);
    if (!values_.name(v).empty() || d.by != Definition::By::Result) return;
    const ProgramValues::Found found = values_.at(v, step);
    if (found && found.step >= 0) explain_op(*d.op, d.index, from[0].lanes[0], static_cast<uint64_t>(found.step), *found.record, out);
  }


 public:
  Provenance faulted(const Variable& v, int64_t lane) {
    Provenance out;
    const Definition& d = flow_.definition(v.value);
    if (v.record == nullptr || v.lanes == nullptr || d.by != Definition::By::Result || lane < 0 || lane >= static_cast<int64_t>(v.lanes->states.size())) return out;
    out.element = v.name + index_text(index_of_lane(v.type.shape, lane));
    out.line = line_of(*d.op);
    explain_load(*d.op, lane, static_cast<uint64_t>(v.defined_at), out);
    out.text = out.state == LaneState::On ? values_.lane_text(*v.record, lane) : std::string();
    return out;
  }

 private:
  void explain_load(const Op& op, int64_t lane, uint64_t step, Provenance& out) {
    out.kind = Provenance::Kind::Load;
    out.has_other = op.code == OpCode::Load && op.operands.size() > 2;
    const std::shared_ptr<const StepData> data = values_.data(step);
    if (data == nullptr || !data->access || static_cast<size_t>(lane) >= data->access->offsets.size()) return;
    out.state = data->access->states[static_cast<size_t>(lane)];
    out.place = values_.place(data->access->tensor, data->access->offsets[static_cast<size_t>(lane)]);
    const ProgramValues::Found pointers = values_.at(op.operands[0], step);
    if (pointers && lane < pointers.record->type.elements()) {
      out.address = static_cast<uint64_t>(lane_integer(*pointers.record, lane));
      if (out.place.tensor < 0) out.place = values_.place(out.address);
    }
  }

  // A loop's variable: start + iteration x step.
  void explain_counter(const Definition& d, uint64_t step, Provenance& out) const {
    const int32_t frame = values_.trace().steps[step].frame;
    if (d.by != Definition::By::Argument || d.op->code != OpCode::For || d.index != 0 || frame < 0) return;
    const ProgramValues::Found start = values_.at(d.op->operands[0], step), by = values_.at(d.op->operands[2], step);
    if (!start || !by) return;
    out.kind = Provenance::Kind::Counter;
    out.iteration = values_.trace().frames[static_cast<size_t>(frame)].position.iteration;
    out.formula = fmt::format("{} + {} \u00d7 {}", values_.lane_text(*start.record, 0), out.iteration, values_.lane_text(*by.record, 0));
  }

  Strip strip_of(ValueId v, std::vector<int64_t> lanes, uint64_t step) {
    Strip s;
    s.found = values_.at(v, step);
    s.lanes = std::move(lanes);
    s.label = name_of(v);
    if (!s.found || s.lanes.empty()) return s;
    const Shape& shape = s.found.record->type.shape;
    label_by_index(s, name_of(v), index_of_lane(shape, s.lanes.front()), index_of_lane(shape, s.lanes.back()));
    // What a load brought has better names: those of the tensor.
    const Spot made = source_of({v, s.lanes.front(), step});
    const ProgramValues::Found source = values_.at(made.value, made.step);
    const Definition& d = flow_.definition(made.value);
    if (!source || source.step < 0 || d.by != Definition::By::Result || d.op->code != OpCode::Load) return s;
    const std::shared_ptr<const StepData> data = values_.data(static_cast<uint64_t>(source.step));
    if (data == nullptr || !data->access) return s;
    const AccessLanes& access = *data->access;
    std::vector<TensorPlace> on;
    for (const int64_t lane : s.lanes) {
      const bool off = access.states[static_cast<size_t>(lane)] == LaneState::Masked;
      s.off.push_back(off);
      if (!off) on.push_back(values_.place(access.tensor, access.offsets[static_cast<size_t>(lane)]));
    }
    if (on.empty() || !on.front().inside || !on.back().inside) return s;
    label_by_index(s, values_.launch().tensors[static_cast<size_t>(access.tensor)].name, on.front().index, on.back().index);
    if (on.size() >= 2) s.pointer = d.op->operands[0];
    return s;
  }

  // "name[65, 32..44]"; the axis that varies is the strip's.
  static void label_by_index(Strip& s, const std::string& name, const std::vector<int64_t>& first, const std::vector<int64_t>& last) {
    std::string inside;
    for (size_t i = 0; i < first.size(); ++i) {
      if (!inside.empty()) inside += ", ";
      if (first[i] == last[i]) {
        inside += std::to_string(first[i]);
      } else {
        inside += fmt::format("{}..{}", first[i], last[i]);
        s.first = first[i];
      }
    }
    s.label = fmt::format("{}[{}]", name, inside);
  }

  // The variable whose lanes are the indices along all the strips, such as ks: it has these values, and the addresses of
  // every strip are made from it. Values alone do not tell: rows or cols may have the same ones.
  void name_the_index(std::vector<Strip>& strips, uint64_t step) const {
    for (ValueId v = 0; v < f_.values.size(); ++v) {
      const Type& t = f_.type(v);
      if (values_.name(v).empty() || t.pointer || !is_int(t.elem) || t.shape.rank != 1) continue;
      const ProgramValues::Found found = values_.at(v, step);
      const auto fits = [&](const Strip& s) {
        const auto length = static_cast<int64_t>(s.lanes.size());
        return s.pointer != kNoValue && found && t.elements() == length && lane_integer(*found.record, 0) == s.first &&
               lane_integer(*found.record, length - 1) == s.first + length - 1 && flow_.reaches(v, s.pointer);
      };
      if (!std::all_of(strips.begin(), strips.end(), fits)) continue;
      for (Strip& s : strips) {
        s.varying = values_.name(v);
        const size_t from = s.label.find(fmt::format("{}..", s.first));
        if (from != std::string::npos) s.label.replace(from, s.label.find_first_of(",]", from) - from, s.varying);
      }
      return;
    }
  }

  void explain_dot(const Op& op, int64_t lane, uint64_t step, const ValueRecord& record, Provenance& out) {
    out.kind = Provenance::Kind::Dot;
    std::vector<OperandLanes> from = source_lanes(f_, op, 0, lane);
    for (size_t i = 0; i < 2; ++i) out.strips.push_back(strip_of(op.operands[i], std::move(from[i].lanes), step));
    name_the_index(out.strips, step);
    const Strip &a = out.strips[0], &b = out.strips[1];
    if (!a.found || !b.found) return;
    for (size_t k = 0; k < a.lanes.size() && k < b.lanes.size(); ++k)
      out.products.push_back(lane_number(*a.found.record, a.lanes[k]) * lane_number(*b.found.record, b.lanes[k]));
    const ProgramValues::Found before = values_.at(op.operands[2], step);
    if (!before) return;
    const bool whole = is_int(record.type.elem);
    out.before = whole ? values_.lane_text(*before.record, lane) : short_number(lane_number(*before.record, lane));
    out.sum = whole ? typographic(std::to_string(static_cast<int64_t>(static_cast<uint64_t>(lane_integer(record, lane)) - static_cast<uint64_t>(lane_integer(*before.record, lane)))))
                    : short_number(lane_number(record, lane) - lane_number(*before.record, lane));
  }

  void explain_reduce(const Op& op, int result, int64_t lane, uint64_t step, Provenance& out) {
    out.kind = op.code == OpCode::Reduce ? Provenance::Kind::Reduce : Provenance::Kind::Scan;
    out.combine = op.str_attr("combine");
    std::vector<OperandLanes> from = source_lanes(f_, op, result, lane);
    const auto which = static_cast<size_t>(std::min<int64_t>(result, static_cast<int64_t>(from.size()) - 1));
    out.strips.push_back(strip_of(op.operands[which], std::move(from[which].lanes), step));
    name_the_index(out.strips, step);
  }

  void find_destination(const Spot& spot, const ProgramValues::Found& shown, Provenance& out) {
    const StoredBy s = stored_by(values_, spot.value, static_cast<uint64_t>(std::max<int64_t>(0, shown.step)));
    if (s.store == nullptr || s.data == nullptr || !s.data->access) return;
    const auto lane = static_cast<size_t>(s.lane_of(spot.lane));
    if (lane >= s.data->access->offsets.size()) return;
    out.destination_off = s.data->access->states[lane] != LaneState::On;
    const TensorPlace place = values_.place(s.data->access->tensor, s.data->access->offsets[lane]);
    if (place.tensor >= 0 && !out.destination_off && s.same) out.destination = values_.place_text(place);
  }

  // What lane `lane` of operand `u.operand` becomes in the op's result.
  std::string becomes(const Use& u, int64_t lane) const {
    const std::vector<int64_t> index = index_of_lane(f_.type(u.op->operands[static_cast<size_t>(u.operand)]).shape, lane);
    if (u.op->code == OpCode::Dot && index.size() >= 2 && u.operand < 2) {
      const size_t r = index.size();
      const std::string batch = r > 2 ? std::to_string(index[0]) + ", " : "";
      return u.operand == 0 ? fmt::format("[{}{}, :]", batch, index[r - 2]) : fmt::format("[{}:, {}]", batch, index[r - 1]);
    }
    if (u.op->code == OpCode::Dot) return index_text(index);
    return {};
  }

  void add_use(const Use& u, int64_t lane, int64_t step, int64_t made_in_frame, Provenance& out) const {
    LaterUse use;
    use.step = static_cast<uint64_t>(step);
    use.line = line_of(*u.op);
    use.lanes = becomes(u, lane);
    const int32_t frame = values_.trace().steps[use.step].frame;
    if (frame >= 0 && frame != made_in_frame) use.iteration = values_.trace().frames[static_cast<size_t>(frame)].position.iteration;
    if (timeline_ != nullptr && !timeline_->lines.empty()) {
      const LineStep& line = timeline_->lines[timeline_->line_of(use.step)];
      if (line.statement.valid()) use.line = line.statement.line;
      use.label = line.label;
      use.kind = line.kind;
    }
    for (LaterUse& other : out.used_by) {
      if (other.line != use.line) continue;
      if (use.step < other.step) other = use;
      return;
    }
    out.used_by.push_back(use);
  }

  void find_uses(ValueId value, int64_t lane, const ProgramValues::Found& shown, Provenance& out) const {
    struct Follow {
      ValueId value;
      int64_t lane;
      int64_t step;  ///< after which it holds this element
    };
    const std::vector<Step>& steps = values_.trace().steps;
    const int64_t made_in = shown.step >= 0 ? steps[static_cast<size_t>(shown.step)].frame : -1;
    std::vector<Follow> open{{value, lane, std::max<int64_t>(shown.step, 0)}};
    std::set<ValueId> seen{value};
    for (size_t next = 0; next < open.size() && next < 64; ++next) {
      const Follow at = open[next];
      const auto go = [&](ValueId to, int64_t to_lane, int64_t step) {
        if (seen.insert(to).second) open.push_back({to, to_lane, step});
      };
      for (const Use& u : flow_.uses(at.value)) {
        // The loop or branch hands it on: the same element under another name.
        for (const ValueId to : flow_.passed_on(u)) {
          const int64_t step = step_of_next_value(to, at.step);
          if (step >= 0) go(to, at.lane, step);
        }
        if (!flow_.passed_on(u).empty() || u.op->code == OpCode::Yield || u.op->code == OpCode::Condition) continue;
        const int64_t step = values_.next_run(u.number, static_cast<uint64_t>(at.step));
        if (step < 0 || values_.recording().last_definition(at.value, static_cast<uint64_t>(step)) > at.step) continue;
        const bool moves = u.op->info().group == OpGroup::Shape && u.op->results.size() == 1 && values_.name(u.op->results[0]).empty();
        if (!moves) add_use(u, at.lane, step, made_in, out);
        else go(u.op->results[0], moved_lane(*u.op, u.operand, at.lane), step);
      }
    }
    std::sort(out.used_by.begin(), out.used_by.end(), [](const LaterUse& a, const LaterUse& b) { return a.step < b.step; });
  }

  // One lane of the result that shows lane `lane` of the operand (of a broadcast: the first).
  int64_t moved_lane(const Op& op, int operand, int64_t lane) const {
    const Shape &from_shape = f_.type(op.operands[0]).shape, &to = f_.type(op.results[0]).shape;
    if (op.code == OpCode::Splat) return 0;
    if (op.code == OpCode::ExpandDims || op.code == OpCode::Reshape) return lane;
    if (op.code == OpCode::Broadcast) return lane_of(to, index_of_lane(from_shape, lane));
    const int64_t n = std::min<int64_t>(to.elements(), 65536);
    for (int64_t i = 0; i < n; ++i)
      for (const OperandLanes& from : source_lanes(f_, op, 0, i))
        if (from.operand == operand && from.lanes[0] == lane) return i;
    return 0;
  }

  // The step after `step` at which a loop's or branch's value is next set; -1: never.
  int64_t step_of_next_value(ValueId v, int64_t step) const {
    const Definition& d = flow_.definition(v);
    const std::vector<Step>& steps = values_.trace().steps;
    const StepPhase wanted = d.by == Definition::By::Argument ? StepPhase::Iteration : StepPhase::Leave;
    const bool branch = d.op->code == OpCode::If;
    for (size_t s = static_cast<size_t>(step) + 1; s < steps.size(); ++s) {
      if (steps[s].op != d.number) continue;
      if (branch || steps[s].phase == wanted) return static_cast<int64_t>(s);
      return -1;  // the loop went the other way first
    }
    return -1;
  }

  const ProgramValues& values_;
  const Dataflow& flow_;
  const Function& f_;
  const Timeline* timeline_;
};

}  // namespace

Provenance explain_faulted(const ProgramValues& values, const Variable& v, int64_t lane) { return Explainer(values, nullptr).faulted(v, lane); }

Provenance explain(const ProgramValues& values, ValueId value, int64_t lane, uint64_t step, const Timeline* timeline) {
  return Explainer(values, timeline).run({value, lane, step});
}

}  // namespace tilescope::model
