// What users of other tools reported as wrong, shown to be right here. One test a line of those reports, as far as the
// simulator alone can show it.
#include <doctest/doctest.h>

#include "tests/property/apply.h"
#include "tests/property/launch_text.h"

namespace tilescope {
namespace {

using testing::apply;
using testing::Bench;
using testing::differs;
using testing::faults;
using testing::kInf;
using testing::kNan;
using testing::Numbers;
using testing::put;
using testing::run_launch;
using testing::values;

TEST_CASE("bfloat16 computes with numbers, not with bit patterns") {
  CHECK(apply("x + y", DType::BFloat16, {2.5, -5}, DType::BFloat16, {2.0, -2}) == Numbers{4.5, -7});
  CHECK(apply("(x < y).to(tl.int32)", DType::BFloat16, {-5, 2.5}, DType::Int32, {-2, 2.0}) == Numbers{1, 0});
  for (int a = -16; a <= 16; a += 4) {
    Numbers x, y, sum, product;
    for (int b = -16; b < 16; ++b) x.push_back(a), y.push_back(b), sum.push_back(a + b), product.push_back(a * b);
    CHECK(apply("x + y", DType::BFloat16, x, DType::BFloat16, y) == sum);
    CHECK(apply("x * y", DType::BFloat16, x, DType::BFloat16, y) == product);
  }
}

TEST_CASE("a 16^3 dot of small integers is exact in bfloat16 and in the 8-bit floats") {
  for (DType t : {DType::BFloat16, DType::Float16, DType::Float8E4NV, DType::Float8E5}) {
    const int64_t k = dtype_bits(t) == 8 ? 32 : 16;
    Bench b;
    Tensor& x = b.tensor("x_ptr", t, {16, k});
    Tensor& y = b.tensor("y_ptr", t, {k, 16});
    Tensor& z = b.tensor("z_ptr", DType::Float32, {16, 16});
    Numbers expected(256, 0);
    for (int64_t i = 0; i < 16 * k; ++i) {
      write_double(t, x.element(i), static_cast<double>(i * 7 % 9 - 4));
      write_double(t, y.element(i), static_cast<double>(i * 5 % 7 - 3));
    }
    for (int64_t r = 0; r < 16; ++r)
      for (int64_t c = 0; c < 16; ++c)
        for (int64_t q = 0; q < k; ++q)
          expected[static_cast<size_t>(r * 16 + c)] +=
              static_cast<double>(((r * k + q) * 7 % 9 - 4) * ((q * 16 + c) * 5 % 7 - 3));
    b.integer("K", k);
    CHECK(faults(b.run(R"(
def kernel(x_ptr, y_ptr, z_ptr, K: tl.constexpr):
    m = tl.arange(0, 16)
    k = tl.arange(0, K)
    z = tl.dot(tl.load(x_ptr + m[:, None] * K + k[None, :]), tl.load(y_ptr + k[:, None] * 16 + m[None, :]))
    tl.store(z_ptr + m[:, None] * 16 + m[None, :], z)
)")) == "");
    CAPTURE(std::string(dtype_name(t)));
    CHECK(values(z) == expected);
  }
}

TEST_CASE("masked lanes are not counted in a sum when other=0") {
  Bench b;
  put(b.tensor("x_ptr", DType::Float32, {16}), Numbers(16, 1));
  Tensor& y = b.tensor("y_ptr", DType::Float32, {2});
  CHECK(faults(b.run(R"(
def kernel(x_ptr, y_ptr):
    i = tl.arange(0, 256)
    x = tl.load(x_ptr + i, mask=i < 16, other=0)
    tl.store(y_ptr, tl.sum(x))
    tl.store(y_ptr + 1, tl.sum((x + 1) * (i < 16)))
)")) == "");
  CHECK(values(y) == Numbers{16, 32});
}

TEST_CASE("a masked load without `other` is fine under its own mask, and a fault where its lanes show") {
  const auto run = [](const std::string& rest) {
    Bench b;
    put(b.tensor("x_ptr", DType::Float32, {4}), {1, 2, 3, 4});
    b.tensor("y_ptr", DType::Float32, {8});
    RunOptions options;
    options.check.uninitialised = true;
    return b.run(
        "def kernel(x_ptr, y_ptr):\n    i = tl.arange(0, 8)\n    m = i < 4\n    x = tl.load(x_ptr + i, mask=m)\n" +
            rest,
        {1, 1, 1}, options);
  };
  CHECK(faults(run("    tl.store(y_ptr + i, x * 2, mask=m)\n")) == "");
  CHECK(faults(run("    tl.store(y_ptr + i, tl.where(m, x, 0.0))\n")) == "");
  CHECK(faults(run("    tl.store(y_ptr + i, x, mask=m & (i > 1))\n")) == "");
  CHECK(faults(run("    tl.store(y_ptr, tl.sum(tl.where(m, x, 0.0)))\n")) == "");
  const RunTrace stored = run("    tl.store(y_ptr + i, x * 2)\n"), summed = run("    tl.store(y_ptr, tl.sum(x))\n");
  REQUIRE(stored.faults.size() == 1);
  CHECK(stored.faults[0].kind == FaultKind::PoisonedUse);
  CHECK(stored.faults[0].lane == 4);
  CHECK(stored.faults[0].count == 4);
  REQUIRE(summed.faults.size() == 1);
  CHECK(summed.faults[0].kind == FaultKind::PoisonedUse);
}

TEST_CASE("a read past a strided view is a fault with lane, element and tensor") {
  Bench b;
  b.tensor("p", DType::Float32, {3}, {2});
  const RunTrace t = b.run(
      "def kernel(p):\n    offs = tl.arange(0, 8)\n    x = tl.load(p + offs * 2, mask=offs < 4, other=0.0)\n    "
      "tl.store(p + offs * 2, x, mask=offs < 3)\n");
  REQUIRE(t.faults.size() == 1);
  CHECK(t.faults[0].kind == FaultKind::OutOfBounds);
  CHECK(t.faults[0].lane == 3);
  CHECK(t.faults[0].offset == 6);
  CHECK(t.faults[0].tensor == "p");
  // Between the elements of a view there is nothing either.
  const RunTrace between = b.run("def kernel(p):\n    tl.store(p, tl.load(p + 1))\n");
  CHECK(between.faults.size() == 1);
}

TEST_CASE("block pointers with boundary_check read the inside and pad the rest") {
  Bench b;
  Tensor& x = b.range("x_ptr", DType::Float32, {3, 5});
  Tensor& y = b.tensor("y_ptr", DType::Float32, {2, 4, 8});
  (void)x;
  CHECK(faults(b.run(R"(
def kernel(x_ptr, y_ptr):
    p = tl.make_block_ptr(x_ptr, shape=(3, 5), strides=(5, 1), offsets=(0, 0), block_shape=(4, 8), order=(1, 0))
    at = tl.arange(0, 4)[:, None] * 8 + tl.arange(0, 8)[None, :]
    tl.store(y_ptr + at, tl.load(p, boundary_check=(0, 1), padding_option="zero"))
    p = tl.advance(p, (1, 2))
    tl.store(y_ptr + 32 + at, tl.load(p, boundary_check=(0, 1), padding_option="nan"))
)")) == "");
  Numbers expected;
  for (int part = 0; part < 2; ++part)
    for (int r = part; r < part + 4; ++r)
      for (int c = 2 * part; c < 2 * part + 8; ++c)
        expected.push_back(r < 3 && c < 5 ? r * 5 + c : part == 0 ? 0 : kNan);
  CHECK(differs(values(y), expected) == "");
}

TEST_CASE("// and % of negative numbers truncate at run time, scalar and tile, and floor on constexprs") {
  const Numbers a = {-7, 7, -7, 7}, b = {2, -2, -2, 2};
  CHECK(apply("x // y", DType::Int32, a, DType::Int32, b) == Numbers{-3, -3, 3, 3});
  CHECK(apply("x % y", DType::Int32, a, DType::Int32, b) == Numbers{-1, 1, -1, 1});
  const auto kernel = [](const std::string& numbers) {
    return "def kernel(y_ptr, A, B, C: tl.constexpr, D: tl.constexpr):\n    i = tl.arange(0, 1)\n" + numbers +
           "    tl.store(y_ptr, a // b)\n    tl.store(y_ptr + 1, a % b)\n";
  };
  // A run-time scalar, constants that the passes fold, constexprs.
  for (const auto& [text, quotient, rest] :
       {std::tuple{"    a = A\n    b = B\n", -3.0, -1.0},
        {"    a = tl.full((), -7, tl.int32)\n    b = tl.full((), 2, tl.int32)\n", -3.0, -1.0},
        {"    a = tl.full((), 0, tl.int32) - 7\n    b = 2\n", -3.0, -1.0},
        {"    a = C\n    b = D\n", -3.0, -1.0},  // a plain assignment makes run-time values
        {"    a = -7\n    b = 2\n", -3.0, -1.0},
        {"    a: tl.constexpr = C\n    b: tl.constexpr = D\n", -4.0, 1.0},
        {"    a: tl.constexpr = -7\n    b: tl.constexpr = 2\n", -4.0, 1.0}}) {
    Bench bench;
    Tensor& y = bench.tensor("y_ptr", DType::Int32, {2});
    for (const auto& [n, v] : {std::pair{"A", -7}, {"B", 2}, {"C", -7}, {"D", 2}}) bench.integer(n, v);
    CAPTURE(std::string(text));
    CHECK(faults(bench.run(kernel(text))) == "");
    CHECK(values(y) == Numbers{quotient, rest});
  }
}

TEST_CASE("a tuple reduction takes the compiler's spelling and refuses a combine of the wrong arity") {
  const std::string pair =
      "def keep(a, i, b, j):\n    left = a >= b\n    return tl.where(left, a, b), tl.where(left, i, j)\n";
  Bench b;
  put(b.tensor("x_ptr", DType::Float32, {8}), {3, 9, -1, 9, 2, 8, 0, 1});
  Tensor& y = b.tensor("y_ptr", DType::Float32, {2});
  CHECK(faults(b.run(pair + R"(

@triton.jit
def kernel(x_ptr, y_ptr):
    i = tl.arange(0, 8)
    best, at = tl.reduce((tl.load(x_ptr + i), i), 0, keep)
    tl.store(y_ptr, best)
    tl.store(y_ptr + 1, at.to(tl.float32))
)")) == "");
  CHECK(values(y) == Numbers{9, 1});
  const std::string wrong =
      faults(b.run("def keep(a, b):\n    return a\n\n@triton.jit\ndef kernel(x_ptr, y_ptr):\n    i = tl.arange(0, 8)\n"
                   "    best, at = tl.reduce((tl.load(x_ptr + i), i), 0, keep)\n    tl.store(y_ptr, best)\n"));
  CHECK(wrong.find("does not compile") == 0);
}

/// The nearest of all numbers of float8e5, the even one of two; beyond the largest it saturates.
uint8_t nearest_e5m2(double x) {
  if (std::isnan(x)) return 0x7f;
  uint8_t best = 0;
  double distance = kInf;
  for (int code = 0; code < 0x7c; ++code) {
    const int exponent = code >> 2, fraction = code & 3;
    const double v = exponent == 0 ? std::ldexp(fraction, -16) : std::ldexp(4 + fraction, exponent - 17);
    const double d = std::fabs(std::fabs(std::min(std::max(x, -57344.0), 57344.0)) - v);
    if (d < distance || (d == distance && code % 2 == 0)) best = static_cast<uint8_t>(code), distance = d;
  }
  return static_cast<uint8_t>(best | (std::signbit(x) ? 0x80 : 0));
}

TEST_CASE("float16 to float8e5 is right for all 65,536 inputs") {
  Bench b;
  Tensor& x = b.tensor("x_ptr", DType::Float16, {65536});
  Tensor& y = b.tensor("y_ptr", DType::Float8E5, {65536});
  for (int i = 0; i < 65536; ++i) {
    const auto bits = static_cast<uint16_t>(i);
    std::memcpy(x.element(i), &bits, 2);
  }
  CHECK(faults(b.run("def kernel(x_ptr, y_ptr):\n    i = tl.program_id(0) * 1024 + tl.arange(0, 1024)\n    "
                     "tl.store(y_ptr + i, tl.load(x_ptr + i).to(tl.float8e5))\n",
                     {64, 1, 1})) == "");
  int wrong = 0;
  for (int i = 0; i < 65536; ++i) {
    const double from = read_double(DType::Float16, x.element(i));
    const auto got = std::to_integer<uint8_t>(*y.element(i));
    wrong += std::isnan(from) ? (got & 0x7f) <= 0x7c : got != nearest_e5m2(from);
  }
  CHECK(wrong == 0);
}

TEST_CASE("an in-place kernel goes on with the values that it loaded") {
  Bench b;
  Tensor& x = b.range("x_ptr", DType::Int32, {8});
  Tensor& y = b.tensor("y_ptr", DType::Int32, {8});
  CHECK(faults(b.run(R"(
def kernel(x_ptr, y_ptr):
    i = tl.arange(0, 8)
    x = tl.load(x_ptr + i)
    back = tl.load(x_ptr + 7 - i)
    tl.store(x_ptr + i, x + 100)
    tl.store(x_ptr + i, back, mask=i < 4)
    tl.store(y_ptr + i, x * 10 + back)
)")) == "");
  CHECK(values(x) == Numbers{7, 6, 5, 4, 104, 105, 106, 107});
  CHECK(values(y) == Numbers{7, 16, 25, 34, 43, 52, 61, 70});
}

TEST_CASE("an unmasked K tail is reported with the iteration that runs past the end, at the load in the helper") {
  Bench b;
  b.range("x_ptr", DType::Float32, {40});
  Tensor& y = b.tensor("y_ptr", DType::Float32, {1});
  (void)y;
  const RunTrace t = b.run(
      "def tile(p, k):\n    return tl.load(p + k + tl.arange(0, 16))\n\n\n@triton.jit\ndef kernel(x_ptr, y_ptr):\n    "
      "acc = tl.zeros((16,), tl.float32)\n"
      "    for k in range(0, 40, 16):\n        acc += tile(x_ptr, k)\n    tl.store(y_ptr, tl.sum(acc))\n");
  REQUIRE(t.faults.size() == 1);
  const Fault& f = t.faults[0];
  CHECK(f.range.line == 6);
  CHECK(f.range.column == 12);
  CHECK(f.lane == 8);
  REQUIRE(f.loops.size() == 1);
  CHECK(f.loops[0].iteration == 2);
  CHECK(f.loops[0].value == 32);
  CHECK(f.hint.find("8 lanes") != std::string::npos);
  REQUIRE(f.calls != nullptr);
}

TEST_CASE("a right erf in float16 is within the tolerance that float16 gets by itself") {
  Numbers x = {-2, -1, -0.5, 0, 0.5, 1, 1.5, 2};
  std::string in, out;
  for (double v : x) {
    in += (in.empty() ? "" : ", ") + std::to_string(v);
    out += (out.empty() ? "" : ", ") + std::to_string(std::erf(v));
  }
  CHECK(
      run_launch(
          "def kernel(x_ptr, y_ptr):\n    i = tl.arange(0, 8)\n    tl.store(y_ptr + i, tl.erf(tl.load(x_ptr + "
          "i).to(tl.float32)))\n",
          R"({"grid": [1], "args": {"x_ptr": {"tensor": "float16", "shape": [8], "init": {"values": [)" + in +
              R"(]}}, "y_ptr": {"tensor": "float16", "shape": [8], "init": "empty"}}, "outputs": {"y_ptr": {"values": [)" +
              out + "]}}}") == "");
}

}  // namespace
}  // namespace tilescope
