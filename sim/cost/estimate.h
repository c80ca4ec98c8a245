// From counts to time: a simple estimate, stated in full here and in sim/cost/README.md.
//
//   memory   DRAM bytes / (bandwidth x kDramFraction)
//   l2       bytes asked of the L2, those asked again of the far partition too / (bandwidth x kL2Fraction), x imbalance
//   compute  sum over units of flop / (peak x fraction of the unit), x imbalance
//   latency  the launch, and the programs that come one after the other to a place: each waits for its rounds of loads, one
//            latency a round (in a pipelined loop num_stages - 1 rounds are on their way at once), for exchanges between its
//            warps (kExchangeCycles each: reductions, scans, sorts), and for its last store
//   total    the launch, plus the largest of memory, l2, compute, and the programs of a place in turn: their waits, and their
//            arithmetic at the full speed of an SM beside the waits of pipelined loops
//
// Imbalance: programs of the busiest SM / the mean (an SM without a program does not help).
#pragma once

#include "sim/cost/launch_steps.h"
#include "sim/cost/replay.h"

namespace tilescope::cost {

/// What good kernels reach on an H200. DRAM: 4.38 of 4.8 TB/s, a vector add. L2: 10.5 of 12.2 TB/s, a matmul of small
/// tiles (counters). Tensor cores: 656 of 989 TFLOP/s, cuBLAS (8192^3, fp16; power limits the clock). Units of single
/// operations: peaks count a multiply-add as two, a lone add or multiply takes the same slot.
inline constexpr double kDramFraction = 0.91, kL2Fraction = 0.86, kTensorFraction = 0.66, kScalarFraction = 0.5;

/// Of a reduction across warps: shuffles, a barrier, shared memory there and back.
inline constexpr double kExchangeCycles = 200;

/// What the estimate needs of the cache model's result.
struct MovedBytes {
  double dram = 0, l2 = 0;
  double hit_rate = 0;
  double between_partitions = 0;  ///< of l2: what one partition asked of another one
};

/// Rounds of loads of a mean program: loads with no arithmetic between them are on their way together.
struct LoadRounds {
  double rounds = 0;            ///< in programs, each waits for the one before
  double pipelined_rounds = 0;  ///< of them, operands of dots in a loop
  double exchanges = 0;         ///< between warps; those in loops once a round
};
LoadRounds count_rounds(const Function& f, const LaunchSteps& steps, const std::vector<TrafficOp>& ops);

/// The unit that does most of the arithmetic, among those that the GPU has (see unit_of).
WorkUnit main_unit(const WorkCounts& work, const GpuDescription& gpu);
/// The unit that does this work on the GPU: fp8 goes to fp16 tensor cores where there are none for it, and so on.
WorkUnit unit_of(WorkUnit u, const GpuDescription& gpu);
double unit_fraction(WorkUnit u);

Estimate estimate_time(const GpuDescription& gpu, const Occupancy& occupancy, int64_t programs, int num_stages,
                       const WorkCounts& work, const MovedBytes& moved, const LoadRounds& rounds);

}  // namespace tilescope::cost
