// Two runs of one launch, element by element: equal bytes or not, and how far apart where not.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/tensor.h"

namespace tilescope::gpu {

/// Distances in units of the last place, by powers of two: 0, 1, 2, 3-4, 5-8, 9-16, 17-256, more; then pairs without a
/// distance (a NaN or an infinity on one side, other signs).
inline constexpr int kUlpBins = 9;
inline constexpr const char* kUlpBinNames[kUlpBins] = {"0", "1", "2", "3-4", "5-8", "9-16", "17-256", "> 256", "apart"};

struct TensorComparison {
  std::string tensor;
  int64_t elements = 0, differing = 0;   ///< NaNs of any payload are equal
  std::array<int64_t, kUlpBins> ulps{};  ///< of floats; integers are 0 or apart
  double max_abs = 0, max_rel = 0;       ///< over pairs of finite numbers
  std::vector<int64_t> first_index;      ///< logical index of the first difference
  std::string first_a, first_b;
  bool equal() const { return differing == 0; }
};

/// Same dtype and layout. Compares every logical element.
TensorComparison compare_tensors(const Tensor& a, const Tensor& b);

/// FNV-1a over the logical elements in row-major order, NaNs as one NaN: the same for equal tensors.
uint64_t hash_tensor(const Tensor& t);

}  // namespace tilescope::gpu
