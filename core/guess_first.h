// The first guess of every argument, before the compiler is asked, and what else each might be (core/guess.cpp).
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/guess.h"

namespace tilescope {

inline constexpr int64_t kGuessedSize = 64;  ///< of what has no size by its name: a multiple of the blocks, for kernels without masks
inline constexpr const char* kUnknownPrograms = "2";  ///< along an axis of the grid that nothing tells

/// The first guess for every parameter. `no_such_argument` is set for kinds that launches cannot give.
GuessedLaunch first_guess(const Module& module, const FunctionDef& kernel, const KernelUse& use,
                          std::optional<Diagnostic>& no_such_argument);

/// Gives the strides of each tensor, known by name or by use, the values that its sizes ask for, row major. Strides named in `keep` stay as they are.
/// `unknown`: the size of an axis that no argument names.
void guess_strides(GuessedLaunch& g, const std::set<std::string>& keep = {}, int64_t unknown = kGuessedSize);

/// The value of the argument that sizes an axis: of M for "m"; nothing when none does.
std::optional<int64_t> size_of_axis(const GuessedLaunch& g, const std::string& axis);

/// Other values of the argument worth a try after `error`, the likeliest first. Never the present one.
std::vector<ArgValue> other_guesses(const GuessedArg& arg, const ParamUse& use, const Diagnostic& error);

/// Whether the two are the same guess: tensors by dtype.
bool same_guess(const ArgValue& a, const ArgValue& b);

/// Gives the launch its grid, an expression for each axis up to the last one in use, and the blocks that it counts.
void guess_grid(GuessedLaunch& guess, const KernelUse& use);

}  // namespace tilescope
