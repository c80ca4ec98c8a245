// Finds offsets that wrap: next to every narrow integer that an address is made of, the same arithmetic in 64 bits. At
// each access the two addresses are compared lane by lane, on the lanes that are on; so an offset that wraps and is
// brought back (a + b - b), or that no lane in use has, raises nothing. Arithmetic that is meant to wrap is left alone:
// bit operations, shifts to the right, remainders, high products, truncations and loads end what is followed.
#pragma once

#include "core/ir.h"

namespace tilescope {

/// A copy with shadow values and with checks: ops `print` with the attribute kOverflowAttr, which only a plan of the
/// simulator knows (sim/exec_overflow.cpp). Results, order and locations of everything else stay as they are.
Function with_offset_shadows(const Function& f);

/// Value "witness": operands (value, its shadow), attribute "id". Value "check": operands (pointers, their shadow, mask?),
/// attribute "slice": the witnesses that the pointers are made of.
inline constexpr const char* kOverflowAttr = "overflow";

}  // namespace tilescope
