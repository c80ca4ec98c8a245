// How large a kernel means its tensors to be, told by the names of its strides and by its sizes. What programs touch cannot
// tell this alone: a missing mask touches more.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/guess.h"
#include "sim/try_reach.h"

namespace tilescope {

/// A stride of a tensor that the kernel takes as an argument, with the size of its axis where an argument names it.
struct StridedAxis {
  int64_t stride = 0;
  std::optional<int64_t> size;
};
/// The largest stride first.
std::vector<StridedAxis> axes_of(const GuessedLaunch& g, const std::string& tensor);

/// [M, K] with strides stride_am and stride_ak for "a"; nothing where a stride's axis has no size, or axes overlap.
std::optional<TensorLayout> named_layout(const GuessedLaunch& g, const std::string& tensor);

/// What is meant of each tensor of `g`. `full` is the same launch with its sizes rounded up to multiples of the blocks, where
/// masks keep nothing out: there the programs must touch exactly what a tensor is said to be, or nothing is said of it.
/// * Strided tensors: their named layout.
/// * Others that no mask cuts: a product of sizes; the largest, where several fit. Nothing where a product of constexprs
///   alone fits as well, or, for a tensor that is stored, the blocks of all programs: it may be scratch of whole blocks.
std::map<std::string, TensorLayout> meant_layouts(const GuessedLaunch& g, const GuessedLaunch& full, const Reach& reach, const Reach& full_reach);

}  // namespace tilescope
