// Counts what memory ops do: lanes, bytes, requests, sectors, and how often each element was touched. One Recorder per
// thread; they are merged when the launch is over. All counts are sums, so that the report depends neither on the
// number of threads nor on the order of the programs.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/ir.h"
#include "core/layout.h"
#include "core/trace.h"
#include "sim/coalesce.h"
#include "sim/intervals.h"
#include "sim/memory.h"
#include "sim/program_maps.h"
#include "sim/tile.h"

namespace tilescope {

/// Static facts about one load, store or atomic of the plan.
struct MemoryOp {
  const Op* op = nullptr;
  OpCode code = OpCode::Load;
  TileType type;              ///< of the values accessed; rank 0 for a scalar access
  DType elem = DType::Int32;  ///< element type in memory
  int param = -1;             ///< the parameter that its pointers come from; -1 when there may be several
  AccessLayout layout;        ///< of the GPU's threads; set when counters are recorded
};

/// Sets the layouts of all ops.
void choose_layouts(const Function& f, std::vector<MemoryOp>& ops);

/// What the recorders of one launch share.
class LaunchCounts {
 public:
  /// `arguments`: the value of each parameter; for pointers the virtual address.
  LaunchCounts(const std::vector<MemoryOp>& ops, Memory& memory, const std::vector<uint64_t>& arguments);

  const std::vector<MemoryOp>& ops() const { return ops_; }
  const Memory& memory() const { return memory_; }
  /// The tensor that op number `op` is known to access, or -1.
  int tensor_of(int op) const { return tensors_[static_cast<size_t>(op)]; }
  TouchCounts& loaded(int tensor) { return loaded_[static_cast<size_t>(tensor)]; }
  TouchCounts& written(int tensor) { return written_[static_cast<size_t>(tensor)]; }

 private:
  const std::vector<MemoryOp>& ops_;
  const Memory& memory_;
  std::vector<int> tensors_;
  std::deque<TouchCounts> loaded_, written_;
};

class Recorder {
 public:
  /// `maps`: filled as well, unless null.
  explicit Recorder(LaunchCounts& launch, ProgramMaps* maps = nullptr);

  void begin_program(int64_t program) { program_ = program; }

  /// The op touches the lanes inside `active`, all of them in one tensor: lane [i0, i1, ...] is at the virtual byte
  /// address base + sum(i * strides[axis]). Lanes outside are masked off.
  void affine(int op, int tensor, uint64_t base, const int64_t* strides, const Box& active);

  /// The op touches the lanes with active[i] != 0 (all when null), lane i at the virtual byte address addresses[i].
  /// Addresses outside all tensors (bounds are not checked) count, but belong to none. `n` is the tile's element count;
  /// lanes are row-major.
  void lanes(int op, const uint64_t* addresses, const uint8_t* active, int64_t n);

  /// The op was executed with every lane masked off.
  void masked(int op);

  /// Adds another thread's counts.
  void merge(Recorder& other);

  /// Fills `tensors` (which has one entry per tensor of the memory, named) and `lines`; `element_counts` when there are
  /// maps. Once, after all merges.
  void report(RunTrace& trace);

 private:
  /// Counters, and the last program that is in them.
  struct Tally {
    AccessCounters counters;
    int64_t last_program = -1;
    void enter(int64_t program) {
      counters.programs += last_program != program;
      last_program = program;
    }
  };
  struct OpState {
    explicit OpState(const MemoryOp& op);

    size_t kind;  ///< index into TensorState::programs
    int64_t elements;
    uint64_t times = 0;
    Tally programs;
    std::vector<Tally> by_tensor;  ///< grown on first use of a tensor
    AccessCounters rest;           ///< what belongs to no tensor
    AccessCosts costs;
    ByteRect open;  ///< covered by the latest accesses, not yet in the log
    int open_tensor = -1;
  };
  struct TensorState {
    TouchLog loaded, written;
    std::array<Tally, 3> programs;  ///< loads, stores, atomics: only the number of programs
  };

  void execute(int op);
  AccessCounters& enter(int op, int tensor);
  void count(int op, int tensor, int64_t on, int64_t off, const RequestCount& cost);
  int tensor_at(uint64_t address) const;
  void lanes_of_several(int op, const uint64_t* addresses, const uint8_t* active, int64_t n);

  [[gnu::noinline, gnu::cold]] void map_affine(int op, int tensor, uint64_t base, const int64_t* strides, const Box& active,
                                               const AccessCost& cost);
  [[gnu::noinline, gnu::cold]] void map_lanes(int tensor, int64_t on, int64_t off);
  void touch(int op, int tensor, const ByteRect& rect);
  void touch_cost(int op, int tensor, uint64_t base, const AccessCost& cost);
  void touch_runs(int op, int tensor, const uint64_t* addresses, const uint8_t* active, int64_t n);
  void close(int op);
  void report_lines(RunTrace& trace);

  LaunchCounts& launch_;
  ProgramMaps* maps_;
  std::vector<OpState> ops_;
  std::vector<TensorState> tensors_;
  int64_t program_ = 0;
};

}  // namespace tilescope
