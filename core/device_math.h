// The scalar meaning of every arithmetic operation, conversion and math function, written once, in the common subset of
// C++17 and CUDA. g++ compiles it into the simulator and the constant folder; the same text goes to NVRTC inside
// emitted kernels. CPU and GPU agree to the last bit because they run this source.
//
// Rules that every device_math_*.h file keeps:
//  * Only + - * on float and double, and the correctly rounded fma, sqrt and division of device_math_bits.h, touch
//  floats.
//    No libm. Compile with -ffp-contract=off (--fmad=false) and without fast-math or flush-to-zero: an fma happens
//    where fma() is written and nowhere else. Then -O0 and -O3, SSE2, AVX2, AVX-512 and a GPU all give the same bytes.
//  * No branches on the main path of what kernels call often, so that loops over arrays vectorise. The rest may branch.
//  * NaNs: any NaN may come out where a NaN is due; bitcast to an integer and the conversions give the GPU's NaN.
//  * float functions are within 2 ulp of the true value (sigmoid: 2.5) and keep subnormals; a double function is within
//    2 ulp unless its comment says otherwise. fp16, bf16 and fp8 go through float and are rounded back.
//
// The includer may compile these files several times for several instruction sets: define TILESCOPE_MATH_NS to a
// different name each time, so that the copies are different functions. For NVRTC, hand over the texts of all the
// headers under the names in their #include lines.
#ifndef TILESCOPE_CORE_DEVICE_MATH_H_
#define TILESCOPE_CORE_DEVICE_MATH_H_

#include "core/device_math_arith.h"
#include "core/device_math_bits.h"
#include "core/device_math_convert.h"
#include "core/device_math_erf.h"
#include "core/device_math_exp.h"
#include "core/device_math_hyperbolic.h"
#include "core/device_math_inverse_trig.h"
#include "core/device_math_log.h"
#include "core/device_math_pow.h"
#include "core/device_math_random.h"
#include "core/device_math_trig.h"

namespace TILESCOPE_MATH_NS {

/// A float function on a small float: computed in float, rounded once more.
#define TS_ON_SMALL_FLOATS(name)                                 \
  TS_FN f16 name(f16 x) { return to_f16(name(to_float(x))); }    \
  TS_FN bf16 name(bf16 x) { return to_bf16(name(to_float(x))); } \
  TS_FN e4m3 name(e4m3 x) { return to_e4m3(name(to_float(x))); } \
  TS_FN e5m2 name(e5m2 x) { return to_e5m2(name(to_float(x))); }

TS_ON_SMALL_FLOATS(sqrt)
TS_ON_SMALL_FLOATS(rsqrt)
TS_ON_SMALL_FLOATS(rint)
TS_ON_SMALL_FLOATS(trunc)
TS_ON_SMALL_FLOATS(floor)
TS_ON_SMALL_FLOATS(ceil)
TS_ON_SMALL_FLOATS(round)
TS_ON_SMALL_FLOATS(exp)
TS_ON_SMALL_FLOATS(exp2)
TS_ON_SMALL_FLOATS(expm1)
TS_ON_SMALL_FLOATS(sigmoid)
TS_ON_SMALL_FLOATS(log)
TS_ON_SMALL_FLOATS(log2)
TS_ON_SMALL_FLOATS(log10)
TS_ON_SMALL_FLOATS(log1p)
TS_ON_SMALL_FLOATS(sin)
TS_ON_SMALL_FLOATS(cos)
TS_ON_SMALL_FLOATS(tan)
TS_ON_SMALL_FLOATS(asin)
TS_ON_SMALL_FLOATS(acos)
TS_ON_SMALL_FLOATS(atan)
TS_ON_SMALL_FLOATS(sinh)
TS_ON_SMALL_FLOATS(cosh)
TS_ON_SMALL_FLOATS(tanh)
TS_ON_SMALL_FLOATS(erf)
#undef TS_ON_SMALL_FLOATS

#define TS_ON_TWO_SMALL_FLOATS(name)                                                  \
  TS_FN f16 name(f16 x, f16 y) { return to_f16(name(to_float(x), to_float(y))); }     \
  TS_FN bf16 name(bf16 x, bf16 y) { return to_bf16(name(to_float(x), to_float(y))); } \
  TS_FN e4m3 name(e4m3 x, e4m3 y) { return to_e4m3(name(to_float(x), to_float(y))); } \
  TS_FN e5m2 name(e5m2 x, e5m2 y) { return to_e5m2(name(to_float(x), to_float(y))); }

TS_ON_TWO_SMALL_FLOATS(atan2)
TS_ON_TWO_SMALL_FLOATS(pow)
#undef TS_ON_TWO_SMALL_FLOATS

}  // namespace TILESCOPE_MATH_NS

#endif  // TILESCOPE_CORE_DEVICE_MATH_H_
