// int8 dots: exact sums in int32. Pairs of k are multiplied and added at once as 16-bit numbers.
#include "sim/kernels/dot_parts.h"

namespace tilescope::TILESCOPE_ISA {
namespace {

/// Sums of two neighbouring products of 16-bit lanes; |sum| <= 2 * 2^14, so nothing saturates.
TILESCOPE_INLINE VI multiply_pairs(VI a, VI b) {
#if defined(__AVX512F__)
  return reinterpret_cast<VI>(_mm512_madd_epi16(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif defined(__AVX2__)
  return reinterpret_cast<VI>(_mm256_madd_epi16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#else
  return reinterpret_cast<VI>(_mm_madd_epi16(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#endif
}

TILESCOPE_INLINE int32_t pair(int low, int high) {
  return static_cast<int32_t>((static_cast<uint32_t>(low) & 0xffffu) | static_cast<uint32_t>(high) << 16);
}

/// One row of pairs against a panel of pairs; unsigned, since sums wrap.
TILESCOPE_INLINE void row(const int32_t* a, const int32_t* panel, int pairs, int32_t* c) {
  VI sum0 = *reinterpret_cast<const UI*>(c), sum1 = *reinterpret_cast<const UI*>(c + kLanes);
  for (int k = 0; k < pairs; ++k, panel += kPanel) {
    VI x = splat(a[k]);
    sum0 += multiply_pairs(x, *reinterpret_cast<const UI*>(panel));
    sum1 += multiply_pairs(x, *reinterpret_cast<const UI*>(panel + kLanes));
  }
  *reinterpret_cast<UI*>(c) = sum0;
  *reinterpret_cast<UI*>(c + kLanes) = sum1;
}

}  // namespace

void dot_int8(const DotOperand& a, const DotOperand& b, int32_t* c, DotShape s, std::byte* scratch) {
  const int8_t* pa = static_cast<const int8_t*>(a.data);
  const int8_t* pb = static_cast<const int8_t*>(b.data);
  int pairs = (s.K + 1) / 2;
  int32_t* panel = reinterpret_cast<int32_t*>(scratch);
  int32_t* rows_of_a = panel + static_cast<int64_t>(pairs) * kPanel;
  auto at = [](const int8_t* p, const DotOperand& m, int64_t i, int64_t j) {
    return p[i * m.row_stride + j * m.column_stride];
  };
  for (int m = 0; m < s.M; ++m)
    for (int k = 0; k < s.K; k += 2)
      rows_of_a[static_cast<int64_t>(m) * pairs + k / 2] = pair(at(pa, a, m, k), k + 1 < s.K ? at(pa, a, m, k + 1) : 0);
  for (int n = 0; n < s.N; n += kPanel) {
    int columns = s.N - n < kPanel ? s.N - n : kPanel;
    for (int k = 0; k < s.K; k += 2)
      for (int j = 0; j < kPanel; ++j) {
        int low = j < columns ? at(pb, b, k, n + j) : 0;
        int high = j < columns && k + 1 < s.K ? at(pb, b, k + 1, n + j) : 0;
        panel[static_cast<int64_t>(k / 2) * kPanel + j] = pair(low, high);
      }
    for (int m = 0; m < s.M; ++m) {
      int32_t* target = c + static_cast<int64_t>(m) * s.N + n;
      int32_t copy[kPanel] = {};
      if (columns < kPanel) {
        for (int j = 0; j < columns; ++j) copy[j] = target[j];
        row(rows_of_a + static_cast<int64_t>(m) * pairs, panel, pairs, copy);
        for (int j = 0; j < columns; ++j) target[j] = copy[j];
      } else {
        row(rows_of_a + static_cast<int64_t>(m) * pairs, panel, pairs, target);
      }
    }
  }
}

}  // namespace tilescope::TILESCOPE_ISA
