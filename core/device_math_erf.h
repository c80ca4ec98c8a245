// The error function. Coefficients: see core/device_math_exp.h.
#ifndef TILESCOPE_CORE_DEVICE_MATH_ERF_H_
#define TILESCOPE_CORE_DEVICE_MATH_ERF_H_

#include "core/device_math_exp.h"

namespace TILESCOPE_MATH_NS {

/// erf: near zero x + x P(x^2), further out 1 - exp(-Q(|x|)) with Q fitted to -ln(erfc). P is within 2^-30 of erf up to
/// 0.95, Q gives it within 2^-34 up to 4, where erf is 1 in float.
TS_FN float erf(float x) {
  const float a = magnitude(x), z = a * a, c = pick(a > 4.0f, 4.0f, a);
  float p = 0x1.577836p-14f;
  p = fma(p, z, -0x1.a89ceap-11f);
  p = fma(p, z, 0x1.549896p-8f);
  p = fma(p, z, -0x1.b809aep-6f);
  p = fma(p, z, 0x1.ce2ddp-4f);
  p = fma(p, z, -0x1.812742p-2f);
  p = fma(p, z, 0x1.06eba8p-3f);
  float q = 0x1.61ea56p-16f;
  q = fma(q, c, -0x1.c79108p-12f);
  q = fma(q, c, 0x1.115acap-8f);
  q = fma(q, c, -0x1.9b8e7ep-6f);
  q = fma(q, c, 0x1.bb83e4p-4f);
  q = fma(q, c, 0x1.44460cp-1f);
  q = fma(q, c, 0x1.2127e4p+0f);
  q = fma(q, c, -0x1.6e56aap-13f);
  return with_sign(pick(a < 0.93f, fma(p, a, a), 1.0f - exp(-q)), x);
}
/// P within 2^-68 up to 1, Q in |x| - 1 within 2^-66 from there to 6, where erf is 1 in double. Within 2 ulp.
TS_FN double erf(double x) {
  const double a = magnitude(x), z = a * a, c = pick(a > 6.0, 6.0, a) - 1.0;
  double p = -0x1.29339f82ac2c1p-38;
  p = fma(p, z, 0x1.7ed07e5efaf97p-34);
  p = fma(p, z, -0x1.4e56a724859c2p-30);
  p = fma(p, z, 0x1.fc41475f50efp-27);
  p = fma(p, z, -0x1.5f6d6ec900772p-23);
  p = fma(p, z, 0x1.b9e64d5e9d5e1p-20);
  p = fma(p, z, -0x1.f4d255e72dda6p-17);
  p = fma(p, z, 0x1.f9a326bffe868p-14);
  p = fma(p, z, -0x1.c02db3fedb466p-11);
  p = fma(p, z, 0x1.565bcd0e64b82p-8);
  p = fma(p, z, -0x1.b82ce312889a1p-6);
  p = fma(p, z, 0x1.ce2f21a042bddp-4);
  p = fma(p, z, -0x1.812746b0379e7p-2);
  p = fma(p, z, 0x1.06eba8214db69p-3);
  double q = -0x1.96b94bc23df44p-46;
  q = fma(q, c, 0x1.c14aecbf34312p-41);
  q = fma(q, c, -0x1.d3c1f8026946cp-37);
  q = fma(q, c, 0x1.31a2d51e101c3p-33);
  q = fma(q, c, -0x1.1919ea44d0b36p-30);
  q = fma(q, c, 0x1.80e20c1169463p-28);
  q = fma(q, c, -0x1.8fd79e5780213p-26);
  q = fma(q, c, 0x1.317a52b32adcfp-24);
  q = fma(q, c, -0x1.183cf150ed11cp-23);
  q = fma(q, c, -0x1.abe2ddedd6cbbp-24);
  q = fma(q, c, 0x1.0eaa8ec72f746p-19);
  q = fma(q, c, -0x1.415461d9231a7p-17);
  q = fma(q, c, 0x1.c758d184bba47p-16);
  q = fma(q, c, -0x1.b8be1cf99bb82p-16);
  q = fma(q, c, -0x1.f1b4bc618faecp-13);
  q = fma(q, c, 0x1.033f69944e6a4p-9);
  q = fma(q, c, -0x1.48c9d40bf812fp-7);
  q = fma(q, c, 0x1.5477f09ca8cfdp-5);
  q = fma(q, c, 0x1.afabc11a28f3dp-1);
  q = fma(q, c, 0x1.51c9b0006c23dp+1);
  q = fma(q, c, 0x1.d97fbf27aa2a1p+0);
  return with_sign(pick(a < 1.0, fma(p, a, a), 1.0 - exp(-q)), x);
}

}  // namespace TILESCOPE_MATH_NS

#endif  // TILESCOPE_CORE_DEVICE_MATH_ERF_H_
