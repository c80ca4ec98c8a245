// One lane at a time: integers by plain C++ on 128-bit numbers, floats by the scalar functions that ops.def names.
#include "tests/property/lanes.h"

#include <bit>
#include <cmath>

#include "core/builder.h"
#include "core/fold.h"

namespace tilescope::property {

using Wide = __int128;

namespace {

Wide to_wide(DType t, uint64_t bits) {
  if (!is_signed_int(t)) return static_cast<Wide>(bits);
  const int unused = 64 - dtype_bits(t);
  return static_cast<int64_t>(bits << unused) >> unused;
}

uint64_t from_wide(DType t, Wide v) {
  const auto low = static_cast<uint64_t>(v);
  return dtype_bits(t) == 64 ? low : low & ((uint64_t{1} << dtype_bits(t)) - 1);
}

uint64_t evaluated(OpCode op, DType t, DType result, std::initializer_list<uint64_t> in) {
  std::optional<uint64_t> r = tilescope::evaluate(op, t, result, in.begin());
  if (!r)
    internal_error("property test: no meaning for " + std::string(op_info(op).name) + " on " +
                   std::string(dtype_name(t)));
  return *r;
}

uint64_t shift(OpCode op, DType t, uint64_t a, uint64_t amount) {
  const auto width = static_cast<uint64_t>(dtype_bits(t));
  const Wide x = to_wide(t, a);
  if (op == OpCode::Shl) return amount >= width ? 0 : from_wide(t, x * (Wide{1} << amount));
  Wide shifted = x;
  for (uint64_t k = 0; k < std::min(amount, width); ++k) shifted = shifted >= 0 ? shifted / 2 : (shifted - 1) / 2;
  return from_wide(t, shifted);
}

uint64_t integer_lane(OpCode op, DType t, uint64_t a, uint64_t b) {
  const Wide x = to_wide(t, a), y = to_wide(t, b);
  switch (op) {
    case OpCode::Add:
      return from_wide(t, x + y);
    case OpCode::Sub:
      return from_wide(t, x - y);
    case OpCode::Mul:
      return from_wide(t, static_cast<Wide>(static_cast<unsigned __int128>(x) * static_cast<unsigned __int128>(y)));
    case OpCode::Div:
      return from_wide(t, y == 0 ? Wide{-1} : x / y);
    case OpCode::Rem:
      return from_wide(t, y == 0 ? Wide{-1} : x % y);
    case OpCode::BitAnd:
      return a & b;
    case OpCode::BitOr:
      return a | b;
    case OpCode::BitXor:
      return a ^ b;
    case OpCode::Minimum:
    case OpCode::MinimumNan:
      return x < y ? a : b;
    case OpCode::Maximum:
    case OpCode::MaximumNan:
      return x > y ? a : b;
    case OpCode::CmpEq:
      return x == y;
    case OpCode::CmpNe:
      return x != y;
    case OpCode::CmpLt:
      return x < y;
    case OpCode::CmpLe:
      return x <= y;
    case OpCode::CmpGt:
      return x > y;
    case OpCode::CmpGe:
      return x >= y;
    case OpCode::Shl:
    case OpCode::Shr:
      return shift(op, t, a, b);
    default:
      internal_error("property test: no such integer operation");
  }
}

}  // namespace

uint64_t lane(OpCode op, DType t, uint64_t a, uint64_t b) {
  return is_float(t) ? evaluated(op, t, t, {a, b}) : integer_lane(op, t, a, b);
}

uint64_t lane(OpCode op, DType t, uint64_t a) {
  if (is_float(t)) return evaluated(op, t, t, {a});
  const Wide x = to_wide(t, a);
  switch (op) {
    case OpCode::Neg:
      return from_wide(t, -x);
    case OpCode::BitNot:
      return from_wide(t, -x - 1);
    case OpCode::Abs:
      return from_wide(t, x < 0 ? -x : x);
    default:
      internal_error("property test: no such integer operation");
  }
}

uint64_t fma_lane(DType t, uint64_t a, uint64_t b, uint64_t c) { return evaluated(OpCode::Fma, t, t, {a, b, c}); }

uint64_t cast_lane(DType from, DType to, uint64_t bits) {
  if (from == to) return bits;
  if (is_bool(to)) return is_float(from) ? evaluated(OpCode::CmpNe, from, to, {bits, 0}) : bits != 0;
  if (is_float(from) || is_float(to)) return evaluated(OpCode::Cast, from, to, {bits});
  return from_wide(to, to_wide(from, bits));
}

uint64_t bitcast_lane(DType from, DType to, uint64_t bits) { return evaluated(OpCode::Bitcast, from, to, {bits}); }

uint64_t number_lane(DType t, double value) {
  if (!is_float(t)) return from_wide(t, static_cast<Wide>(static_cast<int64_t>(value)));
  return element_bits(t, value);
}

int64_t signed_lane(DType t, uint64_t bits) { return static_cast<int64_t>(to_wide(t, bits)); }

bool is_nan_lane(DType t, uint64_t bits) { return is_float(t) && std::isnan(element_to_double(t, bits)); }

}  // namespace tilescope::property
