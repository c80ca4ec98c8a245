// What a launch costs a GPU: one screen for people (report_cost.cpp), an object for programs (report_cost_json.cpp).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sim/cost/cost.h"

namespace tilescope::terminal {

/// A screen of a terminal: what the report keeps to as long as it has no more tensors, lines and notes than usual.
inline constexpr int kScreenLines = 45, kScreenColumns = 110;

/// Where the bytes go, and what another order of the programs would change. At most `most_lines` lines: the rows with
/// the least traffic are left out first, and the text says so. `columns` from 80.
std::string cost_text(const cost::CostReport& report, const SourcePtr& source, int columns = kScreenColumns,
                      int most_lines = kScreenLines);

/// Everything of the report but its schedule (that is what --chrome-trace writes). Field names are those of
/// sim/cost/cost.h; bytes, milliseconds, flop/s, shares from 0 to 1; a spread is {"mean", "low", "high"}.
nlohmann::ordered_json cost_json(const cost::CostReport& report);
/// The object of `cost --gpu list --json`.
std::string gpu_list_json();

}  // namespace tilescope::terminal
