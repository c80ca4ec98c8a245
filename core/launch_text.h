// A launch as text: its arguments as `--arg` takes them, the whole as a launch file.
#pragma once

#include <string>

#include "core/launch_file.h"

namespace tilescope {

/// "70", "0.5", "true", "None", "'relu'", "f32[70,50]=randn(1)": what parse_arg reads after the name and "=".
std::string arg_text(const ArgValue& value);

/// A float as Python writes it: "1.0", "1e-05", "inf", "nan".
std::string real_text(double v);

/// The launch file of a launch, in the form that load_launch_file reads. `kernel_file`: as the file shall name the kernel's.
/// What its outputs must be is left out.
std::string launch_file_text(const LaunchSpec& spec, const std::string& kernel_file);

}  // namespace tilescope
