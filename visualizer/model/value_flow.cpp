#include "visualizer/model/value_flow.h"

#include <numeric>

namespace tilescope::model {
namespace {

constexpr int kMaxDepth = 400;  // ops on one path; kernels are far shorter, and the stack is finite

std::vector<int> identity_axes(int rank) {
  std::vector<int> axes(static_cast<size_t>(rank));
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

bool is_lanewise(const Op& op) { return op.info().group == OpGroup::Elementwise; }

const Op* last_op(const Block& b) { return b.ops.empty() ? nullptr : b.ops.back().get(); }

}  // namespace

ValueFlow::ValueFlow(const Function& f)
    : f_(f), definition_(f.values.size()), uses_(f.values.size()), carried_(f.values.size()), feeds_(f.values.size()) {
  walk(f.body, [&](const Op& op) {
    for (ValueId r : op.results) definition_[r] = &op;
    for (size_t k = 0; k < op.operands.size(); ++k) uses_[op.operands[k]].push_back({&op, k});
    link(op);
  });
  for (ValueId v = 0; v < carried_.size(); ++v)
    for (ValueId from : carried_[v].from) feeds_[from].push_back(v);
}

void ValueFlow::link(const Op& op) {
  auto from_yield = [&](const Block& b, size_t skip, const std::vector<ValueId>& to, size_t to_skip) {
    const Op* yield = last_op(b);
    if (yield == nullptr) return;
    for (size_t k = skip; k < yield->operands.size() && k - skip + to_skip < to.size(); ++k)
      carried_[to[k - skip + to_skip]].from.push_back(yield->operands[k]);
  };
  if (op.code == OpCode::For && op.regions.size() == 1) {
    const Block& body = op.regions[0];
    for (size_t k = 1; k < body.args.size() && k + 2 < op.operands.size(); ++k) carried_[body.args[k]].from.push_back(op.operands[k + 2]);
    from_yield(body, 0, body.args, 1);
    from_yield(body, 0, op.results, 0);
  } else if (op.code == OpCode::While && op.regions.size() == 2) {
    for (size_t k = 0; k < op.regions[0].args.size() && k < op.operands.size(); ++k)
      carried_[op.regions[0].args[k]].from.push_back(op.operands[k]);
    from_yield(op.regions[0], 1, op.regions[1].args, 0);  // operand 0 of `condition` is the condition
    from_yield(op.regions[0], 1, op.results, 0);
    from_yield(op.regions[1], 0, op.regions[0].args, 0);
  } else if (op.code == OpCode::If) {
    for (const Block& b : op.regions) from_yield(b, 0, op.results, 0);
  }
}

const Op* ValueFlow::definition(ValueId v) const { return v < definition_.size() ? definition_[v] : nullptr; }

bool ValueFlow::same_lanes(ValueId a, ValueId b) const { return f_.type(a).shape == f_.type(b).shape; }

// ---- back to the load -------------------------------------------------------------------------------------------------------

ValueFlow::Source ValueFlow::source_of(ValueId v) const {
  Source s;
  s.axes = identity_axes(f_.type(v).shape.rank);
  std::vector<uint8_t> seen(f_.values.size(), 0);
  if (!find_source(v, s, seen, 0)) {
    s.op = nullptr;
    s.value = v;
    s.axes = identity_axes(f_.type(v).shape.rank);
  }
  if (s.variable.empty()) s.variable = f_.values[v].name;
  return s;
}

bool ValueFlow::find_source(ValueId v, Source& s, std::vector<uint8_t>& seen, int depth) const {
  if (depth > kMaxDepth || seen[v] || f_.type(v).pointer) return false;
  seen[v] = 1;
  const std::string outer_name = s.variable;
  const ValueId outer_named = s.named;
  if (s.variable.empty() && !f_.values[v].name.empty()) {
    s.variable = f_.values[v].name;
    s.named = v;
  }
  const Op* op = definition_[v];
  if (op != nullptr && (op->code == OpCode::Load || op->code == OpCode::Dot)) {
    s.op = op;
    s.value = v;
    return true;
  }
  if (op != nullptr && op->code == OpCode::Trans) {
    const std::vector<int64_t>& order = op->ints_attr("order");
    const std::vector<int> before = s.axes;
    for (int& a : s.axes) a = static_cast<int>(order[static_cast<size_t>(a)]);
    if (find_source(op->operands[0], s, seen, depth + 1)) return true;
    s.axes = before;
  } else if (op != nullptr && is_lanewise(*op)) {
    // A select's condition comes last: it is not where the values came from.
    const size_t first = op->code == OpCode::Select ? 1 : 0;
    for (size_t k = 0; k < op->operands.size(); ++k) {
      const ValueId in = op->operands[(k + first) % op->operands.size()];
      if (same_lanes(in, v) && find_source(in, s, seen, depth + 1)) return true;
    }
  }
  for (ValueId from : carried_[v].from)
    if (same_lanes(from, v) && find_source(from, s, seen, depth + 1)) return true;
  s.variable = outer_name;
  s.named = outer_named;
  return false;
}

// ---- on to the store --------------------------------------------------------------------------------------------------------

ValueFlow::Sink ValueFlow::sink_of(ValueId v) const {
  Sink s;
  s.axes = identity_axes(f_.type(v).shape.rank);
  std::vector<uint8_t> seen(f_.values.size(), 0);
  if (!find_sink(v, s, seen, 0)) s = {};
  return s;
}

bool ValueFlow::find_sink(ValueId v, Sink& s, std::vector<uint8_t>& seen, int depth) const {
  if (depth > kMaxDepth || seen[v]) return false;
  seen[v] = 1;
  const std::string outer_name = s.variable;
  if (!f_.values[v].name.empty()) s.variable = f_.values[v].name;
  for (const Use& use : uses_[v]) {
    if ((use.op->code != OpCode::Store && use.op->code != OpCode::AtomicRmw) || use.operand != 1) continue;
    s.op = use.op;
    return true;
  }
  for (const Use& use : uses_[v]) {
    if (use.op->code == OpCode::Trans) {
      const std::vector<int64_t>& order = use.op->ints_attr("order");
      const std::vector<int> before = s.axes;
      for (int& a : s.axes)
        for (size_t i = 0; i < order.size(); ++i)
          if (order[i] == before[static_cast<size_t>(&a - s.axes.data())]) a = static_cast<int>(i);
      if (find_sink(use.op->results[0], s, seen, depth + 1)) return true;
      s.axes = before;
    } else if (is_lanewise(*use.op) && use.op->results.size() == 1 && same_lanes(use.op->results[0], v)) {
      if (find_sink(use.op->results[0], s, seen, depth + 1)) return true;
    }
  }
  for (ValueId to : feeds_[v])
    if (same_lanes(to, v) && find_sink(to, s, seen, depth + 1)) return true;
  s.variable = outer_name;
  return false;
}

// ---- names of indices -------------------------------------------------------------------------------------------------------

std::vector<std::vector<ValueId>> ValueFlow::index_variables(ValueId pointers) const {
  const int rank = f_.type(pointers).shape.rank;
  std::vector<std::vector<ValueId>> out(static_cast<size_t>(rank));
  std::vector<uint8_t> seen(f_.values.size(), 0);
  find_index(pointers, identity_axes(rank), out, seen, 0);
  return out;
}

void ValueFlow::find_index(ValueId v, const std::vector<int>& axes, std::vector<std::vector<ValueId>>& out, std::vector<uint8_t>& seen,
                           int depth) const {
  const Type& type = f_.type(v);
  if (depth > kMaxDepth || seen[v] || !type.is_tile()) return;
  seen[v] = 1;
  int long_axes = 0, axis = 0;
  for (int i = 0; i < type.shape.rank; ++i)
    if (type.shape[i] > 1) ++long_axes, axis = i;
  if (long_axes == 0 && type.shape.rank == 1) long_axes = 1;
  if (long_axes == 1 && !type.pointer && is_int(type.elem) && !f_.values[v].name.empty())
    out[static_cast<size_t>(axes[static_cast<size_t>(axis)])].push_back(v);
  const Op* op = definition_[v];
  if (op != nullptr) {
    std::vector<int> inner = axes;
    if (op->code == OpCode::ExpandDims) {
      inner.erase(inner.begin() + op->int_attr("axis"));
    } else if (op->code == OpCode::Trans) {
      const std::vector<int64_t>& order = op->ints_attr("order");
      for (size_t i = 0; i < order.size(); ++i) inner[static_cast<size_t>(order[i])] = axes[i];
    } else if (op->code != OpCode::Broadcast && !is_lanewise(*op)) {
      return;
    }
    for (ValueId in : op->operands)
      if (f_.type(in).shape.rank == static_cast<int>(inner.size())) find_index(in, inner, out, seen, depth + 1);
  }
  for (ValueId from : carried_[v].from)
    if (f_.type(from).shape == type.shape) find_index(from, axes, out, seen, depth + 1);
}

}  // namespace tilescope::model
