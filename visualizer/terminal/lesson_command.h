// `tilescope lesson`: lists lessons, walks through one, checks an answer to its exercise, checks lesson folders.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "lessons/exercise.h"
#include "visualizer/terminal/command.h"

namespace tilescope::terminal {

/// The command. Exit status: 0 fine or passed; 1 the answer is wrong; 2 bad usage, a broken lesson, an answer that does
/// not compile; 3 an answer with a fault at run time.
int run_lesson(const Command& c, std::ostream& out, std::ostream& err);

/// Checks `path` again whenever it changes, until `go_on` says no: asked every few moments with the last status, which is
/// returned in the end.
int watch_exercise(const lessons::Exercise& exercise, const std::string& path, size_t language, const std::function<bool(int status)>& go_on, std::ostream& out, std::ostream& err);

}  // namespace tilescope::terminal
