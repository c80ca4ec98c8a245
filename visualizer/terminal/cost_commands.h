// `tilescope cost`, and the estimate of `run --cost`.
#pragma once

#include <iosfwd>

#include "visualizer/terminal/command.h"

namespace tilescope::terminal {

/// Estimates what the launch costs a GPU, prints it and writes the files that were asked for. Runs no kernel.
int estimate_launch(const Command& c, const LaunchSpec& spec, std::ostream& out, std::ostream& err);

struct CostOutcome {
  cost::CostReport report;
  std::vector<std::string> saved;  ///< "the page to cost.html"
};
/// Estimates and writes the files of the plan. `run`: the trace of the same launch, or null. Shows progress on `err`
/// when it is a terminal and `quiet` is off.
Expected<CostOutcome> estimate_and_write(const CostPlan& plan, const LaunchSpec& spec, const CompiledKernel& kernel,
                                         const RunTrace* run, bool quiet, std::ostream& err);

}  // namespace tilescope::terminal
