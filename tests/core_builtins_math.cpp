#include "tests/core_builtins_support.h"

using namespace tilescope;

TEST_CASE("functions of one float are one op each") {
  const std::pair<const char*, OpCode> cases[] = {
      {"exp", OpCode::Exp},     {"exp2", OpCode::Exp2}, {"log", OpCode::Log},     {"log2", OpCode::Log2},
      {"sin", OpCode::Sin},     {"cos", OpCode::Cos},   {"sqrt", OpCode::Sqrt},   {"sqrt_rn", OpCode::Sqrt},
      {"rsqrt", OpCode::Rsqrt}, {"erf", OpCode::Erf},   {"floor", OpCode::Floor}, {"ceil", OpCode::Ceil}};
  for (auto [name, code] : cases) {
    CHECK_MESSAGE(count_in(std::string("tl.") + name + "(x)", code) == 1, name);
    CHECK_MESSAGE(count_in(std::string("tl.math.") + name + "(d)", code) == 1, name);
    CHECK_MESSAGE(type_of(std::string("tl.") + name + "(s)") == "f32", name);
  }
  CHECK(count_in("x.exp()", OpCode::Exp) == 1);
}

TEST_CASE("they refuse float16 and integers, and say which cast to write") {
  CHECK(refused("tl.exp(h)", "h", {"takes float32 or float64, not float16", "exp(x.to(tl.float32))", "tl.float16"}));
  CHECK(refused("tl.exp(i)", "i", {"not int32"}));
  CHECK(refused("tl.sqrt(n)", "n", {"not int32"}));
  CHECK(refused("tl.sigmoid(h)", "h", {"tl.sigmoid()", "not float16"}));
  CHECK(refused("libdevice.tanh(b)", "b", {"libdevice.tanh()", "not bfloat16"}));
}

TEST_CASE("abs takes every number") {
  CHECK(type_of("tl.abs(i)") == "tile<16xi32>");
  CHECK(type_of("tl.abs(h)") == "tile<16xf16>");
  CHECK(count_in("tl.abs(u)", OpCode::Abs) == 0);
}

TEST_CASE("minimum and maximum promote, numbers by their own type") {
  CHECK(type_of("tl.maximum(h, 0.0)") == "tile<16xf32>");
  CHECK(type_of("tl.maximum(h, h)") == "tile<16xf16>");
  CHECK(type_of("tl.minimum(b, b)") == "tile<16xf32>");
  CHECK(type_of("tl.minimum(i, 3)") == "tile<16xi32>");
  CHECK(count_in("tl.maximum(x, x, propagate_nan=tl.PropagateNan.ALL)", OpCode::MaximumNan) == 1);
  CHECK(count_in("tl.minimum(x, x, tl.PropagateNan.NONE)", OpCode::Minimum) == 1);
  CHECK(count_in("tl.maximum(i, i, propagate_nan=tl.PropagateNan.ALL)", OpCode::Maximum) == 1);
}

TEST_CASE("Python's min and max fold constants and combine run-time values") {
  CHECK(type_of("tl.arange(0, min(N, 8))") == "tile<8xi32>");
  CHECK(type_of("tl.arange(0, max(4, 2, N))") == "tile<16xi32>");
  CHECK(count_in("min(n, 3)", OpCode::Minimum) == 1);
  CHECK(count_in("max(n, 3, 4)", OpCode::Maximum) == 2);
}

TEST_CASE("the other elementwise functions") {
  CHECK(type_of("tl.clamp(x, 0, 1)") == "tile<16xf32>");
  CHECK(type_of("tl.fma(x, 2.0, h)") == "tile<16xf32>");
  CHECK(type_of("tl.umulhi(u, u)") == "tile<16xu32>");
  CHECK(type_of("tl.fdiv(h, h)") == "tile<16xf16>");
  CHECK(type_of("tl.div_rn(x, 3.0)") == "tile<16xf32>");
  CHECK(type_of("tl.sigmoid(x)") == "tile<16xf32>");
  CHECK(type_of("tl.cdiv(n, N)") == "i32");
  CHECK(type_of("tl.arange(0, tl.cdiv(30, N) * 4)") == "tile<8xi32>");
  CHECK(type_of("tl.arange(0, triton.next_power_of_2(5))") == "tile<8xi32>");
  CHECK(type_of("tl.add(i, 1, sanitize_overflow=False)") == "tile<16xi32>");
  CHECK(type_of("m.logical_and(m)") == "tile<16xi1>");
  CHECK(type_of("tl.swizzle2d(n, n, 4, 4, 2)[0]") == "i32");
  CHECK(type_of("tl.map_elementwise(add_fn, x, s)") == "tile<16xf32>");
  CHECK(refused("tl.clamp(i, 0, 1)", "tl.clamp(i, 0, 1)", {"is for floats, not int32"}));
  CHECK(refused("tl.umulhi(c, c)", "c", {"32- and 64-bit"}));
  CHECK(refused("tl.fdiv(i, i)", "i", {"takes floats"}));
}

TEST_CASE("libdevice names are the same ops") {
  CHECK(count_in("libdevice.tanh(x)", OpCode::Tanh) == 1);
  CHECK(count_in("tl.math.tanh(x)", OpCode::Tanh) == 1);
  CHECK(count_in("tl.extra.cuda.libdevice.fast_expf(x)", OpCode::Exp) == 1);
  CHECK(count_in("libdevice.pow(x, 2)", OpCode::Pow) == 1);
  CHECK(count_in("libdevice.pow(x, i)", OpCode::Pow) == 1);
  CHECK(count_in("libdevice.asin(x)", OpCode::Asin) == 1);
  CHECK(type_of("libdevice.isnan(x)") == "tile<16xi1>");
  CHECK(type_of("libdevice.finitef(x)") == "tile<16xi1>");
  CHECK(type_of("libdevice.llrint(x)") == "tile<16xi64>");
  CHECK(type_of("libdevice.float2int_rd(x)") == "tile<16xi32>");
  CHECK(type_of("libdevice.float_as_int(x)") == "tile<16xi32>");
  CHECK(type_of("libdevice.signbit(x)") == "tile<16xi32>");
  CHECK(type_of("libdevice.popc(l)") == "tile<16xi32>");
  CHECK(type_of("libdevice.mulhi(i, i)") == "tile<16xi32>");
  CHECK(type_of("libdevice.fma(x, x, x)") == "tile<16xf32>");
  for (const char* name : {"asinh", "acosh", "atanh", "saturatef", "exp10", "rcp_rn"})
    CHECK_MESSAGE(type_of(std::string("libdevice.") + name + "(x)") == "tile<16xf32>", name);
  for (const char* name : {"hypot", "fdim", "atan2", "fmod", "copysign", "div_rn"})
    CHECK_MESSAGE(type_of(std::string("libdevice.") + name + "(x, d)") == "tile<16xf64>", name);
}

TEST_CASE("random numbers: one Philox for each call, the widths as in Triton") {
  CHECK(type_of("tl.rand(n, r)") == "tile<16xf32>");
  CHECK(type_of("tl.randint(n, l)") == "tile<16xu32>");
  CHECK(type_of("tl.randn(n, r)") == "tile<16xf32>");
  CHECK(type_of("tl.rand4x(n, q)[3]") == "tile<4x8xf32>");
  CHECK(type_of("tl.randn4x(n, r)[2]") == "tile<16xf32>");
  CHECK(count_in("tl.randint4x(n, r)[0]", OpCode::Philox) == 1);
  CHECK(count_in("tl.rand(n, r, n_rounds=7)", OpCode::Philox) == 0);
  CHECK(count_in("tl.rand(n, r, n_rounds=7)", OpCode::Umulhi) == 14);
  CHECK(type_of("tl.philox(n, r, r, r, r)[1]") == "tile<16xu32>");
  CHECK(type_of("tl.philox(n, l, l, l, l)[1]") == "tile<16xu64>");
  CHECK(type_of("tl.uint_to_uniform_float(u)") == "tile<16xf32>");
  CHECK(refused("tl.rand(n, x)", "x", {"the offset must be an integer"}));
  CHECK(refused("tl.philox(n, r, l, r, r)", "l", {"all be 32-bit or all 64-bit"}));
}

TEST_CASE("hints and assertions are accepted") {
  CHECK(type_of("tl.multiple_of(r, 16)") == "tile<16xi32>");
  CHECK(type_of("tl.max_contiguous(tl.multiple_of(q, (8, 8)), (1, 8))") == "tile<4x8xi32>");
  CHECK(count_ops("tl.device_assert(r < 16, 'r')", OpCode::Assert) == 1);
  CHECK(count_ops("tl.debug_barrier()\ntl.assume(n > 3)", OpCode::Assert) == 0);
  CHECK(ir_of("print('x is', x, n)").find("x is") != std::string::npos);
  CHECK(refused("tl.multiple_of(q, 8)", "8", {"one number for each of the 2 axes"}));
  CHECK(refused("tl.device_print(x)", "x", {"first argument"}));
}
