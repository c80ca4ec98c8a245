// fp32 and fp64 dots: a chain of fma over ascending k for every element, on register blocks.
#include <cstring>

#include "sim/kernels/dot_parts.h"

namespace tilescope::TILESCOPE_ISA {
namespace {

#if defined(__AVX512F__)
constexpr int kRows = 8;
#elif defined(__AVX2__)
constexpr int kRows = 6;
#else
constexpr int kRows = 2;
#endif

struct Single {
  using T = float;
  using V = VF;
  using U = UF;
  using Bits = VI;
  static constexpr int32_t kNaN = 0x7fffffff;
};
struct Double {
  using T = double;
  using V = VD;
  using U = UD;
  typedef int64_t Bits __attribute__((vector_size(4 * kLanes)));
  static constexpr int64_t kNaN = 0x7fffffffffffffff;
};

/// NaNs of one form: which payload an fma hands on depends on the instruction.
template <class F>
TILESCOPE_INLINE typename F::V canonical(typename F::V x) {
  using Bits = typename F::Bits;
  return reinterpret_cast<typename F::V>(x == x ? reinterpret_cast<Bits>(x) : Bits{} + F::kNaN);
}

/// R rows of A (rows `a_stride` apart) against one panel of B (two vectors wide, rows dense), into c.
template <class F, int R>
TILESCOPE_INLINE void block(const typename F::T* a, int64_t a_stride, const typename F::T* panel, int K,
                            typename F::T* c, int64_t c_stride) {
  using V = typename F::V;
  constexpr int kWide = sizeof(V) / sizeof(typename F::T);
  V sum[R][2];
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
    sum[r][0] = *reinterpret_cast<const typename F::U*>(c + r * c_stride);
    sum[r][1] = *reinterpret_cast<const typename F::U*>(c + r * c_stride + kWide);
  }
  for (int k = 0; k < K; ++k, panel += 2 * kWide) {
    V b0 = *reinterpret_cast<const typename F::U*>(panel), b1 = *reinterpret_cast<const typename F::U*>(panel + kWide);
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      V x = a[r * a_stride + k] - V{};  // a splat; x + 0 would lose -0
      sum[r][0] = fma(x, b0, sum[r][0]);
      sum[r][1] = fma(x, b1, sum[r][1]);
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
    *reinterpret_cast<typename F::U*>(c + r * c_stride) = canonical<F>(sum[r][0]);
    *reinterpret_cast<typename F::U*>(c + r * c_stride + kWide) = canonical<F>(sum[r][1]);
  }
}

template <class F>
void panel_times_rows(const typename F::T* a, int64_t a_stride, const typename F::T* panel, DotShape s,
                      typename F::T* c, int64_t c_stride) {
  int m = 0;
  for (; m + kRows <= s.M; m += kRows)
    block<F, kRows>(a + m * a_stride, a_stride, panel, s.K, c + m * c_stride, c_stride);
  for (; m + 2 <= s.M; m += 2) block<F, 2>(a + m * a_stride, a_stride, panel, s.K, c + m * c_stride, c_stride);
  for (; m < s.M; ++m) block<F, 1>(a + m * a_stride, a_stride, panel, s.K, c + m * c_stride, c_stride);
}

/// The columns of c from n on that do not fill a panel, through a copy that does.
template <class F>
void last_columns(const typename F::T* a, int64_t a_stride, const typename F::T* panel, DotShape s, int n,
                  typename F::T* c) {
  constexpr int kWide = 2 * sizeof(typename F::V) / sizeof(typename F::T);
  constexpr int kBlock = 16;
  size_t bytes = sizeof(typename F::T) * static_cast<size_t>(s.N - n);
  typename F::T copy[kBlock * kWide] = {};
  for (int m = 0; m < s.M; m += kBlock) {
    int rows = s.M - m < kBlock ? s.M - m : kBlock;
    typename F::T* part_of_c = c + static_cast<int64_t>(m) * s.N + n;
    for (int r = 0; r < rows; ++r) memcpy(copy + r * kWide, part_of_c + static_cast<int64_t>(r) * s.N, bytes);
    panel_times_rows<F>(a + m * a_stride, a_stride, panel, {rows, kWide, s.K}, copy, kWide);
    for (int r = 0; r < rows; ++r) memcpy(part_of_c + static_cast<int64_t>(r) * s.N, copy + r * kWide, bytes);
  }
}

void load_block(const DotOperand& m, int rows, int columns, float* target, int64_t stride) {
  dot_to_f32(m, rows, columns, target, stride);
}
void load_block(const DotOperand& m, int rows, int columns, double* target, int64_t stride) {
  const double* source = static_cast<const double*>(m.data);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      memcpy(target + i * stride + j, source + i * m.row_stride + j * m.column_stride, sizeof(double));
}

template <class F>
void dot_fma(const DotOperand& a, const DotOperand& b, typename F::T* c, DotShape s, std::byte* scratch) {
  using T = typename F::T;
  constexpr int kWide = 2 * sizeof(typename F::V) / sizeof(T);
  // Rows of A an odd number of cache lines apart: a power of two would put them all into one cache set.
  int64_t a_stride = (s.K + 15) / 16 * 16 + 16;
  T* panel = reinterpret_cast<T*>(scratch);
  T* rows_of_a = panel + static_cast<int64_t>(s.K) * kWide;
  load_block(a, s.M, s.K, rows_of_a, a_stride);
  for (int n = 0; n < s.N; n += kWide) {
    stop_if_asked();
    int columns = s.N - n < kWide ? s.N - n : kWide;
    if (columns < kWide) memset(panel, 0, sizeof(T) * static_cast<size_t>(s.K) * kWide);
    load_block(part(b, 0, n), s.K, columns, panel, kWide);
    if (columns == kWide) {
      panel_times_rows<F>(rows_of_a, a_stride, panel, s, c + n, s.N);
    } else {
      last_columns<F>(rows_of_a, a_stride, panel, s, n, c);
    }
  }
}

}  // namespace

void dot_fma_f32(const DotOperand& a, const DotOperand& b, float* c, DotShape shape, std::byte* scratch) {
  dot_fma<Single>(a, b, c, shape, scratch);
}

void dot_fma_f64(const DotOperand& a, const DotOperand& b, double* c, DotShape shape, std::byte* scratch) {
  dot_fma<Double>(a, b, c, shape, scratch);
}

}  // namespace tilescope::TILESCOPE_ISA
