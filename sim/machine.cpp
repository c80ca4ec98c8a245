#include "sim/machine.h"

#include <algorithm>

#include "core/stop.h"
#include "sim/words.h"

namespace tilescope {
namespace {

void fill_mask(const Tile& t, const TileType& type, std::byte* dst) {
  if (type.rank == 0) {
    *dst = std::byte{1};
    return;
  }
  std::memset(dst, 0, static_cast<size_t>(type.elements));
  if (t.box.empty(type.rank)) return;
  const int last = type.rank - 1;
  std::array<int32_t, kMaxRank> at = t.box.lo;
  const auto run = static_cast<size_t>(t.box.hi[last] - t.box.lo[last]);
  for (;;) {
    int64_t offset = t.box.lo[last];
    for (int i = 0; i < last; ++i) offset += at[i] * type.row_major[i];
    std::memset(dst + offset, 1, run);
    int axis = last - 1;
    for (; axis >= 0; --axis) {
      if (++at[axis] < t.box.hi[axis]) break;
      at[axis] = t.box.lo[axis];
    }
    if (axis < 0) return;
  }
}

// After a program that was stopped half way. Tiles of the prologue stay: they belong to every program of the thread.
void drop_tiles(Machine& m) {
  std::vector<Tile*> kept;
  std::vector<bool> keep(m.tiles.size(), false);
  for (const Inst& i : m.plan.prologue) {
    if (i.op == nullptr) continue;
    for (ValueId r : i.op->results) {
      const Slot s = m.plan.slots[r];
      if (s.scalar) continue;
      keep[static_cast<size_t>(s.index)] = true;
      kept.push_back(&m.tile(s.index));
    }
  }
  for (size_t t = 0; t < m.tiles.size(); ++t)
    if (!keep[t]) m.tiles[t] = Tile{};
  m.pool.reclaim(kept);
}

Shape shape_of(const TileType& type) {
  Shape s;
  for (int i = 0; i < type.rank; ++i) s.push_back(type.dims[i]);
  return s;
}

}  // namespace

Machine::Machine(const Plan& p, Memory& mem)
    : plan(p),
      memory(mem),
      registers(static_cast<size_t>(p.registers), 0),
      register_poison(static_cast<size_t>(p.registers), 0),
      tiles(p.tiles.size()),
      loops(p.loops.size()) {}

void Machine::look() {
  spent_ = 0;
  stop_if_asked();
}

void Machine::out_of_tile_memory() {
  RawFault f;
  f.kind = FaultKind::Limit;
  f.inst = current;
  f.text = remember(say(SimWords::TooManyTiles));
  fault(std::move(f));
}

LoopPosition Machine::loop_position(int32_t loop) const {
  const LoopInfo& info = plan.loops[static_cast<size_t>(loop)];
  const LoopState& state = loops[static_cast<size_t>(loop)];
  LoopPosition p;
  p.line = info.op->loc ? info.op->loc->range.line : 0;
  p.value = static_cast<int64_t>(state.value);
  p.iteration = static_cast<int64_t>(state.iteration);
  if (info.op->code == OpCode::For) p.variable = plan.function->values[info.op->regions[0].args[0]].name;
  return p;
}

void Machine::find(RawFault f) {
  for (RawFault& old : findings) {
    if (old.inst != f.inst || old.kind != f.kind) continue;
    const uint64_t lanes = old.lanes + f.lanes;
    if (old.same_value && !f.same_value) {
      complete(f);
      old = std::move(f);
    }
    old.lanes = lanes;
    return;
  }
  complete(f);
  findings.push_back(std::move(f));
}

void Machine::complete(RawFault& f) const {
  f.order = order;
  f.program = program;
  f.position = position;
  f.wrapped = wrapped;
  f.from_masked = masked_poison;
  f.from_uninitialised = uninitialised_poison;
  if (f.inst != nullptr) {
    for (int32_t l = f.inst->loop; l >= 0; l = plan.loops[static_cast<size_t>(l)].parent) f.loops.insert(f.loops.begin(), loop_position(l));
  }
}

void Machine::fault(RawFault f) {
  complete(f);
  faults.push_back(std::move(f));
  throw ProgramStopped{};
}

void Machine::fault(const Inst* i, FaultKind kind, int64_t lane, std::string text) {
  RawFault f;
  f.kind = kind;
  f.inst = i;
  f.lane = lane;
  f.text = std::move(text);
  fault(std::move(f));
}

bool run_program(Machine& m) {
  if (m.poisoned) std::fill(m.register_poison.begin(), m.register_poison.end(), uint8_t{0});
  m.poisoned = false;
  m.wrapped = m.wrapped_in_prologue;
  m.masked_poison = m.uninitialised_poison = false;
  m.findings.clear();
  m.steps = 0;
  try {
    for (const Inst* i = m.plan.code.data(); i != nullptr;) i = i->run(m, i);
    return true;
  } catch (const ProgramStopped&) {
    drop_tiles(m);
    return false;
  }
}

void write_lanes(Machine&, const Tile& t, const TileType& type, std::byte* dst) {
  switch (t.kind) {
    case TileKind::Uniform:
      fill(type.elem_bytes, dst, type.elements, t.bits);
      return;
    case TileKind::Affine:
      fill_affine(type.dtype, dst, shape_of(type), static_cast<int64_t>(t.bits), t.stride.data());
      return;
    case TileKind::Mask:
      fill_mask(t, type, dst);
      return;
    case TileKind::Memory:
      if (t.row_major)
        std::memcpy(dst, t.data, static_cast<size_t>(type.elements * type.elem_bytes));
      else
        copy_tile(type.elem_bytes, shape_of(type), dst, t.data, t.stride.data());
      return;
    case TileKind::None:
      internal_error("a tile is used before it is computed");
  }
}

std::byte* private_lanes(Machine& m, Tile& t, const TileType& type) {
  if (t.kind == TileKind::Memory && t.row_major && t.tensor < 0) return t.data;
  Storage* fresh = m.acquire(type.elements * type.elem_bytes);
  write_lanes(m, t, type, fresh->data);
  if (t.storage != nullptr) m.pool.release(t.storage);
  t.storage = fresh;
  t.kind = TileKind::Memory;
  t.row_major = true;
  t.tensor = -1;
  t.data = fresh->data;
  for (int i = 0; i < type.rank; ++i) t.stride[i] = type.row_major[i];
  return t.data;
}

const std::byte* row_major_lanes(Machine& m, Tile& t, const TileType& type) {
  if (t.kind == TileKind::Memory && t.row_major) return t.data;
  return private_lanes(m, t, type);
}

const std::byte* operand_lanes(Machine& m, const Inst* i, int k) {
  const int32_t slot = i->in[static_cast<size_t>(k)];
  if (i->scalars >> k & 1) return reinterpret_cast<const std::byte*>(&m.reg(slot));
  return row_major_lanes(m, m.tile(slot), m.type(slot));
}

Runs make_runs(int rank, const int64_t* dims, int operands, const int64_t* const* strides, int64_t* steps) {
  Runs r;
  int axis = rank - 1;
  while (axis >= 0 && dims[axis] == 1) --axis;
  for (int k = 0; k < operands; ++k) steps[k] = axis >= 0 ? strides[k][axis] : 0;
  if (axis < 0) return r;
  r.length = dims[axis];
  for (--axis; axis >= 0; --axis) {
    if (dims[axis] == 1) continue;
    bool merges = true;
    for (int k = 0; k < operands; ++k) merges = merges && strides[k][axis] == steps[k] * r.length;
    if (!merges) break;
    r.length *= dims[axis];
  }
  for (int a = 0; a <= axis; ++a) {
    if (dims[a] == 1) continue;
    r.outer_dims[r.outer_rank] = dims[a];
    r.outer_axis[r.outer_rank++] = a;
    r.count *= dims[a];
  }
  return r;
}

}  // namespace tilescope
