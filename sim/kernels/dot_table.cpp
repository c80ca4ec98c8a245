#include "sim/kernels/dot_parts.h"

namespace tilescope::TILESCOPE_ISA {

extern const DotKernels dot_kernels_table;
const DotKernels dot_kernels_table = {dot_fma_f32, dot_fma_f64, dot_int8, dot_tensor_core, dot_to_f32, dot_to_f16};

}  // namespace tilescope::TILESCOPE_ISA
