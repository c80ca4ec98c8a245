// The vectorised bit model gives the scalar model's bytes, on every instruction set, also on hostile data.
#include <doctest/doctest.h>

#include "tests/sim_dot_data.h"

using namespace tilescope;
using namespace tilescope::dot_test;

namespace {

struct Path {
  const char* contract;
  DType operand;
};

constexpr Path kPaths[] = {
    {"tc.f16.k16.f25.trunc", DType::Float16},    {"tc.f16.k16.f25.trunc", DType::Float8E5},
    {"tc.f16.k16.f25.trunc", DType::Float8E4NV}, {"tc.f16.k16.f25.rne16", DType::Float16},
    {"tc.bf16.k16.f25.trunc", DType::BFloat16},  {"tc.tf32.k8.f25.trunc", DType::Float32},
    {"tc.bf16.k8.f24.trunc", DType::BFloat16},   {"tc.f16.k8.f24.rne16", DType::Float16},
};

/// Differing elements of one random dot, and the first of them in `where`.
int differences(const Path& path, Data kind, Data c_kind, int M, int N, int K, bool transposed, std::mt19937& random,
                std::string& where) {
  DotContract contract = *parse_dot_contract(path.contract);
  bool f16 = contract.output == DotContract::Output::NearestF16;
  Matrix a(path.operand, M, K, transposed, 3), b(path.operand, K, N, transposed, 5);
  fill(a, kind, random);
  fill(b, kind, random);
  Matrix c(f16 ? DType::Float16 : DType::Float32, M, N);
  fill(c, c_kind, random);
  std::vector<float> start(static_cast<size_t>(M) * N);
  for (int i = 0; i < M * N; ++i) start[i] = c.value(i / N, i % N);
  std::vector<float> want = reference_dot(contract, a, b, start);
  DotScratch scratch;
  dot(contract, DotMode::Exact, a.operand(), b.operand(), c.bytes.data(), M, N, K, scratch);
  int wrong = 0;
  for (int i = 0; i < M * N; ++i) {
    float got = c.value(i / N, i % N);
    bool same = std::isnan(want[i]) ? c.code(i / N, i % N) == (f16 ? 0x7fffu : 0x7fffffffu) : same_bits(got, want[i]);
    if (!same && wrong++ == 0)
      where = std::to_string(i / N) + "," + std::to_string(i % N) + ": got " + std::to_string(got) + ", want " +
              std::to_string(want[i]) + ", c " + std::to_string(start[i]);
  }
  return wrong;
}

}  // namespace

TEST_CASE("the vectorised model equals the scalar model on every kind of data and every instruction set") {
  IsaGuard guard;
  for (Isa isa : isas()) {
    use_isa(isa);
    for (const Path& path : kPaths) {
      std::mt19937 random(1234);
      for (int kind = 0; kind < static_cast<int>(Data::kCount); ++kind)
        for (int c_kind = 0; c_kind < static_cast<int>(Data::kCount); ++c_kind) {
          std::string where;
          int wrong = differences(path, static_cast<Data>(kind), static_cast<Data>(c_kind), 8, 32, 32, c_kind % 2,
                                  random, where);
          INFO(isa_name(isa), " ", path.contract, " ", dtype_name(path.operand), " data ", kind, " c ", c_kind, " ",
               where);
          CHECK(wrong == 0);
        }
    }
  }
}

TEST_CASE("tiles that fill no panel and k that fills no group give the same bits") {
  IsaGuard guard;
  for (Isa isa : isas()) {
    use_isa(isa);
    std::mt19937 random(99);
    for (const Path& path : kPaths)
      for (int size : {1, 2, 3, 7, 16, 33, 40}) {
        std::string where;
        int wrong =
            differences(path, Data::Specials, Data::Ordinary, size, 41 - size, size + 5, size % 2, random, where);
        INFO(isa_name(isa), " ", path.contract, " size ", size, " ", where);
        CHECK(wrong == 0);
      }
  }
}

TEST_CASE("sums that cancel or that overflow 32 bits in the middle are right") {
  // 16 products of 1.999^2 with the accumulator on top exceed 2^31 in units of the model; then their negatives.
  IsaGuard guard;
  for (Isa isa : isas()) {
    use_isa(isa);
    DotContract contract = *parse_dot_contract("tc.f16.k16.f25.trunc");
    Matrix a(DType::Float16, 4, 32), b(DType::Float16, 32, 32);
    for (int i = 0; i < 4; ++i)
      for (int k = 0; k < 32; ++k) a.set(i, k, k < 16 ? 0x3fff : 0xbfff);
    for (int k = 0; k < 32; ++k)
      for (int j = 0; j < 32; ++j) b.set(k, j, 0x3fff);
    std::vector<float> c(4 * 32, 3.9999f), want = reference_dot(contract, a, b, c);
    DotScratch scratch;
    dot(contract, DotMode::Exact, a.operand(), b.operand(), c.data(), 4, 32, 32, scratch);
    CHECK(c == want);
  }
}

TEST_CASE("groups beyond the vector kernels use the scalar model") {
  DotContract contract = *parse_dot_contract("tc.f16.k32.f13.trunc");
  std::mt19937 random(5);
  Matrix a(DType::Float8E4NV, 4, 64), b(DType::Float8E4NV, 64, 8);
  fill(a, Data::Ordinary, random);
  fill(b, Data::Ordinary, random);
  std::vector<float> c(4 * 8, 1.0f), want = reference_dot(contract, a, b, c);
  DotScratch scratch;
  dot(contract, DotMode::Exact, a.operand(), b.operand(), c.data(), 4, 8, 64, scratch);
  CHECK(c == want);
}

TEST_CASE("the scalar model obeys the rules it was measured by") {
  TensorCoreModel f32 = tensor_core_model(*parse_dot_contract("tc.f16.k16.f25.trunc"));
  TensorCoreModel f16 = tensor_core_model(*parse_dot_contract("tc.f16.k16.f25.rne16"));
  const float zero[2] = {0, 0}, one[2] = {1, 1}, inf[2] = {INFINITY, 1}, minus_inf[2] = {-INFINITY, 1};
  const float small_positive[2] = {0x1p-126f, 1};
  auto bits = [](float x) { return std::bit_cast<uint32_t>(x); };
  CHECK(bits(tensor_core_group(f32, zero, one, 2, -0.0f)) == 0u);          // an exact zero is +0
  CHECK(bits(tensor_core_group(f32, zero, inf, 2, 1.0f)) == 0x7fffffffu);  // 0 * inf
  CHECK(tensor_core_group(f32, one, minus_inf, 2, 1.0f) == -INFINITY);
  CHECK(bits(tensor_core_group(f32, one, minus_inf, 2, INFINITY)) == 0x7fffffffu);
  const float least[2] = {-0x1p-126f, -0x1p-126f};
  TensorCoreModel bf16 = tensor_core_model(*parse_dot_contract("tc.bf16.k16.f25.trunc"));
  CHECK(bits(tensor_core_group(bf16, least, small_positive, 1, 0.0f)) == 0u);  // so is a negative one cut off to zero
  CHECK(std::isinf(tf32_operand(std::bit_cast<float>(0x7f801fffu))));          // the unit does not see these bits
  // What lies more than 25 bits below the largest exponent is cut off, each term for itself.
  const float small[2] = {0x1p-13f, 0x1p-13f}, quarter[2] = {1, 1};
  const float tiny_a[2] = {0x1p-13f, 0x1p-13f};
  CHECK(tensor_core_group(f32, small, tiny_a, 2, 1.0f) == 1.0f);  // two 2^-26 are both lost
  CHECK(tensor_core_group(f32, small, quarter, 2, 1.0f) == 1.0f + 0x1p-12f);
  // 2^-140 - 2^-164: the alignment of tiny products stops at 2^-133, so the small one is lost (seen on an H200).
  const float tiny_b[2] = {0x1p-14f, -0x1p-38f}, tiny_c[2] = {0x1p-126f, 0x1p-126f};
  CHECK(tensor_core_group(bf16, tiny_b, tiny_c, 2, 0.0f) == 0x1p-140f);
  // Truncation towards zero to fp32; to nearest even for fp16.
  CHECK(tensor_core_group(f32, one, one, 1, 0x1.fffffep-1f * 0x1p-23f) == 1.0f);
  CHECK(tensor_core_group(f16, one, one, 1, 0x1p-11f) == 1.0f);
  CHECK(tensor_core_group(f16, one, one, 1, 0x1.8p-10f) == 1.0f + 0x1p-9f);
  const float large[2] = {65504, 65504};
  CHECK(tensor_core_group(f16, large, one, 2, 0.0f) == INFINITY);
}
