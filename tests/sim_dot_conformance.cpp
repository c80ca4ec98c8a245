// Dots as real Triton computed them on an H200.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "core/npy.h"
#include "tests/sim_dot_data.h"

using namespace tilescope;
using namespace tilescope::dot_test;

namespace {

std::string conformance_path() {
  for (const char* folder : {"/tests/conformance/", "/../shared/conformance/"})
    if (std::filesystem::exists(std::string(TILESCOPE_SOURCE_DIR) + folder))
      return std::string(TILESCOPE_SOURCE_DIR) + folder;
  return "";
}

NpyArray read(const std::string& name) {
  auto array = load_npy(conformance_path() + name);
  REQUIRE_MESSAGE(array.ok(), name);
  return std::move(array.value());
}

struct Case {
  const char* folder;
  const char* contract;
  DType operand;
  int M, N, K;
  bool transposed = false;
  int batches = 1;
};

constexpr Case kCases[] = {
    {"dot_fp16_randn", "tc.f16.k16.f25.trunc", DType::Float16, 32, 16, 64},
    {"dot_bf16_randn", "tc.bf16.k16.f25.trunc", DType::BFloat16, 16, 32, 32},
    {"dot_fp16_exact_ints", "tc.f16.k16.f25.trunc", DType::Float16, 16, 16, 32},
    {"dot_out_dtype_fp16", "tc.f16.k16.f25.rne16", DType::Float16, 16, 16, 16},
    {"dot_fp32_tf32_exact_ints", "tc.tf32.k8.f25.trunc", DType::Float32, 64, 32, 32},
    {"dot_fp8e5", "tc.f16.k16.f25.trunc", DType::Float8E5, 32, 16, 32},
    {"dot_batched_3d", "tc.f16.k16.f25.trunc", DType::Float16, 16, 16, 16, false, 4},
    {"dot_transposed_operands", "tc.bf16.k16.f25.trunc", DType::BFloat16, 16, 64, 32, true},
};

/// Result of the case, accumulated from zero.
std::vector<std::byte> result(const Case& t) {
  NpyArray a = read(std::string(t.folder) + "/a_ptr.npy"), b = read(std::string(t.folder) + "/b_ptr.npy");
  DotContract contract = *parse_dot_contract(t.contract);
  int width = dtype_bytes(accumulator_dtype(contract)), in = dtype_bytes(t.operand);
  std::vector<std::byte> c(static_cast<size_t>(t.batches) * t.M * t.N * width);
  DotScratch scratch;
  for (int z = 0; z < t.batches; ++z) {
    DotOperand x{reinterpret_cast<const std::byte*>(a.data.data()) + z * t.M * t.K * in, t.operand, t.K, 1};
    DotOperand y{reinterpret_cast<const std::byte*>(b.data.data()) + z * t.K * t.N * in, t.operand, t.N, 1};
    if (t.transposed) {
      x = {x.data, t.operand, 1, t.M};
      y = {y.data, t.operand, 1, t.K};
    }
    dot(contract, DotMode::Exact, x, y, &c[static_cast<size_t>(z) * t.M * t.N * width], t.M, t.N, t.K, scratch);
  }
  return c;
}

bool have_data() {
  if (!conformance_path().empty()) return true;
  MESSAGE("conformance data not found; nothing compared");
  return false;
}

}  // namespace

TEST_CASE("tensor-core dots equal real Triton's outputs, byte for byte, on every instruction set") {
  if (!have_data()) return;
  IsaGuard guard;
  for (Isa isa : isas()) {
    use_isa(isa);
    for (const Case& t : kCases) {
      INFO(isa_name(isa), " ", t.folder);
      NpyArray want = read(std::string(t.folder) + "/o_ptr.expected.npy");
      std::vector<std::byte> got = result(t);
      CHECK(std::memcmp(got.data(), want.data.data(), got.size()) == 0);
    }
  }
}

TEST_CASE("tf32 dots cut off the low bits of their inputs as real Triton's do") {
  if (!have_data()) return;
  NpyArray v = read("dot_tf32_input_rounding/v_ptr.npy"), want = read("dot_tf32_input_rounding/o_ptr.expected.npy");
  std::vector<float> identity(256), c(256);
  for (int i = 0; i < 16; ++i) identity[i * 17] = 1;
  DotScratch scratch;
  DotContract contract = *choose_dot_contract(DType::Float32, DType::Float32, DType::Float32, InputPrecision::Tf32);
  dot(contract, DotMode::Exact, {identity.data(), DType::Float32, 16, 1}, {v.data.data(), DType::Float32, 1, 0},
      c.data(), 16, 16, 16, scratch);
  CHECK(std::memcmp(c.data(), want.data.data(), 1024) == 0);
}

TEST_CASE("ieee dots agree with real Triton's within its tolerance") {
  if (!have_data()) return;
  Case t{"dot_fp32_ieee", "fma.f32", DType::Float32, 16, 32, 32};
  NpyArray want = read("dot_fp32_ieee/o_ptr.expected.npy");
  std::vector<std::byte> got = result(t);
  for (int i = 0; i < t.M * t.N; ++i) {
    float x, y;
    std::memcpy(&x, &got[i * 4], 4);
    std::memcpy(&y, reinterpret_cast<const std::byte*>(want.data.data()) + i * 4, 4);
    CHECK(std::abs(x - y) <= 5e-6f + 2e-5f * std::abs(y));
  }
}

TEST_CASE("an int8 dot with an accumulator over a k loop equals real Triton's") {
  if (!have_data()) return;
  NpyArray a = read("dot_int8_k_loop_acc/a_ptr.npy"), b = read("dot_int8_k_loop_acc/b_ptr.npy");
  NpyArray want = read("dot_int8_k_loop_acc/o_ptr.expected.npy");
  IsaGuard guard;
  for (Isa isa : isas()) {
    use_isa(isa);
    std::vector<int32_t> c(256);
    DotScratch scratch;
    const auto* pa = reinterpret_cast<const int8_t*>(a.data.data());
    const auto* pb = reinterpret_cast<const int8_t*>(b.data.data());
    for (int k = 0; k < 80; k += 32)
      dot(*parse_dot_contract("int.i8"), DotMode::Exact, {pa + k, DType::Int8, 80, 1},
          {pb + k * 16, DType::Int8, 16, 1}, c.data(), 16, 16, std::min(32, 80 - k), scratch);
    CHECK(std::memcmp(c.data(), want.data.data(), 1024) == 0);
  }
}
