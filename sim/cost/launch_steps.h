// What all programs of a launch access, written down once and replayed by the cache model for every seed: each program is a
// list of steps, each step names a tile, and a tile's cache lines are listed once however many programs load it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sim/cost/deal.h"
#include "sim/cost/l2_cache.h"
#include "sim/cost/traffic.h"

namespace tilescope::cost {

enum class AccessKind : uint8_t { Load, Store, Atomic };

/// The bytes of one access (AccessRows), once for all who make it.
struct StepTile {
  uint64_t start = 0;
  int64_t stride = 0;
  uint32_t bytes = 0, rows = 0;
  int32_t op = 0, tensor = -1;
  AccessKind kind = AccessKind::Load;
  uint32_t first_line = 0, lines = 0;  ///< those of them that lie in sampled sets: LaunchSteps::lines
  uint64_t asked() const { return uint64_t{bytes} * rows; }
};

struct Step {
  uint32_t tile = 0;
  float flops = 0;  ///< done since the step before
};

struct LaunchSteps {
  std::vector<StepTile> tiles;
  std::vector<CacheLine> lines;
  std::vector<Step> steps;
  std::vector<uint64_t> begin;  ///< by recorded program; one more at the end
  int64_t programs = 0;         ///< of the launch
  /// All programs, so `begin` goes by program number. Else only the first that were dealt are here, in that order.
  bool whole = true;
  int64_t stopped = 0;          ///< programs that faulted
  CacheShape shape;

  int64_t recorded() const { return static_cast<int64_t>(begin.size()) - 1; }
  /// The recorded program that is dealt as the n-th.
  int64_t dealt(const Dealer& dealer, int64_t n) const { return whole ? dealer.program(n) : n; }
};

inline constexpr uint64_t kMostSteps = uint64_t{1} << 24;

/// Runs programs until all have run. Where they take more than `most_steps` (a bound on memory), only the first that are dealt
/// are recorded and `whole` is false. `progress` (0 to 1) false: nothing.
std::optional<LaunchSteps> record_steps(TrafficSource& source, const Dealer& dealer, const GpuDescription& gpu,
                                        const std::function<bool(double)>& progress, uint64_t most_steps = kMostSteps);

/// A sum over the tiles that the launch accesses, each once: equal for launches that differ in the order of programs only.
uint64_t tiles_hash(const LaunchSteps& steps);

/// Distinct tiles that the first `count` dealt programs load.
uint64_t tiles_loaded(const LaunchSteps& steps, const Dealer& dealer, int64_t count);

/// Places along the last axis at which the launch's stores begin: columns of tiles of its output. 0: not a grid of tiles.
int64_t tile_columns(const LaunchSteps& steps, const std::vector<TrafficTensor>& tensors);

}  // namespace tilescope::cost
