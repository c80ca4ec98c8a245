// The scalar meanings of core/device_math.h in a namespace of this instruction set, for files in sim/kernels only.
#pragma once

#define TILESCOPE_PASTE_(a, b) a##b
#define TILESCOPE_PASTE(a, b) TILESCOPE_PASTE_(a, b)
#define TILESCOPE_MATH_NS TILESCOPE_PASTE(tilescope_math_, TILESCOPE_ISA)
#include "core/device_math.h"

#include "core/op_domain.h"

namespace TILESCOPE_MATH_NS {
/// Rows of ops.def without a scalar meaning name this; nothing calls it.
template <class... A>
void none(A...);

// Names that core/device_math.h does not define yet. A name defined there hides the one here.
namespace missing {
template <class T> T expm1(T x) { return x; }
template <class T> T log1p(T x) { return x; }
template <class T> T tan(T x) { return x; }
template <class T> T asin(T x) { return x; }
template <class T> T acos(T x) { return x; }
template <class T> T atan(T x) { return x; }
template <class T> T sinh(T x) { return x; }
template <class T> T cosh(T x) { return x; }
template <class T> T tanh(T x) { return x; }
template <class T> T erf(T x) { return x; }
template <class T> T atan2(T x, T) { return x; }
template <class T> T pow(T x, T) { return x; }
}  // namespace missing
using namespace missing;
}  // namespace TILESCOPE_MATH_NS

namespace tilescope::TILESCOPE_ISA {

namespace math = ::TILESCOPE_MATH_NS;

template <DType t> struct CTypeOf;
#define TILESCOPE_C_TYPE(dtype, ctype) \
  template <> struct CTypeOf<DType::dtype> { using type = ctype; };
TILESCOPE_C_TYPE(Int1, bool)
TILESCOPE_C_TYPE(Int8, int8_t)
TILESCOPE_C_TYPE(Int16, int16_t)
TILESCOPE_C_TYPE(Int32, int32_t)
TILESCOPE_C_TYPE(Int64, int64_t)
TILESCOPE_C_TYPE(UInt8, uint8_t)
TILESCOPE_C_TYPE(UInt16, uint16_t)
TILESCOPE_C_TYPE(UInt32, uint32_t)
TILESCOPE_C_TYPE(UInt64, uint64_t)
TILESCOPE_C_TYPE(Float8E4NV, math::e4m3)
TILESCOPE_C_TYPE(Float8E5, math::e5m2)
TILESCOPE_C_TYPE(Float16, math::f16)
TILESCOPE_C_TYPE(BFloat16, math::bf16)
TILESCOPE_C_TYPE(Float32, float)
TILESCOPE_C_TYPE(Float64, double)
#undef TILESCOPE_C_TYPE
template <DType t> using CType = typename CTypeOf<t>::type;

/// Meaning<op>::call(x, y ...) is one lane of the op.
template <OpCode op> struct Meaning;
#define TILESCOPE_OP(name, mnemonic, lo, hi, results, group, rule, meaning, doc) \
  template <> struct Meaning<OpCode::name> {                                     \
    template <class... A>                                                        \
    static inline __attribute__((always_inline)) auto call(A... a) {             \
      return math::meaning(a...);                                                \
    }                                                                            \
  };
#include "core/ops.def"


}  // namespace tilescope::TILESCOPE_ISA
