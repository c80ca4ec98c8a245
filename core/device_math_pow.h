// Powers. Coefficients: see core/device_math_exp.h.
#ifndef TILESCOPE_CORE_DEVICE_MATH_POW_H_
#define TILESCOPE_CORE_DEVICE_MATH_POW_H_

#include "core/device_math_log.h"

namespace TILESCOPE_MATH_NS {

/// A number as the unevaluated sum of two doubles, about 106 bits.
struct Twofold {
  double high, low;
};
TS_FN Twofold times(Twofold a, Twofold b) {
  const double p = a.high * b.high;
  return {p, fma(a.high, b.high, -p) + fma(a.high, b.low, a.low * b.high)};
}

/// log2(x) for finite x > 0 to about 2^-64 of itself: with s = f / (2 + f), ln(1 + f) = 2 (s + s^3/3 + s^5 Q(s^2)); the
/// first two terms carry a second double, Q is fitted so that the sum is within 2^-66.
TS_FN Twofold log2_twofold(double x) {
  const bool tiny = x < 0x1p-1022;
  const uint64_t base = 0x3fe6a09e667f3bcdull, u = float_bits(pick(tiny, x * 0x1p52, x)) - base;
  const double f = as_double((u & 0xfffffffffffffull) + base) - 1.0;
  const double exponent = (double)((int32_t)(u >> 32) >> 20) + pick(tiny, -52.0, 0.0);
  const double d = 2.0 + f, d_low = f - (d - 2.0), s_high = divide(f, d);
  const Twofold s{s_high, divide(fma(-s_high, d, f) - s_high * d_low, d)};
  const Twofold z = times(s, s), third = times(times(s, z), {0x1.5555555555555p-2, 0x1.5555555555555p-56});
  double q = 0x1.0e4a38c3db0d3p-4;
  q = fma(q, z.high, 0x1.0f7f1fae3eeap-4);
  q = fma(q, z.high, 0x1.3b1ef46d3e17fp-4);
  q = fma(q, z.high, 0x1.745ce9b679038p-4);
  q = fma(q, z.high, 0x1.c71c722de45e2p-4);
  q = fma(q, z.high, 0x1.24924924577f8p-3);
  q = fma(q, z.high, 0x1.9999999999b33p-3);
  const double h = s.high + third.high;
  const double l = ((s.high - h) + third.high) + (s.low + third.low + q * (z.high * z.high * s.high));
  const Twofold r = times({h, l}, {0x1.71547652b82fep+1, 0x1.777d0ffda0d24p-55});
  const double sum = exponent + r.high;
  return {sum, ((exponent - sum) + r.high) + r.low};
}

/// a^y for a >= 0, without the cases that need no logarithm.
TS_FN double pow_magnitude(double a, double y) {
  const Twofold l = log2_twofold(a);
  const double high = log_specials(a, l.high), p = y * high;
  const double low = fma(y, high, -p) + y * l.low;
  return exp2_sum(p, pick(magnitude(p) < 1100.0, low, 0.0));
}
TS_FN float pow_magnitude(float a, float y) { return (float)exp2((double)y * log2((double)a)); }

/// x^y with the special cases of C's pow. float: within 1 ulp, computed in double; double: within 2 ulp.
template <class T>
TS_FN T pow(T x, T y) {
  const T a = magnitude(x), half = y * T(0.5);
  const bool integer = trunc(y) == y, odd = integer & (trunc(half) != half), negative = with_sign(T(1), x) < T(0);
  T r = pick((a == T(1)) & (y == y), T(1), pow_magnitude(a, y));
  r = pick(negative & odd, -r, r);
  r = pick(x < T(0) && isfinite(x) && isfinite(y) && !integer, quiet_nan<T>(), r);
  return pick((y == T(0)) | (x == T(1)), T(1), r);
}

}  // namespace TILESCOPE_MATH_NS

#endif  // TILESCOPE_CORE_DEVICE_MATH_POW_H_
