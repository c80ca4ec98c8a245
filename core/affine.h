// What is known about the integers and addresses in a tile, axis by axis: Triton's axis information. The width of memory
// accesses, hence the predicted requests, and the thread layouts follow from it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/ir.h"

namespace tilescope {

/// Facts about one axis of a value. All are powers of two. A scalar has one axis of length 1. As in Triton they hold
/// provided that no sum or product wrapped and nothing was divided by zero.
struct AxisFacts {
  int64_t contiguity = 1;    ///< the axis falls apart into runs of this length, each x, x+1, x+2 ... (pointers: elements)
  int64_t divisibility = 1;  ///< divides the first value of each such run (pointers: the byte address)
  int64_t constancy = 1;     ///< the axis falls apart into runs of this length of one value
  friend bool operator==(const AxisFacts&, const AxisFacts&) = default;
};

struct AxisInfo {
  std::array<AxisFacts, kMaxRank> axes{};
  std::optional<int64_t> constant;  ///< the value, when every lane has this one (integers)
  bool non_negative = false;        ///< no lane is below zero, under the same provision
  /// The facts hold only if dividends of // and % are not negative: Triton takes that for granted, a backend that loads
  /// vectors must check it.
  bool assumes_non_negative = false;
  friend bool operator==(const AxisInfo&, const AxisInfo&) = default;
};

/// Facts about every value of a function. Linear in the number of ops (loops are walked a few times).
class AxisAnalysis {
 public:
  explicit AxisAnalysis(const Function& f);
  const AxisInfo& of(ValueId v) const { return info_[v]; }

 private:
  std::vector<AxisInfo> info_;
};

/// Largest power of two that divides x, at most 2^40 (also for 0).
int64_t power_of_two_divisor(int64_t x);

}  // namespace tilescope
