// Conversions between element types: round to nearest even, once; float to integer truncates and saturates.
// All loops over these vectorise: no branches, no tables.
#ifndef TILESCOPE_CORE_DEVICE_MATH_CONVERT_H_
#define TILESCOPE_CORE_DEVICE_MATH_CONVERT_H_

#include "core/device_math_bits.h"

namespace TILESCOPE_MATH_NS {

// ---------------------------------------------------------------------------------------------------------------------
// float -> small floats. A normal result drops the low bits of the significand with round to nearest even by integer
// addition (a carry moves into the exponent, as it should). A subnormal result is rounded by adding a float whose last
// place is the smallest subnormal of the target.

/// |x| as bits, rounded to a float with `drop` fewer significand bits and an exponent bias smaller by `rebias`.
template <int drop, int rebias>
TS_FN uint32_t round_normal(uint32_t magnitude_bits) {
  const uint32_t odd = (magnitude_bits >> drop) & 1u;
  return (magnitude_bits - ((uint32_t)rebias << 23) + ((1u << (drop - 1)) - 1u) + odd) >> drop;
}
/// |x| as bits in units of the last place of `unit`, where |x| is below `unit`.
TS_FN uint32_t round_subnormal(uint32_t magnitude_bits, float unit) {
  return float_bits(as_float(magnitude_bits) + unit) - float_bits(unit);
}

TS_FN f16 to_f16(float x) {
  const uint32_t u = float_bits(x), a = u & 0x7fffffffu;
  uint32_t r = pick(a < 0x38800000u, round_subnormal(a, 0.5f), round_normal<13, 112>(a));
  r = pick(a >= 0x47800000u, 0x7c00u, r) | ((u >> 16) & 0x8000u);
  return f16{(uint16_t)pick(a > 0x7f800000u, 0x7fffu, r)};
}
TS_FN bf16 to_bf16(float x) {
  const uint32_t u = float_bits(x);
  const uint32_t r = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
  return bf16{(uint16_t)pick((u & 0x7fffffffu) > 0x7f800000u, 0x7fffu, r)};
}
/// Saturates: what exceeds 448, infinities included, becomes 448 with its sign.
TS_FN e4m3 to_e4m3(float x) {
  const uint32_t u = float_bits(x), a = u & 0x7fffffffu;
  uint32_t r = pick(a < 0x3c800000u, round_subnormal(a, 16384.0f), round_normal<20, 120>(a));
  r = pick(a >= 0x43e00000u, 0x7eu, r) | ((u >> 24) & 0x80u);
  return e4m3{(uint8_t)pick(a > 0x7f800000u, 0x7fu, r)};
}
/// Saturates: what exceeds 57344, infinities included, becomes 57344 with its sign.
TS_FN e5m2 to_e5m2(float x) {
  const uint32_t u = float_bits(x), a = u & 0x7fffffffu;
  uint32_t r = pick(a < 0x38800000u, round_subnormal(a, 128.0f), round_normal<21, 112>(a));
  r = pick(a >= 0x47600000u, 0x7bu, r) | ((u >> 24) & 0x80u);
  return e5m2{(uint8_t)pick(a > 0x7f800000u, 0x7fu, r)};
}

// ---------------------------------------------------------------------------------------------------------------------
// Small floats -> float: exact. The small float's bits, shifted into place, read as a float that is too small by a
// power of two; the multiplication repairs that and normalises subnormals.

TS_FN float to_float(float x) { return x; }
TS_FN float to_float(f16 x) {
  const uint32_t a = x.bits & 0x7fffu;
  uint32_t r = float_bits(as_float(a << 13) * 0x1p112f);
  r = pick(a >= 0x7c00u, 0x7f800000u, r) | ((uint32_t)(x.bits & 0x8000u) << 16);
  return as_float(pick(a > 0x7c00u, 0x7fffffffu, r));
}
TS_FN float to_float(bf16 x) {
  const uint32_t r = (uint32_t)x.bits << 16;
  return as_float(pick((r & 0x7fffffffu) > 0x7f800000u, 0x7fffffffu, r));
}
TS_FN float to_float(e4m3 x) {
  const uint32_t a = x.bits & 0x7fu;
  const uint32_t r = float_bits(as_float(a << 20) * 0x1p120f) | ((uint32_t)(x.bits & 0x80u) << 24);
  return as_float(pick(a == 0x7fu, 0x7fffffffu, r));
}
TS_FN float to_float(e5m2 x) {
  const uint32_t a = x.bits & 0x7fu;
  uint32_t r = float_bits(as_float(a << 21) * 0x1p112f);
  r = pick(a >= 0x7cu, 0x7f800000u, r) | ((uint32_t)(x.bits & 0x80u) << 24);
  return as_float(pick(a > 0x7cu, 0x7fffffffu, r));
}

/// Rounds a float to a small float type (or leaves it a float).
template <class To>
TS_FN To round_to(float x) {
  if constexpr (is_same<To, f16>)
    return to_f16(x);
  else if constexpr (is_same<To, bf16>)
    return to_bf16(x);
  else if constexpr (is_same<To, e4m3>)
    return to_e4m3(x);
  else if constexpr (is_same<To, e5m2>)
    return to_e5m2(x);
  else
    return x;
}

/// Drops the 13 low bits of the significand: what a tensor core reads of a tf32 operand.
TS_FN float to_tf32(float x) { return as_float(float_bits(x) & 0xffffe000u); }

// ---------------------------------------------------------------------------------------------------------------------
// double and 64-bit integers -> small floats with a single rounding: first to float by rounding to odd (an inexact
// result takes the neighbour with an odd last bit), which leaves the second rounding as if it had seen all bits.

TS_FN float round_to_odd(double x) {
  const float f = (float)x;
  const double d = (double)f;
  const uint32_t bits = float_bits(f);
  const uint32_t step = pick(magnitude(d) > magnitude(x), 0xffffffffu, 1u);
  const bool inexact = (d < x) | (d > x);
  return as_float(bits + pick(inexact & ((bits & 1u) == 0), step, 0u));
}
/// Exact up to 2^53, beyond that with the bits that do not fit folded into the last place.
TS_FN double sticky_double(uint64_t x) {
  const uint64_t sticky = (uint64_t)((x & 0x7ffu) != 0);
  const bool wide = x >= (1ull << 53);
  return (double)(int64_t)pick(wide, (x >> 11) | sticky, x) * (wide ? 2048.0 : 1.0);
}

// ---------------------------------------------------------------------------------------------------------------------
// Float -> integer: truncates towards zero; out of range gives the nearest end of the range. NaN gives 0, but from
// double or to 64 bits it gives the value with only the top bit set: so says the PTX manual, and so an H200 does it.
// The 8-bit types go through 16 bits and then wrap, since the GPU converts to no narrower integer (300.7 -> int8 is 44,
// 70000 -> int8 is -1): the recorded outputs of real Triton show it.

/// 2 to the width of To's magnitude, the first value beyond its range.
template <class To, class F>
TS_FN F beyond_max() {
  return F(int_max<To>() / 2 + 1) * F(2);
}

template <class To, class F>
TS_FN To truncate_saturating(F x) {
  if constexpr (sizeof(To) == 1) {
    if constexpr (is_signed_integer<To>())
      return (To)(uint8_t)truncate_saturating<int16_t>(x);
    else
      return (To)truncate_saturating<uint16_t>(x);
  } else {
    using U = unsigned_of<To>;
    const F high = beyond_max<To, F>();
    const F low = is_signed_integer<To>() ? -high : F(0);
    const bool inside = (x >= low) & (x < high);
    const To value = (To)pick(inside, x, F(0));
    const U all = (U)(0u - (U)inside), up = (U)(0u - (U)(x >= high)), down = (U)(0u - (U)(x < low));
    constexpr U of_nan = is_same<F, double> || sizeof(To) == 8 ? (U)(U(1) << (8 * sizeof(To) - 1)) : U(0);
    const U nan = (U)(0u - (U)(x != x));
    return (To)(U)(((U)value & all) | ((U)int_max<To>() & up) | ((U)int_min<To>() & down) | (of_nan & nan));
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/// tl.cast between any two element types. int -> int wraps or extends; anything -> bool is "!= 0" (NaN is true);
/// float -> int as truncate_saturating; everything into a float rounds to nearest even once; fp8 saturates.
template <class To, class From>
TS_FN To convert(From x) {
  if constexpr (is_same<To, From>) {
    return x;
  } else if constexpr (is_small_float<From>) {
    return convert<To>(to_float(x));
  } else if constexpr (is_bool<To>) {
    return x != From(0);
  } else if constexpr (is_native_float<To>) {
    return (To)x;
  } else if constexpr (is_small_float<To>) {
    if constexpr (is_same<From, float>)
      return round_to<To>(x);
    else if constexpr (is_same<From, double>)
      return round_to<To>(round_to_odd(x));
    else if constexpr (sizeof(From) <= 2)
      return round_to<To>((float)x);
    else if constexpr (sizeof(From) == 4)
      return round_to<To>(round_to_odd((double)x));
    else if constexpr (is_signed_integer<From>())
      return round_to<To>(
          round_to_odd(with_sign(sticky_double(x < 0 ? 0ull - (uint64_t)x : (uint64_t)x), x < 0 ? -1.0 : 1.0)));
    else
      return round_to<To>(round_to_odd(sticky_double(x)));
  } else if constexpr (is_native_float<From>) {
    return truncate_saturating<To>(x);
  } else {
    return (To)x;
  }
}

/// Any NaN becomes the one NaN that the GPU's arithmetic makes: the bits of NaNs differ between processors.
template <class T>
TS_FN T canonical_nan(T x) {
  if constexpr (is_native_float<T>)
    return pick(x != x, quiet_nan<T>(), x);
  else if constexpr (is_same<T, e4m3>)
    return (x.bits & 0x7fu) == 0x7fu ? quiet_nan<T>() : x;
  else if constexpr (is_same<T, e5m2>)
    return (x.bits & 0x7fu) > 0x7cu ? quiet_nan<T>() : x;
  else if constexpr (is_same<T, f16>)
    return (x.bits & 0x7fffu) > 0x7c00u ? quiet_nan<T>() : x;
  else
    return (x.bits & 0x7fffu) > 0x7f80u ? quiet_nan<T>() : x;
}

/// The same bits read as another type of the same size. NaNs are canonicalised when their bits become an integer.
template <class To, class From>
TS_FN To bitcast(From x) {
  static_assert(sizeof(To) == sizeof(From) && is_bool<To> == is_bool<From>, "bitcast keeps the width");
  if constexpr (is_bool<To>)
    return x;
  else if constexpr (is_any_float<From> && is_integer<To>)
    return (To)float_bits(canonical_nan(x));
  else if constexpr (is_any_float<From>)
    return from_bits<To>(float_bits(x));
  else
    return from_bits<To>((unsigned_of<From>)x);
}

}  // namespace TILESCOPE_MATH_NS

#endif  // TILESCOPE_CORE_DEVICE_MATH_CONVERT_H_
