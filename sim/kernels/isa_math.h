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

/// Meaning<op>::call(x, y ...) is one lane of the op; kKeepsType: the result has the operands' type (some meanings, such
/// as popc, compute in a wider one).
template <OpCode op> struct Meaning;
#define TILESCOPE_OP(name, mnemonic, lo, hi, results, group, rule, meaning, doc) \
  template <> struct Meaning<OpCode::name> {                                     \
    static constexpr bool kKeepsType = TypeRule::rule == TypeRule::Same;         \
    template <class... A>                                                        \
    static inline __attribute__((always_inline)) auto call(A... a) {             \
      return math::meaning(a...);                                                \
    }                                                                            \
  };
#include "core/ops.def"


}  // namespace tilescope::TILESCOPE_ISA
