// A slider changes a number of the launch; tensors whose shape is that number follow.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/launch_file.h"

namespace tilescope::model {

/// Sets argument `name`. The rule for tensors, when an integer changes that is no constexpr and not called "...stride...":
/// * A dimension follows when it equals the old value and no other such integer has that value. Where several have it
///   and an output's reference is a matmul a @ b, M means the rows of a and of the output, N the columns of b and of the
///   output, K the axis in between.
/// * Contiguous tensors stay contiguous. Other strides stay as they are where no two elements then meet; else the tensor
///   stays as it is.
/// * Tensors filled from a file or a list stay as they are.
/// * An argument called "...stride..." that equals a stride which changed follows it, when only one new value fits.
/// Returns sentences that say what stayed. Unknown names and tensors are left alone.
std::vector<std::string> change_argument(LaunchSpec& spec, const std::string& name, ArgValue value,
                                         const std::set<std::string>& constexprs);

/// The parameters that the launch's kernel declares tl.constexpr; empty when the text cannot be read.
std::set<std::string> constexpr_parameters(const SourcePtr& text, const LaunchSpec& spec);

}  // namespace tilescope::model
