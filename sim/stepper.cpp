#include "sim/stepper.h"

namespace tilescope {

uint64_t Checkpoint::bytes() const {
  uint64_t n =
      sizeof *this + registers.size() * sizeof(uint64_t) + register_poison.size() + loops.size() * sizeof(LoopState);
  for (const SavedTile& t : tiles) n += sizeof t + t.lanes.size() + t.poison.size();
  return n;
}

Checkpoint Stepper::save() {
  Checkpoint c;
  c.step = done_;
  c.next = next_;
  c.registers = machine.registers;
  c.register_poison = machine.register_poison;
  c.loops = machine.loops;
  c.poisoned = machine.poisoned;
  c.wrapped = machine.wrapped;
  c.masked_poison = machine.masked_poison;
  c.uninitialised_poison = machine.uninitialised_poison;
  for (size_t slot = 0; slot < machine.tiles.size(); ++slot) {
    const Tile& t = machine.tiles[slot];
    if (t.kind == TileKind::None) continue;
    const TileType& type = machine.plan.tiles[slot];
    Checkpoint::SavedTile saved;
    saved.slot = static_cast<int32_t>(slot);
    saved.tile = t;
    saved.tile.storage = saved.tile.poison_lanes = nullptr;
    if (t.kind == TileKind::Memory && (t.tensor < 0 || changing_[static_cast<size_t>(t.tensor)])) {
      saved.lanes.resize(static_cast<size_t>(type.elements * type.elem_bytes));
      write_lanes(machine, t, type, saved.lanes.data());
    }
    if (t.poison == PoisonKind::Lanes) {
      const std::byte* p = t.poison_lanes->data;
      saved.poison.assign(p, p + type.elements);
    }
    c.tiles.push_back(std::move(saved));
  }
  return c;
}

void Stepper::restore(const Checkpoint& c) {
  done_ = c.step;
  next_ = c.next;
  Machine& m = machine;
  m.registers = c.registers;
  m.register_poison = c.register_poison;
  m.loops = c.loops;
  m.poisoned = c.poisoned;
  m.wrapped = c.wrapped;
  m.masked_poison = c.masked_poison;
  m.uninitialised_poison = c.uninitialised_poison;
  m.faults.clear();
  m.printed.clear();
  for (Tile& t : m.tiles) t = Tile{};
  m.pool.reclaim({});
  for (const Checkpoint::SavedTile& saved : c.tiles) {
    const TileType& type = m.type(saved.slot);
    Tile& t = m.tile(saved.slot);
    if (saved.lanes.empty()) {
      t = saved.tile;
    } else {
      std::memcpy(allocate(m, t, type), saved.lanes.data(), saved.lanes.size());
      t.poison = saved.tile.poison;
      t.clean = saved.tile.clean;
    }
    if (saved.poison.empty()) continue;
    t.poison_lanes = m.acquire(type.elements);
    std::memcpy(t.poison_lanes->data, saved.poison.data(), saved.poison.size());
  }
}

}  // namespace tilescope
