// What @triton.autotune and @triton.heuristics above a kernel give its launch: values of parameters that the launch itself
// leaves open, warps and stages. Read from the text; nothing is run, and what cannot be read is refused, never guessed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/launch_file.h"

namespace tilescope {

struct FunctionDef;  // core/syntax/ast.h
struct Module;

/// One `triton.Config`.
struct TuningConfig {
  std::vector<LaunchArg> values;  ///< of the kernel's parameters, as written
  std::optional<int> num_warps, num_stages;
  SourceRange range;  ///< where it is written; of a comprehension all have the same
};

/// "BLOCK_M = 128, BLOCK_K = 32, 8 warps, 3 stages".
std::string config_text(const TuningConfig& config);
/// "128", "True", "'ieee'": as Python writes it.
std::string argument_text(const ArgValue& value);

/// The configs of `kernel` (empty: as compile_kernel chooses) in their order; none when it has no @triton.autotune.
/// Errors: the kernel is not found; configs that cannot be read, with their place.
Expected<std::vector<TuningConfig>> read_configs(const SourcePtr& source, const std::string& kernel);
/// The same for a caller that holds the parsed file.
Expected<std::vector<TuningConfig>> read_configs(const Module& module, const FunctionDef& kernel);

/// Why the configs of a kernel's @triton.autotune cannot be read; nothing when they can, or when it has none.
std::optional<Diagnostic> unread_configs(const Module& module, const FunctionDef& kernel);

/// The launch with what the decorators give, first the config, then the heuristics, in their order; these win, as in Triton. What
/// `args` say stays, as do stated warps and stages. The config is LaunchSpec::config, or the first where some value that it gives
/// is open; a launch that leaves nothing open and chooses no config is returned as it is. Applying it again changes nothing. A
/// kernel that is not found is left to compile_kernel. `notes`: which config it is and where the launch differs from it, for
/// people; may be null.
/// Errors: no config of that number, or a value that is open and that cannot be read.
Expected<LaunchSpec> apply_decorators(const LaunchSpec& spec, const SourcePtr& source, std::vector<Diagnostic>* notes = nullptr);
/// The same for a caller that holds the parsed file.
Expected<LaunchSpec> apply_decorators(const LaunchSpec& spec, const Module& module, std::vector<Diagnostic>* notes = nullptr);

}  // namespace tilescope
