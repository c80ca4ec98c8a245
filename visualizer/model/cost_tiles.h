// Which tiles the programs of a launch load, in the order in which they are dealt to the GPU: the figure of "90 tile
// loads row by row, 54 in groups of three". Plain data, made once for an order; counting the first n programs is cheap.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/cost/cost.h"

namespace tilescope::model {

inline constexpr uint32_t kNever = UINT32_MAX;

/// The tiles of one tensor as a matrix of cells. Axes before the last two are folded into the rows; a tensor with one
/// axis is one row.
struct TileGrid {
  std::string tensor;
  std::vector<int64_t> shape;          ///< of the tensor
  int64_t tile_rows = 1, tile_cols = 1;  ///< elements
  int64_t rows = 0, cols = 0;          ///< tiles
  bool feeds_dot = false;
  /// By cell, row-major: the positions (in the order) of the programs that access it, ascending: uses[begin[i] ..
  /// begin[i + 1]).
  std::vector<uint32_t> begin, uses;

  int64_t cells() const { return rows * cols; }
  uint32_t first(int64_t cell) const {
    const auto i = static_cast<size_t>(cell);
    return begin[i] == begin[i + 1] ? kNever : uses[begin[i]];
  }
  /// Of the first n programs, how many access the cell.
  int64_t uses_among(int64_t cell, int64_t n) const;
  /// First element of a cell, as a logical index of the tensor.
  std::vector<int64_t> origin(int64_t cell) const;
};

/// What is loaded at least once by the first programs.
struct TileCount {
  enum class Form : uint8_t {
    Rows,   ///< `rows` whole rows of tiles
    Cols,   ///< `cols` whole columns
    Block,  ///< rows x cols, not adjacent perhaps
    Loose,  ///< `tiles` of them
  };
  Form form = Form::Loose;
  int64_t tiles = 0, rows = 0, cols = 0;
};
/// `by_cols`: all tiles are told as columns, not rows.
TileCount count_tiles(const TileGrid& grid, int64_t programs, bool by_cols = false);

/// All tiles under one order of the programs.
struct TileMap {
  /// Why there is nothing to draw.
  enum class Refusal : uint8_t {
    None,
    NoLoads,   ///< the kernel loads no tiles
    NoBoxes,   ///< what is loaded are no boxes of the tensor (gathers)
    Overlap,   ///< tiles that lie over one another, or are too many to draw
  };
  Refusal refusal = Refusal::None;
  std::string refused;                ///< tensor that could not be drawn; others may still be
  int64_t programs = 0;               ///< of the launch
  std::vector<int64_t> order;         ///< numbers of the programs looked at, in the order in which they are dealt
  std::vector<TileGrid> loads;
  std::optional<TileGrid> stores;     ///< of the output: the tensor whose tiles the programs divide among them
  int64_t loads_of(int64_t n) const;  ///< tiles loaded at least once by the first n programs, over all tensors
  /// A product: loads[0] stands left of the output, loads[1] above it.
  bool is_product() const;
};

/// `order`: the numbers that tiles_of was asked for. Tiles are those of any order of the same programs.
TileMap make_tile_map(const std::vector<cost::TrafficOp>& ops, const std::vector<cost::TrafficTensor>& tensors,
                      const std::vector<cost::TileUse>& tiles, std::vector<int64_t> order, int64_t programs);

/// Numbers of the programs of a grid in the order in which they are dealt; at most `most` of them.
std::vector<int64_t> dealt_order(const std::array<int64_t, 3>& grid, const cost::DealOrder& order, int64_t most);

}  // namespace tilescope::model
