// What a launch costs a GPU: occupancy, caches, DRAM, a roofline and an estimate of the time, from the addresses of its
// programs (traffic.h). One function, one report; the terminal, the exports and the window show it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/cost/gpu_description.h"
#include "sim/cost/traffic.h"

namespace tilescope::cost {

/// Mean over the seeds of the drift, and its ends.
struct Spread {
  double mean = 0, low = 0, high = 0;
};

/// In which order the programs of a grid are dealt to the SMs. Kernel: by their number, as hardware does. The others
/// answer "what if" for kernels with a plain two-dimensional grid, without editing them.
struct DealOrder {
  enum class Kind : uint8_t { Kernel, OtherAxisFirst, Grouped, Shuffled } kind = Kind::Kernel;
  int64_t group = 1;  ///< Grouped: rows of a group
  uint64_t seed = 0;  ///< Shuffled
};

struct CostOptions {
  GpuDescription gpu;
  DealOrder order;
  int seeds = 5;                     ///< runs of the cache model
  std::optional<int> registers;      ///< of a thread, when known (from a compiler); else estimated
  std::optional<int64_t> shared_bytes;  ///< of a program, when known; else estimated
  /// Values tried for a constexpr that changes the order of the programs only; empty: powers of two up to 16.
  std::vector<int64_t> order_values;
  bool alternatives = true;
  bool schedule = false;             ///< fill CostReport::schedule
  uint64_t most_slices = 200'000;    ///< of the schedule
  SourcePtr text;                    ///< the kernel file as it is edited; null: read from LaunchSpec::kernel_path
  std::function<bool(double)> progress;  ///< 0 to 1; false stops. May be empty
};

/// Programs that one SM holds at once.
struct Occupancy {
  int registers = 0;  ///< of a thread
  int64_t shared_bytes = 0;  ///< of a program
  bool registers_known = false, shared_known = false;  ///< given, not estimated
  int programs_per_sm = 0;
  std::string limited_by;  ///< "shared memory", "registers", "warps", "programs", "grid"
  double warps_fraction = 0;   ///< warps on an SM / the most it holds
  int64_t at_once = 0;         ///< programs on the whole GPU
  double waves = 0;            ///< programs / at_once
  double last_wave = 0;        ///< how full the last wave is, 0 to 1
};

/// By tensor, and by op.
struct TensorCost {
  std::string name;
  OpTraffic loads, stores;
  Spread dram_read, dram_written;  ///< bytes
  Spread l2_hit_rate;              ///< of its loads, 0 to 1
};
struct LineCost {
  TrafficOp op;
  std::string tensor;  ///< or "several"
  OpTraffic traffic;
  Spread dram_read;
};

enum class Bound : uint8_t { Memory, Compute, Latency };

struct Estimate {
  double memory_ms = 0;   ///< DRAM traffic at the GPU's bandwidth
  double l2_ms = 0;       ///< L2 traffic at its bandwidth, that between its partitions too
  double compute_ms = 0;  ///< arithmetic at the units' peaks
  double latency_ms = 0;  ///< the launch, and waits that follow one another: loads in turn, programs in turn
  double total_ms = 0;
  Bound bound = Bound::Memory;
  std::string because;    ///< "DRAM: 5.5 GB at 4.8 TB/s", one line
};
/// Bound by memory, and of that by the L2 rather than by DRAM.
inline bool bound_by_l2(const Estimate& e) { return e.bound == Bound::Memory && e.l2_ms > e.memory_ms; }

struct Roofline {
  WorkUnit unit = WorkUnit::Fp32;      ///< that does most of the arithmetic
  double peak_flops = 0, dram_bytes_per_s = 0;
  double intensity = 0;                ///< flop per byte of DRAM traffic, measured by the cache model
  double naive_intensity = 0, tiled_intensity = 0, ideal_intensity = 0;
  double estimated_flops = 0;          ///< flop/s under the estimate
};

/// What another order would do. The one that the launch has is among them.
struct Alternative {
  std::string parameter;  ///< "GROUP_M"; "order" for dealt orders
  int64_t value = 0;
  std::string label;      ///< "GROUP_M = 8", "other axis first"
  DealOrder order;        ///< of dealt orders; Kernel for values of a constexpr
  bool current = false;
  Spread dram_read, l2_hit_rate;
  double total_ms = 0;
  uint64_t tile_loads_first = 0;  ///< distinct tiles that the first programs (as many as there are tile columns) load
};

/// When what ran where, of one seed: for Perfetto.
struct Schedule {
  struct Slice {
    int sm = 0, slot = 0;  ///< slot: place on the SM, 0 .. programs_per_sm - 1
    int64_t program = 0;
    int32_t op = -1;       ///< -1: the whole program
    double start_us = 0, end_us = 0;
  };
  struct Sample {
    double time_us = 0;
    double dram_bytes_per_s = 0, l2_hit_rate = 0;
    int64_t running = 0;
  };
  std::vector<Slice> slices;
  std::vector<Sample> samples;
  bool truncated = false;
};

struct CostReport {
  std::string kernel;
  std::array<int64_t, 3> grid{1, 1, 1};
  int num_warps = 4, num_stages = 3;
  GpuDescription gpu;
  LaunchTraffic traffic;
  Occupancy occupancy;
  std::vector<TensorCost> tensors;
  std::vector<LineCost> lines;
  Spread dram_read, dram_written, l2_hit_rate;  ///< bytes; 0 to 1
  double l2_bytes = 0;                          ///< that SMs asked of the L2
  int seeds = 0;
  double drift = 0;        ///< that was assumed, relative
  Roofline roofline;
  Estimate estimate;
  std::vector<Alternative> alternatives;
  std::optional<Schedule> schedule;
  std::vector<std::string> notes;  ///< what is estimated, fitted or left out
};

/// Error: what TrafficSource::open refuses; a launch that does not fit on the GPU, with the numbers.
Expected<CostReport> estimate_cost(const LaunchSpec& spec, const CostOptions& options);

}  // namespace tilescope::cost
