// A cost report filled by hand, so that tests of what is printed and written do not depend on the cost model: fp16
// 8192^3 in 128x128x64 tiles, GROUP_M 8, on an H200. Counts are exact by arithmetic, DRAM bytes and hit rates near the
// hardware's counters; times are plausible only.
#pragma once

#include "sim/cost/cost.h"
#include "visualizer/report/program_order.h"

namespace tilescope {

inline SourcePtr grouped_source() {
  std::string text;
  for (int i = 1; i < 31; ++i) text += "# line\n";
  text += "        a = tl.load(a_tile, mask=(rows[:, None] < M) & (ks[None, :] < left), other=0.0)\n";
  text += "        b = tl.load(b_tile, mask=(ks[:, None] < left) & (cols[None, :] < N), other=0.0)\n";
  for (int i = 33; i < 37; ++i) text += "# line\n";
  text += "    tl.store(c_tile, acc.to(c_ptr.dtype.element_ty), mask=(rows[:, None] < M) & (cols[None, :] < N))\n";
  return std::make_shared<SourceFile>(SourceFile{"grouped.py", text});
}

inline cost::GpuDescription h200_by_hand() {
  cost::GpuDescription g;
  g.id = "h200";
  g.name = "NVIDIA H200";
  g.compute_capability = "9.0";
  g.sms = 132;
  g.warps_per_sm = 64;
  g.programs_per_sm = 32;
  g.registers_per_sm = 65536;
  g.shared_bytes_per_sm = 233472;
  g.shared_bytes_per_program = 232448;
  g.l2_bytes = 60'000'000;
  g.l2_partitions = 2;
  g.clock_hz = 1.98e9;
  g.dram_bytes_per_s = 4.8e12;
  g.l2_bytes_per_s = 1.2e13;
  g.dram_latency_ns = 600;
  g.l2_latency_ns = 270;
  g.launch_us = 2;
  g.peak[static_cast<int>(cost::WorkUnit::TensorFp16)] = 989e12;
  g.peak[static_cast<int>(cost::WorkUnit::Fp32)] = 67e12;
  return g;
}

/// A tile of `tile_bytes` accessed `times` times in all, `tiles` different ones.
inline cost::OpTraffic operand_traffic(uint64_t times, uint64_t tile_bytes, uint64_t tiles, int elem_bytes) {
  cost::OpTraffic t;
  t.times = times;
  t.asked_bytes = t.moved_bytes = t.program_bytes = times * tile_bytes;
  t.lanes = t.asked_bytes / elem_bytes;
  t.requests = t.asked_bytes / 512;
  t.sectors = t.moved_bytes / 32;
  t.distinct_bytes = tiles * tile_bytes;
  t.distinct_sectors = t.distinct_bytes / 32;
  t.tiles = tiles;
  return t;
}

inline cost::CostReport grouped_report() {
  using namespace cost;
  CostReport r;
  r.kernel = "grouped_matmul_kernel";
  r.grid = {4096, 1, 1};
  r.num_warps = 8;
  r.gpu = h200_by_hand();
  const OpTraffic operand = operand_traffic(4096 * 128, 128 * 64 * 2, 64 * 128, 2);
  const OpTraffic result = operand_traffic(4096, 128 * 128 * 2, 4096, 2);
  r.traffic.ops = {operand, operand, result};
  r.traffic.loads = {operand, operand, {}};
  r.traffic.stores = {{}, {}, result};
  r.traffic.programs = 4096;
  r.traffic.work.flops[static_cast<int>(WorkUnit::TensorFp16)] = 2.0 * 8192 * 8192 * 8192;
  r.traffic.work.dot_multiply_adds = 1.0 * 8192 * 8192 * 8192;
  r.traffic.naive_bytes = 4.0 * 8192 * 8192 * 8192;
  r.traffic.tiled_bytes = 2.0 * operand.moved_bytes + result.moved_bytes;
  r.traffic.naive_loads = r.traffic.naive_bytes;
  r.traffic.tiled_loads = 2.0 * operand.moved_bytes;
  r.traffic.ideal_loads = 2.0 * 8192 * 8192 * 2;
  r.traffic.ideal_bytes = 3.0 * 8192 * 8192 * 2;
  r.occupancy = {122, 98304, false, false, 2, "shared memory", 0.25, 264, 15.515, 0.515};
  r.tensors = {{"a_ptr", operand, {}, {0.62e9, 0.58e9, 0.66e9}, {}, {0.91, 0.90, 0.92}},
               {"b_ptr", operand, {}, {0.89e9, 0.85e9, 0.94e9}, {}, {0.74, 0.72, 0.76}},
               {"c_ptr", {}, result, {}, {0.134e9, 0.134e9, 0.134e9}, {}}};
  TrafficOp a{31, 13, "load", 0, true, false, 2, true}, b{32, 13, "load", 1, true, false, 2, true},
      c{37, 5, "store", 2, false, true, 2, false};
  r.lines = {{a, "a_ptr", operand, r.tensors[0].dram_read},
             {b, "b_ptr", operand, r.tensors[1].dram_read},
             {c, "c_ptr", result, {}}};
  r.dram_read = {1.51e9, 1.43e9, 1.60e9};
  r.dram_written = {0.134e9, 0.134e9, 0.134e9};
  r.l2_hit_rate = {0.825, 0.81, 0.84};
  r.l2_bytes = r.traffic.tiled_bytes;
  r.seeds = 5;
  r.drift = 0.03;
  r.roofline = {WorkUnit::TensorFp16, 989e12, 4.8e12, 667, 0.5, 63, 2731, 635e12};
  r.estimate = {0.34,
                1.45,
                1.11,
                0.05,
                1.73,
                Bound::Compute,
                "fp16 tensor cores: 1.10 Tflop at 989 TFLOP/s, with 25% of the warps"};
  const double read[] = {5.51e9, 3.9e9, 2.4e9, 1.51e9, 1.9e9}, hits[] = {0.53, 0.63, 0.75, 0.825, 0.80},
               ms[] = {1.97, 1.85, 1.78, 1.73, 1.75};
  const uint64_t tiles[] = {8320, 4352, 2560, 2048, 2560};
  for (int i = 0; i < 5; ++i) {
    Alternative x;
    x.parameter = "GROUP_M";
    x.value = int64_t{1} << i;
    x.label = "GROUP_M = " + std::to_string(x.value);
    x.current = x.value == 8;
    x.dram_read = {read[i], read[i] * 0.96, read[i] * 1.05};
    x.l2_hit_rate = {hits[i], hits[i] - 0.015, hits[i] + 0.015};
    x.total_ms = ms[i];
    x.tile_loads_first = tiles[i];
    r.alternatives.push_back(std::move(x));
  }
  r.notes = {
      "registers and shared memory are estimated from the kernel; a compiler may choose others (--registers, --shared)",
      "the drift of programs, 3%, is fitted to hardware counters; the L2's capacity is nominal"};
  return r;
}

/// Four slices of two programs on one SM, with ops inside, and two samples.
inline cost::Schedule small_schedule() {
  cost::Schedule s;
  for (int sm : {0, 70})
    for (int slot : {0, 1}) {
      const int64_t program = sm == 0 ? slot : 2 + slot;
      const double start = 1.5 * slot;
      s.slices.push_back({sm, slot, program, -1, start, start + 10});
      s.slices.push_back({sm, slot, program, 0, start + 1, start + 4});
      s.slices.push_back({sm, slot, program, 1, start + 4, start + 9.5});
    }
  s.samples = {{0, 3.1e12, 0.5, 4}, {10, 1.2e12, 0.9, 2}};
  return s;
}

/// Nine programs on 9 x 9 tiles of 32: a row of the result, or three by three. Tiles of A and B are whole along k.
inline report::ProgramOrderView nine_programs(int64_t group) {
  report::ProgramOrderView v;
  v.label = "GROUP_M = " + std::to_string(group);
  v.programs = 9;
  report::OrderTensor a{"a_ptr", 288, 288, {}}, b{"b_ptr", 288, 288, {}}, c{"c_ptr", 288, 288, {}};
  for (int64_t p = 0; p < 9; ++p) {
    const int64_t m = p % group, n = p / group;
    c.tiles.push_back({m * 32, n * 32, 32, 32, p, true});
    for (int64_t k = 0; k < 9; ++k) {
      if (n == 0) a.tiles.push_back({m * 32, k * 32, 32, 32, p, false});
      if (m == 0) b.tiles.push_back({k * 32, n * 32, 32, 32, p, false});
    }
  }
  v.tile_loads = a.tiles.size() + b.tiles.size();
  v.tensors = {a, b, c};
  return v;
}

}  // namespace tilescope
