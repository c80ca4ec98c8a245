// The figures of a cost report. Each is complete by itself: title and legend in the page, axes and labels in the
// figure.
#pragma once

#include <optional>
#include <vector>

#include "core/trace.h"
#include "sim/cost/cost.h"
#include "visualizer/report/program_order.h"
#include "visualizer/report/svg.h"

namespace tilescope::report {

/// DRAM bytes that hardware counters gave for one value of the parameter (or of the launch itself).
struct Measured {
  int64_t value = 0;
  double dram_read = 0;
};

/// No reuse, tiles, L2, DRAM, each byte once: bars on a logarithmic axis.
Svg ladder_figure(const cost::CostReport& report);
/// DRAM bytes read by value of the parameter: bars from 0, the spread over the seeds, counters as diamonds, a dashed
/// line at every byte once. Nothing when no alternatives were tried.
std::optional<Svg> dram_figure(const cost::CostReport& report, const std::vector<Measured>& measured);
struct RooflinePoint {
  std::string label;
  double intensity = 0, rate = 0;  ///< flop per byte of DRAM, flop/s
  bool current = false;
};
/// The launch, and each alternative.
std::vector<RooflinePoint> roofline_points(const cost::CostReport& report);
/// Both axes logarithmic. Nothing for a launch without arithmetic.
std::optional<Svg> roofline_figure(const cost::CostReport& report);
/// Tiles loaded at least once by the first programs, one order beside the other.
std::optional<Svg> order_figure(const std::vector<ProgramOrderView>& orders);
/// Elements by how often they were loaded, a row of bars for each tensor. Nothing when none was loaded.
std::optional<Svg> reuse_figure(const RunTrace& run);

}  // namespace tilescope::report
