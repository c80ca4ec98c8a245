// Rounding to integers, exp and exp2, and what is made of them.
// Coefficients were fitted for this file by the Remez exchange in 50-digit arithmetic and then rounded; the bound
// beside each says how far the fitted polynomial is from the function, before rounding errors.
#ifndef TILESCOPE_CORE_DEVICE_MATH_EXP_H_
#define TILESCOPE_CORE_DEVICE_MATH_EXP_H_

#include "core/device_math_arith.h"

namespace TILESCOPE_MATH_NS {

// ---------------------------------------------------------------------------------------------------------------------
// Rounding to integers. From 2^23 (2^52) on every value is an integer; below, adding and subtracting that constant
// rounds to nearest even. The sign of x is put back, so that zeros keep it.

TS_FN float rint(float x) {
  const float a = magnitude(x);
  return pick(a < 0x1p23f, with_sign((a + 0x1p23f) - 0x1p23f, x), x);
}
TS_FN double rint(double x) {
  const double a = magnitude(x);
  return pick(a < 0x1p52, with_sign((a + 0x1p52) - 0x1p52, x), x);
}
template <class T>
TS_FN T trunc(T x) {
  const T a = magnitude(x), r = magnitude(rint(x));
  return with_sign(r - pick(r > a, T(1), T(0)), x);
}
template <class T>
TS_FN T floor(T x) {
  const T r = rint(x);
  return with_sign(r - pick(r > x, T(1), T(0)), x);
}
template <class T>
TS_FN T ceil(T x) {
  const T r = rint(x);
  return with_sign(r + pick(r < x, T(1), T(0)), x);
}
/// Halves away from zero.
template <class T>
TS_FN T round(T x) {
  const T a = magnitude(x), t = trunc(a);
  return with_sign(t + pick(a - t >= T(0.5), T(1), T(0)), x);
}

// ---------------------------------------------------------------------------------------------------------------------
// Powers of two. The result is p * 2^n with p near 1 and n possibly below the normal exponents, so 2^n is applied in
// two halves: only the last product rounds, and it rounds subnormal results correctly and overflows to infinity.

TS_FN float scale_by_two_factors(float p, uint32_t n) {
  const uint32_t half = (uint32_t)((int32_t)n >> 1);
  return (p * as_float((half + 127u) << 23)) * as_float((n - half + 127u) << 23);
}
TS_FN double scale_by_two_factors(double p, uint32_t n) {
  const uint32_t half = (uint32_t)((int32_t)n >> 1);
  return (p * as_double((uint64_t)(half + 1023u) << 52)) * as_double((uint64_t)(n - half + 1023u) << 52);
}

/// Adding 1.5 * 2^23 (2^52) leaves the nearest integer in the low bits of the significand.
TS_FN float magic_f() { return 0x1.8p23f; }
TS_FN double magic_d() { return 0x1.8p52; }

/// e^r - 1 for |r| <= ln(2)/2, fitted within 2^-30.8 (float) and 2^-67 (double) of itself.
TS_FN float expm1_reduced(float r) {
  float p = 0x1.9d7e78p-13f;
  p = fma(p, r, 0x1.6da326p-10f);
  p = fma(p, r, 0x1.11135cp-7f);
  p = fma(p, r, 0x1.555476p-5f);
  p = fma(p, r, 0x1.555554p-3f);
  p = fma(p, r, 0.5f);
  return fma(p, r * r, r);
}
TS_FN double expm1_reduced(double r) {
  double p = 0x1.5fb92404c956dp-33;
  p = fma(p, r, 0x1.1f96777791c26p-29);
  p = fma(p, r, 0x1.ae659de970992p-26);
  p = fma(p, r, 0x1.27e4c4b27571dp-22);
  p = fma(p, r, 0x1.71de39f89ed7ep-19);
  p = fma(p, r, 0x1.a01a01b15022p-16);
  p = fma(p, r, 0x1.a01a01a031168p-13);
  p = fma(p, r, 0x1.6c16c16c14184p-10);
  p = fma(p, r, 0x1.11111111110e9p-7);
  p = fma(p, r, 0x1.555555555555bp-5);
  p = fma(p, r, 0x1.5555555555555p-3);
  p = fma(p, r, 0.5);
  return fma(p, r * r, r);
}

/// 2^k e^x: x = n ln(2) + r with n an integer, then 2^(n + k) e^r. Inputs beyond both ends are moved to
/// where the result is already infinite or zero (for k from -1 to 0); a NaN passes every step.
TS_FN float exp_times_power(float x, uint32_t k) {
  const float c = pick(x < -104.0f, -104.0f, pick(x > 90.0f, 90.0f, x));
  const float t = fma(c, 0x1.715476p+0f, magic_f()), n = t - magic_f();
  const float r = fma(n, 0x1.05c61p-29f, fma(n, -0x1.62e43p-1f, c));
  return scale_by_two_factors(1.0f + expm1_reduced(r), float_bits(t) - float_bits(magic_f()) + k);
}
TS_FN double exp_times_power(double x, uint32_t k) {
  const double c = pick(x < -746.0, -746.0, pick(x > 711.0, 711.0, x));
  const double t = fma(c, 0x1.71547652b82fep+0, magic_d()), n = t - magic_d();
  const double r = fma(n, -0x1.abc9e3b39803fp-56, fma(n, -0x1.62e42fefa39efp-1, c));
  return scale_by_two_factors(1.0 + expm1_reduced(r), (uint32_t)float_bits(t) + k);
}
/// e^x.
TS_FN float exp(float x) { return exp_times_power(x, 0u); }
TS_FN double exp(double x) { return exp_times_power(x, 0u); }

/// (2^r - 1) / r for |r| <= 1/2, fitted so that 2^r is within 2^-28.5 (float) and 2^-63.9 (double).
TS_FN float exp2_slope(float r) {
  float p = 0x1.470c46p-13f;
  p = fma(p, r, 0x1.5f72e2p-10f);
  p = fma(p, r, 0x1.3b270cp-7f);
  p = fma(p, r, 0x1.c6ae72p-5f);
  p = fma(p, r, 0x1.ebfbe2p-3f);
  return fma(p, r, 0x1.62e432p-1f);
}
TS_FN double exp2_slope(double r) {
  double p = 0x1.c6d9f7c18be7ep-36;
  p = fma(p, r, 0x1.ea14239daa24p-32);
  p = fma(p, r, 0x1.e4cd9d3f5db99p-28);
  p = fma(p, r, 0x1.b524d0ea0d68dp-24);
  p = fma(p, r, 0x1.62c0229a76672p-20);
  p = fma(p, r, 0x1.ffcbfc7ac38ep-17);
  p = fma(p, r, 0x1.430912f859902p-13);
  p = fma(p, r, 0x1.5d87fe78a130dp-10);
  p = fma(p, r, 0x1.3b2ab6fba4ea8p-7);
  p = fma(p, r, 0x1.c6b08d704a0d6p-5);
  p = fma(p, r, 0x1.ebfbdff82c58fp-3);
  return fma(p, r, 0x1.62e42fefa39efp-1);
}
/// 2^(x + low), where low is at most a last place of x: x = n + r, exactly, with |r| <= 1/2.
TS_FN float exp2_sum(float x, float low) {
  const float c = pick(x < -151.0f, -151.0f, pick(x > 129.0f, 129.0f, x));
  const float t = c + magic_f(), r = (c - (t - magic_f())) + low;
  return scale_by_two_factors(fma(exp2_slope(r), r, 1.0f), float_bits(t) - float_bits(magic_f()));
}
TS_FN double exp2_sum(double x, double low) {
  const double c = pick(x < -1076.0, -1076.0, pick(x > 1025.0, 1025.0, x));
  const double t = c + magic_d(), r = (c - (t - magic_d())) + low;
  return scale_by_two_factors(fma(exp2_slope(r), r, 1.0), (uint32_t)float_bits(t));
}
/// 2^x.
TS_FN float exp2(float x) { return exp2_sum(x, 0.0f); }
TS_FN double exp2(double x) { return exp2_sum(x, 0.0); }

/// 1 / (1 + exp(-x)) in that order, as tl.sigmoid is written. The order costs accuracy: 2.5 ulp in float, 3 in double,
/// and below about -88.7 (-709.8) exp(-x) is infinite and the result 0.
TS_FN float sigmoid(float x) { return divide(1.0f, 1.0f + exp(0.0f - x)); }
TS_FN double sigmoid(double x) { return divide(1.0, 1.0 + exp(0.0 - x)); }

/// 1 / sqrt(x), both steps correctly rounded: within 1.5 ulp. rsqrt(-0) is -infinity.
TS_FN float rsqrt(float x) { return divide(1.0f, sqrt(x)); }
TS_FN double rsqrt(double x) { return divide(1.0, sqrt(x)); }

}  // namespace TILESCOPE_MATH_NS

#endif  // TILESCOPE_CORE_DEVICE_MATH_EXP_H_
