#include "sim/access_probe.h"

#include <algorithm>

#include "sim/exec_access.h"

namespace tilescope {
namespace {

// Calls fn(lane, index along the axes) for every lane, row-major.
template <class Fn>
void for_each_lane(const TileType& type, Fn&& fn) {
  std::array<int32_t, kMaxRank> at{};
  for (int64_t lane = 0; lane < type.elements; ++lane) {
    fn(lane, at);
    for (int a = type.rank - 1; a >= 0; --a) {
      if (++at[a] < type.dims[a]) break;
      at[a] = 0;
    }
  }
}

void grow(IndexBox& box, const int64_t* index, size_t rank) {
  if (box.empty()) {
    box.lo.assign(index, index + rank);
    box.hi.assign(index, index + rank);
    for (int64_t& h : box.hi) ++h;
    return;
  }
  for (size_t d = 0; d < rank; ++d) {
    box.lo[d] = std::min(box.lo[d], index[d]);
    box.hi[d] = std::max(box.hi[d], index[d] + 1);
  }
}

}  // namespace

AccessProbe::AccessProbe(Machine& m, const Inst* i) : m_(m), inst_(i), type_(*i->type), n_(type_.elements) {
  const OpCode code = i->op->code;
  reads_ = code != OpCode::Store;
  writes_ = code != OpCode::Load;
  mask_ = code == OpCode::Load ? 1 : code == OpCode::AtomicCas ? -1 : 2;
  if (mask_ >= i->operands) mask_ = -1;
  read_pointers();
  read_mask();
}

void AccessProbe::read_pointers() {
  const int32_t slot = inst_->in[0];
  if (inst_->scalars & 1) {
    affine_ = true;
    base_ = m_.reg(slot);
    if (m_.reg_poison(slot) != 0) lost_.assign(1, 1);
    return;
  }
  const Tile& t = m_.tile(slot);
  affine_ = t.kind == TileKind::Uniform || t.kind == TileKind::Affine;
  if (affine_) {
    base_ = t.bits;
    if (t.kind == TileKind::Affine) strides_ = t.stride;
  } else {
    addresses_.resize(static_cast<size_t>(n_));
    write_lanes(m_, t, m_.type(slot), reinterpret_cast<std::byte*>(addresses_.data()));
  }
  if (any_poison(t)) {
    lost_.resize(static_cast<size_t>(n_));
    write_poison(t, m_.type(slot), lost_.data());
  }
  if (!affine_ && lost_.empty()) find_affine();
}

// Pointers that were computed lane by lane may still be evenly spaced.
void AccessProbe::find_affine() {
  base_ = addresses_[0];
  int64_t lane = 1;
  for (int a = type_.rank - 1; a >= 0; lane *= type_.dims[a--])
    if (type_.dims[a] > 1) strides_[a] = static_cast<int64_t>(addresses_[static_cast<size_t>(lane)] - base_);
  affine_ = true;
  for_each_lane(type_, [&](int64_t l, const std::array<int32_t, kMaxRank>& at) {
    uint64_t address = base_;
    for (int a = 0; a < type_.rank; ++a) address += static_cast<uint64_t>(strides_[a]) * static_cast<uint64_t>(at[a]);
    affine_ = affine_ && address == addresses_[static_cast<size_t>(l)];
  });
  if (!affine_) strides_ = {};
}

void AccessProbe::read_mask() {
  box_ = type_.whole;
  on_count_ = n_;
  if (mask_ < 0) return;
  const int32_t slot = inst_->in[static_cast<size_t>(mask_)];
  bool uniform = inst_->scalars >> mask_ & 1, value = true;
  if (uniform) {
    value = m_.reg(slot) != 0;
  } else {
    const Tile& t = m_.tile(slot);
    if (t.kind == TileKind::Uniform) {
      uniform = true;
      value = t.bits != 0;
    } else if (t.kind == TileKind::Mask) {
      box_ = t.box;
      box_.intersect(type_.whole, type_.rank);
      on_count_ = box_.lanes(type_.rank);
      all_on_ = on_count_ == n_;
    } else {
      flags_.resize(static_cast<size_t>(n_));
      write_lanes(m_, t, m_.type(slot), reinterpret_cast<std::byte*>(flags_.data()));
      bound_lanes();
    }
  }
  if (uniform && !value) {
    all_on_ = false;
    on_count_ = 0;
    box_ = Box{};
  }
}

void AccessProbe::bound_lanes() {
  on_count_ = 0;
  box_ = Box{};
  for_each_lane(type_, [&](int64_t l, const std::array<int32_t, kMaxRank>& at) {
    if (flags_[static_cast<size_t>(l)] == 0) return;
    for (int a = 0; a < type_.rank; ++a) {
      box_.lo[a] = on_count_ == 0 ? at[a] : std::min(box_.lo[a], at[a]);
      box_.hi[a] = on_count_ == 0 ? at[a] + 1 : std::max(box_.hi[a], at[a] + 1);
    }
    ++on_count_;
  });
  all_on_ = on_count_ == n_;
  boxed_ = on_count_ == box_.lanes(type_.rank);
}

void AccessProbe::materialise_addresses() {
  if (!addresses_.empty()) return;
  addresses_.resize(static_cast<size_t>(n_));
  for_each_lane(type_, [&](int64_t l, const std::array<int32_t, kMaxRank>& at) {
    uint64_t address = base_;
    for (int a = 0; a < type_.rank; ++a) address += static_cast<uint64_t>(strides_[a]) * static_cast<uint64_t>(at[a]);
    addresses_[static_cast<size_t>(l)] = address;
  });
}

void AccessProbe::materialise_flags() {
  if (!flags_.empty()) return;
  flags_.assign(static_cast<size_t>(n_), all_on_);
  if (all_on_ || on_count_ == 0) return;
  for_each_lane(type_, [&](int64_t l, const std::array<int32_t, kMaxRank>& at) {
    bool inside = true;
    for (int a = 0; a < type_.rank; ++a) inside = inside && at[a] >= box_.lo[a] && at[a] < box_.hi[a];
    flags_[static_cast<size_t>(l)] = inside;
  });
}

LaneState AccessProbe::state_of(int64_t lane, TensorRange*& guess) const {
  if (!on(lane)) return LaneState::Masked;
  const uint64_t address = addresses_[static_cast<size_t>(lane)];
  const LanePlace p = lost(lane) ? LanePlace{} : find_lane(m_, address, type_.elem_bytes, guess);
  if (p.range == nullptr) return LaneState::OutOfBounds;
  guess = p.range;
  if (reads_ && !p.range->written.empty() && !p.range->all_written(address, type_.elem_bytes))
    return LaneState::Uninitialised;
  return LaneState::On;
}

AccessSummary AccessProbe::summarise(const std::vector<IndexMap>& maps, AccessCosts& costs) {
  AccessSummary s;
  s.reads = reads_;
  s.writes = writes_;
  s.on = static_cast<uint64_t>(on_count_);
  s.masked = static_cast<uint64_t>(n_ - on_count_);
  if (!summarise_affine(s)) summarise_lanes(s);
  if (s.on > 0 && s.out_of_bounds == 0) {
    RequestCount cost;
    if (affine_ && boxed_) {
      cost = costs.affine(base_, strides_.data(), box_).count;
    } else {
      materialise_addresses();
      materialise_flags();
      cost = costs.lanes(addresses_.data(), flags_.data());
    }
    s.requests = cost.requests;
    s.sectors = cost.sectors;
  }
  if (s.tensor < 0) return s;
  const IndexMap& map = maps[static_cast<size_t>(s.tensor)];
  const TensorRange& r = m_.memory.range(s.tensor);
  if (!place_boxes(s, map, r)) lane_boxes(s, map, r);
  return s;
}

// Evenly spaced lanes inside one tensor whose elements are all distinct: nothing needs to be looked at one by one.
bool AccessProbe::summarise_affine(AccessSummary& s) {
  if (!affine_ || !boxed_ || on_count_ == 0 || !lost_.empty()) return false;
  std::vector<std::pair<int64_t, int64_t>> walks;  // stride and extent, of the axes that move
  constexpr int64_t kReach = int64_t{1} << 42;
  uint64_t lo = base_, hi = base_, bits = base_;
  for (int a = 0; a < type_.rank; ++a) {
    const int64_t stride = strides_[a], extent = box_.hi[a] - box_.lo[a];
    if (stride > kReach || stride < -kReach) return false;
    const int64_t first = stride * box_.lo[a], last = stride * (box_.hi[a] - 1);
    lo += static_cast<uint64_t>(std::min(first, last));
    hi += static_cast<uint64_t>(std::max(first, last));
    bits |= static_cast<uint64_t>(stride);
    if (extent > 1) walks.push_back({std::abs(stride), extent});
  }
  if ((bits & static_cast<uint64_t>(type_.elem_bytes - 1)) != 0) return false;
  std::sort(walks.begin(), walks.end());
  int64_t reach = 0, distinct = 1;
  for (const auto& [stride, extent] : walks) {
    if (stride == 0) continue;  // one element for all lanes of the axis
    if (stride <= reach) return false;
    reach += stride * (extent - 1);
    distinct *= extent;
  }
  TensorRange* r = m_.memory.find(lo);
  if (r == nullptr || hi < lo || r->has_gaps || (reads_ && !r->written.empty())) return false;
  const uint64_t size = r->end - r->begin;
  if (lo - r->begin >= size || hi - r->begin > size - static_cast<uint64_t>(type_.elem_bytes)) return false;
  s.tensor = r->index;
  s.duplicates = static_cast<uint64_t>(on_count_ - distinct);
  return true;
}

void AccessProbe::summarise_lanes(AccessSummary& s) {
  materialise_addresses();
  materialise_flags();
  TensorRange* guess = nullptr;
  constexpr int kNone = -2;
  int owner = kNone;
  std::vector<uint64_t> places;
  for (int64_t l = 0; l < n_; ++l) {
    if (!on(l)) continue;
    const LaneState state = state_of(l, guess);
    s.out_of_bounds += state == LaneState::OutOfBounds;
    s.uninitialised += state == LaneState::Uninitialised;
    if (lost(l)) continue;
    const uint64_t address = addresses_[static_cast<size_t>(l)];
    const TensorRange* r = m_.memory.find(address);
    const int tensor = r == nullptr ? -1 : r->index;
    owner = owner == kNone || owner == tensor ? tensor : -1;
    places.push_back(address);
  }
  std::sort(places.begin(), places.end());
  s.duplicates = places.size() - static_cast<size_t>(std::unique(places.begin(), places.end()) - places.begin());
  if (owner == kNone && !lost(0)) {
    const TensorRange* r = m_.memory.find(addresses_[0]);
    owner = r == nullptr ? -1 : r->index;
  }
  s.tensor = std::max(owner, -1);
}

bool AccessProbe::place_boxes(AccessSummary& s, const IndexMap& map, const TensorRange& r) const {
  TilePlace place;
  if (!affine_ || !lost_.empty() || !place.find(map, r, type_, base_, strides_.data(), box_)) return false;
  if (on_count_ > 0) s.box = place.bound(box_).box(map.rank());
  s.whole = place.bound(type_.whole).box(map.rank());
  return true;
}

void AccessProbe::lane_boxes(AccessSummary& s, const IndexMap& map, const TensorRange& r) {
  materialise_addresses();
  const auto rank = static_cast<size_t>(map.rank());
  std::vector<int64_t> index(rank);
  for (int64_t l = 0; l < n_; ++l) {
    const uint64_t address = addresses_[static_cast<size_t>(l)];
    if (lost(l) || m_.memory.find(address) != &r) continue;
    map.split(r.element_offset(address), index.data());
    grow(s.whole, index.data(), rank);
    materialise_flags();
    if (on(l)) grow(s.box, index.data(), rank);
  }
}

AccessLanes AccessProbe::lanes() {
  materialise_addresses();
  materialise_flags();
  AccessLanes out;
  out.offsets.resize(static_cast<size_t>(n_));
  out.states.resize(static_cast<size_t>(n_));
  int owner = -2;
  TensorRange* guess = nullptr;
  for (int64_t l = 0; l < n_; ++l) {
    const auto at = static_cast<size_t>(l);
    out.states[at] = state_of(l, guess);
    const TensorRange* r = lost(l) ? nullptr : m_.memory.find(addresses_[at]);
    if (r != nullptr) out.offsets[at] = r->element_offset(addresses_[at]);
    if (lost(l) || (on_count_ > 0 && !on(l))) continue;
    const int tensor = r == nullptr ? -1 : r->index;
    owner = owner == -2 || owner == tensor ? tensor : -1;
  }
  out.tensor = std::max(owner, -1);
  return out;
}

std::vector<uint64_t> AccessProbe::held_addresses() {
  materialise_addresses();
  materialise_flags();
  std::vector<uint64_t> out;
  TensorRange* guess = nullptr;
  for (int64_t l = 0; l < n_; ++l) {
    const LaneState state = state_of(l, guess);
    if (state == LaneState::On || state == LaneState::Uninitialised) out.push_back(addresses_[static_cast<size_t>(l)]);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace tilescope
