// In which order the programs of a grid come to the SMs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "core/diagnostic.h"
#include "sim/cost/cost.h"

namespace tilescope::cost {

/// Why that order has no meaning for this grid; nothing when it has.
std::optional<Diagnostic> order_problem(const DealOrder& order, const std::array<int64_t, 3>& grid);

/// A permutation of the programs, computed place by place (grids of 2^31 programs are not written out).
class Dealer {
 public:
  Dealer(const DealOrder& order, const std::array<int64_t, 3>& grid);
  int64_t programs() const { return programs_; }
  /// The program dealt as the n-th, 0 <= n < programs(). Axis 0 of program numbers runs fastest.
  int64_t program(int64_t n) const;

 private:
  int64_t shuffled(int64_t n) const;

  DealOrder order_;
  int64_t width_, height_, programs_;  ///< axes 0 and 1; planes of axis 2 follow one another
  int half_bits_ = 1;
};

/// A well mixed 64-bit hash (splitmix64's finaliser).
inline uint64_t mix_bits(uint64_t x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

}  // namespace tilescope::cost
