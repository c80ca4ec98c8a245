// `tilescope cuda`, `tilescope compare` and `run --backend gpu`.
#pragma once

#include <iosfwd>

#include "core/launch_file.h"
#include "visualizer/terminal/command.h"

namespace tilescope::terminal {

/// Prints the CUDA C++ of the launch's kernel. Needs no GPU.
int print_cuda(const Command& c, const LaunchSpec& spec, std::ostream& out, std::ostream& err);
/// Runs the launch on the GPU; the simulator goes first and a launch in which it finds a fault is refused (--force).
int run_on_gpu(const Command& c, const LaunchSpec& spec, std::ostream& out, std::ostream& err);
/// Runs the launch on both and compares every tensor, bit by bit; without a GPU with a recorded run, and says so.
int compare_backends(const Command& c, const LaunchSpec& spec, std::ostream& out, std::ostream& err);

}  // namespace tilescope::terminal
