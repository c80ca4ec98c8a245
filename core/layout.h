// Which warp, lane and register of a thread holds which element of a memory op's tile, and what the op's accesses cost:
// warp-wide requests and 32-byte sectors. The simulator predicts with this what the GPU backend emits; it is also
// Triton's blocked layout (its "coalesce" pass and BlockedEncodingAttr).
#pragma once

#include <cstdint>
#include <vector>

#include "core/affine.h"
#include "core/ir.h"

namespace tilescope {

inline constexpr int kLanesPerWarp = 32;
inline constexpr int kSectorBytes = 32;

/// A linear layout over index bits: each bit of (register, lane, warp) contributes one bit of the element's row-major
/// index, or none when the tile is smaller than the thread block (several threads then hold one element).
struct AccessLayout {
  Shape shape;                          ///< of the tile; rank 0 for a scalar
  int elem_bytes = 4;
  int num_warps = 4;
  std::vector<int> order;               ///< axes, the fastest first
  int contiguous = 1;                   ///< neighbouring elements along order[0] in one thread
  int vector_width = 1;                 ///< of them, elements that one instruction of a thread accesses
  bool all_threads = false;             ///< loads: threads that hold a copy access memory too; else only the first does
  std::vector<int64_t> register_bits, lane_bits, warp_bits;  ///< element index of each bit alone; 0: a copy

  int registers() const { return 1 << register_bits.size(); }
  /// Row-major index of the element; every thread holds registers() of them.
  int64_t element_of(int reg, int lane, int warp) const;
  /// True when the lane and the warp are the first that hold their elements.
  bool is_first_copy(int lane, int warp) const;
  /// Element index along the tile's axes.
  void coordinates(int64_t element, int64_t* out) const;
};

/// Triton's default blocked layout with `contiguous` elements of order[0] in a thread.
AccessLayout blocked_layout(const Type& pointers, int num_warps, std::vector<int> order, int contiguous);

/// Threads (lanes times warps) along an axis of that layout, those that hold copies too.
int64_t threads_along(const Shape& shape, const std::vector<int>& order, int contiguous, int num_warps, int axis);

/// The layout of a load, store or atomic: axes ordered by contiguity of the addresses; elements per thread = min(16 bytes,
/// what contiguity and divisibility of the addresses allow, elements / threads); the access width is further cut by the
/// runs of equal values in the mask. Atomics access one element at a time.
AccessLayout choose_access_layout(const Function& f, const Op& op, int num_warps, const AxisAnalysis& axes);

/// What one execution of an access costs. A warp instruction without an active lane issues nothing; sectors are distinct
/// 32-byte sectors within a request, summed over requests.
struct RequestCount {
  uint64_t requests = 0, sectors = 0;
  friend bool operator==(const RequestCount&, const RequestCount&) = default;
};

/// From the byte address of every element (row-major) and its mask (null: all on). Cost: O(elements).
RequestCount count_requests(const AccessLayout& layout, const uint64_t* addresses, const uint8_t* mask);

/// Addresses that are base + sum of index[d] * strides[d] bytes, on for the index within [begin, end) along every axis.
/// Only the base modulo 32 and the differences matter, so a caller may keep results by (base % 128, strides, box).
struct AffineAddresses {
  uint64_t base = 0;
  std::array<int64_t, kMaxRank> strides{};
  std::array<int64_t, kMaxRank> begin{};
  std::array<int64_t, kMaxRank> end{};  ///< clamped to the extent
};
/// The same count in O(rows) where the fastest axis is walked in small steps.
RequestCount count_requests(const AccessLayout& layout, const AffineAddresses& access);

}  // namespace tilescope
