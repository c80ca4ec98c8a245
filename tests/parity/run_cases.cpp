#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>

#include "gpu/compare.h"
#include "tests/parity/suite.h"

namespace tilescope::parity {
namespace {

constexpr size_t kMostExamples = 4;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::vector<Argument> bind(const Case& c, std::vector<Tensor>& tensors) {
  std::vector<Argument> out;
  for (const Case::Arg& a : c.args)
    out.push_back({a.tensor >= 0 ? &tensors[static_cast<size_t>(a.tensor)] : nullptr, a.bits});
  return out;
}

void example(Tally& t, const Case& c, const std::string& text) {
  if (t.examples.size() < kMostExamples) t.examples.push_back(c.name + ": " + text);
}

struct Compiled {
  std::optional<gpu::GpuKernel> kernel;
  std::string problem;
  bool refused = false;
};

std::vector<Compiled> compile_all(const std::vector<Case>& cases, const std::string& architecture, int64_t shared_limit,
                                  int threads) {
  std::vector<Compiled> out(cases.size());
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i; (i = next++) < cases.size();) {
      gpu::EmitOptions options;
      options.shared_limit = shared_limit;
      options.wgmma = gpu::has_wgmma(architecture);
      auto emitted = gpu::emit_cuda(cases[i].function, options);
      if (!emitted) {
        out[i].problem = emitted.errors().front().message;
        out[i].refused = true;
        continue;
      }
      if (architecture == "none") {  // emission only
        out[i].kernel = gpu::GpuKernel{std::move(*emitted), {}};
        continue;
      }
      auto cubin = gpu::compile_cubin(*emitted, architecture);
      if (cubin)
        out[i].kernel = gpu::GpuKernel{std::move(*emitted), std::move(*cubin)};
      else
        out[i].problem = render(cubin.errors()).substr(0, 1500);
    }
  };
  std::vector<std::thread> pool;
  for (int i = 0; i < threads; ++i) pool.emplace_back(work);
  for (std::thread& t : pool) t.join();
  return out;
}

}  // namespace

void run_cases(std::vector<Case>& cases, gpu::Device* device, const Options& o, Report& report) {
  const int threads = o.threads > 0 ? o.threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const std::string architecture = device != nullptr ? device->info().architecture() : o.architecture;
  const auto begin = std::chrono::steady_clock::now();
  std::vector<Compiled> compiled =
      compile_all(cases, architecture, device != nullptr ? device->info().shared_limit : 232448, threads);
  std::fprintf(stderr, "compiled %zu kernels for %s in %.1f s\n", cases.size(), architecture.c_str(),
               seconds_since(begin));
  int64_t spills = 0;
  for (size_t i = 0; i < cases.size(); ++i) {
    const Case& c = cases[i];
    Tally& t = report[c.group];
    t.rung = c.rung;
    ++t.cases;
    if (compiled[i].refused) {
      ++t.refused;
      example(t, c, compiled[i].problem);
      continue;
    }
    if (!compiled[i].kernel) {
      ++t.differing_cases;
      example(t, c, compiled[i].problem);
      continue;
    }
    spills += compiled[i].kernel->cubin.spill_bytes > 0;
    if (device == nullptr) continue;
    std::vector<Tensor> expected = c.tensors, got = c.tensors;
    RunOptions options;
    options.record = RecordLevel::None;
    auto start = std::chrono::steady_clock::now();
    const RunTrace trace = run(c.function, bind(c, expected), c.grid, options);
    t.sim_s += seconds_since(start);
    if (!trace.faults.empty()) {
      ++t.refused;
      example(t, c, "not launched: the simulator finds " + trace.faults.front().message);
      continue;
    }
    bool order = false;
    for (const std::string& n : trace.notes) order = order || n.find("depends on order") != std::string::npos;
    if (!o.dump.empty() && !c.launch_file.empty()) dump_case(c, expected, order, o.dump);
    start = std::chrono::steady_clock::now();
    auto result = gpu::run_on_gpu(*device, *compiled[i].kernel, c.function, bind(c, got), c.grid);
    t.gpu_s += seconds_since(start);
    if (!result || !result->fault.empty()) {
      ++t.differing_cases;
      example(t, c, result ? result->fault : result.errors().front().message);
      continue;
    }
    bool equal = true;
    for (size_t k = 0; k < got.size(); ++k) {
      const gpu::TensorComparison d = gpu::compare_tensors(expected[k], got[k]);
      t.results += d.elements;
      if (d.equal()) continue;
      if (!order) t.differing += d.differing;
      if (equal)
        example(t, c,
                fmt::format("{} differs in {} of {}; first {}: simulator {}, GPU {}{}", d.tensor, d.differing,
                            d.elements, index_in_words(d.first_index), d.first_a, d.first_b,
                            order ? " (depends on the order of programs)" : ""));
      if (std::getenv("TILESCOPE_PARITY_MAP") != nullptr && t.differing_cases < 2) {
        std::string map;
        for (int64_t e = 0; e < std::min<int64_t>(expected[k].elements(), 8192); ++e)
          map += std::memcmp(expected[k].element(e), got[k].element(e),
                             static_cast<size_t>(dtype_bytes(got[k].dtype))) == 0
                     ? '.'
                     : 'X';
        for (size_t row = 0; row < map.size(); row += 64) std::fprintf(stderr, "%s\n", map.substr(row, 64).c_str());
      }
      equal = false;
    }
    t.order += order;
    t.differing_cases += !equal && !order;
  }
  std::fprintf(stderr, "%lld kernels spill registers\n", static_cast<long long>(spills));
}

}  // namespace tilescope::parity
