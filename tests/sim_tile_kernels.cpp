// The tile kernels: one lane is the op's scalar meaning, and every instruction set gives the same bytes.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "core/fold.h"
#include "core/op_domain.h"
#include "sim/kernels/dispatch.h"
#include "sim/kernels/tile_kernels.h"

using namespace tilescope;

namespace {

constexpr Isa kAll[] = {Isa::Base, Isa::V3, Isa::V4};

/// Runs `body` once for every instruction set of this processor and puts the best one back.
template <class Body> void for_each_isa(Body body) {
  const Isa before = current_isa();
  for (Isa isa : kAll) {
    if (!isa_supported(isa)) continue;
    REQUIRE(use_isa(isa));
    body(isa);
  }
  REQUIRE(use_isa(before));
}

std::vector<DType> all_dtypes() {
  std::vector<DType> out;
  for (int i = 0; i < kDTypeCount; ++i) out.push_back(static_cast<DType>(i));
  return out;
}

/// Random bit patterns with a share of zeros, ones, extremes; int1 gets 0 and 1. Random bits of a float type hold NaN,
/// infinities and subnormals often enough.
std::vector<uint8_t> random_lanes(DType t, int64_t n, uint64_t seed) {
  std::mt19937_64 rng(seed);
  const int bytes = dtype_bytes(t);
  std::vector<uint8_t> out(static_cast<size_t>(n * bytes));
  for (int64_t i = 0; i < n; ++i) {
    uint64_t bits = rng();
    switch (rng() % 8) {
      case 0: bits = 0; break;
      case 1: bits = 1; break;
      case 2: bits = ~uint64_t{0}; break;
      case 3: bits = uint64_t{1} << (8 * bytes - 1); break;
      default: break;
    }
    if (t == DType::Int1) bits &= 1;
    // Small exponents too, so that sums and products of floats are finite now and then.
    if (t == DType::Float32 && rng() % 2) bits = (bits & 0x807fffff) | (uint64_t{120 + rng() % 16} << 23);
    if (t == DType::Float64 && rng() % 2) bits = (bits & 0x800fffffffffffff) | (uint64_t{1016 + rng() % 16} << 52);
    std::memcpy(&out[static_cast<size_t>(i * bytes)], &bits, static_cast<size_t>(bytes));
  }
  return out;
}

bool is_elementwise(OpCode op) { return op_info(op).group == OpGroup::Elementwise; }

int result_bytes(OpCode op, DType t) {
  const TypeRule rule = op_info(op).rule;
  if (rule == TypeRule::Compare || rule == TypeRule::IsFloat) return 1;
  return rule == TypeRule::ToFloat ? 4 : dtype_bytes(t);
}

/// NaNs may differ in payload between a constant-folded and a computed path of the compiler: compare them by class.
bool same_lane(DType t, const uint8_t* a, const uint8_t* b, int bytes) {
  if (std::memcmp(a, b, static_cast<size_t>(bytes)) == 0) return true;
  if (t == DType::Float32 && bytes == 4) {
    float x, y;
    std::memcpy(&x, a, 4);
    std::memcpy(&y, b, 4);
    return std::isnan(x) && std::isnan(y);
  }
  if (t == DType::Float64 && bytes == 8) {
    double x, y;
    std::memcpy(&x, a, 8);
    std::memcpy(&y, b, 8);
    return std::isnan(x) && std::isnan(y);
  }
  return false;
}

struct Inputs {
  std::vector<std::vector<uint8_t>> data;
  std::vector<Lanes> lanes(int64_t first_step) const {
    std::vector<Lanes> out;
    for (size_t k = 0; k < data.size(); ++k) out.push_back({data[k].data(), k == 0 ? first_step : 1});
    return out;
  }
};

Inputs make_inputs(OpCode op, DType t, int64_t n, uint64_t seed) {
  Inputs in;
  for (int k = 0; k < op_info(op).min_operands; ++k) {
    const bool condition = op == OpCode::Select && k == 0;
    in.data.push_back(random_lanes(condition ? DType::Int1 : t, n, seed + static_cast<uint64_t>(k)));
  }
  return in;
}

}  // namespace

TEST_CASE("every elementwise op has a kernel for exactly the element types it takes") {
  for (int i = 0; i < op_count(); ++i) {
    const OpCode op = static_cast<OpCode>(i);
    if (!is_elementwise(op) || op_info(op).rule == TypeRule::Explicit) continue;
    for (DType t : all_dtypes()) {
      CAPTURE(std::string(op_info(op).name) + " " + std::string(dtype_name(t)));
      const bool found = elementwise_kernel(op, t) != nullptr;
      CHECK(found == op_takes(op, t));
    }
  }
  for (DType from : all_dtypes())
    for (DType to : all_dtypes()) {
      const bool found = cast_kernel(from, to) != nullptr;
      CHECK(found);
    }
}

TEST_CASE("every elementwise kernel gives the same bytes with AVX-512, with AVX2 and with neither") {
  constexpr int64_t n = 1031;
  for (int i = 0; i < op_count(); ++i) {
    const OpCode op = static_cast<OpCode>(i);
    if (!is_elementwise(op) || op_info(op).rule == TypeRule::Explicit) continue;
    for (DType t : all_dtypes()) {
      if (!op_takes(op, t)) continue;
      const Inputs in = make_inputs(op, t, n, static_cast<uint64_t>(i) * 100);
      for (int64_t step : {1, 0}) {
        const int bytes = result_bytes(op, t);
        std::vector<uint8_t> first;
        for_each_isa([&](Isa isa) {
          std::vector<uint8_t> out(static_cast<size_t>(n * bytes));
          elementwise_kernel(op, t)(n, out.data(), in.lanes(step).data());
          if (first.empty()) first = out;
          int64_t differing = 0;
          for (int64_t k = 0; k < n; ++k) differing += !same_lane(t, &out[static_cast<size_t>(k * bytes)], &first[static_cast<size_t>(k * bytes)], bytes);
          CAPTURE(std::string(op_info(op).name) + " " + std::string(dtype_name(t)) + " " + std::string(isa_name(isa)));
          CHECK(differing == 0);
        });
      }
    }
  }
}

TEST_CASE("one lane of every elementwise kernel is the scalar meaning that the constant folder uses") {
  constexpr int64_t n = 997;
  for (int i = 0; i < op_count(); ++i) {
    const OpCode op = static_cast<OpCode>(i);
    if (!is_elementwise(op) || op_info(op).rule == TypeRule::Explicit) continue;
    for (DType t : all_dtypes()) {
      if (!op_takes(op, t)) continue;
      const TypeRule rule = op_info(op).rule;
      const DType result = rule == TypeRule::Compare || rule == TypeRule::IsFloat ? DType::Int1 : rule == TypeRule::ToFloat ? DType::Float32 : t;
      const Inputs in = make_inputs(op, t, n, static_cast<uint64_t>(i) * 100 + 50);
      const int bytes = result_bytes(op, t);
      std::vector<uint8_t> out(static_cast<size_t>(n * bytes));
      elementwise_kernel(op, t)(n, out.data(), in.lanes(1).data());
      int64_t differing = 0;
      for (int64_t k = 0; k < n; ++k) {
        uint64_t operands[3] = {0, 0, 0};
        for (size_t a = 0; a < in.data.size(); ++a) {
          const size_t size = op == OpCode::Select && a == 0 ? 1 : static_cast<size_t>(dtype_bytes(t));
          std::memcpy(&operands[a], &in.data[a][static_cast<size_t>(k) * size], size);
        }
        const auto expected = evaluate(op, t, result, operands);
        REQUIRE(expected.has_value());
        uint8_t want[8];
        std::memcpy(want, &*expected, 8);
        const uint8_t* got = &out[static_cast<size_t>(k * bytes)];
        const bool both_nan = is_float(result) && std::isnan(element_to_double(result, *expected)) && [&] {
          uint64_t bits = 0;
          std::memcpy(&bits, got, static_cast<size_t>(bytes));
          return std::isnan(element_to_double(result, bits));
        }();
        differing += !both_nan && std::memcmp(got, want, static_cast<size_t>(bytes)) != 0;
      }
      CAPTURE(std::string(op_info(op).name) + " " + std::string(dtype_name(t)));
      CHECK(differing == 0);
    }
  }
}

TEST_CASE("every cast gives the same bytes with AVX-512, with AVX2 and with neither") {
  constexpr int64_t n = 2053;
  for (DType from : all_dtypes())
    for (DType to : all_dtypes()) {
      const std::vector<uint8_t> in = random_lanes(from, n, 7);
      const Lanes lanes[] = {{in.data(), 1}};
      const int bytes = dtype_bytes(to);
      std::vector<uint8_t> first;
      for_each_isa([&](Isa) {
        std::vector<uint8_t> out(static_cast<size_t>(n * bytes));
        cast_kernel(from, to)(n, out.data(), lanes);
        if (first.empty()) first = out;
        int64_t differing = 0;
        for (int64_t k = 0; k < n; ++k) differing += !same_lane(to, &out[static_cast<size_t>(k * bytes)], &first[static_cast<size_t>(k * bytes)], bytes);
        CAPTURE(std::string(dtype_name(from)) + " to " + std::string(dtype_name(to)));
        CHECK(differing == 0);
      });
    }
}

TEST_CASE("an operand with step 0 is that one element in every lane") {
  constexpr int64_t n = 700;
  for (OpCode op : {OpCode::Add, OpCode::Sub, OpCode::Div, OpCode::Pow, OpCode::Fma, OpCode::Select, OpCode::CmpLt})
    for (DType t : {DType::Float32, DType::Float16, DType::Float64}) {
      const Inputs in = make_inputs(op, t, n, 11);
      for (size_t fixed = 0; fixed < in.data.size(); ++fixed) {
        const bool condition = op == OpCode::Select && fixed == 0;
        const size_t bytes = condition ? 1 : static_cast<size_t>(dtype_bytes(t));
        std::vector<uint8_t> spread;
        for (int64_t i = 0; i < n; ++i) spread.insert(spread.end(), in.data[fixed].begin(), in.data[fixed].begin() + static_cast<int64_t>(bytes));
        std::vector<Lanes> one = in.lanes(1), all = in.lanes(1);
        one[fixed].step = 0;
        all[fixed].data = spread.data();
        std::vector<uint8_t> a(static_cast<size_t>(n * result_bytes(op, t))), b = a;
        elementwise_kernel(op, t)(n, a.data(), one.data());
        elementwise_kernel(op, t)(n, b.data(), all.data());
        int64_t differing = 0;
        const int r = result_bytes(op, t);
        for (int64_t k = 0; k < n; ++k) differing += !same_lane(t, &a[static_cast<size_t>(k * r)], &b[static_cast<size_t>(k * r)], r);
        CAPTURE(std::string(op_info(op).name) + " " + std::string(dtype_name(t)) + " operand " + std::to_string(fixed));
        CHECK(differing == 0);
      }
    }
}

TEST_CASE("float32 kernels agree with plain C++ on ordinary numbers") {
  const std::vector<float> x = {1.5f, -2.25f, 1e10f, 3.0f, -0.0f, 7.0f}, y = {0.5f, 4.0f, 3e-5f, -3.0f, 0.0f, 2.0f};
  std::vector<float> out(x.size());
  const Lanes in[] = {{x.data(), 1}, {y.data(), 1}};
  const int64_t n = static_cast<int64_t>(x.size());
  elementwise_kernel(OpCode::Add, DType::Float32)(n, out.data(), in);
  for (size_t i = 0; i < x.size(); ++i) CHECK(out[i] == x[i] + y[i]);
  elementwise_kernel(OpCode::Mul, DType::Float32)(n, out.data(), in);
  for (size_t i = 0; i < x.size(); ++i) CHECK(out[i] == x[i] * y[i]);
  elementwise_kernel(OpCode::Div, DType::Float32)(n, out.data(), in);
  for (size_t i = 0; i < x.size(); ++i)
    if (y[i] != 0) CHECK(out[i] == x[i] / y[i]);
}

namespace {

/// The design's tree, written as recursion over halves of the index range.
float tree_sum(const std::vector<float>& x, size_t begin, size_t n, size_t step) {
  if (n == 1) return x[begin];
  return tree_sum(x, begin, n / 2, step) + tree_sum(x, begin + n / 2 * step, n / 2, step);
}

}  // namespace

TEST_CASE("a reduction is the balanced tree of adjacent pairs along any axis") {
  for (auto [outer, axis, inner] : {std::array<int64_t, 3>{1, 1024, 1}, {8, 32, 1}, {1, 16, 24}, {3, 64, 5}, {2, 1, 7}, {4, 2, 1}}) {
    std::mt19937 rng(5);
    std::normal_distribution<float> normal;
    std::vector<float> x(static_cast<size_t>(outer * axis * inner));
    for (float& v : x) v = normal(rng);
    for_each_isa([&, o = outer, a = axis, i = inner](Isa) {
      std::vector<float> out(static_cast<size_t>(o * i)), scratch(x.size());
      reduce_kernel(Combine::Sum, DType::Float32)(o, a, i, x.data(), out.data(), scratch.data());
      for (int64_t r = 0; r < o; ++r)
        for (int64_t c = 0; c < i; ++c)
          CHECK(out[static_cast<size_t>(r * i + c)] == tree_sum(x, static_cast<size_t>(r * a * i + c), static_cast<size_t>(a), static_cast<size_t>(i)));
    });
  }
}

TEST_CASE("the last element of a scan equals the reduction, and every element the tree of its prefix") {
  std::mt19937 rng(9);
  std::normal_distribution<float> normal;
  std::vector<float> x(256);
  for (float& v : x) v = normal(rng);
  std::vector<float> scanned = x, scratch(256);
  scan_kernel(Combine::Sum, DType::Float32)(1, 256, 1, scanned.data());
  float total;
  reduce_kernel(Combine::Sum, DType::Float32)(1, 256, 1, x.data(), &total, scratch.data());
  CHECK(scanned[255] == total);
  CHECK(scanned[0] == x[0]);
  CHECK(scanned[63] == tree_sum(x, 0, 64, 1));
  std::vector<int32_t> ones(64, 1);
  scan_kernel(Combine::Sum, DType::Int32)(1, 64, 1, ones.data());
  for (int i = 0; i < 64; ++i) CHECK(ones[static_cast<size_t>(i)] == i + 1);
}

TEST_CASE("argmax takes the lowest index of equal values, argmax_right the highest") {
  const std::vector<float> x = {1, 5, 5, 2, 5, 0, 3, 5};
  std::vector<int32_t> index = {0, 1, 2, 3, 4, 5, 6, 7}, scratch_index(8);
  std::vector<float> scratch(8);
  float value;
  int32_t at;
  arg_reduce_kernel(Combine::ArgMax, DType::Float32)(1, 8, 1, x.data(), index.data(), &value, &at, scratch.data(), scratch_index.data());
  CHECK(value == 5);
  CHECK(at == 1);
  arg_reduce_kernel(Combine::ArgMaxRight, DType::Float32)(1, 8, 1, x.data(), index.data(), &value, &at, scratch.data(), scratch_index.data());
  CHECK(at == 7);
  arg_reduce_kernel(Combine::ArgMin, DType::Float32)(1, 8, 1, x.data(), index.data(), &value, &at, scratch.data(), scratch_index.data());
  CHECK(value == 0);
  CHECK(at == 5);
}

TEST_CASE("an affine fill is base plus stride times index, wrapped to the element type") {
  std::vector<int32_t> out(12);
  const int64_t strides[] = {100, -1};
  fill_affine(DType::Int32, out.data(), Shape{3, 4}, 7, strides);
  CHECK(out == std::vector<int32_t>{7, 6, 5, 4, 107, 106, 105, 104, 207, 206, 205, 204});
  std::vector<uint8_t> bytes(4);
  const int64_t one[] = {1};
  fill_affine(DType::UInt8, bytes.data(), Shape{4}, 254, one);
  CHECK(bytes == std::vector<uint8_t>{254, 255, 0, 1});
}

TEST_CASE("copies honour strides of any sign and repeat where a stride is 0") {
  const std::vector<int16_t> m = {0, 1, 2, 3, 4, 5};  // 2 x 3
  std::vector<int16_t> out(6);
  const int64_t transposed[] = {2, 6};
  copy_tile(2, Shape{2, 2}, out.data(), m.data(), transposed);
  CHECK(std::vector<int16_t>(out.begin(), out.begin() + 4) == std::vector<int16_t>{0, 3, 1, 4});
  const int64_t reversed[] = {-2};
  copy_tile(2, Shape{4}, out.data(), m.data() + 5, reversed);
  CHECK(std::vector<int16_t>(out.begin(), out.begin() + 4) == std::vector<int16_t>{5, 4, 3, 2});
  const int64_t repeated[] = {0, 2};
  copy_tile(2, Shape{2, 2}, out.data(), m.data(), repeated);
  CHECK(std::vector<int16_t>(out.begin(), out.begin() + 4) == std::vector<int16_t>{0, 1, 0, 1});
}
