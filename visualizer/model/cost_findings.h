// What the session has found out about the cost of the launch so far: published piece by piece, never changed afterwards.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/diagnostic.h"
#include "sim/cost/cost.h"
#include "visualizer/model/cost_tiles.h"

namespace tilescope::model {

/// Another order of the programs than the launch's: a value of a constexpr, or another way to deal the same programs.
struct OtherOrder {
  std::string parameter;  ///< constexpr; "order": dealt
  int64_t value = 0;
  std::string label;      ///< as in cost::Alternative
  cost::DealOrder order;
  friend bool operator==(const OtherOrder& a, const OtherOrder& b) { return a.parameter == b.parameter && a.label == b.label; }
};

/// What the panel asks for.
struct CostWish {
  std::string gpu = "h200";  ///< an id of cost::gpu_descriptions()
  std::string other;         ///< label of the order to compare with; empty: the model's choice
  friend bool operator==(const CostWish&, const CostWish&) = default;
};

struct CostFindings {
  CostWish wish;
  bool complete = false;     ///< nothing more will come for this launch and wish
  bool cancelled = false;    ///< because somebody cancelled it
  std::string kernel;
  std::shared_ptr<const TileMap> tiles;         ///< of the launch's own order
  std::shared_ptr<const TileMap> other_tiles;   ///< of `other`
  std::optional<OtherOrder> other;
  std::shared_ptr<const cost::CostReport> report;
  std::vector<Diagnostic> errors;               ///< why there is no report
};

/// The order that the launch is compared with: the one of that label; else the best one when the launch has the worst,
/// the plainest (lowest value) when it has not.
std::optional<OtherOrder> choose_other(const cost::CostReport& report, const std::string& label);

}  // namespace tilescope::model
