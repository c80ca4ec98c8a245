// Other values for the numbers that a page of a lesson invites to change, for the command that the terminal proposes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/launch_file.h"

namespace tilescope::terminal {

/// Values for `name` that an English text tells to set: 128 in "set BLOCK to 128", "set N and BLOCK to 128".
std::vector<int64_t> values_named(std::string_view text, std::string_view name);

/// Other values for `names`, all at once: those that the page's English text names or that `opened` has (the launch as in
/// its file); where there are none, one near by for each. The launch compiles with them, and a value that the text does not name
/// brings no fault that is not there without it. Empty when there are no such values.
std::vector<LaunchArg> other_numbers(const LaunchSpec& spec, const LaunchSpec& opened, const std::vector<std::string>& names, std::string_view text);

}  // namespace tilescope::terminal
