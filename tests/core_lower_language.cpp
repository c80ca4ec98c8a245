// What the front end makes of Triton's rules: types, specialisation, constexprs, scopes, early return.
#include <doctest/doctest.h>

#include <algorithm>

#include "core/lower/context.h"
#include "core/print.h"
#include "tests/core_lower_kernel.h"

namespace tilescope::test {
namespace {

constexpr const char* kImports = "import triton\nimport triton.language as tl\n";

Expected<CompiledKernel> compile_text(const std::string& args, const std::string& text) {
  return compile_kernel(request_for("# args: " + args + "\n" + kImports + text));
}

/// The IR of a kernel with these arguments; `params` is its parameter list.
std::string ir_of(const std::string& args, const std::string& params, const std::string& body,
                  const std::string& before = "") {
  const auto k = compile_text(args, before + "@triton.jit\ndef kernel(" + params + "):\n" + body);
  const std::string errors = k.ok() ? "" : render(k.errors());
  REQUIRE_MESSAGE(k.ok(), errors);
  return print(k->function);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_CASE("promotion follows Triton: kinds, widths, signs, halves, float8") {
  using lower::promote;
  const auto between_tiles = [](DType a, DType b) { return promote(a, false, b, false, false); };
  CHECK(between_tiles(DType::Int1, DType::Int8) == DType::Int8);
  CHECK(between_tiles(DType::Int8, DType::UInt8) == DType::UInt8);
  CHECK(between_tiles(DType::Int32, DType::UInt32) == DType::UInt32);
  CHECK(between_tiles(DType::Int64, DType::UInt32) == DType::Int64);
  CHECK(between_tiles(DType::Int16, DType::UInt32) == DType::UInt32);
  CHECK(between_tiles(DType::Int64, DType::Float16) == DType::Float16);
  CHECK(between_tiles(DType::Int8, DType::BFloat16) == DType::Float32);
  CHECK(between_tiles(DType::Float16, DType::BFloat16) == DType::Float16);
  CHECK(between_tiles(DType::BFloat16, DType::BFloat16) == DType::BFloat16);
  CHECK(between_tiles(DType::Float16, DType::Float32) == DType::Float32);
  CHECK(between_tiles(DType::Float64, DType::Float16) == DType::Float64);
  CHECK(between_tiles(DType::Float8E5, DType::Float8E5) == DType::Float8E5);
  CHECK(between_tiles(DType::Float8E5, DType::Float8E4NV) == DType::Float16);
  CHECK(promote(DType::Float16, false, DType::Float16, false, true) == DType::Float32);
  CHECK(promote(DType::BFloat16, false, DType::Int32, true, true) == DType::Float32);
}

TEST_CASE("a Python number takes the tile's type when its kind is not higher; a run-time scalar does not yield") {
  using lower::promote;
  CHECK(promote(DType::Float16, false, DType::Float32, true, false) == DType::Float16);
  CHECK(promote(DType::Float16, false, DType::Float32, false, false) == DType::Float32);
  CHECK(promote(DType::Int8, false, DType::Int32, true, false) == DType::Int8);
  CHECK(promote(DType::Int32, true, DType::Float16, false, false) == DType::Float16);
  CHECK(promote(DType::Int1, false, DType::Int32, true, false) == DType::Int32);
  CHECK(promote(DType::Int32, false, DType::Float32, true, false) == DType::Float32);
}

TEST_CASE("comparisons give a Python number a type of its own before they promote") {
  const std::string ir = ir_of("x=*f16 o=*i32", "x, o", "    tl.store(o, tl.load(x) > 0.5)\n");
  CHECK(has(ir, "f32 = cast"));
  CHECK(has(ir, ": i1 = gt"));
  CHECK(has(ir_of("x=*i8 o=*i32", "x, o", "    tl.store(o, tl.load(x) == 300)\n"), "constant 300"));
}

TEST_CASE("Python integers become int32, uint32, int64 or uint64 by their size; tiny and huge floats float64") {
  const std::string ir = ir_of("o=*i64", "o",
                               "    a = 2147483647\n    b = 2147483648\n    c = 4294967296\n    d = -2147483649\n"
                               "    e = 9223372036854775808\n    f = 1e-40\n    g = 1e30\n    h = True\n"
                               "    tl.store(o, 0)\n");
  for (const char* line :
       {"%a: i32 = constant 2147483647", "%b: u32 = constant 2147483648", "%c: i64 = constant 4294967296",
        "%d: i64 = constant -2147483649", "%e: u64 = constant 9223372036854775808", "%f: f64 = constant 1e-40",
        "%g: f32 = constant 1e+30", "%h: i1 = constant true"})
    CHECK_MESSAGE(has(ir, line), line);
}

TEST_CASE("arguments are specialised: 1 and None fold, divisibility by 16, int64 and uint64 by value") {
  const auto k =
      compile_text("p=*f32 one=1 zero=0 n=1000 m=1024 big=5000000000 huge=18446744073709551615 e=0.5 t=True none=None",
                   "@triton.jit\ndef kernel(p, one, zero, n, m, big, huge, e, t, none):\n    tl.store(p, one)\n");
  REQUIRE(k.ok());
  const Function& f = k->function;
  REQUIRE(f.params.size() == 8);
  const auto check = [&](size_t i, const char* name, Type type, int64_t divisible) {
    CAPTURE(name);
    CHECK(f.params[i].name == name);
    CHECK(f.params[i].type == type);
    CHECK(f.params[i].divisible_by == divisible);
  };
  check(0, "p", Type::pointer_to(DType::Float32), 16);
  check(1, "zero", Type::scalar(DType::Int32), 16);
  check(2, "n", Type::scalar(DType::Int32), 1);
  check(3, "m", Type::scalar(DType::Int32), 16);
  check(4, "big", Type::scalar(DType::Int64), 16 * (5000000000 % 16 == 0) + (5000000000 % 16 != 0));
  check(5, "huge", Type::scalar(DType::UInt64), 1);
  check(6, "e", Type::scalar(DType::Float32), 1);
  check(7, "t", Type::scalar(DType::Int1), 1);
  REQUIRE(f.constexprs.size() == 2);
  CHECK(f.constexprs[0] == std::pair<std::string, std::string>{"one", "1"});
  CHECK(f.constexprs[1] == std::pair<std::string, std::string>{"none", "None"});
}

TEST_CASE("do_not_specialize and type annotations turn the specialisation of an argument off") {
  const auto k = compile_text("p=*f32 a=1 b=16 c=1 d=3",
                              "@triton.jit(do_not_specialize=[\"a\", 2])\n"
                              "def kernel(p, a, b, c: tl.int64, d: 'i16'):\n    tl.store(p, a)\n");
  REQUIRE(k.ok());
  const Function& f = k->function;
  REQUIRE(f.params.size() == 5);
  CHECK(f.params[1].type == Type::scalar(DType::Int32));
  CHECK(f.params[2].divisible_by == 1);
  CHECK(f.params[3].type == Type::scalar(DType::Int64));
  CHECK(f.params[4].type == Type::scalar(DType::Int16));
}

TEST_CASE("// and % floor on constexprs and truncate at run time") {
  const std::string ir = ir_of("o=*i32 A=-7 n=-7", "o, A: tl.constexpr, n",
                               "    x = A // 2\n    y = A % 4\n    z = n // 2\n    tl.store(o, x + y + z)\n");
  CHECK(has(ir, "%x: i32 = constant -4"));
  CHECK(has(ir, "%y: i32 = constant 1"));
  CHECK(has(ir, "%z: i32 = div %n"));
}

TEST_CASE("constexpr arithmetic is Python's") {
  const char* cases[][2] = {{"7 / 2 == 3.5", ""},
                            {"2 ** 10 == 1024", ""},
                            {"2 ** -1 == 0.5", ""},
                            {"-7 // 2 == -4", ""},
                            {"-7 % 3 == 2", ""},
                            {"7.5 % -2 == -0.5", ""},
                            {"(1 << 70) >> 68 == 4", ""},
                            {"~5 == -6", ""},
                            {"not 0", ""},
                            {"True + True == 2", ""},
                            {"'a' + 'b' == 'ab'", ""},
                            {"'abc'[1] == 'b'", ""},
                            {"(1, 2) + (3,) == (1, 2, 3)", ""},
                            {"len((1, 2)) == 2", ""},
                            {"min(3, 1, 2) == 1", ""},
                            {"float('-inf') < 0", ""},
                            {"int(2.9) == 2", ""},
                            {"tl.float32 == tl.float32", ""},
                            {"tl.float16 != tl.bfloat16", ""},
                            {"None is None", ""},
                            {"(1 if True else x) == 1", ""},
                            {"1 and 2 == 2", ""},
                            {"(0 or 5) == 5", ""},
                            {"tl.cdiv(7, 2) == 4", ""},
                            {"tl.float16.primitive_bitwidth == 16", ""},
                            {"tl.int8.is_int_signed()", ""},
                            {"isinstance(3, int)", ""},
                            {"triton.next_power_of_2(5) == 8", ""},
                            {"f'{1}-{2.0}-{True}-{tl.float16}' == '1-2.0-True-fp16'", ""},
                            {"3 == 3.0", ""},
                            {"(1, 2, 3)[1:] == (2, 3)", ""},
                            {"(1, 2)[-1] == 2", ""}};
  for (const auto& c : cases) {
    CAPTURE(c[0]);
    const auto k = compile_text(
        "o=*i32", std::string("@triton.jit\ndef kernel(o):\n    tl.static_assert(") + c[0] + ")\n    tl.store(o, 1)\n");
    const std::string errors = k.ok() ? "" : render(k.errors());
    CHECK_MESSAGE(k.ok(), errors);
  }
}

TEST_CASE("types answer questions about themselves") {
  const char* questions[] = {"x.dtype.element_ty == tl.float16",
                             "x.type.element_ty.is_fp16()",
                             "x.type.is_ptr()",
                             "v.dtype.is_floating()",
                             "v.type.is_block()",
                             "v.shape[0] == 8",
                             "v.numel == 8",
                             "len(v.shape) == 1",
                             "v.type.scalar == tl.float16",
                             "p.type.element_ty.is_ptr()",
                             "p.dtype.element_ty == tl.float16",
                             "isinstance(v, tl.tensor)",
                             "x is not None",
                             "v.dtype.itemsize == 2"};
  for (const char* q : questions) {
    CAPTURE(q);
    const auto k = compile_text("x=*f16", std::string("@triton.jit\ndef kernel(x):\n    p = x + tl.arange(0, 8)\n"
                                                      "    v = tl.load(p)\n    tl.static_assert(") +
                                              q + ")\n    tl.store(p, v)\n");
    const std::string errors = k.ok() ? "" : render(k.errors());
    CHECK_MESSAGE(k.ok(), errors);
  }
}

TEST_CASE("a dead constexpr branch is not looked at") {
  const std::string ir =
      ir_of("x=*f32 bias=None MODE=\"a\"", "x, bias, MODE: tl.constexpr",
            "    if bias is not None:\n        tl.store(x, bias + nothing)\n"
            "    if MODE == 'b':\n        undefined(1)\n    elif MODE == 'a':\n        tl.store(x, 2.0)\n"
            "    else:\n        raise ValueError('unknown mode')\n");
  CHECK(has(ir, "constant 2.0"));
}

TEST_CASE("a pointer as a condition asks whether its address is 0; None is known while compiling") {
  const std::string body = "    if b:\n        tl.store(x, tl.load(b))\n    else:\n        tl.store(x, 0.0)\n";
  const std::string given = ir_of("x=*f32 b=*f32", "x, b", body), none = ir_of("x=*f32 b=None", "x, b", body);
  CHECK(has(given, "ptr_to_int"));
  CHECK(has(given, "if "));
  CHECK_FALSE(has(none, "if "));
  CHECK_FALSE(has(none, "load"));
}

TEST_CASE("locals shadow functions, and parameters can be reassigned") {
  const std::string ir =
      ir_of("p=*i32 min=3", "p, min", "    range = tl.arange(0, 8)\n    p += range\n    tl.store(p, range * min)\n");
  CHECK(has(ir, "%range: tile<8xi32> = make_range"));
  CHECK(has(ir, "%p_1: tile<8xptr<i32>> = addptr"));
}

TEST_CASE("globals: constexprs, aliases of functions and types, conditional imports, imported names") {
  const std::string before =
      "from triton.language.extra import libdevice\nfrom triton.language.math import rsqrt\n"
      "try:\n    from triton.language.extra.libdevice import tanh\nexcept ImportError:\n    from mylib import tanh\n"
      "import math\nW = tl.constexpr(8)\nS: tl.constexpr = tl.constexpr(W * 2)\nF = tl.float32\nload = tl.load\n"
      "LOG2E = tl.constexpr(math.log2(math.e))\n";
  const std::string ir =
      ir_of("p=*f32", "p",
            "    x = load(p + tl.arange(0, W)).to(F)\n    tl.static_assert(S == 16)\n"
            "    y = tanh(rsqrt(x)) * LOG2E + libdevice.exp(x)\n    tl.store(p + tl.arange(0, W), y)\n",
            before);
  CHECK(has(ir, "= tanh"));
  CHECK(has(ir, "= rsqrt"));
  CHECK(has(ir, "constant 1.442695"));
}

TEST_CASE("a plain global is accepted with a note, since Triton refuses it") {
  const auto k = compile_text("p=*i32", "N = 4\n@triton.jit\ndef kernel(p):\n    tl.store(p, N)\n");
  REQUIRE(k.ok());
  REQUIRE(k->notes.size() == 1);
  CHECK(has(k->notes[0].message, "tl.constexpr"));
}

TEST_CASE("helpers are inlined: defaults, keywords, tuples, functions as values, constexprs by value") {
  const std::string before =
      "@triton.jit\ndef twice(f, x):\n    return f(f(x))\n"
      "@triton.jit\ndef inc(x, by=3):\n    return x + by\n"
      "@triton.jit\ndef pair(x, N: tl.constexpr):\n    if N == 2:\n        return x, (x + 1, N)\n    return x, (x, "
      "N)\n";
  const std::string ir = ir_of("p=*i32 n=5", "p, n",
                               "    a, (b, c) = pair(twice(inc, n), N=2)\n    z = tl.zeros((4,), tl.int32)\n"
                               "    tl.store(p + z, a * b * c)\n",
                               before);
  CHECK(has(ir, "constant 3"));
  CHECK(has(ir, "mul"));
}

TEST_CASE("an op of an inlined helper carries its place, its statement and the chain of calls") {
  const auto k = compile_text("p=*i32 n=5",
                              "@triton.jit\ndef inner(x):\n    y = x * x\n    return y\n"
                              "@triton.jit\ndef kernel(p, n):\n    tl.store(p, inner(n + 1))\n");
  REQUIRE(k.ok());
  const Op* mul = nullptr;
  walk(k->function.body, [&](const Op& op) {
    if (op.code == OpCode::Mul) mul = &op;
  });
  REQUIRE(mul != nullptr);
  CHECK(mul->loc->range.line == 6);
  CHECK(mul->loc->range.column == 9);
  CHECK(mul->loc->statement.column == 5);
  REQUIRE(mul->loc->calls != nullptr);
  CHECK(mul->loc->calls->callee == "inner");
  CHECK(mul->loc->calls->call.line == 10);
  CHECK(mul->loc->calls->outer == nullptr);
}

TEST_CASE("ops of the embedded library are placed at the call in the user's text") {
  const auto k = compile_text("p=*f32",
                              "@triton.jit\ndef kernel(p):\n    i = tl.arange(0, 8)\n"
                              "    tl.store(p + i, tl.softmax(tl.load(p + i)))\n");
  REQUIRE(k.ok());
  walk(k->function.body, [&](const Op& op) {
    CHECK(op.loc->range.file == k->function.source);
    CHECK(op.loc->calls == nullptr);
  });
}

TEST_CASE("loops carry what changes and nothing else; pointers and tuples too") {
  const std::string ir =
      ir_of("p=*f32 n=5", "p, n",
            "    acc = 0.0\n    same = n + 1\n    t = (n, 2)\n    for i in range(n):\n"
            "        same = same\n        acc += tl.load(p)\n        p += same\n        t = (t[0] + 1, t[1])\n"
            "    tl.store(p, acc + t[0])\n");
  CHECK(has(ir, "(%i: i32, %acc_2: f32, %p_2: ptr<f32>, %t_1: i32)"));
}

TEST_CASE("a parameter folded because it is 1 can still change in a loop or under an if") {
  CHECK(has(ir_of("p=*i32 n=1 m=5", "p, n, m", "    for i in range(m):\n        n = n * 2\n    tl.store(p, n)\n"),
            "yield"));
  CHECK(has(ir_of("p=*i32 n=1 m=5", "p, n, m", "    if m > 3:\n        n = m\n    tl.store(p, n)\n"), "= if"));
  CHECK(has(ir_of("p=*i32 n=1 m=5", "p, n, m",
                  "    while n < m:\n        n = n * 2\n        for i in range(n):\n            m = m - 1\n    "
                  "tl.store(p, n)\n"),
            "condition"));
}

TEST_CASE("bounds of unequal types are promoted; a negative step stays") {
  CHECK(has(ir_of("p=*i32 n=5000000000", "p, n", "    for i in range(n):\n        tl.store(p, i)\n"), "(%i: i64)"));
  CHECK(has(ir_of("p=*i32 n=5", "p, n", "    for i in range(n, 0, -2):\n        tl.store(p, i)\n"), "constant -2"));
  CHECK(has(ir_of("p=*i32 n=5", "p, n", "    for i in tl.range(0, n, num_stages=3):\n        tl.store(p, i)\n"),
            "num_stages=3"));
}

TEST_CASE("returns at every depth of run-time ifs compile, with and without values") {
  const char* bodies[] = {
      "    if n > 1:\n        if n > 2:\n            return\n        tl.store(p, 1)\n    tl.store(p, 2)\n",
      "    if n > 1:\n        if n > 2:\n            return\n    else:\n        if n < 0:\n            return\n        "
      "n = 7\n"
      "    tl.store(p, n)\n",
      "    for k in tl.static_range(3):\n        if n == k:\n            return\n        n += 1\n    tl.store(p, n)\n",
      "    if FLAG:\n        if n > 2:\n            return\n        n = 9\n    tl.store(p, n)\n",
      "    if n > 1:\n        return\n    else:\n        return\n    tl.store(p, n)\n",
      "    tl.store(p, f(n))\n",
      "    tl.store(p, g(n) + f(g(n)))\n",
      "    if n > 1:\n        q = p + 1\n        if n > 2:\n            return\n    else:\n        q = p\n    "
      "tl.store(q, n)\n",
      "    if n > 1:\n        q = p + n\n        if n > 2:\n            if n > 3:\n                return\n            "
      "q += 1\n"
      "    else:\n        return\n    tl.store(q, n)\n"};
  const std::string before =
      "@triton.jit\ndef f(x):\n    if x > 1:\n        if x > 2:\n            return x\n        x = x * 2\n    return x "
      "+ 1\n"
      "@triton.jit\ndef g(x):\n    for k in tl.static_range(2):\n        if x > k:\n            if x > 2 * k:\n"
      "                return x\n            x += 1\n    return 0\n";
  for (const char* body : bodies) {
    CAPTURE(body);
    CHECK(has(ir_of("p=*i32 n=5 FLAG=True", "p, n, FLAG: tl.constexpr", body, before), "if"));
  }
}

TEST_CASE("a path that ends without returning a value is noted, since its result is undefined on a GPU") {
  const auto k = compile_text("p=*i32 n=5",
                              "@triton.jit\ndef f(x):\n    if x > 1:\n        return x\n"
                              "@triton.jit\ndef kernel(p, n):\n    tl.store(p, f(n))\n");
  REQUIRE(k.ok());
  REQUIRE(k->notes.size() == 1);
  CHECK(has(k->notes[0].message, "without returning"));
}

TEST_CASE("without a name the kernel is the jit function that no other one calls") {
  const auto one = compile_text("p=*i32",
                                "@triton.jit\ndef helper(x):\n    return x\n"
                                "@triton.jit\ndef main(p):\n    tl.store(p, helper(1))\n");
  REQUIRE(one.ok());
  CHECK(one->function.name == "main");
  const auto two = compile_text("p=*i32",
                                "@triton.jit\ndef a(p):\n    tl.store(p, 1)\n"
                                "@triton.jit\ndef b(p):\n    tl.store(p, 1)\n");
  REQUIRE_FALSE(two.ok());
  CHECK(has(two.errors()[0].message, "several kernels: a, b"));
  CompileRequest r = request_for("# kernel: kernle\n@triton.jit\ndef kernel(p):\n    pass\n");
  const auto typo = compile_kernel(r);
  REQUIRE_FALSE(typo.ok());
  CHECK(has(typo.errors()[0].hint, "did you mean `kernel`?"));
}

TEST_CASE("a constexpr_function runs while compiling, loops included") {
  const std::string before =
      "@triton.constexpr_function\ndef log2(n):\n    r = 0\n    while n > 1:\n        n = n // 2\n        r += 1\n    "
      "return r\n"
      "@triton.constexpr_function\ndef evens(n):\n    t = 0\n    for i in range(n):\n        if i % 2 == 0:\n          "
      "  t += i\n"
      "    return t\n";
  CHECK(has(ir_of("p=*i32", "p", "    i = tl.arange(0, 2 ** (log2(32) - evens(4)))\n    tl.store(p + i, i)\n", before),
            "tile<8xi32>"));
}

TEST_CASE("values carry the name of the variable that they were assigned to") {
  const std::string ir = ir_of("x=*f32 n=5", "x, n",
                               "    offs = tl.arange(0, 8)\n    mask = offs < n\n    v = tl.load(x + offs, mask=mask)\n"
                               "    tl.store(x + offs, v, mask=mask)\n");
  for (const char* name : {"%offs:", "%mask:", "%v:"}) CHECK(has(ir, name));
}

TEST_CASE("deeply nested and long texts end in an error or compile, within bounds") {
  std::string nested = "n", sum = "n", chain;
  for (int i = 0; i < 150; ++i) nested = "(" + nested + " + 1)";
  for (int i = 0; i < 3000; ++i) chain += "    n = n + 1\n";
  CHECK(compile_text("p=*i32 n=5", "@triton.jit\ndef kernel(p, n):\n    tl.store(p, " + nested + ")\n").ok());
  CHECK(compile_text("p=*i32 n=5", "@triton.jit\ndef kernel(p, n):\n" + chain + "    tl.store(p, n)\n").ok());
  std::string many;
  for (int i = 0; i < 3000; ++i) many += "    a" + std::to_string(i) + " = n\n";
  for (int i = 0; i < 3000; ++i)
    many += "    if n > " + std::to_string(i) + ":\n        a" + std::to_string(i) + " = n + 1\n";
  CHECK(compile_text("p=*i32 n=5", "@triton.jit\ndef kernel(p, n):\n" + many + "    tl.store(p, a7)\n").ok());
  std::string returns;
  for (int i = 0; i < 2000; ++i) returns += "    if n == " + std::to_string(i) + ":\n        return\n";
  const auto k = compile_text("p=*i32 n=5", "@triton.jit\ndef kernel(p, n):\n" + returns + "    tl.store(p, n)\n");
  REQUIRE_FALSE(k.ok());
  CHECK(has(k.errors()[0].message, "nested too deeply"));
}

TEST_CASE("files that are no kernel text are refused by name") {
  CHECK(has(read_source("/nowhere/kernel.py").errors()[0].message, "cannot read /nowhere/kernel.py"));
  CHECK_FALSE(read_source(TILESCOPE_SOURCE_DIR).ok());
  const auto none = compile_kernel(request_for("x = 1\n"));
  REQUIRE_FALSE(none.ok());
  CHECK(has(none.errors()[0].message, "has no kernel"));
}

TEST_CASE("of two definitions with one name the kernel is the jit function") {
  CompileRequest r = request_for("# args: p=*i32\n# kernel: add\nimport triton\nimport triton.language as tl\n"
                                 "@triton.jit\ndef add(p):\n    tl.store(p, 1)\n\ndef add(*args):\n    pass\n");
  CHECK(compile_kernel(r).ok());
}

}  // namespace
}  // namespace tilescope::test
