// A lesson: a folder with a launch, a text in two languages, and what the window shows on each page. Data only; a new
// lesson needs no C++.
//
//   lesson.json      {"title": {"en": "...", "zh": "..."}, "launch": "launch.json",
//                     "pages": [{"program": [3], "line": "x = tl.load", "iteration": 1, "panel": "memory",
//                                "choices": ["256", "{{lanes_on}}", ...], "answer": 1}, ...]}
//   lesson.en.md     the pages' text, separated by lines "---"; as many pages as lesson.json has
//   lesson.zh.md
//
// An entry "exercise" gives the learner something to write; lessons/exercise.h describes it and the files that go with it.
// lessons/README.md says how to add a lesson; `tilescope lesson --check FOLDER` says what is wrong with one.
//
// Every entry of a page may be left out. "line" is the beginning of a source line's text (blanks in front do not count).
// "launch": a launch file of this page's own, relative to the folder; "program" and "line" are then meant of it.
// "sliders": scalar arguments of the page's launch (["n", "BLOCK"]) that the page invites to change. Choices are the same in both languages (numbers, code) or {"en": [...], "zh": [...]}; the answer counts from 0.
// {{name}} in texts and choices is a number of the run (lessons/numbers.h). No two choices of a question may be equal.
// "withhold_diagnosis": true: until the question was answered, neither the window nor --with says what is wrong with the launch.
// A page with a question has an explanation in both languages, behind a line "@answer"; it is shown once the question was
// answered. A line of the text that begins with "@window " is shown in the window only, with "@terminal " in a terminal only.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.h"
#include "lessons/exercise.h"
#include "lessons/language.h"
#include "lessons/markdown.h"

namespace tilescope::lessons {

struct Page {
  PerLanguage<std::vector<TextBlock>> text;           ///< as the window shows it
  PerLanguage<std::vector<TextBlock>> terminal_text;  ///< as a terminal prints it
  /// Shown once the question was answered, whatever the answer: why it is so. Empty: nothing.
  PerLanguage<std::vector<TextBlock>> why, terminal_why;
  std::string launch_path;  ///< of the launch that this page shows; empty: the lesson's
  std::vector<std::string> sliders;  ///< arguments of the launch that the page invites to change
  std::optional<std::array<int64_t, 3>> program;
  std::string line;            ///< empty: the view stays
  std::optional<int64_t> iteration;  ///< of the innermost loop around the line, from 1
  std::string panel;           ///< to bring to the front; empty: as it is
  PerLanguage<std::vector<std::string>> choices;  ///< of the question; empty: the page asks nothing
  int answer = 0;
  bool withholds_diagnosis = false;  ///< until the question was answered nobody is told what is wrong with the launch
  std::optional<Exercise> exercise;  ///< of this page alone; its task is the page
};

struct Lesson {
  std::string folder;
  PerLanguage<std::string> title;
  std::string launch_path;
  std::vector<Page> pages;
  std::optional<Exercise> exercise;  ///< its task is the last page
};

/// The exercise that a page sets: its own, else the lesson's on the last page. Null: none.
const Exercise* exercise_of(const Lesson& lesson, size_t page);

/// The launch files that the lesson's pages show, each once: the lesson's own first.
std::vector<std::string> launches_of(const Lesson& lesson);

/// Reads and checks a lesson folder. Errors name the file and the place in it ("pages[2].answer"), in the order of the pages.
Expected<Lesson> load_lesson(const std::string& folder);

/// Pages of a text: between lines that are just "---".
std::vector<std::string> split_pages(const std::string& text);

/// A page's text for one of "window" and "terminal": without the lines that are meant for the other, and without marks.
std::string text_for(const std::string& page, std::string_view place);

/// The first line of a kernel's text that begins with `start`, blanks in front aside; 0: there is none.
int find_line(const SourceFile& text, const std::string& start);

/// The folder holds a lesson.
bool is_lesson(const std::string& folder);

}  // namespace tilescope::lessons
