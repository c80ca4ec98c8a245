// Programs on the SMs of a GPU, in time, and what the L2 makes of their accesses.
//
// The first programs are dealt one to each SM, then a second to each, and so on; a program that ends is followed by the next.
// Time has two sources of difference, and programs leave lockstep by them:
// * among the programs of an SM the older one is served first (kOlderFirst);
// * each program has a speed of its own (the drift: the model's one fitted parameter, kDrift).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sim/cost/launch_steps.h"

namespace tilescope::cost {

/// Relative standard deviation of the programs' speeds. Fitted: sim/cost/README.md.
inline constexpr double kDrift = 0.02;
/// The oldest program of an SM is faster by this share than the mean of its programs, the youngest slower by it. An
/// assumption: schedulers serve the oldest first, how strongly differs from kernel to kernel. sim/cost/README.md.
inline constexpr double kOlderFirst = 0.03;

struct ReplayOptions {
  int programs_per_sm = 1;
  double seconds_per_flop = 0;  ///< of one SM
  double seconds_per_byte = 0;  ///< of one SM, that it asks of the L2
  double drift = kDrift;
  double older_first = kOlderFirst;
  uint64_t seed = 0;
  bool schedule = false;
  uint64_t most_slices = 0;
  const std::atomic<bool>* stop = nullptr;  ///< looked at now and then
  std::function<bool(double)> progress;     ///< 0 to 1; false stops. May be empty
};

struct ReplayResult {
  std::vector<CacheCounts> ops;        ///< by op; of the whole launch, scaled up from what was simulated
  std::vector<CacheCounts> loads;      ///< the same of loads alone, by tensor; one more for accesses of several tensors
  std::vector<double> written_bytes;   ///< to DRAM, by tensor; one more for accesses of several tensors
  double seconds = 0;                  ///< of the programs, in the model's own time
  std::optional<Schedule> schedule;    ///< in that time, seconds written as microseconds
  bool stopped = false;
  CacheCounts total() const;
  double dram_read_bytes() const { return 32.0 * static_cast<double>(total().dram_read); }
  double dram_written_bytes() const;
  /// Sectors found, of all that any partition was asked.
  double hit_rate() const;
};

ReplayResult replay(const LaunchSteps& steps, const Dealer& dealer, const GpuDescription& gpu, int ops, int tensors,
                    const ReplayOptions& options);

/// Hit rate as counters give it: a sector that is asked of a second partition counts twice.
double hit_rate_of(const CacheCounts& counts);

}  // namespace tilescope::cost
