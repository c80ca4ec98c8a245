// Closed forms of index arithmetic: affine functions of the index stay affine, comparisons of them become boxes. A form
// is used only where it is exact: sums and products wrap alike in 64 bits and in the element type, but a comparison,
// a division or a widening needs the true values, so the range of the lanes is checked first.
#include "sim/exec_tile.h"

namespace tilescope {
namespace {

bool closed(const Tile& t) { return t.kind == TileKind::Uniform || t.kind == TileKind::Affine; }
int64_t stride(const Tile& t, int axis) { return t.kind == TileKind::Affine ? t.stride[axis] : 0; }

// Fills the result from a base and a stride per axis; all strides 0 gives a uniform tile.
template <class StrideOf>
inline void make_affine(Tile& out, const TileType& type, uint64_t base, StrideOf&& stride_of) {
  int64_t moves = 0;
  for (int a = 0; a < type.rank; ++a) {
    const int64_t s = type.dims[a] == 1 ? 0 : type.wrap_stride(stride_of(a));
    out.stride[a] = s;
    moves |= s;
  }
  out.bits = type.wrap(base);
  out.kind = moves != 0 ? TileKind::Affine : TileKind::Uniform;
  out.poison = PoisonKind::Clean;
}

inline const Inst* finish_closed(Machine& m, const Inst* i) {
  if (m.poisoned) [[unlikely]] set_poison(m.tile(i->out), elementwise_poison(m, i));
  m.finish(i);
  return i + 1;
}

uint64_t u(int64_t x) { return static_cast<uint64_t>(x); }

const Inst* run_add(Machine& m, const Inst* i) {
  const Tile &a = m.tile(i->in[0]), &b = m.tile(i->in[1]);
  if (!closed(a) || !closed(b)) return run_general(m, i);
  make_affine(m.tile(i->out), *i->type, a.bits + b.bits, [&](int x) { return u(stride(a, x)) + u(stride(b, x)); });
  return finish_closed(m, i);
}
const Inst* run_sub(Machine& m, const Inst* i) {
  const Tile &a = m.tile(i->in[0]), &b = m.tile(i->in[1]);
  if (!closed(a) || !closed(b)) return run_general(m, i);
  make_affine(m.tile(i->out), *i->type, a.bits - b.bits, [&](int x) { return u(stride(a, x)) - u(stride(b, x)); });
  return finish_closed(m, i);
}
const Inst* run_neg(Machine& m, const Inst* i) {
  const Tile& a = m.tile(i->in[0]);
  if (!closed(a)) return run_general(m, i);
  make_affine(m.tile(i->out), *i->type, 0 - a.bits, [&](int x) { return 0 - u(stride(a, x)); });
  return finish_closed(m, i);
}
const Inst* run_mul(Machine& m, const Inst* i) {
  const Tile &a = m.tile(i->in[0]), &b = m.tile(i->in[1]);
  if (!closed(a) || !closed(b) || (a.kind == TileKind::Affine && b.kind == TileKind::Affine)) return run_general(m, i);
  const Tile& moving = b.kind == TileKind::Affine ? b : a;
  const uint64_t by = b.kind == TileKind::Affine ? a.bits : b.bits;
  make_affine(m.tile(i->out), *i->type, moving.bits * by, [&](int x) { return u(stride(moving, x)) * by; });
  return finish_closed(m, i);
}
const Inst* run_shl(Machine& m, const Inst* i) {
  const Tile &a = m.tile(i->in[0]), &b = m.tile(i->in[1]);
  if (!closed(a) || b.kind != TileKind::Uniform || b.bits >= u(i->type->elem_bytes) * 8) return run_general(m, i);
  make_affine(m.tile(i->out), *i->type, a.bits << b.bits, [&](int x) { return u(stride(a, x)) << b.bits; });
  return finish_closed(m, i);
}

// Division of non-negative lanes by a positive divisor: one quotient for all lanes, or a divisor of every stride.
struct Quotient {
  bool exact = false;
  bool one = false;  ///< all lanes have the same quotient
  int64_t divisor = 1;
};
Quotient quotient(Machine& m, const Inst* i) {
  const Tile &a = m.tile(i->in[0]), &b = m.tile(i->in[1]);
  Quotient q;
  if (!closed(a) || b.kind != TileKind::Uniform) return q;
  const LaneRange r = lane_range(a, *i->type);
  q.divisor = static_cast<int64_t>(b.bits);
  if (!fits(*i->type, r) || r.lo < 0 || q.divisor <= 0) return q;
  q.one = r.lo / q.divisor == r.hi / q.divisor;
  q.exact = q.one;
  if (q.one) return q;
  q.exact = true;
  for (int x = 0; x < i->type->rank; ++x) q.exact = q.exact && stride(a, x) % q.divisor == 0;
  return q;
}
const Inst* run_div(Machine& m, const Inst* i) {
  const Quotient q = quotient(m, i);
  if (!q.exact) return run_general(m, i);
  const Tile& a = m.tile(i->in[0]);
  // With several quotients every stride is a multiple of the divisor, so the remainder is that of the base.
  make_affine(m.tile(i->out), *i->type, u(static_cast<int64_t>(a.bits) / q.divisor),
              [&](int x) { return q.one ? 0 : u(stride(a, x) / q.divisor); });
  return finish_closed(m, i);
}
const Inst* run_rem(Machine& m, const Inst* i) {
  const Quotient q = quotient(m, i);
  if (!q.exact) return run_general(m, i);
  const Tile& a = m.tile(i->in[0]);
  make_affine(m.tile(i->out), *i->type, u(static_cast<int64_t>(a.bits) % q.divisor), [&](int x) { return q.one ? u(stride(a, x)) : 0; });
  return finish_closed(m, i);
}

const Inst* run_min_max(Machine& m, const Inst* i) {
  const Tile &a = m.tile(i->in[0]), &b = m.tile(i->in[1]);
  if (!closed(a) || !closed(b)) return run_general(m, i);
  const LaneRange ra = lane_range(a, *i->type), rb = lane_range(b, *i->type);
  if (!fits(*i->type, ra) || !fits(*i->type, rb)) return run_general(m, i);
  const bool minimum = i->op->code == OpCode::Minimum;
  const Tile* chosen = nullptr;
  if (ra.hi <= rb.lo) chosen = minimum ? &a : &b;
  else if (rb.hi <= ra.lo) chosen = minimum ? &b : &a;
  if (chosen == nullptr) return run_general(m, i);
  make_affine(m.tile(i->out), *i->type, chosen->bits, [&](int x) { return u(stride(*chosen, x)); });
  return finish_closed(m, i);
}

const Inst* run_cast(Machine& m, const Inst* i) {
  const Tile& a = m.tile(i->in[0]);
  if (a.kind != TileKind::Affine) return run_general(m, i);
  const TileType& from = m.type(i->in[0]);
  // A wider type shows whether the narrow one has wrapped.
  if (i->type->elem_bytes > from.elem_bytes && !fits(from, lane_range(a, from))) {
    m.wrapped = true;
    return run_general(m, i);
  }
  make_affine(m.tile(i->out), *i->type, a.bits, [&](int x) { return u(stride(a, x)); });
  return finish_closed(m, i);
}

const Inst* run_addptr(Machine& m, const Inst* i) {
  const Tile &a = m.tile(i->in[0]), &b = m.tile(i->in[1]);
  if (!closed(a) || !closed(b)) return run_general(m, i);
  const TileType& offset = m.type(i->in[1]);
  if (offset.elem_bytes < 8 && b.kind == TileKind::Affine && !fits(offset, lane_range(b, offset))) {
    m.wrapped = true;
    return run_general(m, i);
  }
  const uint64_t bytes = u(i->imm);
  make_affine(m.tile(i->out), *i->type, a.bits + b.bits * bytes, [&](int x) { return u(stride(a, x)) + u(stride(b, x)) * bytes; });
  return finish_closed(m, i);
}

// ---- comparisons --------------------------------------------------------------------------------------------------------

// The set { index : difference(index) < 0 } (or <= 0) when the difference moves along one axis at most, or has one sign.
bool negative_box(Tile& out, const TileType& type, int64_t base, const int64_t* strides, bool or_zero) {
  int axis = -1, moving = 0;
  int64_t lo = base, hi = base;
  for (int a = 0; a < type.rank; ++a) {
    if (strides[a] == 0) continue;
    axis = a;
    ++moving;
    const int64_t reach = strides[a] * (type.dims[a] - 1);
    (reach < 0 ? lo : hi) += reach;
  }
  const int64_t limit = or_zero ? 0 : -1;  // true lanes have difference <= limit
  if (hi <= limit || lo > limit) {
    make_uniform(out, hi <= limit);
    return true;
  }
  if (moving != 1) return false;
  out.kind = TileKind::Mask;
  out.poison = PoisonKind::Clean;
  out.box = type.whole;
  const int64_t s = strides[axis];
  // base + s * i <= limit. Both cases divide non-negative numbers, because some lane is true and some is not.
  if (s > 0)
    out.box.hi[axis] = static_cast<int32_t>((limit - base) / s + 1);
  else
    out.box.lo[axis] = static_cast<int32_t>((base - limit + (-s) - 1) / -s);
  return true;
}

const Inst* run_compare(Machine& m, const Inst* i) {
  const OpCode code = i->op->code;
  const bool swap = code == OpCode::CmpGt || code == OpCode::CmpGe;
  const Tile &a = m.tile(i->in[swap ? 1 : 0]), &b = m.tile(i->in[swap ? 0 : 1]);
  if (!closed(a) || !closed(b)) return run_general(m, i);
  const TileType& type = m.type(i->in[0]);
  const LaneRange ra = lane_range(a, type), rb = lane_range(b, type);
  // An eighth of int64 is enough for every index, and keeps differences of bases and of strides from overflowing.
  constexpr int64_t kPart = int64_t{1} << 60;
  if (!fits(type, ra) || !fits(type, rb) || ra.lo < -kPart || ra.hi >= kPart || rb.lo < -kPart || rb.hi >= kPart)
    return run_general(m, i);
  Tile& out = m.tile(i->out);
  int64_t strides[kMaxRank];
  for (int x = 0; x < type.rank; ++x) strides[x] = stride(a, x) - stride(b, x);
  const int64_t base = static_cast<int64_t>(a.bits) - static_cast<int64_t>(b.bits);
  if (code == OpCode::CmpEq || code == OpCode::CmpNe) {
    if (ra.hi >= rb.lo && rb.hi >= ra.lo) return run_general(m, i);
    make_uniform(out, code == OpCode::CmpNe);
  } else if (!negative_box(out, type, base, strides, code == OpCode::CmpLe || code == OpCode::CmpGe)) {
    return run_general(m, i);
  }
  return finish_closed(m, i);
}

// ---- int1 ---------------------------------------------------------------------------------------------------------------

bool is_mask(const Tile& t) { return t.kind == TileKind::Uniform || t.kind == TileKind::Mask; }

void copy_mask(Tile& out, const Tile& from, int rank) {
  out.kind = from.kind;
  out.poison = PoisonKind::Clean;
  out.bits = from.bits;
  for (int a = 0; a < rank; ++a) out.box.lo[a] = from.box.lo[a], out.box.hi[a] = from.box.hi[a];
}

const Inst* run_and(Machine& m, const Inst* i) {
  const Tile &a = m.tile(i->in[0]), &b = m.tile(i->in[1]);
  if (!is_mask(a) || !is_mask(b) || m.poisoned) return run_general(m, i);
  Tile& out = m.tile(i->out);
  if (a.kind == TileKind::Uniform) {
    a.bits != 0 ? copy_mask(out, b, i->type->rank) : make_uniform(out, 0);
  } else {
    copy_mask(out, a, i->type->rank);
    if (b.kind == TileKind::Mask) out.box.intersect(b.box, i->type->rank);
    else if (b.bits == 0) make_uniform(out, 0);
  }
  return finish_closed(m, i);
}

const Inst* run_or(Machine& m, const Inst* i) {
  const Tile &a = m.tile(i->in[0]), &b = m.tile(i->in[1]);
  if (!is_mask(a) || !is_mask(b) || m.poisoned) return run_general(m, i);
  Tile& out = m.tile(i->out);
  const int rank = i->type->rank;
  auto contains = [&](const Tile& x, const Tile& y) {
    if (x.kind == TileKind::Uniform) return x.bits != 0;
    return y.kind == TileKind::Uniform ? y.bits == 0 : x.box.contains(y.box, rank);
  };
  if (contains(a, b)) copy_mask(out, a, rank);
  else if (contains(b, a)) copy_mask(out, b, rank);
  else return run_general(m, i);
  return finish_closed(m, i);
}

// The complement of a box that is cut along one axis at one end.
const Inst* run_not(Machine& m, const Inst* i) {
  const Tile& a = m.tile(i->in[0]);
  if (!is_mask(a)) return run_general(m, i);
  Tile& out = m.tile(i->out);
  const TileType& type = *i->type;
  if (a.kind == TileKind::Uniform || a.box.empty(type.rank) || a.box.contains(type.whole, type.rank)) {
    make_uniform(out, a.kind == TileKind::Uniform ? a.bits ^ 1 : a.box.empty(type.rank));
    return finish_closed(m, i);
  }
  int axis = -1;
  for (int x = 0; x < type.rank; ++x) {
    if (a.box.lo[x] <= 0 && a.box.hi[x] >= type.dims[x]) continue;
    if (axis >= 0 || (a.box.lo[x] > 0 && a.box.hi[x] < type.dims[x])) return run_general(m, i);
    axis = x;
  }
  out.kind = TileKind::Mask;
  out.poison = PoisonKind::Clean;
  out.box = type.whole;
  if (a.box.lo[axis] <= 0) out.box.lo[axis] = a.box.hi[axis];
  else out.box.hi[axis] = a.box.lo[axis];
  return finish_closed(m, i);
}

}  // namespace

LaneRange lane_range(const Tile& t, const TileType& type) {
  LaneRange r;
  r.lo = r.hi = static_cast<int64_t>(t.bits);
  if (type.dtype == DType::UInt64 && r.lo < 0) r.ok = false;
  if (t.kind != TileKind::Affine) return r;
  if (type.elem_bytes < 8) {
    // At most 2^20 lanes with strides of 32 bits: no sum leaves 64 bits.
    for (int a = 0; a < type.rank; ++a) {
      const int64_t reach = t.stride[a] * (type.dims[a] - 1);
      (reach < 0 ? r.lo : r.hi) += reach;
    }
    return r;
  }
  for (int a = 0; a < type.rank; ++a) {
    int64_t reach = 0;
    int64_t& end = t.stride[a] < 0 ? r.lo : r.hi;
    if (__builtin_mul_overflow(t.stride[a], type.dims[a] - 1, &reach) || __builtin_add_overflow(end, reach, &end)) r.ok = false;
  }
  return r;
}

Handler closed_form_handler(const Op& op, DType operand, DType result) {
  const bool integer = is_int(operand) && operand != DType::Int1;
  if (operand == DType::Int1 && result == DType::Int1) {
    switch (op.code) {
      case OpCode::BitAnd: return run_and;
      case OpCode::BitOr: return run_or;
      case OpCode::BitNot: return run_not;
      default: return nullptr;
    }
  }
  if (!integer) return nullptr;
  switch (op.code) {
    case OpCode::Add: return run_add;
    case OpCode::Sub: return run_sub;
    case OpCode::Neg: return run_neg;
    case OpCode::Mul: return run_mul;
    case OpCode::Shl: return run_shl;
    case OpCode::Div: return run_div;
    case OpCode::Rem: return run_rem;
    case OpCode::Minimum: case OpCode::Maximum: return run_min_max;
    case OpCode::CmpEq: case OpCode::CmpNe: case OpCode::CmpLt: case OpCode::CmpLe: case OpCode::CmpGt: case OpCode::CmpGe:
      return run_compare;
    case OpCode::Cast: return is_int(result) && result != DType::Int1 ? run_cast : nullptr;
    case OpCode::AddPtr: return run_addptr;
    default: return nullptr;
  }
}

}  // namespace tilescope
