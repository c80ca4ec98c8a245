// Calls of the tilescope command inside the test program, for the tests of the terminal.
#pragma once

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

#include "visualizer/terminal/command.h"

namespace tilescope::terminal_calls {

struct Result {
  int status;
  std::string out, err;
};

/// `args` without the program's name.
inline Result tilescope_command(const std::vector<std::string>& args) {
  std::ostringstream out, err;
  const int status = terminal::tilescope_main(args, out, err);
  return {status, out.str(), err.str()};
}

/// True when the part stands in the text; else both are shown with the failing check.
inline bool mentions(const std::string& text, const std::string& part) {
  const bool found = text.find(part) != std::string::npos;
  if (!found) MESSAGE("looked for: ", part, "\nin: ", text);
  return found;
}

}  // namespace tilescope::terminal_calls
