// What a kernel's arguments may be when nobody says: types and values guessed from names, defaults, annotations and use.
// For `tilescope lint`, which only compiles, and for trying a kernel that comes without its host code.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/compile.h"
#include "core/guess_use.h"
#include "core/launch_file.h"

namespace tilescope {

/// One parameter of a kernel with a guess at its value.
struct GuessedArg {
  std::string name;
  bool constexpr_parameter = false;
  /// Tensors: a dtype and a one-dimensional shape of a guessed length; their real shape needs the run (sim/try_kernel.h).
  /// Integers, floats, bools, None, strings as they would stand in a launch file; element types as "tl.float32".
  ArgValue value;
  std::string why;  ///< in a few words, for people: "loaded from and stored to", "name of a size", "default of the kernel"
  /// The kernel's own default is right and no literal ("tl.float32", a function): launches leave the argument out.
  bool leave_out = false;
  bool holds_addresses = false;  ///< a tensor whose elements are addresses of others: no launch can give it
  /// Of a stride that is known by use: its tensors, the size of the axis it steps along (may be empty), and the sizes of
  /// what lies within one step.
  std::vector<std::string> stride_of;
  std::string stride_axis;
  std::vector<std::string> stride_within;
  /// Items of a tuple, each like `value`: launches name them x[0], x[1] ... -1: no tuple.
  int tuple = -1;
};

struct GuessedLaunch {
  std::string kernel;
  std::vector<GuessedArg> args;   ///< in the order of the parameters; of guess_launch: items of tuples as arguments
  std::vector<AxisUse> blocks;    ///< what the grid divides into blocks: {"M", "BLOCK_M"} of cdiv(M, BLOCK_M)
  std::vector<std::string> grid;  ///< expressions, one for each axis up to the last one that the kernel asks for
  int num_warps = 4;
};

/// Guesses for kernel `name` (empty: as compile_kernel chooses) such that it compiles, trying others where the first ones
/// do not fit each other. Errors: those of compile_kernel for the best guess: what stands in the way is then the kernel,
/// or a guess that nobody could make; `lint` tells them apart.
Expected<GuessedLaunch> guess_launch(const SourcePtr& source, const std::string& name);
/// The same for a caller that holds the parsed file.
Expected<GuessedLaunch> guess_launch(const Module& module, const std::string& name);

/// By name ("stride_am") or by use.
bool is_stride(const GuessedArg& arg);

/// The arguments that a launch has for it: none, one, or one for each item of a tuple.
std::vector<LaunchArg> arguments_of(const GuessedArg& arg);

/// As a launch that can be run or written to a file.
LaunchSpec launch_of(const GuessedLaunch& guess, const std::string& kernel_path);

/// How much a search for fitting guesses may cost.
struct GuessLimits {
  int compiles = 60;
  double seconds = 0.3;  ///< of the processor
};

/// The best guess, and what the compiler says about it.
struct GuessTrial {
  GuessedLaunch launch;
  std::vector<Diagnostic> errors;     ///< empty: it compiles
  std::vector<std::string> suspects;  ///< parameters with a part in the place of the error: another value might cure it
  /// An argument of a kind that no launch can give (a function, a tuple, a descriptor), with its parameter's place.
  std::optional<Diagnostic> no_such_argument;
  /// No parameter has a part in the place of the first error, nor in the conditions around it.
  bool constant = false;
  int compiles = 0;
  bool out_of_time = false;
  size_t values = 0;  ///< IR values of the kernel, not optimised
};

/// guess_launch for a caller that holds the parsed file.
GuessTrial try_guesses(const Module& module, const FunctionDef& kernel, const GuessLimits& limits);

}  // namespace tilescope
