// The arithmetic of one lane, for the references of the simulator's tests. Bits are canonical: above the element's
// width they are 0.
#pragma once

#include <cstdint>

#include "core/ir.h"

namespace tilescope::property {

/// Two operands of type t; comparisons give 0 or 1. Integers are computed here, floats by core/device_math.h.
uint64_t lane(OpCode op, DType t, uint64_t a, uint64_t b);
uint64_t lane(OpCode op, DType t, uint64_t a);
uint64_t fma_lane(DType t, uint64_t a, uint64_t b, uint64_t c);
/// Value conversion; to int1 it is `!= 0`.
uint64_t cast_lane(DType from, DType to, uint64_t bits);
uint64_t bitcast_lane(DType from, DType to, uint64_t bits);
/// A Python number as an element.
uint64_t number_lane(DType t, double value);
/// The value of an integer element; uint64 keeps its bits.
int64_t signed_lane(DType t, uint64_t bits);
bool is_nan_lane(DType t, uint64_t bits);

}  // namespace tilescope::property
