// What emitted kernels are written in, besides the arithmetic of core/device_math.h: loops over a thread's registers,
// exchanges between lanes, bits of indices. Compiled by NVRTC only.
#ifndef TILESCOPE_GPU_DEVICE_TILE_H_
#define TILESCOPE_GPU_DEVICE_TILE_H_

#define TILESCOPE_MATH_NS ts
#include "core/device_math.h"

/// Every register of a tile: the loop is unrolled, so that the tile stays in registers.
#define each(r, n) _Pragma("unroll") for (int r = 0; r < (n); ++r)
/// The same for tiles too large for registers.
#define each_rolled(r, n) _Pragma("unroll 1") for (int r = 0; r < (n); ++r)

namespace ts {

/// ts::convert in one instruction, with the same bits for all inputs.
TS_FN f16 round_to_f16(float x) {
  f16 r;
  asm("{ .reg .b16 h; cvt.rn.f16.f32 h, %1; mov.b16 %0, h; }" : "=h"(r.bits) : "f"(x));
  return r;
}
TS_FN bf16 round_to_bf16(float x) {
  bf16 r;
  asm("{ .reg .b16 h; cvt.rn.bf16.f32 h, %1; mov.b16 %0, h; }" : "=h"(r.bits) : "f"(x));
  return r;
}
TS_FN float widen(f16 x) {
  float r;
  asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(x.bits));
  return r;
}

/// A byte address in the GPU's memory.
using pointer = uint64_t;

/// Bit i of x.
TS_FN int bit(int x, int i) { return (x >> i) & 1; }

/// The address `offset` elements further on; the offset is extended by its own signedness and the sum wraps.
template <class T, class I>
TS_FN pointer advance(pointer p, I offset) {
  return p + (uint64_t)(int64_t)offset * sizeof(T);
}

/// Iterations of for (i = lower; i < upper (or > with a negative step); i += step); none with a step of 0.
template <class I>
TS_FN uint64_t trip_count(I lower, I upper, I step) {
  using U = uint64_t;
  if (step == 0) return 0;
  if (is_signed_integer<I>() && step < 0)
    return lower > upper ? ((U)(int64_t)lower - (U)(int64_t)upper - 1) / (0 - (U)(int64_t)step) + 1 : 0;
  return lower < upper ? ((U)upper - (U)lower - 1) / (U)step + 1 : 0;
}

/// The value that the lane with the other bit(s) of `mask` holds. All lanes of the warp take part.
template <class T>
TS_FN T from_lane_xor(T x, int mask) {
  if constexpr (is_bool<T>)
    return __shfl_xor_sync(0xffffffffu, (int)x, mask) != 0;
  else if constexpr (is_any_float<T> && sizeof(T) < 8)
    return from_bits<T>((unsigned_of<T>)__shfl_xor_sync(0xffffffffu, (uint32_t)float_bits(x), mask));
  else if constexpr (is_any_float<T>)
    return from_bits<T>((unsigned_of<T>)__shfl_xor_sync(0xffffffffu, (unsigned long long)float_bits(x), mask));
  else if constexpr (sizeof(T) == 8)
    return (T)__shfl_xor_sync(0xffffffffu, (unsigned long long)x, mask);
  else
    return (T)__shfl_xor_sync(0xffffffffu, (uint32_t)(unsigned_of<T>)x, mask);
}

/// maximum and minimum of core/device_math.h in one instruction: PTX has a NaN give way, and -0 below +0.
TS_FN float largest(float a, float b) {
  float x;
  asm("max.f32 %0, %1, %2;" : "=f"(x) : "f"(a), "f"(b));
  return x;
}
TS_FN float smallest(float a, float b) {
  float x;
  asm("min.f32 %0, %1, %2;" : "=f"(x) : "f"(a), "f"(b));
  return x;
}

/// argmax and argmin of (value, index) pairs: whether the left one stays.
template <bool largest, bool left_wins, class T>
TS_FN bool keep_left(T a, int32_t ia, T b, int32_t ib) {
  const bool better = largest ? cmp_gt(a, b) : cmp_lt(a, b);
  return better | (left_wins & cmp_eq(a, b) & (ia < ib));
}

/// A number whose unsigned order is the order in which sort puts the elements: -0 and +0 are equal, NaN comes last.
template <class T>
TS_FN uint64_t order_key(T x, bool descending) {
  if constexpr (is_any_float<T>) {
    constexpr int width = 8 * sizeof(T);
    const uint64_t bits = float_bits(x), sign = 1ull << (width - 1), size = bits & (sign - 1), middle = 1ull << 63;
    if (cmp_ne(x, x)) return ~0ull;
    const uint64_t key = (bits & sign) != 0 ? middle - size : middle + size;
    return descending ? ~key - 1 : key;
  } else {
    const uint64_t key = is_signed_integer<T>() ? (uint64_t)(int64_t)x ^ (1ull << 63) : (uint64_t)x;
    return descending ? ~key : key;
  }
}

}  // namespace ts

#endif  // TILESCOPE_GPU_DEVICE_TILE_H_
