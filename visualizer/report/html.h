// A cost report as one page: no scripts, no network, no other files; light or dark as the reader's system is.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "visualizer/report/figures.h"

namespace tilescope::report {

struct CostPage {
  const cost::CostReport& cost;
  SourcePtr source;                                             ///< may be null
  std::vector<std::pair<std::string, std::string>> constexprs;  ///< name and value
  const RunTrace* run = nullptr;         ///< when the launch was run too: how often elements were loaded
  std::vector<Measured> measured;        ///< hardware counters that the reader gave
  std::vector<ProgramOrderView> orders;  ///< of program_orders; empty: no such figure
};

/// Well-formed XML too. Every text that came from outside (kernel, names, notes) is escaped.
std::string cost_html(const CostPage& page);

}  // namespace tilescope::report
