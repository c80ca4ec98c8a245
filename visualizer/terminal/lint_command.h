// `tilescope lint`: which kernels of a file or folder compile without being told an argument, and what the others miss.
#pragma once

#include <iosfwd>
#include <string>

#include "core/lint.h"
#include "visualizer/terminal/command.h"

namespace tilescope::terminal {

/// Exit status: 0 all kernels are fine; 1 some are not; 2 bad usage: no such file or folder.
int run_lint(const Command& c, std::ostream& out, std::ostream& err);

/// For people: every kernel (not with `quiet`), then how many are fine and what the others wait for. `verbose`: whole
/// messages in place of their first lines.
std::string lint_text(const LintReport& report, bool quiet, bool verbose);
/// For programs: one object, as text with a newline at its end.
std::string lint_json(const LintReport& report);

}  // namespace tilescope::terminal
