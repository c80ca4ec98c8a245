// Inverse circular functions, in double; the float ones are the double ones rounded. Coefficients:
// core/device_math_exp.h.
#ifndef TILESCOPE_CORE_DEVICE_MATH_INVERSE_TRIG_H_
#define TILESCOPE_CORE_DEVICE_MATH_INVERSE_TRIG_H_

#include "core/device_math_bits.h"

namespace TILESCOPE_MATH_NS {

/// (atan(t) - t) / t^3 as a polynomial of z = t^2 for |t| <= sqrt(2) - 1, fitted so that atan is within 2^-64.
TS_FN double atan_slope(double z) {
  double p = 0x1.f1e521205d88p-7;
  p = fma(p, z, -0x1.12367df5c422bp-5);
  p = fma(p, z, 0x1.70ec96083081cp-5);
  p = fma(p, z, -0x1.ab7d4b36323acp-5);
  p = fma(p, z, 0x1.e171f66dd93p-5);
  p = fma(p, z, -0x1.110c7241c38f9p-4);
  p = fma(p, z, 0x1.3b136e238484cp-4);
  p = fma(p, z, -0x1.745d14b943c3ep-4);
  p = fma(p, z, 0x1.c71c71b7474e7p-4);
  p = fma(p, z, -0x1.249249247568cp-3);
  p = fma(p, z, 0x1.999999999964bp-3);
  return fma(p, z, -0x1.5555555555554p-2);
}
/// atan, within 2 ulp: around 0, 1 and infinity the tangent of the distance to 0, pi/4 and pi/2 is at most sqrt(2) - 1.
TS_FN double atan(double x) {
  const double a = magnitude(x);
  const bool far = a > 0x1.3504f333f9de6p+1, middle = a > 0x1.a827999fcef32p-2;
  const double top = pick(far, -1.0, pick(middle, a - 1.0, a));
  const double bottom = pick(far, a, pick(middle, a + 1.0, 1.0));
  const double t = divide(top, bottom), z = t * t;
  const double high = pick(far, 0x1.921fb54442d18p+0, pick(middle, 0x1.921fb54442d18p-1, 0.0));
  const double low = pick(far, 0x1.1a62633145c07p-54, pick(middle, 0x1.1a62633145c07p-55, 0.0));
  return with_sign(high + (t + fma(atan_slope(z), z * t, low)), x);
}

/// The angle of the point (x, y), in (-pi, pi], within 2 ulp. Zeros and infinities as C's atan2 has them.
TS_FN double atan2(double y, double x) {
  double a = magnitude(y), b = magnitude(x);
  if (x != x || y != y) return quiet_nan<double>();
  if (a == infinity_d() && b == infinity_d()) a = b = 1.0;
  const double angle = a == 0.0 && b == 0.0 ? 0.0 : atan(divide(a, b));
  const bool left = (float_bits(x) >> 63) != 0;
  return with_sign(left ? 0x1.921fb54442d18p+1 - (angle - 0x1.1a62633145c07p-53) : angle, y);
}

/// asin(s) - s relative to s as a polynomial of z = s^2 for s <= 1/2, fitted so that asin is within 2^-63.
TS_FN double asin_excess(double z) {
  double p = 0x1.139962ae225afp-5;
  p = fma(p, z, -0x1.ac664a20d5386p-6);
  p = fma(p, z, 0x1.96bbd78aca118p-6);
  p = fma(p, z, 0x1.65e1226f7282fp-11);
  p = fma(p, z, 0x1.47ff90f0508e8p-7);
  p = fma(p, z, 0x1.36c4e394a2dd4p-7);
  p = fma(p, z, 0x1.7ba3f4016ea3cp-7);
  p = fma(p, z, 0x1.c980e6a961a17p-7);
  p = fma(p, z, 0x1.1c4f854cf7aa9p-6);
  p = fma(p, z, 0x1.6e8b9af362573p-6);
  p = fma(p, z, 0x1.f1c71ca8317dbp-6);
  p = fma(p, z, 0x1.6db6db6d48c0dp-5);
  p = fma(p, z, 0x1.3333333333a3bp-4);
  return z * fma(p, z, 0x1.5555555555553p-3);
}
/// asin, within 2 ulp: above 1/2 from asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2)). NaN beyond 1.
TS_FN double asin(double x) {
  const double a = magnitude(x);
  const bool large = a > 0.5;
  const double z = pick(large, 0.5 - 0.5 * a, a * a), s = pick(large, sqrt(z), a), e = s * asin_excess(z);
  const double from_one = 0x1.921fb54442d18p+0 - 2.0 * (s + (e - 0x1.1a62633145c07p-55));
  return with_sign(pick(large, from_one, s + e), x);
}
/// acos, within 2 ulp: pi/2 - asin(x) near 0, 2 asin(sqrt((1 - |x|) / 2)) or pi minus that towards the ends.
TS_FN double acos(double x) {
  const double a = magnitude(x);
  const bool large = a > 0.5;
  const double z = pick(large, 0.5 - 0.5 * a, a * a), s = pick(large, sqrt(z), x), e = s * asin_excess(z);
  const double near_zero = 0x1.921fb54442d18p+0 - (s + (e - 0x1.1a62633145c07p-54));
  const double near_left = 0x1.921fb54442d18p+1 - 2.0 * (s + (e - 0x1.1a62633145c07p-54));
  return pick(large, pick(x < 0.0, near_left, 2.0 * (s + e)), near_zero);
}

TS_FN float atan(float x) { return (float)atan((double)x); }
TS_FN float atan2(float y, float x) { return (float)atan2((double)y, (double)x); }
TS_FN float asin(float x) { return (float)asin((double)x); }
TS_FN float acos(float x) { return (float)acos((double)x); }

}  // namespace TILESCOPE_MATH_NS

#endif  // TILESCOPE_CORE_DEVICE_MATH_INVERSE_TRIG_H_
