#include "tests/bench/baselines.h"

#define TILESCOPE_MATH_NS tilescope_math_bench
#include <Eigen/Core>

#include "core/device_math.h"

namespace tilescope::bench {

void add(int64_t n, const float* x, const float* y, float* out) {
#pragma omp parallel for simd schedule(static)
  for (int64_t i = 0; i < n; ++i) out[i] = x[i] + y[i];
}

void softmax_rows(int64_t rows, int64_t cols, const float* x, float* y) {
#pragma omp parallel for schedule(static)
  for (int64_t r = 0; r < rows; ++r) {
    const float* in = x + r * cols;
    float* out = y + r * cols;
    float largest = in[0];
#pragma omp simd reduction(max : largest)
    for (int64_t i = 0; i < cols; ++i) largest = in[i] > largest ? in[i] : largest;
    for (int64_t i = 0; i < cols; ++i) out[i] = tilescope_math_bench::exp(in[i] - largest);
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < cols; ++i) sum += out[i];
#pragma omp simd
    for (int64_t i = 0; i < cols; ++i) out[i] /= sum;
  }
}

void matmul(int64_t n, const float* a, const float* b, float* c) {
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Map<Matrix>(c, n, n).noalias() = Eigen::Map<const Matrix>(a, n, n) * Eigen::Map<const Matrix>(b, n, n);
}

}  // namespace tilescope::bench
