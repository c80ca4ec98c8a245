// NaN, infinities, -0, subnormals and large magnitudes through masks and dots.
#include <doctest/doctest.h>

#include "tests/property/apply.h"

namespace tilescope {
namespace {

using testing::Bench;
using testing::differs;
using testing::faults;
using testing::kInf;
using testing::kNan;
using testing::Numbers;
using testing::put;
using testing::values;

// ---- masks
// ----------------------------------------------------------------------------------------------------------------

TEST_CASE("masked-off lanes give exactly `other`, whatever it is") {
  for (const auto& [text, value] : {std::pair{"float('nan')", kNan},
                                    {"float('inf')", kInf},
                                    {"-float('inf')", -kInf},
                                    {"-0.0", -0.0},
                                    {"0", 0.0},
                                    {"1e-45", std::ldexp(1.0, -149)}})
    for (const char* mask : {"i < 2", "(i == 0) | (i == 1)"}) {
      Bench b;
      put(b.tensor("x_ptr", DType::Float32, {4}), {5, 6, 7, 8});
      Tensor& y = b.tensor("y_ptr", DType::Float32, {4});
      CAPTURE(text);
      CHECK(faults(b.run(std::string("def kernel(x_ptr, y_ptr):\n    i = tl.arange(0, 4)\n    tl.store(y_ptr + i, "
                                     "tl.load(x_ptr + i, mask=") +
                         mask + ", other=" + text + "))\n")) == "");
      CHECK(differs(values(y), {5, 6, value, value}) == "");
    }
}

TEST_CASE("`other` is converted to the elements' type, and may be a tile") {
  Bench b;
  put(b.tensor("x_ptr", DType::Int8, {4}), {5, 6, 7, 8});
  Tensor& y = b.tensor("y_ptr", DType::Int8, {4});
  CHECK(faults(b.run("def kernel(x_ptr, y_ptr):\n    i = tl.arange(0, 4)\n    tl.store(y_ptr + i, tl.load(x_ptr + i, "
                     "mask=i > 1, other=-2.9 * (i + 1)))\n")) == "");
  CHECK(values(y) == Numbers{-2, -5, 7, 8});
}

TEST_CASE("a mask stores the chosen lanes alone") {
  Bench b;
  Tensor& y = b.tensor("y_ptr", DType::Float16, {8});
  CHECK(faults(b.run("def kernel(y_ptr):\n    i = tl.arange(0, 8)\n    tl.store(y_ptr + i, -0.0, mask=i % 3 == 0)\n    "
                     "tl.store(y_ptr + i, float('nan'), mask=i > 6)\n")) == "");
  CHECK(differs(values(y), {-0.0, 0, 0, -0.0, 0, 0, -0.0, kNan}) == "");
}

// ---- dots
// -----------------------------------------------------------------------------------------------------------------

/// a[0, :] . b for a row of 16 numbers and a column of 16: element [0, 0] of a 16 x 16 product, with zeros elsewhere.
double dot(DType in, DType out, const Numbers& a, const Numbers& b, double c = 0, const std::string& precision = "") {
  Bench bench;
  Tensor& x = bench.tensor("a_ptr", in, {16, 16});
  Tensor& y = bench.tensor("b_ptr", in, {16, 16});
  Tensor& z = bench.tensor("c_ptr", out, {16, 16});
  for (size_t k = 0; k < a.size(); ++k) {
    write_double(in, x.element(static_cast<int64_t>(k)), a[k]);
    write_double(in, y.element(static_cast<int64_t>(k) * 16), b[k]);
  }
  write_double(out, z.element(0), c);
  const std::string options = ", out_dtype=tl." + std::string(dtype_name(out)) +
                              (precision.empty() ? "" : ", input_precision=\"" + precision + "\"");
  const std::string problem = faults(bench.run(
      "def kernel(a_ptr, b_ptr, c_ptr):\n    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]\n"
      "    tl.store(c_ptr + at, tl.dot(tl.load(a_ptr + at), tl.load(b_ptr + at), tl.load(c_ptr + at)" +
      options + "))\n"));
  CHECK(problem == "");
  // A special value stays in its row and column.
  const Numbers all = values(z);
  for (size_t r = 1; r < 16; ++r)
    for (size_t k = 1; k < 16; ++k) CHECK(all[r * 16 + k] == 0);
  return all[0];
}

constexpr DType kF16 = DType::Float16, kBf16 = DType::BFloat16, kF32 = DType::Float32, kF64 = DType::Float64;

TEST_CASE("infinities and NaN decide a dot alone, in every input type") {
  for (const auto& [in, out, precision] : {std::tuple{kF16, kF32, ""},
                                           {kF16, kF16, ""},
                                           {kBf16, kF32, ""},
                                           {kF32, kF32, "tf32"},
                                           {kF32, kF32, "ieee"},
                                           {kF64, kF64, ""}}) {
    CAPTURE(std::string(dtype_name(in)));
    CAPTURE(precision);
    CHECK(dot(in, out, {kInf, 1}, {2, -3}, 0, precision) == kInf);
    CHECK(dot(in, out, {kInf, 1}, {-2, -3}, 0, precision) == -kInf);
    CHECK(std::isnan(dot(in, out, {kInf, 1}, {0, -3}, 0, precision)));     // 0 * inf
    CHECK(std::isnan(dot(in, out, {kInf, kInf}, {1, -1}, 0, precision)));  // inf - inf
    CHECK(std::isnan(dot(in, out, {kInf, 1}, {1, 1}, -kInf, precision)));  // with the accumulator
    CHECK(dot(in, out, {1, 1}, {1, 1}, -kInf, precision) == -kInf);
    CHECK(std::isnan(dot(in, out, {kNan, 1}, {0, 1}, 0, precision)));
    CHECK(std::isnan(dot(in, out, {1, 1}, {1, 1}, kNan, precision)));
  }
}

TEST_CASE("an exact zero is +0") {
  CHECK(differs({dot(kF16, kF32, {1, -1}, {1, 1}, 0)}, {0.0}) == "");
  CHECK(differs({dot(kF16, kF32, {-0.0, 0}, {1, 1}, -0.0)}, {0.0}) == "");
  CHECK(differs({dot(kF64, kF64, {1, -1}, {1, 1}, 0)}, {0.0}) == "");
}

TEST_CASE("subnormal operands and results are kept") {
  CHECK(dot(kF16, kF32, {0x1p-24}, {0x1p-24}) == 0x1p-48);
  CHECK(dot(kF16, kF16, {0x1p-24, 0}, {1, 0}) == 0x1p-24);
  CHECK(dot(kF32, kF32, {0x1p-149}, {1}, 0, "ieee") == 0x1p-149);
  CHECK(dot(kBf16, kF32, {0x1p-100}, {0x1p-40}) == 0x1p-140);
  CHECK(dot(kF64, kF64, {5e-324}, {1}) == 5e-324);
}

TEST_CASE("sums beyond the accumulator overflow; large numbers swallow small ones as the unit has it") {
  CHECK(dot(kF16, kF16, {256}, {256}) == kInf);  // 65536 > 65504
  CHECK(dot(kF16, kF16, {255.875}, {256}) == 65504);
  CHECK(dot(kBf16, kF32, {0x1p100}, {0x1p100}) == kInf);
  CHECK(dot(kF64, kF64, {1e200}, {1e200}) == kInf);
  // 25 fraction bits below the largest term are kept, the rest is cut off before the sum.
  CHECK(dot(kF16, kF32, {4096, 1}, {4096, 1}) == 16777216);  // 2^24 + 1 needs 25 bits: cut off to fp32
  CHECK(dot(kF16, kF32, {4096, 1, -4096}, {4096, 1, 4096}) == 1);
  CHECK(dot(kF16, kF32, {16384, 0x1p-2, -16384}, {16384, 0x1p-2, 16384}) == 0);  // 2^-4 lies 32 bits below 2^28
  CHECK(dot(kF32, kF32, {1e8f, 1, 1}, {1, 1, -1}, 0, "ieee") == 1e8);
}

TEST_CASE("tf32 ignores the low 13 bits of its operands; ieee does not") {
  const double x = 1 + 0x1p-10, y = 1 + 0x1p-11;
  CHECK(dot(kF32, kF32, {x}, {1}, 0, "tf32") == x);
  CHECK(dot(kF32, kF32, {y}, {1}, 0, "tf32") == 1);
  CHECK(dot(kF32, kF32, {y}, {1}, 0) == 1);  // the default
  CHECK(dot(kF32, kF32, {y}, {1}, 0, "ieee") == y);
  CHECK(dot(kF32, kF32, {y}, {1}, 0, "tf32x3") == y);
}

TEST_CASE("an int8 dot is exact and wraps in 32 bits") {
  Bench b;
  Tensor& x = b.tensor("x_ptr", DType::Int8, {16, 32});
  Tensor& z = b.tensor("z_ptr", DType::Int32, {16, 16});
  put(x, Numbers(512, -128));
  CHECK(faults(b.run(R"(
def kernel(x_ptr, z_ptr):
    x = tl.load(x_ptr + tl.arange(0, 16)[:, None] * 32 + tl.arange(0, 32)[None, :])
    acc = tl.full((16, 16), 2147483647, tl.int32)
    acc += tl.dot(x, tl.trans(x), out_dtype=tl.int32)
    tl.store(z_ptr + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :], acc)
)")) == "");
  CHECK(values(z) == Numbers(256, 2147483647.0 + 32 * 16384 - 0x1p32));
}

}  // namespace
}  // namespace tilescope
