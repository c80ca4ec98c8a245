// Launches and counters that tests, the benchmark and the fit of the cost model share.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "core/launch_file.h"
#include "sim/cost/model.h"

namespace tilescope::cost_data {

struct MatmulShape {
  int64_t m = 8192, n = 8192, k = 8192, bm = 128, bn = 128, bk = 64, group = 8;
  int warps = 8, stages = 3;
};

/// The lesson's grouped matmul in fp16, both operands row-major.
inline LaunchSpec grouped_matmul(const MatmulShape& s) {
  std::string folder = std::string(TILESCOPE_SOURCE_DIR) + "/lessons/kernels/grouped_matmul/";
  std::string text = fmt::format(
      R"J({{"kernel": "grouped_matmul_kernel", "file": "kernel.py", "grid": ["cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N)"],
 "num_warps": {7}, "num_stages": {8},
 "args": {{"a_ptr": {{"tensor": "float16", "shape": [{0}, {2}], "init": {{"randn": 1}}}},
          "b_ptr": {{"tensor": "float16", "shape": [{2}, {1}], "init": {{"randn": 2}}}},
          "c_ptr": {{"tensor": "float16", "shape": [{0}, {1}], "init": "empty"}},
          "M": {0}, "N": {1}, "K": {2}, "stride_am": {2}, "stride_ak": 1, "stride_bk": {1}, "stride_bn": 1,
          "stride_cm": {1}, "stride_cn": 1, "BLOCK_M": {3}, "BLOCK_N": {4}, "BLOCK_K": {5}, "GROUP_M": {6}}}}})J",
      s.m, s.n, s.k, s.bm, s.bn, s.bk, s.group, s.warps, s.stages);
  auto spec = parse_launch_text(text, folder + "measured.json");
  if (!spec) std::fputs(render(spec.errors()).c_str(), stderr), std::abort();
  return *spec;
}

/// Counters of one configuration, means of its repeats.
struct Measured {
  MatmulShape shape;
  int registers = 0;
  int64_t shared = 0;
  double dram_read = 0, dram_written = 0, hit_rate = 0, l2_sectors = 0, time_ns = 0;
  int kernel = 0;  ///< as in tests/data/l2_h200.csv
  bool given() const { return kernel == 1; }  ///< measured by others
};

/// The rows of tests/data/l2_h200.csv; repeats of one configuration become one.
inline std::vector<Measured> measured_points() {
  std::ifstream in(std::string(TILESCOPE_SOURCE_DIR) + "/tests/data/l2_h200.csv");
  std::vector<Measured> out;
  std::map<std::string, size_t> place;
  std::vector<int> repeats;
  std::string line;
  while (std::getline(in, line)) {
    if (line.empty() || line[0] == '#' || line[0] == 'M') continue;
    std::vector<double> v;
    std::stringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');) v.push_back(std::atof(field.c_str()));
    size_t at = 0;
    std::string key;
    for (int i = 0; i < 12; ++i) at = line.find(',', at) + 1;
    key = line.substr(0, at);
    if (!place.count(key)) place[key] = out.size(), out.emplace_back(), repeats.push_back(0);
    Measured& p = out[place[key]];
    double n = repeats[place[key]]++;
    auto i64 = [&](int i) { return static_cast<int64_t>(v[i]); };
    p.shape = {i64(0), i64(1), i64(2), i64(3), i64(4), i64(5), i64(6), static_cast<int>(v[7]), static_cast<int>(v[8])};
    p.registers = static_cast<int>(v[9]);
    p.shared = i64(10);
    p.kernel = static_cast<int>(v[11]);
    auto mean = [&](double& x, double next) { x = (x * n + next) / (n + 1); };
    mean(p.dram_read, v[12]), mean(p.dram_written, v[13]), mean(p.hit_rate, v[14] / 100), mean(p.l2_sectors, v[15]);
    mean(p.time_ns, v[16]);
  }
  return out;
}

/// The cost model's report on such a launch on an H200, with the registers and the shared memory that Triton took.
inline cost::CostReport modelled(const Measured& p, double drift = cost::kDrift, int seeds = 5) {
  cost::CostOptions options;
  options.gpu = cost::gpu_descriptions().front();
  options.registers = p.registers, options.shared_bytes = p.shared;
  options.alternatives = false;
  options.seeds = seeds;
  cost::ModelInput input;
  input.options = &options;
  input.drift = drift;
  auto source = cost::TrafficSource::open(grouped_matmul(p.shape), 2);
  if (!source) std::fputs(render(source.errors()).c_str(), stderr), std::abort();
  // Each program does the same arithmetic; what they access is not counted here.
  cost::LaunchTraffic traffic;
  std::vector<cost::AccessRows> rows;
  (*source)->program(0, 0, rows);
  traffic.work = (*source)->work();
  for (double& f : traffic.work.flops) f *= static_cast<double>((*source)->grid()[0]);
  auto report = cost::cost_of(**source, traffic, input);
  if (!report) std::fputs(render(report.errors()).c_str(), stderr), std::abort();
  return *report;
}

}  // namespace tilescope::cost_data
