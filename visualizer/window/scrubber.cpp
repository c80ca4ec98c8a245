// The strip at the bottom: one segment a loop iteration, one cell a step; play, step, speed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "visualizer/window/window.h"

namespace tilescope::window {
namespace {

using model::LineStep;
using model::Section;
using model::StepUnit;

constexpr size_t kMostCells = 40;  ///< beyond: iterations only, the current one opened

void draw_buttons(PanelContext& c, Rect& r, bool flat) {
  Ui& ui = c.ui;
  const float b = ui.px(32), gap = ui.px(4);
  Rect row{r.x, r.y + (flat ? (r.h - b) / 2 : ui.px(8)), r.w, b};
  const auto place = [&] {
    const Rect out = row.take_left(b);
    row.take_left(gap);
    return out;
  };
  const ImU32 ink = ui.theme().text1;
  const auto bar = [&](const Rect& q, float dx) { ui.fill({q.x + q.w / 2 + ui.px(dx) - ui.px(1), q.y + ui.px(10), ui.px(2), q.h - ui.px(20)}, ink); };
  const auto arrow = [&](const Rect& q, float dx, float degrees, ImU32 colour) {
    ui.triangle({q.x + q.w / 2 + ui.px(dx), q.y + q.h / 2}, ui.px(6), degrees, colour);
  };
  Rect q = place();
  if (ui.button("scrubber.start", q, "", {}, ui.t(Text::KeyStart))) c.control.go_to_start();
  bar(q, -5), arrow(q, 2, 180, ink);
  q = place();
  if (ui.button("scrubber.back", q, "", {}, ui.t(Text::KeyBack))) c.control.move(c.state.unit, -1);
  arrow(q, 0, 180, ink);
  q = place();
  if (ui.button("scrubber.play", q, "", {.primary = true}, ui.t(Text::KeyPlay))) c.control.toggle_play();
  if (c.state.playing) {
    ui.fill({q.x + q.w / 2 - ui.px(5), q.y + ui.px(10), ui.px(4), q.h - ui.px(20)}, IM_COL32_WHITE);
    ui.fill({q.x + q.w / 2 + ui.px(2), q.y + ui.px(10), ui.px(4), q.h - ui.px(20)}, IM_COL32_WHITE);
  } else {
    arrow(q, 0, 0, IM_COL32_WHITE);
  }
  q = place();
  if (ui.button("scrubber.forward", q, "", {}, ui.t(Text::KeyForward))) c.control.move(c.state.unit, 1);
  arrow(q, 0, 0, ink);
  q = place();
  if (ui.button("scrubber.end", q, "", {}, ui.t(Text::KeyEnd))) c.control.go_to_end();
  bar(q, 5), arrow(q, -2, 0, ink);
  const float used = 5 * b + 5 * gap;

  const std::vector<std::string> units{std::string(ui.t(Text::UnitOp)), std::string(ui.t(Text::UnitLine)), std::string(ui.t(Text::UnitIteration)),
                                       std::string(ui.t(Text::UnitProgram))};
  float units_width = 0;
  for (const std::string& u : units) units_width += ui.width(u, TextSize::Title) + ui.px(16);
  int clicked;
  if (flat) {
    clicked = ui.segmented("scrubber.unit", {r.x + used + ui.px(8), r.y + ui.px(12), units_width, ui.px(24)}, units, static_cast<int>(c.state.unit));
    r.take_left(used + units_width + ui.px(24));
  } else {
    const float label = ui.width(ui.t(Text::StepBy), TextSize::Caption) + ui.px(8), y = r.y + ui.px(46);
    ui.text_in({r.x, y, label, ui.px(26)}, ui.t(Text::StepBy), TextSize::Caption, ui.theme().text3);
    clicked = ui.segmented("scrubber.unit", {r.x + label, y, units_width, ui.px(26)}, units, static_cast<int>(c.state.unit));
    r.take_left(std::max(used, label + units_width) + ui.px(24));
  }
  if (clicked >= 0) c.state.unit = static_cast<StepUnit>(clicked);
}

void draw_speed(PanelContext& c, Rect& r, bool flat) {
  Ui& ui = c.ui;
  const float label = ui.width(ui.t(Text::Speed), TextSize::Caption) + ui.px(8), track = ui.px(flat ? 88 : 136);
  Rect area = r.take_right(label + track);
  r.take_right(ui.px(24));
  const float h = ui.px(24), y = flat ? area.y + (area.h - h) / 2 : area.y + ui.px(14);
  ui.text_in({area.x, y, label, h}, ui.t(Text::Speed), TextSize::Caption, ui.theme().text3);
  const Rect bar{area.x + label, y, track, h};
  const auto position = static_cast<float>((std::log10(c.state.speed) + 1) / 2);
  const float p = ui.slider("scrubber.speed", bar, position, 0);
  if (p >= 0) c.control.set_speed(std::pow(10.0, p * 2 - 1));
  if (flat) return;
  const ImU32 ink = ui.theme().text3;
  const float below = y + h + ui.px(2);
  ui.text({bar.x, below}, "0.1×", TextSize::Caption, ink);
  ui.text({bar.x + bar.w / 2, below}, fmt::format("{:.3g}×", c.state.speed), TextSize::Caption, ui.theme().text1, false, Align::Centre);
  ui.text({bar.right(), below}, "10×", TextSize::Caption, ink, false, Align::Right);
}

std::string section_title(Ui& ui, const model::Scene& s, const Section& section) {
  if (section.frame < 0) return std::string(ui.t(section.first == 0 ? Text::BeforeLoop : Text::AfterLoop));
  const LoopPosition& p = s.trace->frames[static_cast<size_t>(section.frame)].position;
  std::string title = fmt::format(fmt::runtime(ui.t(Text::IterationN)), p.iteration + 1);
  return section.detail.empty() ? title : title + "  " + section.detail;
}

struct Cell {
  size_t first = 0, last = 0;  ///< line steps, both inclusive
  bool folded = false;         ///< a whole section
};

void draw_cell(PanelContext& c, const Rect& r, const Cell& cell, bool labels) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const model::Timeline& line = *c.scene.timeline;
  const LineStep& step = line.lines[cell.last];
  const bool past = cell.last < c.scene.line_step, current = cell.first <= c.scene.line_step && c.scene.line_step <= cell.last;
  const std::string name = "scrubber.cell." + std::to_string(cell.first);
  const Hit h = ui.hit(name, r);
  const float cap = ui.px(3);
  const Rect body{r.x, r.y + cap, r.w, r.h - cap};
  ui.fill({r.x, r.y, r.w, cap}, cell.folded ? t.text3 : mark_of(t, step.kind));
  ui.fill(body, current ? t.current_line : past || h.hovered ? t.raised : t.panel);
  ui.outline(body, t.line);
  if (labels && r.w > ui.px(24) && !cell.folded)
    ui.text_in({body.x + ui.px(3), body.y, body.w - ui.px(6), body.h}, step.label, TextSize::Caption, current ? t.text1 : past ? t.text1 : t.text3, false, Align::Centre);
  if (current) ui.outline({r.x - 1, r.y - 1, r.w + 2, r.h + 2}, t.hover, 2);
  if (h.hovered) ui.tooltip(step.label + "\n" + fmt::format(fmt::runtime(ui.t(Text::LineAndStep)), step.statement.line, cell.last + 1, line.lines.size()));
  if (h.clicked) c.control.go_to_line_step(cell.folded ? cell.first : cell.last);
  if (h.held && !h.clicked) {
    // Dragging over other cells scrubs.
    const std::string_view prefix = "scrubber.cell.";
    for (auto it = ui.places().lower_bound(prefix); it != ui.places().end() && it->first.starts_with(prefix); ++it)
      if (h.mouse.x >= it->second.x && h.mouse.x < it->second.right()) {
        const auto target = static_cast<size_t>(std::stoull(it->first.substr(prefix.size())));
        if (target != c.scene.line_step) c.control.go_to_line_step(target);
      }
  }
}

/// Sections around the current one, as many as the width shows.
void draw_steps(PanelContext& c, Rect r, bool flat) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const model::Timeline& line = *c.scene.timeline;
  const bool fold = line.lines.size() > kMostCells;
  const float gap = ui.px(8), folded_width = ui.px(14);
  // What each section takes: its cells, or one narrow cell when folded.
  const size_t current = c.scene.section;
  size_t from = 0, to = line.sections.size();
  if (fold) {
    const auto room = static_cast<size_t>(std::max(0.0f, r.w * 0.5f / (folded_width + ui.px(2))));
    from = current > room / 2 ? current - room / 2 : 0;
    to = std::min(line.sections.size(), from + room + 1);
  }
  float fixed = 0;
  size_t open_cells = 0;
  for (size_t i = from; i < to; ++i) {
    const bool open = !fold || i == current;
    fixed += open ? (i > from ? gap : 0) : folded_width + ui.px(2);
    if (open) open_cells += line.sections[i].end - line.sections[i].first;
  }
  const float cell = open_cells == 0 ? 0 : std::min(ui.px(72), (r.w - fixed) / static_cast<float>(open_cells));
  const float top = flat ? r.y + ui.px(8) : r.y + ui.px(24), height = flat ? r.h - ui.px(16) : ui.px(32);
  float x = r.x, marker = -1;
  for (size_t i = from; i < to; ++i) {
    const Section& s = line.sections[i];
    const bool open = !fold || i == current;
    if (open && i > from) x += gap;
    const float begin = x;
    if (open) {
      for (size_t k = s.first; k < s.end; ++k) {
        const Rect q{std::round(x), top, std::round(x + cell) - std::round(x) - 1, height};
        draw_cell(c, q, {k, k, false}, !flat || cell > ui.px(40));
        if (k == c.scene.line_step) marker = q.x + q.w / 2;
        x += cell;
      }
    } else {
      draw_cell(c, {std::round(x), top, folded_width, height}, {s.first, s.end - 1, true}, false);
      x += folded_width + ui.px(2);
    }
    if (open && !flat)
      ui.text_in({begin, r.y + ui.px(2), x - begin, ui.px(20)}, section_title(ui, c.scene, s), TextSize::Caption, i == current ? t.text1 : t.text3);
  }
  if (flat || marker < 0) return;
  ui.triangle({marker, top + height + ui.px(7)}, ui.px(5), -90, t.hover);
  const LineStep& now = line.lines[c.scene.line_step];
  const std::string text = fmt::format(fmt::runtime(ui.t(Text::LineAndStep)), now.statement.line, c.scene.line_step + 1, line.lines.size());
  const float w = ui.width(text, TextSize::Caption);
  float tx = marker - w - ui.px(12);
  if (tx < r.x) tx = marker + ui.px(12);
  ui.text({tx, top + height + ui.px(3)}, text, TextSize::Caption, t.text2);
}

}  // namespace

void draw_scrubber(PanelContext& c, Rect r) {
  Ui& ui = c.ui;
  ui.fill(r, ui.theme().panel, ui.px(4));
  ui.place("scrubber", r);
  const bool flat = r.h < ui.px(64);
  r = {r.x + ui.px(16), r.y, r.w - ui.px(32), r.h};
  draw_buttons(c, r, flat);
  draw_speed(c, r, flat);
  if (c.scene.ready && !c.scene.timeline->lines.empty()) {
    ui.clip({r.x - 2, r.y, r.w + 4, r.h});
    draw_steps(c, r, flat);
    ui.unclip();
  }
  if (r.contains(ImGui::GetIO().MousePos) && ImGui::GetIO().MouseWheel != 0) c.control.move(c.state.unit, ImGui::GetIO().MouseWheel < 0 ? 1 : -1);
}

}  // namespace tilescope::window
