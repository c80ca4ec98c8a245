// What a dot computes, bit by bit: an attribute of the IR's dot, chosen once in core and obeyed by every backend.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/diagnostic.h"
#include "core/types.h"

namespace tilescope {

/// The `input_precision` argument of tl.dot. It matters for float32 operands only.
enum class InputPrecision : uint8_t { Tf32, Tf32x3, Ieee, Bf16x3, Bf16x6 };

/// "tf32", "tf32x3", "ieee", "bf16x3", "bf16x6".
std::string_view input_precision_name(InputPrecision p);
std::optional<InputPrecision> parse_input_precision(std::string_view name);

/// The arithmetic of one dot. One accumulator chain per element, k ascending, whatever the unit.
struct DotContract {
  enum class Unit : uint8_t {
    TensorCore,  ///< groups of `k_group` products and the accumulator, summed with `fraction_bits` kept (a bit model)
    Fma,         ///< acc = fma(a, b, acc) in the accumulator's type
    Integer,     ///< exact 32-bit sums, wrapping
  };
  /// What the unit sees of an operand. 8-bit floats are converted to F16 first, which is exact.
  enum class Input : uint8_t {
    F16,
    BF16,
    TF32,    ///< float32 with the low 13 bits ignored
    TF32x3,  ///< two tf32 parts per operand: small*big + big*small, then big*big, then the accumulator added in fp32
    BF16x3,  ///< two bf16 parts per operand, in the same way
    BF16x6,  ///< three bf16 parts per operand: six products, smallest first
    F32,
    F64,
    I8,
  };
  enum class Output : uint8_t {
    TruncateF32,  ///< tensor core: cut off to fp32 after each group
    NearestF16,   ///< tensor core: rounded to nearest even, straight to fp16, after each group
    Accumulator,  ///< Fma and Integer: the accumulator's own type
  };
  Unit unit = Unit::TensorCore;
  Input input = Input::F16;
  Output output = Output::TruncateF32;
  int k_group = 16;        ///< products summed at once (tensor core only, else 1)
  int fraction_bits = 25;  ///< bits kept below the largest exponent of a group (tensor core only, else 0)

  friend bool operator==(const DotContract&, const DotContract&) = default;
};

/// Type of the accumulator and of the result: Float16, Float32, Float64 or Int32.
DType accumulator_dtype(const DotContract& c);

/// "tc.f16.k16.f25.trunc", "tc.f16.k16.f25.rne16", "tc.tf32x3.k8.f25.trunc", "fma.f32", "fma.f64", "int.i8".
std::string to_string(const DotContract& c);
std::optional<DotContract> parse_dot_contract(std::string_view text);

/// Whether operands of this type may be dotted under the contract: its unit reads memory of that type.
bool contract_takes(const DotContract& c, DType operand);

/// The contract of `tl.dot` on Hopper for these operand types (GPU rows other than Hopper's are not measured).
/// `out` is `out_dtype` (Float32 by default; Int32 for int8). As in Triton it only chooses between fp32 and fp16 sums
/// of float16 and 8-bit operands: float32 and bfloat16 operands give float32, float64 gives float64, see
/// accumulator_dtype(). Errors, without a source range, name what was expected: operand types that differ (two
/// different 8-bit floats are fine), types that no unit takes, an `out` that does not fit.
Expected<DotContract> choose_dot_contract(DType a, DType b, DType out, InputPrecision precision);

}  // namespace tilescope
