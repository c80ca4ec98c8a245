// Where the lanes of one load or store lie in a tensor seen as a matrix: from the element offsets that were recorded,
// so that strides, transposes, slices of batches and flattened matrices come out as the kernel really walks them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/tensor.h"
#include "core/trace.h"
#include "core/types.h"

namespace tilescope::model {

/// Lanes of a tile in one state other than On, as a rectangle of lanes (half open).
struct LanePatch {
  int64_t row = 0, row_end = 0, col = 0, col_end = 0;
  LaneState state = LaneState::Masked;
};

struct TilePlace {
  bool regular = false;  ///< the lanes are rows x columns of a matrix inside the tensor; else nothing below is set
  /// The matrix: element offset of (r, c) is base + r * row_stride + c * col_stride.
  int64_t rows = 0, cols = 0, base = 0, row_stride = 0, col_stride = 0;
  bool transposed = false;    ///< rows are a later axis of the tensor than columns
  bool runs_over = false;     ///< lanes that are on lie beyond the end of a row (or column): in memory they are in the next one
  bool column_major = false;  ///< |row_stride| < |col_stride|: a column lies together in memory
  std::vector<int64_t> row_index, col_index;  ///< of each lane row and column; outside 0 .. rows for lanes beyond the edge
};

/// `row_axis`, `col_axis`: axes of the tile that become rows and columns; lanes of its other axes are taken at 0.
TilePlace place_tile(const TensorLayout& tensor, const AccessLanes& lanes, const Shape& tile, int row_axis, int col_axis);

/// Matrix index (row, column) of an element offset, beyond the edges too.
std::array<int64_t, 2> matrix_index(const TilePlace& place, int64_t offset);

/// Index of an offset along every axis of the layout; the axis with the largest stride goes on beyond its ends.
std::vector<int64_t> extended_index(const TensorLayout& layout, int64_t offset);

/// The lanes that are not On, merged to rectangles; empty as well when there would be more than `limit`.
std::vector<LanePatch> off_patches(const AccessLanes& lanes, const Shape& tile, int row_axis, int col_axis, size_t limit = 1024);

}  // namespace tilescope::model
