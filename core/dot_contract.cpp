#include "core/dot_contract.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace tilescope {
namespace {

using Unit = DotContract::Unit;
using Input = DotContract::Input;
using Output = DotContract::Output;

constexpr std::array<std::string_view, 5> kPrecisionNames = {"tf32", "tf32x3", "ieee", "bf16x3", "bf16x6"};
constexpr std::array<std::string_view, 9> kInputNames = {"f16",    "bf16", "tf32", "tf32x3", "bf16x3",
                                                         "bf16x6", "f32",  "f64",  "i8"};

std::string_view input_name(Input i) { return kInputNames[static_cast<size_t>(i)]; }

DotContract tensor_core(Input input, Output output = Output::TruncateF32) {
  bool tf32 = input == Input::TF32 || input == Input::TF32x3;
  return {Unit::TensorCore, input, output, tf32 ? 8 : 16, 25};
}

DotContract plain(Unit unit, Input input) { return {unit, input, Output::Accumulator, 1, 0}; }

bool is_fp8(DType t) { return t == DType::Float8E4NV || t == DType::Float8E5; }

DotContract float32_contract(InputPrecision precision) {
  switch (precision) {
    case InputPrecision::Tf32:
      return tensor_core(Input::TF32);
    case InputPrecision::Tf32x3:
      return tensor_core(Input::TF32x3);
    case InputPrecision::Bf16x3:
      return tensor_core(Input::BF16x3);
    case InputPrecision::Bf16x6:
      return tensor_core(Input::BF16x6);
    case InputPrecision::Ieee:
      break;
  }
  return plain(Unit::Fma, Input::F32);
}

Diagnostic wrong_output(DType operands, DType out, std::string_view expected) {
  return plain_error(fmt::format("a dot of {} operands cannot give {}: expected out_dtype={}", dtype_name(operands),
                                 dtype_name(out), expected));
}

/// Reads "k16" with key 'k'; false unless the rest is a number in [1, 64].
bool read_count(std::string_view text, char key, int& value) {
  if (text.size() < 2 || text.size() > 3 || text[0] != key) return false;
  auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= 1 && value <= 64;
}

}  // namespace

std::string_view input_precision_name(InputPrecision p) { return kPrecisionNames[static_cast<size_t>(p)]; }

std::optional<InputPrecision> parse_input_precision(std::string_view name) {
  for (size_t i = 0; i < kPrecisionNames.size(); ++i)
    if (kPrecisionNames[i] == name) return static_cast<InputPrecision>(i);
  return std::nullopt;
}

DType accumulator_dtype(const DotContract& c) {
  if (c.unit == Unit::Integer) return DType::Int32;
  if (c.input == Input::F64) return DType::Float64;
  return c.output == Output::NearestF16 ? DType::Float16 : DType::Float32;
}

std::string to_string(const DotContract& c) {
  if (c.unit == Unit::Fma) return fmt::format("fma.{}", input_name(c.input));
  if (c.unit == Unit::Integer) return fmt::format("int.{}", input_name(c.input));
  return fmt::format("tc.{}.k{}.f{}.{}", input_name(c.input), c.k_group, c.fraction_bits,
                     c.output == Output::NearestF16 ? "rne16" : "trunc");
}

std::optional<DotContract> parse_dot_contract(std::string_view text) {
  std::array<std::string_view, 5> parts;
  size_t count = 0;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find('.', begin), text.size());
    if (count == parts.size()) return std::nullopt;
    parts[count++] = text.substr(begin, end - begin);
    begin = end + 1;
  }
  std::optional<Input> input;
  for (size_t i = 0; i < kInputNames.size(); ++i)
    if (count >= 2 && kInputNames[i] == parts[1]) input = static_cast<Input>(i);
  if (!input) return std::nullopt;
  if (count == 2) {
    bool fma = parts[0] == "fma" && (*input == Input::F32 || *input == Input::F64);
    bool integer = parts[0] == "int" && *input == Input::I8;
    if (!fma && !integer) return std::nullopt;
    return plain(fma ? Unit::Fma : Unit::Integer, *input);
  }
  DotContract c = tensor_core(*input, parts[4] == "rne16" ? Output::NearestF16 : Output::TruncateF32);
  bool multiplies = *input <= Input::BF16x6;
  bool well_formed = count == 5 && parts[0] == "tc" && (parts[4] == "rne16" || parts[4] == "trunc");
  if (!multiplies || !well_formed || (c.output == Output::NearestF16 && *input != Input::F16)) return std::nullopt;
  if (!read_count(parts[2], 'k', c.k_group) || !read_count(parts[3], 'f', c.fraction_bits)) return std::nullopt;
  // The models sum in 64-bit integers; wider ones do not exist.
  if (c.fraction_bits > 40) return std::nullopt;
  return c;
}

bool contract_takes(const DotContract& c, DType operand) {
  switch (c.input) {
    case Input::F16: return operand == DType::Float16 || is_fp8(operand);
    case Input::BF16: return operand == DType::BFloat16;
    case Input::F64: return operand == DType::Float64;
    case Input::I8: return operand == DType::Int8;
    default: return operand == DType::Float32;
  }
}

Expected<DotContract> choose_dot_contract(DType a, DType b, DType out, InputPrecision precision) {
  if (a != b && !(is_fp8(a) && is_fp8(b)))
    return plain_error(fmt::format("a dot needs operands of one type, got {} and {}", dtype_name(a), dtype_name(b)),
                       "cast one of them with .to(...)");
  switch (a) {
    case DType::Int8:
      if (out != DType::Int32) return wrong_output(a, out, "tl.int32");
      return plain(Unit::Integer, Input::I8);
    case DType::Float64:
      if (out != DType::Float64 && out != DType::Float32) return wrong_output(a, out, "tl.float64");
      return plain(Unit::Fma, Input::F64);
    case DType::Float32:
      if (out != DType::Float32 && out != DType::Float16) return wrong_output(a, out, "tl.float32");
      return float32_contract(precision);
    case DType::BFloat16:
      if (out != DType::Float32 && out != DType::Float16) return wrong_output(a, out, "tl.float32");
      return tensor_core(Input::BF16);
    case DType::Float16:
    case DType::Float8E4NV:
    case DType::Float8E5:
      if (out == DType::Float16) return tensor_core(Input::F16, Output::NearestF16);
      if (out != DType::Float32) return wrong_output(a, out, "tl.float32 or tl.float16");
      return tensor_core(Input::F16);
    default:
      break;
  }
  return plain_error(fmt::format("a dot cannot multiply {} operands", dtype_name(a)),
                     "use float16, bfloat16, float32, float64, float8e4nv, float8e5 or int8");
}

}  // namespace tilescope
