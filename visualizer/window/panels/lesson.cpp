// The lesson: a page of text, its question, and the way on.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lessons/numbers.h"
#include "visualizer/window/chrome.h"
#include "visualizer/window/panels/lesson_parts.h"
#include "visualizer/window/rich_text.h"

namespace tilescope::window {

size_t lesson_language(const Ui& ui) { return ui.language() == model::Language::Chinese ? lessons::kChinese : lessons::kEnglish; }

std::string with_numbers(const PanelContext& c, const std::string& text) { return with_numbers(c, text, c.lesson->current().exercise ? c.lesson->question_run(c.scene.run) : c.scene.run); }

std::string with_numbers(const PanelContext& c, const std::string& text, const model::Published& run) {
  return lessons::fill_numbers(text, [&](std::string_view name) -> std::optional<std::string> {
    const bool of_page_before = c.lesson->is_refused() && &run == &c.scene.run;
    if (run.launch == nullptr || run.totals == nullptr || of_page_before) return "…";
    const auto number = lessons::number_of(name, *run.launch, run.totals->trace, run.totals->tensors);
    if (!number) c.ui.place("lesson.unfilled." + std::string(name), {});
    return number;
  });
}

namespace {

/// Below the mark of a page whose question was answered: a bar when it was right, two dots when it was not.
void draw_answer_mark(Ui& ui, const Rect& area, const Rect& box, bool right) {
  const Theme& t = ui.theme();
  const float high = ui.px(3), y = std::min(box.bottom() + ui.px(4), area.bottom() - high);
  if (right) return ui.fill({box.x, y, box.w, high}, t.compute_text);
  const float dot = std::min(high, box.w / 3);
  ui.fill({box.x, y, dot, high}, t.fault_text);
  ui.fill({box.right() - dot, y, dot, high}, t.fault_text);
}

std::string page_tip(const Ui& ui, const LessonGuide& guide, size_t page) {
  std::string out = fmt::format(fmt::runtime(ui.t(Text::LessonPage)), page + 1, guide.lesson().pages.size());
  if (const std::optional<bool> right = guide.answered(page)) out += ui.t(*right ? Text::LessonAnsweredRight : Text::LessonAnsweredWrong);
  return out;
}

void draw_page_marks(PanelContext& c, Rect& header) {
  Ui& ui = c.ui;
  LessonGuide& guide = *c.lesson;
  const size_t pages = guide.lesson().pages.size();
  // Beside the tabs there may be little room for many pages.
  const float cell = std::min(ui.px(15), header.w / static_cast<float>(pages)), gap = cell / 3, box = cell - gap;
  Rect row = header.take_right(static_cast<float>(pages) * (box + gap));
  for (size_t i = 0; i < pages; ++i) {
    const Rect r{row.x + static_cast<float>(i) * (box + gap), row.y + (row.h - box) / 2, box, box};
    const Rect area{r.x - gap / 2, row.y, box + gap, row.h};
    const Hit h = ui.hit("lesson.page." + std::to_string(i + 1), area);
    if (i < guide.page()) ui.fill(r, ui.theme().compute);
    else if (i == guide.page()) ui.fill(r, ui.theme().selected);
    ui.outline(r, h.hovered ? ui.theme().text1 : ui.theme().text3);
    const std::optional<bool> answered = guide.answered(i);
    if (answered) draw_answer_mark(ui, area, r, *answered);
    if (h.hovered) ui.tooltip(page_tip(ui, guide, i));
    if (h.clicked) guide.go_to(i);
  }
}

constexpr float kChoiceRow = 22;

void draw_choice(PanelContext& c, const Rect& box, const std::vector<std::string>& rows, int i) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  LessonGuide& guide = *c.lesson;
  const bool chosen = guide.choice() == i, right = chosen && guide.is_right();
  const Hit h = ui.hit("lesson.choice." + std::to_string(i), box);
  ui.fill(box, chosen ? t.current_line : h.hovered ? mix(t.raised, t.text1, 0.08f) : t.raised, ui.px(4));
  ui.outline(box, chosen ? t.selected : t.line, chosen ? 2 : 1, ui.px(4));
  const ImVec2 centre{box.x + ui.px(20), box.y + box.h / 2};
  ui.draw().AddCircle(centre, ui.px(7), t.text2, 0, ui.px(1.5f));
  if (chosen) ui.draw().AddCircleFilled(centre, ui.px(4), t.selected_text);
  const float row = ui.px(kChoiceRow);
  for (size_t k = 0; k < rows.size(); ++k)
    ui.text_in({box.x + ui.px(40), box.y + ui.px(7) + row * static_cast<float>(k), box.w - ui.px(76), row}, rows[k], TextSize::Body, t.text1, true);
  if (right) draw_tick(ui, {box.right() - ui.px(20), centre.y}, ui.px(8));
  if (h.clicked) guide.choose(i);
}

/// A line of text to click; takes its row from `r`.
bool draw_link(Ui& ui, Rect& r, std::string_view name, Text text) {
  const Rect row = r.take_top(ui.px(26));
  const Hit h = ui.hit(name, {row.x, row.y, std::min(row.w, ui.width(ui.t(text), TextSize::Code)), row.h});
  ui.text_in(row, ui.t(text), TextSize::Code, h.hovered ? ui.theme().text1 : ui.theme().selected_text);
  return h.clicked;
}

/// Returns the height used.
float draw_question(PanelContext& c, Rect r) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const LessonGuide& guide = *c.lesson;
  const std::vector<std::string>& choices = guide.current().choices[lesson_language(ui)];
  if (choices.empty()) return 0;
  const model::Published& run = guide.question_run(c.scene.run);
  const float top = r.y;
  ui.text(r.min(), ui.t(Text::LessonPredict), TextSize::Caption, t.selected_text);
  r.take_top(ui.px(24));
  for (size_t i = 0; i < choices.size(); ++i) {
    const std::vector<std::string> rows = wrap_code(ui, with_numbers(c, choices[i], run), TextSize::Body, r.w - ui.px(76));
    draw_choice(c, r.take_top(ui.px(14) + ui.px(kChoiceRow) * static_cast<float>(rows.size())), rows, static_cast<int>(i));
    r.take_top(ui.px(6));
  }
  if (guide.choice() < 0) return r.y - top;
  const bool right = guide.is_right();
  const std::vector<lessons::TextBlock>& why = guide.current().why[lesson_language(ui)];
  const Text verdict = right ? Text::LessonRight : why.empty() ? Text::LessonWrong : Text::LessonNotQuite;
  r.take_top(ui.px(2));
  r.take_top(ui.paragraph(r, ui.t(verdict), TextSize::Body, right ? t.compute_text : t.fault_text, ui.px(24)));
  r.take_top(ui.px(6));
  r.take_top(draw_blocks(ui, "lesson.why", r, why, [&](const std::string& s) { return with_numbers(c, s, run); }));
  if (draw_link(ui, r, "lesson.again", Text::LessonAnswerAgain)) c.lesson->answer_again();
  return r.y - top;
}

/// The arguments that the page invites to change. Returns the height used.
float draw_sliders(PanelContext& c, Rect r) {
  Ui& ui = c.ui;
  const std::vector<std::string>& names = c.lesson->current().sliders;
  if (names.empty() || c.chrome == nullptr) return 0;
  const float top = r.y;
  r.take_top(ui.px(10));
  const bool tight = std::exchange(c.chrome->tight, false);
  c.chrome->fields = "lesson.";
  ui.text(r.min(), ui.t(Text::LessonTry), TextSize::Caption, ui.theme().selected_text);
  r.take_top(ui.px(22));
  float name = 0;
  for (const std::string& n : names) name = std::max(name, ui.width(n, TextSize::Code, true));
  const std::vector<model::ArgumentControl> controls = controls_of(c, *c.chrome);
  for (const std::string& n : names)
    for (const model::ArgumentControl& a : controls)
      if (a.name == n) draw_argument(c, *c.chrome, a, r.take_top(ui.px(36)), name);
  c.chrome->fields.clear();
  c.chrome->tight = tight;
  return r.y - top + ui.px(8);
}

/// The lesson's title: a click opens the list of all.
void draw_title(PanelContext& c, Rect r) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  LessonGuide& guide = *c.lesson;
  const LessonCourse::Row* row = guide.course().find(guide.name());
  std::string title = guide.lesson().title[lesson_language(ui)];
  if (row != nullptr && row->number > 0) title = fmt::format("{}  {}", row->number, title);
  const float w = std::min(r.w - ui.px(24), ui.width(title, TextSize::Code));
  const Rect area{r.x, r.y, w + ui.px(40), r.h};
  const Hit h = ui.hit("lesson.title", area);
  const bool open = c.chrome != nullptr && c.chrome->popup == Popup::Lessons;
  const ImU32 ink = h.hovered || open ? t.text1 : t.text2;
  ui.text_in({r.x + ui.px(16), r.y, w, r.h}, title, TextSize::Code, ink);
  ui.triangle({r.x + ui.px(28) + w, r.y + r.h / 2}, ui.px(4), 90, ink);
  if (h.hovered) ui.tooltip(ui.t(Text::LessonAll));
  if (!h.clicked || c.chrome == nullptr) return;
  c.chrome->popup = open ? Popup::None : Popup::Lessons;
  c.chrome->anchor = area;
  c.chrome->scroll = 0;
}

void draw_buttons(PanelContext& c, Rect r) {
  Ui& ui = c.ui;
  LessonGuide& guide = *c.lesson;
  ui.fill({r.x, r.y, r.w, 1}, ui.theme().line);
  r = r.inset(ui.px(12));
  const float w = std::min(ui.px(108), (r.w - ui.px(16)) / 3);
  if (ui.button("lesson.back", r.take_left(w), ui.t(Text::LessonBack), {.enabled = guide.page() > 0})) guide.go_to(guide.page() - 1);
  r.take_left(ui.px(8));
  const Rect next = r.take_right(w);
  if (guide.is_last()) draw_next_lesson(c, next, true);
  else if (ui.button("lesson.next", next, ui.t(Text::LessonNext), {.primary = true})) guide.go_to(guide.page() + 1);
  r.take_right(ui.px(8));
  if (ui.button("lesson.show", r.take_right(w), ui.t(Text::LessonShow), {}, ui.t(Text::LessonShowTip))) guide.show();
}

}  // namespace

void draw_lesson(PanelContext& c, Rect header, Rect body) {
  if (c.lesson == nullptr) return;
  Ui& ui = c.ui;
  LessonGuide& guide = *c.lesson;
  draw_page_marks(c, header);
  draw_title(c, body.take_top(ui.px(32)));
  if (guide.on_exercise()) {
    draw_exercise_buttons(c, body.take_bottom(exercise_buttons_height(ui)));
    draw_check_result(c, body, body.h * 0.6f);
  } else {
    draw_buttons(c, body.take_bottom(ui.px(56)));
  }
  const Hit h = ui.hit("lesson.text", body);
  if (h.wheel != 0) guide.scroll -= h.wheel * ui.px(48);
  const Rect page{body.x + ui.px(16), body.y + ui.px(4), body.w - ui.px(32), body.h - ui.px(12)};
  ui.clip(body);
  Rect at{page.x, page.y - guide.scroll, page.w, 1e6f};
  at.take_top(draw_blocks(ui, "lesson.block", at, guide.current().text[lesson_language(ui)], [&](const std::string& s) { return with_numbers(c, s); }));
  at.take_top(ui.px(8));
  at.take_top(draw_question(c, at));
  at.take_top(draw_sliders(c, at));
  if (guide.on_exercise()) at.take_top(draw_hints(c, at));
  ui.unclip();
  const float height = at.y + guide.scroll - page.y;
  if (std::exchange(guide.scroll_to_end, false)) guide.scroll = height;
  guide.scroll = std::clamp(guide.scroll, 0.0f, std::max(0.0f, height - page.h));
  if (height > page.h) {
    const float share = page.h / height, bar = body.h * share;
    ui.fill({body.right() - ui.px(5), body.y + (body.h - bar) * guide.scroll / (height - page.h), ui.px(3), bar}, ui.theme().text3, ui.px(1));
  }
}

}  // namespace tilescope::window
