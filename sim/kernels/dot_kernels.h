// The hot loops of dots. sim/dot.h is the entry; these take operands that it has checked.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/dot_operand.h"
#include "sim/kernels/dispatch.h"

namespace tilescope {

/// Sizes of a dot; c is dense, row-major, M x N.
struct DotShape {
  int M, N, K;
};

/// What the vectorised bit model needs to know (see sim/tensor_core.h).
struct TensorCoreArgs {
  int k_group;        ///< 8 or 16
  int fraction_bits;  ///< k_group * 2^(fraction_bits + 2) <= 2^31
  int operand_min_exponent;
  bool cut_to_tf32;   ///< operands lose their low 13 bits
  bool round_to_f16;  ///< c holds fp16 values (as fp32), results are rounded to them
};

/// `scratch` points to dot_scratch_bytes(shape) bytes, aligned to 64.
struct DotKernels {
  /// c := fma chain over k. Operands of any float type but float64, converted exactly.
  void (*fma_f32)(const DotOperand& a, const DotOperand& b, float* c, DotShape shape, std::byte* scratch);
  /// The same for float64.
  void (*fma_f64)(const DotOperand& a, const DotOperand& b, double* c, DotShape shape, std::byte* scratch);
  /// Int8 operands; sums wrap.
  void (*int8)(const DotOperand& a, const DotOperand& b, int32_t* c, DotShape shape, std::byte* scratch);
  /// The bit model, operands of any float type but float64.
  void (*tensor_core)(const TensorCoreArgs& args, const DotOperand& a, const DotOperand& b, float* c, DotShape shape,
                      std::byte* scratch);
  /// Converts exactly to a dense fp32 matrix whose rows start `stride` elements apart.
  void (*to_f32)(const DotOperand& source, int rows, int columns, float* target, int64_t stride);
  /// Rounds to nearest even to fp16; NaNs become 0x7fff.
  void (*to_f16)(const float* source, uint16_t* target, int64_t count);
};

/// Enough for every kernel above.
size_t dot_scratch_bytes(DotShape shape);

TILESCOPE_DECLARE_KERNELS(DotKernels, dot_kernels)

}  // namespace tilescope
