// Lanes of one store that write one element: which of them wins is up to the GPU.
#include <algorithm>
#include <cstdlib>

#include "sim/exec_access.h"

namespace tilescope {
namespace {

struct Claim {
  uint64_t address = 0;
  int64_t lane = 0;
};

bool strictly_rising(const uint64_t* addresses, const uint8_t* on, int64_t n) {
  uint64_t last = 0;
  for (int64_t l = 0; l < n; ++l) {
    if (on != nullptr && !on[l]) continue;
    if (addresses[l] <= last) return false;
    last = addresses[l];
  }
  return true;
}

// Some element has two lanes: found in a bitmap where the elements lie together. True also when it cannot tell.
bool may_repeat(const uint64_t* addresses, const uint8_t* on, int64_t n, int bytes) {
  uint64_t lo = ~uint64_t{0}, hi = 0;
  for (int64_t l = 0; l < n; ++l) {
    if (on != nullptr && !on[l]) continue;
    lo = std::min(lo, addresses[l]);
    hi = std::max(hi, addresses[l]);
  }
  if (lo >= hi) return n > 1;
  const uint64_t elements = (hi - lo) / static_cast<uint64_t>(bytes) + 1;
  if (elements > static_cast<uint64_t>(n) * 64) return true;
  std::vector<uint64_t> seen(elements / 64 + 1, 0);
  for (int64_t l = 0; l < n; ++l) {
    if (on != nullptr && !on[l]) continue;
    const uint64_t e = (addresses[l] - lo) / static_cast<uint64_t>(bytes), bit = uint64_t{1} << (e % 64);
    if (seen[e / 64] & bit) return true;
    seen[e / 64] |= bit;
  }
  return false;
}

}  // namespace

bool lanes_are_distinct(const TileType& type, const int64_t* strides, const Box& box) {
  std::array<bool, kMaxRank> done{};
  int64_t reach = type.elem_bytes;  // bytes that the axes with smaller strides cover
  for (int n = 0; n < type.rank; ++n) {
    int best = -1;
    for (int x = 0; x < type.rank; ++x)
      if (!done[x] && (best < 0 || std::abs(strides[x]) < std::abs(strides[best]))) best = x;
    done[best] = true;
    const int64_t extent = box.hi[best] - box.lo[best];
    if (extent <= 1) continue;
    if (std::abs(strides[best]) < reach) return false;
    reach += std::abs(strides[best]) * (extent - 1);
  }
  return true;
}

void find_duplicates(Machine& m, const Inst* i, const uint64_t* addresses, const uint8_t* on, Tile& value) {
  const TileType& type = *i->type;
  const int64_t n = type.elements;
  const int bytes = type.elem_bytes;
  if (strictly_rising(addresses, on, n) || !may_repeat(addresses, on, n, bytes)) return;
  std::vector<Claim> claims;
  for (int64_t l = 0; l < n; ++l)
    if (on == nullptr || on[l]) claims.push_back({addresses[l], l});
  std::sort(claims.begin(), claims.end(), [](const Claim& a, const Claim& b) { return a.address != b.address ? a.address < b.address : a.lane < b.lane; });
  const std::byte* values = value.kind == TileKind::Uniform ? nullptr : row_major_lanes(m, value, type);
  RawFault f, harmless;
  f.lanes = harmless.lanes = 0;
  for (size_t c = 1; c < claims.size(); ++c) {
    const Claim &a = claims[c - 1], &b = claims[c];
    if (a.address != b.address) continue;
    const bool same = values == nullptr || std::memcmp(values + a.lane * bytes, values + b.lane * bytes, static_cast<size_t>(bytes)) == 0;
    RawFault& to = same ? harmless : f;
    if (to.lanes++ != 0 && to.lane < b.lane) continue;
    to.lane = b.lane;
    to.other_lane = a.lane;
    to.address = b.address;
  }
  RawFault& found = f.lanes != 0 ? f : harmless;
  if (found.lanes == 0) return;
  found.kind = FaultKind::DuplicateLanes;
  found.inst = i;
  found.same_value = f.lanes == 0;
  found.tile_lanes = n;
  found.first = addresses[0];
  int64_t step = 1;
  for (int a = type.rank - 1; a >= 0; step *= type.dims[a--]) {
    bool moves = type.dims[a] == 1;
    for (int64_t l = 0; l < n && !moves; ++l) moves = l / step % type.dims[a] != 0 && addresses[l] != addresses[l - step];
    if (!moves) found.still |= 1u << a;
  }
  m.find(std::move(found));
}

}  // namespace tilescope
