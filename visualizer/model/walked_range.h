// Which tile of indices an iteration of a loop walks: `ks = k + tl.arange(0, 32)` is ks 32..63 when k is 32.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "core/ir.h"

namespace tilescope::model {

/// A variable whose lanes are scale * (loop variable) + low .. scale * (loop variable) + high, one apart.
struct WalkedRange {
  std::string name;
  int64_t scale = 0, low = 0, high = 0;
};

/// By loop: the first such variable that its body computes. Loops without one are left out.
std::unordered_map<const Op*, WalkedRange> find_walked_ranges(const Function& function);

}  // namespace tilescope::model
