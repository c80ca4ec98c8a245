#include "core/dot_contract.h"

#include <doctest/doctest.h>

using namespace tilescope;

namespace {
std::string chosen(DType a, DType b, DType out, InputPrecision p = InputPrecision::Tf32) {
  auto c = choose_dot_contract(a, b, out, p);
  return c ? to_string(*c) : c.errors()[0].message;
}
}  // namespace

TEST_CASE("a dot's contract follows its operand types, out_dtype and input precision") {
  CHECK(chosen(DType::Float16, DType::Float16, DType::Float32) == "tc.f16.k16.f25.trunc");
  CHECK(chosen(DType::Float16, DType::Float16, DType::Float16) == "tc.f16.k16.f25.rne16");
  CHECK(chosen(DType::Float8E5, DType::Float8E4NV, DType::Float32) == "tc.f16.k16.f25.trunc");
  CHECK(chosen(DType::BFloat16, DType::BFloat16, DType::Float32) == "tc.bf16.k16.f25.trunc");
  CHECK(chosen(DType::Float32, DType::Float32, DType::Float32) == "tc.tf32.k8.f25.trunc");
  CHECK(chosen(DType::Float32, DType::Float32, DType::Float32, InputPrecision::Tf32x3) == "tc.tf32x3.k8.f25.trunc");
  CHECK(chosen(DType::Float32, DType::Float32, DType::Float32, InputPrecision::Bf16x3) == "tc.bf16x3.k16.f25.trunc");
  CHECK(chosen(DType::Float32, DType::Float32, DType::Float32, InputPrecision::Bf16x6) == "tc.bf16x6.k16.f25.trunc");
  CHECK(chosen(DType::Float32, DType::Float32, DType::Float32, InputPrecision::Ieee) == "fma.f32");
  CHECK(chosen(DType::Float64, DType::Float64, DType::Float64) == "fma.f64");
  CHECK(chosen(DType::Int8, DType::Int8, DType::Int32) == "int.i8");
}

TEST_CASE("operands that no unit multiplies are refused by name") {
  CHECK(chosen(DType::Float16, DType::BFloat16, DType::Float32) ==
        "a dot needs operands of one type, got float16 and bfloat16");
  CHECK(chosen(DType::Int16, DType::Int16, DType::Int32) == "a dot cannot multiply int16 operands");
  CHECK(chosen(DType::UInt8, DType::UInt8, DType::Int32) == "a dot cannot multiply uint8 operands");
  CHECK(chosen(DType::Int8, DType::Int8, DType::Float32) ==
        "a dot of int8 operands cannot give float32: expected out_dtype=tl.int32");
  CHECK(chosen(DType::BFloat16, DType::BFloat16, DType::BFloat16) ==
        "a dot of bfloat16 operands cannot give bfloat16: expected out_dtype=tl.float32");
}

TEST_CASE("the text of a contract reads back to the same contract, and other text does not") {
  for (const char* text : {"tc.f16.k16.f25.trunc", "tc.f16.k16.f25.rne16", "tc.bf16.k16.f25.trunc",
                           "tc.bf16.k8.f24.trunc", "tc.tf32.k8.f25.trunc", "tc.tf32x3.k8.f25.trunc",
                           "tc.bf16x3.k16.f25.trunc", "tc.bf16x6.k16.f25.trunc", "fma.f32", "fma.f64", "int.i8"}) {
    auto c = parse_dot_contract(text);
    REQUIRE(c.has_value());
    CHECK(to_string(*c) == text);
  }
  for (const char* text : {"", ".", "tc", "tc.f16", "tc.f16.k16.f25", "tc.f16.k16.f25.up", "tc.f16.k0.f25.trunc",
                           "tc.f16.k16.f99.trunc", "tc.f16.k16.f25.trunc.", "tc.f32.k16.f25.trunc",
                           "tc.bf16.k16.f25.rne16", "fma.f16", "fma.i8", "int.f32", "tc.f16.k1a.f25.trunc"})
    CHECK_FALSE(parse_dot_contract(text).has_value());
}

TEST_CASE("the accumulator's type follows from the contract") {
  CHECK(accumulator_dtype(*parse_dot_contract("tc.f16.k16.f25.trunc")) == DType::Float32);
  CHECK(accumulator_dtype(*parse_dot_contract("tc.f16.k16.f25.rne16")) == DType::Float16);
  CHECK(accumulator_dtype(*parse_dot_contract("fma.f64")) == DType::Float64);
  CHECK(accumulator_dtype(*parse_dot_contract("int.i8")) == DType::Int32);
}
