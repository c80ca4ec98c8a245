// Rules on single lanes. Floats: only what keeps every bit, so x + 0 stays (it turns -0 into +0). Poison: a rule that
// would make a poisoned lane clean, such as x * 0 = 0, is left out.
#include <bit>

#include "core/fold.h"
#include "core/passes/rewriter.h"
#include "core/verify_ops.h"

namespace tilescope::passes {
namespace {

bool is_commutative(OpCode c) {
  switch (c) {
    case OpCode::Add: case OpCode::Mul: case OpCode::Minimum: case OpCode::Maximum: case OpCode::MinimumNan:
    case OpCode::MaximumNan: case OpCode::Umulhi: case OpCode::BitAnd: case OpCode::BitOr: case OpCode::BitXor:
    case OpCode::CmpEq: case OpCode::CmpNe: return true;
    default: return false;
  }
}

/// The comparison with its sides exchanged, or the op itself.
OpCode mirrored(OpCode c) {
  switch (c) {
    case OpCode::CmpLt: return OpCode::CmpGt;
    case OpCode::CmpGt: return OpCode::CmpLt;
    case OpCode::CmpLe: return OpCode::CmpGe;
    case OpCode::CmpGe: return OpCode::CmpLe;
    default: return c;
  }
}

uint64_t all_ones(DType t) { return canonical_bits(t, ~uint64_t{0}); }

/// x op c for a constant c: x when that is an identity of integers.
bool is_integer_identity(OpCode op, DType t, uint64_t c) {
  switch (op) {
    case OpCode::Add: case OpCode::Sub: case OpCode::BitOr: case OpCode::BitXor: case OpCode::Shl: case OpCode::Shr:
      return c == 0;
    case OpCode::Mul: case OpCode::Div: return c == 1;
    case OpCode::BitAnd: return c == all_ones(t);
    default: return false;
  }
}

/// The same for floats, where it holds for -0, infinities and subnormals too; 8-bit floats saturate, so not for them.
bool is_float_identity(OpCode op, DType t, uint64_t c) {
  if (dtype_bits(t) == 8) return false;
  const uint64_t minus_zero = uint64_t{1} << (dtype_bits(t) - 1);
  switch (op) {
    case OpCode::Add: return c == minus_zero;
    case OpCode::Sub: return c == 0;
    case OpCode::Mul: case OpCode::Div: return element_to_double(t, c) == 1.0;
    default: return false;
  }
}

/// (x op a) op b with constants: x op (a op b), for integer sums and products.
ValueId merge_constants(Rewriter& r, const Op& op, uint64_t c) {
  if (op.code != OpCode::Add && op.code != OpCode::Mul) return kNoValue;
  const Op* inner = r.def(op.operands[0], op.code);
  if (inner == nullptr) return kNoValue;
  const auto first = r.constant(inner->operands[1]);
  if (!first) return kNoValue;
  const Type t = r.type(op.results[0]);
  const uint64_t both[2] = {*first, c};
  const ValueId x = inner->operands[0];
  const ValueId merged = r.emit_constant(t, *evaluate(op.code, t.elem, t.elem, both));
  return r.emit(op.code, {x, merged}, t);
}

ValueId binary_identity(Rewriter& r, const Op& op) {
  const DType t = r.type(op.operands[0]).elem;
  const bool idempotent = op.code == OpCode::BitAnd || op.code == OpCode::BitOr;
  if (idempotent && op.operands[0] == op.operands[1]) return op.operands[0];
  const auto c = r.constant(op.operands[1]);
  if (!c) return kNoValue;
  if (is_float(t)) return is_float_identity(op.code, t, *c) ? op.operands[0] : kNoValue;
  if (is_integer_identity(op.code, t, *c)) return op.operands[0];
  // The absorbing constants of `and` and `or` are clean whatever the other side is.
  if ((op.code == OpCode::BitAnd && *c == 0) || (op.code == OpCode::BitOr && *c == all_ones(t))) return op.operands[1];
  return merge_constants(r, op, *c);
}

ValueId unary_identity(Rewriter& r, const Op& op) {
  const Op* inner = r.def(op.operands[0], op.code);
  const DType t = r.type(op.operands[0]).elem;
  switch (op.code) {
    case OpCode::BitNot: return inner != nullptr ? inner->operands[0] : kNoValue;
    case OpCode::Neg: return inner != nullptr && is_int(t) ? inner->operands[0] : kNoValue;  // -(-(-0.0)) is +0.0
    case OpCode::Abs: return inner != nullptr ? op.operands[0] : kNoValue;
    default: return kNoValue;
  }
}

// ---- conversions -------------------------------------------------------------------------------------------------------

/// Every value of `from` is a value of `to`.
bool is_exact_widening(DType from, DType to) {
  if (from == to) return true;
  if (is_float(from) != is_float(to)) return is_int(from) && dtype_bits(from) <= (to == DType::Float64 ? 32 : to == DType::Float32 ? 16 : 8) &&
                                              to != DType::BFloat16 && dtype_bits(to) > 8;
  if (is_float(from)) return (to == DType::Float32 && is_small_float(from)) || to == DType::Float64;
  if (is_bool(to)) return false;
  if (is_bool(from)) return true;
  if (is_unsigned_int(from)) return dtype_bits(to) > dtype_bits(from);
  return is_signed_int(to) && dtype_bits(to) > dtype_bits(from);
}

/// a -> b -> c equals a -> c.
bool may_skip_middle(DType a, DType b, DType c) {
  if (is_int(a) && is_float(b) && is_int(c)) return a == c && is_exact_widening(a, b);  // floats saturate, integers wrap
  if (is_exact_widening(a, b)) return true;
  // Integers of at least the width of c on the way: only the low bits count, and those survive.
  const bool integers = is_int(a) && is_int(b) && is_int(c) && !is_bool(b) && !is_bool(c) && !is_bool(a);
  return integers && dtype_bits(b) >= dtype_bits(c) && (dtype_bits(a) >= dtype_bits(c) || dtype_bits(b) >= dtype_bits(a));
}

ValueId fold_cast(Rewriter& r, const Op& op) {
  const Type to = r.type(op.results[0]);
  if (r.type(op.operands[0]) == to) return op.operands[0];
  const Op* inner = r.def(op.operands[0], OpCode::Cast);
  if (inner == nullptr) return kNoValue;
  const ValueId x = inner->operands[0];
  if (!may_skip_middle(r.type(x).elem, r.type(op.operands[0]).elem, to.elem)) return kNoValue;
  return r.type(x) == to ? x : r.emit(OpCode::Cast, {x}, to);
}

ValueId fold_bitcast(Rewriter& r, const Op& op) {
  const Type to = r.type(op.results[0]);
  if (r.type(op.operands[0]) == to) return op.operands[0];
  const Op* inner = r.def(op.operands[0], OpCode::Bitcast);
  if (inner == nullptr) return kNoValue;
  const ValueId x = inner->operands[0];
  // An integer that was a float in between has lost the payload of its NaNs.
  if (!to.pointer && is_float(r.type(op.operands[0]).elem) && is_int(to.elem)) return kNoValue;
  return r.type(x) == to ? x : r.emit(OpCode::Bitcast, {x}, to);
}

}  // namespace

ValueId fold_constants(Rewriter& r, const Op& op) {
  if (op.operands.empty() || op.operands.size() > 3) return kNoValue;
  uint64_t in[3];
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const auto c = r.constant(op.operands[i]);
    if (!c) return kNoValue;
    in[i] = *c;
  }
  const Type result = r.type(op.results[0]);
  switch (op.info().group) {
    case OpGroup::Shape: {
      if (op.code == OpCode::Gather) return kNoValue;
      const bool two_values = op.operands.size() == 2 && in[0] != in[1];  // join and cat
      return two_values ? kNoValue : r.emit_constant(result, in[0]);
    }
    case OpGroup::Elementwise: {
      const Type& operand = r.type(op.operands.back());
      if (operand.pointer || result.pointer) return kNoValue;
      const auto bits = evaluate(op.code, operand.elem, result.elem, in);
      return bits ? r.emit_constant(result, *bits) : kNoValue;
    }
    default: return kNoValue;
  }
}

ValueId fold_select(Rewriter& r, const Op& op) {
  if (op.code != OpCode::Select) return kNoValue;
  if (const auto c = r.constant(op.operands[0])) return op.operands[*c ? 1 : 2];
  const Op* negated = r.def(op.operands[0], OpCode::BitNot);
  if (negated == nullptr) return kNoValue;
  return r.emit(OpCode::Select, {negated->operands[0], op.operands[2], op.operands[1]}, r.type(op.results[0]));
}

ValueId order_operands(Rewriter& r, const Op& op) {
  if (op.operands.size() != 2 || (!is_commutative(op.code) && mirrored(op.code) == op.code)) return kNoValue;
  if (!r.constant(op.operands[0]) || r.constant(op.operands[1])) return kNoValue;
  return r.emit(mirrored(op.code), {op.operands[1], op.operands[0]}, r.type(op.results[0]));
}

ValueId apply_identities(Rewriter& r, const Op& op) {
  if (op.info().group != OpGroup::Elementwise || op.info().rule != TypeRule::Same) return kNoValue;
  if (op.operands.size() == 2) return binary_identity(r, op);
  return op.operands.size() == 1 ? unary_identity(r, op) : kNoValue;
}

ValueId fold_casts(Rewriter& r, const Op& op) {
  switch (op.code) {
    case OpCode::Cast: return fold_cast(r, op);
    case OpCode::Bitcast: return fold_bitcast(r, op);
    case OpCode::IntToPtr: {
      const Op* inner = r.def(op.operands[0], OpCode::PtrToInt);
      return inner != nullptr && r.type(inner->operands[0]) == r.type(op.results[0]) ? inner->operands[0] : kNoValue;
    }
    case OpCode::PtrToInt: {
      const Op* inner = r.def(op.operands[0], OpCode::IntToPtr);
      return inner != nullptr && r.type(inner->operands[0]) == r.type(op.results[0]) ? inner->operands[0] : kNoValue;
    }
    default: return kNoValue;
  }
}

void name_combine(const Function& f, Op& op) {
  if ((op.code != OpCode::Reduce && op.code != OpCode::Scan) || op.str_attr("combine") != "user") return;
  const Block& b = op.regions[0];
  if (op.operands.size() != 1 || b.ops.size() != 2 || b.ops[0]->results.size() != 1) return;
  const Op& inner = *b.ops[0];
  if (b.ops[1]->operands[0] != inner.results[0]) return;
  const bool straight = inner.operands == b.args;
  const bool exchanged = inner.operands == std::vector<ValueId>{b.args[1], b.args[0]};
  if (!straight && !(exchanged && is_commutative(inner.code))) return;
  if (combine_of(inner.code).empty() || f.type(op.operands[0]).pointer) return;
  op.set_attr("combine", std::string(combine_of(inner.code)));
  op.regions.clear();
}

}  // namespace tilescope::passes
