// NaN, infinities, -0, subnormals and large magnitudes through every kind of operation.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

#include "tests/property/apply.h"

namespace tilescope {
namespace {

using testing::apply;
using testing::differs;
using testing::kInf;
using testing::kNan;
using testing::Numbers;

const DType kFloats[] = {DType::Float8E4NV, DType::Float8E5, DType::Float16,
                         DType::BFloat16,   DType::Float32,  DType::Float64};

std::string name(DType t) { return std::string(dtype_name(t)); }

/// As an element of that type; float8e5 saturates, as the language converts to it.
double rounded(DType t, double x) {
  if (t == DType::Float8E5 && std::isinf(x)) x = std::copysign(57344.0, x);
  std::byte e[8];
  write_double(t, e, x);
  return read_double(t, e);
}

/// Numbers at the edges of a type: what the type cannot hold is rounded to it.
Numbers edges(DType t) {
  Numbers out;
  for (double x : {0.0, 1.0, 1.5, 3e38, 65504.0, 448.0, 1e300, 6e-8, 1e-40, 1.5e-39, 5e-324, 0.0078125, 240.0, kInf})
    for (double sign : {1.0, -1.0}) out.push_back(rounded(t, sign * x));
  for (double x : {kNan, 2.0, -3.0, 0.1}) out.push_back(rounded(t, x));
  return out;
}

/// All pairs of the edges, padded to a power of two.
void pairs(DType t, Numbers& x, Numbers& y) {
  for (double a : edges(t))
    for (double b : edges(t)) {
      x.push_back(a);
      y.push_back(b);
    }
  for (size_t n = std::bit_ceil(x.size()); x.size() < n;) {
    x.push_back(1);
    y.push_back(1);
  }
}

/// The expression on all pairs against a function of doubles, whose result is rounded to the type `out`.
void check_pairs(const std::string& text, DType t, DType out, const std::function<double(double, double)>& f) {
  Numbers x, y, expected;
  pairs(t, x, y);
  for (size_t i = 0; i < x.size(); ++i) expected.push_back(is_float(out) ? rounded(out, f(x[i], y[i])) : f(x[i], y[i]));
  CAPTURE(text);
  CAPTURE(name(t));
  const std::string d = differs(apply(text, t, x, out, y), expected);
  CHECK(d == "");
}

TEST_CASE("sums and products of special values are IEEE, rounded once, in every float type") {
  for (DType t : kFloats) {
    if (t == DType::Float32) {  // a product of floats rounds in double as well, so it is taken in float
      check_pairs("x + y", t, t, [](double a, double b) { return static_cast<float>(a) + static_cast<float>(b); });
      check_pairs("x - y", t, t, [](double a, double b) { return static_cast<float>(a) - static_cast<float>(b); });
      check_pairs("x * y", t, t, [](double a, double b) { return static_cast<float>(a) * static_cast<float>(b); });
      check_pairs("x / y", t, t, [](double a, double b) { return static_cast<float>(a) / static_cast<float>(b); });
      check_pairs("tl.fma(x, y, x)", t, t, [](double a, double b) {
        return std::fma(static_cast<float>(a), static_cast<float>(b), static_cast<float>(a));
      });
      continue;
    }
    // Of the small floats, double holds every product exactly; a sum goes through float, as the language has it.
    const bool small = is_small_float(t);
    const auto in_float = [small](double v) { return small ? static_cast<float>(v) : v; };
    check_pairs("x + y", t, t, [&](double a, double b) { return in_float(a + b); });
    check_pairs("x - y", t, t, [&](double a, double b) { return in_float(a - b); });
    check_pairs("x * y", t, t, [&](double a, double b) { return in_float(a * b); });
    check_pairs("tl.fdiv(x, y)", t, t,
                [&](double a, double b) { return small ? static_cast<float>(a) / static_cast<float>(b) : a / b; });
    if (t == DType::Float64) check_pairs("x / y", t, t, [](double a, double b) { return a / b; });
  }
}

TEST_CASE("8-bit floats saturate: no operation on them gives an infinity") {
  for (DType t : {DType::Float8E4NV, DType::Float8E5}) {
    const double most = t == DType::Float8E5 ? 57344 : 448;
    CAPTURE(name(t));
    CHECK(differs(apply("x + y", t, {most, -most, kNan, 1}, t, {most, -most, 1, 1}), {most, -most, kNan, 2}) == "");
    CHECK(differs(apply("x * y", t, {most, most, most, kNan}, t, {most, -2, 0, 0}), {most, -most, 0, kNan}) == "");
    CHECK(differs(apply("tl.fdiv(x, y)", t, {1, -1, 0, 0}, t, {0, 0, 0, 1}), {most, -most, kNan, 0}) == "");
  }
  // A tensor may hold an infinity of float8e5; wider types show it.
  CHECK(differs(apply("x.to(tl.float32)", DType::Float8E5, {kInf, -kInf, kNan, 57344}, DType::Float32),
                {kInf, -kInf, kNan, 57344}) == "");
}

TEST_CASE("minimum and maximum let a NaN lose, or win with propagate_nan, and order the zeros") {
  const auto larger = [](double a, double b) {
    return std::isnan(a) ? b : std::isnan(b) ? a : a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
  };
  const auto smaller = [](double a, double b) {
    return std::isnan(a) ? b : std::isnan(b) ? a : a == b ? (std::signbit(a) ? a : b) : std::min(a, b);
  };
  const auto any_nan = [](double a, double b) { return std::isnan(a) || std::isnan(b); };
  for (DType t : kFloats) {
    check_pairs("tl.maximum(x, y)", t, t, larger);
    check_pairs("tl.minimum(x, y)", t, t, smaller);
    check_pairs("tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL)", t, t,
                [&](double a, double b) { return any_nan(a, b) ? kNan : larger(a, b); });
    check_pairs("tl.minimum(x, y, propagate_nan=tl.PropagateNan.ALL)", t, t,
                [&](double a, double b) { return any_nan(a, b) ? kNan : smaller(a, b); });
  }
  CHECK(differs(apply("tl.clamp(x, -1.0, 1.0)", DType::Float32, {kNan, kInf, -kInf, -0.0}, DType::Float32),
                {-1, 1, -1, -0.0}) == "");
}

TEST_CASE("comparisons with a NaN are false but for !=, and -0 equals +0") {
  for (DType t : kFloats) {
    const DType b = DType::Int32;
    check_pairs("(x < y).to(tl.int32)", t, b, [](double x, double y) { return x < y; });
    check_pairs("(x <= y).to(tl.int32)", t, b, [](double x, double y) { return x <= y; });
    check_pairs("(x > y).to(tl.int32)", t, b, [](double x, double y) { return x > y; });
    check_pairs("(x >= y).to(tl.int32)", t, b, [](double x, double y) { return x >= y; });
    check_pairs("(x == y).to(tl.int32)", t, b, [](double x, double y) { return x == y; });
    check_pairs("(x != y).to(tl.int32)", t, b, [](double x, double y) { return x != y; });
    check_pairs("x.to(tl.int1).to(tl.int32)", t, b, [](double x, double) { return x != 0; });
  }
}

TEST_CASE("where takes the chosen side's bits and nothing of the other") {
  for (DType t : kFloats) check_pairs("tl.where(x < y, x, y)", t, t, [](double a, double b) { return a < b ? a : b; });
  CHECK(differs(apply("tl.where(x != 0, 1.0 / x, -0.0)", DType::Float32, {0, -0.0, 4, kInf}, DType::Float32),
                {-0.0, -0.0, 0.25, 0}) == "");
}

TEST_CASE("negation is 0 - x, and absolute values clear the sign") {
  for (DType t : kFloats) {
    check_pairs("-x", t, t, [](double a, double) { return 0.0 - a; });
    check_pairs("tl.abs(x)", t, t, [](double a, double) { return std::fabs(a); });
  }
  CHECK(apply("-x", DType::Int8, {-128, 127, 0, 1}, DType::Int8) == Numbers{-128, -127, 0, -1});
  CHECK(apply("tl.abs(x)", DType::Int8, {-128, 127, 0, -1}, DType::Int8) == Numbers{-128, 127, 0, 1});
}

TEST_CASE("the remainder is fmod") {
  for (DType t : {DType::Float32, DType::Float64})
    check_pairs("x % y", t, t, [](double a, double b) { return std::fmod(a, b); });
}

// ---- reductions and scans
// ------------------------------------------------------------------------------------------------

double reduced(const std::string& text, DType t, const Numbers& x) {
  return apply(text, t, x, t == DType::BFloat16 ? DType::Float32 : t, {}, true)[0];
}

TEST_CASE("sums meet infinities, NaN, -0 and overflow in the order of the tree") {
  for (DType t : {DType::Float16, DType::Float32, DType::Float64}) {
    CAPTURE(name(t));
    CHECK(std::isnan(reduced("tl.sum(x)", t, {1, kInf, 2, -kInf})));
    CHECK(reduced("tl.sum(x)", t, {1, kInf, 2, 3}) == kInf);
    CHECK(std::isnan(reduced("tl.sum(x)", t, {1, kNan, 2, 3})));
    CHECK(differs({reduced("tl.sum(x)", t, {-0.0, -0.0, -0.0, -0.0})}, {-0.0}) == "");
    CHECK(differs({reduced("tl.sum(x)", t, {-0.0, 0.0, -0.0, -0.0})}, {0.0}) == "");
  }
  CHECK(std::isnan(reduced("tl.sum(x)", DType::Float16, {65504, 65504, -65504, -65504})));  // inf - inf
  CHECK(reduced("tl.sum(x)", DType::Float16, {65504, -65504, 65504, -65504}) == 0);
  CHECK(reduced("tl.sum(x)", DType::Float32, {1e30, 1, -1e30, 1}) == 0);  // (1e30 + 1) + (-1e30 + 1)
  CHECK(reduced("tl.sum(x)", DType::Float32, {1e30, -1e30, 1, 1}) == 2);  // (1e30 - 1e30) + (1 + 1)
  CHECK(reduced("tl.sum(x)", DType::Float32, {1e-45, 1e-45, 1e-45, 1e-45}) == 4 * std::ldexp(1.0, -149));
  CHECK(reduced("tl.sum(x)", DType::Int32, {2147483647, 1, 0, 0}) == -2147483648.0);
  CHECK(apply("tl.sum(x)", DType::Int8, {127, 127, 127, 127}, DType::Int32, {}, true)[0] == 508);
}

TEST_CASE("largest and smallest leave NaNs out unless there is nothing else") {
  for (DType t : {DType::BFloat16, DType::Float32, DType::Float64}) {
    CAPTURE(name(t));
    CHECK(reduced("tl.max(x)", t, {kNan, -3, kNan, -5}) == -3);
    CHECK(reduced("tl.min(x)", t, {kNan, -3, kNan, -5}) == -5);
    CHECK(std::isnan(reduced("tl.max(x)", t, {kNan, kNan, kNan, kNan})));
    CHECK(reduced("tl.max(x)", t, {-kInf, -kInf, -kInf, -kInf}) == -kInf);
    CHECK(differs({reduced("tl.max(x)", t, {-0.0, 0.0, -0.0, -0.0})}, {0.0}) == "");
    CHECK(differs({reduced("tl.min(x)", t, {0.0, 0.0, -0.0, 0.0})}, {-0.0}) == "");
  }
  CHECK(apply("tl.argmax(x, 0)", DType::Float32, {-kInf, 7, 7, kInf}, DType::Int32, {}, true)[0] == 3);
  CHECK(apply("tl.argmax(x, 0)", DType::Float32, {-0.0, 0.0, 0.0, -0.0}, DType::Int32, {}, true)[0] ==
        0);  // a tie: -0 equals +0
  CHECK(apply("tl.argmin(x, 0, tie_break_left=False)", DType::Float32, {2, 1, 1, 3}, DType::Int32, {}, true)[0] == 2);
}

TEST_CASE("scans carry infinities and NaN to the lanes behind them, and to no others") {
  const DType f = DType::Float32;
  CHECK(differs(apply("tl.cumsum(x, 0)", f, {1, kInf, 1, -kInf}, f), {1, kInf, kInf, kNan}) == "");
  CHECK(differs(apply("tl.cumsum(x, 0, reverse=True)", f, {1, kInf, 1, -kInf}, f), {kNan, kNan, -kInf, -kInf}) == "");
  CHECK(differs(apply("tl.cumsum(x, 0)", f, {-0.0, -0.0, 0.0, -0.0}, f), {-0.0, -0.0, 0.0, 0.0}) == "");
  CHECK(differs(apply("tl.cumprod(x, 0)", f, {2, kInf, 0, 5}, f), {2, kInf, kNan, kNan}) == "");
  const float a = 1e-30f, b = 1e-10f, c = 1e10f;  // a * b is subnormal
  CHECK(differs(apply("tl.cumprod(x, 0)", f, {a, b, c, -1}, f), {a, a * b, (a * b) * c, (a * b) * (c * -1)}) == "");
  const char* latest = "def latest(a, b):\n    return tl.where(b == b, b, a)\n";
  CHECK(differs(apply("tl.associative_scan(x, 0, latest)", f, {4, kNan, kNan, -0.0}, f, {}, false, latest),
                {4, 4, 4, -0.0}) == "");
}

TEST_CASE("sorting puts infinities at the ends and NaN after all numbers") {
  const DType f = DType::Float32;
  CHECK(differs(apply("tl.sort(x)", f, {3, kNan, -kInf, 1e-45, kInf, -5, 2, 1}, f),
                {-kInf, -5, 0x1p-149, 1, 2, 3, kInf, kNan}) == "");
}

// ---- conversions
// ---------------------------------------------------------------------------------------------------------

TEST_CASE("a float beyond an integer type gives the nearest end, and NaN the stated value") {
  const DType f = DType::Float32, d = DType::Float64;
  const Numbers x = {kNan, kInf, -kInf, 3e9, -3e9, 2147483648.0, -2147483648.0, -0.9};
  CHECK(apply("x.to(tl.int32)", f, x, DType::Int32) ==
        Numbers{0, 2147483647, -2147483648.0, 2147483647, -2147483648.0, 2147483647, -2147483648.0, 0});
  CHECK(apply("x.to(tl.uint32)", f, x, DType::UInt32) == Numbers{0, 4294967295.0, 0, 3e9, 0, 2147483648.0, 0, 0});
  CHECK(apply("x.to(tl.int16)", f, x, DType::Int16) == Numbers{0, 32767, -32768, 32767, -32768, 32767, -32768, 0});
  CHECK(apply("x.to(tl.uint16)", f, x, DType::UInt16) == Numbers{0, 65535, 0, 65535, 0, 65535, 0, 0});
  CHECK(apply("x.to(tl.int64)", f, x, DType::Int64) ==
        Numbers{-0x1p63, 0x1p63, -0x1p63, 3e9, -3e9, 2147483648.0, -2147483648.0, 0});
  CHECK(apply("x.to(tl.int32)", d, x, DType::Int32) ==
        Numbers{-0x1p31, 2147483647, -2147483648.0, 2147483647, -2147483648.0, 2147483647, -2147483648.0, 0});
  // 8 bits are cut out of the saturated 16 bits, as on the GPU.
  CHECK(apply("x.to(tl.int8)", f, {300.7, 70000, -129, -70000}, DType::Int8) == Numbers{44, -1, 127, 0});
  CHECK(apply("x.to(tl.uint8)", f, {300.7, 70000, -1, 255.9}, DType::UInt8) == Numbers{44, 255, 0, 255});
}

TEST_CASE("integers beyond a float's precision are rounded to nearest even, once") {
  CHECK(apply("x.to(tl.float32)", DType::Int32, {16777217, 16777219, -16777217, 2147483647}, DType::Float32) ==
        Numbers{16777216, 16777220, -16777216, 2147483648.0});
  CHECK(apply("x.to(tl.float16)", DType::Int32, {2049, 2051, 65520, -65519}, DType::Float16) ==
        Numbers{2048, 2052, kInf, -65504});
  CHECK(apply("x.to(tl.bfloat16)", DType::Int64, {257, 259, 0x1p62, -129}, DType::BFloat16) ==
        Numbers{256, 260, 0x1p62, -129});
  // 2^24 + 2^16 + 1 lies just above a tie of bfloat16: through float32 it would round down to even.
  CHECK(apply("x.to(tl.bfloat16)", DType::Int32, {16777216 + 65536 + 1, 0, 0, 0}, DType::BFloat16)[0] ==
        16777216 + 131072);
}

TEST_CASE("narrower floats overflow, saturate and keep subnormals as their format has it") {
  const DType f = DType::Float32;
  const Numbers x = {kNan, kInf, -kInf, 1e6, 65519.9, 65520, 0x1p-25, 0x1.8p-25};
  CHECK(differs(apply("x.to(tl.float16)", f, x, DType::Float16), {kNan, kInf, -kInf, kInf, 65504, kInf, 0, 0x1p-24}) ==
        "");
  CHECK(differs(apply("x.to(tl.float8e4nv)", f, x, DType::Float8E4NV), {kNan, 448, -448, 448, 448, 448, 0, 0}) == "");
  CHECK(differs(apply("x.to(tl.float8e5)", f, x, DType::Float8E5), {kNan, 57344, -57344, 57344, 57344, 57344, 0, 0}) ==
        "");
  CHECK(differs(apply("x.to(tl.bfloat16)", f, {3.4e38, -1e-45, 1.00390625, 1.01171875}, DType::BFloat16),
                {kInf, -0.0, 1, 1.015625}) == "");
  CHECK(differs(apply("x.to(tl.float32)", DType::Float64, {1e39, -1e-46, 0x1p-149, 1 + 0x1p-24}, f),
                {kInf, -0.0, 0x1p-149, 1}) == "");
}

TEST_CASE("the bits of any NaN are those of the one NaN") {
  testing::Bench b;
  Tensor& x = b.tensor("x_ptr", DType::Float32, {4});
  Tensor& y = b.tensor("y_ptr", DType::Int32, {4});
  const uint32_t bits[] = {0x7f800001, 0xffc01234, 0x7fffffff, 0x80000000};
  std::memcpy(x.storage.data(), bits, sizeof bits);
  CHECK(testing::faults(b.run("def kernel(x_ptr, y_ptr):\n    i = tl.arange(0, 4)\n    tl.store(y_ptr + i, "
                              "tl.load(x_ptr + i).to(tl.int32, bitcast=True))\n")) == "");
  const Numbers got = testing::values(y);
  CHECK(got[0] == got[1]);
  CHECK(got[1] == got[2]);
  CHECK(got[3] == -2147483648.0);
}

// ---- functions
// -----------------------------------------------------------------------------------------------------------

TEST_CASE("functions of special values follow the C library's rules") {
  const Numbers x = {0, -0.0, kInf, -kInf, kNan, -1, 1, 0x1p-140};
  const auto check = [&](const char* text, Numbers expected) {
    for (DType t : {DType::Float32, DType::Float64}) {
      CAPTURE(text);
      CAPTURE(name(t));
      const std::string d = differs(apply(text, t, x, t), expected);
      CHECK(d == "");
    }
  };
  check("tl.sqrt(x)", {0, -0.0, kInf, kNan, kNan, kNan, 1, 0x1p-70});
  check("tl.rsqrt(x)", {kInf, -kInf, 0, kNan, kNan, kNan, 1, 0x1p70});
  check("tl.floor(x)", {0, -0.0, kInf, -kInf, kNan, -1, 1, 0});
  check("tl.ceil(x)", {0, -0.0, kInf, -kInf, kNan, -1, 1, 1});
  check("tl.log2(x)", {-kInf, -kInf, kInf, kNan, kNan, kNan, 0, -140});
  check("tl.exp2(x)", {1, 1, kInf, 0, kNan, 0.5, 2, 1});
  for (const char* text : {"tl.sin(x)", "tl.cos(x)"})
    for (DType t : {DType::Float32, DType::Float64}) {
      const bool sine = text[3] == 's';
      const std::string d = differs(apply(text, t, {kInf, -kInf, kNan, 0, -0.0, 0x1p-140, 0, 0}, t),
                                    {kNan, kNan, kNan, sine ? 0.0 : 1.0, sine ? -0.0 : 1.0, sine ? 0x1p-140 : 1.0,
                                     sine ? 0.0 : 1.0, sine ? 0.0 : 1.0});
      CHECK(d == "");
    }
}

TEST_CASE("exp, log and erf reach their limits where they should") {
  const DType f = DType::Float32;
  const Numbers e = apply("tl.exp(x)", f, {88.7, 88.8, -87, -100, -103.9, -104.1, kInf, -kInf}, f);
  CHECK((e[0] > 3e38 && e[0] < kInf));
  CHECK(e[1] == kInf);
  CHECK(e[2] == doctest::Approx(std::exp(-87.0)).epsilon(1e-6));
  CHECK(e[3] == doctest::Approx(std::exp(-100.0)).epsilon(0.02));  // subnormal: few bits
  CHECK(e[4] == 0x1p-149);
  CHECK(differs({e[5], e[6], e[7]}, {0, kInf, 0}) == "");
  const Numbers l = apply("tl.log(x)", f, {0, -0.0, -1, kInf, kNan, 0x1p-149, 3.4e38, 1}, f);
  CHECK(differs({l[0], l[1], l[2], l[3], l[4], l[7]}, {-kInf, -kInf, kNan, kInf, kNan, 0}) == "");
  CHECK(l[5] == doctest::Approx(-149 * std::log(2.0)).epsilon(1e-6));
  CHECK(l[6] == doctest::Approx(std::log(3.4e38)).epsilon(1e-6));
  CHECK(differs(apply("tl.erf(x)", f, {kInf, -kInf, kNan, -0.0, 10, -10, 0, 100}, f),
                {1, -1, kNan, -0.0, 1, -1, 0, 1}) == "");
  CHECK(differs(apply("tl.sigmoid(x)", f, {kInf, -kInf, kNan, 0, 200, -200, -0.0, 100}, f),
                {1, 0, kNan, 0.5, 1, 0, 0.5, 1}) == "");
}

}  // namespace
}  // namespace tilescope
