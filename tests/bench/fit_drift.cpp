// The cost model against hardware. Fits the model's one fitted parameter, the drift of programs in speed: least squares
// over the logarithm of DRAM bytes read, for the points of tests/data/l2_h200.csv of the lesson's kernel with eight warps.
// `strength` shows how far that depends on the assumed order of the programs on an SM. Then, for the drift that the model
// has (kDrift), a table of all points, and one of times: sim/cost/README.md keeps them.
//
//   ninja fit_drift && ./fit_drift          a part only:  ./fit_drift fit | counters | times; minutes: strength
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

#include "core/compile.h"
#include "core/json_text.h"
#include "sim/cost/cost.h"
#include "sim/cost/occupancy.h"
#include "tests/sim_cost_data.h"

using namespace tilescope;
using namespace tilescope::cost;
using cost_data::Measured;

namespace {

constexpr double kFirst = 0.01, kStep = 0.0025;
constexpr int kTried = 10, kSeeds = 3;
const std::vector<double> kStrengths = {0, 0.01, 0.02, 0.03, 0.04, 0.06, 0.1, 0.2};

constexpr const char* kKernels[] = {"masks", "given", "no masks", "modulo"};

/// Looked at by nobody before the model was done: the given points, and kernels of four warps.
bool held_out(const Measured& p) { return p.given() || p.shape.warps != 8; }
/// The drift is fitted to the lesson's kernel.
bool fitted(const Measured& p) { return p.kernel == 0 && !held_out(p); }

/// Logarithm of model over counter, for each strength and drift tried.
std::vector<std::array<double, kTried>> errors_of(const Measured& p, const std::vector<double>& strengths) {
  LaunchSpec spec = cost_data::grouped_matmul(p.shape);
  auto source = TrafficSource::open(spec, 2);
  if (!source) std::fputs(render(source.errors()).c_str(), stderr), std::exit(1);
  LaunchFacts facts;
  facts.gpu = gpu_descriptions().front();
  facts.grid = (*source)->grid();
  facts.programs = facts.grid[0];
  facts.ops = static_cast<int>((*source)->ops().size());
  facts.tensors = static_cast<int>((*source)->tensors().size());
  facts.seeds = kSeeds;
  facts.work.flops[static_cast<int>(WorkUnit::TensorFp16)] = 1;
  facts.occupancy = *find_occupancy((*source)->kernel().function, facts.programs, facts.gpu, p.registers, p.shared);
  Dealer dealer({}, facts.grid);
  auto steps = record_steps(**source, dealer, facts.gpu, {});
  std::vector<std::array<double, kTried>> out(strengths.size());
  for (size_t s = 0; s < strengths.size(); ++s) {
    facts.older_first = strengths[s];
    for (int i = 0; i < kTried; ++i) {
      facts.drift = kFirst + kStep * i;
      out[s][i] = std::log(replay_seeds(*steps, dealer, facts, 0, {})->dram_read.mean / p.dram_read);
    }
  }
  return out;
}

/// A row for each strength of the order on an SM, a column for each drift: root mean square of the logarithm.
void fit(const std::vector<double>& strengths, bool (*takes)(const Measured&)) {
  std::vector<std::array<double, kTried>> sums(strengths.size());
  std::map<std::string, std::vector<std::array<double, kTried>>> known;  // kernels differ in their counters only
  int n = 0;
  for (const Measured& p : cost_data::measured_points()) {
    if (!takes(p)) continue;
    ++n;
    const auto& q = p.shape;
    auto& e = known[fmt::format("{} {} {} {} {} {} {}", q.m, q.n, q.k, q.bm, q.bn, q.bk, q.group)];
    if (e.empty()) {
      e = errors_of(p, strengths);
      for (auto& row : e)
        for (double& x : row) x += std::log(p.dram_read);
    }
    for (size_t s = 0; s < strengths.size(); ++s)
      for (int i = 0; i < kTried; ++i) sums[s][i] += std::pow(e[s][i] - std::log(p.dram_read), 2);
  }
  fmt::print("| drift |");
  for (int i = 0; i < kTried; ++i) fmt::print(" {:.4f} |", kFirst + kStep * i);
  for (size_t s = 0; s < strengths.size(); ++s) {
    fmt::print("\n| older first by {} |", strengths[s]);
    for (int i = 0; i < kTried; ++i) fmt::print(" {:.3f} |", std::sqrt(sums[s][i] / n));
  }
  fmt::print("\n{} points; the model has a drift of {} and {}\n", n, kDrift, kOlderFirst);
}

void counters(double drift) {
  fmt::print("| M x N x K, tile, warps | GROUP_M | DRAM read, GB | model (seeds) | ratio | hit rate, % | model | time, ms | model |\n");
  fmt::print("|---|---|---|---|---|---|---|---|---|\n");
  for (const Measured& p : cost_data::measured_points()) {
    CostReport r = cost_data::modelled(p, drift);
    const auto& s = p.shape;
    fmt::print("| {} x {} x {}, {} x {} x {}, {}{} | {} | {:.3f} | {:.3f} ({:.3f} to {:.3f}) | {:.2f} | {:.1f} | {:.1f} | {:.3f} | {:.3f} |\n",
               s.m, s.n, s.k, s.bm, s.bn, s.bk, s.warps, fmt::format(", {}{}", kKernels[p.kernel], fitted(p) ? "" : ", not fitted"), s.group, p.dram_read / 1e9,
               r.dram_read.mean / 1e9, r.dram_read.low / 1e9, r.dram_read.high / 1e9, r.dram_read.mean / p.dram_read, 100 * p.hit_rate,
               100 * r.l2_hit_rate.mean, p.time_ns / 1e6, r.estimate.total_ms);
    std::fflush(stdout);
  }
}

LaunchSpec parse(const std::string& lesson, const std::string& text) {
  auto spec = parse_launch_text(text, std::string(TILESCOPE_SOURCE_DIR) + "/lessons/kernels/" + lesson + "/measured.json");
  if (!spec) std::fputs(render(spec.errors()).c_str(), stderr), std::exit(1);
  return *spec;
}

LaunchSpec vector_add(int64_t n, int64_t block) {
  return parse("vector_add", fmt::format(R"J({{"kernel": "add_kernel", "file": "kernel.py", "grid": ["cdiv(n, BLOCK)"], "args": {{
    "x_ptr": {{"tensor": "float32", "shape": [{0}], "init": "empty"}}, "y_ptr": {{"tensor": "float32", "shape": [{0}], "init": "empty"}},
    "out_ptr": {{"tensor": "float32", "shape": [{0}], "init": "empty"}}, "n": {0}, "BLOCK": {1}}}}})J", n, block));
}

LaunchSpec softmax(int64_t rows, int64_t columns, int64_t block, int warps) {
  return parse("softmax", fmt::format(R"J({{"kernel": "softmax_kernel", "file": "kernel.py", "grid": [{0}], "num_warps": {3}, "args": {{
    "x_ptr": {{"tensor": "float32", "shape": [{0}, {1}], "init": "empty"}},
    "y_ptr": {{"tensor": "float32", "shape": [{0}, {1}], "init": "empty"}}, "N": {1}, "BLOCK_SIZE": {2}}}}})J", rows, columns, block, warps));
}

/// The lesson's matmul in tiles of 32.
LaunchSpec small_tiles(int64_t n) {
  return parse("matmul", fmt::format(R"J({{"kernel": "matmul_kernel", "file": "kernel.py",
    "grid": ["cdiv(M, BLOCK_M)", "cdiv(N, BLOCK_N)"], "args": {{
    "a_ptr": {{"tensor": "float16", "shape": [{0}, {0}], "init": "empty"}}, "b_ptr": {{"tensor": "float16", "shape": [{0}, {0}], "init": "empty"}},
    "c_ptr": {{"tensor": "float32", "shape": [{0}, {0}], "init": "empty"}}, "M": {0}, "N": {0}, "K": {0},
    "BLOCK_M": 32, "BLOCK_N": 32, "BLOCK_K": 32}}}})J", n));
}

void time_row(const std::string& name, const LaunchSpec& spec, double measured_us) {
  CostOptions o;
  o.gpu = gpu_descriptions().front();
  o.alternatives = false;
  auto r = estimate_cost(spec, o);
  if (!r) std::fputs(render(r.errors()).c_str(), stderr), std::exit(1);
  double us = 1e3 * r->estimate.total_ms;
  fmt::print("| {} | {:.1f} | {:.1f} | {:.2f} | {} |\n", name, measured_us, us, us / measured_us, r->estimate.because);
  std::fflush(stdout);
}

/// Times of tests/data/speed_h200.json and ncu_h200.json, no register or byte of shared memory given.
void times() {
  auto source = read_source(std::string(TILESCOPE_SOURCE_DIR) + "/tests/data/speed_h200.json");
  Json speed = (*parse_json(*source))["h200"];
  auto of = [&](const char* key) { return speed[key].get<double>(); };
  auto flop_us = [&](int64_t n, const char* key) { return 2e-6 * static_cast<double>(n) * n * n / of(key); };
  fmt::print("| launch | measured, us | model | ratio | bound |\n|---|---|---|---|---|\n");
  time_row("vector add fp32, 1000", vector_add(1000, 256), 2.048);
  time_row("vector add fp32, 2^26, BLOCK 256", vector_add(1 << 26, 256), 12e-3 * (1 << 26) / of("add_triton_B256_GBs"));
  time_row("vector add fp32, 2^26, BLOCK 1024", vector_add(1 << 26, 1024), 12e-3 * (1 << 26) / of("add_triton_B1024_GBs"));
  time_row("softmax fp32, 128 x 1000", softmax(128, 1000, 1024, 4), 2.976);
  struct Rows {
    int64_t rows, columns, block;
    int warps;
    const char* key;
  };
  for (const Rows& r : {Rows{65536, 1000, 1024, 4, "softmax_triton_65536x1000_GBs"}, Rows{32768, 4096, 4096, 8, "softmax_triton_32768x4096_GBs"},
                        Rows{8192, 16384, 16384, 16, "softmax_triton_8192x16384_GBs"}})
    time_row(fmt::format("softmax fp32, {} x {}", r.rows, r.columns), softmax(r.rows, r.columns, r.block, r.warps),
             8e-3 * static_cast<double>(r.rows) * r.columns / of(r.key));
  struct Square {
    int64_t n;
    const char* key;
    cost_data::MatmulShape s;
  };
  for (auto [n, key] : {std::pair<int64_t, const char*>{1024, "mm_f16_seed32_1024"}, {2048, "mm_f16_seed32_2048"}, {4096, "mm_f16_seed32_4096"},
                        {8192, "mm_f16_seed32_8192"}})
    time_row(fmt::format("matmul fp16, {}^3, 32 x 32 x 32", n), small_tiles(n), flop_us(n, key));
  for (Square q : {Square{1024, "mm_f16_triton_1024", {0, 0, 0, 64, 128, 64, 8, 4, 4}}, {2048, "mm_f16_triton_2048", {0, 0, 0, 128, 256, 64, 8, 8, 3}},
                   {4096, "mm_f16_triton_4096", {0, 0, 0, 128, 256, 64, 8, 8, 4}}, {8192, "mm_f16_triton_8192", {0, 0, 0, 128, 256, 64, 8, 8, 3}},
                   {8192, "mm_f16_triton_8192_G1", {0, 0, 0, 128, 128, 64, 1, 8, 3}}, {8192, "mm_f16_triton_8192_G2", {0, 0, 0, 128, 128, 64, 2, 8, 3}},
                   {8192, "mm_f16_triton_8192_G4", {0, 0, 0, 128, 128, 64, 4, 8, 3}}, {8192, "mm_f16_triton_8192_G8", {0, 0, 0, 128, 128, 64, 8, 8, 3}},
                   {8192, "mm_f16_triton_8192_G16", {0, 0, 0, 128, 128, 64, 16, 8, 3}}}) {
    q.s.m = q.s.n = q.s.k = q.n;
    time_row(fmt::format("matmul fp16, {}^3, {} x {} x {}, GROUP_M {}", q.n, q.s.bm, q.s.bn, q.s.bk, q.s.group), cost_data::grouped_matmul(q.s),
             flop_us(q.n, q.key));
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string_view part = argc > 1 ? argv[1] : "";
  if (part.empty() || part == "fit") fit({kOlderFirst}, fitted);
  if (part == "strength") fit(kStrengths, [](const Measured& p) { return !held_out(p); });
  if (part.empty() || part == "counters") counters(kDrift);
  if (part.empty() || part == "times") times();
}
