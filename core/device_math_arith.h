// Arithmetic, comparison and bit operations on every element type. Every operation is defined for every input.
#ifndef TILESCOPE_CORE_DEVICE_MATH_ARITH_H_
#define TILESCOPE_CORE_DEVICE_MATH_ARITH_H_

#include "core/device_math_convert.h"

namespace TILESCOPE_MATH_NS {

// ---------------------------------------------------------------------------------------------------------------------
// + - * negation. Integers wrap (through unsigned); bool is arithmetic modulo 2, as int1 is in Triton; small floats are
// computed in float and rounded, which is the correctly rounded result for + - * /.

template <class T>
TS_FN T add(T a, T b) {
  if constexpr (is_small_float<T>)
    return round_to<T>(to_float(a) + to_float(b));
  else if constexpr (is_bool<T>)
    return a != b;
  else if constexpr (is_integer<T>)
    return (T)((wrapping_of<T>)a + (wrapping_of<T>)b);
  else
    return a + b;
}
template <class T>
TS_FN T sub(T a, T b) {
  if constexpr (is_small_float<T>)
    return round_to<T>(to_float(a) - to_float(b));
  else if constexpr (is_bool<T>)
    return a != b;
  else if constexpr (is_integer<T>)
    return (T)((wrapping_of<T>)a - (wrapping_of<T>)b);
  else
    return a - b;
}
template <class T>
TS_FN T mul(T a, T b) {
  if constexpr (is_small_float<T>)
    return round_to<T>(to_float(a) * to_float(b));
  else if constexpr (is_bool<T>)
    return a && b;
  else if constexpr (is_integer<T>)
    return (T)((wrapping_of<T>)a * (wrapping_of<T>)b);
  else
    return a * b;
}
/// 0 - x, which is what Triton's unary minus means: -(+0.0) is +0.0.
template <class T>
TS_FN T neg(T a) {
  if constexpr (is_small_float<T>)
    return round_to<T>(0.0f - to_float(a));
  else if constexpr (is_bool<T>)
    return a;
  else if constexpr (is_integer<T>)
    return (T)((wrapping_of<T>)0 - (wrapping_of<T>)a);
  else
    return T(0) - a;
}

// ---------------------------------------------------------------------------------------------------------------------
// Division and remainder.

/// Floats: IEEE. Integers truncate towards zero; x / 0 is all ones (-1) and INT_MIN / -1 is INT_MIN: what an H200 gives
/// for up to 32 bits. (For 64 bits its x / 0 depends on x; here it is all ones too.) bool: a / 1 = a, and a / 0 is all
/// ones, hence true.
template <class T>
TS_FN T div(T a, T b) {
  if constexpr (is_small_float<T>) {
    return round_to<T>(divide(to_float(a), to_float(b)));
  } else if constexpr (is_native_float<T>) {
    return divide(a, b);
  } else if constexpr (is_bool<T>) {
    return a || !b;
  } else {
    using U = unsigned_of<T>;
    if (b == 0) return (T)(U)~U(0);
    if (is_signed_integer<T>() && b == (T)-1) return neg(a);
    return (T)(a / b);
  }
}

/// x / y of magnitudes given as integers: (x * 2^shift) mod y, `step` bits at a time so that nothing overflows 64 bits.
TS_FN uint64_t shifted_remainder(uint64_t x, int shift, uint64_t y, int step) {
  x %= y;
  for (; shift >= step; shift -= step) x = (x << step) % y;
  return (x << shift) % y;
}

/// fmod: the exact remainder of the truncated quotient, with the sign of x. x infinite or y zero gives NaN.
TS_FN float fmod(float x, float y) {
  const float a = magnitude(x), b = magnitude(y);
  if (!(a < infinity_f()) || !(b > 0.0f)) return quiet_nan<float>();
  if (a < b) return x;
  const uint32_t ua = float_bits(a), ub = float_bits(b);
  const int ea = ua >> 23 ? (int)(ua >> 23) : 1, eb = ub >> 23 ? (int)(ub >> 23) : 1;
  const uint64_t ma = (ua & 0x7fffffu) | (ua >> 23 ? 0x800000u : 0u),
                 mb = (ub & 0x7fffffu) | (ub >> 23 ? 0x800000u : 0u);
  const uint32_t r = (uint32_t)shifted_remainder(ma, ea - eb, mb, 40);
  // r * 2^(eb - 150): r is below 2^24, so both factors and the product are exact.
  const float scale = eb > 23 ? as_float((uint32_t)(eb - 23) << 23) : as_float(1u << (eb - 1));
  return with_sign((float)r * scale, x);
}
TS_FN double fmod(double x, double y) {
  const double a = magnitude(x), b = magnitude(y);
  if (!(a < infinity_d()) || !(b > 0.0)) return quiet_nan<double>();
  if (a < b) return x;
  const uint64_t ua = float_bits(a), ub = float_bits(b), hidden = 1ull << 52, fraction = hidden - 1;
  const int ea = ua >> 52 ? (int)(ua >> 52) : 1, eb = ub >> 52 ? (int)(ub >> 52) : 1;
  const uint64_t ma = (ua & fraction) | (ua >> 52 ? hidden : 0), mb = (ub & fraction) | (ub >> 52 ? hidden : 0);
  const uint64_t r = shifted_remainder(ma, ea - eb, mb, 11);
  const double scale = eb > 52 ? as_double((uint64_t)(eb - 52) << 52) : as_double(1ull << (eb - 1));
  return with_sign((double)(int64_t)r * scale, x);
}

/// Remainder of the truncated division, with the sign of a. Integers: a - div(a, b) * b wherever that is meant, so
/// INT_MIN rem -1 is 0; a rem 0 is all ones, like the quotient, for the same reason. Floats: fmod, exact.
template <class T>
TS_FN T rem(T a, T b) {
  if constexpr (is_small_float<T>) {
    return round_to<T>(fmod(to_float(a), to_float(b)));
  } else if constexpr (is_native_float<T>) {
    return fmod(a, b);
  } else if constexpr (is_bool<T>) {
    return !b;
  } else {
    using U = unsigned_of<T>;
    if (b == 0) return (T)(U)~U(0);
    if (is_signed_integer<T>() && b == (T)-1) return T(0);
    return (T)(a % b);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Bits. A shift amount is read as unsigned; an amount of the width or more shifts everything out, as PTX has it.

template <class T>
TS_FN T bit_and(T a, T b) {
  return (T)(a & b);
}
template <class T>
TS_FN T bit_or(T a, T b) {
  return (T)(a | b);
}
template <class T>
TS_FN T bit_xor(T a, T b) {
  return (T)(a ^ b);
}
template <class T>
TS_FN T bit_not(T a) {
  if constexpr (is_bool<T>)
    return !a;
  else
    return (T)~a;
}
template <class T>
TS_FN T shl(T a, T amount) {
  if constexpr (is_bool<T>) {
    return a && !amount;
  } else {
    using W = wrapping_of<T>;
    constexpr unsigned_of<T> width = 8 * sizeof(T);
    const auto s = (unsigned_of<T>)amount;
    return s < width ? (T)((W)a << (s & (width - 1))) : T(0);
  }
}
/// Arithmetic for signed types (shifting everything out leaves the sign), logical for unsigned ones.
template <class T>
TS_FN T shr(T a, T amount) {
  if constexpr (is_bool<T>) {
    return a && !amount;
  } else {
    constexpr unsigned_of<T> width = 8 * sizeof(T);
    const auto s = (unsigned_of<T>)amount;
    if constexpr (is_signed_integer<T>())
      return (T)(a >> (s < width ? s : (unsigned_of<T>)(width - 1)));
    else
      return s < width ? (T)(a >> (s & (width - 1))) : T(0);
  }
}

/// The high half of the product of 32- or 64-bit integers read as unsigned.
template <class T>
TS_FN T umulhi(T a, T b) {
  static_assert(is_integer<T> && sizeof(T) >= 4, "umulhi takes 32- and 64-bit integers");
  if constexpr (sizeof(T) == 4) {
    return (T)(uint32_t)(((uint64_t)(uint32_t)a * (uint32_t)b) >> 32);
  } else {
    // From four 32-bit products: the middle sum cannot overflow, and unlike a 128-bit product this vectorises.
    const uint64_t ah = (uint64_t)a >> 32, al = (uint32_t)a, bh = (uint64_t)b >> 32, bl = (uint32_t)b;
    const uint64_t m1 = ah * bl + ((al * bl) >> 32), m2 = al * bh + (uint32_t)m1;
    return (T)(ah * bh + (m1 >> 32) + (m2 >> 32));
  }
}

TS_FN int32_t popcount_bits(uint64_t x) {
  x = x - ((x >> 1) & 0x5555555555555555ull);
  x = (x & 0x3333333333333333ull) + ((x >> 2) & 0x3333333333333333ull);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0full;
  return (int32_t)((x * 0x0101010101010101ull) >> 56);
}
/// Number of set bits.
template <class T>
TS_FN int32_t popc(T x) {
  return popcount_bits((uint64_t)(unsigned_of<T>)x);
}
/// Number of leading zero bits; the width for 0.
template <class T>
TS_FN int32_t clz(T x) {
  auto u = (uint64_t)(unsigned_of<T>)x;
  for (int s = 1; s < 64; s *= 2) u |= u >> s;
  return (int32_t)(8 * sizeof(T)) - popcount_bits(u);
}
/// Position of the lowest set bit, counted from 1; 0 for 0.
template <class T>
TS_FN int32_t ffs(T x) {
  const auto u = (uint64_t)(unsigned_of<T>)x;
  return u == 0 ? 0 : popcount_bits(u ^ (u - 1));
}
/// Bits in reverse order.
template <class T>
TS_FN T brev(T x) {
  auto u = (uint64_t)(unsigned_of<T>)x;
  u = ((u >> 1) & 0x5555555555555555ull) | ((u & 0x5555555555555555ull) << 1);
  u = ((u >> 2) & 0x3333333333333333ull) | ((u & 0x3333333333333333ull) << 2);
  u = ((u >> 4) & 0x0f0f0f0f0f0f0f0full) | ((u & 0x0f0f0f0f0f0f0f0full) << 4);
  u = ((u >> 8) & 0x00ff00ff00ff00ffull) | ((u & 0x00ff00ff00ff00ffull) << 8);
  u = ((u >> 16) & 0x0000ffff0000ffffull) | ((u & 0x0000ffff0000ffffull) << 16);
  u = (u >> 32) | (u << 32);
  return (T)(unsigned_of<T>)(u >> (64 - 8 * sizeof(T)));
}

// ---------------------------------------------------------------------------------------------------------------------
// Comparisons: with a NaN only "not equal" holds. bool compares as 0 and 1.

template <class T>
TS_FN bool cmp_eq(T a, T b) {
  if constexpr (is_small_float<T>)
    return to_float(a) == to_float(b);
  else
    return a == b;
}
template <class T>
TS_FN bool cmp_ne(T a, T b) {
  return !cmp_eq(a, b);
}
template <class T>
TS_FN bool cmp_lt(T a, T b) {
  if constexpr (is_small_float<T>)
    return to_float(a) < to_float(b);
  else
    return a < b;
}
template <class T>
TS_FN bool cmp_le(T a, T b) {
  if constexpr (is_small_float<T>)
    return to_float(a) <= to_float(b);
  else
    return a <= b;
}
template <class T>
TS_FN bool cmp_gt(T a, T b) {
  return cmp_lt(b, a);
}
template <class T>
TS_FN bool cmp_ge(T a, T b) {
  return cmp_le(b, a);
}

template <class T>
TS_FN T select(bool c, T a, T b) {
  if constexpr (is_native_float<T>)
    return pick(c, a, b);
  else
    return c ? a : b;
}

// ---------------------------------------------------------------------------------------------------------------------
// Minimum, maximum, magnitude.

/// tl.maximum: a NaN gives way to the other operand; max(-0, +0) is +0.
template <class T>
TS_FN T maximum(T a, T b) {
  if constexpr (is_small_float<T>) {
    return round_to<T>(maximum(to_float(a), to_float(b)));
  } else if constexpr (is_native_float<T>) {
    const T larger = pick((a > b) | (b != b), a, b);
    return from_bits<T>(float_bits(larger) & pick(a == b, float_bits(a), ~unsigned_of<T>(0)));
  } else {
    return a > b ? a : b;
  }
}
/// tl.minimum: a NaN gives way to the other operand; min(-0, +0) is -0.
template <class T>
TS_FN T minimum(T a, T b) {
  if constexpr (is_small_float<T>) {
    return round_to<T>(minimum(to_float(a), to_float(b)));
  } else if constexpr (is_native_float<T>) {
    const T smaller = pick((a < b) | (b != b), a, b);
    return from_bits<T>(float_bits(smaller) | pick(a == b, float_bits(a), unsigned_of<T>(0)));
  } else {
    return a < b ? a : b;
  }
}
/// maximum with propagate_nan: a NaN on either side is the result.
template <class T>
TS_FN T maximum_nan(T a, T b) {
  if constexpr (is_small_float<T>)
    return round_to<T>(maximum_nan(to_float(a), to_float(b)));
  else if constexpr (is_native_float<T>)
    return pick((a != a) | (b != b), quiet_nan<T>(), maximum(a, b));
  else
    return maximum(a, b);
}
/// minimum with propagate_nan.
template <class T>
TS_FN T minimum_nan(T a, T b) {
  if constexpr (is_small_float<T>)
    return round_to<T>(minimum_nan(to_float(a), to_float(b)));
  else if constexpr (is_native_float<T>)
    return pick((a != a) | (b != b), quiet_nan<T>(), minimum(a, b));
  else
    return minimum(a, b);
}
/// tl.clamp: minimum(maximum(x, low), high), so a NaN x becomes low.
template <class T>
TS_FN T clamp(T x, T low, T high) {
  return minimum(maximum(x, low), high);
}
/// tl.clamp with propagate_nan: a NaN anywhere is the result.
template <class T>
TS_FN T clamp_nan(T x, T low, T high) {
  return minimum_nan(maximum_nan(x, low), high);
}

/// |x|; abs(INT_MIN) wraps to INT_MIN.
template <class T>
TS_FN T abs(T x) {
  if constexpr (is_any_float<T>)
    return from_bits<T>((unsigned_of<T>)(float_bits(x) & (int_max<unsigned_of<T>>() >> 1)));
  else if constexpr (is_bool<T> || !is_signed_integer<T>())
    return x;
  else
    return x < 0 ? neg(x) : x;
}
/// |x| with the sign of s.
template <class T>
TS_FN T copysign(T x, T s) {
  using U = unsigned_of<T>;
  const U mask = int_max<U>() >> 1;
  return from_bits<T>((U)((float_bits(x) & mask) | (float_bits(s) & (U)~mask)));
}

/// a * b + c: one rounding for float and double, integers wrap, small floats as a float fma that is then rounded.
template <class T>
TS_FN T fma(T a, T b, T c) {
  if constexpr (is_small_float<T>)
    return round_to<T>(fma(to_float(a), to_float(b), to_float(c)));
  else
    return add(mul(a, b), c);
}
/// Division as tl.fdiv and div_rn have it: IEEE, on floats only.
template <class T>
TS_FN T fdiv(T a, T b) {
  static_assert(is_any_float<T>, "fdiv takes floats");
  return div(a, b);
}

template <class T>
TS_FN bool isnan(T x) {
  return cmp_ne(x, x);
}
template <class T>
TS_FN bool isinf(T x) {
  return abs(convert<double>(x)) == infinity_d();
}
template <class T>
TS_FN bool isfinite(T x) {
  return abs(convert<double>(x)) < infinity_d();
}

}  // namespace TILESCOPE_MATH_NS

#endif  // TILESCOPE_CORE_DEVICE_MATH_ARITH_H_
