// Words of the emitted text: types, constants, index arithmetic, and names that C++ allows.
#include <fmt/format.h>

#include "core/print.h"
#include "gpu/emitter.h"

namespace tilescope::gpu {
namespace {

/// Tuples that a reduction may carry: own1, other1 and so on are names of the emitted text.
constexpr int kMaxCarriedTuple = 64;

const char* const kReserved[] = {"alignas",
                                 "alignof",
                                 "asm",
                                 "auto",
                                 "bool",
                                 "break",
                                 "case",
                                 "catch",
                                 "char",
                                 "class",
                                 "concept",
                                 "const",
                                 "constexpr",
                                 "continue",
                                 "decltype",
                                 "default",
                                 "delete",
                                 "do",
                                 "double",
                                 "dynamic_cast",
                                 "else",
                                 "enum",
                                 "explicit",
                                 "export",
                                 "extern",
                                 "false",
                                 "float",
                                 "for",
                                 "friend",
                                 "goto",
                                 "if",
                                 "inline",
                                 "int",
                                 "long",
                                 "mutable",
                                 "namespace",
                                 "new",
                                 "noexcept",
                                 "nullptr",
                                 "operator",
                                 "private",
                                 "protected",
                                 "public",
                                 "register",
                                 "requires",
                                 "return",
                                 "short",
                                 "signed",
                                 "sizeof",
                                 "static",
                                 "struct",
                                 "switch",
                                 "template",
                                 "this",
                                 "throw",
                                 "true",
                                 "try",
                                 "typedef",
                                 "typeid",
                                 "typename",
                                 "union",
                                 "unsigned",
                                 "using",
                                 "virtual",
                                 "void",
                                 "volatile",
                                 "while",
                                 "and",
                                 "or",
                                 "not",
                                 "xor",
                                 "bitand",
                                 "bitor",
                                 "compl",
                                 "and_eq",
                                 "or_eq",
                                 "not_eq",
                                 "xor_eq",
                                 "ts",
                                 "each",
                                 "each_rolled",
                                 "r",
                                 "pos",
                                 "spot",
                                 "row_start",
                                 "key",
                                 "other_key",
                                 "place",
                                 "up",
                                 "own",
                                 "other",
                                 "left",
                                 "lane",
                                 "warp",
                                 "threadIdx",
                                 "blockIdx",
                                 "blockDim",
                                 "gridDim",
                                 "warpSize",
                                 "shared",
                                 "buffer0",
                                 "buffer1",
                                 "ahead",
                                 "main",
                                 "linux",
                                 "unix",
                                 "NULL",
                                 "grid0",
                                 "grid1",
                                 "grid2",
                                 "assert_record",
                                 "char8_t",
                                 "char16_t",
                                 "char32_t",
                                 "wchar_t",
                                 "static_cast",
                                 "const_cast",
                                 "reinterpret_cast",
                                 "co_await",
                                 "co_return",
                                 "co_yield",
                                 "consteval",
                                 "constinit",
                                 "static_assert",
                                 "thread_local",
                                 "printf",
                                 "assert"};

}  // namespace

std::string identifier(const std::string& wanted) {
  std::string out;
  for (char c : wanted) out += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ? c : '_';
  // Names with two underscores, or one before a capital letter, belong to the compiler.
  if (out.empty() || (out[0] >= '0' && out[0] <= '9') || out[0] == '_') out = "v" + out;
  for (size_t at; (at = out.find("__")) != std::string::npos;) out.erase(at, 1);
  return out;
}

std::string c_type(const Type& t) {
  if (t.pointer) return "ts::pointer";
  switch (t.elem) {
    case DType::Int1:
      return "bool";
    case DType::Int8:
      return "ts::int8_t";
    case DType::Int16:
      return "ts::int16_t";
    case DType::Int32:
      return "int";
    case DType::Int64:
      return "ts::int64_t";
    case DType::UInt8:
      return "ts::uint8_t";
    case DType::UInt16:
      return "ts::uint16_t";
    case DType::UInt32:
      return "ts::uint32_t";
    case DType::UInt64:
      return "ts::uint64_t";
    case DType::Float8E4NV:
      return "ts::e4m3";
    case DType::Float8E5:
      return "ts::e5m2";
    case DType::Float16:
      return "ts::f16";
    case DType::BFloat16:
      return "ts::bf16";
    case DType::Float32:
      return "float";
    case DType::Float64:
      return "double";
  }
  internal_error("an element type without a C++ type");
}

std::string c_constant(const Type& t, uint64_t bits) {
  if (t.pointer) return fmt::format("ts::pointer({:#x}ull)", bits);
  const std::string text = constant_text(t.with_shape({}), bits);
  switch (t.elem) {
    case DType::Int1:
      return bits != 0 ? "true" : "false";
    case DType::Int32: {
      const auto x = static_cast<int32_t>(bits);
      return x == INT32_MIN ? "(-2147483647 - 1)" : x < 0 ? fmt::format("({})", x) : fmt::format("{}", x);
    }
    case DType::Int64: {
      const auto x = static_cast<int64_t>(bits);
      return x == INT64_MIN ? "ts::int64_t(1ull << 63)" : fmt::format("ts::int64_t({}ll)", x);
    }
    case DType::UInt32:
      return fmt::format("{}u", static_cast<uint32_t>(bits));
    case DType::UInt64:
      return fmt::format("ts::uint64_t({}ull)", bits);
    case DType::Float32:
    case DType::Float64: {
      const bool plain = text.find_first_not_of("0123456789.-+e") == std::string::npos;
      if (!plain)
        return fmt::format("ts::from_bits<{}>({:#x}{})", c_type(t), bits, t.elem == DType::Float32 ? "u" : "ull");
      std::string number = text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
      if (t.elem == DType::Float32) number += "f";
      return number[0] == '-' ? "(" + number + ")" : number;
    }
    default:
      break;
  }
  if (is_float(t.elem)) return fmt::format("{}{{{:#x} /* {} */}}", c_type(t), bits, text);
  return fmt::format("{}({})", c_type(t), text);
}

std::string weighted_bits(const std::string& index, const std::vector<int64_t>& weights) {
  if (index == "0") return "0";
  std::string out;
  for (size_t i = 0; i < weights.size();) {
    if (weights[i] == 0) {
      ++i;
      continue;
    }
    size_t n = 1;  // bits i .. i+n-1 have doubling weights
    while (i + n < weights.size() && weights[i + n] == weights[i] * (int64_t{1} << n)) ++n;
    std::string part = index;
    if (i > 0) part = fmt::format("{} >> {}", part, i);
    if (i + n < weights.size())
      part = fmt::format("({} & {})", part, (1 << n) - 1);
    else if (i > 0)
      part = "(" + part + ")";
    if (weights[i] != 1) part += weights[i] < 0 ? fmt::format(" * ({})", weights[i]) : fmt::format(" * {}", weights[i]);
    out += (out.empty() ? "" : " + ") + part;
    i += n;
  }
  return out.empty() ? "0" : out;
}

std::set<std::string> reserved_names() {
  std::set<std::string> out(std::begin(kReserved), std::end(kReserved));
  for (int i = 1; i < kMaxCarriedTuple; ++i)
    for (const char* name : {"own", "other"}) out.insert(name + std::to_string(i));
  return out;
}

}  // namespace tilescope::gpu
