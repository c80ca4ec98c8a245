// Running a launch that has been read already, for commands that make one.
#pragma once

#include <iosfwd>

#include "core/launch_file.h"
#include "visualizer/terminal/command.h"

namespace tilescope::terminal {

/// What `run` and `check` do once the launch is read (by c.verb). Returns the exit status.
int run_or_check_launch(const Command& c, const LaunchSpec& spec, std::ostream& out, std::ostream& err);

}  // namespace tilescope::terminal
