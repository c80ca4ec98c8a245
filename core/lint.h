// Which kernels of a file or folder compile, without being told a single argument (core/guess.h), and what is missing for
// the others. Nothing runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/diagnostic.h"

namespace tilescope {

enum class LintVerdict {
  Fine,        ///< it compiles with guessed arguments
  Missing,     ///< it needs something that Tilescope does not have
  Wrong,       ///< Triton refuses it too
  CannotTell,  ///< no guess fits: other arguments, or an error that Triton may not share
};
inline constexpr int kLintVerdicts = 4;

/// "fine", "missing", "wrong", "cannot tell".
const char* lint_verdict_name(LintVerdict v);

struct KernelLint {
  std::string name;
  SourceRange where;  ///< its name in the file
  LintVerdict verdict = LintVerdict::Fine;
  /// What is missing, wrong or unclear, in a few words that are equal for equal causes: "tl.dot_scaled", "import of torch".
  std::string feature;
  std::vector<Diagnostic> diagnostics;  ///< the compiler's; the first one is where the kernel stops
  int compiles = 0;
  double seconds = 0;
  /// What was not looked at although the verdict is "fine": "its autotune configs were not read: ..."; else empty.
  std::string note;
};

struct FileLint {
  std::string path;
  std::string skipped;  ///< why it was not read; empty when it was
  std::vector<KernelLint> kernels;
  std::vector<std::string> helpers;  ///< jit functions that are linted through the kernels that call them
};

struct LintReport {
  std::vector<FileLint> files;  ///< with kernels, or skipped; by path
  int64_t files_seen = 0;       ///< *.py, kernels or not
  double seconds = 0;           ///< wall time
  /// Why the folder was not searched to its end; empty when it was.
  std::string cut_off;

  int64_t kernels() const;
  int64_t count(LintVerdict v) const;
  int64_t with_a_note() const;
};

struct LintOptions {
  int threads = 0;               ///< 0: all
  int compiles = 60;             ///< for one kernel
  double seconds_per_kernel = 0.3;
};

/// Lints a kernel file, or every *.py below a folder (links are followed, once). Errors: no such file or folder.
Expected<LintReport> lint(const std::string& path, const LintOptions& options);

/// The features that kernels of this verdict wait for, with how many wait, most first.
struct LintRank {
  std::string feature;
  int64_t kernels = 0;
  const KernelLint* example = nullptr;
};
std::vector<LintRank> rank_features(const LintReport& report, LintVerdict v);

}  // namespace tilescope
