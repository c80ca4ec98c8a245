// What the files of the dot kernels share; one copy per instruction set.
#pragma once

#include "sim/kernels/dot_kernels.h"
#include "sim/kernels/simd.h"

namespace tilescope {
/// core/stop.h, of which nothing inline must be compiled for one instruction set. Asked once a panel.
void stop_if_asked();
}  // namespace tilescope

namespace tilescope::TILESCOPE_ISA {

/// Columns of a panel of B: the unit in which every dot kernel walks columns.
constexpr int kPanel = 2 * kLanes;

void dot_to_f32(const DotOperand& source, int rows, int columns, float* target, int64_t stride);
void dot_to_f16(const float* source, uint16_t* target, int64_t count);
void dot_fma_f32(const DotOperand& a, const DotOperand& b, float* c, DotShape shape, std::byte* scratch);
void dot_fma_f64(const DotOperand& a, const DotOperand& b, double* c, DotShape shape, std::byte* scratch);
void dot_int8(const DotOperand& a, const DotOperand& b, int32_t* c, DotShape shape, std::byte* scratch);
void dot_tensor_core(const TensorCoreArgs& args, const DotOperand& a, const DotOperand& b, float* c, DotShape shape,
                     std::byte* scratch);

/// The part of a float matrix that starts at row i, column j.
TILESCOPE_INLINE DotOperand part(DotOperand m, int64_t i, int64_t j) {
  int64_t bytes = m.dtype == DType::Float64 ? 8 : m.dtype == DType::Float32 ? 4 : 2;
  if (m.dtype == DType::Float8E4NV || m.dtype == DType::Float8E5) bytes = 1;
  m.data = static_cast<const char*>(m.data) + (i * m.row_stride + j * m.column_stride) * bytes;
  return m;
}

}  // namespace tilescope::TILESCOPE_ISA
