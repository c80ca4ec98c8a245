// Stores: rows where the lanes are evenly spaced, lane by lane otherwise; and values computed straight into the tensor.
#include <cstdlib>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "sim/exec_access.h"
#include "sim/exec_tile.h"

namespace tilescope {
namespace {

constexpr int kValue = 1, kMask = 2;

// The bytes that a strided tile looks at.
void byte_extent(const Tile& t, const TileType& type, const std::byte*& lo, const std::byte*& hi) {
  lo = hi = t.data;
  for (int a = 0; a < type.rank; ++a) {
    const int64_t reach = t.stride[a] * (type.dims[a] - 1);
    (reach < 0 ? lo : hi) += reach;
  }
  hi += type.elem_bytes;
}

bool overlaps(const Tile& t, const TileType& type, const AffineAccess& a, const TileType& stored) {
  const std::byte *lo, *hi, *to_lo, *to_hi;
  byte_extent(t, type, lo, hi);
  Tile to;
  to.data = a.range->host(a.base);
  for (int x = 0; x < stored.rank; ++x) to.stride[x] = a.strides[x];
  byte_extent(to, stored, to_lo, to_hi);
  return lo < to_hi && to_lo < hi;
}

// Lane l of the tile is exactly the element that lane l of the store writes.
bool same_places(const Tile& t, const TileType& type, const AffineAccess& a, const TileType& stored) {
  if (type.elem_bytes != stored.elem_bytes || t.data != a.range->host(a.base)) return false;
  for (int x = 0; x < type.rank; ++x)
    if (type.dims[x] != 1 && t.stride[x] != a.strides[x]) return false;
  return true;
}

void store_strided(int bytes, int64_t n, std::byte* to, int64_t step, const std::byte* from, int64_t from_step) {
  for (int64_t l = 0; l < n; ++l) std::memcpy(to + l * step, from + l * from_step, static_cast<size_t>(bytes));
}

void store_rows(Machine& m, const Tile& value, const TileType& type, const AffineAccess& a, const Box& box) {
  const int last = type.rank - 1;
  const int64_t n = box.hi[last] - box.lo[last];
  const bool uniform = value.kind == TileKind::Uniform;
  constexpr int64_t kNone[kMaxRank] = {};
  const int64_t* strides = uniform ? kNone : value.stride.data();
  const auto* data = uniform ? reinterpret_cast<const std::byte*>(&value.bits) : value.data;
  const int64_t from_step = strides[last], step = a.strides[last];
  for_each_row(box, type.rank, strides, a.base, a.strides, [&](int64_t offset, uint64_t address) {
    std::byte* to = a.range->host(address);
    if (step == type.elem_bytes && from_step == type.elem_bytes)
      std::memmove(to, data + offset, static_cast<size_t>(n * type.elem_bytes));
    else if (step == type.elem_bytes && from_step == 0)
      fill(type.elem_bytes, to, n, read_bits(type.dtype, data + offset));
    else if (step == type.elem_bytes)
      copy_strided(type.elem_bytes, n, to, data + offset, from_step);
    else
      store_strided(type.elem_bytes, n, to, step, data + offset, from_step);
  });
  (void)m;
}

void finish_affine(Machine& m, const Inst* i, const AffineAccess& a, const TileType& type, const Box& box) {
  if (!a.range->written.empty()) mark_written(a, type, box);
  if (m.recorder != nullptr) m.recorder->affine(i->index, a.range->index, a.base, a.strides, box);
}

// What the lanes of the store write, for the race check. Lanes are row-major unless the tile is uniform or a view.
StoredValue stored_value(const Tile& value, const TileType& type, const Box& on) {
  if (value.kind == TileKind::Uniform) return {value.bits, true};
  return {hash_lanes(value.data, value.stride.data(), type, on), false};
}

void check_duplicates(Machine& m, const Inst* i, const AffineAccess& a, const TileType& type, const Active& active, Tile& value) {
  if (lanes_are_distinct(type, a.strides, *active.box)) return;
  // The pointers keep their form: the store goes on with it.
  Storage* addresses = m.acquire(type.elements * 8);
  write_lanes(m, m.tile(i->in[0]), m.type(i->in[0]), addresses->data);
  Storage* flags = nullptr;
  find_duplicates(m, i, reinterpret_cast<const uint64_t*>(addresses->data), lane_flags(m, active, type, flags), value);
  m.pool.release(addresses);
  if (flags != nullptr) m.pool.release(flags);
}

uint64_t hash_active(const std::byte* values, const uint8_t* on, const TileType& type) {
  if (on == nullptr) return hash_lanes(values, type.row_major.data(), type, type.whole);
  std::vector<std::byte> lanes;
  for (int64_t l = 0; l < type.elements; ++l)
    if (on[l]) lanes.insert(lanes.end(), values + l * type.elem_bytes, values + (l + 1) * type.elem_bytes);
  TileType row = type;
  row.rank = 1;
  Box all;
  all.hi[0] = static_cast<int32_t>(lanes.size() / static_cast<size_t>(type.elem_bytes));
  const int64_t stride[kMaxRank] = {type.elem_bytes};
  return hash_lanes(lanes.data(), stride, row, all);
}

void store_lanes(Machine& m, const Inst* i, const TileType& type, const Active& active) {
  Storage* flags = nullptr;
  const uint64_t* addresses = lane_addresses(m, i, 0);
  const uint8_t* on = lane_flags(m, active, type, flags);
  const int bytes = type.elem_bytes;
  fault_at_lanes(m, i, addresses, on, type.elements, bytes, i->operands > kMask);
  if (m.plan.options.check.duplicates) find_duplicates(m, i, addresses, on, m.tile(i->in[kValue]));
  if (m.recorder != nullptr) m.recorder->lanes(i->index, addresses, on, type.elements);
  const bool uniform = m.tile(i->in[kValue]).kind == TileKind::Uniform;
  const uint64_t bits = m.tile(i->in[kValue]).bits;
  const std::byte* values = private_lanes(m, m.tile(i->in[kValue]), type);
  if (m.accesses != nullptr) {
    const uint64_t value = uniform ? bits : hash_active(values, on, type);
    m.accesses->lanes(i->index, m.memory, addresses, on, type.elements, {value, uniform});
  }
  TensorRange* r = nullptr;
  for (int64_t l = 0; l < type.elements; ++l) {
    if (on != nullptr && !on[l]) continue;
    const LanePlace p = find_lane(m, addresses[l], bytes, r);
    if (p.range == nullptr) continue;  // only when bounds are not checked
    if (p.range != r) detach_views(m, i, p.range->index);
    r = p.range;
    if (r->backed) std::memcpy(r->host(addresses[l]), values + l * bytes, static_cast<size_t>(bytes));
    if (!r->written.empty()) r->mark_written(addresses[l], bytes);
  }
  if (flags != nullptr) m.pool.release(flags);
}

void check_lane_bounds(Machine& m, const Inst* i, const Tile& pointers, const TileType& type, const Active& active) {
  if (!m.plan.options.check.bounds || active.kind == Active::Kind::None || affine_access(m, pointers, type, active).range != nullptr) return;
  Storage* flags = nullptr;
  const uint64_t* addresses = lane_addresses(m, i, 0);
  const uint8_t* on = lane_flags(m, active, type, flags);
  fault_at_lanes(m, i, addresses, on, type.elements, type.elem_bytes, i->operands > kMask);
  if (flags != nullptr) m.pool.release(flags);
}

const Inst* run_store(Machine& m, const Inst* i) {
  m.current = i;
  const TileType& type = *i->type;
  m.spend(type.elements);
  Tile& pointers = m.tile(i->in[0]);
  Tile& value = m.tile(i->in[kValue]);
  const Active active = active_lanes(m, i, kMask, type);
  if (m.poisoned) [[unlikely]] {
    check_pointer_poison(m, i, pointers, type, active);
    // Lanes that lie outside the tensor are a graver fault, and often the reason why their value is undefined.
    if (any_poison(value)) check_lane_bounds(m, i, pointers, type, active);
    check_value_poison(m, i, value, type, active);
  }
  if (active.kind == Active::Kind::None) {
    if (m.recorder != nullptr) m.recorder->masked(i->index);
  } else if (const AffineAccess a = affine_access(m, pointers, type, active); a.range != nullptr) {
    if (value.kind == TileKind::Mask || value.kind == TileKind::Affine) private_lanes(m, value, type);
    if (value.kind == TileKind::Memory && value.tensor == a.range->index && overlaps(value, type, a, type) &&
        !same_places(value, type, a, type))
      private_lanes(m, value, type);
    if (m.plan.options.check.duplicates) check_duplicates(m, i, a, type, active, value);
    detach_views(m, i, a.range->index);
    if (m.accesses != nullptr && m.accesses->wants(a.range->index))
      m.accesses->affine(i->index, a.range->index, a.base, a.strides, *active.box, stored_value(value, type, *active.box));
    if (a.range->backed) store_rows(m, value, type, a, *active.box);
    finish_affine(m, i, a, type, *active.box);
  } else {
    store_lanes(m, i, type, active);
  }
  m.finish(i);
  return i + 1;
}

const Inst* run_store_scalar(Machine& m, const Inst* i) {
  m.current = i;
  const uint64_t address = m.reg(i->in[0]);
  const bool on = i->operands <= kMask || m.reg(i->in[kMask]) != 0;
  if (m.poisoned) {
    const Checkers& check = m.plan.options.check;
    if (check.addresses && i->operands > kMask && m.reg_poison(i->in[kMask])) m.fault(i, FaultKind::PoisonedUse, 0, "mask");
    if (check.addresses && on && m.reg_poison(i->in[0])) m.fault(i, FaultKind::PoisonedUse, 0, "address");
    if (check.uninitialised && on && m.reg_poison(i->in[kValue])) {
      fault_at_lanes(m, i, &address, nullptr, 1, i->type->elem_bytes, i->operands > kMask);
      m.fault(i, FaultKind::PoisonedUse, 0, "value");
    }
  }
  if (!on) {
    if (m.recorder != nullptr) m.recorder->masked(i->index);
    return i + 1;
  }
  const int bytes = i->type->elem_bytes;
  const LanePlace p = find_lane(m, address, bytes, nullptr);
  if (p.range == nullptr) {
    fault_at_lanes(m, i, &address, nullptr, 1, bytes, i->operands > kMask);
    return i + 1;
  }
  detach_views(m, i, p.range->index);
  if (p.range->backed) write_bits(bytes, p.range->host(address), m.reg(i->in[kValue]));
  if (!p.range->written.empty()) p.range->mark_written(address, bytes);
  if (m.recorder != nullptr) m.recorder->lanes(i->index, &address, nullptr, 1);
  if (m.accesses != nullptr) m.accesses->lanes(i->index, m.memory, &address, nullptr, 1, {m.reg(i->in[kValue]), true});
  return i + 1;
}

// ---- a value computed straight into the tensor -----------------------------------------------------------------------------

const Inst* run_in_two_steps(Machine& m, const Inst* i, const FusedStore& f) {
  f.producer.run(m, &f.producer);
  f.store.run(m, &f.store);
  return i + 1;
}

// Operands must not look at memory that an earlier row of the same op has already overwritten.
bool operands_stay(Machine& m, const Inst& producer, const AffineAccess& a, const TileType& stored) {
  for (int k = 0; k < producer.operands; ++k) {
    const int32_t slot = producer.in[static_cast<size_t>(k)];
    const Tile& t = m.tile(slot);
    if (t.kind != TileKind::Memory || t.tensor != a.range->index) continue;
    if (!overlaps(t, m.type(slot), a, stored)) continue;
    if (!same_places(t, m.type(slot), a, stored) || !lanes_are_distinct(stored, a.strides, stored.whole)) return false;
  }
  return true;
}

// Distinct lanes at distinct places, so that the order of writing does not show. A box of a single column has no rows:
// its lanes lie apart.
bool rows_are_contiguous(const TileType& type, const AffineAccess& a, const Box& box) {
  const int last = type.rank - 1;
  if (a.strides[last] != type.elem_bytes || box.hi[last] - box.lo[last] < 2) return false;
  for (int x = 0; x < last; ++x)
    if (type.dims[x] != 1 && a.strides[x] == 0) return false;
  return true;
}

// A tensor that no cache holds is written past the caches: a store would first read the line that it overwrites.
bool worth_streaming([[maybe_unused]] const AffineAccess& a, [[maybe_unused]] const TileType& type) {
#if defined(__SSE2__)
  constexpr uint64_t kLargerThanCaches = uint64_t{64} << 20;
  if (a.range->end - a.range->begin < kLargerThanCaches) return false;
  for (int x = 0; x < type.rank; ++x)
    if (type.dims[x] != 1 && a.strides[x] != type.row_major[x]) return false;
  const int64_t bytes = type.elements * type.elem_bytes;
  return bytes % 64 == 0 && reinterpret_cast<uintptr_t>(a.range->host(a.base)) % 16 == 0;
#else
  return false;
#endif
}

// `bytes` is a multiple of 64, `to` and `from` are at multiples of 16.
void stream_out([[maybe_unused]] std::byte* to, [[maybe_unused]] const std::byte* from, [[maybe_unused]] int64_t bytes) {
#if defined(__SSE2__)
  const auto* p = reinterpret_cast<const __m128i*>(from);
  auto* q = reinterpret_cast<__m128i*>(to);
  for (int64_t line = 0; line < bytes / 64; ++line, p += 4, q += 4)
    for (int k = 0; k < 4; ++k) _mm_stream_si128(q + k, _mm_load_si128(p + k));
#endif
}

const Inst* run_fused_store(Machine& m, const Inst* i) {
  const auto& f = *static_cast<const FusedStore*>(i->extra);
  const TileType& type = *f.store.type;
  if (m.poisoned) [[unlikely]] return run_in_two_steps(m, i, f);
  m.current = i;
  const Active active = active_lanes(m, &f.store, kMask, type);
  if (active.kind != Active::Kind::Inside) return run_in_two_steps(m, i, f);
  const AffineAccess a = affine_access(m, m.tile(f.store.in[0]), type, active);
  bool all_uniform = true;
  for (int k = 0; k < f.producer.operands; ++k)
    all_uniform = all_uniform && m.tile(f.producer.in[static_cast<size_t>(k)]).kind == TileKind::Uniform;
  if (a.range == nullptr || !a.range->backed || all_uniform || !rows_are_contiguous(type, a, *active.box) || !operands_stay(m, f.producer, a, type))
    return run_in_two_steps(m, i, f);
  if (m.accesses != nullptr || (m.plan.options.check.duplicates && !lanes_are_distinct(type, a.strides, *active.box)))
    return run_in_two_steps(m, i, f);
  settle_operands(m, &f.producer);
  detach_views(m, &f.store, a.range->index);
  if (active.all && worth_streaming(a, type)) {
    Storage* lanes = m.acquire(type.elements * type.elem_bytes);
    evaluate(m, &f.producer, lanes->data, type.row_major.data(), nullptr);
    stream_out(a.range->host(a.base), lanes->data, type.elements * type.elem_bytes);
    m.pool.release(lanes);
  } else {
    evaluate(m, &f.producer, a.range->host(a.base), a.strides, active.all ? nullptr : active.box);
    if (type.rank == 1) prefetch_next<1>(a.range->host(a.base), type.elements * type.elem_bytes);
  }
  finish_affine(m, &f.store, a, type, *active.box);
  m.finish(&f.producer);
  m.finish(&f.store);
  return i + 1;
}

}  // namespace

void finish_streams() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

bool plan_store(PlanContext&, const Op& op, Inst& inst) {
  if (op.code != OpCode::Store) return false;
  inst.run = inst.type->rank == 0 ? run_store_scalar : run_store;
  return true;
}

void plan_fused_store(PlanContext&, Inst& fused, FusedStore& parts) {
  fused.run = run_fused_store;
  // Pointer arithmetic and same-bits casts have no kernel that writes the lanes in one go.
  if (parts.producer.kernel == nullptr || parts.producer.op->code == OpCode::AddPtr) {
    fused.run = [](Machine& m, const Inst* i) { return run_in_two_steps(m, i, *static_cast<const FusedStore*>(i->extra)); };
  }
}

}  // namespace tilescope
