// The state of one thread that runs programs one after the other.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "sim/dot.h"
#include "sim/memory.h"
#include "sim/plan.h"
#include "sim/recorder.h"
#include "sim/tile.h"

namespace tilescope {

struct LoopState {
  uint64_t iteration = 0, trips = 0, value = 0, step = 0;
};

/// What is known at the moment of a fault; the message is written when the launch is over (sim/faults.cpp).
struct RawFault {
  FaultKind kind = FaultKind::OutOfBounds;
  const Inst* inst = nullptr;
  int64_t order = 0;     ///< number of the program, axis 0 fastest
  int64_t position = 0;  ///< in the order of execution
  ProgramIndex program{};
  int64_t lane = 0;
  uint64_t lanes = 1;     ///< lanes of this execution with the same fault
  uint64_t address = 0;   ///< of the lane, for faults of memory ops
  bool masked = false;    ///< the access had a mask
  bool wrapped = false;   ///< a 32-bit offset of the program wrapped before
  bool from_masked = false;         ///< masked-off lanes without `other` have made poison before
  bool from_uninitialised = false;  ///< uninitialised elements have
  int64_t tile_lanes = 1;           ///< lanes of the access
  uint64_t first = 0;               ///< address of lane 0
  std::array<int64_t, kMaxRank> on_end{};  ///< behind the last lane that is on, along each axis of the tile
  uint32_t still = 0;       ///< duplicate lanes: bit a: no lane along axis a moves
  std::array<int64_t, kMaxRank> steps{};  ///< address of the next lane along each axis, relative to lane 0
  std::string text;       ///< of an assert or limit
  int64_t other_lane = -1;     ///< duplicate lanes: the lane that wrote the element before
  bool same_value = false;     ///< duplicate lanes: all of them write the same bytes
  const Op* wrapped_op = nullptr;          ///< offset overflow: the arithmetic that wrapped first
  int64_t right_value = 0, got_value = 0;  ///< what it should have given, and gave, in its first lane that wrapped
  DType wrapped_type = DType::Int32;       ///< of that arithmetic
  uint64_t right_address = 0;              ///< of the lane, had nothing wrapped
  std::vector<LoopPosition> loops;
};

class AccessLog;

/// An op of narrow integers that did not give the mathematical result (sim/offset_shadow.h).
struct WrapWitness {
  int64_t position = -1;  ///< of the program in the order of execution
  const Op* op = nullptr;
  int64_t lane = 0, right = 0, got = 0;  ///< the first lane that differs, and both values there
};

/// Thrown to stop the running program; caught by run_program.
struct ProgramStopped {};

struct Machine {
  Machine(const Plan& plan, Memory& memory);

  const Plan& plan;
  Memory& memory;
  std::vector<uint64_t> registers;
  std::vector<uint8_t> register_poison;
  std::vector<Tile> tiles;
  std::vector<LoopState> loops;
  StoragePool pool;
  Recorder* recorder = nullptr;
  AccessLog* accesses = nullptr;  ///< for the race check; null: not wanted
  ProgramIndex program{};
  std::array<int64_t, 3> grid{1, 1, 1};
  int64_t order = 0;     ///< number of the running program, axis 0 fastest
  int64_t position = 0;  ///< in the order of execution
  uint64_t steps = 0;
  bool poisoned = false;  ///< some value of this program may be poisoned
  bool wrapped = false;   ///< a 32-bit integer of this program wrapped
  bool wrapped_in_prologue = false;
  bool masked_poison = false, uninitialised_poison = false;  ///< where its poison came from
  std::vector<RawFault> faults;
  std::vector<RawFault> findings;  ///< what was found without stopping the program
  std::vector<WrapWitness> wraps;  ///< by the witness's number
  std::vector<std::pair<int64_t, std::string>> printed;  ///< position of the program, line
  DotScratch dot_scratch;

  Tile& tile(int32_t slot) { return tiles[static_cast<size_t>(slot)]; }
  const TileType& type(int32_t slot) const { return plan.tiles[static_cast<size_t>(slot)]; }
  uint64_t& reg(int32_t r) { return registers[static_cast<size_t>(r)]; }
  uint8_t& reg_poison(int32_t r) { return register_poison[static_cast<size_t>(r)]; }

  /// Tells of work: bytes written, or as many simple things done. Now and then asks whether the run is still wanted, and
  /// throws Stopped if not.
  void spend(int64_t work) {
    if ((spent_ += work) >= kWorkBetweenLooks) [[unlikely]] look();
  }

  Storage* acquire(int64_t bytes) {
    spend(bytes);
    Storage* s = pool.acquire(bytes);
    if (s == nullptr) out_of_tile_memory();
    return s;
  }
  void release(Tile& t) {
    if (t.storage != nullptr) pool.release(t.storage), t.storage = nullptr;
    if (t.poison_lanes != nullptr) [[unlikely]] pool.release(t.poison_lanes), t.poison_lanes = nullptr;
    t.kind = TileKind::None;
    t.poison = PoisonKind::Clean;
  }
  /// Releases the tiles that an instruction uses for the last time.
  void finish(const Inst* i) {
    for (unsigned k = i->kill; k != 0; k &= k - 1) release(tile(i->in[static_cast<size_t>(__builtin_ctz(k))]));
  }
  [[noreturn]] void out_of_tile_memory();
  /// Records the fault and stops the program.
  [[noreturn]] void fault(RawFault f);
  [[noreturn]] void fault(const Inst* i, FaultKind kind, int64_t lane = 0, std::string text = {});
  /// Records a fault after which the program can go on.
  void find(RawFault f);

  /// The running iteration of loop number `loop` of the plan.
  LoopPosition loop_position(int32_t loop) const;

  /// Adds where and when it happened.
  void complete(RawFault& f) const;

  const Inst* current = nullptr;  ///< set by handlers that may fault deep inside

  static constexpr int64_t kWorkBetweenLooks = int64_t{4} << 20;  ///< about a millisecond

 private:
  void look();
  int64_t spent_ = 0;
};

/// Runs one program. False when it faulted.
bool run_program(Machine& m);

// ---- lanes --------------------------------------------------------------------------------------------------------------

/// Makes `out` own fresh, uninitialised row-major storage.
inline std::byte* allocate(Machine& m, Tile& out, const TileType& type) {
  out.storage = m.acquire(type.elements * type.elem_bytes);
  out.kind = TileKind::Memory;
  out.poison = PoisonKind::Clean;
  out.row_major = true;
  out.tensor = -1;
  out.data = out.storage->data;
  for (int i = 0; i < type.rank; ++i) out.stride[i] = type.row_major[i];
  return out.data;
}
inline void make_uniform(Tile& out, uint64_t bits) {
  out.kind = TileKind::Uniform;
  out.poison = PoisonKind::Clean;
  out.bits = bits;
}

/// Writes the tile's lanes, row-major, to `dst`. Poison is not looked at.
void write_lanes(Machine& m, const Tile& t, const TileType& type, std::byte* dst);
/// Turns the tile, whatever its form, into row-major memory of its own or of a tensor, and returns the lanes.
const std::byte* row_major_lanes(Machine& m, Tile& t, const TileType& type);
/// The same, but never in tensor memory.
std::byte* private_lanes(Machine& m, Tile& t, const TileType& type);
/// Lanes of operand k, whether scalar or tile.
const std::byte* operand_lanes(Machine& m, const Inst* i, int k);

/// A walk over a tile in row-major order, cut into runs along which every operand advances by a constant step.
struct Runs {
  int outer_rank = 0;
  std::array<int64_t, kMaxRank> outer_dims;
  std::array<int, kMaxRank> outer_axis;
  int64_t length = 1;   ///< elements of one run
  int64_t count = 1;    ///< number of runs
};
/// Longest runs for operands with these byte strides; `steps[k]` gets the byte step of operand k along a run.
Runs make_runs(int rank, const int64_t* dims, int operands, const int64_t* const* strides, int64_t* steps);

// ---- poison -------------------------------------------------------------------------------------------------------------

/// Poison of one value, detached from its tile. Owns a reference to `lanes`.
struct Poison {
  PoisonKind kind = PoisonKind::Clean;
  Box clean;
  Storage* lanes = nullptr;
};
/// Adds the poison of a tile of this shape.
void add_poison(Machine& m, Poison& p, const Tile& t, const TileType& type);
/// Every lane is poisoned.
Poison all_poisoned(const TileType& type);
/// Union of the operands' poison, for an elementwise result (select, and, or look at values).
Poison elementwise_poison(Machine& m, const Inst* i);
inline void set_poison(Tile& out, const Poison& p) {
  out.poison = p.kind;
  out.poison_lanes = p.lanes;
  if (p.kind == PoisonKind::Outside) out.clean = p.clean;
}
/// Writes one byte a lane: 1 where poisoned.
void write_poison(const Tile& t, const TileType& type, uint8_t* out);
inline bool any_poison(const Tile& t) { return t.poison != PoisonKind::Clean; }

}  // namespace tilescope
