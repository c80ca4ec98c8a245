// Which tiles the first programs of a launch load and store: what the figure of the page draws.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/cost/cost.h"

namespace tilescope::report {

/// Tiles of one tensor. Boxes cover the last two axes of the tensor; a vector is one row.
struct OrderTensor {
  std::string name;
  int64_t rows = 1, columns = 1;  ///< of the tensor, in elements
  struct Tile {
    int64_t row = 0, column = 0, rows = 1, columns = 1;
    int64_t program = 0;  ///< the first that accessed it
    bool stored = false;
  };
  std::vector<Tile> tiles;
};

/// One way of dealing out the programs.
struct ProgramOrderView {
  std::string label;  ///< "GROUP_M = 8"
  int64_t programs = 0;
  uint64_t tile_loads = 0;           ///< different tiles loaded
  std::vector<OrderTensor> tensors;  ///< loaded ones first
};

/// The launch as it is, and beside it the alternative that reads the most from DRAM, or the least when the launch
/// itself reads the most. Both run as many programs as the result has columns of tiles. Empty when no tiles were found.
std::vector<ProgramOrderView> program_orders(const LaunchSpec& spec, const cost::CostReport& report);

}  // namespace tilescope::report
