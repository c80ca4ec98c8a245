// Says what is wrong with a lesson folder, for its author. What load_lesson() refuses comes first; then what the lesson says
// is held against its launches, its kernels and its exercises.
#pragma once

#include <string>
#include <vector>

#include "core/diagnostic.h"
#include "lessons/lesson.h"

namespace tilescope::lessons {

/// Pages are short: so many words of English, so many Chinese characters, code aside.
inline constexpr size_t kMostWords = 250, kMostCharacters = 450;

/// Words of English (language kEnglish) or Chinese characters on a page, code blocks aside.
size_t length_of(const std::vector<TextBlock>& text, size_t language);

/// What the pages name but is not there: panels (`panels` lists those of the window), programs of the grid, lines of the
/// kernel; launches that do not compile. Runs nothing. "lesson.json: pages[2].panel: ...", in the order of the pages.
std::vector<Diagnostic> check_pages(const Lesson& lesson, const std::vector<std::string>& panels);

/// Everything: also runs the launches (numbers in the texts, choices that come out equal) and the exercises (the start does
/// not pass, the solution does, each planted mistake fails with its message). Empty: nothing is wrong.
std::vector<Diagnostic> check_lesson(const std::string& folder, const std::vector<std::string>& panels);

}  // namespace tilescope::lessons
