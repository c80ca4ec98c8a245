// Dots that are fma chains or integer sums, the fast mode, and the sums of split operands.
#include <doctest/doctest.h>

#include <functional>

#include "tests/sim_dot_data.h"

using namespace tilescope;
using namespace tilescope::dot_test;

namespace {

/// acc = fma(a, b, acc) with k ascending, NaNs canonical.
std::vector<float> fma_chain(const Matrix& a, const Matrix& b, std::vector<float> c) {
  for (int m = 0; m < a.rows; ++m)
    for (int n = 0; n < b.columns; ++n) {
      float& sum = c[static_cast<size_t>(m) * b.columns + n];
      for (int k = 0; k < a.columns; ++k) sum = std::fma(a.value(m, k), b.value(k, n), sum);
      if (std::isnan(sum)) sum = std::bit_cast<float>(0x7fffffffu);
    }
  return c;
}

std::vector<float> values(const Matrix& m) {
  std::vector<float> v;
  for (int i = 0; i < m.rows; ++i)
    for (int j = 0; j < m.columns; ++j) v.push_back(m.value(i, j));
  return v;
}

bool same_bytes(const std::vector<float>& x, const std::vector<float>& y) {
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * 4) == 0;
}

void on_every_isa(const std::function<void()>& check) {
  IsaGuard guard;
  for (Isa isa : isas()) {
    use_isa(isa);
    INFO("instruction set ", isa_name(isa));
    check();
  }
}

}  // namespace

TEST_CASE("fp32 ieee dots are one fma chain over ascending k, to the last bit") {
  on_every_isa([] {
    std::mt19937 random(3);
    for (Data kind : {Data::Ordinary, Data::AllExponents, Data::ZerosAndSubnormals, Data::Specials, Data::WideRange})
      for (int size : {1, 5, 16, 31, 64, 70})
        for (bool transposed : {false, true}) {
          int M = size, N = 71 - size, K = size + 3;
          Matrix a(DType::Float32, M, K, transposed, 2), b(DType::Float32, K, N, transposed, 1);
          Matrix c(DType::Float32, M, N);
          fill(a, kind, random);
          fill(b, kind, random);
          fill(c, Data::Ordinary, random);
          std::vector<float> got = values(c), want = fma_chain(a, b, got);
          DotScratch scratch;
          dot(*parse_dot_contract("fma.f32"), DotMode::Exact, a.operand(), b.operand(), got.data(), M, N, K, scratch);
          INFO("data ", static_cast<int>(kind), " size ", size, " transposed ", transposed);
          CHECK(same_bytes(got, want));
        }
  });
}

TEST_CASE("operands may be any view: negative strides, broadcast rows, unaligned data") {
  on_every_isa([] {
    std::mt19937 random(4);
    Matrix a(DType::Float16, 16, 32), b(DType::Float16, 32, 16), a2 = a, b2 = b;
    fill(a, Data::Ordinary, random);
    fill(b, Data::Ordinary, random);
    for (int i = 0; i < 16; ++i)
      for (int k = 0; k < 32; ++k) a2.set(i, k, a.code(15 - i, 31 - k));
    for (int k = 0; k < 32; ++k)
      for (int j = 0; j < 16; ++j) b2.set(k, j, b.code(0, j));
    std::vector<float> got(256), want(256);
    std::vector<std::byte> shifted(a.bytes.size() + 1);
    std::memcpy(shifted.data() + 1, a.bytes.data(), a.bytes.size());
    DotContract contract = *parse_dot_contract("tc.f16.k16.f25.trunc");
    DotScratch scratch;
    const std::byte* last = shifted.data() + 1 + (16 * 32 - 1) * 2;
    dot(contract, DotMode::Exact, {last, DType::Float16, -32, -1}, {b.bytes.data(), DType::Float16, 0, 1}, got.data(),
        16, 16, 32, scratch);
    dot(contract, DotMode::Exact, a2.operand(), b2.operand(), want.data(), 16, 16, 32, scratch);
    CHECK(same_bytes(got, want));
  });
}

TEST_CASE("fast mode converts exactly and runs the fma chain; fp16 sums are rounded once") {
  on_every_isa([] {
    std::mt19937 random(5);
    for (DType t : {DType::Float16, DType::BFloat16, DType::Float8E5, DType::Float8E4NV, DType::Float32}) {
      DotContract contract = *choose_dot_contract(t, t, DType::Float32, InputPrecision::Tf32);
      Matrix a(t, 24, 40), b(t, 40, 36, true);
      fill(a, Data::AllExponents, random);
      fill(b, Data::AllExponents, random);
      std::vector<float> got(24 * 36, 1.0f), want = fma_chain(a, b, got);
      DotScratch scratch;
      dot(contract, DotMode::Fast, a.operand(), b.operand(), got.data(), 24, 36, 40, scratch);
      INFO(dtype_name(t));
      CHECK(same_bytes(got, want));
    }
    Matrix a(DType::Float16, 8, 16), b(DType::Float16, 16, 8), c(DType::Float16, 8, 8);
    fill(a, Data::Ordinary, random);
    fill(b, Data::Ordinary, random);
    std::vector<float> want = fma_chain(a, b, std::vector<float>(64));
    DotScratch scratch;
    dot(*parse_dot_contract("tc.f16.k16.f25.rne16"), DotMode::Fast, a.operand(), b.operand(), c.bytes.data(), 8, 8, 16,
        scratch);
    for (int i = 0; i < 64; ++i) {
      // Nearest: no fp16 neighbour is closer.
      float x = c.value(i / 8, i % 8), ulp = std::ldexp(1.0f, std::max(std::ilogb(x), -14) - 10);
      CHECK(std::abs(x - want[static_cast<size_t>(i)]) <= ulp / 2);
    }
  });
}

TEST_CASE("every 8-bit and 16-bit float converts exactly, subnormals and specials too") {
  on_every_isa([] {
    for (DType t : {DType::Float16, DType::BFloat16, DType::Float8E5, DType::Float8E4NV}) {
      int rows = 1 << (dtype_bits(t) / 2), columns = rows;
      Matrix all(t, rows, columns);
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) all.set(i, j, static_cast<uint32_t>(i * columns + j));
      // Row by row as 1 * x + 0, K = 1: a NaN reaches nothing but its own column.
      std::vector<float> got(static_cast<size_t>(rows) * columns);
      float one = 1;
      DotScratch scratch;
      DotContract contract = *parse_dot_contract("fma.f32");
      for (int i = 0; i < rows; ++i)
        dot(contract, DotMode::Exact, {&one, DType::Float32, 0, 0},
            {&all.bytes[all.index(i, 0) * dtype_bytes(t)], t, 1, 1}, &got[static_cast<size_t>(i) * columns], 1, columns,
            1, scratch);
      int wrong = 0;
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) {
          float x = got[static_cast<size_t>(i) * columns + j], want = all.value(i, j);
          wrong += std::isnan(want) ? !std::isnan(x) : !same_bits(x, want + 0.0f);  // 1 * -0 + 0 is +0
        }
      INFO(dtype_name(t));
      CHECK(wrong == 0);
    }
  });
}

TEST_CASE("float64 dots are an fma chain in float64") {
  on_every_isa([] {
    std::mt19937_64 random(6);
    for (int size : {1, 16, 37}) {
      int M = size, N = 40 - size, K = size + 16;
      std::vector<double> a(M * K), b(K * N), got(M * N, 0.5), want = got;
      for (double& x : a) x = std::ldexp(static_cast<double>(random()), -64) - 0.5;
      for (double& x : b) x = std::ldexp(static_cast<double>(random()), -60) - 8;
      for (int m = 0; m < M; ++m)
        for (int n = 0; n < N; ++n)
          for (int k = 0; k < K; ++k) want[m * N + n] = std::fma(a[m * K + k], b[k * N + n], want[m * N + n]);
      DotScratch scratch;
      dot(*parse_dot_contract("fma.f64"), DotMode::Exact, {a.data(), DType::Float64, K, 1},
          {b.data(), DType::Float64, N, 1}, got.data(), M, N, K, scratch);
      CHECK(std::memcmp(got.data(), want.data(), got.size() * 8) == 0);
    }
  });
}

TEST_CASE("int8 dots are exact, for the extreme values too, and wrap in 32 bits") {
  on_every_isa([] {
    std::mt19937 random(8);
    for (int size : {1, 3, 16, 35, 64}) {
      int M = size, N = 67 - size, K = 2 * size + 1;
      std::vector<int8_t> a(M * K), b(K * N);
      for (int8_t& x : a) x = random() % 3 ? static_cast<int8_t>(random()) : -128;
      for (int8_t& x : b) x = random() % 3 ? static_cast<int8_t>(random()) : -128;
      std::vector<int32_t> got(M * N, INT32_MAX - 5), want(M * N);
      for (int m = 0; m < M; ++m)
        for (int n = 0; n < N; ++n) {
          int64_t sum = INT32_MAX - 5;
          for (int k = 0; k < K; ++k) sum += a[m * K + k] * b[k * N + n];
          want[m * N + n] = static_cast<int32_t>(static_cast<uint64_t>(sum));
        }
      DotScratch scratch;
      dot(*parse_dot_contract("int.i8"), DotMode::Exact, {a.data(), DType::Int8, K, 1}, {b.data(), DType::Int8, N, 1},
          got.data(), M, N, K, scratch);
      CHECK(got == want);
    }
  });
}

TEST_CASE("split dots are nearly as exact as fp32, in the order tf32 < bf16x3 < tf32x3, bf16x6") {
  std::mt19937 random(9);
  int M = 16, N = 32, K = 64;
  Matrix a(DType::Float32, M, K), b(DType::Float32, K, N);
  fill(a, Data::Ordinary, random);
  fill(b, Data::Ordinary, random);
  auto worst = [&](const char* contract) {
    std::vector<float> c(static_cast<size_t>(M) * N, 0.25f);
    DotScratch scratch;
    dot(*parse_dot_contract(contract), DotMode::Exact, a.operand(), b.operand(), c.data(), M, N, K, scratch);
    double worst = 0;
    for (int m = 0; m < M; ++m)
      for (int n = 0; n < N; ++n) {
        double sum = 0.25, size = 0.25;
        for (int k = 0; k < K; ++k) {
          double p = static_cast<double>(a.value(m, k)) * b.value(k, n);
          sum += p;
          size += std::abs(p);
        }
        worst = std::max(worst, std::abs(c[static_cast<size_t>(m) * N + n] - sum) / size);
      }
    return worst;
  };
  CHECK(worst("tc.tf32.k8.f25.trunc") > 1e-5);
  CHECK(worst("tc.bf16x3.k16.f25.trunc") < 1e-5);
  CHECK(worst("tc.tf32x3.k8.f25.trunc") < 4e-7);
  CHECK(worst("tc.bf16x6.k16.f25.trunc") < 4e-7);
}

TEST_CASE("split dots give the same bytes on every instruction set, and keep infinities") {
  IsaGuard guard;
  for (const char* contract : {"tc.tf32x3.k8.f25.trunc", "tc.bf16x3.k16.f25.trunc", "tc.bf16x6.k16.f25.trunc"}) {
    std::mt19937 random(10);
    Matrix a(DType::Float32, 16, 32), b(DType::Float32, 32, 24);
    fill(a, Data::WideRange, random);
    fill(b, Data::WideRange, random);
    a.set(3, 5, 0x7f800000);
    b.set(5, 7, 0x3f800000);
    std::vector<std::vector<float>> results;
    for (Isa isa : isas()) {
      use_isa(isa);
      results.emplace_back(16 * 24, 1.0f);
      DotScratch scratch;
      dot(*parse_dot_contract(contract), DotMode::Exact, a.operand(), b.operand(), results.back().data(), 16, 24, 32,
          scratch);
    }
    for (const auto& r : results) CHECK(same_bytes(r, results[0]));
    CHECK(std::isinf(results[0][3 * 24 + 7]));
  }
}
