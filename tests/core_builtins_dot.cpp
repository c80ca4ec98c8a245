#include "tests/core_builtins_support.h"

using namespace tilescope;

namespace {

std::string tile(int rows, int columns, const std::string& dtype) {
  return "tl.zeros((" + std::to_string(rows) + ", " + std::to_string(columns) + "), tl." + dtype + ")";
}

/// a is 16 x 32, b is 32 x 64.
std::string product(const std::string& dtype, const std::string& rest = "") {
  return "tl.dot(" + tile(16, 32, dtype) + ", " + tile(32, 64, dtype) + rest + ")";
}

std::string contract(const std::string& expression) {
  const Function f = compiled("tl.device_print('r', " + expression + ")");
  std::string text;
  walk(f.body, [&](const Op& op) {
    if (op.code == OpCode::Dot) text = op.str_attr("contract");
  });
  return text;
}

}  // namespace

TEST_CASE("the result's type and the contract follow from the operands") {
  CHECK(type_of(product("float16")) == "tile<16x64xf32>");
  CHECK(type_of(product("float16", ", out_dtype=tl.float16")) == "tile<16x64xf16>");
  CHECK(type_of(product("int8")) == "tile<16x64xi32>");
  CHECK(type_of(product("float64")) == "tile<16x64xf64>");
  CHECK(contract(product("float16")) == "tc.f16.k16.f25.trunc");
  CHECK(contract(product("float32")).find("tf32") != std::string::npos);
  CHECK(contract(product("float32", ", input_precision='ieee'")) == "fma.f32");
  CHECK(contract(product("float32", ", input_precision='TF32x3'")).find("tf32x3") != std::string::npos);
  CHECK(contract(product("float32", ", allow_tf32=False")) == "fma.f32");
  CHECK(contract(product("float8e5")).find("f16") != std::string::npos);
  CHECK(contract(product("int8")) == "int.i8");
}

TEST_CASE("batch axes come in front") {
  const std::string three = "tl.zeros((2, 16, 16), tl.float16)";
  CHECK(type_of("tl.dot(" + three + ", " + three + ")") == "tile<2x16x16xf32>");
  const std::string four = "tl.zeros((2, 2, 16, 16), tl.float16)";
  CHECK(type_of("tl.dot(" + four + ", " + four + ")") == "tile<2x2x16x16xf32>");
}

TEST_CASE("an accumulator must have the result's shape and out_dtype") {
  CHECK(type_of(product("float16", ", " + tile(16, 64, "float32"))) == "tile<16x64xf32>");
  CHECK(type_of(product("int8", ", acc=" + tile(16, 64, "int32") + ", out_dtype=tl.int32")) == "tile<16x64xi32>");
  CHECK(refused(product("int8", ", acc=" + tile(16, 64, "int32")), tile(16, 64, "int32"),
                {"the accumulator is int32, but out_dtype is float32", "out_dtype=tl.int32"}));
  CHECK(refused(product("float16", ", acc=" + tile(16, 64, "float16")), tile(16, 64, "float16"),
                {"the accumulator is float16, but out_dtype is float32"}));
  CHECK(refused(product("float16", ", acc=" + tile(16, 32, "float32")), tile(16, 32, "float32"), {"shape [16, 64]"}));
}

TEST_CASE("operands that do not fit are refused") {
  auto dot = [](const std::string& a, const std::string& b) { return "tl.dot(" + a + ", " + b + ")"; };
  const std::string small = dot(tile(16, 8, "float16"), tile(8, 16, "float16"));
  CHECK(refused(small, small, {"K of tl.dot must be at least 16 for float16, not 8"}));
  const std::string small8 = dot(tile(16, 16, "int8"), tile(16, 16, "int8"));
  CHECK(refused(small8, small8, {"at least 32 for int8"}));
  const std::string mixed = dot(tile(16, 16, "float16"), tile(16, 16, "float32"));
  CHECK(refused(mixed, mixed, {"one type"}));
  const std::string inner = dot(tile(16, 16, "float16"), tile(32, 16, "float16"));
  CHECK(refused(inner, inner, {"the left has 16 columns, the right 32 rows"}));
  const std::string rank = "tl.dot(x, x)";
  CHECK(refused(rank, rank, {"equal rank, 2 or more"}));
  CHECK(refused("tl.dot(" + tile(16, 16, "int32") + ", " + tile(16, 16, "int32") + ")", tile(16, 16, "int32"),
                {"int8 and floats, not int32"}));
  CHECK(refused(product("float32", ", input_precision='tf16'"), "'tf16'", {"does not exist"}));
}
