// The checks that sim/offset_shadow.h puts beside narrow integer arithmetic and in front of accesses.
#include <algorithm>

#include "sim/exec_access.h"
#include "sim/exec_tile.h"
#include "sim/offset_shadow.h"

namespace tilescope {
namespace {

struct WitnessExtra : Extra {
  int64_t id = 0;
  const Op* op = nullptr;
  DType dtype = DType::Int32;
  bool scalar = false;
};

struct CheckExtra : Extra {
  std::vector<int64_t> slice;
  bool scalar = false;
};

bool closed(const Tile& t) { return t.kind == TileKind::Uniform || t.kind == TileKind::Affine; }

// The two are equal in every lane, as far as their forms tell.
bool equal_forms(const Tile& a, const TileType& type, const Tile& wide) {
  if (!closed(a) || !closed(wide) || a.bits != wide.bits) return false;
  for (int x = 0; x < type.rank; ++x) {
    if (type.dims[x] == 1) continue;
    const int64_t s = a.kind == TileKind::Affine ? a.stride[x] : 0, w = wide.kind == TileKind::Affine ? wide.stride[x] : 0;
    if (s != w) return false;
  }
  return type.elem_bytes == 8 || fits(type, lane_range(a, type));
}

/// Lanes of a tile without changing its form.
class Lanes64 {
 public:
  Lanes64(Machine& m, const Tile& t, const TileType& type) : m_(m), type_(type) {
    if (t.kind == TileKind::Memory && t.row_major) {
      data_ = t.data;
      return;
    }
    storage_ = m.acquire(type.elements * type.elem_bytes);
    write_lanes(m, t, type, storage_->data);
    data_ = storage_->data;
  }
  ~Lanes64() {
    if (storage_ != nullptr) m_.pool.release(storage_);
  }
  Lanes64(const Lanes64&) = delete;
  Lanes64& operator=(const Lanes64&) = delete;
  const std::byte* data() const { return data_; }
  uint64_t operator[](int64_t lane) const { return read_bits(type_.dtype, data_ + lane * type_.elem_bytes); }

 private:
  Machine& m_;
  const TileType& type_;
  Storage* storage_ = nullptr;
  const std::byte* data_ = nullptr;
};

void note_wrap(Machine& m, const WitnessExtra& e, int64_t lane, uint64_t right, uint64_t got) {
  const auto id = static_cast<size_t>(e.id);
  if (m.wraps.size() <= id) m.wraps.resize(id + 1);
  m.wraps[id] = {m.position, e.op, lane, static_cast<int64_t>(right), static_cast<int64_t>(got)};
}

const Inst* run_witness(Machine& m, const Inst* i) {
  m.current = i;
  const auto& e = *static_cast<const WitnessExtra*>(i->extra);
  if (e.scalar) {
    if (m.reg(i->in[0]) != m.reg(i->in[1])) note_wrap(m, e, 0, m.reg(i->in[1]), m.reg(i->in[0]));
    return i + 1;
  }
  const Tile &narrow = m.tile(i->in[0]), &wide = m.tile(i->in[1]);
  const TileType &type = m.type(i->in[0]), &wide_type = m.type(i->in[1]);
  if (!equal_forms(narrow, type, wide) && !any_poison(narrow)) {
    const Lanes64 a(m, narrow, type), b(m, wide, wide_type);
    for (int64_t l = 0; l < type.elements; ++l) {
      if (a[l] == b[l]) continue;
      note_wrap(m, e, l, b[l], a[l]);
      break;
    }
  }
  m.finish(i);
  return i + 1;
}

[[noreturn]] void report(Machine& m, const Inst* i, RawFault f) {
  const auto& e = *static_cast<const CheckExtra*>(i->extra);
  f.kind = FaultKind::OffsetOverflow;
  f.inst = i;
  // The first of the program's order that wrapped: what follows it is wrong because of it.
  for (int64_t id : e.slice) {
    if (static_cast<size_t>(id) >= m.wraps.size()) break;
    const WrapWitness& w = m.wraps[static_cast<size_t>(id)];
    if (w.position != m.position) continue;
    f.wrapped_op = w.op;
    f.right_value = w.right;
    f.got_value = w.got;
    f.wrapped_type = m.plan.function->type(w.op->results[0]).elem;
    break;
  }
  m.fault(std::move(f));
}

// Both move alike and start apart: every lane differs.
bool all_shifted(const Tile& a, const TileType& type, const Tile& wide) {
  Tile moved = wide;
  moved.bits = a.bits;
  return closed(a) && closed(wide) && a.bits != wide.bits && equal_forms(a, type, moved);
}

RawFault first_in_box(const Tile& a, const Tile& wide, const TileType& type, const Box& on) {
  RawFault f;
  f.tile_lanes = type.elements;
  f.lanes = static_cast<uint64_t>(on.lanes(type.rank));
  f.address = a.bits;
  f.right_address = wide.bits;
  for (int x = 0; x < type.rank; ++x) {
    f.lane = f.lane * type.dims[x] + on.lo[x];
    if (a.kind != TileKind::Affine) continue;
    const uint64_t shift = static_cast<uint64_t>(a.stride[x]) * static_cast<uint64_t>(on.lo[x]);
    f.address += shift;
    f.right_address += shift;
  }
  return f;
}

const Inst* run_check(Machine& m, const Inst* i) {
  m.current = i;
  const auto& e = *static_cast<const CheckExtra*>(i->extra);
  if (e.scalar) {
    const bool on = i->operands < 3 || m.reg(i->in[2]) != 0;
    const bool unknown = m.poisoned && m.reg_poison(i->in[0]);
    if (on && !unknown && m.reg(i->in[0]) != m.reg(i->in[1])) {
      RawFault f;
      f.address = m.reg(i->in[0]);
      f.right_address = m.reg(i->in[1]);
      report(m, i, std::move(f));
    }
    return i + 1;
  }
  const Tile &pointers = m.tile(i->in[0]), &wide = m.tile(i->in[1]);
  const TileType& type = *i->type;
  if (equal_forms(pointers, type, wide) || any_poison(pointers)) {
    m.finish(i);
    return i + 1;
  }
  if (all_shifted(pointers, type, wide)) {
    const Active active = active_lanes(m, i, 2, type);
    if (active.kind == Active::Kind::Inside && !active.box->empty(type.rank)) report(m, i, first_in_box(pointers, wide, type, *active.box));
  }
  {
    const Lanes64 a(m, pointers, m.type(i->in[0])), b(m, wide, m.type(i->in[1]));
    if (std::memcmp(a.data(), b.data(), static_cast<size_t>(type.elements) * 8) != 0) {
      Storage* flags = nullptr;
      const Active active = active_lanes(m, i, 2, type);
      const uint8_t* on = lane_flags(m, active, type, flags);
      RawFault f;
      f.lanes = 0;
      f.tile_lanes = type.elements;
      for (int64_t l = type.elements; l-- > 0;) {
        if (a[l] == b[l] || (on != nullptr && !on[l])) continue;
        ++f.lanes;
        f.lane = l;
        f.address = a[l];
        f.right_address = b[l];
      }
      if (flags != nullptr) m.pool.release(flags);
      if (f.lanes != 0) report(m, i, std::move(f));
    }
  }
  m.finish(i);
  return i + 1;
}

}  // namespace

bool plan_overflow(PlanContext& c, const Op& op, Inst& inst) {
  const bool scalar = c.type(op.operands[0]).is_scalar();
  inst.type = c.tile_type_of(op.operands[0]);
  if (op.str_attr(kOverflowAttr) == "check") {
    auto* e = c.extra<CheckExtra>();
    e->slice = op.ints_attr("slice");
    e->scalar = scalar;
    inst.extra = e;
    inst.run = run_check;
    return true;
  }
  auto* e = c.extra<WitnessExtra>();
  e->id = op.int_attr("id");
  e->scalar = scalar;
  e->op = nullptr;
  walk(c.fn.body, [&](const Op& o) {
    if (o.results.size() == 1 && o.results[0] == op.operands[0]) e->op = &o;
  });
  inst.extra = e;
  inst.run = run_witness;
  return true;
}

}  // namespace tilescope
