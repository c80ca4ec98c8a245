// Where a program's threads must wait for each other: before shared memory is written again, and between accesses of
// the same tensor by different threads. The IR runs op by op; the GPU's threads do not.
#pragma once

#include <cstdint>
#include <vector>

#include "core/ir.h"

namespace tilescope::gpu {

/// The pointer parameters that an address may come from, one bit each; all ones when it may be any.
using Roots = uint64_t;

class Hazards {
 public:
  explicit Hazards(const Function& f);

  Roots roots(ValueId pointer) const { return roots_[pointer]; }
  /// Some op of the kernel stores to (or updates) memory that a load through this pointer may see.
  bool may_be_written(ValueId pointer) const { return (roots_[pointer] & all_written_) != 0; }

  struct State {
    Roots loaded = 0, stored = 0;  ///< by some thread since the last barrier
    unsigned read_buffers = 0;     ///< shared buffers with reads since the last barrier
    State operator|(const State& o) const {
      return {loaded | o.loaded, stored | o.stored, read_buffers | o.read_buffers};
    }
  };
  State state;

  bool load_needs_barrier(ValueId p) const { return (state.stored & roots_[p]) != 0; }
  bool store_needs_barrier(ValueId p) const { return ((state.stored | state.loaded) & roots_[p]) != 0; }
  /// What a block of ops may leave behind: assumed at the head of a loop. Reads of shared memory: all buffers.
  State left_by(const Block& b) const;

 private:
  void analyse(const Block& b);
  bool join(ValueId to, ValueId from);

  const Function& f_;
  std::vector<Roots> roots_;
  Roots all_written_ = 0;
  bool changed_ = false;
};

}  // namespace tilescope::gpu
