// From element offsets to logical tensor indices, also for elements past the end: how people see where a tile lies.
#pragma once

#include <cstdint>
#include <vector>

#include "core/tensor.h"

namespace tilescope {

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

  /// Every index of [lo, hi) is one of the tensor's along all axes but the outermost.
  bool inside_rows(const std::vector<int64_t>& lo, const std::vector<int64_t>& hi) const;

 private:
  const TensorLayout* layout_;
  std::vector<int> axes_;  ///< those that move, the largest stride first
  bool nested_ = true;     ///< each stride is larger than the reach of the axes after it
};

}  // namespace tilescope
