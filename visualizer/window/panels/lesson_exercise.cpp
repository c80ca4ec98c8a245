// The exercise in the lesson panel: what the last check found, hints, and the buttons.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

#include "visualizer/window/panels/lesson_parts.h"
#include "visualizer/window/panels/source_text.h"
#include "visualizer/window/rich_text.h"

namespace tilescope::window {
namespace {

using Phase = model::ExerciseCheck::Phase;
using State = model::ExerciseCheck::State;

template <class... Args>
std::string words(const Ui& ui, Text id, Args&&... args) {
  return fmt::format(fmt::runtime(ui.t(id)), args...);
}

/// The last check, when it was of this page's exercise.
State check_here(const LessonGuide& guide) {
  State s = guide.check().state();
  return s.exercise == guide.exercise() ? s : State{};
}

/// What stands between backquotes is code.
void add_words(std::vector<lessons::Span>& out, std::string_view text) {
  for (bool code = false; !text.empty(); code = !code) {
    const size_t end = std::min(text.find('`'), text.size());
    if (end > 0) out.push_back({std::string(text.substr(0, end)), code, false});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// Where, what was expected and what was found.
std::vector<lessons::Span> failure_words(const Ui& ui, const lessons::FailureText& f) {
  std::vector<lessons::Span> out;
  if (!f.place.empty()) {
    out.push_back({f.place + (f.code.empty() ? "\n" : ""), false, false});
    if (!f.code.empty()) out.push_back({f.code, true, false}), out.push_back({"\n", false, false});
  }
  out.push_back({std::string(ui.t(Text::LessonExpected)), false, true});
  add_words(out, f.expected);
  out.push_back({"\n", false, false});
  out.push_back({std::string(ui.t(Text::LessonFound)), false, true});
  add_words(out, f.found);
  return out;
}

/// Returns the height used.
float draw_failure(PanelContext& c, Rect r, const State& check, bool old) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const lessons::Failure& f = *check.result->failure;
  const lessons::FailureText text = lessons::failure_text(f, *check.exercise, lesson_language(ui));
  const float top = r.y;
  r.take_top(ui.paragraph(r, text.headline, TextSize::Title, old ? t.text2 : t.fault_text, ui.px(22)));
  r.take_top(ui.px(4));
  const std::vector<lessons::TextBlock> blocks{{lessons::TextBlock::Kind::Paragraph, 0, 0, failure_words(ui, text)}};
  r.take_top(draw_blocks(ui, "lesson.failure.words", r, blocks, [](const std::string& s) { return s; }) - ui.px(6));
  if (c.lesson->has_place(f)) r.take_top(ui.paragraph(r, ui.t(Text::LessonGoThere), TextSize::Code, t.selected_text, ui.px(20)));
  return r.y - top;
}

float draw_passed(PanelContext& c, Rect r, const State& check, bool old) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const float top = r.y;
  draw_tick(ui, {r.x + ui.px(8), r.y + ui.px(11)}, ui.px(8));
  Rect beside = r;
  beside.take_left(ui.px(26));
  r.take_top(ui.paragraph(beside, ui.t(Text::LessonAllRight), TextSize::Title, old ? t.text2 : t.compute_text, ui.px(22)));
  r.take_top(ui.px(4));
  for (const lessons::ExerciseLaunch& l : check.exercise->launches) r.take_top(ui.paragraph(r, l.label, TextSize::Code, t.text2, ui.px(20)));
  return r.y - top;
}

float draw_running(PanelContext& c, Rect r, const State& check) {
  Ui& ui = c.ui;
  const size_t all = check.exercise->launches.size();
  ui.text_in(r.take_top(ui.px(22)), words(ui, Text::LessonChecking, check.launch + 1, all), TextSize::Title, ui.theme().text1);
  r.take_top(ui.px(6));
  const Rect bar{r.x, r.y, r.w, ui.px(4)};
  ui.fill(bar, ui.theme().line, ui.px(2));
  ui.fill({bar.x, bar.y, bar.w * static_cast<float>(check.launch) / static_cast<float>(std::max<size_t>(1, all)), bar.h}, ui.theme().selected, ui.px(2));
  return ui.px(36);
}

float draw_result_text(PanelContext& c, Rect r, const State& check, bool old) {
  Ui& ui = c.ui;
  const float top = r.y;
  if (old) r.take_top(ui.paragraph(r, ui.t(Text::LessonOld), TextSize::Code, ui.theme().selected_text, ui.px(22)));
  switch (check.phase) {
    case Phase::Nothing: break;
    case Phase::Running: r.take_top(draw_running(c, r, check)); break;
    case Phase::Stopped: r.take_top(ui.paragraph(r, ui.t(Text::LessonStopped), TextSize::Title, ui.theme().text2, ui.px(22))); break;
    case Phase::Failed: r.take_top(draw_failure(c, r, check, old)); break;
    case Phase::Passed: r.take_top(draw_passed(c, r, check, old)); break;
  }
  return r.y - top;
}

}  // namespace

void draw_check_result(PanelContext& c, Rect& body, float most) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  LessonGuide& guide = *c.lesson;
  const State check = check_here(guide);
  if (check.phase == Phase::Nothing) {
    guide.result_height = 0;
    return;
  }
  const float margin = ui.px(12);
  // Its height is known once it was drawn.
  const bool measured = guide.result_height > 0;
  const float whole = measured ? guide.result_height + 2 * margin : 0;
  const Rect card = body.take_bottom(measured ? std::min(whole, most) : 0);
  const bool old = check.is_old(c.scene.run.text.get()), failed = check.phase == Phase::Failed;
  const bool leads = failed && c.scene.run.text != nullptr && guide.has_place(*check.result->failure);
  const ImU32 mark = old || check.phase == Phase::Running || check.phase == Phase::Stopped ? t.text3 : failed ? t.fault : t.compute;
  const Hit h = ui.hit(failed ? "lesson.failure" : "lesson.result", card);
  ui.fill(card, mix(t.panel, mark, leads && h.hovered ? 0.26f : 0.14f));
  ui.fill({card.x, card.y, ui.px(4), card.h}, mark);
  guide.result_scroll = std::clamp(guide.result_scroll - h.wheel * ui.px(48), 0.0f, std::max(0.0f, whole - card.h));
  ui.clip(card);
  const Rect text{card.x + ui.px(16), card.y + margin - guide.result_scroll, card.w - ui.px(32), 1e6f};
  guide.result_height = draw_result_text(c, text, check, old);
  ui.unclip();
  if (whole > card.h && measured) {
    const float bar = card.h * card.h / whole;
    ui.fill({card.right() - ui.px(5), card.y + (card.h - bar) * guide.result_scroll / (whole - card.h), ui.px(3), bar}, t.text3, ui.px(1));
  }
  if (!leads) return;
  if (h.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (!h.clicked) return;
  guide.wishes.failure = true;
  if (const int line = guide.line_of(*check.result->failure, *c.scene.run.text); line > 0) show_source_line(c, line);
}

float draw_hints(PanelContext& c, Rect r) {
  Ui& ui = c.ui;
  const LessonGuide& guide = *c.lesson;
  const float top = r.y;
  for (size_t i = 0; i < guide.hints(); ++i) {
    ui.text(r.min(), words(ui, Text::LessonHintN, i + 1, lessons::kHintLevels), TextSize::Caption, ui.theme().selected_text);
    r.take_top(ui.px(24));
    r.take_top(draw_blocks(ui, "lesson.hinted." + std::to_string(i + 1), r, guide.exercise()->hints[i][lesson_language(ui)], [&](const std::string& s) { return with_numbers(c, s); }));
  }
  return r.y - top;
}

void draw_next_lesson(PanelContext& c, const Rect& r, bool primary) {
  LessonGuide& guide = *c.lesson;
  const LessonCourse::Row* next = guide.course().after(guide.name());
  if (next == nullptr) return;
  const std::string tip = fmt::format("{}  {}", next->number, next->title[lesson_language(c.ui)]);
  if (c.ui.button("lesson.next_lesson", r, c.ui.t(Text::LessonNextLesson), {.primary = primary}, tip)) guide.wishes.lesson = next->name;
}

float exercise_buttons_height(const Ui& ui) { return ui.px(96); }

void draw_exercise_buttons(PanelContext& c, Rect r) {
  Ui& ui = c.ui;
  LessonGuide& guide = *c.lesson;
  ui.fill({r.x, r.y, r.w, 1}, ui.theme().line);
  r = r.inset(ui.px(12));
  const float gap = ui.px(8), w = (r.w - 2 * gap) / 3;
  const State check = check_here(guide);
  const bool running = check.phase == Phase::Running;
  Rect row = r.take_top(ui.px(32));
  const auto place = [&](Rect& from) {
    const Rect out = from.take_left(w);
    from.take_left(gap);
    return out;
  };
  // What comes next stands out: checking, until it is passed.
  const bool done = check.phase == Phase::Passed && !check.is_old(c.scene.run.text.get());
  if (running) {
    if (ui.button("lesson.stop", place(row), ui.t(Text::LessonStop), {})) guide.check().cancel();
  } else if (ui.button("lesson.check", place(row), ui.t(Text::LessonCheck), {.primary = !done})) {
    guide.wishes.check = true;
  }
  const bool more = guide.hints() < lessons::kHintLevels;
  const std::string hint = guide.hints() == 0 ? std::string(ui.t(Text::LessonHint)) : words(ui, Text::LessonHintN, std::min(guide.hints() + 1, lessons::kHintLevels), lessons::kHintLevels);
  if (ui.button("lesson.hint", place(row), hint, {.enabled = more})) guide.next_hint();
  if (ui.button("lesson.reset", place(row), ui.t(Text::LessonReset), {})) guide.wishes.reset = true;
  r.take_top(gap);
  row = r.take_top(ui.px(32));
  if (ui.button("lesson.back", place(row), ui.t(Text::LessonBack), {.enabled = guide.page() > 0})) guide.go_to(guide.page() - 1);
  const Rect solution = place(row);
  if (ui.button("lesson.solution", solution, ui.t(Text::LessonSolution), {.enabled = guide.may_see_solution()})) guide.wishes.solution = true;
  if (!guide.may_see_solution() && ui.hit("lesson.solution.later", solution).hovered) ui.tooltip(ui.t(Text::LessonSolutionLater));
  const Rect next = place(row);
  if (guide.is_last()) draw_next_lesson(c, next, done);
  else if (ui.button("lesson.next", next, ui.t(Text::LessonNext), {.primary = done})) guide.go_to(guide.page() + 1);
}

}  // namespace tilescope::window
