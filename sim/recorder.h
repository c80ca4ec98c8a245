// Counts what memory ops do. One Recorder per thread; they are merged in a fixed order when the launch is over, so that
// the report does not depend on the number of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "core/ir.h"
#include "core/trace.h"
#include "sim/memory.h"
#include "sim/tile.h"

namespace tilescope {

/// Static facts about one load, store or atomic of the plan.
struct MemoryOp {
  const Op* op = nullptr;
  OpCode code = OpCode::Load;
  TileType type;              ///< of the values accessed; rank 0 for a scalar access
  DType elem = DType::Int32;  ///< element type in memory
};

class Recorder {
 public:
  Recorder(const std::vector<MemoryOp>& ops, const Memory& memory) : ops_(ops), memory_(memory), counts_(ops.size()) {}

  void begin_program(int64_t program) { program_ = program; }

  /// The op touches the lanes inside `active`, all of them in one tensor: lane [i0, i1, ...] is at the virtual byte
  /// address base + sum(i * strides[axis]). Lanes outside are masked off.
  void affine(int op, int tensor, uint64_t base, const int64_t* strides, const Box& active);

  /// The op touches the lanes with active[i] != 0 (all when null), lane i at the virtual byte address addresses[i].
  /// Every active address lies inside some tensor. `n` is the tile's element count; lanes are row-major.
  void lanes(int op, const uint64_t* addresses, const uint8_t* active, int64_t n);

  /// The op was executed with every lane masked off.
  void masked(int op);

  /// Adds another thread's counts.
  void merge(const Recorder& other);

  /// Fills `tensors` (which has one entry per tensor of the memory, named) and `lines`.
  void report(RunTrace& trace) const;

 private:
  struct Counts {
    AccessCounters total;
    std::vector<AccessCounters> by_tensor;  ///< grown on first use of a tensor
    int64_t last_program = -1;
  };
  void count(int op, int tensor, int64_t on, int64_t off);

  const std::vector<MemoryOp>& ops_;
  const Memory& memory_;
  std::vector<Counts> counts_;
  int64_t program_ = 0;
};

}  // namespace tilescope
