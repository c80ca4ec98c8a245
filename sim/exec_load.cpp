// Loads. Evenly spaced lanes inside one tensor become a view of its memory, or row copies where a mask cuts the tile;
// all other loads look at every lane.
#include "sim/exec_access.h"

namespace tilescope {
namespace {

constexpr int kMask = 1, kOther = 2;

// Fills the lanes that no memory is read for.
void fill_other(Machine& m, const Inst* i, const TileType& type, std::byte* out) {
  if (i->operands > kOther && !(i->scalars >> kOther & 1)) {
    write_lanes(m, m.tile(i->in[kOther]), type, out);
    return;
  }
  const uint64_t bits = i->operands > kOther ? m.reg(i->in[kOther]) : 0;
  fill(type.elem_bytes, out, type.elements, bits);
}

// int1 elements in memory are any byte: what is not 0 is true.
void make_booleans(std::byte* p, int64_t n) {
  for (int64_t l = 0; l < n; ++l) p[l] = static_cast<std::byte>(p[l] != std::byte{0});
}

// Poison of the lanes for which `other` was taken: its own, or all of them when there is no `other`.
void poison_masked(Machine& m, const Inst* i, Tile& out, const TileType& type, const Active& active) {
  if (active.all) return;
  if (i->operands > kOther) {
    const Tile& other = m.tile(i->in[kOther]);
    if (!any_poison(other)) return;
    Poison p;
    p.kind = PoisonKind::Lanes;
    p.lanes = m.acquire(type.elements);
    auto* lanes = reinterpret_cast<uint8_t*>(p.lanes->data);
    write_poison(other, type, lanes);
    Storage* s = nullptr;
    const uint8_t* on = lane_flags(m, active, type, s);
    for (int64_t l = 0; l < type.elements; ++l) lanes[l] = lanes[l] && !on[l];
    if (s != nullptr) m.pool.release(s);
    set_poison(out, p);
    return;
  }
  m.poisoned = m.masked_poison = true;
  if (active.kind == Active::Kind::Lanes) {
    Poison p;
    p.kind = PoisonKind::Lanes;
    p.lanes = m.acquire(type.elements);
    for (int64_t l = 0; l < type.elements; ++l) p.lanes->data[l] = static_cast<std::byte>(active.lanes[l] == 0);
    set_poison(out, p);
    return;
  }
  out.poison = PoisonKind::Outside;
  out.clean = active.kind == Active::Kind::None ? Box{} : *active.box;
}

// A view is worth keeping when rows are contiguous or repeat one element, or when the tile is a transposed matrix.
bool keep_view(const TileType& type, const int64_t* strides) {
  const int last = type.rank - 1;
  if (strides[last] == type.elem_bytes || strides[last] == 0 || type.dims[last] == 1) return true;
  return type.rank >= 2 && strides[last - 1] == type.elem_bytes;
}

void view_memory(Tile& out, const TileType& type, const AffineAccess& a) {
  out.kind = TileKind::Memory;
  out.poison = PoisonKind::Clean;
  out.tensor = a.range->index;
  out.storage = nullptr;
  out.data = a.range->host(a.base);
  out.row_major = true;
  for (int x = 0; x < type.rank; ++x) {
    out.stride[x] = a.strides[x];
    out.row_major = out.row_major && (type.dims[x] == 1 || a.strides[x] == type.row_major[x]);
  }
  if (out.row_major) prefetch_next<0>(out.data, type.elements * type.elem_bytes);
}

void copy_rows(Machine&, const AffineAccess& a, const TileType& type, const Box& box, std::byte* out) {
  const int last = type.rank - 1;
  const int64_t n = box.hi[last] - box.lo[last];
  const int64_t step = a.strides[last];
  for_each_row(box, type.rank, type.row_major.data(), a.base, a.strides, [&](int64_t offset, uint64_t address) {
    if (step == type.elem_bytes)
      std::memcpy(out + offset, a.range->host(address), static_cast<size_t>(n * type.elem_bytes));
    else
      copy_strided(type.elem_bytes, n, out + offset, a.range->host(address), step);
  });
}

void load_affine(Machine& m, const Inst* i, Tile& out, const AffineAccess& a, const Active& active) {
  const TileType& type = *i->type;
  if (m.recorder != nullptr) m.recorder->affine(i->index, a.range->index, a.base, a.strides, *active.box);
  if (m.accesses != nullptr) m.accesses->affine(i->index, a.range->index, a.base, a.strides, *active.box);
  if (!a.range->backed) {
    if (active.all) return make_uniform(out, 0);
    fill_other(m, i, type, allocate(m, out, type));
    return poison_masked(m, i, out, type, active);
  }
  const bool boolean = type.dtype == DType::Int1;
  if (active.all && !boolean && keep_view(type, a.strides)) return view_memory(out, type, a);
  std::byte* to = allocate(m, out, type);
  if (!active.all) fill_other(m, i, type, to);
  copy_rows(m, a, type, *active.box, to);
  if (boolean) make_booleans(to, type.elements);
  poison_masked(m, i, out, type, active);
}

// Lane by lane. Sound for any address: an address is read once, checked, then used.
void load_lanes(Machine& m, const Inst* i, Tile& out, const Active& active) {
  const TileType& type = *i->type;
  Storage* flags = nullptr;
  const uint64_t* addresses = lane_addresses(m, i, 0);
  const uint8_t* on = lane_flags(m, active, type, flags);
  fault_at_lanes(m, i, addresses, on, type.elements, type.elem_bytes, i->operands > kMask);
  if (m.recorder != nullptr) m.recorder->lanes(i->index, addresses, on, type.elements);
  if (m.accesses != nullptr) m.accesses->lanes(i->index, m.memory, addresses, on, type.elements);
  std::byte* to = allocate(m, out, type);
  if (!active.all) fill_other(m, i, type, to);
  poison_masked(m, i, out, type, active);
  TensorRange* r = nullptr;
  Storage* unwritten = nullptr;
  auto mark = [&](int64_t l) {
    if (unwritten == nullptr) {
      unwritten = m.acquire(type.elements);
      write_poison(out, type, reinterpret_cast<uint8_t*>(unwritten->data));
    }
    unwritten->data[l] = std::byte{1};
  };
  for (int64_t l = 0; l < type.elements; ++l) {
    if (on != nullptr && !on[l]) continue;
    const uint64_t address = addresses[l];
    const LanePlace p = find_lane(m, address, type.elem_bytes, r);
    if (p.range == nullptr) {  // only when bounds are not checked
      write_bits(type.elem_bytes, to + l * type.elem_bytes, 0);
      mark(l);
      continue;
    }
    r = p.range;
    if (!r->backed) {
      write_bits(type.elem_bytes, to + l * type.elem_bytes, 0);
      continue;
    }
    std::memcpy(to + l * type.elem_bytes, r->host(address), static_cast<size_t>(type.elem_bytes));
    if (r->written.empty() || r->all_written(address, type.elem_bytes)) continue;
    write_bits(type.elem_bytes, to + l * type.elem_bytes, 0);
    mark(l);
  }
  if (type.dtype == DType::Int1) make_booleans(to, type.elements);
  if (flags != nullptr) m.pool.release(flags);
  if (unwritten == nullptr) return;
  m.poisoned = m.uninitialised_poison = true;
  if (out.poison_lanes != nullptr) m.pool.release(out.poison_lanes);
  out.poison = PoisonKind::Lanes;
  out.poison_lanes = unwritten;
}

const Inst* run_load(Machine& m, const Inst* i) {
  m.current = i;
  const TileType& type = *i->type;
  m.spend(type.elements);
  Tile& pointers = m.tile(i->in[0]);
  Tile& out = m.tile(i->out);
  const Active active = active_lanes(m, i, kMask, type);
  if (m.poisoned) [[unlikely]] check_pointer_poison(m, i, pointers, type, active);
  if (active.kind == Active::Kind::None) {
    if (m.recorder != nullptr) m.recorder->masked(i->index);
    fill_other(m, i, type, allocate(m, out, type));
    poison_masked(m, i, out, type, active);
  } else if (const AffineAccess a = affine_access(m, pointers, type, active);
             a.range != nullptr && (a.range->written.empty() || all_written(a, type, *active.box))) {
    load_affine(m, i, out, a, active);
  } else {
    load_lanes(m, i, out, active);
  }
  m.finish(i);
  return i + 1;
}

const Inst* run_load_scalar(Machine& m, const Inst* i) {
  const uint64_t address = m.reg(i->in[0]);
  const bool addresses = m.plan.options.check.addresses;
  const bool on = i->operands <= kMask || m.reg(i->in[kMask]) != 0;
  if (m.poisoned && addresses) {
    if (i->operands > kMask && m.reg_poison(i->in[kMask])) m.fault(i, FaultKind::PoisonedUse, 0, "mask");
    if (on && m.reg_poison(i->in[0])) m.fault(i, FaultKind::PoisonedUse, 0, "address");
  }
  const DType t = i->type->dtype;
  uint64_t bits = 0;
  uint8_t poison = 0;
  if (!on) {
    if (m.recorder != nullptr) m.recorder->masked(i->index);
    const bool other = i->operands > kOther;
    bits = other ? m.reg(i->in[kOther]) : 0;
    poison = other ? m.reg_poison(i->in[kOther]) : 1;
    m.masked_poison |= poison != 0;
  } else {
    const int bytes = i->type->elem_bytes;
    const LanePlace p = find_lane(m, address, bytes, nullptr);
    if (p.range == nullptr) {
      fault_at_lanes(m, i, &address, nullptr, 1, bytes, i->operands > kMask);
      poison = 1;
    } else {
      if (m.recorder != nullptr) m.recorder->lanes(i->index, &address, nullptr, 1);
      if (m.accesses != nullptr) m.accesses->lanes(i->index, m.memory, &address, nullptr, 1);
      if (!p.range->written.empty() && !p.range->all_written(address, bytes)) poison = m.uninitialised_poison = 1;
      else if (!p.range->backed) bits = 0;
      else if (t == DType::Int1) bits = *p.range->host(address) != std::byte{0};
      else bits = read_bits(t, p.range->host(address));
    }
  }
  if (poison) m.poisoned = true;
  m.reg(i->out) = bits;
  if (m.poisoned) m.reg_poison(i->out) = poison;
  return i + 1;
}

}  // namespace

bool plan_load(PlanContext&, const Op& op, Inst& inst) {
  if (op.code != OpCode::Load) return false;
  inst.run = inst.type->rank == 0 ? run_load_scalar : run_load;
  return true;
}

}  // namespace tilescope
