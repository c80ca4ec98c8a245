// Leads through a lesson: which page is open, and what the window shows on it.
#pragma once

#include <optional>

#include "lessons/lesson.h"
#include "visualizer/model/controller.h"

namespace tilescope::window {

/// What the command line chose: the first page that opens leaves it alone.
struct ChosenView {
  bool panel = false, step = false, program = false;
};

class LessonGuide {
 public:
  explicit LessonGuide(lessons::Lesson lesson);

  const lessons::Lesson& lesson() const { return lesson_; }
  /// Every text of the lesson, for the fonts' glyphs.
  const std::string& all_text() const { return all_text_; }
  size_t page() const { return page_; }
  const lessons::Page& current() const { return lesson_.pages[page_]; }
  void go_to(size_t page, const ChosenView& chosen = {});
  /// Shows again what the page speaks of.
  void show() { to_show_ = true; }

  int choice() const { return choices_[page_]; }  ///< -1: none yet
  void choose(int c) { choices_[page_] = c; }

  /// Once a frame: brings program, step and panel to what the page wants, as soon as they are recorded.
  void advance(model::Controller& control);

  float scroll = 0;  ///< of the text, in pixels

 private:
  lessons::Lesson lesson_;
  std::string all_text_;
  size_t page_ = 0;
  std::vector<int> choices_;
  bool to_show_ = true;
  ChosenView chosen_;
};

}  // namespace tilescope::window
