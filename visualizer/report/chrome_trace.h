// The schedule of a launch in Chrome's trace event format, for Perfetto (ui.perfetto.dev) and chrome://tracing: one
// process for each L2 partition's SMs, one thread for each place of a program on an SM, programs as slices with their
// memory ops nested inside, and three counters of the whole GPU.
#pragma once

#include <string>

#include "sim/cost/cost.h"

namespace tilescope::report {

struct ChromeTrace {
  std::string json;
  /// What was left out, as a sentence; empty when all of the schedule is there.
  std::string truncated;
};

/// `report.schedule` must be there. At most `most_events` slices and samples; a program is written with all of its ops
/// or not at all. Times are microseconds with nanosecond digits.
ChromeTrace chrome_trace(const cost::CostReport& report, const SourcePtr& source, size_t most_events = 400'000);

}  // namespace tilescope::report
