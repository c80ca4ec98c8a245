// The bar under the top bar: an error of the launch, a fault of the program that is shown, a recording that ends early.
#include <fmt/format.h>

#include <filesystem>

#include "visualizer/window/chrome.h"
#include "visualizer/window/spoken.h"
#include "visualizer/window/lesson_guide.h"

namespace tilescope::window {
namespace {

constexpr float kRow = 34, kSecondRow = 22;

std::string place_of(const SourceRange& r) {
  if (!r.valid()) return {};
  const std::string file = r.file != nullptr ? std::filesystem::path(r.file->path).filename().string() : std::string();
  return fmt::format("{}:{}:{}  ", file, r.line, r.column);
}

/// Width of what stands at the right end of the bar.
float end_width(const Ui& ui) { return ui.px(200); }

bool two_rows(const Ui& ui, const Notice& n) {
  Ui& measure = const_cast<Ui&>(ui);
  if (n.detail.empty()) return false;
  return measure.width(n.text, TextSize::Title) + measure.width(n.detail, TextSize::Caption) + ui.px(24 + 40 + 16) + end_width(ui) > ui.size().x;
}

}  // namespace

std::optional<Notice> notice_of(const Ui& ui, const model::Scene& scene, bool withheld) {
  const model::Published& run = scene.run;
  Notice n;
  n.withheld = withheld;
  if (!run.errors.empty()) {
    const Diagnostic& d = run.errors.front();
    n.kind = Notice::Kind::Error;
    n.text = place_of(d.range) + (d.range.valid() ? spoken_error(ui, d.message, d.range.line) : spoken(ui, d.message));
    n.detail = withheld ? std::string(ui.t(Text::LessonWithheldHint)) : spoken(ui, d.hint);
    return n;
  }
  const bool faults = (run.totals != nullptr && !run.totals->trace.faults.empty()) || (scene.trace != nullptr && !scene.trace->faults.empty());
  if (withheld) {
    if (!faults) return std::nullopt;
    n.text = ui.t(Text::LessonWithheld);
    return n;
  }
  if (run.totals != nullptr) {
    const std::vector<Fault>& faults = run.totals->trace.faults;
    for (size_t i = 0; i < faults.size(); ++i) {
      if (faults[i].program != scene.program) continue;
      n.kind = Notice::Kind::Fault;
      n.text = place_of(faults[i].range) + spoken(ui, faults[i].message);
      n.detail = spoken(ui, faults[i].hint);
      n.fault = i;
      return n;
    }
  }
  if (scene.trace != nullptr && !scene.trace->faults.empty()) {
    const Fault& f = scene.trace->faults.front();
    n.kind = Notice::Kind::Fault;
    n.text = place_of(f.range) + spoken(ui, f.message);
    n.detail = spoken(ui, f.hint);
    return n;
  }
  if (scene.trace != nullptr && !scene.trace->truncated.empty()) {
    n.text = fmt::format(fmt::runtime(ui.t(Text::RecordingEnds)), spoken(ui, scene.trace->truncated));
    return n;
  }
  if (run.notes.empty()) return std::nullopt;
  n.text = spoken(ui, run.notes.front());
  return n;
}

float notice_height(const Ui& ui, const std::optional<Notice>& notice) {
  if (!notice) return 0;
  return ui.px(kRow) + (two_rows(ui, *notice) ? ui.px(kSecondRow) : 0);
}

void draw_notice(PanelContext& c, Chrome& chrome, const Notice& n, Rect r) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const bool bad = n.kind != Notice::Kind::Note, stacked = two_rows(ui, n);
  const ImU32 mark = bad ? t.fault : t.selected;
  ui.place("notice", r);
  ui.fill(r, mix(t.panel, mark, t.dark ? 0.22f : 0.12f), ui.px(4));
  ui.fill({r.x, r.y, ui.px(4), r.h}, mark);
  Rect row = r;
  row.h = ui.px(kRow);
  row.take_left(ui.px(16));
  row.take_right(ui.px(8));
  const ImVec2 dot{row.x + ui.px(7), row.y + row.h / 2};
  ui.draw().AddCircleFilled(dot, ui.px(7), mark);
  if (bad) ui.cross({dot.x - ui.px(8), dot.y - ui.px(8), ui.px(16), ui.px(16)}, IM_COL32_WHITE, ui.px(2));
  row.take_left(ui.px(24));

  if (n.withheld && c.lesson != nullptr) {
    const std::string_view text = ui.t(Text::LessonShowDiagnosis);
    const Rect b = row.take_right(ui.width(text, TextSize::Title) + ui.px(20));
    if (ui.button("notice.diagnosis", {b.x, b.y + ui.px(4), b.w, b.h - ui.px(8)}, text, {})) c.lesson->show_diagnosis();
  } else if (n.kind == Notice::Kind::Error && c.scene.run.launch != nullptr) {
    const std::string_view text = ui.t(Text::FromBeforeEdit);
    ui.text_in(row.take_right(ui.width(text, TextSize::Caption) + ui.px(8)), text, TextSize::Caption, t.text2, false, Align::Centre);
  } else if (n.fault) {
    const std::string_view text = ui.t(Text::GoThere);
    const Rect b = row.take_right(ui.width(text, TextSize::Title) + ui.px(20));
    if (ui.button("notice.go", {b.x, b.y + ui.px(4), b.w, b.h - ui.px(8)}, text, {})) {
      chrome.fault = *n.fault;
      c.control.go_to_fault(*n.fault);
    }
  }
  row.take_right(ui.px(12));
  const float w = std::min(row.w, ui.width(n.text, TextSize::Title));
  Rect first = row.take_left(stacked ? row.w : w);
  ui.text_in(first, n.text, TextSize::Title, t.text1);
  if (n.detail.empty()) return;
  if (stacked) row = {first.x, r.y + ui.px(kRow - 6), r.right() - first.x - ui.px(16), ui.px(kSecondRow)};
  else row.take_left(ui.px(16));
  ui.text_in(row, n.detail, TextSize::Caption, t.text2);
}

}  // namespace tilescope::window
