// How far the programs of a launch reach into each tensor, found from their addresses alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/launch_file.h"

namespace tilescope {

/// Length of a tensor that is long enough for anything: its addresses are computed, its values are not kept.
inline constexpr int64_t kEndless = int64_t{1} << 33;

struct Module;  // core/syntax/ast.h

struct Touched {
  std::string tensor;
  int64_t low = 0, high = -1;   ///< smallest and largest element offset; high < low: none
  int64_t distinct = 0;         ///< elements touched, counted below element 2^24
  int64_t stores = 0, stored_again = 0;  ///< elements stored, over all programs; of them, those that were stored before
  int64_t row_stride = 0;       ///< elements between the rows of most of its tiles; 0: there are no rows
  bool loaded = false, stored = false, atomic = false;
  bool empty() const { return high < low; }
};

struct Reach {
  std::vector<Touched> tensors;
  std::vector<Diagnostic> errors;  ///< it cannot be compiled or prepared
  int64_t programs = 0, stopped_programs = 0;  ///< that ran; of them, stopped by a fault or the limit of steps
  bool cut_off = false;            ///< there are more programs than were run
};

/// Compiles a complete launch of this file and runs its programs' addresses: for a second of the processor, for `seconds` in
/// all, and no longer, also in the middle of a program.
Reach measure_reach(const LaunchSpec& complete, const Module& module, double seconds);

}  // namespace tilescope
