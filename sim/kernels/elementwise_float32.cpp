#include "sim/kernels/elementwise.h"

namespace tilescope::TILESCOPE_ISA {

ElementwiseFn elementwise_float32(OpCode op) { return find_lanes<DType::Float32>(op); }

}  // namespace tilescope::TILESCOPE_ISA
