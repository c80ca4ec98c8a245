// What lies over the panels for a lesson: the list of all lessons, the question before an answer is reset, the solution.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "core/compile.h"
#include "visualizer/window/chrome.h"
#include "visualizer/window/lesson_guide.h"
#include "visualizer/window/panels/lesson_parts.h"
#include "visualizer/window/rich_text.h"

namespace tilescope::window {
namespace {

std::string progress_text(const Ui& ui, const LessonCourse& course, const LessonCourse::Row& row) {
  const model::LessonProgress p = course.progress(row.name);
  if (p.passed) return std::string(ui.t(Text::LessonPassed));
  if (course.is_finished(row)) return std::string(ui.t(Text::LessonRead));
  return p.page == 0 ? std::string() : fmt::format("{}/{}", std::min(p.page, row.pages), row.pages);
}

void draw_menu_row(PanelContext& c, Chrome& chrome, const LessonCourse::Row& row, const Rect& r) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  LessonGuide& guide = *c.lesson;
  const Hit h = ui.hit("lesson.open." + row.name, r);
  const bool here = row.name == guide.name();
  if (h.hovered) ui.fill(r, mix(t.raised, t.text1, 0.12f), ui.px(4));
  if (here) ui.fill({r.x, r.y + ui.px(4), ui.px(3), r.h - ui.px(8)}, t.selected);
  Rect in{r.x + ui.px(12), r.y, r.w - ui.px(24), r.h};
  if (row.number > 0) ui.text_in({in.x, in.y, ui.px(20), in.h}, std::to_string(row.number), TextSize::Title, t.text3, false, Align::Right);
  in.take_left(ui.px(32));
  const std::string done = progress_text(ui, guide.course(), row);
  if (guide.course().is_finished(row)) {
    const Rect mark = in.take_right(ui.px(20));
    draw_tick(ui, {mark.x + mark.w / 2, mark.y + mark.h / 2}, ui.px(8));
    in.take_right(ui.px(8));
  }
  const Rect text = in.take_right(ui.width(done, TextSize::Caption));
  ui.text_in({text.x, text.y, text.w + 1, text.h}, done, TextSize::Caption, t.text3);
  in.take_right(ui.px(8));
  ui.text_in(in, row.title[lesson_language(ui)], TextSize::Title, here ? t.selected_text : t.text1);
  if (!h.clicked) return;
  chrome.popup = Popup::None;
  guide.wishes.lesson = row.name;
}

void scroll_by_wheel(Chrome& chrome, const Hit& h, float content, float room, float row) {
  if (h.wheel != 0) chrome.scroll -= h.wheel * row * 2;
  chrome.scroll = std::clamp(chrome.scroll, 0.0f, std::max(0.0f, content - room));
}

}  // namespace

void draw_lessons_menu(PanelContext& c, Chrome& chrome) {
  if (c.lesson == nullptr) return;
  Ui& ui = c.ui;
  const std::vector<LessonCourse::Row>& rows = c.lesson->course().rows();
  const float high = ui.px(32);
  float w = ui.px(200);
  for (const LessonCourse::Row& row : rows)
    w = std::max(w, ui.width(row.title[lesson_language(ui)], TextSize::Title) + ui.width(progress_text(ui, c.lesson->course(), row), TextSize::Caption));
  const Rect r = menu_ground(ui, chrome.anchor, std::min(w + ui.px(128), ui.size().x - ui.px(32)), high * static_cast<float>(rows.size()) + ui.px(8));
  const float room = r.h - ui.px(8);
  // A row that is hovered lies over the ground, so the wheel is read from the mouse itself.
  Hit wheel = ui.hit("menu.ground", r);
  if (r.contains(ImGui::GetIO().MousePos)) wheel.wheel = ImGui::GetIO().MouseWheel;
  scroll_by_wheel(chrome, wheel, high * static_cast<float>(rows.size()), room, high);
  ui.clip({r.x, r.y + ui.px(4), r.w, room});
  float y = r.y + ui.px(4) - chrome.scroll;
  for (const LessonCourse::Row& row : rows) {
    draw_menu_row(c, chrome, row, {r.x + ui.px(4), y, r.w - ui.px(8), high});
    y += high;
  }
  ui.unclip();
}

void draw_reset_question(PanelContext& c, Chrome& chrome) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const float margin = ui.px(24);
  const Rect r = question_ground(ui, ui.px(520), ui.px(160));
  ui.text({r.x + margin, r.y + ui.px(20)}, ui.t(Text::LessonResetTitle), TextSize::Question, t.text1);
  ui.paragraph({r.x + margin, r.y + ui.px(54), r.w - 2 * margin, 0}, ui.t(Text::LessonResetText), TextSize::Title, t.text2, ui.px(22));
  Rect row{r.x + margin, r.bottom() - ui.px(52), r.w - 2 * margin, ui.px(32)};
  if (question_button(ui, row, "reset.yes", Text::LessonReset, {.primary = true})) {
    chrome.reset_answer = true;
    chrome.popup = Popup::None;
  }
  if (question_button(ui, row, "reset.no", Text::GoBack, {})) chrome.popup = Popup::None;
}

void draw_solution(PanelContext& c, Chrome& chrome) {
  if (c.lesson == nullptr || !c.lesson->on_exercise()) return;
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  if (chrome.solution == nullptr || chrome.solution->path != c.lesson->exercise()->solution_path) {
    const Expected<SourcePtr> text = read_source(c.lesson->exercise()->solution_path);
    if (!text) {
      chrome.popup = Popup::None;
      return;
    }
    chrome.solution = *text;
  }
  const std::string& text = chrome.solution->text;
  const float line = ui.px(22), margin = ui.px(24);
  const auto lines = static_cast<float>(std::count(text.begin(), text.end(), '\n') + (text.ends_with('\n') ? 0 : 1));
  const float content = line * lines + ui.px(16);
  const Rect r = question_ground(ui, ui.px(860), content + ui.px(176));
  const Hit ground = ui.hit("solution.ground", r);
  ui.text({r.x + margin, r.y + ui.px(20)}, ui.t(Text::LessonSolutionTitle), TextSize::Question, t.text1);
  ui.text_in({r.x + margin, r.y + ui.px(50), r.w - 2 * margin, ui.px(24)}, ui.t(Text::LessonSolutionText), TextSize::Title, t.text2);
  const Rect code{r.x + margin, r.y + ui.px(84), r.w - 2 * margin, r.h - ui.px(84 + 68)};
  ui.place("solution.text", code);
  scroll_by_wheel(chrome, ground, content, code.h, line);
  ui.fill(code, t.raised, ui.px(4));
  ui.clip(code);
  // One walk over the text, and only rows that are seen are drawn.
  float y = code.y + ui.px(8) - chrome.scroll;
  for (size_t begin = 0; begin < text.size() && y < code.bottom(); y += line) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view row = std::string_view(text).substr(begin, end - begin);
    if (row.ends_with('\r')) row.remove_suffix(1);
    if (y + line > code.y) ui.text_in({code.x + ui.px(12), y, code.w - ui.px(24), line}, row, TextSize::Code, t.text1, true);
    begin = end + 1;
  }
  ui.unclip();
  if (content > code.h) {
    const float bar = code.h * code.h / content;
    ui.fill({code.right() - ui.px(6), code.y + (code.h - bar) * chrome.scroll / (content - code.h), ui.px(4), bar}, t.text3, ui.px(2));
  }
  Rect row{r.x + margin, r.bottom() - ui.px(52), r.w - 2 * margin, ui.px(32)};
  if (question_button(ui, row, "solution.close", Text::LessonClose, {.primary = true})) chrome.popup = Popup::None;
  if (question_button(ui, row, "solution.use", Text::LessonUseSolution, {})) {
    chrome.use_solution = true;
    chrome.popup = Popup::None;
  }
}

}  // namespace tilescope::window
