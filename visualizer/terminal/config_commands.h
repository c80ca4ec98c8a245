// The @triton.autotune configs of a kernel: listed, or ranked by what each would cost a GPU.
#pragma once

#include <iosfwd>

#include "core/launch_file.h"
#include "visualizer/terminal/command.h"

namespace tilescope::terminal {

/// `run --configs`. Needs no arguments. Returns the exit status.
int list_configs(const Command& c, const LaunchSpec& spec, std::ostream& out, std::ostream& err);

/// `cost --configs`: the estimate of every config, the fastest first. Returns the exit status.
int rank_configs(const Command& c, const LaunchSpec& spec, std::ostream& out, std::ostream& err);

}  // namespace tilescope::terminal
