// A product of matrices by hand: its tiles under any grouping of the programs, and a report with round numbers.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "visualizer/model/cost_findings.h"

namespace tilescope::model {

/// C of m x n tiles, k tiles in between, each of 32 x 32 elements; the last row and column cut off.
struct ProductTiles {
  int64_t m = 9, n = 9, k = 9;
  std::vector<cost::TrafficOp> ops;
  std::vector<cost::TrafficTensor> tensors;

  explicit ProductTiles(int64_t m_, int64_t n_, int64_t k_) : m(m_), n(n_), k(k_) {
    const auto op = [&](const char* mnemonic, int tensor, bool loads) {
      cost::TrafficOp o;
      o.mnemonic = mnemonic, o.tensor = tensor, o.loads = loads, o.stores = !loads, o.elem_bytes = 2, o.feeds_dot = loads;
      ops.push_back(o);
    };
    op("load", 0, true), op("load", 1, true), op("store", 2, false);
    const auto tensor = [&](const char* name, int64_t rows, int64_t cols) {
      cost::TrafficTensor t;
      t.name = name, t.dtype = DType::Float16, t.shape = {rows, cols};
      tensors.push_back(t);
    };
    tensor("a_ptr", m * 32 - 6, k * 32), tensor("b_ptr", k * 32, n * 32 - 2), tensor("c_ptr", m * 32 - 6, n * 32 - 2);
  }

  IndexBox box(int tensor, int64_t row, int64_t col) const {
    const std::vector<int64_t>& s = tensors[static_cast<size_t>(tensor)].shape;
    return {{row * 32, col * 32}, {std::min(s[0], row * 32 + 32), std::min(s[1], col * 32 + 32)}};
  }
  /// Tile of C of a program, as grouped_matmul computes it.
  std::pair<int64_t, int64_t> tile_of(int64_t pid, int64_t group) const {
    const int64_t in_group = group * n, first = pid / in_group * group, rows = std::min(m - first, group);
    return {first + pid % in_group % rows, pid % in_group / rows};
  }
  std::vector<cost::TileUse> uses(int64_t group, const std::vector<int64_t>& programs) const {
    std::map<std::pair<int32_t, std::pair<int64_t, int64_t>>, cost::TileUse> kept;
    const auto use = [&](int32_t op, int64_t row, int64_t col, int64_t program) {
      cost::TileUse& u = kept[{op, {row, col}}];
      u.op = op, u.box = box(op, row, col);
      u.programs.push_back(program);
    };
    for (const int64_t p : programs) {
      const auto [row, col] = tile_of(p, group);
      for (int64_t i = 0; i < k; ++i) use(0, row, i, p), use(1, i, col, p);
      use(2, row, col, p);
    }
    std::vector<cost::TileUse> out;
    for (auto& [key, u] : kept) out.push_back(std::move(u));
    return out;
  }
  TileMap map(int64_t group, int64_t programs = -1) const {
    std::vector<int64_t> order = dealt_order({m * n, 1, 1}, {}, programs < 0 ? m * n : programs);
    std::vector<cost::TileUse> u = uses(group, order);
    return make_tile_map(ops, tensors, u, std::move(order), m * n);
  }
};

/// fp16 8192^3 in 128 x 128 x 64 tiles on an H200, GROUP_M 1 to 16 with 8 as the launch's.
inline cost::CostReport product_report(int64_t current = 8) {
  cost::CostReport r;
  r.kernel = "grouped_matmul_kernel";
  r.grid = {4096, 1, 1};
  r.gpu = cost::gpu_descriptions().front();
  const double flops = 2.0 * 8192 * 8192 * 8192, matrix = 2.0 * 8192 * 8192;
  r.traffic.work.flops[static_cast<int>(cost::WorkUnit::TensorFp16)] = flops;
  r.traffic.work.dot_multiply_adds = flops / 2;
  for (int i = 0; i < 3; ++i) {
    cost::OpTraffic t;
    t.distinct_bytes = static_cast<uint64_t>(matrix);
    r.traffic.loads.push_back(i < 2 ? t : cost::OpTraffic{});
    r.traffic.stores.push_back(i < 2 ? cost::OpTraffic{} : t);
  }
  r.occupancy = {168, 98304, false, false, 2, "shared memory", 0.125, 264, 4096.0 / 264, 0.515};
  r.dram_written = {matrix, matrix, matrix};
  r.seeds = 5;
  const auto add = [&](int64_t value, double gb, double hit, double ms) {
    cost::Alternative a;
    a.parameter = "GROUP_M", a.value = value, a.label = "GROUP_M = " + std::to_string(value), a.current = value == current;
    a.dram_read = {gb * 1e9, gb * 0.95e9, gb * 1.06e9}, a.l2_hit_rate = {hit, hit - 0.01, hit + 0.01}, a.total_ms = ms;
    r.alternatives.push_back(a);
    if (!a.current) return;
    r.dram_read = a.dram_read, r.l2_hit_rate = a.l2_hit_rate;
    r.estimate = {(gb * 1e9 + matrix) / 4.8e9, 0.9, flops / 989e9, 0.01, ms, cost::Bound::Compute, "fp16 tensor cores: 1.1 Tflop at 989 TFLOP/s"};
    r.roofline = {cost::WorkUnit::TensorFp16, 989e12, 4.8e12, flops / (gb * 1e9 + matrix), 0.5, 64, 2731, flops / (ms * 1e-3)};
  };
  add(1, 5.5, 0.51, 1.97), add(2, 3.6, 0.67, 1.80), add(4, 2.4, 0.77, 1.75), add(8, 1.5, 0.83, 1.73), add(16, 1.9, 0.81, 1.74);
  return r;
}

/// What the session would publish for 9 x 9 tiles in groups of three beside row by row.
inline std::shared_ptr<CostFindings> product_findings() {
  const ProductTiles t(9, 9, 9);
  auto f = std::make_shared<CostFindings>();
  f->kernel = "grouped_matmul_kernel";
  f->tiles = std::make_shared<const TileMap>(t.map(3));
  f->other_tiles = std::make_shared<const TileMap>(t.map(1));
  f->other = OtherOrder{"GROUP_M", 1, "GROUP_M = 1", {}};
  f->report = std::make_shared<const cost::CostReport>(product_report());
  f->complete = true;
  return f;
}

}  // namespace tilescope::model
