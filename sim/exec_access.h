// What loads, stores and atomics share: which lanes are active, where they are, and whether they may be touched.
#pragma once

#include "sim/access_log.h"
#include "sim/handlers.h"

namespace tilescope {

/// The lanes of one access that the mask turns on.
struct Active {
  enum class Kind : uint8_t { None, Inside, Lanes } kind = Kind::Inside;
  const Box* box = nullptr;        ///< Inside: the active lanes are exactly those of the box
  const uint8_t* lanes = nullptr;  ///< Lanes: one byte a lane
  bool all = true;                 ///< every lane
};

/// Reads operand `mask` (none when the op has fewer operands). A poisoned mask lane is a fault.
Active active_lanes(Machine& m, const Inst* i, int mask, const TileType& type);

/// An access whose active lanes form a box at evenly spaced addresses, all inside one tensor and aligned.
struct AffineAccess {
  TensorRange* range = nullptr;
  uint64_t base = 0;  ///< virtual address of lane [0, 0, ...], active or not
  const int64_t* strides = nullptr;
};
/// Null range when the pointers are not affine, or some lane may not be touched: look lane by lane then.
AffineAccess affine_access(Machine& m, const Tile& pointers, const TileType& type, const Active& active);

/// All elements under the access have been written since the tensor was uninitialised.
bool all_written(const AffineAccess& a, const TileType& type, const Box& box);
void mark_written(const AffineAccess& a, const TileType& type, const Box& box);

/// Calls fn(byte offset of the run's first lane from lane 0 in a row-major tile, address) for each innermost row.
template <class Fn>
void for_each_row(const Box& box, int rank, const int64_t* tile_strides, uint64_t base, const int64_t* strides, Fn&& fn) {
  const int last = rank - 1;
  std::array<int32_t, kMaxRank> at = box.lo;
  for (;;) {
    int64_t offset = 0;
    uint64_t address = base;
    for (int a = 0; a < rank; ++a) {
      offset += at[a] * tile_strides[a];
      address += static_cast<uint64_t>(strides[a]) * static_cast<uint64_t>(at[a]);
    }
    fn(offset, address);
    int axis = last - 1;
    for (; axis >= 0; --axis) {
      if (++at[axis] < box.hi[axis]) break;
      at[axis] = box.lo[axis];
    }
    if (axis < 0) return;
  }
}

/// One lane's place in memory, or why there is none.
struct LanePlace {
  TensorRange* range = nullptr;
  FaultKind fault = FaultKind::OutOfBounds;
};
inline LanePlace find_lane(Machine& m, uint64_t address, int bytes, TensorRange* guess) {
  TensorRange* r = guess;
  if (r == nullptr || address - r->begin >= r->end - r->begin) r = m.memory.find(address);
  if (r == nullptr || !r->holds(address, bytes)) return {nullptr, FaultKind::OutOfBounds};
  if ((address & static_cast<uint64_t>(bytes - 1)) != 0) return {nullptr, FaultKind::Misaligned};
  return {r, FaultKind::OutOfBounds};
}

/// Reports the lanes of an access that have no place: the first one, with the number of all of them. Does not return
/// when bounds are checked and there is such a lane.
void fault_at_lanes(Machine& m, const Inst* i, const uint64_t* addresses, const uint8_t* active, int64_t n, int bytes, bool masked);

/// No two lanes inside the box share a byte, as far as sorted strides can tell: false does not mean that some do.
bool lanes_are_distinct(const TileType& type, const int64_t* strides, const Box& box);
/// Lanes of a store that write one element are reported; the program goes on. `on`: null for all lanes.
void find_duplicates(Machine& m, const Inst* i, const uint64_t* addresses, const uint8_t* on, Tile& value);

/// Poisoned pointers on active lanes are a fault (unless that is not checked).
void check_pointer_poison(Machine& m, const Inst* i, const Tile& pointers, const TileType& type, const Active& active);
/// Poisoned values on active lanes are a fault when that is checked.
void check_value_poison(Machine& m, const Inst* i, const Tile& values, const TileType& type, const Active& active);

/// Addresses of all lanes, in memory that no other program writes.
const uint64_t* lane_addresses(Machine& m, const Inst* i, int operand);
/// One byte a lane for any kind of Active; `storage` keeps it alive. Null when all lanes are active.
const uint8_t* lane_flags(Machine& m, const Active& active, const TileType& type, Storage*& storage);

/// Asks for up to a page of lines behind an access: where the next program of a grid usually begins, and where the processor's
/// own prefetchers stop, at the end of a page. An address behind the tensor does no harm. `write`: 1 for stores.
template <int write> void prefetch_next(const std::byte* p, int64_t bytes) {
  // Into the second cache: asking for the first one takes the few slots that the running loop needs for its own misses.
  constexpr int64_t kLine = 64, kLines = 64;
  for (int64_t l = 0; l < kLines && l * kLine < bytes; ++l) __builtin_prefetch(p + bytes + l * kLine, write, 2);
}

/// Makes stores past the caches (exec_store.cpp) visible to other threads: at the end of a task.
void finish_streams();

/// Gives tiles that look into this tensor lanes of their own, before the tensor changes under them.
void detach_views(Machine& m, const Inst* i, int tensor);

}  // namespace tilescope
