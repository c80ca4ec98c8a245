#include "sim/coalesce.h"

#include <algorithm>

namespace tilescope {
namespace {

struct Axis {
  int64_t extent, stride;
};

// Axes with more than one lane that is on, strides made positive, the smallest first; `cost` gets the first address and
// how often each place repeats.
int moving_axes(const TileType& type, const int64_t* strides, const Box& on, AccessCost& cost, Axis* axes) {
  int n = 0;
  for (int a = 0; a < type.rank; ++a) {
    const int64_t extent = on.hi[a] - on.lo[a], stride = strides[a];
    const int64_t first = stride < 0 ? on.hi[a] - 1 : on.lo[a];
    cost.covers.start += static_cast<uint64_t>(first) * static_cast<uint64_t>(stride);
    if (stride == 0) cost.covers.times *= static_cast<uint64_t>(extent);
    if (stride == 0 || extent == 1) continue;
    const Axis axis{extent, stride < 0 ? -stride : stride};
    int place = n++;
    for (; place > 0 && axes[place - 1].stride > axis.stride; --place) axes[place] = axes[place - 1];
    axes[place] = axis;
  }
  return n;
}

void cover(const TileType& type, const int64_t* strides, const Box& on, AccessCost& cost) {
  Axis axes[kMaxRank];
  const int n = moving_axes(type, strides, on, cost, axes);
  ByteRect& r = cost.covers;
  r.bytes = static_cast<uint64_t>(type.elem_bytes);
  int a = 0;
  for (; a < n && static_cast<uint64_t>(axes[a].stride) == r.bytes; ++a)
    r.bytes *= static_cast<uint64_t>(axes[a].extent);
  if (a < n) {
    r.stride = static_cast<uint64_t>(axes[a].stride);
    r.rows = static_cast<uint64_t>(axes[a].extent);
    for (++a; a < n && static_cast<uint64_t>(axes[a].stride) == r.stride * r.rows; ++a)
      r.rows *= static_cast<uint64_t>(axes[a].extent);
  }
  for (; a < n; ++a) {
    cost.outer_dims[cost.outer_rank] = axes[a].extent;
    cost.outer_strides[cost.outer_rank++] = axes[a].stride;
  }
}

}  // namespace

AccessCost affine_cost(const AccessLayout& layout, const TileType& type, uint64_t base, const int64_t* strides,
                       const Box& on) {
  AccessCost cost;
  cost.lanes = on.lanes(type.rank);
  if (cost.lanes == 0) return cost;
  AffineAddresses a;
  a.base = base;
  for (int x = 0; x < type.rank; ++x) a.strides[x] = strides[x], a.begin[x] = on.lo[x], a.end[x] = on.hi[x];
  cost.count = count_requests(layout, a);
  cover(type, strides, on, cost);
  return cost;
}

const AccessCost& AccessCosts::look_up(uint64_t base, const int64_t* strides, const Box& on) {
  if (table_.empty()) table_.resize(kEntries);
  uint64_t hash = base % kSectorBytes;
  for (int a = 0; a < type_.rank; ++a) {
    hash = (hash ^ static_cast<uint64_t>(strides[a])) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ static_cast<uint64_t>(on.lo[a]) << 32 ^ static_cast<uint64_t>(on.hi[a])) * 0xbf58476d1ce4e5b9u;
    hash ^= hash >> 29;
  }
  Entry& e = table_[hash & (kEntries - 1)];
  last_ = &e;
  if (matches(e, base, strides, on)) return e.cost;
  e.used = true;
  e.phase = base % kSectorBytes;
  for (int a = 0; a < type_.rank; ++a) e.strides[a] = strides[a];
  e.on = on;
  e.cost = affine_cost(layout_, type_, base, strides, on);
  return e.cost;
}

void AccessCosts::list_elements() {
  const auto no_copy = [](const std::vector<int64_t>& bits, int index) {
    for (size_t i = 0; i < bits.size(); ++i)
      if ((index >> i & 1) && bits[i] == 0) return false;
    return true;
  };
  const int width = layout_.vector_width, groups = layout_.registers() / width;
  request_elements_ = 0;
  for (int warp = 0; warp < layout_.num_warps; ++warp) {
    if (!no_copy(layout_.warp_bits, warp)) continue;
    for (int group = 0; group < groups; ++group) {
      const size_t before = elements_.size();
      for (int lane = 0; lane < kLanesPerWarp; ++lane) {
        if (!no_copy(layout_.lane_bits, lane)) continue;
        for (int i = 0; i < width; ++i)
          elements_.push_back(static_cast<uint32_t>(layout_.element_of(group * width + i, lane, warp)));
      }
      request_elements_ = elements_.size() - before;
    }
  }
  if (layout_.all_threads) copies_ = uint64_t{1} << std::count(layout_.warp_bits.begin(), layout_.warp_bits.end(), 0);
}

// Distinct sectors of one request are counted in a table that is emptied by moving on to the next stamp.
uint64_t AccessCosts::count_distinct(const uint64_t* sectors, size_t n) {
  if (seen_.empty()) seen_.resize(kSeen);
  ++stamp_;
  uint64_t distinct = 0;
  for (size_t i = 0; i < n; ++i) {
    size_t place = sectors[i] * 0x9e3779b97f4a7c15u >> 32 & (kSeen - 1);
    while (seen_[place].stamp == stamp_ && seen_[place].sector != sectors[i]) place = (place + 1) & (kSeen - 1);
    distinct += seen_[place].stamp != stamp_;
    seen_[place] = {sectors[i], stamp_};
  }
  return distinct;
}

RequestCount AccessCosts::lanes(const uint64_t* addresses, const uint8_t* active) {
  if (elements_.empty()) list_elements();
  RequestCount total;
  uint64_t sectors[kMostSectors];
  for (size_t first = 0; first < elements_.size(); first += request_elements_) {
    size_t n = 0;
    bool rising = true;
    for (size_t i = first; i < first + request_elements_; ++i) {
      const uint32_t element = elements_[i];
      if (active != nullptr && active[element] == 0) continue;
      const uint64_t sector = addresses[element] / kSectorBytes;
      if (n != 0 && sectors[n - 1] == sector) continue;
      rising = rising && (n == 0 || sectors[n - 1] < sector);
      sectors[n++] = sector;
    }
    if (n == 0) continue;
    ++total.requests;
    total.sectors += rising ? n : count_distinct(sectors, n);
  }
  total.requests *= copies_;
  total.sectors *= copies_;
  return total;
}

}  // namespace tilescope
