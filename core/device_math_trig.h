// Circular functions. Coefficients: see core/device_math_exp.h.
#ifndef TILESCOPE_CORE_DEVICE_MATH_TRIG_H_
#define TILESCOPE_CORE_DEVICE_MATH_TRIG_H_

#include "core/device_math_log.h"

namespace TILESCOPE_MATH_NS {

/// x = quadrant * pi/2 + (r + tail) modulo 2 pi, |r| <= pi/4 (a hair more after rounding).
template <class T>
struct Quadrant {
  T r, tail;
  uint32_t quadrant;
};

/// Up to this magnitude, three words of pi/2 reduce an argument to full accuracy (float and double).
inline constexpr float kTrigLimit = 1048576.0f;

/// x - n * pi/2 where pi/2 = p1 + p2 + p3. n * p1 cancels exactly; n * p2 is kept as product and error.
template <class T>
TS_FN Quadrant<T> subtract_quadrants(T x, T n, uint32_t quadrant, T p1, T p2, T p3) {
  const T r1 = fma(n, -p1, x), w = n * p2, w_error = fma(n, p2, -w);
  const T r = r1 - w, back = r - r1;
  const T error = (r1 - (r - back)) - (w + back);
  return {r, fma(n, -p3, error - w_error), quadrant};
}
TS_FN Quadrant<float> reduce_near(float x) {
  const float t = fma(x, 0x1.45f306p-1f, magic_f());
  return subtract_quadrants(x, t - magic_f(), float_bits(t), 0x1.921fb6p+0f, -0x1.777a5cp-25f, -0x1.ee59dap-50f);
}
TS_FN Quadrant<double> reduce_near(double x) {
  const double t = fma(x, 0x1.45f306dc9c883p-1, magic_d());
  return subtract_quadrants(x, t - magic_d(), (uint32_t)float_bits(t), 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54,
                            -0x1.f1976b7ed8fbcp-110);
}

/// 64 bits of 2/pi; word 0 holds the 64 bits above the binary point, which are zero.
TS_FN uint64_t two_over_pi(int word) {
  constexpr uint64_t words[20] = {0,
                                  0xa2f9836e4e441529,
                                  0xfc2757d1f534ddc0,
                                  0xdb6295993c439041,
                                  0xfe5163abdebbc561,
                                  0xb7246e3a424dd2e0,
                                  0x06492eea09d1921c,
                                  0xfe1deb1cb129a73e,
                                  0xe88235f52ebb4484,
                                  0xe99c7026b45f7e41,
                                  0x3991d639835339f4,
                                  0x9c845f8bbdf9283b,
                                  0x1ff897ffde05980f,
                                  0xef2f118b5a0a6d1f,
                                  0x6d367ecf27cb09b7,
                                  0x4f463f669e5fea2d,
                                  0x7527bac7ebe5f17b,
                                  0x3d0739f78a5292ea,
                                  0x6bfb5fb11f8d5d08,
                                  0x56033046fc7b6bab};
  return words[word];
}
TS_FN uint64_t two_over_pi_at(int bit) {
  const int word = bit >> 6, shift = bit & 63;
  return shift == 0 ? two_over_pi(word) : (two_over_pi(word) << shift) | (two_over_pi(word + 1) >> (64 - shift));
}

/// Reduction of any |x| >= 1 by the bits of 2/pi that matter for it (Payne and Hanek): x = m * 2^e, and the bits of
/// 2/pi that m * 2^e turns into multiples of 4 are left out. 192 bits remain, of which the product keeps the top 128.
TS_FN Quadrant<double> reduce_far(double x) {
  const uint64_t u = float_bits(x), exponent = (u >> 52) & 0x7ff;
  if (exponent == 0x7ff) return {quiet_nan<double>(), 0.0, 0};
  const uint64_t m = (u & 0xfffffffffffffull) | (1ull << 52);
  const int bit = (int)exponent - 1075 + 62;
  const uint64_t w0 = two_over_pi_at(bit), w1 = two_over_pi_at(bit + 64), w2 = two_over_pi_at(bit + 128);
  uint64_t low = m * w1, high = m * w0 + umulhi(m, w1);
  const uint64_t carry_in = umulhi(m, w2);
  low += carry_in;
  high += (uint64_t)(low < carry_in);
  // The top two bits count quadrants; the rest, read as signed, is the distance to the nearest one.
  const int64_t fraction = (int64_t)((high << 2) | (low >> 62));
  const auto quadrant = (uint32_t)(high >> 62) + (uint32_t)((uint64_t)fraction >> 63);
  const double h = (double)(int64_t)((uint64_t)fraction & ~0x7ffull) * 0x1p-64;
  const double l = (double)(int64_t)(fraction & 0x7ff) * 0x1p-64 + (double)(int64_t)((low << 2) >> 1) * 0x1p-127;
  const double p = h * 0x1.921fb54442d18p+0;
  const double p_error = fma(h, 0x1.921fb54442d18p+0, -p) + fma(h, 0x1.1a62633145c07p-54, l * 0x1.921fb54442d18p+0);
  const double r = p + p_error, tail = (p - r) + p_error;
  const bool negative = (u >> 63) != 0;
  return {negative ? -r : r, negative ? -tail : tail, negative ? 0u - quadrant : quadrant};
}
TS_FN Quadrant<float> reduce_far(float x) {
  const Quadrant<double> q = reduce_far((double)x);
  const float r = (float)q.r;
  return {r, (float)(q.r - (double)r), q.quadrant};
}

/// sin(r + tail), |r| <= pi/4: r + r^3 S(r^2) + tail, S fitted within 2^-37.5 (float) and 2^-68 (double) of sin.
TS_FN float sin_kernel(float r, float tail) {
  const float z = r * r;
  float s = 0x1.6cd5e8p-19f;
  s = fma(s, z, -0x1.a00f94p-13f);
  s = fma(s, z, 0x1.111108p-7f);
  s = fma(s, z, -0x1.555556p-3f);
  return r + fma(s, r * z, tail);
}
TS_FN double sin_kernel(double r, double tail) {
  const double z = r * r;
  double s = -0x1.aaa3744812f5ep-41;
  s = fma(s, z, 0x1.61208f1c2e771p-33);
  s = fma(s, z, -0x1.ae645292c2dd1p-26);
  s = fma(s, z, 0x1.71de3a5335553p-19);
  s = fma(s, z, -0x1.a01a01a018ab3p-13);
  s = fma(s, z, 0x1.111111111110bp-7);
  s = fma(s, z, -0x1.5555555555555p-3);
  return r + fma(s, r * z, fma(-0.5 * z, tail, tail));
}
/// cos(r + tail): 1 - r^2/2 + r^4 C(r^2) - r tail, C fitted within 2^-43 (float) and 2^-75 (double) of cos.
TS_FN float cos_kernel(float r, float tail) {
  const float z = r * r, half = 0.5f * z, high = 1.0f - half;
  float c = -0x1.242908p-22f;
  c = fma(c, z, 0x1.a01118p-16f);
  c = fma(c, z, -0x1.6c16b8p-10f);
  c = fma(c, z, 0x1.555556p-5f);
  return high + (((1.0f - high) - half) + fma(c, z * z, -r * tail));
}
TS_FN double cos_kernel(double r, double tail) {
  const double z = r * r, half = 0.5 * z, high = 1.0 - half;
  double c = 0x1.aac3f465f8e3p-45;
  c = fma(c, z, -0x1.9393347b9e823p-37);
  c = fma(c, z, 0x1.1eed8ca060513p-29);
  c = fma(c, z, -0x1.27e4fb75fa93cp-22);
  c = fma(c, z, 0x1.a01a01a018dbfp-16);
  c = fma(c, z, -0x1.6c16c16c16c1p-10);
  c = fma(c, z, 0x1.5555555555555p-5);
  return high + (((1.0 - high) - half) + fma(c, z * z, -r * tail));
}

/// The sine of a reduced argument advanced by `quarters` quadrants: 0 gives sin, 1 gives cos.
template <class T>
TS_FN T sin_of_quadrant(Quadrant<T> q, uint32_t quarters) {
  const uint32_t k = q.quadrant + quarters;
  const T v = pick((k & 1u) != 0, cos_kernel(q.r, q.tail), sin_kernel(q.r, q.tail));
  return pick((k & 2u) != 0, -v, v);
}

/// sin(x) for |x| <= kTrigLimit, without branches: a loop over it vectorises. The same bits as sin(x).
template <class T>
TS_FN T sin_near(T x) {
  // Tiny arguments return themselves: the sine of x differs from x by less than rounding, and -0 keeps its sign.
  constexpr T tiny = is_same<T, float> ? T(0x1p-12) : T(0x1p-27);
  return pick(magnitude(x) < tiny, x, sin_of_quadrant(reduce_near(x), 0));
}
/// cos(x) for |x| <= kTrigLimit, without branches. The same bits as cos(x).
template <class T>
TS_FN T cos_near(T x) {
  return sin_of_quadrant(reduce_near(x), 1);
}
/// sin for every x: the reduction is as accurate beyond kTrigLimit (it then uses all bits of 2/pi), only slower.
/// sin(inf) is NaN.
TS_FN float sin(float x) { return magnitude(x) <= kTrigLimit ? sin_near(x) : sin_of_quadrant(reduce_far(x), 0); }
TS_FN double sin(double x) {
  return magnitude(x) <= (double)kTrigLimit ? sin_near(x) : sin_of_quadrant(reduce_far(x), 0);
}
/// cos for every x, as sin.
TS_FN float cos(float x) { return magnitude(x) <= kTrigLimit ? cos_near(x) : sin_of_quadrant(reduce_far(x), 1); }
TS_FN double cos(double x) {
  return magnitude(x) <= (double)kTrigLimit ? cos_near(x) : sin_of_quadrant(reduce_far(x), 1);
}

/// tan: sine over cosine of one reduction, within 3 ulp in double. The float one is computed in double.
TS_FN double tan(double x) {
  const Quadrant<double> q = magnitude(x) <= (double)kTrigLimit ? reduce_near(x) : reduce_far(x);
  const double s = sin_kernel(q.r, q.tail), c = cos_kernel(q.r, q.tail);
  const bool odd = (q.quadrant & 1u) != 0;
  return pick(magnitude(x) < 0x1p-27, x, divide(pick(odd, -c, s), pick(odd, s, c)));
}
TS_FN float tan(float x) { return (float)tan((double)x); }

}  // namespace TILESCOPE_MATH_NS

#endif  // TILESCOPE_CORE_DEVICE_MATH_TRIG_H_
