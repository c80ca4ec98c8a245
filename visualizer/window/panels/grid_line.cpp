// A 1-D output as a line: which stretch of it each program owns, and how far the last one's lanes reach past its end.
#include "visualizer/window/panels/grid_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace tilescope::window {
namespace {

constexpr float kJoin = 34, kBar = 26, kLabel = 24, kName = 20;  // heights, from top to bottom

class Line {
 public:
  Line(PanelContext& c, const model::OwnedLine& line, const Rect& r, int64_t mine, int64_t shown)
      : ui_(c.ui), t_(c.ui.theme()), c_(c), line_(line), mine_(mine), shown_(shown) {
    bar_ = {r.x, r.y + ui_.px(kJoin), r.w, ui_.px(kBar)};
  }

  int64_t draw(const std::vector<Rect>& cells) {
    for (size_t p = 0; p < line_.slices.size() && p < cells.size(); ++p)
      if (static_cast<int64_t>(p) != shown_) join(cells[p], part(p), with_alpha(t_.text3, 0.25f), false);
    const size_t shown = static_cast<size_t>(std::clamp<int64_t>(shown_, 0, static_cast<int64_t>(line_.slices.size()) - 1));
    if (shown < cells.size()) join(cells[shown], part(shown), with_alpha(t_.selected, 0.22f), true);
    draw_name();
    int64_t hovered = -1;
    for (size_t p = 0; p < line_.slices.size(); ++p)
      if (draw_part(p)) hovered = static_cast<int64_t>(p);
    const float end = x_of(line_.elements);
    ui_.line({end, bar_.y - ui_.px(5)}, {end, bar_.bottom() + ui_.px(5)}, t_.text2, ui_.px(2));
    draw_ends(shown);
    return hovered;
  }

 private:
  float x_of(int64_t element) const { return std::round(bar_.x + bar_.w * static_cast<float>(static_cast<double>(element) / static_cast<double>(std::max<int64_t>(line_.end, 1)))); }
  Rect span(int64_t lo, int64_t hi) const { return {x_of(lo), bar_.y, std::max(x_of(hi) - x_of(lo), 1.0f), bar_.h}; }
  Rect part(size_t p) const { return span(line_.slices[p].lo, line_.slices[p].whole); }

  /// From the lower edge of a program's cell to its part of the line.
  void join(const Rect& cell, const Rect& to, ImU32 colour, bool filled) {
    const ImVec2 a{cell.x, cell.bottom() + ui_.px(3)}, b{cell.right(), a.y}, d{to.x, bar_.y - ui_.px(1)}, e{to.right(), d.y};
    if (filled) return ui_.draw().AddQuadFilled(a, b, e, d, colour);
    ui_.line({(a.x + b.x) / 2, a.y}, {(d.x + e.x) / 2, d.y}, colour);
  }

  void draw_name() {
    const std::string words = fmt::format(fmt::runtime(ui_.t(Text::GridElements)), line_.elements);
    Rect row{bar_.x, bar_.bottom() + ui_.px(kLabel), bar_.w, ui_.px(kName)};
    const float name = std::min(ui_.width(line_.name, TextSize::Caption, true) + 1, row.w);
    ui_.text_in(row.take_left(name), line_.name, TextSize::Caption, t_.text2, true);
    row.take_left(ui_.px(10));
    if (ui_.width(words, TextSize::Caption) < row.w) ui_.text_in(row, words, TextSize::Caption, t_.text2);
  }

  bool draw_part(size_t p) {
    const model::OwnedLine::Slice& s = line_.slices[p];
    const int64_t program = static_cast<int64_t>(p);
    Rect in = span(s.lo, s.hi);
    if (in.w > ui_.px(4)) in.w -= 1;
    const Hit hit = ui_.hit("grid.part." + std::to_string(p), part(p));
    if (hit.clicked) c_.control.select_program({program, 0, 0});
    const bool bright = program == shown_ || hit.hovered;
    ui_.fill(in, program == mine_ ? t_.selected : program < mine_ ? mix(t_.panel, t_.compute, 0.35f) : t_.raised);
    if (bright) ui_.outline(in, t_.hover, ui_.px(1));
    if (s.whole > s.hi) {
      const Rect out = span(s.hi, s.whole);
      ui_.hatch(out, t_.hatch);
      ui_.dashed_outline(out, t_.hatch, 1, 3);
    }
    const std::string number = std::to_string(p);
    if (in.w > ui_.width(number, TextSize::Caption, true) + ui_.px(6))
      ui_.text_in(in, number, TextSize::Caption, program == mine_ ? IM_COL32_WHITE : t_.text1, true, Align::Centre);
    return hit.hovered;
  }

  /// First and last element of the part shown below it, and what of it lies past the end.
  void draw_ends(size_t shown) {
    const model::OwnedLine::Slice& s = line_.slices[shown];
    std::string words = fmt::format("{}..{}", s.lo, s.hi - 1);
    if (s.whole > s.hi) words += "   " + fmt::format(fmt::runtime(ui_.t(Text::GridPastEnd)), s.whole - s.hi);
    const Rect at = part(shown);
    const float w = ui_.width(words, TextSize::Caption, true);
    const float x = std::clamp(at.x + (at.w - w) / 2, bar_.x, std::max(bar_.x, bar_.right() - w));
    ui_.text_in({x, bar_.bottom() + ui_.px(6), std::min(w + 1, bar_.w), ui_.px(kLabel) - ui_.px(6)}, words, TextSize::Caption, t_.text1, true);
  }

  Ui& ui_;
  const Theme& t_;
  PanelContext& c_;
  const model::OwnedLine& line_;
  int64_t mine_, shown_;
  Rect bar_;
};

}  // namespace

float owned_line_height(const Ui& ui) { return ui.px(kJoin) + ui.px(kBar) + ui.px(kLabel) + ui.px(kName); }

int64_t draw_owned_line(PanelContext& c, const model::OwnedLine& line, const Rect& r, const std::vector<Rect>& cells, int64_t mine, int64_t shown) {
  return line.slices.empty() ? -1 : Line(c, line, r, mine, shown).draw(cells);
}

}  // namespace tilescope::window
