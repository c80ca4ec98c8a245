// Speed of dots, side by side with one Eigen product in the same run. Built when Google Benchmark is found.
//
//   build/bench_dot [--benchmark_filter=...]
//
// Items per second are multiply-adds per second. Names: what/M x N x K tiles of a cubic matmul/size/threads.
#include <benchmark/benchmark.h>
#include <omp.h>

#include <Eigen/Core>
#include <string>
#include <vector>

#include "sim/dot.h"
#include "sim/kernels/dispatch.h"

using namespace tilescope;

namespace {

struct Setting {
  std::string name, contract;
  DType operand;
  DotMode mode;
  int size, tile_m, tile_n, tile_k, threads;
};

/// Raw codes of moderate values (both signs, a spread of exponents), so that the model meets ordinary data.
std::vector<std::byte> operand_data(DType t, int64_t count) {
  std::vector<std::byte> bytes(static_cast<size_t>(count) * dtype_bytes(t));
  uint32_t state = 12345;
  for (int64_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    float x = (static_cast<float>(state >> 8) / (1 << 23) - 1.0f) * 2.0f;
    double d = x;
    uint32_t f32;
    memcpy(&f32, &x, 4);
    uint32_t f16 = (f32 >> 16 & 0x8000u) | (((f32 & 0x7fffffffu) >> 13) - (112u << 10));
    if ((f32 & 0x7fffffffu) < 0x38800000u) f16 = 0;
    uint32_t code = t == DType::Float32    ? f32
                    : t == DType::BFloat16 ? f32 >> 16
                    : t == DType::Float16  ? f16
                    : t == DType::Float8E5 ? f16 >> 8
                                           : state >> 24;
    if (t == DType::Float64) {
      memcpy(&bytes[static_cast<size_t>(i) * 8], &d, 8);
    } else {
      memcpy(&bytes[static_cast<size_t>(i) * dtype_bytes(t)], &code, static_cast<size_t>(dtype_bytes(t)));
    }
  }
  return bytes;
}

void tiles(benchmark::State& state, const Setting& s) {
  DotContract contract = *parse_dot_contract(s.contract);
  int n = s.size, in = dtype_bytes(s.operand), out = dtype_bytes(accumulator_dtype(contract));
  std::vector<std::byte> a = operand_data(s.operand, int64_t{n} * n), b = a;
  std::vector<std::byte> result(static_cast<size_t>(n) * n * out);
  int across = n / s.tile_n, programs = n / s.tile_m * across;
  for (auto _ : state) {
#pragma omp parallel num_threads(s.threads)
    {
      DotScratch scratch;
      std::vector<std::byte> c(static_cast<size_t>(s.tile_m) * s.tile_n * out);
#pragma omp for schedule(dynamic)
      for (int p = 0; p < programs; ++p) {
        int64_t m = p / across * s.tile_m, col = p % across * s.tile_n;
        std::fill(c.begin(), c.end(), std::byte{});
        for (int64_t k = 0; k < n; k += s.tile_k)
          dot(contract, s.mode, {&a[(m * n + k) * in], s.operand, n, 1}, {&b[(k * n + col) * in], s.operand, n, 1},
              c.data(), s.tile_m, s.tile_n, s.tile_k, scratch);
        for (int i = 0; i < s.tile_m; ++i)
          memcpy(&result[((m + i) * n + col) * out], &c[static_cast<size_t>(i) * s.tile_n * out],
                 static_cast<size_t>(s.tile_n) * out);
      }
    }
  }
  double work = static_cast<double>(n) * n * n;
  state.SetItemsProcessed(static_cast<int64_t>(work) * state.iterations());
  state.counters["ns_per_mac_thread"] = benchmark::Counter(
      work / s.threads * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void eigen(benchmark::State& state, int n, int threads) {
  Eigen::setNbThreads(threads);
  Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> a(n, n), b(n, n), c(n, n);
  a.setRandom();
  b.setRandom();
  for (auto _ : state) c.noalias() = a * b;
  state.SetItemsProcessed(int64_t{n} * n * n * state.iterations());
}

void register_all() {
  for (int threads : {1, 2}) {
    std::string suffix = "/threads:" + std::to_string(threads);
    for (int n : {512, 1024})
      benchmark::RegisterBenchmark(("eigen/" + std::to_string(n) + suffix).c_str(), [=](benchmark::State& s) {
        eigen(s, n, threads);
      })->UseRealTime();
    const DotMode exact = DotMode::Exact, fast = DotMode::Fast;
    for (const Setting& s : {
             Setting{"ieee_f32/1024/128x128x64", "fma.f32", DType::Float32, exact, 1024, 128, 128, 64, threads},
             Setting{"ieee_f32/512/32x32x32", "fma.f32", DType::Float32, exact, 512, 32, 32, 32, threads},
             Setting{"f64/512/64x64x64", "fma.f64", DType::Float64, exact, 512, 64, 64, 64, threads},
             Setting{"int8/512/128x128x64", "int.i8", DType::Int8, exact, 512, 128, 128, 64, threads},
             Setting{"fast_f16/512/128x128x64", "tc.f16.k16.f25.trunc", DType::Float16, fast, 512, 128, 128, 64,
                     threads},
             Setting{"fast_f16/512/32x32x32", "tc.f16.k16.f25.trunc", DType::Float16, fast, 512, 32, 32, 32, threads},
             Setting{"fast_bf16/512/128x128x64", "tc.bf16.k16.f25.trunc", DType::BFloat16, fast, 512, 128, 128, 64,
                     threads},
             Setting{"fast_e5m2/512/128x128x64", "tc.f16.k16.f25.trunc", DType::Float8E5, fast, 512, 128, 128, 64,
                     threads},
             Setting{"exact_f16/512/128x128x64", "tc.f16.k16.f25.trunc", DType::Float16, exact, 512, 128, 128, 64,
                     threads},
             Setting{"exact_f16/512/32x32x32", "tc.f16.k16.f25.trunc", DType::Float16, exact, 512, 32, 32, 32, threads},
             Setting{"exact_f16/512/16x16x16", "tc.f16.k16.f25.trunc", DType::Float16, exact, 512, 16, 16, 16, threads},
             Setting{"exact_f16_sums/512/128x128x64", "tc.f16.k16.f25.rne16", DType::Float16, exact, 512, 128, 128, 64,
                     threads},
             Setting{"exact_bf16/512/128x128x64", "tc.bf16.k16.f25.trunc", DType::BFloat16, exact, 512, 128, 128, 64,
                     threads},
             Setting{"exact_tf32/512/128x128x64", "tc.tf32.k8.f25.trunc", DType::Float32, exact, 512, 128, 128, 64,
                     threads},
             Setting{"exact_tf32x3/512/128x128x64", "tc.tf32x3.k8.f25.trunc", DType::Float32, exact, 512, 128, 128, 64,
                     threads},
         })
      benchmark::RegisterBenchmark((s.name + suffix).c_str(), [=](benchmark::State& state) {
        tiles(state, s);
      })->UseRealTime();
  }
}

}  // namespace

int main(int argc, char** argv) {
  register_all();
  benchmark::AddCustomContext("instruction set", std::string(isa_name(current_isa())));
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
