// What accesses cost a GPU under the thread layout of core/layout.h, and which bytes they cover. Evenly spaced accesses
// repeat: what one costs is looked up by the place within a sector, the strides and the mask.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/layout.h"
#include "sim/intervals.h"
#include "sim/tile.h"

namespace tilescope {

/// One execution of an evenly spaced access.
struct AccessCost {
  int64_t lanes = 0;  ///< that are on
  RequestCount count;
  ByteRect covers;     ///< its start is relative to the base
  int outer_rank = 0;  ///< axes along which the rectangle repeats
  std::array<int64_t, kMaxRank> outer_dims{}, outer_strides{};
};

/// Computes it from scratch.
AccessCost affine_cost(const AccessLayout& layout, const TileType& type, uint64_t base, const int64_t* strides,
                       const Box& on);

/// The costs of one op's accesses. For one thread.
class AccessCosts {
 public:
  AccessCosts(const AccessLayout& layout, const TileType& type) : layout_(layout), type_(type) {}

  /// Lane [i0, i1, ...] is at base + sum(i * strides[axis]), on inside the box. Valid until the next call.
  const AccessCost& affine(uint64_t base, const int64_t* strides, const Box& on) {
    if (last_ != nullptr && matches(*last_, base, strides, on)) return last_->cost;
    return look_up(base, strides, on);
  }

  /// Lane i is at addresses[i], aligned to its size, on where active[i] != 0 (everywhere when null).
  RequestCount lanes(const uint64_t* addresses, const uint8_t* active);

 private:
  struct Entry {
    bool used = false;
    uint32_t phase = 0;  ///< base modulo a sector
    std::array<int64_t, kMaxRank> strides{};
    Box on;
    AccessCost cost;
  };
  bool matches(const Entry& e, uint64_t base, const int64_t* strides, const Box& on) const {
    if (!e.used || e.phase != base % kSectorBytes) return false;
    for (int a = 0; a < type_.rank; ++a)
      if (e.strides[a] != strides[a] || e.on.lo[a] != on.lo[a] || e.on.hi[a] != on.hi[a]) return false;
    return true;
  }
  const AccessCost& look_up(uint64_t base, const int64_t* strides, const Box& on);
  void list_elements();
  uint64_t count_distinct(const uint64_t* sectors, size_t n);

  struct Seen {
    uint64_t sector = 0, stamp = 0;
  };
  static constexpr size_t kMostSectors = kLanesPerWarp * 16;  // of a request: at most 16 elements a lane
  static constexpr size_t kSeen = 2 * kMostSectors;           // a power of two
  static constexpr size_t kEntries = 128;                     // a power of two
  const AccessLayout& layout_;
  const TileType& type_;
  std::vector<Entry> table_;  ///< empty until the first access; a newcomer replaces what is in its place
  const Entry* last_ = nullptr;
  std::vector<uint32_t> elements_;  ///< request by request, without copies
  size_t request_elements_ = 1;
  uint64_t copies_ = 1;  ///< warps that issue the same request
  std::vector<Seen> seen_;
  uint64_t stamp_ = 0;
};

}  // namespace tilescope
