// Compares the scalar bit model (sim/tensor_core.h) with a real GPU's mma.sync, on random and hostile data.
// Needs a GPU and the CUDA toolkit, so no build or test run includes it:
//
//   nvcc -std=c++20 -O2 -arch=sm_90 -Xcompiler -fopenmp -I. tests/gpu_tensor_core_model.cu sim/tensor_core.cpp -o check && ./check
//
// Prints one line per path and kind of data; exit status 1 when any result differs.
#include <cstdio>
#include <cstdlib>

#include "tests/sim_dot_data.h"

using namespace tilescope;
using namespace tilescope::dot_test;

// The model's one dependency, so that this builds where the rest of core does not.
void tilescope::internal_error(std::string_view what) {
  std::fprintf(stderr, "%.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

namespace {

enum Path { kF16, kBF16, kTF32, kF16Sums };

constexpr const char* kNames[] = {"f16 -> f32", "bf16 -> f32", "tf32 -> f32", "f16 -> f16"};
constexpr int kTests = 4096, kM = 16, kN = 8;

/// As choose_dot_contract() has them; spelled out so that this links with the model alone.
DotContract contract_of(Path path) {
  DotContract c;
  c.input = path == kTF32 ? DotContract::Input::TF32 : path == kBF16 ? DotContract::Input::BF16 : DotContract::Input::F16;
  if (path == kTF32) c.k_group = 8;
  if (path == kF16Sums) c.output = DotContract::Output::NearestF16;
  return c;
}

#define MMA_F32(shape_and_types)                                                                                       \
  asm volatile("mma.sync.aligned." shape_and_types " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13};"           \
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])                                                        \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]), "r"(c[2]),    \
                 "r"(c[3]))

/// One warp per test. Operands and results are raw codes in 32-bit words: A [16][K], B [K][8], C and D [16][8].
__global__ void multiply(Path path, int K, const uint32_t* A, const uint32_t* B, const uint32_t* C, uint32_t* D) {
  int t = blockIdx.x, group = threadIdx.x >> 2, q = threadIdx.x & 3;
  A += t * kM * K;
  B += t * K * kN;
  C += t * kM * kN;
  D += t * kM * kN;
  uint32_t a[4], b[2], c[4], d[4];
  auto at_a = [&](int row, int k) { return A[row * K + k]; };
  auto at_b = [&](int k) { return B[k * kN + group]; };
  for (int i = 0; i < 4; ++i) {
    int row = group + 8 * (i & 1), k = 8 * (i >> 1) + 2 * q;
    a[i] = path == kTF32 ? at_a(row, q + 4 * (i >> 1)) : at_a(row, k) | at_a(row, k + 1) << 16;
    c[i] = C[(group + 8 * (i >> 1)) * kN + 2 * q + (i & 1)];
  }
  for (int i = 0; i < 2; ++i)
    b[i] = path == kTF32 ? at_b(q + 4 * i) : at_b(2 * q + 8 * i) | at_b(2 * q + 8 * i + 1) << 16;
  switch (path) {
    case kF16: MMA_F32("m16n8k16.row.col.f32.f16.f16.f32"); break;
    case kBF16: MMA_F32("m16n8k16.row.col.f32.bf16.bf16.f32"); break;
    case kTF32: MMA_F32("m16n8k8.row.col.f32.tf32.tf32.f32"); break;
    case kF16Sums: {
      uint32_t low = c[0] | c[1] << 16, high = c[2] | c[3] << 16;
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1},{%2,%3,%4,%5},{%6,%7},{%8,%9};"
                   : "=r"(d[0]), "=r"(d[2])
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(low), "r"(high));
      d[1] = d[0] >> 16, d[0] &= 0xffff, d[3] = d[2] >> 16, d[2] &= 0xffff;
    }
  }
  for (int i = 0; i < 4; ++i) D[(group + 8 * (i >> 1)) * kN + 2 * q + (i & 1)] = d[i];
}

struct DeviceWords {
  uint32_t* p = nullptr;
  explicit DeviceWords(size_t count) { cudaMalloc(&p, count * 4); }
  ~DeviceWords() { cudaFree(p); }
};

std::vector<uint32_t> on_gpu(Path path, int K, const std::vector<uint32_t>& a, const std::vector<uint32_t>& b,
                             const std::vector<uint32_t>& c) {
  DeviceWords da(a.size()), db(b.size()), dc(c.size()), dd(c.size());
  cudaMemcpy(da.p, a.data(), a.size() * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(db.p, b.data(), b.size() * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(dc.p, c.data(), c.size() * 4, cudaMemcpyHostToDevice);
  multiply<<<kTests, 32>>>(path, K, da.p, db.p, dc.p, dd.p);
  std::vector<uint32_t> d(c.size(), 0xdeadbeef);
  cudaMemcpy(d.data(), dd.p, d.size() * 4, cudaMemcpyDeviceToHost);
  return d;
}

/// Results that differ; NaNs must be the canonical ones.
int compare(Path path, Data kind, Data c_kind) {
  std::mt19937 random(static_cast<unsigned>(kind) * 16 + static_cast<unsigned>(c_kind));
  DotContract contract = contract_of(path);
  TensorCoreModel model = tensor_core_model(contract);
  int K = contract.k_group;
  DType operand = path == kTF32 ? DType::Float32 : path == kBF16 ? DType::BFloat16 : DType::Float16;
  DType result = path == kF16Sums ? DType::Float16 : DType::Float32;
  std::vector<uint32_t> a(kTests * kM * K), b(kTests * K * kN), c(kTests * kM * kN);
  for (uint32_t& x : a) x = random_code(kind, format_of(operand), random);
  for (uint32_t& x : b) x = random_code(kind, format_of(operand), random);
  for (uint32_t& x : c) x = random_code(c_kind, format_of(result), random);
  std::vector<uint32_t> d = on_gpu(path, K, a, b, c);
  auto value = [&](uint32_t code) { return path == kTF32 ? tf32_operand(decode(operand, code)) : decode(operand, code); };
  int wrong = 0, infinite = 0, nan = 0;
#pragma omp parallel for reduction(+ : wrong, infinite, nan)
  for (size_t i = 0; i < d.size(); ++i) {
    size_t t = i / (kM * kN), row = i / kN % kM, column = i % kN;
    float x[16], y[16];
    for (int k = 0; k < K; ++k) {
      x[k] = value(a[(t * kM + row) * K + k]);
      y[k] = value(b[(t * K + k) * kN + column]);
    }
    float want = tensor_core_group(model, x, y, K, decode(result, c[i])), got = decode(result, d[i]);
    bool same = std::isnan(want) ? d[i] == (path == kF16Sums ? 0x7fffu : 0x7fffffffu) : same_bits(got, want);
    infinite += std::isinf(got);
    nan += std::isnan(got);
    if (!same && wrong++ < 2) std::printf("  c %a: GPU %a, model %a\n", decode(result, c[i]), got, want);
  }
  std::printf("%-12s data %d, c %d: %d of %zu differ (%d infinite, %d NaN)\n", kNames[path], static_cast<int>(kind),
              static_cast<int>(c_kind), wrong, d.size(), infinite, nan);
  return wrong;
}

}  // namespace

int main() {
  int wrong = 0;
  for (int kind = 0; kind < static_cast<int>(Data::kCount); ++kind)
    for (Data c_kind : {static_cast<Data>(kind), Data::AllExponents, Data::Huge, Data::ZerosAndSubnormals}) {
      Data data = static_cast<Data>(kind);
      for (Path path : {kF16, kBF16, kTF32, kF16Sums}) wrong += compare(path, data, c_kind);
    }
  cudaError_t error = cudaGetLastError();
  std::printf("%d results differ; CUDA: %s\n", wrong, cudaGetErrorString(error));
  return wrong != 0 || error != cudaSuccess;
}
