// The strip at the bottom: one segment a loop iteration, one cell a step; play, step, speed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "visualizer/window/chrome.h"

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
  if (flat) {
    if (bar.contains(ImGui::GetIO().MousePos)) ui.tooltip(fmt::format("{:.3g}×", c.state.speed));
    return;
  }
  const ImU32 ink = ui.theme().text3;
  const float below = y + h + ui.px(2);
  ui.text({bar.x, below}, "0.1×", TextSize::Caption, ink);
  ui.text({bar.x + bar.w / 2, below}, fmt::format("{:.3g}×", c.state.speed), TextSize::Caption, ui.theme().text1, false, Align::Centre);
  ui.text({bar.right(), below}, "10×", TextSize::Caption, ink, false, Align::Right);
}

/// With the loop's line, where there are several loops.
std::string of_loop(Ui& ui, const model::Scene& s, const Section& section, const std::string& words) {
  return s.timeline->loops < 2 || section.loop_line <= 0 ? words : fmt::format(fmt::runtime(ui.t(Text::LoopAtLine)), section.loop_line, words);
}

std::string section_title(Ui& ui, const model::Scene& s, const Section& section) {
  if (s.timeline->sections.size() == 1)
    return s.cut_short() ? fmt::format(fmt::runtime(ui.t(Text::FirstSteps)), s.timeline->lines.size()) : std::string(ui.t(Text::AllSteps));
  if (section.frame < 0)
    return std::string(ui.t(section.first == 0 ? Text::BeforeLoop : section.end == s.timeline->lines.size() ? Text::AfterLoop : Text::BetweenLoops));
  const LoopPosition& p = s.trace->frames[static_cast<size_t>(section.frame)].position;
  const std::string title = of_loop(ui, s, section, fmt::format(fmt::runtime(ui.t(Text::IterationN)), p.iteration + 1));
  return section.detail.empty() ? title : title + "  " + section.detail;
}

/// What stands on the strip: a step, or a whole section that is folded.
struct Cell {
  size_t first = 0, last = 0;  ///< line steps, both inclusive
  size_t section = 0;
  bool folded = false;
  float x = 0, w = 0;
};

constexpr float kWidestCell = 96, kGap = 8, kFolded = 30, kThin = 6, kLabelled = 34;

/// How the sections share the width. Sections [from, to) are shown; the one numbered `open` has all its cells, the others
/// too unless `fold`.
struct Arrangement {
  bool fold = false;
  size_t from = 0, to = 0, open = 0;
  float cell = 0, folded = 0;
};

Arrangement arrange(const Ui& ui, const model::Timeline& line, size_t open, float width) {
  Arrangement a;
  a.open = open;
  a.to = line.sections.size();
  size_t cells = line.lines.size();
  float rest = ui.px(kGap) * static_cast<float>(a.to > 0 ? a.to - 1 : 0);
  // Cells without labels say nothing: then one section is open, the others are folded.
  a.fold = cells > kMostCells || (a.to > 1 && width - rest < ui.px(kLabelled) * static_cast<float>(cells));
  if (a.fold) {
    cells = line.sections[open].end - line.sections[open].first;
    // The opened section takes what its labels need, at most two thirds.
    const float wanted = std::min(width * 0.66f, ui.px(kWidestCell) * static_cast<float>(cells));
    const float others = static_cast<float>(a.to - 1), room = width - wanted - 2 * ui.px(kGap);
    if (others > 0) a.folded = std::floor(std::clamp(room / others, ui.px(kThin), ui.px(kFolded) * 2));
    if (others * a.folded > room) {
      // Not all fit: as many as do, around the one that is open.
      a.folded = ui.px(kFolded);
      const auto shown = static_cast<size_t>(std::max(0.0f, room / a.folded));
      a.from = open > shown / 2 ? open - shown / 2 : 0;
      a.to = std::min(line.sections.size(), a.from + shown + 1);
      if (a.to - a.from < shown + 1) a.from = a.to > shown + 1 ? a.to - shown - 1 : 0;
    }
    rest = a.folded * static_cast<float>(a.to - a.from - 1) + 2 * ui.px(kGap);
  }
  a.cell = cells == 0 ? 0 : std::min(ui.px(kWidestCell), std::max(1.0f, (width - rest) / static_cast<float>(cells)));
  return a;
}

std::vector<Cell> place_cells(const Ui& ui, const model::Timeline& line, const Arrangement& a, float x) {
  std::vector<Cell> out;
  const float gap = ui.px(kGap);
  for (size_t i = a.from; i < a.to; ++i) {
    const Section& s = line.sections[i];
    const bool open = !a.fold || i == a.open, after_open = a.fold && i == a.open + 1;
    if (i > a.from && (open || after_open)) x += gap;
    if (!open) {
      out.push_back({s.first, s.end - 1, i, true, std::round(x), std::round(x + a.folded) - std::round(x) - 1});
      x += a.folded;
      continue;
    }
    for (size_t k = s.first; k < s.end; ++k) {
      out.push_back({k, k, i, false, std::round(x), std::round(x + a.cell) - std::round(x) - 1});
      x += a.cell;
    }
  }
  return out;
}

void draw_cell(PanelContext& c, const Cell& cell, float top, float height, bool labels, bool hovered) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const model::Timeline& line = *c.scene.timeline;
  const LineStep& step = line.lines[cell.last];
  const size_t now = c.scene.line_step;
  const bool past = cell.last < now, current = cell.first <= now && now <= cell.last;
  const Rect r{cell.x, top, std::max(1.0f, cell.w), height};
  ui.place("scrubber.cell." + std::to_string(cell.first), r);
  const float cap = ui.px(3);
  const Rect body{r.x, r.y + cap, r.w, r.h - cap};
  const ImU32 mark = cell.folded ? t.text3 : mark_of(t, step.kind);
  // What is still to come is hollow: its cap is pale and its cell empty.
  ui.fill({r.x, r.y, r.w, cap}, past || current ? mark : mix(t.panel, mark, 0.5f));
  ui.fill(body, current ? t.current_line : hovered ? mix(t.raised, t.text1, 0.12f) : past ? t.raised : t.panel);
  if (!past && !current && r.w > 3) ui.outline(body, t.line);
  const ImU32 ink = current || past ? t.text1 : t.text3;
  if (cell.folded) {
    const Section& s = line.sections[cell.section];
    const std::string number = s.frame < 0 ? "" : std::to_string(c.scene.trace->frames[static_cast<size_t>(s.frame)].position.iteration + 1);
    if (ui.width(number, TextSize::Caption) <= r.w - ui.px(2)) ui.text_in(body, number, TextSize::Caption, ink, false, Align::Centre);
  } else if (labels && r.w > ui.px(24)) {
    ui.text_in({body.x + ui.px(2), body.y, body.w - ui.px(4), body.h}, step.label, TextSize::Caption, ink, false, Align::Centre);
  }
  if (current) ui.outline({r.x - 1, r.y - 1, r.w + 2, r.h + 2}, t.hover, 2);
}

std::string step_text(Ui& ui, const model::Scene& s, size_t line_step) {
  const std::vector<LineStep>& lines = s.timeline->lines;
  return fmt::format(fmt::runtime(ui.t(s.cut_short() ? Text::LineAndStepOfFirst : Text::LineAndStep)), lines[line_step].statement.line, line_step + 1, lines.size());
}

void draw_titles(PanelContext& c, const std::vector<Cell>& cells, const Arrangement& a, const Rect& r) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const auto title = [&](float x0, float x1, const std::string& text, bool strong) {
    ui.text_in({x0, r.y + ui.px(4), x1 - x0, ui.px(18)}, text, TextSize::Caption, strong ? t.text1 : t.text3);
  };
  for (size_t i = 0; i < cells.size();) {
    size_t end = i;
    const bool folded = cells[i].folded;
    const auto section = [&](size_t k) -> const Section& { return c.scene.timeline->sections[cells[k].section]; };
    // Folded cells stand together by loop; steps outside of loops have none, and are told by their tip.
    while (end < cells.size() && cells[end].folded == folded && (folded ? section(end).loop_line == section(i).loop_line || c.scene.timeline->loops < 2 : cells[end].section == cells[i].section)) ++end;
    const float right = end == cells.size() ? r.right() : cells[end].folded == folded && folded ? cells[end].x - ui.px(4) : cells[end].x - ui.px(kGap);
    if (!folded) {
      const Section& s = c.scene.timeline->sections[cells[i].section];
      title(cells[i].x, right, section_title(ui, c.scene, s), cells[i].section == c.scene.section);
    } else {
      // "iterations 3..17", without the parts before and after the loop.
      int64_t low = -1, high = -1;
      for (size_t k = i; k < end; ++k) {
        const int32_t frame = c.scene.timeline->sections[cells[k].section].frame;
        if (frame < 0) continue;
        high = c.scene.trace->frames[static_cast<size_t>(frame)].position.iteration + 1;
        if (low < 0) low = high;
      }
      if (low > 0) {
        const bool one = low == high;
        std::string words = of_loop(ui, c.scene, section(i), one ? fmt::format(fmt::runtime(ui.t(Text::IterationN)), low) : fmt::format(fmt::runtime(ui.t(Text::IterationsFromTo)), low, high));
        if (ui.width(words, TextSize::Caption) > right - cells[i].x)
          words = of_loop(ui, c.scene, section(i), one ? std::to_string(low) : fmt::format(fmt::runtime(ui.t(Text::IterationsShort)), low, high));
        title(cells[i].x, right, words, false);
      }
    }
    i = end;
  }
  (void)a;
}

/// The whole program as one thin line, when its cells are folded: where the step is, and a way to go far.
void draw_track(PanelContext& c, const Rect& r) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const size_t last = c.scene.timeline->lines.size() - 1;
  const Hit h = ui.hit("scrubber.track", {r.x, r.y - ui.px(6), r.w, r.h + ui.px(12)});
  const float share = static_cast<float>(c.scene.line_step) / static_cast<float>(std::max<size_t>(1, last));
  ui.fill(r, h.hovered || h.held ? mix(t.line, t.text1, 0.2f) : t.line, r.h / 2);
  ui.fill({r.x, r.y, r.w * share, r.h}, t.selected, r.h / 2);
  ui.draw().AddCircleFilled({r.x + r.w * share, r.y + r.h / 2}, ui.px(6), t.hover);
  if (!h.held && !h.clicked) return;
  const float at = std::clamp((h.mouse.x - r.x) / std::max(1.0f, r.w), 0.0f, 1.0f);
  c.control.go_to_line_step(static_cast<size_t>(std::lround(at * static_cast<float>(last))));
}

void draw_marker(PanelContext& c, Chrome& chrome, const Rect& r, float below, float target) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  // The playhead follows within 80 ms.
  const double dt = std::clamp(c.time - chrome.playhead_time, 0.0, 1.0);
  chrome.playhead_time = c.time;
  const float near = c.motion && chrome.playhead >= 0 ? static_cast<float>(1 - std::exp(-dt / 0.025)) : 1.0f;
  chrome.playhead = chrome.playhead < 0 ? target : chrome.playhead + (target - chrome.playhead) * near;
  const float x = std::abs(chrome.playhead - target) < 1 ? target : chrome.playhead;
  ui.triangle({x, below + ui.px(8)}, ui.px(5), -90, t.hover);
  const std::string text = step_text(ui, c.scene, c.scene.line_step);
  const float w = ui.width(text, TextSize::Caption);
  float tx = x - w - ui.px(12);
  if (tx < r.x) tx = x + ui.px(12);
  ui.text({tx, below + ui.px(4)}, text, TextSize::Caption, t.text2);
}

void draw_steps(PanelContext& c, Chrome& chrome, Rect r, bool flat) {
  Ui& ui = c.ui;
  const model::Timeline& line = *c.scene.timeline;
  if (flat) {  // no room below the cells: where the step is stands beside them
    const float w = std::max(ui.width(step_text(ui, c.scene, c.scene.line_step), TextSize::Caption), ui.width(step_text(ui, c.scene, line.lines.size() - 1), TextSize::Caption)) + ui.px(16);
    if (w < r.w * 0.5f) ui.text_in(r.take_right(w), step_text(ui, c.scene, c.scene.line_step), TextSize::Caption, ui.theme().text2, false, Align::Right);
  }
  // While the mouse scrubs, the strip stands still: what opens under the mouse would run away from it.
  const size_t open = chrome.scrubbing && chrome.scrub_open < line.sections.size() ? chrome.scrub_open : c.scene.section;
  const Arrangement a = arrange(ui, line, open, r.w);
  const std::vector<Cell> cells = place_cells(ui, line, a, r.x);
  if (cells.empty()) return;
  const float top = flat ? r.y + ui.px(8) : r.y + ui.px(25), height = flat ? r.h - ui.px(16) : ui.px(30);
  const Hit h = ui.hit("scrubber.steps", {r.x, top, r.w, height});
  const auto under = [&](float x) {
    const auto it = std::upper_bound(cells.begin(), cells.end(), x, [](float at, const Cell& cell) { return at < cell.x; });
    return it == cells.begin() ? it : it - 1;
  };
  const auto hovered = h.hovered && h.mouse.x < cells.back().x + cells.back().w ? under(h.mouse.x) : cells.end();
  float marker = -1;
  for (auto it = cells.begin(); it != cells.end(); ++it) {
    draw_cell(c, *it, top, height, !flat || a.cell > ui.px(34), it == hovered);
    if (it->first <= c.scene.line_step && c.scene.line_step <= it->last) marker = it->x + it->w / 2;
  }
  if (hovered != cells.end()) {
    const Section& s = line.sections[hovered->section];
    ui.tooltip((hovered->folded ? section_title(ui, c.scene, s) : line.lines[hovered->last].label) + "\n" + step_text(ui, c.scene, hovered->last));
  }
  if (h.clicked && hovered == cells.end()) return;
  if (h.clicked) {
    chrome.scrubbing = true;
    chrome.scrub_open = open;
  }
  chrome.scrubbing = chrome.scrubbing && (h.held || h.clicked);
  if (chrome.scrubbing) {
    const Cell& cell = *under(h.mouse.x);
    // Within a folded iteration the mouse goes through its steps.
    const float share = std::clamp((h.mouse.x - cell.x) / std::max(1.0f, cell.w), 0.0f, 0.999f);
    const size_t target = cell.first + static_cast<size_t>(share * static_cast<float>(cell.last - cell.first + 1));
    if (target != c.scene.line_step) c.control.go_to_line_step(target);
  }
  if (flat) return;
  draw_titles(c, cells, a, r);
  if (!a.fold) return draw_marker(c, chrome, r, top + height, marker);
  const std::string text = step_text(ui, c.scene, c.scene.line_step);
  const std::string widest = step_text(ui, c.scene, line.lines.size() - 1);
  const float w = std::max(ui.width(text, TextSize::Caption), ui.width(widest, TextSize::Caption)) + ui.px(12);
  ui.text_in({r.right() - w, top + height + ui.px(2), w, ui.px(18)}, text, TextSize::Caption, ui.theme().text2, false, Align::Right);
  draw_track(c, {r.x + ui.px(4), top + height + ui.px(9), std::max(1.0f, r.w - w - ui.px(16)), ui.px(4)});
}

}  // namespace

void draw_scrubber(PanelContext& c, Chrome& chrome, Rect r) {
  Ui& ui = c.ui;
  ui.fill(r, ui.theme().panel, ui.px(4));
  ui.place("scrubber", r);
  const bool flat = r.h < ui.px(64);
  const Rect whole = r;
  r = {r.x + ui.px(16), r.y, r.w - ui.px(32), r.h};
  draw_buttons(c, r, flat);
  draw_speed(c, r, flat);
  if (c.scene.ready && !c.scene.timeline->lines.empty() && r.w > ui.px(40)) {
    ui.clip({r.x - 2, r.y, r.w + 4, r.h});
    draw_steps(c, chrome, r, flat);
    ui.unclip();
  }
  const ImGuiIO& io = ImGui::GetIO();
  if (whole.contains(io.MousePos) && io.MouseWheel != 0) c.control.move(c.state.unit, io.MouseWheel < 0 ? 1 : -1);
}

}  // namespace tilescope::window
