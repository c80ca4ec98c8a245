#include "core/layout.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

namespace tilescope {
namespace {

constexpr int kMaxAccessBytes = 16;

int64_t clamp64(int64_t x, int64_t low, int64_t high) { return std::max(low, std::min(x, high)); }

std::array<int64_t, kMaxRank> row_major_strides(const Shape& s) {
  std::array<int64_t, kMaxRank> strides{};
  int64_t step = 1;
  for (int d = s.rank - 1; d >= 0; --d) {
    strides[d] = step;
    step *= s[d];
  }
  return strides;
}

/// Threads along each axis: lanes first, then warps, the fastest axis first; the slowest axis takes what is left.
struct ThreadGrid {
  std::array<int64_t, kMaxRank> lanes{}, warps{};
};
ThreadGrid spread_threads(const Shape& shape, const std::vector<int>& order, int contiguous, int num_warps) {
  ThreadGrid g;
  int64_t lanes = kLanesPerWarp, warps = num_warps, threads = lanes * warps;
  for (int i = 0; i + 1 < shape.rank; ++i) {
    const int d = order[static_cast<size_t>(i)];
    const int64_t wanted = clamp64(threads, 1, std::max<int64_t>(1, shape[d] / (i == 0 ? contiguous : 1)));
    g.lanes[d] = clamp64(wanted, 1, lanes);
    g.warps[d] = clamp64(wanted / g.lanes[d], 1, warps);
    lanes /= g.lanes[d];
    warps /= g.warps[d];
    threads /= wanted;
  }
  const int last = order[static_cast<size_t>(shape.rank - 1)];
  g.lanes[last] = lanes;
  g.warps[last] = warps;
  return g;
}

/// Deals out the index bits of each axis in the order in which they are asked for.
class BitDealer {
 public:
  explicit BitDealer(const Shape& s) : shape_(s), strides_(row_major_strides(s)) { next_.fill(1); }
  /// The bits for `count` positions along an axis; bits beyond the extent are copies.
  void deal(int axis, int64_t count, std::vector<int64_t>& bits) {
    for (; count > 1; count /= 2) {
      bits.push_back(next_[axis] < shape_[axis] ? next_[axis] * strides_[axis] : 0);
      next_[axis] *= 2;
    }
  }
  int64_t left(int axis) const { return std::max<int64_t>(1, shape_[axis] / next_[axis]); }

 private:
  const Shape& shape_;
  std::array<int64_t, kMaxRank> strides_, next_{};
};

int64_t combine(const std::vector<int64_t>& bits, unsigned index) {
  int64_t element = 0;
  for (size_t i = 0; i < bits.size(); ++i)
    if (index >> i & 1) element |= bits[i];
  return element;
}

bool sets_no_copy_bit(const std::vector<int64_t>& bits, unsigned index) {
  for (size_t i = 0; i < bits.size(); ++i)
    if ((index >> i & 1) && bits[i] == 0) return false;
  return true;
}

/// Distinct values of a small array, which is sorted in place.
uint64_t count_distinct(uint64_t* values, int n) {
  if (!std::is_sorted(values, values + n)) std::sort(values, values + n);
  return static_cast<uint64_t>(std::unique(values, values + n) - values);
}

struct Interval {
  int64_t first, last;  // sectors, inclusive
};
uint64_t count_union(std::vector<Interval>& v) {
  std::sort(v.begin(), v.end(), [](const Interval& a, const Interval& b) { return a.first < b.first; });
  uint64_t n = 0;
  int64_t beyond = std::numeric_limits<int64_t>::min();
  for (const Interval& i : v) {
    const int64_t first = std::max(i.first, beyond);
    if (i.last < first) continue;
    n += static_cast<uint64_t>(i.last - first) + 1;
    beyond = i.last + 1;
  }
  return n;
}

int64_t sector_of(int64_t byte) { return byte >> 5; }  // rounds down below zero too
static_assert(kSectorBytes == 1 << 5);

uint64_t magnitude(int64_t x) { return x < 0 ? 0 - static_cast<uint64_t>(x) : static_cast<uint64_t>(x); }

/// Counts the affine case: one row of lanes (those along the fastest axis) at a time.
class AffineCounter {
 public:
  AffineCounter(const AccessLayout& l, const AffineAddresses& a) : l_(l), a_(a) {
    fast_ = l.order.empty() ? 0 : l.order[0];
    for (int d = 0; d < kMaxRank; ++d) {
      const int64_t extent = d < l.shape.rank ? l.shape[d] : 1;
      begin_[d] = d < l.shape.rank ? clamp64(a.begin[d], 0, extent) : 0;
      end_[d] = d < l.shape.rank ? clamp64(a.end[d], 0, extent) : 1;
    }
    split_lanes();
  }

  RequestCount run() {
    RequestCount total;
    const unsigned groups = static_cast<unsigned>(l_.registers() / l_.vector_width);
    for (unsigned warp = 0; warp < static_cast<unsigned>(l_.num_warps); ++warp) {
      if (!sets_no_copy_bit(l_.warp_bits, warp)) continue;
      for (unsigned group = 0; group < groups; ++group) {
        const int64_t first = combine(l_.register_bits, group * static_cast<unsigned>(l_.vector_width)) | combine(l_.warp_bits, warp);
        const uint64_t sectors = request(first);
        total.requests += sectors != 0;
        total.sectors += sectors;
      }
    }
    const uint64_t copies = l_.all_threads ? uint64_t{1} << std::count(l_.warp_bits.begin(), l_.warp_bits.end(), 0) : 1;
    total.requests *= copies;
    total.sectors *= copies;
    return total;
  }

 private:
  /// Lane bits along the fastest axis make a row; the others choose the row.
  void split_lanes() {
    const int64_t unit = l_.shape.rank == 0 ? 1 : row_major_strides(l_.shape)[fast_];
    const int64_t extent = l_.shape.rank == 0 ? 1 : l_.shape[fast_];
    for (int64_t bit : l_.lane_bits) {
      if (bit == 0) continue;
      if (bit >= unit && bit < unit * extent) ++row_bits_;
      else rows_.push_back(bit);
    }
    // A step of lanes is the run of a thread, which lane bits follow directly.
    step_ = l_.contiguous;
  }

  uint64_t request(int64_t first) {
    intervals_.clear();
    for (unsigned row = 0; row < 1u << rows_.size(); ++row) add_row(first | combine(rows_, row));
    return intervals_.size() == 1 ? static_cast<uint64_t>(intervals_[0].last - intervals_[0].first) + 1 : count_union(intervals_);
  }

  /// Sectors of the lanes of one row whose elements are on.
  void add_row(int64_t element) {
    int64_t at[kMaxRank] = {};
    l_.coordinates(element, at);
    // Differences of addresses are small; the base enters modulo a sector, so that nothing overflows.
    int64_t address = static_cast<int64_t>(a_.base % kSectorBytes);
    for (int d = 0; d < l_.shape.rank; ++d) {
      if (d != fast_ && (at[d] < begin_[d] || at[d] >= end_[d])) return;
      if (d != fast_) address = wrapping_add(address, wrapping_mul(at[d], a_.strides[d]));
    }
    const int64_t lanes = int64_t{1} << row_bits_, width = l_.vector_width, start = l_.shape.rank == 0 ? 0 : at[fast_];
    const int64_t low = begin_[fast_], high = end_[fast_];
    if (low >= high) return;
    // The lanes whose run [start + lane * step, + width) meets [low, high).
    const int64_t first = start + width > low ? 0 : (low - start - width) / step_ + 1;
    const int64_t last = std::min(lanes - 1, start < high ? (high - 1 - start) / step_ : -1);
    if (first > last) return;
    const int64_t stride = a_.strides[fast_];
    const auto span = [&](int64_t from_lane, int64_t to_lane) {
      const int64_t from = std::max(start + from_lane * step_, low), to = std::min(start + to_lane * step_ + width, high) - 1;
      const int64_t p = wrapping_add(address, wrapping_mul(from, stride)), q = wrapping_add(address, wrapping_mul(to, stride));
      intervals_.push_back({sector_of(std::min(p, q)), sector_of(wrapping_add(std::max(p, q), l_.elem_bytes - 1))});
    };
    // Steps of at most a sector leave out no sector between the ends.
    const auto size = static_cast<uint64_t>(l_.elem_bytes);
    const bool is_dense = magnitude(stride) <= size || width == 1;
    if (is_dense && magnitude(stride) <= static_cast<uint64_t>(kSectorBytes / step_)) return span(first, last);
    for (int64_t lane = first; lane <= last; ++lane) {
      if (is_dense) {
        span(lane, lane);
        continue;
      }
      for (int64_t i = 0; i < width; ++i) add_element(start + lane * step_ + i, address);
    }
  }

  void add_element(int64_t index, int64_t address) {
    if (index < begin_[fast_] || index >= end_[fast_]) return;
    const int64_t p = wrapping_add(address, wrapping_mul(index, a_.strides[fast_]));
    intervals_.push_back({sector_of(p), sector_of(wrapping_add(p, l_.elem_bytes - 1))});
  }

  static int64_t wrapping_add(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)); }
  static int64_t wrapping_mul(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b)); }

  const AccessLayout& l_;
  const AffineAddresses& a_;
  int fast_ = 0, row_bits_ = 0;
  int64_t step_ = 1;
  std::array<int64_t, kMaxRank> begin_{}, end_{};
  std::vector<int64_t> rows_;
  std::vector<Interval> intervals_;
};

}  // namespace

int64_t AccessLayout::element_of(int reg, int lane, int warp) const {
  return combine(register_bits, static_cast<unsigned>(reg)) | combine(lane_bits, static_cast<unsigned>(lane)) |
         combine(warp_bits, static_cast<unsigned>(warp));
}

bool AccessLayout::is_first_copy(int lane, int warp) const {
  return sets_no_copy_bit(lane_bits, static_cast<unsigned>(lane)) && sets_no_copy_bit(warp_bits, static_cast<unsigned>(warp));
}

void AccessLayout::coordinates(int64_t element, int64_t* out) const {
  for (int d = shape.rank - 1; d >= 0; --d) {
    out[d] = element & (shape[d] - 1);  // extents are powers of two
    element >>= std::countr_zero(static_cast<uint64_t>(shape[d]));
  }
}

AccessLayout blocked_layout(const Type& pointers, int num_warps, std::vector<int> order, int contiguous) {
  AccessLayout l;
  l.shape = pointers.shape;
  l.elem_bytes = dtype_bytes(pointers.elem);
  l.num_warps = num_warps;
  l.order = std::move(order);
  l.contiguous = contiguous;
  l.vector_width = contiguous;
  if (l.shape.rank == 0) {
    l.contiguous = l.vector_width = 1;
    l.lane_bits.assign(5, 0);
    l.warp_bits.assign(static_cast<size_t>(std::countr_zero(static_cast<unsigned>(num_warps))), 0);
    return l;
  }
  const ThreadGrid grid = spread_threads(l.shape, l.order, contiguous, num_warps);
  BitDealer bits(l.shape);
  bits.deal(l.order[0], contiguous, l.register_bits);
  for (int d : l.order) bits.deal(d, grid.lanes[d], l.lane_bits);
  for (int d : l.order) bits.deal(d, grid.warps[d], l.warp_bits);
  for (int d : l.order) bits.deal(d, bits.left(d), l.register_bits);  // the tile is larger than the block of threads
  return l;
}

int64_t threads_along(const Shape& shape, const std::vector<int>& order, int contiguous, int num_warps, int axis) {
  const ThreadGrid grid = spread_threads(shape, order, contiguous, num_warps);
  return grid.lanes[static_cast<size_t>(axis)] * grid.warps[static_cast<size_t>(axis)];
}

AccessLayout choose_access_layout(const Function& f, const Op& op, int num_warps, const AxisAnalysis& axes) {
  const Type& pointers = f.type(op.operands[0]);
  const AxisInfo& address = axes.of(op.operands[0]);
  const int rank = pointers.shape.rank, bytes = dtype_bytes(pointers.elem);
  std::vector<int> order(static_cast<size_t>(rank));
  const auto contiguity = [&](int d) { return address.axes[static_cast<size_t>(d)].contiguity; };
  std::iota(order.rbegin(), order.rend(), 0);
  if (std::any_of(order.begin(), order.end(), [&](int d) { return contiguity(d) > 1; })) {
    std::reverse(order.begin(), order.end());  // axes of one contiguity: the first axis first, unless all of them are 1
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return contiguity(a) > contiguity(b); });
  }
  int64_t contiguous = 1;
  if (rank > 0) {
    const AxisFacts& fast = address.axes[static_cast<size_t>(order[0])];
    contiguous = std::min({fast.contiguity, std::max<int64_t>(1, fast.divisibility / bytes), int64_t{kMaxAccessBytes / bytes},
                           std::max<int64_t>(1, pointers.elements() / (int64_t{num_warps} * kLanesPerWarp)),
                           pointers.shape[order[0]]});
  }
  const int fast_axis = rank > 0 ? order[0] : 0;
  AccessLayout l = blocked_layout(pointers, num_warps, std::move(order), static_cast<int>(contiguous));
  l.all_threads = op.code == OpCode::Load;
  const size_t mask = op.code == OpCode::Load ? 1 : 2;
  const bool atomic = op.code == OpCode::AtomicRmw || op.code == OpCode::AtomicCas;
  if (atomic) l.vector_width = 1;
  else if (op.operands.size() > mask)
    l.vector_width = static_cast<int>(std::min<int64_t>(l.vector_width, axes.of(op.operands[mask]).axes[static_cast<size_t>(fast_axis)].constancy));
  return l;
}

RequestCount count_requests(const AccessLayout& l, const uint64_t* addresses, const uint8_t* mask) {
  RequestCount total;
  const int groups = l.registers() / l.vector_width;
  std::array<int64_t, kLanesPerWarp> lanes;
  for (int i = 0; i < kLanesPerWarp; ++i) lanes[static_cast<size_t>(i)] = combine(l.lane_bits, static_cast<unsigned>(i));
  uint64_t sectors[kLanesPerWarp * kMaxAccessBytes * 2];
  for (int warp = 0; warp < l.num_warps; ++warp) {
    if (!l.all_threads && !sets_no_copy_bit(l.warp_bits, static_cast<unsigned>(warp))) continue;
    for (int group = 0; group < groups; ++group) {
      int n = 0;
      const int64_t shared = l.element_of(group * l.vector_width, 0, warp);
      for (int64_t lane : lanes) {
        for (int i = 0; i < l.vector_width; ++i) {
          const auto element = static_cast<size_t>(shared | lane | l.element_of(i, 0, 0));
          if (mask != nullptr && mask[element] == 0) continue;
          sectors[n++] = addresses[element] / kSectorBytes;
          const uint64_t last = (addresses[element] + static_cast<uint64_t>(l.elem_bytes) - 1) / kSectorBytes;
          if (last != sectors[n - 1]) sectors[n++] = last;
        }
      }
      if (n == 0) continue;
      ++total.requests;
      total.sectors += count_distinct(sectors, n);
    }
  }
  return total;
}

RequestCount count_requests(const AccessLayout& layout, const AffineAddresses& access) { return AffineCounter(layout, access).run(); }

}  // namespace tilescope
