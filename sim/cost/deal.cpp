#include "sim/cost/deal.h"

#include <algorithm>

namespace tilescope::cost {

std::optional<Diagnostic> order_problem(const DealOrder& order, const std::array<int64_t, 3>& grid) {
  using Kind = DealOrder::Kind;
  if (order.kind == Kind::Kernel || order.kind == Kind::Shuffled) return std::nullopt;
  if (grid[0] < 2 || grid[1] < 2)
    return plain_error("programs can be dealt in another order only where the grid has two axes: this grid is " +
                           std::to_string(grid[0]) + " x " + std::to_string(grid[1]) + " x " + std::to_string(grid[2]),
                       "a kernel with one axis chooses the order itself, from tl.program_id(0)");
  if (order.kind == Kind::Grouped && order.group < 1) return plain_error("a group of programs has at least one row");
  return std::nullopt;
}

Dealer::Dealer(const DealOrder& order, const std::array<int64_t, 3>& grid)
    : order_(order), width_(grid[0]), height_(grid[1]), programs_(grid[0] * grid[1] * grid[2]) {
  order_.group = std::clamp<int64_t>(order.group, 1, width_);
  while (half_bits_ < 31 && (int64_t{1} << (2 * half_bits_)) < programs_) ++half_bits_;
}

int64_t Dealer::program(int64_t n) const {
  using Kind = DealOrder::Kind;
  if (order_.kind == Kind::Kernel) return n;
  if (order_.kind == Kind::Shuffled) return shuffled(n);
  // Bands of `group` places along axis 0; inside a band axis 0 runs fastest. One row a band: axis 1 runs fastest.
  int64_t plane = width_ * height_, start = n / plane * plane, in_plane = n - start;
  int64_t group = order_.kind == Kind::Grouped ? order_.group : 1;
  int64_t in_band = group * height_, first = in_plane / in_band * group, rows = std::min(width_ - first, group);
  int64_t x = first + in_plane % in_band % rows, y = in_plane % in_band / rows;
  return start + y * width_ + x;
}

/// A Feistel network over the smallest even power of two that holds the programs; values beyond them walk on.
int64_t Dealer::shuffled(int64_t n) const {
  uint64_t mask = (uint64_t{1} << half_bits_) - 1, x = static_cast<uint64_t>(n);
  do {
    uint64_t left = x >> half_bits_, right = x & mask;
    for (uint64_t round = 0; round < 4; ++round) {
      uint64_t next = left ^ (mix_bits(right ^ (round << 56) ^ mix_bits(order_.seed)) & mask);
      left = right, right = next;
    }
    x = left << half_bits_ | right;
  } while (x >= static_cast<uint64_t>(programs_));
  return static_cast<int64_t>(x);
}

}  // namespace tilescope::cost
