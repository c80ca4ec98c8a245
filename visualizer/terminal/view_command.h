// `tilescope view`: from the command line's words to the window's options.
#pragma once

#include <iosfwd>

#include "core/launch_file.h"
#include "visualizer/terminal/command.h"

namespace tilescope::terminal {

/// Opens the window, or says that this program was built without it (status 2).
int view_launch(const Command& c, const LaunchSpec& spec, std::ostream& out, std::ostream& err);
/// The same with what is to be said about the launch.
int view_launch_with_notes(const Command& c, const LaunchSpec& spec, const std::vector<std::string>& notes, std::ostream& out, std::ostream& err);

}  // namespace tilescope::terminal
