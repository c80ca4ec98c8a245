// `tilescope sandbox`: any kernel, with guesses in place of the host code that is missing.
#pragma once

#include <iosfwd>

#include "visualizer/terminal/command.h"

namespace tilescope::terminal {

/// Reads the kernel (from `in` when none is named), guesses its arguments, asks on `in` about them, checks the launch and opens
/// the window. Returns the exit status.
int run_sandbox(const Command& c, std::istream& in, std::ostream& out, std::ostream& err);

}  // namespace tilescope::terminal
