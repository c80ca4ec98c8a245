#include "sim/index_map.h"

#include <algorithm>
#include <cstdlib>

namespace tilescope {

IndexMap::IndexMap(const TensorLayout& layout) : layout_(&layout) {
  std::vector<int> rising;
  for (int a = 0; a < layout.rank(); ++a)
    if (layout.strides[static_cast<size_t>(a)] != 0) rising.push_back(a);
  auto stride = [&](int a) { return std::abs(layout.strides[static_cast<size_t>(a)]); };
  auto dim = [&](int a) { return layout.shape[static_cast<size_t>(a)]; };
  std::stable_sort(rising.begin(), rising.end(), [&](int a, int b) {
    if (stride(a) != stride(b)) return stride(a) < stride(b);
    return dim(a) != dim(b) ? dim(a) < dim(b) : a > b;
  });
  int64_t reach = 0;
  for (int a : rising) {
    if (stride(a) <= reach) {
      if (dim(a) == 1) continue;  // the stride of an axis of length 1 means nothing
      nested_ = false;
    }
    reach += stride(a) * std::max<int64_t>(dim(a) - 1, 0);
    axes_.push_back(a);
  }
  std::reverse(axes_.begin(), axes_.end());
}

void IndexMap::split(int64_t offset, int64_t* out) const {
  if (!nested_) {
    if (const auto index = layout_->index_of(offset)) {
      std::copy(index->begin(), index->end(), out);
      return;
    }
  }
  std::fill(out, out + rank(), 0);
  int64_t rest = offset - layout_->lowest();
  for (size_t k = 0; k < axes_.size(); ++k) {
    const auto a = static_cast<size_t>(axes_[k]);
    const int64_t stride = std::abs(layout_->strides[a]);
    int64_t q = rest / stride;
    if (rest % stride < 0) --q;
    rest -= q * stride;
    out[a] = layout_->strides[a] > 0 ? q : layout_->shape[a] - 1 - q;
  }
}

IndexMap::Walk IndexMap::walk(int64_t elements) const {
  for (int a : axes_) {
    const int64_t stride = layout_->strides[static_cast<size_t>(a)];
    if (elements % stride == 0) return {a, elements / stride};
  }
  return {};
}

bool IndexMap::inside_rows(const std::vector<int64_t>& lo, const std::vector<int64_t>& hi) const {
  for (int a = 0; a < rank(); ++a) {
    const auto i = static_cast<size_t>(a);
    if (!axes_.empty() && a == axes_[0]) continue;
    if (lo[i] < 0 || hi[i] > layout_->shape[i]) return false;
  }
  return true;
}

}  // namespace tilescope
