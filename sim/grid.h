// The order in which the programs of a launch run.
#pragma once

#include <cstdint>

#include "sim/run.h"

namespace tilescope {

/// A permutation of 0 .. n-1 that takes no memory: four Feistel rounds on the index's halves, repeated until the
/// result is in range.
class ProgramSequence {
 public:
  ProgramSequence(ProgramOrder order, uint64_t seed, int64_t programs);
  /// The program at a position of the execution order.
  int64_t operator[](int64_t position) const;

 private:
  ProgramOrder order_;
  uint64_t seed_;
  int64_t programs_;
  int half_bits_ = 1;
};

}  // namespace tilescope
