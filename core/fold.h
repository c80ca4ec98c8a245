// The scalar meaning of elementwise ops on constants, and the bit patterns of numbers as element types.
// element_bits, which makes bit patterns from numbers, is declared in core/builder.h.
#pragma once

#include <cstdint>
#include <optional>

#include "core/ir.h"

namespace tilescope {

/// The element's value as a double: exact for every type but 64-bit integers.
double element_to_double(DType t, uint64_t bits);
/// The element's value as a signed 64-bit integer (uint64 keeps its bits); not for floats.
int64_t element_to_int(DType t, uint64_t bits);
/// The bits above the element's width cleared: the one form in which constants are kept.
uint64_t canonical_bits(DType t, uint64_t bits);

/// One lane of an elementwise op, by the function of core/device_math.h that ops.def names: the same source that the
/// simulator and the GPU run. `operand` is the element type of the operands (for Select: of the chosen values), `result`
/// the type to convert to for Cast and Bitcast, and is not asked otherwise. Bits are canonical on both sides, NaNs too.
/// Empty when the op has no scalar meaning for that type (pointers, Philox, an op that op_takes refuses).
std::optional<uint64_t> evaluate(OpCode op, DType operand, DType result, const uint64_t* operands);

}  // namespace tilescope
