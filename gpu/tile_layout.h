// Which thread and register of a program holds which element of a tile, and how layouts change through ops that only
// move elements. All layouts are permutations of index bits, so a move that respects bits costs nothing on the GPU.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/layout.h"
#include "core/types.h"

namespace tilescope::gpu {

/// The element (row-major index) that register r of lane l of warp w holds is `flip` xor the union of the entries of
/// register_bits, lane_bits and warp_bits whose bit is set in r, l and w. Every entry is a power of two, or 0 where the
/// threads that differ in that bit hold copies. Register bits are never 0.
struct TileLayout {
  std::vector<int64_t> register_bits, lane_bits, warp_bits;
  int64_t flip = 0;

  int registers() const { return 1 << register_bits.size(); }
  /// Lane and warp bits under which threads hold copies.
  int copy_lanes() const;
  int copy_warps() const;
  bool has_copies() const { return copy_lanes() != 0 || copy_warps() != 0; }
  /// Element of a register of a thread, for tests.
  int64_t element_of(int reg, int lane, int warp) const;
  friend bool operator==(const TileLayout&, const TileLayout&) = default;
};

/// The layout of a memory access (core/layout.h) or of any blocked tile.
TileLayout from_access(const AccessLayout& l);
/// Triton's default: the last axis fastest, up to 16 bytes of neighbours in a thread.
TileLayout default_layout(const Type& tile, int num_warps);
/// The accumulator of mma.sync m16n8: warps split the longer side of what a warp has; a batch axis is in registers.
TileLayout mma_layout(const Shape& shape, int num_warps);
/// The same under wgmma: four warps take 16 rows each and all columns of their group; groups of four first divide the
/// rows. M a multiple of 64, num_warps of 4.
TileLayout wgmma_layout(const Shape& shape, int num_warps);
/// Groups of four warps along M and along N.
std::pair<int64_t, int64_t> wgmma_groups(const Shape& shape, int num_warps);

/// Two elements in two registers of every thread.
TileLayout pair_everywhere(int num_warps);

/// A layout that another one implies for a tile that holds the same elements, and where its registers come from:
/// register r of the first layout is register sum of map[i] over the set bits i of r of the second one.
struct Implied {
  TileLayout layout;
  std::vector<int64_t> map;
};

/// What the operand's layout must be for the result to have `result`: one function for each op that moves elements.
Implied before_broadcast(const TileLayout& result, const Shape& from, const Shape& to);
Implied before_trans(const TileLayout& result, const Shape& to, const std::vector<int64_t>& order);
Implied before_join(const TileLayout& result);               ///< of either operand
Implied before_cat(const TileLayout& result, int64_t half);  ///< `half`: elements of one operand
TileLayout before_split(const TileLayout& result);           ///< operand register 2r + s is register r of result s
TileLayout flipped(const TileLayout& l, const Shape& shape, int axis);
/// What is left when an axis is reduced: threads along it hold copies.
Implied without_axis(const TileLayout& operand, const Shape& shape, int axis);

/// The other direction: the layout that the result naturally has.
TileLayout after_trans(const TileLayout& operand, const Shape& from, const std::vector<int64_t>& order);
TileLayout after_join(const TileLayout& operand);
TileLayout after_cat(const TileLayout& operand, int64_t half);
std::optional<TileLayout> after_split(const TileLayout& operand);  ///< nothing when the last axis lies across threads

/// Row-major strides in elements.
std::array<int64_t, kMaxRank> row_major_strides(const Shape& s);
int log2_of(int64_t power_of_two);

}  // namespace tilescope::gpu
