// expm1, log1p and the hyperbolic functions. Coefficients: see core/device_math_exp.h.
#ifndef TILESCOPE_CORE_DEVICE_MATH_HYPERBOLIC_H_
#define TILESCOPE_CORE_DEVICE_MATH_HYPERBOLIC_H_

#include "core/device_math_log.h"

namespace TILESCOPE_MATH_NS {

/// e^x - 1 = 2^n (e^r - 1) + (2^n - 1), at half its size so that 2^n does not overflow before the result does. An
/// argument so small that half its size might not be exact is the result.
TS_FN float expm1(float x) {
  const float c = pick(x < -20.0f, -20.0f, pick(x > 89.0f, 89.0f, x));
  const float t = fma(c, 0x1.715476p+0f, magic_f()), n = t - magic_f();
  const float q = expm1_reduced(fma(n, 0x1.05c61p-29f, fma(n, -0x1.62e43p-1f, c)));
  const float half = as_float((float_bits(t) - float_bits(magic_f()) + 126u) << 23);
  return pick(magnitude(x) < 0x1p-25f, x, 2.0f * fma(half, q, half - 0.5f));
}
TS_FN double expm1(double x) {
  const double c = pick(x < -40.0, -40.0, pick(x > 710.0, 710.0, x));
  const double t = fma(c, 0x1.71547652b82fep+0, magic_d()), n = t - magic_d();
  const double q = expm1_reduced(fma(n, -0x1.abc9e3b39803fp-56, fma(n, -0x1.62e42fefa39efp-1, c)));
  const double half = as_double((float_bits(t) - float_bits(magic_d()) + 1022u) << 52);
  return pick(magnitude(x) < 0x1p-54, x, 2.0 * fma(half, q, half - 0.5));
}

/// ln(1 + x): the logarithm of the rounded sum u, plus what the rounding lost, relative to u.
TS_FN float log1p(float x) {
  const float u = 1.0f + x, lost = pick(x > 1.0f, 1.0f - (u - x), x - (u - 1.0f));
  const LogParts<float> p = log_parts(u);
  const float low = fma(p.exponent, 0x1.7f7d1cp-20f, p.low + divide(lost, u));
  const float r = log_specials(u, fma(p.exponent, 0x1.62e4p-1f, p.high) + low);
  return pick(magnitude(x) < 0x1p-25f, x, r);
}
TS_FN double log1p(double x) {
  const double u = 1.0 + x, lost = pick(x > 1.0, 1.0 - (u - x), x - (u - 1.0));
  const LogParts<double> p = log_parts(u);
  const double low = fma(p.exponent, -0x1.8432a1b0e2634p-43, p.low + divide(lost, u));
  const double r = log_specials(u, fma(p.exponent, 0x1.62e42fefa4p-1, p.high) + low);
  return pick(magnitude(x) < 0x1p-54, x, r);
}

/// tanh: below 0.6 in magnitude x + x^3 P(x^2), fitted within 2^-33 of itself; above, 1 - 2 / (e^2x + 1).
TS_FN float tanh(float x) {
  const float a = magnitude(x), z = a * a;
  float p = 0x1.23e3cap-9f;
  p = fma(p, z, -0x1.0ec0b8p-7f);
  p = fma(p, z, 0x1.64119ep-6f);
  p = fma(p, z, -0x1.b9f9e6p-5f);
  p = fma(p, z, 0x1.11109cp-3f);
  p = fma(p, z, -0x1.555554p-2f);
  const float small = fma(p, z * a, a), large = 1.0f - divide(2.0f, exp(a + a) + 1.0f);
  return with_sign(pick(a < 0.6f, small, large), x);
}
/// In double from expm1(2|x|) = t: t / (t + 2), within 3 ulp. From 20 on the result is 1.
TS_FN double tanh(double x) {
  const double a = magnitude(x), t = expm1(pick(a > 20.0, 40.0, a + a));
  return with_sign(pick(a < 0x1p-28, a, divide(t, t + 2.0)), x);
}

/// (sinh(x) - x) / x^3 as a polynomial of z = x^2 for |x| <= 1, fitted so that sinh is within 2^-34 and 2^-73.
TS_FN float sinh_slope(float z) {
  float p = 0x1.7a15bcp-19f;
  p = fma(p, z, 0x1.9ffe92p-13f);
  p = fma(p, z, 0x1.111134p-7f);
  return fma(p, z, 0x1.555556p-3f);
}
TS_FN double sinh_slope(double z) {
  double p = 0x1.9a794f1e55b25p-49;
  p = fma(p, z, 0x1.ae756e676dc45p-41);
  p = fma(p, z, 0x1.61246afa6f7c6p-33);
  p = fma(p, z, 0x1.ae6456741b41cp-26);
  p = fma(p, z, 0x1.71de3a5573f7bp-19);
  p = fma(p, z, 0x1.a01a01a019fc1p-13);
  p = fma(p, z, 0x1.1111111111111p-7);
  return fma(p, z, 0x1.5555555555555p-3);
}
/// sinh and cosh from h = e^|x| / 2, which overflows no earlier than they do; e^-|x| / 2 is 1 / (4 h). Within 2 ulp.
template <class T>
TS_FN T sinh(T x) {
  const T a = magnitude(x), z = a * a, h = exp_times_power(a, ~0u);
  const T small = fma(sinh_slope(z), z * a, a), large = h - divide(T(0.25), h);
  return with_sign(pick(a < T(1), small, large), x);
}
template <class T>
TS_FN T cosh(T x) {
  const T h = exp_times_power(magnitude(x), ~0u);
  return h + divide(T(0.25), h);
}

}  // namespace TILESCOPE_MATH_NS

#endif  // TILESCOPE_CORE_DEVICE_MATH_HYPERBOLIC_H_
