#include "core/fold.h"

#include "core/builder.h"
#define TILESCOPE_MATH_NS tilescope_math_fold
#include "core/device_math.h"
#include "core/op_domain.h"

namespace tilescope_math_fold {
/// Named by the rows of ops.def that have no scalar meaning.
template <class... A>
void none(A...) {}
}  // namespace tilescope_math_fold

namespace tilescope {
namespace {

namespace math = ::tilescope_math_fold;

template <DType t> struct CTypeOf;
template <> struct CTypeOf<DType::Int1> { using type = bool; };
template <> struct CTypeOf<DType::Int8> { using type = int8_t; };
template <> struct CTypeOf<DType::Int16> { using type = int16_t; };
template <> struct CTypeOf<DType::Int32> { using type = int32_t; };
template <> struct CTypeOf<DType::Int64> { using type = int64_t; };
template <> struct CTypeOf<DType::UInt8> { using type = uint8_t; };
template <> struct CTypeOf<DType::UInt16> { using type = uint16_t; };
template <> struct CTypeOf<DType::UInt32> { using type = uint32_t; };
template <> struct CTypeOf<DType::UInt64> { using type = uint64_t; };
template <> struct CTypeOf<DType::Float8E4NV> { using type = math::e4m3; };
template <> struct CTypeOf<DType::Float8E5> { using type = math::e5m2; };
template <> struct CTypeOf<DType::Float16> { using type = math::f16; };
template <> struct CTypeOf<DType::BFloat16> { using type = math::bf16; };
template <> struct CTypeOf<DType::Float32> { using type = float; };
template <> struct CTypeOf<DType::Float64> { using type = double; };

template <class T> T lane(uint64_t bits) { return math::from_bits<T>(static_cast<math::unsigned_of<T>>(bits)); }
template <> bool lane<bool>(uint64_t bits) { return bits != 0; }

/// Small floats are computed in float32, by the rule in ir.h, when the function is written for float and double only.
template <class T> uint64_t to_bits(T x) {
  if constexpr (math::is_any_float<T>)
    return math::float_bits(math::canonical_nan(x));
  else
    return static_cast<math::unsigned_of<T>>(x);
}

/// Calls `fn(T{})` with the C++ type of an element type.
template <class Fn> auto with_type(DType t, Fn&& fn) {
  switch (t) {
#define X(name, canonical, shorthand, bits, kind) \
  case DType::name: return fn(typename CTypeOf<DType::name>::type{});
    TILESCOPE_DTYPES(X)
#undef X
  }
  internal_error("with_type: no such element type");
}

uint64_t convert_bits(DType from, DType to, uint64_t bits) {
  return with_type(from, [&](auto a) {
    return with_type(to, [&](auto b) { return to_bits(math::convert<decltype(b)>(lane<decltype(a)>(bits))); });
  });
}

uint64_t bitcast_bits(DType from, DType to, uint64_t bits) {
  return is_float(from) && is_int(to) ? with_type(from, [&](auto a) { return to_bits(lane<decltype(a)>(bits)); }) : bits;
}

/// One row's function on operands of one type; popc and its like give an int, which is brought back to the type.
template <OpCode op, TypeRule rule, int count, DType t, class Function>
std::optional<uint64_t> call_meaning(const uint64_t* in, Function meaning) {
  if constexpr (!op_takes(op, t)) {
    return std::nullopt;
  } else {
    using T = typename CTypeOf<t>::type;
    const auto result = [&] {
      if constexpr (count == 1) return meaning(lane<T>(in[0]));
      else if constexpr (count == 2) return meaning(lane<T>(in[0]), lane<T>(in[1]));
      else return meaning(lane<T>(in[0]), lane<T>(in[1]), lane<T>(in[2]));
    }();
    if constexpr (rule == TypeRule::Same) return to_bits(math::convert<T>(result));
    else return to_bits(result);
  }
}

template <OpCode op, TypeRule rule, int count, class Function>
std::optional<uint64_t> by_type(DType type, const uint64_t* in, Function meaning) {
  switch (type) {
#define X(name, canonical, shorthand, bits, kind) \
  case DType::name: return call_meaning<op, rule, count, DType::name>(in, meaning);
    TILESCOPE_DTYPES(X)
#undef X
  }
  return std::nullopt;
}

}  // namespace

std::optional<uint64_t> evaluate(OpCode op, DType operand, DType result, const uint64_t* in) {
  if (op == OpCode::Cast) return convert_bits(operand, result, in[0]);
  if (op == OpCode::Bitcast) return bitcast_bits(operand, result, in[0]);
  if (op == OpCode::Select) return in[0] ? in[1] : in[2];
  switch (op) {
#define TILESCOPE_OP(name, mnemonic, lo, hi, results, group, rule, meaning, doc)                           \
  case OpCode::name:                                                                                      \
    if constexpr (OpGroup::group == OpGroup::Elementwise && TypeRule::rule != TypeRule::Explicit &&       \
                  TypeRule::rule != TypeRule::Select)                                                     \
      return by_type<OpCode::name, TypeRule::rule, lo>(operand, in, [](auto... x) { return math::meaning(x...); }); \
    else                                                                                                  \
      return std::nullopt;
#include "core/ops.def"
  }
  return std::nullopt;
}

uint64_t canonical_bits(DType t, uint64_t bits) {
  const int width = dtype_bits(t);
  return width == 64 ? bits : bits & ((uint64_t{1} << width) - 1);
}

int64_t element_to_int(DType t, uint64_t bits) {
  const int width = dtype_bits(t);
  if (!is_signed_int(t) || width == 64) return static_cast<int64_t>(canonical_bits(t, bits));
  return static_cast<int64_t>(bits << (64 - width)) >> (64 - width);
}

double element_to_double(DType t, uint64_t bits) {
  return with_type(t, [&](auto x) { return math::convert<double>(lane<decltype(x)>(bits)); });
}

uint64_t element_bits(DType t, int64_t value) { return convert_bits(DType::Int64, t, static_cast<uint64_t>(value)); }
uint64_t element_bits(DType t, double value) { return convert_bits(DType::Float64, t, math::float_bits(value)); }

}  // namespace tilescope
