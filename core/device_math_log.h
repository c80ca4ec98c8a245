// Logarithms. Coefficients: see core/device_math_exp.h.
#ifndef TILESCOPE_CORE_DEVICE_MATH_LOG_H_
#define TILESCOPE_CORE_DEVICE_MATH_LOG_H_

#include "core/device_math_exp.h"

namespace TILESCOPE_MATH_NS {

/// ln(x) = exponent * ln(2) + (high + low), where |low| is at most half a last place of high.
template <class T>
struct LogParts {
  T exponent, high, low;
};

/// ln(1 + f) as high + low for sqrt(1/2) - 1 <= f <= sqrt(2) - 1:
/// f - f^2/2 + f^3 P(f), P fitted so that the whole is within 2^-27.3 of it.
TS_FN LogParts<float> log1p_parts(float f, float exponent) {
  float p = -0x1.38b73ep-4f;
  p = fma(p, f, 0x1.055decp-3f);
  p = fma(p, f, -0x1.0d860ep-3f);
  p = fma(p, f, 0x1.22d9d2p-3f);
  p = fma(p, f, -0x1.54722ap-3f);
  p = fma(p, f, 0x1.99a00ap-3f);
  p = fma(p, f, -0x1.000228p-2f);
  p = fma(p, f, 0x1.555554p-2f);
  p = fma(p, f, -0.5f);
  const float rest = p * (f * f), high = f + rest;
  return {exponent, high, (f - high) + rest};
}
/// The same for double: with s = f / (2 + f), ln(1 + f) = f - f^2/2 + s (f^2/2 + R(s^2)), R fitted within 2^-65.
TS_FN LogParts<double> log1p_parts(double f, double exponent) {
  const double s = divide(f, 2.0 + f), z = s * s, half = 0.5 * f * f;
  double p = 0x1.0f6b1ae1f68p-3;
  p = fma(p, z, 0x1.0f5be8bf6655ep-3);
  p = fma(p, z, 0x1.3b20b563200f7p-3);
  p = fma(p, z, 0x1.745cddfd1bffap-3);
  p = fma(p, z, 0x1.c71c7259ad8bp-3);
  p = fma(p, z, 0x1.249249242ab24p-2);
  p = fma(p, z, 0x1.9999999999e06p-2);
  p = fma(p, z, 0x1.5555555555555p-1);
  const double rest = fma(s, fma(p, z, half), -half), high = f + rest;
  return {exponent, high, (f - high) + rest};
}

/// Parts of ln(x) for x > 0: x = 2^exponent (1 + f) with 1 + f between sqrt(1/2) and sqrt(2); subnormals are scaled up.
TS_FN LogParts<float> log_parts(float x) {
  const bool tiny = x < 0x1p-126f;
  const uint32_t u = float_bits(pick(tiny, x * 0x1p23f, x)) - 0x3f3504f3u;
  const float f = as_float((u & 0x7fffffu) + 0x3f3504f3u) - 1.0f;
  return log1p_parts(f, (float)((int32_t)u >> 23) + pick(tiny, -23.0f, 0.0f));
}
TS_FN LogParts<double> log_parts(double x) {
  const bool tiny = x < 0x1p-1022;
  const uint64_t base = 0x3fe6a09e667f3bcdull, u = float_bits(pick(tiny, x * 0x1p52, x)) - base;
  const double f = as_double((u & 0xfffffffffffffull) + base) - 1.0;
  return log1p_parts(f, (double)((int32_t)(u >> 32) >> 20) + pick(tiny, -52.0, 0.0));
}

/// What every logarithm gives outside its domain and at its ends: log(0) = -inf, log(< 0) = NaN, log(inf) = inf.
TS_FN float log_specials(float x, float result) {
  const float r = pick(x < infinity_f(), result, x);
  return pick(x == 0.0f, -infinity_f(), pick(x < 0.0f, quiet_nan<float>(), r));
}
TS_FN double log_specials(double x, double result) {
  const double r = pick(x < infinity_d(), result, x);
  return pick(x == 0.0, -infinity_d(), pick(x < 0.0, quiet_nan<double>(), r));
}

/// exponent * (unit_high + unit_low) + (high + low) * (c_high + c_low): the logarithm to another base.
template <class T>
TS_FN T log_in_base(LogParts<T> p, T unit_high, T unit_low, T c_high, T c_low) {
  const T h = p.high * c_high;
  const T l = fma(p.high, c_high, -h) + fma(p.low, c_high, p.high * c_low);
  const T e = p.exponent * unit_high;  // exact: unit_high leaves room for the bits of the exponent
  const T sum = e + h, error = (e - sum) + h;
  return sum + (error + fma(p.exponent, unit_low, l));
}

TS_FN float log(float x) {
  const LogParts<float> p = log_parts(x);
  const float r = fma(p.exponent, 0x1.62e4p-1f, p.high) + fma(p.exponent, 0x1.7f7d1cp-20f, p.low);
  return log_specials(x, r);
}
TS_FN double log(double x) {
  const LogParts<double> p = log_parts(x);
  const double r = fma(p.exponent, 0x1.62e42fefa4p-1, p.high) + fma(p.exponent, -0x1.8432a1b0e2634p-43, p.low);
  return log_specials(x, r);
}
TS_FN float log2(float x) {
  return log_specials(x, log_in_base(log_parts(x), 1.0f, 0.0f, 0x1.715476p+0f, 0x1.4ae0cp-26f));
}
TS_FN double log2(double x) {
  return log_specials(x, log_in_base(log_parts(x), 1.0, 0.0, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56));
}
TS_FN float log10(float x) {
  return log_specials(x, log_in_base(log_parts(x), 0x1.344p-2f, 0x1.3509f8p-18f, 0x1.bcb7b2p-2f, -0x1.5b235ep-27f));
}
TS_FN double log10(double x) {
  return log_specials(x, log_in_base(log_parts(x), 0x1.34413509f8p-2, -0x1.80433b83b532ap-44, 0x1.bcb7b1526e50ep-2,
                                     0x1.95355baaafad3p-57));
}

}  // namespace TILESCOPE_MATH_NS

#endif  // TILESCOPE_CORE_DEVICE_MATH_LOG_H_
