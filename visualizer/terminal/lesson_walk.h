// Walks through a lesson in a terminal: text, small drawings, questions with their explanations.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "core/launch_file.h"
#include "lessons/lesson.h"
#include "visualizer/terminal/command.h"

namespace tilescope::terminal {

/// How a person walks through a lesson.
struct Walk {
  size_t language = 0, width = 80;
  size_t first = 0, end = 0;  ///< pages, half open
  std::string name;           ///< of the lesson, as `tilescope lesson` takes it; for commands that are proposed
  std::string next;           ///< the lesson after it; empty: none
  std::vector<LaunchArg> args;  ///< other values for numbers of its launches
  SourcePtr kernel;             ///< a learner's text in place of the lesson's kernel; null: the lesson's own
  /// Questions wait for an answer from `in`, and numbers of the launch can be typed ("n=900") at every prompt; else the
  /// answer is printed with the question.
  bool ask = false;
  std::function<void(size_t page)> read;  ///< called for each page that was shown, from 0; may be empty
  std::function<void(size_t page, int choice)> answered;  ///< a question: page and choice from 0; may be empty
  std::function<void(size_t page)> told;  ///< called for each question whose answer was printed, page from 0; may be empty
  bool withheld = false;  ///< of `kernel` only what the page shows before its question is answered, no cause
};
/// Runs the lesson's launches and prints its pages with live numbers and drawings. Returns the exit status.
int walk_lesson(const lessons::Lesson& lesson, const Walk& walk, std::istream& in, std::ostream& out, std::ostream& err);

}  // namespace tilescope::terminal
