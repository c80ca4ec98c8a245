// Rules on shapes: chains of shape ops become one, and arithmetic moves to the smaller side of splat and broadcast.
#include "core/passes/rewriter.h"

namespace tilescope::passes {
namespace {

ValueId fold_trans(Rewriter& r, const Op& op) {
  std::vector<int64_t> order = op.ints_attr("order");
  bool identity = true;
  for (size_t i = 0; i < order.size(); ++i) identity = identity && order[i] == static_cast<int64_t>(i);
  if (identity) return op.operands[0];
  const Op* inner = r.def(op.operands[0], OpCode::Trans);
  if (inner == nullptr) return kNoValue;
  for (int64_t& axis : order) axis = inner->ints_attr("order")[static_cast<size_t>(axis)];
  return r.emit(OpCode::Trans, {inner->operands[0]}, r.type(op.results[0]), {{"order", std::move(order)}});
}

ValueId fold_reshape(Rewriter& r, const Op& op) {
  int64_t may_reorder = op.int_attr("may_reorder");  // a view, which core/view_order.cpp turns into its order
  if (may_reorder == 0 && r.type(op.operands[0]) == r.type(op.results[0])) return op.operands[0];
  const Op* inner = r.def(op.operands[0], OpCode::Reshape);
  if (inner == nullptr) return kNoValue;
  if (may_reorder == 0) may_reorder = inner->int_attr("may_reorder");
  std::vector<Attr> attrs;
  if (may_reorder != 0) attrs.push_back({"may_reorder", may_reorder});
  return r.emit(OpCode::Reshape, {inner->operands[0]}, r.type(op.results[0]), std::move(attrs));
}

ValueId fold_broadcast(Rewriter& r, const Op& op) {
  if (r.type(op.operands[0]) == r.type(op.results[0])) return op.operands[0];
  const Op* inner = r.def(op.operands[0], OpCode::Broadcast);
  return inner == nullptr ? kNoValue : r.emit(OpCode::Broadcast, {inner->operands[0]}, r.type(op.results[0]));
}

/// A value that is the same in every lane: the scalar behind a splat, a constant, or a scalar; else kNoValue.
ValueId scalar_behind(Rewriter& r, ValueId v) {
  if (r.type(v).is_scalar()) return v;
  if (const Op* splat = r.def(v, OpCode::Splat)) return splat->operands[0];
  if (const auto bits = r.constant(v)) return r.emit_constant(r.type(v).with_shape({}), *bits);
  return kNoValue;
}

bool is_uniform(Rewriter& r, ValueId v) { return r.def(v, OpCode::Splat) != nullptr || r.constant(v).has_value(); }

bool is_lanewise(const Op& op) { return op.info().group == OpGroup::Elementwise && op.results.size() == 1; }

}  // namespace

ValueId fold_shape_chains(Rewriter& r, const Op& op) {
  switch (op.code) {
    case OpCode::Trans:
    case OpCode::Reshape:
    case OpCode::Broadcast:
    case OpCode::ExpandDims:
    case OpCode::Flip:
      if (const Op* splat = r.def(op.operands[0], OpCode::Splat)) {
        const Type& t = r.type(op.results[0]);
        return t.is_scalar() ? splat->operands[0] : r.emit(OpCode::Splat, {splat->operands[0]}, t);
      }
      break;
    default: return kNoValue;
  }
  switch (op.code) {
    case OpCode::Trans: return fold_trans(r, op);
    case OpCode::Reshape: return fold_reshape(r, op);
    case OpCode::Broadcast: return fold_broadcast(r, op);
    case OpCode::Flip: {
      const Op* inner = r.def(op.operands[0], OpCode::Flip);
      return inner != nullptr && inner->int_attr("axis") == op.int_attr("axis") ? inner->operands[0] : kNoValue;
    }
    default: return kNoValue;
  }
}

ValueId keep_scalar(Rewriter& r, const Op& op) {
  if (!is_lanewise(op) || !r.type(op.results[0]).is_tile()) return kNoValue;
  bool any_splat = false;
  for (ValueId v : op.operands) {
    if (!is_uniform(r, v)) return kNoValue;
    any_splat = any_splat || r.def(v, OpCode::Splat) != nullptr;
  }
  if (!any_splat) return kNoValue;
  std::vector<ValueId> scalars;
  for (ValueId v : op.operands) scalars.push_back(scalar_behind(r, v));
  const Type result = r.type(op.results[0]);
  const ValueId one = r.emit(op.code, std::move(scalars), result.with_shape({}), op.attrs);
  return r.emit(OpCode::Splat, {one}, result);
}

ValueId keep_narrow(Rewriter& r, const Op& op) {
  if (!is_lanewise(op) || !r.type(op.results[0]).is_tile()) return kNoValue;
  const Shape* narrow = nullptr;
  for (ValueId v : op.operands) {
    const Op* wide = r.def(v, OpCode::Broadcast);
    if (wide == nullptr) {
      if (!is_uniform(r, v)) return kNoValue;
      continue;
    }
    const Shape& s = r.type(wide->operands[0]).shape;
    if (narrow != nullptr && !(*narrow == s)) return kNoValue;
    narrow = &s;
  }
  if (narrow == nullptr) return kNoValue;
  const Shape shape = *narrow;  // the types move when values are made
  std::vector<ValueId> operands;
  for (ValueId v : op.operands) {
    const Type t = r.type(v).with_shape(shape);
    if (const Op* wide = r.def(v, OpCode::Broadcast)) {
      operands.push_back(wide->operands[0]);
    } else if (const auto bits = r.constant(v)) {
      operands.push_back(r.emit_constant(t, *bits));
    } else {
      operands.push_back(r.emit(OpCode::Splat, {scalar_behind(r, v)}, t));
    }
  }
  const Type result = r.type(op.results[0]);
  const ValueId one = r.emit(op.code, std::move(operands), result.with_shape(shape), op.attrs);
  return r.emit(OpCode::Broadcast, {one}, result);
}

}  // namespace tilescope::passes
