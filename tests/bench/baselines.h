// What the simulator is measured against: hand-written OpenMP loops and Eigen, compiled for this machine's processor.
#pragma once

#include <cstdint>

namespace tilescope::bench {

void add(int64_t n, const float* x, const float* y, float* out);
/// Row softmax with the simulator's own exp (core/device_math.h), rows of `cols` floats.
void softmax_rows(int64_t rows, int64_t cols, const float* x, float* y);
/// C = A B with one Eigen product, n x n floats, all threads.
void matmul(int64_t n, const float* a, const float* b, float* c);

}  // namespace tilescope::bench
