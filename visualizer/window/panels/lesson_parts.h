// Parts of the lesson panel.
#pragma once

#include <string>
#include <vector>

#include "visualizer/window/lesson_guide.h"
#include "visualizer/window/panel.h"

namespace tilescope::window {

/// Index into what a lesson has in each language.
size_t lesson_language(const Ui& ui);
/// The text with the numbers of the run that is shown.
std::string with_numbers(const PanelContext& c, const std::string& text);
/// The same of another run.
std::string with_numbers(const PanelContext& c, const std::string& text, const model::Published& run);

/// What the last check found, pinned above the buttons. `most`: height that it may take of the panel.
void draw_check_result(PanelContext& c, Rect& body, float most);
/// The hints that were asked for; returns the height used.
float draw_hints(PanelContext& c, Rect r);
/// The two rows of buttons below an exercise.
float exercise_buttons_height(const Ui& ui);
void draw_exercise_buttons(PanelContext& c, Rect r);
/// At the end of a lesson: the way to the next one. Drawn into r.
void draw_next_lesson(PanelContext& c, const Rect& r, bool primary);

}  // namespace tilescope::window
