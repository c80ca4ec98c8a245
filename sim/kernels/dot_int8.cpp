// int8 dots: exact sums in int32. Pairs of k are multiplied and added at once as 16-bit numbers.
#include "sim/kernels/dot_parts.h"

namespace tilescope::TILESCOPE_ISA {
namespace {

/// Sums of two neighbouring products of 16-bit lanes; |sum| <= 2^15, so nothing saturates.
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

/// R rows of pairs against a panel of pairs.
template <int R>
TILESCOPE_INLINE void rows(const int32_t* a, int pairs, const int32_t* panel, int32_t* c, int64_t c_stride) {
  VI sum[R][2];
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r)
    for (int h = 0; h < 2; ++h) sum[r][h] = *reinterpret_cast<const UI*>(c + r * c_stride + h * kLanes);
  for (int k = 0; k < pairs; ++k, panel += kPanel) {
    VI b0 = *reinterpret_cast<const UI*>(panel), b1 = *reinterpret_cast<const UI*>(panel + kLanes);
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      VI x = splat(a[static_cast<int64_t>(r) * pairs + k]);
      sum[r][0] = add_wrapping(sum[r][0], multiply_pairs(x, b0));
      sum[r][1] = add_wrapping(sum[r][1], multiply_pairs(x, b1));
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r)
    for (int h = 0; h < 2; ++h) *reinterpret_cast<UI*>(c + r * c_stride + h * kLanes) = sum[r][h];
}

void all_rows(const int32_t* a, int pairs, const int32_t* panel, int32_t* c, int64_t c_stride, int M) {
  int m = 0;
  for (; m + 4 <= M; m += 4) rows<4>(a + static_cast<int64_t>(m) * pairs, pairs, panel, c + m * c_stride, c_stride);
  for (; m < M; ++m) rows<1>(a + static_cast<int64_t>(m) * pairs, pairs, panel, c + m * c_stride, c_stride);
}

TILESCOPE_INLINE int8_t at(const DotOperand& m, int64_t i, int64_t j) {
  return static_cast<const int8_t*>(m.data)[i * m.row_stride + j * m.column_stride];
}

/// Two rows of B, interleaved; rows and columns that do not exist are zero.
TILESCOPE_INLINE void pack_panel_row(const DotOperand& b, int k, int n, bool second, int columns, int32_t* target) {
  if (b.column_stride == 1 && second && columns == kPanel) {
    const int8_t* low = static_cast<const int8_t*>(b.data) + k * b.row_stride + n;
    const int8_t* high = low + b.row_stride;
    for (int j = 0; j < kPanel; ++j) target[j] = pair(low[j], high[j]);
    return;
  }
  for (int j = 0; j < kPanel; ++j)
    target[j] = j < columns ? pair(at(b, k, n + j), second ? at(b, k + 1, n + j) : 0) : 0;
}

}  // namespace

void dot_int8(const DotOperand& a, const DotOperand& b, int32_t* c, DotShape s, std::byte* scratch) {
  int pairs = (s.K + 1) / 2;
  int32_t* panel = reinterpret_cast<int32_t*>(scratch);
  int32_t* rows_of_a = panel + static_cast<int64_t>(pairs) * kPanel;
  for (int m = 0; m < s.M; ++m) {
    int32_t* row = rows_of_a + static_cast<int64_t>(m) * pairs;
    for (int k = 0; k < s.K; k += 2) row[k / 2] = pair(at(a, m, k), k + 1 < s.K ? at(a, m, k + 1) : 0);
  }
  for (int n = 0; n < s.N; n += kPanel) {
    stop_if_asked();
    int columns = s.N - n < kPanel ? s.N - n : kPanel;
    for (int k = 0; k < s.K; k += 2)
      pack_panel_row(b, k, n, k + 1 < s.K, columns, panel + static_cast<int64_t>(k / 2) * kPanel);
    if (columns == kPanel) {
      all_rows(rows_of_a, pairs, panel, c + n, s.N, s.M);
      continue;
    }
    for (int m = 0; m < s.M; ++m) {
      int32_t* target = c + static_cast<int64_t>(m) * s.N + n;
      int32_t copy[kPanel] = {};
      for (int j = 0; j < columns; ++j) copy[j] = target[j];
      all_rows(rows_of_a + static_cast<int64_t>(m) * pairs, pairs, panel, copy, kPanel, 1);
      for (int j = 0; j < columns; ++j) target[j] = copy[j];
    }
  }
}

}  // namespace tilescope::TILESCOPE_ISA
