// The bit model of a GPU's tensor cores, one element at a time: the reference for the vectorised kernels, and their
// slow path for NaN, infinities and other rare inputs. Measured on Hopper (tests/gpu_tensor_core_model.cu repeats
// that); consistent with arXiv 2511.10909 (MMA-Sim).
#pragma once

#include <cstdint>

#include "core/dot_contract.h"

namespace tilescope {

/// Smallest normal exponents of the formats that meet in a group: a subnormal keeps its fraction and takes this one.
struct TensorCoreModel {
  int fraction_bits = 25;          ///< kept below the largest exponent of a group
  int operand_min_exponent = -14;  ///< -14 for fp16 (and fp8, which arrives as fp16), -126 for bf16 and tf32
  int result_min_exponent = -126;  ///< of the accumulator and the result
  bool round_to_f16 = false;       ///< result rounded to nearest even to fp16, else cut off to fp32
};

/// The model behind a contract whose unit is TensorCore and whose input is F16, BF16 or TF32.
TensorCoreModel tensor_core_model(const DotContract& c);

/// c plus a sum of `count` products, all summed at once. The operands are exact values of the unit's input type (tf32:
/// low 13 bits zero), c a value of the accumulator's type; so is the result. NaN results are 0x7fffffff.
float tensor_core_group(const TensorCoreModel& model, const float* a, const float* b, int count, float c);

/// A float32 as a tf32 input sees it: the low 13 bits cut off. A NaN whose payload lies in these bits alone acts as an
/// infinity, on the GPU as well.
float tf32_operand(float x);

}  // namespace tilescope
