// The scalar meaning of elementwise ops on constants, and the bit patterns of numbers as element types.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/ir.h"

namespace tilescope {

/// The element's value as a double: exact for every type but 64-bit integers. Pointers have none: pass their DType UInt64.
double element_to_double(DType t, uint64_t bits);
/// The element's value as a signed 64-bit integer (uint64 keeps its bits); floats are not accepted.
int64_t element_to_int(DType t, uint64_t bits);
/// The bits above the element's width cleared: the one form in which constants are kept.
uint64_t canonical_bits(DType t, uint64_t bits);

}  // namespace tilescope
