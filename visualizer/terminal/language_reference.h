// The reference of the kernel language and of the tile IR as Markdown, with every example run and its result beside it.
#pragma once

#include <iosfwd>
#include <string>

#include "visualizer/terminal/command.h"

namespace tilescope::terminal {

/// All of it: element types, constructs, functions, what is refused, the ops of the IR. core/LANGUAGE.md is this text.
std::string language_reference();

/// `tilescope reference`.
int print_reference(const Command& c, std::ostream& out, std::ostream& err);

}  // namespace tilescope::terminal
