// What the command line asks of the cost model, and which files it is to write.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/launch_file.h"
#include "sim/cost/cost.h"
#include "visualizer/report/figures.h"
#include "visualizer/report/output_files.h"

namespace CLI {
class App;
}

namespace tilescope::terminal {

/// As given; plan_cost checks it.
struct CostRequest {
  std::optional<std::string> gpu;  ///< run: absent means no estimate
  std::optional<int> seeds, registers;
  std::optional<int64_t> shared_bytes;
  std::vector<int64_t> order_values;
  std::optional<std::string> csv, chrome_trace, html;
  std::vector<std::string> measured;  ///< VALUE=BYTES
};

/// `cost_verb`: the command that always estimates and has --gpu; else --cost.
void add_cost_options(CLI::App& app, CostRequest& request, bool cost_verb);

struct CostPlan {
  cost::CostOptions options;
  std::vector<report::Measured> measured;
  /// tensors, lines, orders; or none.
  std::vector<report::OutputPath> csv;
  std::optional<report::OutputPath> chrome_trace, html;
};

/// What was asked for, checked as far as it can be before anything runs. `other_files`: what the command reads or
/// writes besides the launch's own files.
Expected<CostPlan> plan_cost(const CostRequest& request, bool cost_verb, const LaunchSpec& spec,
                             const std::vector<std::string>& other_files);

/// A table of the GPUs that ship.
std::string gpu_list();

}  // namespace tilescope::terminal
