#include "visualizer/model/summary.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

namespace tilescope::model {
namespace {

// Every lane is one more than the lane before it (1-D, or along the only axis that is longer than 1).
bool is_run(const ValueRecord& v) {
  const int64_t n = v.type.elements();
  for (int64_t i = 1; i < n; ++i)
    if (lane_integer(v, i) != lane_integer(v, i - 1) + 1) return false;
  return n > 1;
}

void describe_numbers(const ProgramValues& values, const ValueRecord& v, Summary& out) {
  double low = INFINITY, high = -INFINITY;
  bool nan = false;
  int64_t first_clean = -1;
  for (int64_t i = 0; i < v.type.elements(); ++i) {
    if (lane_poisoned(v, i)) continue;
    if (first_clean < 0) first_clean = i;
    const double x = lane_number(v, i);
    if (std::isnan(x)) nan = true;
    else low = std::min(low, x), high = std::max(high, x);
  }
  if (first_clean < 0) {
    out.form = Summary::Form::Same;
    out.text = "undefined";
  } else if (low == high && !nan) {
    out.form = Summary::Form::Same;
    out.text = values.lane_text(v, first_clean);
  } else if (low > high) {
    out.form = Summary::Form::Same;
    out.text = "NaN";
  } else {
    out.form = Summary::Form::Span;
    out.low = short_number(low);
    out.high = short_number(high);
  }
}

void describe_off(const ProgramValues& values, const VariableLanes& lanes, Summary& out) {
  using By = VariableLanes::By;
  const auto& tensors = values.launch().tensors;
  if (lanes.tensor >= 0 && static_cast<size_t>(lanes.tensor) < tensors.size()) out.name = tensors[static_cast<size_t>(lanes.tensor)].name;
  out.on = lanes.on;
  out.off = lanes.off;
  if (lanes.out_of_bounds > 0) {
    out.why_off = Summary::Off::OutOfBounds;
    out.off = lanes.out_of_bounds;
    return;
  }
  if (lanes.by == By::Nothing) {
    if (lanes.undefined == 0) return;
    out.why_off = Summary::Off::Undefined;
    out.off = lanes.undefined;
    return;
  }
  if (lanes.off == 0) {
    out.why_off = Summary::Off::AllOn;
    return;
  }
  switch (lanes.by) {
    case By::Load:
      out.why_off = lanes.other.empty() ? Summary::Off::Undefined : Summary::Off::Masked;
      out.other = lanes.other;
      return;
    case By::Bound:
      out.why_off = lanes.below ? Summary::Off::Below : Summary::Off::Beyond;
      out.name = lanes.bound;
      out.bound = lanes.bound_value;
      return;
    case By::Store:
      out.why_off = Summary::Off::Outside;
      return;
    default:
      out.why_off = Summary::Off::False;
  }
}

struct Kept {
  // A value whose load faulted has lanes without having been computed: the record tells the two apart.
  using Key = std::pair<ValueId, const ValueRecord*>;
  std::map<Key, VariableLanes> lanes;
  std::map<Key, Summary> summaries;
};

// The scene hands out what it keeps as const; filling it on demand is its point.
Kept& kept(const Scene& scene) {
  return const_cast<Kept&>(scene.derived<Kept>([](const Scene&) { return Kept{}; }));
}

}  // namespace

Summary summarise(const ProgramValues& values, const Variable& v, const VariableLanes& lanes) {
  using By = VariableLanes::By;
  Summary out;
  if (v.record == nullptr) return out;
  const ValueRecord& r = *v.record;
  describe_off(values, lanes, out);
  if (v.type.is_scalar()) {
    out.form = Summary::Form::Scalar;
    out.text = values.lane_text(r, 0);
  } else if (v.type.pointer) {
    out.form = Summary::Form::Pointers;
    out.text = values.lane_text(r, 0);
  } else if (lanes.by == By::Load || lanes.by == By::Itself) {
    out.form = Summary::Form::On;
  } else if (is_int(v.type.elem) && is_run(r)) {
    out.form = Summary::Form::Run;
    out.text = values.lane_text(r, 0) + ".." + values.lane_text(r, v.type.elements() - 1);
  } else if (lanes.by == By::Store) {
    out.form = Summary::Form::Reach;
  } else {
    describe_numbers(values, r, out);
  }
  return out;
}

const VariableLanes& lanes_of(const Scene& scene, const Variable& v) {
  Kept& k = kept(scene);
  auto it = k.lanes.find({v.value, v.record});
  if (it != k.lanes.end()) return it->second;
  const ProgramValues* values = program_values(scene);
  return k.lanes.emplace(Kept::Key{v.value, v.record}, values != nullptr ? variable_lanes(*values, v) : VariableLanes{}).first->second;
}

const Summary& summary_of(const Scene& scene, const Variable& v) {
  Kept& k = kept(scene);
  auto it = k.summaries.find({v.value, v.record});
  if (it != k.summaries.end()) return it->second;
  const ProgramValues* values = program_values(scene);
  return k.summaries.emplace(Kept::Key{v.value, v.record}, values != nullptr ? summarise(*values, v, lanes_of(scene, v)) : Summary{}).first->second;
}

std::string short_type(const Type& t) {
  std::string name(dtype_name(t.elem));
  if (name.rfind("float8", 0) == 0) name = "fp8" + name.substr(6);
  else if (name.rfind("bfloat", 0) == 0) name = "bf" + name.substr(6);
  else if (name.rfind("float", 0) == 0) name = "fp" + name.substr(5);
  if (t.pointer) name = "*" + name;
  if (t.is_scalar()) return name;
  return fmt::format("{}[{}]", name, fmt::join(t.shape.dims.begin(), t.shape.dims.begin() + t.shape.rank, ", "));
}

}  // namespace tilescope::model
