#include "sim/cost/estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/words.h"

namespace tilescope::cost {
namespace {

/// "5.51 GB", "17 TB/s": three digits and a decimal prefix.
std::string amount(double x, const char* unit) {
  static constexpr const char* kPrefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  int p = 0;
  while (x >= 999.5 && p < 6) x /= 1000, ++p;
  int digits = x >= 100 || x == std::floor(x) ? 0 : x >= 10 ? 1 : 2;
  return fmt::format("{:.{}f} {}{}", x, digits, kPrefixes[p], unit);
}

std::string because(std::string_view unit, const std::string& work, const std::string& rate) {
  return remember(say(SimWords::CostWork, {{"unit", std::string(unit)}, {"work", work}, {"rate", rate}}));
}

struct ArithmeticTime {
  double seconds = 0;
  WorkUnit unit = WorkUnit::Fp32;  ///< that takes the longest
  double flops = 0, rate = 0;      ///< of it
};

ArithmeticTime arithmetic_time(const WorkCounts& work, const GpuDescription& gpu) {
  ArithmeticTime t;
  double longest = -1;
  double flops[kWorkUnits] = {};
  for (int u = 0; u < kWorkUnits; ++u) flops[static_cast<int>(unit_of(static_cast<WorkUnit>(u), gpu))] += work.flops[u];
  for (int u = 0; u < kWorkUnits; ++u) {
    auto unit = static_cast<WorkUnit>(u);
    double rate = gpu.peak[u] * unit_fraction(unit);
    if (rate <= 0) continue;
    t.seconds += flops[u] / rate;
    if (flops[u] / rate > longest) longest = flops[u] / rate, t.unit = unit, t.flops = flops[u], t.rate = rate;
  }
  return t;
}

/// Reductions and their like, those in loops as often as `rounds`.
double exchanges(const Block& block, bool in_loop, double rounds) {
  double n = 0;
  for (const auto& op : block.ops) {
    bool exchange = op->info().group == OpGroup::Collective && op->code != OpCode::Dot;
    if (exchange) n += in_loop ? rounds : 1;
    for (const Block& r : op->regions)
      n += exchanges(r, in_loop || op->code == OpCode::For || op->code == OpCode::While, rounds);
  }
  return n;
}

}  // namespace

double unit_fraction(WorkUnit u) { return u == WorkUnit::Fp32 || u == WorkUnit::Fp64 ? kScalarFraction : kTensorFraction; }

WorkUnit unit_of(WorkUnit u, const GpuDescription& gpu) {
  while (gpu.peak[static_cast<int>(u)] <= 0 && u != WorkUnit::Fp32) {
    if (u == WorkUnit::TensorFp8 || u == WorkUnit::TensorBf16 || u == WorkUnit::TensorInt8) u = WorkUnit::TensorFp16;
    else u = WorkUnit::Fp32;
  }
  return u;
}

WorkUnit main_unit(const WorkCounts& work, const GpuDescription& gpu) {
  double flops[kWorkUnits] = {};
  for (int u = 0; u < kWorkUnits; ++u) flops[static_cast<int>(unit_of(static_cast<WorkUnit>(u), gpu))] += work.flops[u];
  auto most = static_cast<int>(std::max_element(flops, flops + kWorkUnits) - flops);
  return flops[most] > 0 ? static_cast<WorkUnit>(most) : WorkUnit::Fp32;
}

LoadRounds count_rounds(const Function& f, const LaunchSteps& s, const std::vector<TrafficOp>& ops) {
  LoadRounds r;
  for (int64_t p = 0; p < s.recorded(); ++p) {
    bool open = false, fed = false;
    uint64_t operand_rounds = 0;
    for (uint64_t i = s.begin[p]; i < s.begin[p + 1]; ++i) {
      const StepTile& tile = s.tiles[s.steps[i].tile];
      if (s.steps[i].flops > 0) open = false;
      if (tile.kind == AccessKind::Store) continue;
      if (!open) r.rounds += 1, open = true, fed = false;
      if (ops[tile.op].feeds_dot && !fed) ++operand_rounds, fed = true;
    }
    if (operand_rounds > 1) r.pipelined_rounds += static_cast<double>(operand_rounds);  // one round is no loop
  }
  double n = static_cast<double>(std::max<int64_t>(1, s.recorded()));
  r.rounds /= n, r.pipelined_rounds /= n;
  r.exchanges = exchanges(f.body, false, std::max(1.0, r.rounds));
  return r;
}

Estimate estimate_time(const GpuDescription& gpu, const Occupancy& occupancy, int64_t programs, int num_stages,
                       const WorkCounts& work, const MovedBytes& moved, const LoadRounds& rounds) {
  double mean = static_cast<double>(programs) / gpu.sms;
  double imbalance = programs > 0 ? std::ceil(mean) / mean : 1;
  ArithmeticTime arithmetic = arithmetic_time(work, gpu);
  double round_s = (gpu.l2_latency_ns + (1 - moved.hit_rate) * (gpu.dram_latency_ns - gpu.l2_latency_ns)) * 1e-9;
  // In a pipelined loop num_stages - 1 rounds are on their way at once, beside the arithmetic.
  double overlapped_s = rounds.pipelined_rounds / std::max(1, num_stages - 1) * round_s;
  double exposed_s = (rounds.rounds - rounds.pipelined_rounds) * round_s + rounds.exchanges * kExchangeCycles / gpu.clock_hz +
                     gpu.l2_latency_ns * 1e-9;  // the last stores too
  double alone_s = programs > 0 ? arithmetic.seconds * gpu.sms / static_cast<double>(programs) : 0;
  double in_turn = std::ceil(std::max(occupancy.waves, 1e-9));
  double waiting_s = exposed_s + overlapped_s;
  double program_s = exposed_s + (num_stages > 1 ? std::max(overlapped_s, alone_s) : overlapped_s + alone_s);

  Estimate e;
  double launch_ms = gpu.launch_us * 1e-3;
  e.memory_ms = 1e3 * moved.dram / (gpu.dram_bytes_per_s * kDramFraction);
  e.l2_ms = 1e3 * moved.l2 / (gpu.l2_bytes_per_s * kL2Fraction) * imbalance;
  e.compute_ms = 1e3 * arithmetic.seconds * imbalance;
  e.latency_ms = launch_ms + 1e3 * in_turn * waiting_s;
  double busy = std::max({e.memory_ms, e.l2_ms, e.compute_ms});
  e.total_ms = std::max(busy, 1e3 * in_turn * program_s) + launch_ms;
  if (e.latency_ms >= busy) {
    e.bound = Bound::Latency;
    const std::string launch = fmt::format("{:.1f}", gpu.launch_us), wait = fmt::format("{:.1f}", 1e6 * waiting_s);
    e.because = remember(in_turn > 1 ? say(SimWords::CostLatency, {{"launch", launch}, {"n", fmt::format("{:.0f}", in_turn)}, {"wait", wait}})
                                     : say(SimWords::CostLatencyOne, {{"launch", launch}, {"wait", wait}}));
  } else if (busy == e.compute_ms) {
    e.bound = Bound::Compute;
    e.because = because(work_unit_name(arithmetic.unit), amount(arithmetic.flops, "flop"), amount(arithmetic.rate, "FLOP/s"));
  } else {
    e.bound = Bound::Memory;
    bool dram = !bound_by_l2(e);
    // Else the number would contradict the bytes that the SMs ask for.
    const bool between = moved.between_partitions >= 0.005 * moved.l2 && moved.between_partitions > 0;
    const std::string l2_rate = amount(gpu.l2_bytes_per_s * kL2Fraction, "B/s");
    if (dram) e.because = because("DRAM", amount(moved.dram, "B"), amount(gpu.dram_bytes_per_s * kDramFraction, "B/s"));
    else if (!between) e.because = because("L2", amount(moved.l2, "B"), l2_rate);
    else
      e.because = remember(say(SimWords::CostWorkBetween, {{"unit", std::string("L2")},
                                                           {"work", amount(moved.l2, "B")},
                                                           {"between", amount(moved.between_partitions, "B")},
                                                           {"rate", l2_rate}}));
  }
  return e;
}

}  // namespace tilescope::cost
