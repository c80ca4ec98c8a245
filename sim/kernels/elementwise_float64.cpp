#include "sim/kernels/elementwise.h"

namespace tilescope::TILESCOPE_ISA {

ElementwiseFn elementwise_float64(OpCode op) { return find_lanes<DType::Float64>(op); }

}  // namespace tilescope::TILESCOPE_ISA
