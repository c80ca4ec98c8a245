// What a kernel's arguments may be when nobody says: types and values guessed from names, defaults, annotations and use.
// For `tilescope lint`, which only compiles, and for trying a kernel that comes without its host code.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/compile.h"
#include "core/launch_file.h"

namespace tilescope {

/// One parameter of a kernel with a guess at its value.
struct GuessedArg {
  std::string name;
  bool constexpr_parameter = false;
  /// Tensors: a dtype and a one-dimensional shape of a guessed length; their real shape needs the run (sim/try_kernel.h).
  /// Integers, floats, bools, None, strings as they would stand in a launch file.
  ArgValue value;
  std::string why;  ///< in a few words, for people: "loaded from and stored to", "name of a size", "default of the kernel"
};

struct GuessedLaunch {
  std::string kernel;
  std::vector<GuessedArg> args;  ///< in the order of the parameters
  std::vector<std::string> grid; ///< expressions, one for each axis that the kernel asks for
  int num_warps = 4;
};

/// Guesses for kernel `name` (empty: as compile_kernel chooses) such that it compiles, trying others where the first ones
/// do not fit each other. Errors: those of compile_kernel for the best guess: what stands in the way is then the kernel,
/// or a guess that nobody could make; `lint` tells them apart.
Expected<GuessedLaunch> guess_launch(const SourcePtr& source, const std::string& name);

/// As a launch that can be run or written to a file.
LaunchSpec launch_of(const GuessedLaunch& guess, const std::string& kernel_path);

}  // namespace tilescope
