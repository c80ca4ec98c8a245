#include "visualizer/model/addresses.h"

#include <fmt/format.h>

#include <algorithm>

#include "visualizer/model/memory_view.h"
#include "visualizer/model/provenance.h"

namespace tilescope::model {
namespace {

// A summand on the way: a value, and the shape ops between it and the whole (outermost first).
struct Part {
  ValueId value = kNoValue;
  std::vector<const Op*> path;
  uint64_t step = 0;
  std::string text;  ///< of the source, where the whole names it
};

constexpr int kMostNames = 40;  // that are followed to their definitions

class Decomposer {
 public:
  Decomposer(const ProgramValues& values, ValueId root, uint64_t step)
      : values_(values), flow_(values.flow()), f_(flow_.function()), root_(root), root_step_(step) {}

  AddressTable run() {
    AddressTable out;
    const ProgramValues::Found found = values_.at(root_, root_step_);
    if (!found) return out;
    out.shape = found.record->type.shape;
    out.expression = whole_text();
    find_totals(*found.record, out);
    // A step op is looked at as at the step that made it, so that its operands are those of that moment.
    const uint64_t made = found.step >= 0 ? static_cast<uint64_t>(found.step) : root_step_;
    collect({root_, {}, made, {}}, true, 0);
    const int rank = out.shape.rank;
    out.kind = rank == 0 ? AddressTable::Kind::Scalar : rank == 1 ? AddressTable::Kind::Line : rank == 2 ? AddressTable::Kind::Sum : AddressTable::Kind::Gather;
    if (carried_ && !carried_from_.empty() && out.expression == values_.name(root_)) out.expression += " = " + carried_from_;
    if (out.kind == AddressTable::Kind::Gather) return out;
    for (size_t i = 0; i < parts_.size(); ++i) {
      const Part p = parts_[i];
      if (!add_term(p, out) && !follow_name(p, out)) return gather(std::move(out));
    }
    add_carried(out);
    if (rank == 1) expand_line(out);
    sum_up(out);
    if (!agrees(out)) return gather(std::move(out));
    std::stable_sort(out.terms.begin(), out.terms.end(), [](const AddressTerm& a, const AddressTerm& b) { return (a.axis < 0) < (b.axis < 0); });
    return out;
  }

 private:
  static AddressTable gather(AddressTable out) {
    out.kind = AddressTable::Kind::Gather;
    out.terms.clear();
    out.column.clear();
    out.row.clear();
    out.scalar = 0;
    out.separable = out.shape.rank == 2 && separable(out);
    return out;
  }

  // Each row differs from the first by one number: a column and a row would add up to it.
  static bool separable(const AddressTable& t) {
    const int64_t columns = t.shape[1];
    for (size_t i = 0; i < t.total.size(); ++i) {
      const auto lane = static_cast<int64_t>(i);
      const auto at = [&](int64_t l) { return t.total[static_cast<size_t>(l)]; };
      if (at(lane) - at(lane % columns) != at(lane / columns * columns) - at(0)) return false;
    }
    return true;
  }

  std::string whole_text() const {
    if (!values_.name(root_).empty()) {
      const Definition& d = flow_.definition(root_);
      const std::string text = d.by == Definition::By::Result ? values_.text_of_expression(*d.op) : std::string();
      return text.empty() || d.op->code == OpCode::For ? values_.name(root_) : text;
    }
    const Definition& d = flow_.definition(root_);
    return d.by == Definition::By::Result ? values_.text_of_expression(*d.op) : f_.params[static_cast<size_t>(d.index)].name;
  }

  void find_totals(const ValueRecord& r, AddressTable& out) const {
    for (int64_t i = 0; i < r.type.elements(); ++i) {
      if (!r.type.pointer) {
        out.total.push_back(lane_integer(r, i));
        continue;
      }
      const TensorPlace p = values_.place(static_cast<uint64_t>(lane_integer(r, i)));
      if (i == 0) out.tensor = p.tensor;
      out.total.push_back(p.offset);
    }
  }

  static bool moves(OpCode c) { return c == OpCode::Splat || c == OpCode::Broadcast || c == OpCode::ExpandDims || c == OpCode::Reshape || c == OpCode::Trans; }
  // An integer of another width with the same numbers: `offs.to(tl.int64)`.
  bool widens(const Op& op) const {
    if (op.code != OpCode::Cast) return false;
    const Type &from = f_.type(op.operands[0]), &to = f_.type(op.results[0]);
    return !from.pointer && !to.pointer && is_int(from.elem) && is_int(to.elem) && dtype_bits(from.elem) <= dtype_bits(to.elem);
  }
  static bool adds(OpCode c) { return c == OpCode::Add || c == OpCode::AddPtr; }

  // Splits sums, looking through shape ops. A name ends the search, unless it is the whole or a pointer (whose own sum
  // is what we are after).
  void collect(Part p, bool top, int depth) {
    const bool pointer = f_.type(p.value).pointer;
    if (depth < 40 && (top || pointer || values_.name(p.value).empty())) {
      const Definition& d = flow_.definition(p.value);
      if (d.by == Definition::By::Argument && (pointer || (top && !carried_))) return collect_carried(p, d, depth);
      if (d.by == Definition::By::Result) {
        const ProgramValues::Found found = values_.at(p.value, p.step);
        if (found && found.step >= 0) p.step = static_cast<uint64_t>(found.step);
        if (adds(d.op->code)) {
          for (const ValueId v : d.op->operands) collect({v, p.path, p.step, {}}, false, depth + 1);
          return;
        }
        if (moves(d.op->code) || widens(*d.op)) {
          Part inner = p;
          inner.value = d.op->operands[0];
          inner.path.push_back(d.op);
          const bool named_by_source = d.op->code != OpCode::Splat && d.op->code != OpCode::Broadcast && d.op->code != OpCode::Cast;
          if (named_by_source && inner.text.empty()) inner.text = values_.text_of_expression(*d.op);
          return collect(std::move(inner), false, depth + 1);
        }
      }
    }
    parts_.push_back(std::move(p));
  }

  // A pointer that walks with the loop: what it was at first, and how far it has come.
  void collect_carried(Part p, const Definition& d, int depth) {
    const ProgramValues::Found found = values_.at(p.value, p.step);
    if (d.op->code != OpCode::For || d.index < 1 || !found || found.step < 0) return parts_.push_back(std::move(p));
    const int32_t frame = values_.trace().steps[static_cast<size_t>(found.step)].frame;
    carried_times_ = frame < 0 ? 0 : values_.trace().frames[static_cast<size_t>(frame)].position.iteration;
    carried_text_.clear();
    const ValueId next = d.op->regions[0].ops.back()->operands[static_cast<size_t>(d.index - 1)];
    const Definition& step = flow_.definition(next);
    if (step.by == Definition::By::Result && adds(step.op->code)) carried_text_ = side_text(*step.op, 1);
    // The initial value was made before the loop and has not changed since.
    const ValueId first = d.op->operands[static_cast<size_t>(d.index + 2)];
    const ProgramValues::Found made = values_.at(first, p.step);
    if (made && made.step >= 0) p.step = static_cast<uint64_t>(made.step);
    p.value = first;
    carried_ = true;
    const Definition& started = flow_.definition(first);
    if (started.by == Definition::By::Result) carried_from_ = values_.text_of_expression(*started.op);
    collect(std::move(p), true, depth + 1);
  }

  // A name that stands for a sum over both axes: `offs = rows[:, None] * N + cols[None, :]`. Its summands are what is
  // added; they join `parts_`. False when the name stands for something else.
  bool follow_name(const Part& p, AddressTable& out) {
    const Definition& d = flow_.definition(p.value);
    if (f_.type(p.value).pointer || ++followed_ > kMostNames) return false;
    const bool sum = d.by == Definition::By::Result && (adds(d.op->code) || moves(d.op->code) || widens(*d.op));
    if (!sum && (d.by != Definition::By::Argument || carried_)) return false;
    const size_t before = parts_.size();
    collect({p.value, p.path, p.step, {}}, true, 0);
    if (parts_.size() == before + 1 && parts_.back().value == p.value) return false;
    const std::string& name = values_.name(p.value);
    const std::string text = sum ? values_.text_of_expression(*d.op) : carried_from_;
    if (!name.empty() && !text.empty() && text != name) out.expression += ",  " + name + " = " + text;
    return true;
  }

  std::string text_of(ValueId v) const {
    for (int i = 0; i < 8; ++i) {
      if (!values_.name(v).empty()) return values_.name(v);
      const Definition& d = flow_.definition(v);
      if (d.by == Definition::By::Parameter) return f_.params[static_cast<size_t>(d.index)].name;
      if (d.by != Definition::By::Result) return {};
      if (d.op->code != OpCode::Splat && d.op->code != OpCode::Broadcast && d.op->code != OpCode::Cast) return values_.text_of_expression(*d.op);
      v = d.op->operands[0];
    }
    return {};
  }

  // Of an operand; a constant's own place in the source is that of the whole expression.
  std::string side_text(const Op& op, size_t side) const {
    const Dataflow& flow = flow_;
    ValueId v = op.operands[side];
    for (int i = 0; i < 8 && values_.name(v).empty(); ++i) {
      const Definition& d = flow.definition(v);
      if (d.by != Definition::By::Result) break;
      if (d.op->code == OpCode::Constant) {
        const std::string text = values_.text_of_side(op, side);
        return text.empty() ? text_of(op.operands[side]) : text;
      }
      if (!moves(d.op->code) && d.op->code != OpCode::Cast) break;
      v = d.op->operands[0];
    }
    return text_of(op.operands[side]);
  }

  int64_t lane_below(const std::vector<const Op*>& path, int64_t lane) const {
    for (const Op* op : path) {
      const std::vector<OperandLanes> from = source_lanes(f_, *op, 0, lane);
      if (from.empty()) return 0;
      lane = from[0].lanes[0];
    }
    return lane;
  }

  // Values of a part along an axis of the whole, through lane 0 of the other.
  std::vector<int64_t> along(const Part& p, const ValueRecord& r, const Shape& shape, int axis) const {
    std::vector<int64_t> out;
    std::vector<int64_t> index(static_cast<size_t>(shape.rank), 0);
    const int64_t n = shape.rank == 0 ? 1 : shape[axis];
    for (int64_t i = 0; i < n; ++i) {
      if (shape.rank > 0) index[static_cast<size_t>(axis)] = i;
      out.push_back(lane_integer(r, lane_below(p.path, lane_of(shape, index))));
    }
    return out;
  }

  static bool constant(const std::vector<int64_t>& v) {
    return std::all_of(v.begin(), v.end(), [&](int64_t x) { return x == v.front(); });
  }

  // False when the part varies along both axes.
  bool add_term(const Part& p, AddressTable& out) {
    const ProgramValues::Found found = values_.at(p.value, p.step);
    if (!found) return false;
    if (found.record->type.pointer) return add_base(p, *found.record, out);
    AddressTerm t;
    t.text = p.text.empty() ? text_of(p.value) : p.text;
    const int axis = find_axis(p, *found.record, out.shape);
    if (axis < -1) return false;
    t.axis = axis;
    t.values = along(p, *found.record, out.shape, std::max(0, axis));
    if (axis < 0) t.values.resize(1);
    if (t.values.size() == 1 && t.values[0] == 0 && t.text.empty()) return true;
    find_factor(p, out.shape, t);
    out.terms.push_back(std::move(t));
    return true;
  }

  // -1: none, -2: more than one.
  int find_axis(const Part& p, const ValueRecord& r, const Shape& shape) const {
    int axis = -1;
    for (int a = 0; a < shape.rank; ++a) {
      if (constant(along(p, r, shape, a))) continue;
      if (axis >= 0) return -2;
      axis = a;
    }
    return axis;
  }

  bool add_base(const Part& p, const ValueRecord& r, AddressTable& out) {
    const int64_t lanes = r.type.elements();
    for (int64_t i = 1; i < lanes; ++i)
      if (lane_integer(r, i) != lane_integer(r, 0)) return false;
    out.base = text_of(p.value);
    const TensorPlace place = values_.place(static_cast<uint64_t>(lane_integer(r, 0)));
    if (place.offset == 0) return true;
    AddressTerm t;
    t.text = out.base;
    t.values = {place.offset};
    out.terms.push_back(std::move(t));
    return true;
  }

  // rows[:, None] * K: the index and the scalar that it is multiplied by.
  void find_factor(const Part& p, const Shape& shape, AddressTerm& t) const {
    const Definition& d = flow_.definition(p.value);
    if (!values_.name(p.value).empty() && p.value != root_) return;
    if (d.by != Definition::By::Result || d.op->code != OpCode::Mul) return;
    for (size_t side = 0; side < 2; ++side) {
      const ValueId scalar = d.op->operands[1 - side], other = d.op->operands[side];
      const ProgramValues::Found s = values_.at(scalar, p.step), o = values_.at(other, p.step);
      if (!s || !o) return;
      bool same = true;
      for (int64_t i = 1; i < s.record->type.elements() && same; ++i) same = lane_integer(*s.record, i) == lane_integer(*s.record, 0);
      if (!same || (t.axis < 0 && side == 1)) continue;
      t.factor = lane_integer(*s.record, 0);
      t.factor_name = side_text(*d.op, 1 - side);
      t.index = along(p, *o.record, shape, std::max(0, t.axis));
      if (t.axis < 0) t.index.resize(1);
      t.index_name = index_name(other);
      return;
    }
  }

  // "rows" for rows[:, None].
  std::string index_name(ValueId v) const {
    for (int i = 0; i < 8; ++i) {
      const Definition& d = flow_.definition(v);
      if (!values_.name(v).empty() || d.by != Definition::By::Result || !moves(d.op->code)) break;
      v = d.op->operands[0];
    }
    return text_of(v);
  }

  void add_carried(AddressTable& out) const {
    if (!carried_ || out.total.empty() || carried_times_ == 0) return;
    int64_t known = 0;
    for (const AddressTerm& t : out.terms) known += t.values[0];
    AddressTerm t;
    t.text = carried_text_.empty() ? "…" : fmt::format("{} \u00d7 ({})", carried_times_, carried_text_);
    t.values = {out.total[0] - known};
    out.terms.push_back(std::move(t));
  }

  // One axis, and a name for all of it (`offsets`): the sum that the name was given says more.
  void expand_line(AddressTable& out) {
    size_t varying = 0, at = 0;
    for (size_t i = 0; i < out.terms.size(); ++i)
      if (out.terms[i].axis >= 0) ++varying, at = i;
    if (varying != 1) return;
    for (const Part& p : parts_) {
      if (f_.type(p.value).shape.rank != 1 || f_.type(p.value).pointer || values_.name(p.value) != out.terms[at].text) continue;
      const ProgramValues::Found found = values_.at(p.value, p.step);
      const Definition& d = flow_.definition(p.value);
      if (!found || found.step < 0 || d.by != Definition::By::Result || !adds(d.op->code)) return;
      std::vector<Part> kept = std::move(parts_);
      parts_.clear();
      collect({p.value, p.path, static_cast<uint64_t>(found.step), {}}, true, 0);
      AddressTable inner;
      inner.shape = out.shape;
      bool all = true;
      for (const Part& q : parts_) all = all && add_term(q, inner);
      parts_ = std::move(kept);
      if (!all) return;
      out.terms.erase(out.terms.begin() + static_cast<std::ptrdiff_t>(at));
      out.terms.insert(out.terms.end(), inner.terms.begin(), inner.terms.end());
      return;
    }
  }

  static void sum_up(AddressTable& out) {
    const Shape& s = out.shape;
    out.row.assign(s.rank >= 1 ? static_cast<size_t>(s[s.rank - 1]) : 0, 0);
    out.column.assign(s.rank == 2 ? static_cast<size_t>(s[0]) : 0, 0);
    for (const AddressTerm& t : out.terms) {
      if (t.axis < 0) {
        out.scalar += t.values[0];
        continue;
      }
      std::vector<int64_t>& sum = t.axis == s.rank - 1 ? out.row : out.column;
      for (size_t i = 0; i < sum.size() && i < t.values.size(); ++i) sum[i] += t.values[i];
    }
  }

  static bool agrees(const AddressTable& t) {
    if (t.shape.rank == 0) return !t.total.empty() && t.total[0] == t.scalar;
    const auto columns = static_cast<int64_t>(t.row.size());
    for (size_t i = 0; i < t.total.size(); ++i) {
      const auto lane = static_cast<int64_t>(i);
      const int64_t column = t.column.empty() ? 0 : t.column[static_cast<size_t>(lane / columns)];
      if (t.total[i] != t.scalar + column + t.row[static_cast<size_t>(lane % columns)]) return false;
    }
    return true;
  }

  const ProgramValues& values_;
  const Dataflow& flow_;
  const Function& f_;
  ValueId root_;
  uint64_t root_step_;
  std::vector<Part> parts_;
  bool carried_ = false;
  int64_t carried_times_ = 0;
  std::string carried_text_, carried_from_;
  int followed_ = 0;
};

// The integer and pointer tiles that the current line computes.
std::vector<const Variable*> computed_offsets(const Scene& scene) {
  std::vector<const Variable*> out;
  for (const Variable& v : scene.variables)
    if (v.now && v.record != nullptr && v.type.is_tile() && (v.type.pointer || (is_int(v.type.elem) && !is_bool(v.type.elem)))) out.push_back(&v);
  return out;
}

}  // namespace

AddressTable take_apart(const ProgramValues& values, ValueId value, uint64_t step) { return Decomposer(values, value, step).run(); }

size_t address_choices(const Scene& scene) { return scene.accesses.size() + computed_offsets(scene).size(); }

std::string address_choice_name(const Scene& scene, size_t choice) {
  if (choice < scene.accesses.size()) {
    const CurrentAccess& a = scene.accesses[choice];
    const std::string tensor = a.summary != nullptr && a.summary->tensor >= 0 && static_cast<size_t>(a.summary->tensor) < scene.tensors.size()
                                   ? scene.tensors[static_cast<size_t>(a.summary->tensor)].name
                                   : a.variable;
    return fmt::format("{} {}", a.op->info().name, tensor);
  }
  const std::vector<const Variable*> offsets = computed_offsets(scene);
  return choice - scene.accesses.size() < offsets.size() ? offsets[choice - scene.accesses.size()]->name : std::string();
}

namespace {

int line_of(const Op& op) { return op.loc != nullptr ? op.loc->range.line : 0; }

AddressTable of_access(const ProgramValues& values, const Op& op, uint64_t step, const AccessLanes* lanes) {
  AddressTable out = take_apart(values, op.operands[0], step);
  out.access = &op;
  out.line = line_of(op);
  if (lanes == nullptr) return out;
  out.states = lanes->states;
  out.tensor = lanes->tensor;
  if (lanes->offsets.size() == out.total.size() && out.kind == AddressTable::Kind::Gather) out.total = lanes->offsets;
  return out;
}

// The access nearest to a line that has none.
AddressTable nearest(const ProgramValues& values, const Scene& scene) {
  const int access = nearest_access(scene, -1);
  if (access < 0) return {};
  const uint64_t step = scene.trace->accesses[static_cast<size_t>(access)].step;
  const Op& op = *values.flow().ops()[static_cast<size_t>(scene.trace->steps[step].op)];
  const std::shared_ptr<const StepData> data = values.data(step);
  AddressTable out = of_access(values, op, step, data != nullptr && data->access ? &*data->access : nullptr);
  out.elsewhere = true;
  if (op.code == OpCode::Load && !op.results.empty()) out.variable = values.name(op.results[0]);
  return out;
}

}  // namespace

AddressTable address_table(const ProgramValues& values, const Scene& scene, size_t choice) {
  if (choice < scene.accesses.size()) {
    const CurrentAccess& a = scene.accesses[choice];
    AddressTable out = of_access(values, *a.op, a.step, a.lanes);
    out.variable = a.variable;
    return out;
  }
  const std::vector<const Variable*> offsets = computed_offsets(scene);
  choice -= scene.accesses.size();
  if (offsets.empty() && scene.accesses.empty()) return nearest(values, scene);
  if (choice >= offsets.size()) return {};
  AddressTable out = take_apart(values, offsets[choice]->value, scene.step);
  out.variable = offsets[choice]->name;
  return out;
}

}  // namespace tilescope::model
