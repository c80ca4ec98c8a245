// From element offsets to logical tensor indices, also for elements past the end: how people see where a tile lies.
#pragma once

#include <cstdint>
#include <vector>

#include "core/tensor.h"
#include "core/trace.h"
#include "sim/memory.h"
#include "sim/tile.h"

namespace tilescope {

/// Ranges [lo, hi) of logical indices along a tensor's axes.
struct IndexRange {
  std::array<int64_t, kMaxRank> lo{}, hi{};

  IndexBox box(int rank) const { return {{lo.begin(), lo.begin() + rank}, {hi.begin(), hi.begin() + rank}}; }
};

/// For many offsets of one layout; `layout` outlives it.
class IndexMap {
 public:
  explicit IndexMap(const TensorLayout& layout);

  int rank() const { return layout_->rank(); }
  /// Writes the logical index of an element offset (relative to index 0) to out[0 .. rank()). Past either end the
  /// outermost axis (the one with the largest stride) goes on; in the gap behind a padded row, the row does.
  void split(int64_t offset, int64_t* out) const;

  /// The axis along which a step of `elements` walks, and by how many indices; -1 when there is none. The axis with the
  /// largest stride that divides the step.
  struct Walk {
    int axis = -1;
    int64_t by = 0;
  };
  Walk walk(int64_t elements) const;

  /// Every index of the range is one of the tensor's along all axes but the outermost.
  bool inside_rows(const IndexRange& r) const;

  /// Smallest range around the elements at offsets first .. last.
  IndexRange around(int64_t first, int64_t last) const;

 private:
  const TensorLayout* layout_;
  std::vector<int> axes_;  ///< those that move, the largest stride first
  bool nested_ = true;     ///< each stride is larger than the reach of the axes after it
};

/// A tile each of whose axes walks along one axis of the tensor, as in `ptr + rows[:, None] * stride + cols[None, :]`.
/// Then lanes that are off have a place too: beside the matrix instead of in its next row.
class TilePlace {
 public:
  /// Lane [i0, i1, ...] is at the virtual address base + sum(i * strides[axis]); `on` are lanes inside the tensor, or
  /// is empty. False when the axes do not walk like that, or `on` does not lie in the rows where they lead.
  bool find(const IndexMap& map, const TensorRange& tensor, const TileType& tile, uint64_t base, const int64_t* strides,
            const Box& on);
  /// Around these lanes.
  IndexRange bound(const Box& lanes) const;

 private:
  int rank_ = 0;
  std::array<int32_t, kMaxRank> lane_{};  ///< a lane that is on, and
  IndexRange first_;                      ///< its index
  std::array<IndexMap::Walk, kMaxRank> walks_{};
};

}  // namespace tilescope
