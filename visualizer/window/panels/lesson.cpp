// The lesson: a page of text, its question, and the way on.
#include <fmt/format.h>

#include <algorithm>

#include "lessons/numbers.h"
#include "visualizer/window/lesson_guide.h"
#include "visualizer/window/panel.h"
#include "visualizer/window/rich_text.h"

namespace tilescope::window {
namespace {

size_t language_index(const Ui& ui) { return ui.language() == model::Language::Chinese ? 1 : 0; }

std::string filled(const PanelContext& c, const std::string& text) {
  const model::Published& run = c.scene.run;
  return lessons::fill_numbers(text, [&](std::string_view name) -> std::optional<std::string> {
    if (run.launch == nullptr || run.totals == nullptr) return "…";
    const auto number = lessons::number_of(name, *run.launch, run.totals->trace, run.totals->tensors);
    if (!number) c.ui.place("lesson.unfilled." + std::string(name), {});
    return number;
  });
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
    if (h.hovered) ui.tooltip(fmt::format(fmt::runtime(ui.t(Text::LessonPage)), i + 1, pages));
    if (h.clicked) guide.go_to(i);
  }
}

/// Returns the height used.
float draw_question(PanelContext& c, Rect r) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  LessonGuide& guide = *c.lesson;
  const std::vector<std::string>& choices = guide.current().choices[language_index(ui)];
  if (choices.empty()) return 0;
  const float top = r.y;
  ui.text(r.min(), ui.t(Text::LessonPredict), TextSize::Caption, t.selected_text);
  r.take_top(ui.px(24));
  for (size_t i = 0; i < choices.size(); ++i) {
    const float row = ui.px(22);
    const std::vector<std::string> rows = wrap_code(ui, filled(c, choices[i]), TextSize::Body, r.w - ui.px(76));
    const Rect box = r.take_top(ui.px(14) + row * static_cast<float>(rows.size()));
    r.take_top(ui.px(6));
    const bool chosen = guide.choice() == static_cast<int>(i), right = chosen && guide.current().answer == static_cast<int>(i);
    const Hit h = ui.hit("lesson.choice." + std::to_string(i), box);
    ui.fill(box, chosen ? t.current_line : h.hovered ? mix(t.raised, t.text1, 0.08f) : t.raised, ui.px(4));
    ui.outline(box, chosen ? t.selected : t.line, chosen ? 2 : 1, ui.px(4));
    const ImVec2 centre{box.x + ui.px(20), box.y + box.h / 2};
    ui.draw().AddCircle(centre, ui.px(7), t.text2, 0, ui.px(1.5f));
    if (chosen) ui.draw().AddCircleFilled(centre, ui.px(4), t.selected_text);
    for (size_t k = 0; k < rows.size(); ++k)
      ui.text_in({box.x + ui.px(40), box.y + ui.px(7) + row * static_cast<float>(k), box.w - ui.px(76), row}, rows[k], TextSize::Body, t.text1, true);
    if (right) draw_tick(ui, {box.right() - ui.px(20), centre.y}, ui.px(8));
    if (h.clicked) guide.choose(static_cast<int>(i));
  }
  if (guide.choice() >= 0) {
    const bool right = guide.choice() == guide.current().answer;
    r.take_top(ui.px(2));
    r.take_top(ui.paragraph(r, ui.t(right ? Text::LessonRight : Text::LessonWrong), TextSize::Body, right ? t.compute_text : t.fault_text, ui.px(24)));
  }
  return r.y - top;
}

void draw_buttons(PanelContext& c, Rect r) {
  Ui& ui = c.ui;
  LessonGuide& guide = *c.lesson;
  ui.fill({r.x, r.y, r.w, 1}, ui.theme().line);
  r = r.inset(ui.px(12));
  const float w = std::min(ui.px(108), (r.w - ui.px(16)) / 3);
  const size_t last = guide.lesson().pages.size() - 1;
  if (ui.button("lesson.back", r.take_left(w), ui.t(Text::LessonBack), {.enabled = guide.page() > 0})) guide.go_to(guide.page() - 1);
  r.take_left(ui.px(8));
  if (ui.button("lesson.next", r.take_right(w), ui.t(Text::LessonNext), {.primary = guide.page() < last, .enabled = guide.page() < last})) guide.go_to(guide.page() + 1);
  r.take_right(ui.px(8));
  if (ui.button("lesson.show", r.take_right(w), ui.t(Text::LessonShow), {})) guide.show();
}

}  // namespace

void draw_lesson(PanelContext& c, Rect header, Rect body) {
  if (c.lesson == nullptr) return;
  Ui& ui = c.ui;
  LessonGuide& guide = *c.lesson;
  draw_page_marks(c, header);
  draw_buttons(c, body.take_bottom(ui.px(56)));
  const Hit h = ui.hit("lesson.text", body);
  if (h.wheel != 0) guide.scroll -= h.wheel * ui.px(48);
  const Rect page = body.inset(ui.px(16));
  ui.clip(body);
  Rect at{page.x, page.y - guide.scroll, page.w, 1e6f};
  ui.text(at.min(), guide.lesson().title[language_index(ui)], TextSize::Caption, ui.theme().text3);
  at.take_top(ui.px(24));
  at.take_top(draw_blocks(ui, "lesson.block", at, guide.current().text[language_index(ui)], [&](const std::string& s) { return filled(c, s); }));
  at.take_top(ui.px(8));
  at.take_top(draw_question(c, at));
  ui.unclip();
  const float height = at.y + guide.scroll - page.y;
  guide.scroll = std::clamp(guide.scroll, 0.0f, std::max(0.0f, height - page.h));
  if (height > page.h) {
    const float share = page.h / height, bar = body.h * share;
    ui.fill({body.right() - ui.px(5), body.y + (body.h - bar) * guide.scroll / (height - page.h), ui.px(3), bar}, ui.theme().text3, ui.px(1));
  }
}

}  // namespace tilescope::window
