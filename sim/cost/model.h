// The parts of the cost model put together, for a source of traffic that is at hand (estimate_cost opens one; tests bring
// their own).
#pragma once

#include <functional>
#include <memory>

#include "sim/cost/cost.h"
#include "sim/cost/estimate.h"

namespace tilescope::cost {

using OpenSource = std::function<Expected<std::unique_ptr<TrafficSource>>(const LaunchSpec&)>;

struct ModelInput {
  const LaunchSpec* spec = nullptr;  ///< null: constexprs are not varied
  const CostOptions* options = nullptr;
  OpenSource open;                   ///< for launches with another constexpr; empty as above
  double drift = kDrift;
};

/// Over the seeds.
struct SeedSpread {
  Spread dram_read, dram_written, hit_rate;
  std::vector<Spread> op_read;                                 ///< by op
  std::vector<Spread> tensor_read, tensor_written, tensor_hit;  ///< by tensor; one more for "several"
  double l2_bytes = 0;                                         ///< that SMs asked for; mean
  double l2_served = 0;                                        ///< with those that its partitions asked of each other
  double seconds = 0;                                          ///< of the first seed, in the model's time
  std::optional<Schedule> schedule;                            ///< of the first seed
};

/// What estimates of one launch share, whatever the order of its programs.
struct LaunchFacts {
  GpuDescription gpu;
  std::array<int64_t, 3> grid{1, 1, 1};
  Occupancy occupancy;
  WorkCounts work;
  int64_t programs = 0;
  const Function* kernel = nullptr;
  int num_stages = 3;
  int ops = 0, tensors = 0;
  int seeds = 5;
  double drift = kDrift, older_first = kOlderFirst;
};

/// Runs the cache model for every seed, on as many threads as there are. Nothing when `progress` returns false.
std::optional<SeedSpread> replay_seeds(const LaunchSteps& steps, const Dealer& dealer, const LaunchFacts& facts,
                                       uint64_t schedule_slices, const std::function<bool(double)>& progress);

Estimate estimate_order(const LaunchSteps& steps, const SeedSpread& spread, const LaunchFacts& facts,
                        const std::vector<TrafficOp>& ops);

/// Other orders of the same programs, the present one among them; empty when the kernel offers none. Nothing when stopped.
std::optional<std::vector<Alternative>> find_alternatives(TrafficSource& source, const LaunchSteps& steps,
                                                          const SeedSpread& present, const LaunchFacts& facts,
                                                          const ModelInput& input, const std::function<bool(double)>& progress);

Expected<CostReport> cost_of(TrafficSource& source, LaunchTraffic traffic, const ModelInput& input);

/// The error of a model that was stopped.
Diagnostic stopped_by_user();

}  // namespace tilescope::cost
