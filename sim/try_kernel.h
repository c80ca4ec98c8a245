// From a kernel without its host code to a launch that runs: sizes, grid and the shapes of tensors, found by running the
// kernel's addresses over tensors without end and looking how far they reach.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/guess.h"
#include "core/launch_file.h"

namespace tilescope {

/// What somebody said about a launch before anything is guessed.
struct KnownArguments {
  std::map<std::string, ArgValue> args;
  std::vector<GridExpr> grid;  ///< empty: guessed
  std::optional<int64_t> config;  ///< which @triton.autotune config gives what is open, from 0; nothing: the first, where it is needed
};

struct TriedArgument {
  std::string name;
  bool constexpr_parameter = false;
  bool given = false;   ///< by KnownArguments
  bool left_out = false;  ///< the kernel's own default
  ArgValue value;       ///< as in the launch
  std::string why;      ///< for people: "name of a size", "elements 0 to 3499 are touched"
  bool stride = false;  ///< known by name or by use
};

struct TriedLaunch {
  LaunchSpec spec;
  std::vector<TriedArgument> args;  ///< in the order of the parameters
  std::vector<std::string> notes;   ///< what is open or odd: "a program stops early with these guesses"
  std::vector<std::string> by_names;  ///< tensors whose shape the kernel's names tell; the others' follow from what is touched
  bool grid_open = false;             ///< nothing tells how many programs there are along some axis
};

/// Guesses what `known` leaves open. The text comes from `source`; `kernel_path` is written into the launch.
/// * Scalars as core/guess.h has them; sizes become 54, 58, 50 ..., no multiples of its blocks, where the kernel then touches no
///   more than they say, else those that its masks or loops heed, and strides follow; the others are multiples.
/// * A power of two among the constexprs is raised where a block that covers a whole row is what the kernel means.
/// * Tensors get the shape that the names of their strides tell, where that is what the kernel touches with sizes that its
///   blocks divide; a missing mask then faults (sim/try_extents.h). Else the smallest shape that holds every element touched
///   by any program: by their strides, else in rows where tiles lie in rows of some size, else one axis. Values: floats are normal, outputs
///   empty, what atomics update 0; integers that decide addresses lie inside the smallest size.
/// `seconds` of the processor are spent on running addresses, and not much more, whatever the kernel does.
/// Errors: those of guess_launch; an argument that no guess can be made for, by name, with what is known of it.
Expected<TriedLaunch> try_kernel(const SourcePtr& source, const std::string& kernel, const std::string& kernel_path, const KnownArguments& known,
                                double seconds = 5);

/// "guessed: M = 54, N = 58, BLOCK = 32; shapes of tensors", for a line above the picture.
std::string guessed_text(const TriedLaunch& tried);

}  // namespace tilescope
