#include "lessons/working_set.h"

#include <algorithm>
#include <vector>

namespace tilescope::lessons {
namespace {

/// Marks the box in a row-major array of the shape.
void mark(const IndexBox& box, const std::vector<int64_t>& shape, size_t axis, int64_t at, std::vector<bool>& seen) {
  for (int64_t i = std::max<int64_t>(box.lo[axis], 0); i < std::min(box.hi[axis], shape[axis]); ++i) {
    const int64_t here = at * shape[axis] + i;
    if (axis + 1 == shape.size()) seen[static_cast<size_t>(here)] = true;
    else mark(box, shape, axis + 1, here, seen);
  }
}

}  // namespace

int64_t working_set(const RunTrace& totals, size_t tensor, int64_t programs) {
  const size_t tensors = totals.tensors.size();
  if (totals.footprints.empty() || tensor >= tensors) return -1;
  const std::vector<int64_t>& shape = totals.tensors[tensor].shape;
  int64_t elements = 1;
  for (int64_t d : shape) elements *= d;
  if (shape.empty() || elements == 0) return 0;
  std::vector<bool> seen(static_cast<size_t>(elements), false);
  for (int64_t p = 0; p < std::min(programs, totals.programs); ++p) {
    const IndexBox& box = totals.footprints[static_cast<size_t>(p) * tensors + tensor].loaded;
    if (box.lo.size() == shape.size()) mark(box, shape, 0, 0, seen);
  }
  return std::count(seen.begin(), seen.end(), true);
}

}  // namespace tilescope::lessons
