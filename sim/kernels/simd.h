// Vectors as wide as the instruction set of this compilation, by the compiler's vector extensions: the same source for
// base (SSE2), v3 (AVX2) and v4 (AVX-512). Only for files in sim/kernels.
#pragma once

#include <immintrin.h>

#include <cstdint>

#define TILESCOPE_INLINE static inline __attribute__((always_inline))

namespace tilescope::TILESCOPE_ISA {

#if defined(__AVX512F__)
constexpr int kLanes = 16;
#elif defined(__AVX2__)
constexpr int kLanes = 8;
#else
constexpr int kLanes = 4;
#endif

typedef float VF __attribute__((vector_size(4 * kLanes)));
typedef double VD __attribute__((vector_size(4 * kLanes)));
typedef int32_t VI __attribute__((vector_size(4 * kLanes)));
typedef int16_t VS __attribute__((vector_size(4 * kLanes)));  ///< 2 * kLanes lanes

// The same, for loads and stores at any address and through any type.
typedef float UF __attribute__((vector_size(4 * kLanes), aligned(1), may_alias));
typedef double UD __attribute__((vector_size(4 * kLanes), aligned(1), may_alias));
typedef int32_t UI __attribute__((vector_size(4 * kLanes), aligned(1), may_alias));
typedef uint32_t VU __attribute__((vector_size(4 * kLanes)));

TILESCOPE_INLINE VF splat(float x) { return x - VF{}; }  // x + 0 would lose -0
TILESCOPE_INLINE VI splat(int32_t x) { return VI{} + x; }
/// Integer sums that may wrap (also in lanes that are replaced later); signed overflow would be undefined.
TILESCOPE_INLINE VI add_wrapping(VI x, VI y) { return reinterpret_cast<VI>(reinterpret_cast<VU>(x) + reinterpret_cast<VU>(y)); }
TILESCOPE_INLINE VI max(VI a, VI b) { return a > b ? a : b; }
TILESCOPE_INLINE VI min(VI a, VI b) { return a < b ? a : b; }
TILESCOPE_INLINE VS max(VS a, VS b) { return a > b ? a : b; }
/// Towards zero; 0x80000000 for NaN and values out of range.
TILESCOPE_INLINE VI to_int(VF x) { return __builtin_convertvector(x, VI); }
/// As the rounding mode in force says.
TILESCOPE_INLINE VF to_float(VI x) { return __builtin_convertvector(x, VF); }

/// Bit i: lane i is negative.
TILESCOPE_INLINE uint32_t negative_lanes(VI x) {
#if defined(__AVX512F__)
  return _mm512_movepi32_mask(reinterpret_cast<__m512i>(x));
#elif defined(__AVX2__)
  return static_cast<uint32_t>(_mm256_movemask_ps(reinterpret_cast<__m256>(x)));
#else
  return static_cast<uint32_t>(_mm_movemask_ps(reinterpret_cast<__m128>(x)));
#endif
}

/// a * b + c, rounded once.
TILESCOPE_INLINE VF fma(VF a, VF b, VF c) {
#if defined(__AVX512F__)
  return _mm512_fmadd_ps(a, b, c);
#elif defined(__AVX2__)
  return _mm256_fmadd_ps(a, b, c);
#else
  for (int i = 0; i < kLanes; ++i) c[i] = __builtin_fmaf(a[i], b[i], c[i]);
  return c;
#endif
}
TILESCOPE_INLINE VD fma(VD a, VD b, VD c) {
#if defined(__AVX512F__)
  return _mm512_fmadd_pd(a, b, c);
#elif defined(__AVX2__)
  return _mm256_fmadd_pd(a, b, c);
#else
  for (int i = 0; i < kLanes / 2; ++i) c[i] = __builtin_fma(a[i], b[i], c[i]);
  return c;
#endif
}

}  // namespace tilescope::TILESCOPE_ISA
