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

bool IndexMap::inside_rows(const IndexRange& r) const {
  for (int a = 0; a < rank(); ++a) {
    if (!axes_.empty() && a == axes_[0]) continue;
    if (r.lo[a] < 0 || r.hi[a] > layout_->shape[static_cast<size_t>(a)]) return false;
  }
  return true;
}

IndexRange IndexMap::around(int64_t first, int64_t last) const {
  IndexRange a, b;
  split(first, a.lo.data());
  split(last, b.lo.data());
  bool differ = false;  // along an axis outside this one: then it is walked from end to end
  for (int axis : axes_) {
    const int64_t from = a.lo[axis], to = b.lo[axis];
    a.lo[axis] = differ ? 0 : std::min(from, to);
    a.hi[axis] = differ ? layout_->shape[static_cast<size_t>(axis)] : std::max(from, to) + 1;
    differ = differ || from != to;
  }
  for (int axis = 0; axis < rank(); ++axis)
    if (std::find(axes_.begin(), axes_.end(), axis) == axes_.end()) a.hi[axis] = a.lo[axis] + 1;
  return a;
}

bool TilePlace::find(const IndexMap& map, const TensorRange& tensor, const TileType& tile, uint64_t base,
                     const int64_t* strides, const Box& on) {
  rank_ = tile.rank;
  const bool some = !on.empty(tile.rank);
  constexpr int64_t kReach = int64_t{1} << 40;
  const auto elem = static_cast<int64_t>(tensor.elem_bytes);
  for (int a = 0; a < rank_; ++a) {
    lane_[a] = some ? on.lo[a] : 0;
    walks_[a] = {};
    if (tile.dims[a] == 1 || strides[a] == 0) continue;
    if (strides[a] % elem != 0 || strides[a] > kReach || strides[a] < -kReach) return false;
    walks_[a] = map.walk(strides[a] / elem);
    if (walks_[a].axis < 0) return false;
    base += static_cast<uint64_t>(strides[a]) * static_cast<uint64_t>(lane_[a]);
  }
  if (static_cast<int64_t>(base - tensor.origin) % elem != 0) return false;
  map.split(tensor.element_offset(base), first_.lo.data());
  for (int d = 0; d < map.rank(); ++d) first_.hi[d] = first_.lo[d] + 1;
  return !some || map.inside_rows(bound(on));
}

IndexRange TilePlace::bound(const Box& lanes) const {
  IndexRange r = first_;
  for (int a = 0; a < rank_; ++a) {
    const auto [axis, by] = walks_[a];
    if (axis < 0) continue;
    const int64_t from = by * (lanes.lo[a] - lane_[a]), to = by * (lanes.hi[a] - 1 - lane_[a]);
    r.lo[axis] += std::min(from, to);
    r.hi[axis] += std::max(from, to);
  }
  return r;
}

}  // namespace tilescope
