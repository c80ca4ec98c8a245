// How fast the lesson kernels run on the GPU. The same sizes under real Triton: tests/parity/triton_speed.py.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "core/compile.h"
#include "tests/parity/suite.h"

namespace tilescope::parity {
namespace {

struct Work {
  std::string name, file, kernel;
  std::vector<CompileArg> args;
  std::array<int64_t, 3> grid;
  int num_warps, num_stages;
  std::vector<int64_t> bytes;  ///< of the tensors, in the order of the pointer arguments
  double work;                 ///< bytes moved or operations done
  const char* unit;            ///< "TB/s" or "TFLOP/s"
};

int64_t cdiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

CompileArg number(const char* name, int64_t value) { return {name, IntArg{value, false}}; }
CompileArg pointer(const char* name, DType t) { return {name, PointerArg{t, 16}}; }

Work vector_add(int64_t n, int64_t block) {
  return {fmt::format("vector add, {} floats", n),
          "vector_add",
          "add_kernel",
          {pointer("x_ptr", DType::Float32), pointer("y_ptr", DType::Float32), pointer("out_ptr", DType::Float32),
           number("n", n), number("BLOCK", block)},
          {cdiv(n, block), 1, 1},
          4,
          3,
          {4 * n, 4 * n, 4 * n},
          12e-12 * static_cast<double>(n),
          "TB/s"};
}
Work softmax(int64_t rows, int64_t n, int num_warps) {
  return {fmt::format("softmax {} x {}", rows, n),
          "softmax",
          "softmax_kernel",
          {pointer("x_ptr", DType::Float32), pointer("y_ptr", DType::Float32), number("N", n), number("BLOCK_SIZE", n)},
          {rows, 1, 1},
          num_warps,
          3,
          {4 * rows * n, 4 * rows * n},
          8e-12 * static_cast<double>(rows * n),
          "TB/s"};
}
Work matmul(int64_t n, int64_t block, int num_warps) {
  return {fmt::format("matmul fp16 {}, {}-tiles", n, block),
          "matmul",
          "matmul_kernel",
          {pointer("a_ptr", DType::Float16), pointer("b_ptr", DType::Float16), pointer("c_ptr", DType::Float32),
           number("M", n), number("N", n), number("K", n), number("BLOCK_M", block), number("BLOCK_N", block),
           number("BLOCK_K", block)},
          {cdiv(n, block), cdiv(n, block), 1},
          num_warps,
          3,
          {2 * n * n, 2 * n * n, 4 * n * n},
          2e-12 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n),
          "TFLOP/s"};
}
Work grouped(int64_t n, DType t, int64_t m_block, int64_t n_block, int64_t k_block, int num_warps, int num_stages) {
  const int64_t bytes = dtype_bytes(t);
  return {fmt::format("matmul {} {}, {}x{}x{}, {} warps", t == DType::Float16 ? "fp16" : "tf32", n, m_block, n_block,
                      k_block, num_warps),
          "grouped_matmul",
          "grouped_matmul_kernel",
          {pointer("a_ptr", t), pointer("b_ptr", t), pointer("c_ptr", t), number("M", n), number("N", n),
           number("K", n), number("stride_am", n), number("stride_ak", 1), number("stride_bk", n),
           number("stride_bn", 1), number("stride_cm", n), number("stride_cn", 1), number("BLOCK_M", m_block),
           number("BLOCK_N", n_block), number("BLOCK_K", k_block), number("GROUP_M", 8)},
          {cdiv(n, m_block) * cdiv(n, n_block), 1, 1},
          num_warps,
          num_stages,
          {bytes * n * n, bytes * n * n, bytes * n * n},
          2e-12 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n),
          "TFLOP/s"};
}

void fail(const Work& w, const std::vector<Diagnostic>& errors) {
  std::printf("%-44s %s", w.name.c_str(), render(errors).c_str());
}

/// Small random numbers, so that no unit works on zeros.
std::optional<Diagnostic> fill(gpu::Device& device, const gpu::DeviceMemory& memory, int64_t bytes) {
  std::vector<uint16_t> host(static_cast<size_t>(std::min<int64_t>(bytes, 1 << 24) / 2));
  uint32_t state = 12345;
  for (uint16_t& x : host) {
    state = state * 1664525u + 1013904223u;
    x = static_cast<uint16_t>(0x3800u | (state >> 16 & 0x83ffu));  // halves of 0.5 to 1; as floats about 1e-5
  }
  for (int64_t at = 0; at < bytes; at += static_cast<int64_t>(host.size()) * 2)
    if (auto problem = device.to_device_at(
            memory, static_cast<uint64_t>(at), host.data(),
            static_cast<size_t>(std::min<int64_t>(bytes - at, static_cast<int64_t>(host.size()) * 2))))
      return problem;
  return std::nullopt;
}

void measure(gpu::Device& device, const Options& o, const Work& w) {
  auto source = read_source(o.root + "/lessons/kernels/" + w.file + "/kernel.py");
  if (!source) return fail(w, source.errors());
  CompileRequest request;
  request.source = *source;
  request.kernel = w.kernel;
  request.args = w.args;
  request.num_warps = w.num_warps;
  request.num_stages = w.num_stages;
  auto compiled = compile_kernel(request);
  if (!compiled) return fail(w, compiled.errors());
  auto kernel =
      gpu::compile_for_gpu(compiled->function, w.grid, device.info().architecture(), device.info().shared_limit);
  if (!kernel) return fail(w, kernel.errors());
  auto loaded =
      device.load(kernel->cubin.code, kernel->emitted.symbol, kernel->emitted.threads, kernel->emitted.shared_bytes);
  if (!loaded) return fail(w, loaded.errors());
  std::vector<gpu::DeviceMemory> memory;
  for (int64_t bytes : w.bytes) {
    auto allocated = device.allocate(static_cast<size_t>(bytes));
    if (!allocated) return fail(w, allocated.errors());
    memory.push_back(std::move(*allocated));
    if (auto problem = fill(device, memory.back(), bytes)) return fail(w, {*problem});
  }
  std::vector<uint64_t> values(compiled->function.params.size());
  std::vector<void*> arguments;
  size_t tensor = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const Param& p = compiled->function.params[i];
    if (p.type.pointer) values[i] = memory[tensor++].address();
    for (const CompileArg& a : w.args)
      if (const auto* number = std::get_if<IntArg>(&a.value); number != nullptr && a.name == p.name)
        values[i] = static_cast<uint64_t>(number->value);
    arguments.push_back(&values[i]);
  }
  std::vector<double> times;
  for (int repeat = 0; repeat < 12; ++repeat) {
    auto ms = device.time(*loaded, w.grid, arguments, 5);
    if (!ms) return fail(w, ms.errors());
    if (repeat > 1) times.push_back(*ms);
  }
  std::sort(times.begin(), times.end());
  const double ms = times[times.size() / 2];
  std::printf("%-44s %9.4f ms %8.2f %-7s  %3d registers, %lld bytes spilled, %lld bytes shared\n", w.name.c_str(), ms,
              w.work / (ms * 1e-3), w.unit, kernel->cubin.registers, static_cast<long long>(kernel->cubin.spill_bytes),
              static_cast<long long>(kernel->emitted.shared_bytes));
  std::fflush(stdout);
  device.unload(*loaded);
}

}  // namespace

void run_speed(gpu::Device& device, const Options& o) {
  std::vector<Work> all = {vector_add(int64_t{1} << 26, 1024), vector_add(int64_t{1} << 28, 1024),
                           softmax(65536, 1024, 4), softmax(32768, 4096, 4), softmax(32768, 4096, 8)};
  for (int64_t n : {1024, 2048, 4096}) all.push_back(matmul(n, 32, 4));
  for (int64_t n : {1024, 2048, 4096, 8192}) {
    all.push_back(grouped(n, DType::Float16, 128, 128, 64, 4, 3));
    all.push_back(grouped(n, DType::Float16, 128, 128, 64, 8, 3));
    all.push_back(grouped(n, DType::Float16, 128, 256, 64, 8, 3));
  }
  for (int64_t n : {1024, 2048, 4096}) all.push_back(grouped(n, DType::Float32, 128, 128, 32, 8, 3));
  for (const Work& w : all) measure(device, o, w);
}

}  // namespace tilescope::parity
