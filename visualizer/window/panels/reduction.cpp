// The Reduction panel: a row's values at the top, their pairs below, down to the result. Levels with many values are
// strips, those with few are boxes with numbers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "visualizer/model/reduction.h"
#include "visualizer/model/values.h"
#include "visualizer/window/panel.h"

namespace tilescope::window {
namespace reduction {
namespace {

using model::Reduction;

struct Memory {
  int chosen = -1;   ///< picked with the tabs; -1: the panel follows the current line
  int64_t row = 0;
};
Memory& memory() {
  static Memory m;
  return m;
}

struct Trees {
  mutable std::map<std::pair<int, int64_t>, Reduction> kept;
};
const Reduction& tree_of(const model::Scene& scene, int site, int64_t row) {
  const Trees& trees = scene.derived<Trees>([](const model::Scene&) { return Trees{}; });
  const auto found = trees.kept.find({site, row});
  return found != trees.kept.end() ? found->second : trees.kept.emplace(std::pair{site, row}, model::make_reduction(scene, site, row)).first->second;
}

/// One level on the screen.
struct Row {
  Rect area;
  int64_t count = 0;
  bool boxes = false;
};

struct View {
  PanelContext& c;
  const Reduction& r;
  std::vector<Row> rows;
  float left = 0;             ///< where the lanes begin; the labels are left of it
  int hover_level = -1;
  int64_t hover_lane = -1;
  bool own_scales = false;

  Ui& ui() const { return c.ui; }
  const Theme& theme() const { return c.ui.theme(); }
  double reach(size_t level) const { return own_scales ? r.reach[level] : *std::max_element(r.reach.begin(), r.reach.end()); }
  float lane_width(const Row& row) const { return row.area.w / static_cast<float>(row.count); }
  Rect cell(size_t level, int64_t lane) const {
    const Row& row = rows[level];
    const float w = lane_width(row), x0 = row.area.x + w * static_cast<float>(lane), x1 = row.area.x + w * static_cast<float>(lane + 1);
    if (!row.boxes) return {x0, row.area.y, x1 - x0, row.area.h};
    const float bw = std::min(x1 - x0 - ui().px(4), ui().px(96));
    return {std::round((x0 + x1 - bw) / 2), row.area.y, std::round(bw), row.area.h};
  }
  std::string number(size_t level, int64_t lane, float width) const {
    const int characters = std::max(3, static_cast<int>(width / c.ui.code_advance(TextSize::Caption)));
    const double x = r.value(level, lane);
    std::string text = model::typographic(model::format_number(x, model::number_style(r.reach[level], !is_float(r.dtype), characters)));
    if (c.ui.width(text, TextSize::Caption, true) <= width) return text;
    // One digit and the magnitude where there is room for no more.
    text = fmt::format("{:.0e}", x);
    if (const size_t zero = text.find("e-0"); zero != std::string::npos) text.erase(zero + 2, 1);
    if (const size_t zero = text.find("e+0"); zero != std::string::npos) text.erase(zero + 1, 2);
    text = model::typographic(text);
    return c.ui.width(text, TextSize::Caption, true) <= width ? text : std::fabs(x) < 1e-6 * r.reach[level] ? "~0" : std::string();
  }
  /// Lanes of level 0 that a lane of a level is made of.
  std::pair<int64_t, int64_t> leaves(size_t level, int64_t lane) const {
    return r.scan ? std::pair{lane, lane + 1} : std::pair{lane << level, (lane + 1) << level};
  }
};

/// Strips where a lane is too narrow for a number; the rest of the height goes to the lines between boxes.
void place_rows(View& v, const Rect& area) {
  const Ui& ui = v.ui();
  const float strip = ui.px(16), box = ui.px(24), least_box = ui.px(38), strip_gap = ui.px(8);
  const auto levels = v.r.levels.size();
  size_t boxes = 0;
  for (const model::ReduceLevel& l : v.r.levels) boxes += area.w / static_cast<float>(l.lanes.size()) >= least_box;
  const size_t strips = levels - boxes;
  const float used = static_cast<float>(strips) * (strip + strip_gap) + static_cast<float>(boxes) * box;
  const float gap = boxes > 0 ? std::clamp((area.h - used) / static_cast<float>(boxes), ui.px(10), ui.px(40)) : 0;
  float y = area.y;
  for (const model::ReduceLevel& l : v.r.levels) {
    Row row;
    row.count = static_cast<int64_t>(l.lanes.size());
    row.boxes = area.w / static_cast<float>(row.count) >= least_box;
    if (row.boxes && !v.rows.empty()) y += v.rows.back().boxes ? gap : gap - strip_gap;
    row.area = {area.x, std::round(y), area.w, row.boxes ? box : strip};
    y += row.area.h + (row.boxes ? 0 : strip_gap);
    v.rows.push_back(row);
  }
}

bool in_hovered(const View& v, size_t level, int64_t lane) {
  if (v.hover_level < 0) return false;
  const auto [lo, hi] = v.leaves(static_cast<size_t>(v.hover_level), v.hover_lane);
  const auto [a, b] = v.leaves(level, lane);
  if (v.r.scan) return level <= static_cast<size_t>(v.hover_level) && a == lo;
  return level <= static_cast<size_t>(v.hover_level) ? a >= lo && b <= hi : a <= lo && b >= hi;
}

void draw_lines(View& v, size_t level) {
  Ui& ui = v.ui();
  const Theme& t = v.theme();
  const Row &from = v.rows[level - 1], &to = v.rows[level];
  if (!to.boxes) return;
  auto join = [&](int64_t parent, int64_t child, bool strong) {
    const Rect p = v.cell(level, parent), k = v.cell(level - 1, child);
    const float x0 = std::round(k.x + k.w / 2) + 0.5f, x1 = std::round(p.x + p.w / 2) + 0.5f, middle = std::round((from.area.bottom() + to.area.y) / 2) + 0.5f;
    const ImU32 colour = strong ? t.reduce : t.text3;
    const float w = strong ? ui.px(2) : 1;
    ui.line({x0, from.area.bottom()}, {x0, middle}, colour, w);
    ui.line({x0, middle}, {x1, middle}, colour, w);
    ui.line({x1, middle}, {x1, to.area.y}, colour, w);
  };
  const bool picks = !v.r.winner.empty() && v.r.done;
  for (int64_t i = 0; i < to.count; ++i) {
    if (v.r.scan) {
      if (!v.r.levels[level].changed[static_cast<size_t>(i)]) {
        join(i, i, false);
        continue;
      }
      const auto half = int64_t{1} << (level - 1);
      join(i, i / half * half - 1, false);
      join(i, i, false);
      continue;
    }
    const bool won = picks && v.r.winner[level] == i;
    for (int64_t k : {2 * i, 2 * i + 1})
      if (!(won && v.r.winner[level - 1] == k)) join(i, k, false);
    if (won) join(i, v.r.winner[level - 1], true);
  }
}

void draw_boxes(View& v, size_t level) {
  Ui& ui = v.ui();
  const Theme& t = v.theme();
  const Row& row = v.rows[level];
  const bool known = level == 0 ? v.r.known : v.r.done, root = level + 1 == v.rows.size();
  for (int64_t i = 0; i < row.count; ++i) {
    const Rect b = v.cell(level, i);
    if (!known) {
      ui.dashed_outline(b, t.text3, 1, 3);
      continue;
    }
    const double x = v.r.value(level, i);
    const ImU32 fill = std::isfinite(x) ? signed_colour(t, x, v.reach(level)) : t.raised;
    const bool off = level == 0 && !v.r.masked.empty() && v.r.masked[static_cast<size_t>(i)];
    const bool same = v.r.scan && level > 0 && !v.r.levels[level].changed[static_cast<size_t>(i)];
    if (off) ui.hatch(b, t.hatch, 6);
    else ui.fill(b, same ? mix(fill, t.panel, 0.6f) : fill, ui.px(3));
    const float w = b.w - ui.px(4);
    ui.text_in({b.x + ui.px(2), b.y, w, b.h}, v.number(level, i, w), TextSize::Caption, off ? t.text1 : same ? t.text2 : ink_on(fill), true, Align::Centre);
    const bool won = !v.r.winner.empty() && v.r.done && v.r.winner[level] == i;
    if (in_hovered(v, level, i)) ui.outline(b, t.hover, ui.px(2), ui.px(3));
    else if (root && !v.r.scan) ui.outline(b, t.reduce, ui.px(2), ui.px(3));
    else if (won) ui.outline(b, t.reduce, ui.px(2), ui.px(3));
    else ui.outline(b, t.line, 1, ui.px(3));
  }
}

void draw_strip(View& v, size_t level) {
  Ui& ui = v.ui();
  const Theme& t = v.theme();
  const Row& row = v.rows[level];
  const bool known = level == 0 ? v.r.known : v.r.done;
  if (!known) {
    ui.dashed_outline(row.area, t.text3, 1, 3);
    return;
  }
  const int width = static_cast<int>(std::min<int64_t>(row.count, std::max(1, static_cast<int>(row.area.w))));
  const uint64_t version = reinterpret_cast<uintptr_t>(v.c.scene.run.recorded.get()) * 31 + static_cast<uint64_t>(v.r.step) * 1009 + static_cast<uint64_t>(v.r.row) * 17 + t.dark +
                           (v.r.site << 40);
  const ImTextureID id = v.c.textures.get("reduction." + std::to_string(level), version, width, 1, [&](std::vector<ImU32>& out) {
    for (int x = 0; x < width; ++x) {
      const int64_t lane = static_cast<int64_t>(x) * row.count / width;
      const double value = v.r.value(level, lane);
      out[static_cast<size_t>(x)] = std::isfinite(value) ? signed_colour(t, value, v.reach(level)) : t.raised;
    }
  });
  ui.draw().AddImage(id, row.area.min(), row.area.max());
  // Padding, in runs.
  for (size_t i = 0; level == 0 && i < v.r.masked.size();) {
    size_t end = i;
    while (end < v.r.masked.size() && v.r.masked[end] == v.r.masked[i]) ++end;
    if (v.r.masked[i]) {
      const Rect a = v.cell(0, static_cast<int64_t>(i)), b = v.cell(0, static_cast<int64_t>(end) - 1);
      const Rect off{a.x, a.y, b.right() - a.x, a.h};
      ui.fill(off, t.panel);
      ui.hatch(off, t.hatch, 4);
    }
    i = end;
  }
  ui.outline(row.area, t.line, 1);
  auto mark = [&](const Rect& r, ImU32 colour) {
    const float least = ui.px(4);
    const Rect m = r.w < least ? Rect{std::round(r.x + r.w / 2 - least / 2), r.y, least, r.h} : r;
    ui.outline({m.x, m.y - 1, m.w, m.h + 2}, colour, ui.px(2));
  };
  if (!v.r.winner.empty() && v.r.done) mark(v.cell(level, v.r.winner[level]), t.reduce);
  if (v.hover_level < 0) return;
  const auto [lo, hi] = v.leaves(static_cast<size_t>(v.hover_level), v.hover_lane);
  if (v.r.scan) {
    if (static_cast<int>(level) <= v.hover_level) mark(v.cell(level, lo), t.hover);
    return;
  }
  const Rect a = v.cell(level, lo >> level), b = v.cell(level, (hi - 1) >> level);
  mark({a.x, a.y, b.right() - a.x, a.h}, t.hover);
}

void describe(View& v) {
  Ui& ui = v.ui();
  const auto level = static_cast<size_t>(v.hover_level);
  const int64_t lane = v.hover_lane;
  const auto [lo, hi] = v.leaves(level, lane);
  const bool known = level == 0 ? v.r.known : v.r.done;
  std::string out = hi - lo == 1 ? fmt::format(fmt::runtime(ui.t(Text::ReductionLane)), lo) : fmt::format(fmt::runtime(ui.t(Text::ReductionLanes)), lo, hi - 1);
  if (!known) {
    out += "\n" + std::string(ui.t(Text::ReductionNotYet));
  } else {
    out += ": " + model::short_number(v.r.value(level, lane));
    if (v.r.index(level, lane) >= 0) out += fmt::format(" @ {}", v.r.index(level, lane));
    if (level > 0 && !v.r.scan)
      out += fmt::format("\n{}({}, {})", v.r.combine == "user" ? "combine" : v.r.combine, model::short_number(v.r.value(level - 1, 2 * lane)), model::short_number(v.r.value(level - 1, 2 * lane + 1)));
  }
  if (level == 0 && !v.r.masked.empty() && v.r.masked[static_cast<size_t>(lane)]) out += "\n" + std::string(ui.t(Text::ReductionMaskedLane));
  ui.tooltip(out);
}

void use_mouse(View& v) {
  Ui& ui = v.ui();
  const Rect all{v.rows.front().area.x, v.rows.front().area.y, v.rows.front().area.w, v.rows.back().area.bottom() - v.rows.front().area.y};
  const Hit h = ui.hit("reduction.tree", all);
  if (h.wheel != 0 && v.r.rows > 1) memory().row = std::clamp<int64_t>(v.r.row - (h.wheel > 0 ? 1 : -1), 0, v.r.rows - 1);
  // The value pointed at in another panel is a lane of the operand here.
  const model::Element& e = v.c.hover;
  if (e.of == model::Element::Of::Variable && e.name == v.r.operand && static_cast<int>(e.index.size()) == v.r.shape.rank) {
    std::vector<int64_t> row = e.index;
    const int64_t at = row[static_cast<size_t>(v.r.axis)];
    row[static_cast<size_t>(v.r.axis)] = 0;
    if (row == v.r.row_index && at >= 0 && at < v.r.length) v.hover_level = 0, v.hover_lane = v.r.scan && v.r.reverse ? v.r.length - 1 - at : at;
  }
  if (!h.hovered) return;
  v.hover_level = -1;
  for (size_t l = 0; l < v.rows.size(); ++l) {
    const Row& row = v.rows[l];
    if (h.mouse.y < row.area.y || h.mouse.y >= row.area.bottom()) continue;
    v.hover_level = static_cast<int>(l);
    v.hover_lane = std::clamp<int64_t>(static_cast<int64_t>((h.mouse.x - row.area.x) / v.lane_width(row)), 0, row.count - 1);
  }
  if (v.hover_level < 0) return;
  describe(v);
  if (v.hover_level != 0 || v.r.operand.empty()) return;
  v.c.state.hover = {model::Element::Of::Variable, v.r.operand, model::operand_index(v.r, v.hover_lane)};
  v.c.state.shown_variable = v.r.operand;
  if (h.clicked) v.c.state.selected = v.c.state.hover;
}

/// Counts beside the levels, the operand's name beside the first and the result's beside the last.
void draw_level_labels(View& v) {
  Ui& ui = v.ui();
  const Theme& t = v.theme();
  for (size_t l = 0; l < v.rows.size(); ++l) {
    const Row& row = v.rows[l];
    const std::string& name = l == 0 ? v.r.operand : l + 1 == v.rows.size() ? v.r.result : std::string();
    const std::string text = v.r.scan ? (l == 0 ? "" : "+" + std::to_string(int64_t{1} << (l - 1))) : std::to_string(row.count);
    const Rect at{row.area.x - v.left, row.area.y, v.left - ui.px(10), row.area.h};
    if (!name.empty()) ui.text_in(at, name, TextSize::Code, t.text1, true, Align::Right);
    else ui.text_in(at, text, TextSize::Caption, t.text3, true, Align::Right);
  }
}

// ---- above and below the tree

std::string title_of(const View& v) {
  Ui& ui = v.ui();
  const std::string of = v.r.operand.empty() ? "(…)" : v.r.operand, what = v.r.combine == "user" ? "combine" : v.r.combine;
  if (v.r.scan) return fmt::format(fmt::runtime(ui.t(v.r.reverse ? Text::ReductionScanReversed : Text::ReductionScan)), what, of, v.r.length, v.r.axis);
  if (v.r.shape.rank == 1) return fmt::format(fmt::runtime(ui.t(Text::ReductionAlongOnly)), what, of, v.r.length);
  return fmt::format(fmt::runtime(ui.t(Text::ReductionAlong)), what, of, v.r.length, v.r.axis);
}

void draw_row_chooser(View& v, Rect r) {
  Ui& ui = v.ui();
  const float b = ui.px(26);
  if (ui.button("reduction.row.less", r.take_left(b), "\u2212", {.primary = false, .active = false, .enabled = v.r.row > 0}, ui.t(Text::ReductionRowTip))) memory().row = v.r.row - 1;
  if (ui.button("reduction.row.more", r.take_right(b), "+", {.primary = false, .active = false, .enabled = v.r.row + 1 < v.r.rows}, ui.t(Text::ReductionRowTip))) memory().row = v.r.row + 1;
  std::string text = fmt::format(fmt::runtime(ui.t(Text::ReductionRow)), v.r.row, v.r.rows);
  if (v.r.shape.rank > 2) {
    text = "[";
    for (int a = 0; a < v.r.shape.rank; ++a) text += (a == 0 ? "" : ", ") + (a == v.r.axis ? std::string(":") : std::to_string(v.r.row_index[static_cast<size_t>(a)]));
    text += "]";
  }
  ui.text_in(r, text, TextSize::Code, v.theme().text1, false, Align::Centre);
}

/// Title, tabs, row and what the masked lanes do. Returns what is left of the body.
Rect draw_heading(View& v, Rect body) {
  Ui& ui = v.ui();
  const Theme& t = v.theme();
  const Reduction& r = v.r;
  body = {body.x + ui.px(16), body.y + ui.px(8), body.w - ui.px(32), body.h - ui.px(16)};
  if (r.sites.size() > 1) {
    Rect row = body.take_top(ui.px(26));
    std::vector<std::string> labels;
    float total = 0;
    for (const model::ReduceSite& s : r.sites) labels.push_back(s.label);
    const auto width = [&] {
      total = 0;
      for (const std::string& s : labels) total += ui.width(s, TextSize::Title) + ui.px(16);
      return total;
    };
    if (width() > row.w)
      for (size_t i = 0; i < labels.size(); ++i) labels[i] = std::to_string(r.sites[i].line);
    if (width() <= row.w) {
      const int clicked = ui.segmented("reduction.site", {row.x, row.y, total, row.h}, labels, static_cast<int>(r.site));
      if (clicked >= 0) memory().chosen = memory().chosen == clicked ? -1 : clicked;
    }
    body.take_top(ui.px(8));
  }
  Rect row = body.take_top(ui.px(26));
  if (r.rows > 1) draw_row_chooser(v, row.take_right(std::min(row.w * 0.45f, ui.px(210))));
  ui.text_in(row, title_of(v), TextSize::Title, t.text1);
  const auto depth = static_cast<int64_t>(r.levels.size()) - 1;
  body.take_top(ui.paragraph(body, fmt::format(fmt::runtime(ui.t(r.scan ? Text::ReductionSklansky : Text::ReductionPairs)), depth), TextSize::Caption, t.text2, ui.px(20)));
  if (r.masked_lanes > 0 && r.known) {
    const bool neutral = r.masked_neutral;
    const std::string text = r.masked_value.empty() ? fmt::format(fmt::runtime(ui.t(Text::ReductionMaskedMixed)), r.masked_lanes, r.length)
                                                    : fmt::format(fmt::runtime(ui.t(neutral ? Text::ReductionNeutral : Text::ReductionTakesPart)), r.masked_lanes, r.length, r.masked_value);
    const Rect swatch{body.x, body.y + ui.px(4), ui.px(16), ui.px(12)};
    ui.hatch(swatch, t.hatch, 4);
    ui.outline(swatch, t.text3, 1);
    const Rect words{body.x + ui.px(24), body.y, body.w - ui.px(24), body.h};
    body.take_top(ui.paragraph(words, text, TextSize::Caption, neutral ? t.text2 : t.fault_text, ui.px(20)));
  }
  body.take_top(ui.px(10));
  return body;
}

void draw_footer(View& v, Rect row) {
  Ui& ui = v.ui();
  const Theme& t = v.theme();
  const Reduction& r = v.r;
  if (!r.done) {
    ui.text_in(row, ui.t(Text::ReductionNotYet), TextSize::Caption, t.text3);
    return;
  }
  std::string text(ui.t(r.equal ? Text::ReductionEqual : Text::ReductionDiffers));
  if (!r.scan) text = model::short_number(r.value(r.levels.size() - 1, 0)) + (r.index(r.levels.size() - 1, 0) >= 0 ? fmt::format(" @ {}", r.index(r.levels.size() - 1, 0)) : "") + "  " + text;
  const float w = ui.width(text, TextSize::Caption);
  ui.text_in(row, text, TextSize::Caption, r.equal ? t.compute_text : t.fault_text);
  std::string more;
  if (!r.winner.empty()) more = fmt::format(fmt::runtime(ui.t(Text::ReductionWinner)), r.winner[0]);
  else if (v.own_scales) more = ui.t(Text::ReductionScaleEach);
  if (!more.empty() && w + ui.px(24) < row.w) ui.text_in({row.x + w + ui.px(24), row.y, row.w - w - ui.px(24), row.h}, more, TextSize::Caption, r.winner.empty() ? t.text3 : t.reduce_text, false, Align::Right);
}

void draw_tree(PanelContext& c, const Reduction& r, Rect body) {
  View v{c, r, {}, 0, -1, -1, r.combine == "sum" || r.combine == "prod" || r.combine == "user"};
  Ui& ui = c.ui;
  ui.clip(body);
  body = draw_heading(v, body);
  const Rect footer = body.take_bottom(ui.px(20));
  body.take_bottom(ui.px(6));
  v.left = ui.px(16) + std::max({ui.width(r.operand, TextSize::Code, true), ui.width(r.result, TextSize::Code, true), ui.width(std::to_string(r.length), TextSize::Caption, true)});
  v.left = std::min(v.left, body.w * 0.3f);
  body.take_left(v.left);
  if (body.w > ui.px(40) && body.h > ui.px(40)) {
    place_rows(v, body);
    use_mouse(v);
    for (size_t l = 1; l < v.rows.size(); ++l) draw_lines(v, l);
    for (size_t l = 0; l < v.rows.size(); ++l) v.rows[l].boxes ? draw_boxes(v, l) : draw_strip(v, l);
    draw_level_labels(v);
    const float bottom = v.rows.back().area.bottom() + ui.px(10);
    draw_footer(v, {footer.x, std::min(footer.y, bottom), footer.w, footer.h});
  }
  ui.unclip();
}

}  // namespace
}  // namespace reduction

void draw_reduction(PanelContext& c, Rect, Rect body) {
  reduction::Memory& m = reduction::memory();
  const model::Reduction& r = reduction::tree_of(c.scene, m.chosen, m.row);
  using Kind = model::Reduction::Kind;
  if (r.kind == Kind::Shown) return reduction::draw_tree(c, r, body);
  Ui& ui = c.ui;
  std::string words(ui.t(Text::ReductionWill));
  if (r.kind == Kind::Nothing) words = ui.t(Text::ReductionNone);
  else if (r.kind == Kind::NeverRan) words = fmt::format(fmt::runtime(ui.t(Text::ReductionNeverRan)), r.sites[r.site].line);
  else if (r.kind == Kind::TooLong) words = fmt::format(fmt::runtime(ui.t(Text::ReductionTooLong)), r.length);
  else if (r.kind == Kind::Opaque) words = ui.t(Text::ReductionOpaque);
  ui.paragraph({body.x + ui.px(16), body.y + ui.px(16), std::min(body.w - ui.px(32), ui.px(520)), body.h}, words, TextSize::Body, ui.theme().text2, ui.px(24));
}

}  // namespace tilescope::window
