#include "sim/exec_access.h"

#include <algorithm>
#include <vector>

namespace tilescope {

Active active_lanes(Machine& m, const Inst* i, int mask, const TileType& type) {
  Active a;
  if (i->operands <= mask) {
    a.box = &type.whole;
    return a;
  }
  const int32_t slot = i->in[static_cast<size_t>(mask)];
  Tile& t = m.tile(slot);
  if (m.poisoned && any_poison(t) && m.plan.options.check.addresses) {
    std::vector<uint8_t> poison(static_cast<size_t>(type.elements));
    write_poison(t, m.type(slot), poison.data());
    for (int64_t l = 0; l < type.elements; ++l)
      if (poison[static_cast<size_t>(l)]) m.fault(i, FaultKind::PoisonedUse, l, "mask");
  }
  switch (t.kind) {
    case TileKind::Uniform:
      a.box = &type.whole;
      if (t.bits == 0) a.kind = Active::Kind::None, a.all = false;
      return a;
    case TileKind::Mask:
      a.box = &t.box;
      a.all = t.box.contains(type.whole, type.rank);
      if (t.box.empty(type.rank)) a.kind = Active::Kind::None;
      return a;
    default:
      a.lanes = reinterpret_cast<const uint8_t*>(row_major_lanes(m, t, m.type(slot)));
      a.all = std::memchr(a.lanes, 0, static_cast<size_t>(type.elements)) == nullptr;
      a.kind = a.all ? Active::Kind::Inside : Active::Kind::Lanes;
      a.box = &type.whole;
      if (!a.all && std::memchr(a.lanes, 1, static_cast<size_t>(type.elements)) == nullptr) a.kind = Active::Kind::None;
      return a;
  }
}

namespace {

// Runs `fn(address, bytes)` over the pieces of memory under the access, until it returns false.
template <class Fn>
bool for_each_piece(const AffineAccess& a, const TileType& type, const Box& box, Fn&& fn) {
  const int last = type.rank - 1;
  const int64_t n = box.hi[last] - box.lo[last];
  const int64_t step = a.strides[last];
  bool good = true;
  for_each_row(box, type.rank, type.row_major.data(), a.base, a.strides, [&](int64_t, uint64_t address) {
    if (!good) return;
    if (step == type.elem_bytes) {
      good = fn(address, n * type.elem_bytes);
      return;
    }
    for (int64_t k = 0; k < n && good; ++k) good = fn(address + static_cast<uint64_t>(k * step), type.elem_bytes);
  });
  return good;
}

}  // namespace

AffineAccess affine_access(Machine& m, const Tile& pointers, const TileType& type, const Active& active) {
  AffineAccess out;
  if ((pointers.kind != TileKind::Affine && pointers.kind != TileKind::Uniform) || active.kind != Active::Kind::Inside) return out;
  static constexpr int64_t kNone[kMaxRank] = {};
  const int64_t* strides = pointers.kind == TileKind::Affine ? pointers.stride.data() : kNone;
  // Strides below 2^42 times 2^20 lanes stay within 64 bits.
  constexpr int64_t kReach = int64_t{1} << 42;
  uint64_t lo = pointers.bits, hi = pointers.bits, bits = pointers.bits;
  for (int a = 0; a < type.rank; ++a) {
    const int64_t s = strides[a];
    if (s == 0) continue;
    if (s > kReach || s < -kReach) return out;
    const int64_t first = s * active.box->lo[a], last = s * (active.box->hi[a] - 1);
    lo += static_cast<uint64_t>(s > 0 ? first : last);
    hi += static_cast<uint64_t>(s > 0 ? last : first);
    bits |= static_cast<uint64_t>(s);
  }
  // A single row of a box need not start at index 0: its base counts for alignment through the strides.
  if ((bits & static_cast<uint64_t>(type.elem_bytes - 1)) != 0) return out;
  TensorRange* r = m.memory.find(lo);
  if (r == nullptr || hi < lo) return out;
  const uint64_t size = r->end - r->begin;
  if (lo - r->begin >= size || hi - r->begin > size - static_cast<uint64_t>(type.elem_bytes)) return out;
  out.range = r;
  out.base = pointers.bits;
  out.strides = strides;
  if (r->has_gaps && !for_each_piece(out, type, *active.box, [&](uint64_t p, int64_t n) { return r->all_reachable(p, n); }))
    out.range = nullptr;
  return out;
}

bool all_written(const AffineAccess& a, const TileType& type, const Box& box) {
  return for_each_piece(a, type, box, [&](uint64_t address, int64_t bytes) { return a.range->all_written(address, bytes); });
}
void mark_written(const AffineAccess& a, const TileType& type, const Box& box) {
  for_each_piece(a, type, box, [&](uint64_t address, int64_t bytes) {
    a.range->mark_written(address, bytes);
    return true;
  });
}

void fault_at_lanes(Machine& m, const Inst* i, const uint64_t* addresses, const uint8_t* active, int64_t n, int bytes, bool masked) {
  if (!m.plan.options.check.bounds) return;
  RawFault f;
  f.lanes = 0;
  f.inst = i;
  f.masked = masked;
  for (int64_t l = 0; l < n; ++l) {
    if (active != nullptr && !active[l]) continue;
    const LanePlace p = find_lane(m, addresses[l], bytes, nullptr);
    if (p.range != nullptr || (f.lanes != 0 && p.fault != f.kind)) continue;
    if (f.lanes++ != 0) continue;
    f.kind = p.fault;
    f.lane = l;
    f.address = addresses[l];
  }
  if (f.lanes == 0) return;
  f.tile_lanes = n;
  f.first = addresses[0];
  int64_t step = 1;
  for (int a = i->type->rank - 1; a >= 0; step *= i->type->dims[a--]) {
    if (i->type->dims[a] > 1) f.steps[a] = static_cast<int64_t>(addresses[step] - addresses[0]);
    for (int64_t l = 0; l < n; ++l)
      if (active == nullptr || active[l]) f.on_end[a] = std::max(f.on_end[a], l / step % i->type->dims[a] + 1);
  }
  m.fault(std::move(f));
}

namespace {

void fault_at_poison(Machine& m, const Inst* i, const Tile& t, const TileType& type, const Active& active, const char* what) {
  std::vector<uint8_t> poison(static_cast<size_t>(type.elements));
  write_poison(t, type, poison.data());
  Storage* s = nullptr;
  const uint8_t* on = lane_flags(m, active, type, s);
  RawFault f;
  f.kind = FaultKind::PoisonedUse;
  f.inst = i;
  f.lanes = 0;
  f.text = what;
  for (int64_t l = type.elements; l-- > 0;) {
    if (!poison[static_cast<size_t>(l)] || (on != nullptr && !on[l])) continue;
    f.lane = l;
    ++f.lanes;
  }
  if (s != nullptr) m.pool.release(s);
  if (f.lanes != 0) m.fault(std::move(f));
}

bool box_is_clean(const Tile& t, const TileType& type, const Active& active) {
  return active.kind == Active::Kind::None ||
         (t.poison == PoisonKind::Outside && active.kind == Active::Kind::Inside && t.clean.contains(*active.box, type.rank));
}

}  // namespace

void check_pointer_poison(Machine& m, const Inst* i, const Tile& t, const TileType& type, const Active& active) {
  if (!any_poison(t) || !m.plan.options.check.addresses || box_is_clean(t, type, active)) return;
  fault_at_poison(m, i, t, type, active, "address");
}
void check_value_poison(Machine& m, const Inst* i, const Tile& t, const TileType& type, const Active& active) {
  if (!any_poison(t) || !m.plan.options.check.uninitialised || box_is_clean(t, type, active)) return;
  fault_at_poison(m, i, t, type, active, "value");
}

const uint64_t* lane_addresses(Machine& m, const Inst* i, int operand) {
  const int32_t slot = i->in[static_cast<size_t>(operand)];
  if (i->scalars >> operand & 1) return &m.reg(slot);
  return reinterpret_cast<const uint64_t*>(private_lanes(m, m.tile(slot), m.type(slot)));
}

const uint8_t* lane_flags(Machine& m, const Active& active, const TileType& type, Storage*& storage) {
  storage = nullptr;
  if (active.all) return nullptr;
  if (active.kind == Active::Kind::Lanes) return active.lanes;
  Tile t;
  t.kind = TileKind::Mask;
  if (active.box != nullptr) t.box = *active.box;
  if (active.kind == Active::Kind::None) make_uniform(t, 0);
  TileType flags = type;
  flags.elem_bytes = 1;
  flags.dtype = DType::Int1;
  for (int a = 0; a < type.rank; ++a) flags.row_major[a] = type.row_major[a] / type.elem_bytes;
  storage = m.acquire(type.elements);
  write_lanes(m, t, flags, storage->data);
  return reinterpret_cast<const uint8_t*>(storage->data);
}

void detach_views(Machine& m, const Inst* i, int tensor) {
  const auto* e = static_cast<const StoreExtra*>(i->extra);
  for (int32_t slot : e->live_tiles) {
    Tile& t = m.tile(slot);
    if (t.kind == TileKind::Memory && t.tensor == tensor) private_lanes(m, t, m.type(slot));
  }
}

}  // namespace tilescope
