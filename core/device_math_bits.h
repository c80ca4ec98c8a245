// Scalar types, type traits and the handful of correctly rounded primitives on which all of device_math stands.
// See core/device_math.h for the rules that every device_math_*.h file keeps.
#ifndef TILESCOPE_CORE_DEVICE_MATH_BITS_H_
#define TILESCOPE_CORE_DEVICE_MATH_BITS_H_

#ifndef TILESCOPE_MATH_NS
#define TILESCOPE_MATH_NS tilescope_math
#endif

#if !defined(__CUDACC_RTC__)
#include <stdint.h>
#endif
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define TS_FN __device__ __forceinline__
#define TS_ON_DEVICE 1
#else
#define TS_FN inline __attribute__((always_inline))
#define TS_ON_DEVICE 0
#endif

namespace TILESCOPE_MATH_NS {

#if defined(__CUDACC_RTC__)
using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long long;
#endif

/// The small floats are storage only: arithmetic on them is done in float and rounded back.
struct f16 {
  uint16_t bits;
};
struct bf16 {
  uint16_t bits;
};
/// float8e4nv: 4 exponent bits, bias 7, no infinities, NaN is 0x7f and 0xff.
struct e4m3 {
  uint8_t bits;
};
/// float8e5: 5 exponent bits, bias 15, infinities and NaNs as in fp16.
struct e5m2 {
  uint8_t bits;
};

// ---------------------------------------------------------------------------------------------------------------------
// Type traits, by hand: NVRTC has no standard headers.

template <class A, class B>
inline constexpr bool is_same = false;
template <class A>
inline constexpr bool is_same<A, A> = true;

template <class T>
inline constexpr bool is_small_float = is_same<T, f16> || is_same<T, bf16> || is_same<T, e4m3> || is_same<T, e5m2>;
template <class T>
inline constexpr bool is_native_float = is_same<T, float> || is_same<T, double>;
template <class T>
inline constexpr bool is_any_float = is_small_float<T> || is_native_float<T>;
template <class T>
inline constexpr bool is_bool = is_same<T, bool>;
/// An integer of 8 to 64 bits; bool is not one.
template <class T>
inline constexpr bool is_integer = !is_any_float<T> && !is_bool<T>;

template <class T>
constexpr TS_FN bool is_signed_integer() {
  if constexpr (is_integer<T>)
    return T(-1) < T(0);
  else
    return false;
}

template <int bytes>
struct UnsignedOfSize;
template <>
struct UnsignedOfSize<1> {
  using type = uint8_t;
};
template <>
struct UnsignedOfSize<2> {
  using type = uint16_t;
};
template <>
struct UnsignedOfSize<4> {
  using type = uint32_t;
};
template <>
struct UnsignedOfSize<8> {
  using type = uint64_t;
};
/// The unsigned integer as wide as T.
template <class T>
using unsigned_of = typename UnsignedOfSize<sizeof(T)>::type;
/// The unsigned integer in which arithmetic on T wraps without C++'s promotion to (signed) int.
template <class T>
using wrapping_of = typename UnsignedOfSize<sizeof(T) == 8 ? 8 : 4>::type;

template <class T>
constexpr TS_FN T int_max() {
  if constexpr (is_signed_integer<T>())
    return T(unsigned_of<T>(~unsigned_of<T>(0)) >> 1);
  else
    return T(~unsigned_of<T>(0));
}
template <class T>
constexpr TS_FN T int_min() {
  if constexpr (is_signed_integer<T>())
    return T(-int_max<T>() - 1);
  else
    return T(0);
}

// ---------------------------------------------------------------------------------------------------------------------
// Bits of floats.

TS_FN uint32_t float_bits(float x) {
#if TS_ON_DEVICE
  return __float_as_uint(x);
#else
  return __builtin_bit_cast(uint32_t, x);
#endif
}
TS_FN uint64_t float_bits(double x) {
#if TS_ON_DEVICE
  return (uint64_t)__double_as_longlong(x);
#else
  return __builtin_bit_cast(uint64_t, x);
#endif
}
TS_FN uint16_t float_bits(f16 x) { return x.bits; }
TS_FN uint16_t float_bits(bf16 x) { return x.bits; }
TS_FN uint8_t float_bits(e4m3 x) { return x.bits; }
TS_FN uint8_t float_bits(e5m2 x) { return x.bits; }

TS_FN float as_float(uint32_t bits) {
#if TS_ON_DEVICE
  return __uint_as_float(bits);
#else
  return __builtin_bit_cast(float, bits);
#endif
}
TS_FN double as_double(uint64_t bits) {
#if TS_ON_DEVICE
  return __longlong_as_double((long long)bits);
#else
  return __builtin_bit_cast(double, bits);
#endif
}

template <class T>
TS_FN T from_bits(unsigned_of<T> bits) {
  if constexpr (is_same<T, float>)
    return as_float(bits);
  else if constexpr (is_same<T, double>)
    return as_double(bits);
  else if constexpr (is_small_float<T>)
    return T{bits};
  else
    return T(bits);
}

/// The NaN that conversions produce and that bitcast shows: what an H200 gives for each type (double: quiet, positive).
template <class T>
TS_FN T quiet_nan() {
  if constexpr (is_same<T, float>)
    return as_float(0x7fffffffu);
  else if constexpr (is_same<T, double>)
    return as_double(0x7ff8000000000000ull);
  else
    return T{unsigned_of<T>(int_max<unsigned_of<T>>() >> 1)};
}
TS_FN float infinity_f() { return as_float(0x7f800000u); }
TS_FN double infinity_d() { return as_double(0x7ff0000000000000ull); }

// ---------------------------------------------------------------------------------------------------------------------
// Choice by bits. A plain `c ? a : b` on floats lets the compiler move the computation of a or b into a branch, which
// it must then not undo (floating point may trap), and the loop around it is no longer vectorised.

TS_FN uint32_t pick(bool c, uint32_t a, uint32_t b) {
  const uint32_t m = 0u - (uint32_t)c;
  return (a & m) | (b & ~m);
}
TS_FN uint64_t pick(bool c, uint64_t a, uint64_t b) {
  const uint64_t m = 0ull - (uint64_t)c;
  return (a & m) | (b & ~m);
}
TS_FN float pick(bool c, float a, float b) { return as_float(pick(c, float_bits(a), float_bits(b))); }
TS_FN double pick(bool c, double a, double b) { return as_double(pick(c, float_bits(a), float_bits(b))); }

// ---------------------------------------------------------------------------------------------------------------------
// Correctly rounded primitives. Everything else is built from these and + - * on float and double.

/// a * b + c with one rounding.
TS_FN float fma(float a, float b, float c) {
#if TS_ON_DEVICE
  return __fmaf_rn(a, b, c);
#else
  return __builtin_fmaf(a, b, c);
#endif
}
TS_FN double fma(double a, double b, double c) {
#if TS_ON_DEVICE
  return __fma_rn(a, b, c);
#else
  return __builtin_fma(a, b, c);
#endif
}
TS_FN float sqrt(float x) {
#if TS_ON_DEVICE
  return __fsqrt_rn(x);
#else
  return __builtin_sqrtf(x);
#endif
}
TS_FN double sqrt(double x) {
#if TS_ON_DEVICE
  return __dsqrt_rn(x);
#else
  return __builtin_sqrt(x);
#endif
}
TS_FN float divide(float a, float b) {
#if TS_ON_DEVICE
  return __fdiv_rn(a, b);
#else
  return a / b;
#endif
}
TS_FN double divide(double a, double b) {
#if TS_ON_DEVICE
  return __ddiv_rn(a, b);
#else
  return a / b;
#endif
}

TS_FN float magnitude(float x) { return as_float(float_bits(x) & 0x7fffffffu); }
TS_FN double magnitude(double x) { return as_double(float_bits(x) & 0x7fffffffffffffffull); }
/// |x| with the sign of s.
TS_FN float with_sign(float x, float s) {
  return as_float((float_bits(x) & 0x7fffffffu) | (float_bits(s) & 0x80000000u));
}
TS_FN double with_sign(double x, double s) {
  return as_double((float_bits(x) & 0x7fffffffffffffffull) | (float_bits(s) & 0x8000000000000000ull));
}

}  // namespace TILESCOPE_MATH_NS

#endif  // TILESCOPE_CORE_DEVICE_MATH_BITS_H_
