// The K loop panel: B above C, A left of C, this iteration's tiles, and the accumulator in the free corner.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "visualizer/window/panels/kloop_parts.h"

namespace tilescope::window {
namespace kloop {
namespace {

using model::KAxis;
using model::KLoop;
using model::KMatrix;

constexpr double kSlideSeconds = 0.18;
constexpr float kMostLane = 64;

/// What the panel remembers from frame to frame: the zoom, the chosen dot, where tiles came from.
struct Memory {
  uint64_t identity = 0;
  size_t site = 0;
  int chosen = -1;           ///< dot picked with the tabs; -1: the panel follows the current line
  model::KView view;
  bool known = false;
  std::array<int64_t, 3> lo{};
  std::array<float, 3> from{};  ///< lanes that the tile was away when it began to move
  double since = -1;
};

Memory& memory() {
  static Memory m;
  return m;
}

struct Loops {
  mutable std::map<int, KLoop> by_site;
};

const KLoop& loop_of(const model::Scene& scene, int site) {
  const Loops& loops = scene.derived<Loops>([](const model::Scene&) { return Loops{}; });
  const auto found = loops.by_site.find(site);
  return found != loops.by_site.end() ? found->second : loops.by_site.emplace(site, model::make_kloop(scene, site)).first->second;
}

std::array<int64_t, 3> tile_starts(const KLoop& loop) {
  std::array<int64_t, 3> lo{};
  for (size_t a = 0; a < 3; ++a) lo[a] = around(loop.axes[a].index).lo;
  return lo;
}

/// Follows the loop from step to step: the view moves along, the tile slides for a moment.
void remember(Memory& m, PanelContext& c, const KLoop& loop, const model::KLayout& layout) {
  const std::array<int64_t, 3> lo = tile_starts(loop);
  if (m.identity != loop.identity || m.site != loop.site || !m.known) {
    if (m.identity != loop.identity) m.view = {};
    m.identity = loop.identity;
    m.site = loop.site;
    m.known = true;
    m.lo = lo;
    m.since = -1;
    return;
  }
  if (lo == m.lo) return;
  std::array<int64_t, 3> moved{};
  for (size_t a = 0; a < 3; ++a) {
    moved[a] = lo[a] - m.lo[a];
    m.from[a] = static_cast<float>(-moved[a]);
  }
  if (m.view.fitted && layout.whole) m.since = c.motion ? c.time : -1;
  model::follow(m.view, loop, layout, moved);
  m.lo = lo;
}

void set_slide(const Memory& m, Picture& p) {
  if (!p.c.motion || m.since < 0 || p.c.time >= m.since + kSlideSeconds) return;
  const double left = 1 - (p.c.time - m.since) / kSlideSeconds;
  for (size_t a = 0; a < 3; ++a) p.slide[a] = std::round(m.from[a] * p.layout.lane * static_cast<float>(left * left * left));
}

/// Width of the label beside the rows of A (or those of B).
float label_width(Ui& ui, const KLoop& loop, const KMatrix& m, KAxis axis) {
  const model::KAxisView& v = loop.axis(axis);
  int64_t reach = v.extent;
  const std::string range = fmt::format("{} {}..{}", axis_name(ui, m, axis), reach, reach);
  const std::string beyond = fmt::format(fmt::runtime(ui.t(Text::KLoopBeyond)), v.block, v.size_name.empty() ? "M" : v.size_name);
  return std::max(ui.width(range, TextSize::Code, true), ui.width(beyond, TextSize::Caption)) + ui.px(20);
}

// ---- the mouse

std::array<double, 3> lanes_under(const Picture& p, const KMatrix& m, ImVec2 mouse) {
  std::array<double, 3> at{};
  for (KAxis a : {KAxis::M, KAxis::N, KAxis::K}) {
    const model::Span tile = around(p.loop.axis(a).index);
    at[static_cast<size_t>(a)] = static_cast<double>(tile.lo + tile.hi) / 2;
  }
  const Rect b = p.box(m.letter);
  const double lane = p.layout.lane;
  at[static_cast<size_t>(m.row_axis)] = p.layout.port(m.row_axis).first + (mouse.y - b.y) / lane;
  at[static_cast<size_t>(m.col_axis)] = p.layout.port(m.col_axis).first + (mouse.x - b.x) / lane;
  return at;
}

void use_mouse(Memory& mem, Picture& p, const model::KLayout& fit) {
  Ui& ui = p.ui();
  for (char letter : {'A', 'B', 'C'}) {
    const KMatrix& m = p.loop.matrix(letter);
    const Hit h = ui.hit(std::string("kloop.") + static_cast<char>(letter - 'A' + 'a'), p.box(letter));
    const std::array<double, 3> at = lanes_under(p, m, h.mouse);
    if (h.double_clicked) {
      if (mem.view.fitted && p.layout.lane < ui.px(kMostLane) / 2) model::zoom_to_tiles(mem.view, p.loop, fit);
      else mem.view = {};
      continue;
    }
    if (h.held && (h.drag.x != 0 || h.drag.y != 0)) model::pan(mem.view, p.loop, p.layout, m.row_axis, h.drag.y, m.col_axis, h.drag.x);
    if (h.wheel != 0) model::zoom(mem.view, p.loop, p.layout, fit, h.wheel, at, ui.px(kMostLane));
    if (!h.hovered) continue;
    const model::KPlace place{letter, static_cast<int64_t>(std::floor(at[static_cast<size_t>(m.row_axis)])), static_cast<int64_t>(std::floor(at[static_cast<size_t>(m.col_axis)]))};
    const auto lane = model::lane_at(m, place.row, place.col);
    if (lane || (place.row < m.rows && place.col < m.cols && m.in_memory())) ui.tooltip(describe(p, place));
    p.c.state.hover = model::element_at(p.loop, p.c.scene, place);
    if (lane && !m.variable.empty()) p.c.state.shown_variable = m.variable;
    if (h.clicked) p.c.state.selected = p.c.state.hover;
    // What is pointed at is drawn in this frame already.
    p.pointed = place;
    p.pointed_by_mouse = true;
  }
}

// ---- the header

struct LegendItem {
  ImU32 colour;
  bool hatched;
  Text text;
};

void draw_header(Picture& p, Rect header, Memory& mem, const model::KLayout& fit) {
  Ui& ui = p.ui();
  const Theme& t = p.theme();
  // Buttons only where there is something to zoom.
  if (!mem.view.fitted || fit.lane < 3 || !fit.whole) {
    const std::string_view labels[] = {ui.t(Text::KLoopFit), ui.t(Text::KLoopTiles)};
    for (int i = 1; i >= 0; --i) {
      const float w = ui.width(labels[i], TextSize::Title) + ui.px(16);
      const Rect r = header.take_right(w);
      const Rect b{r.x, r.y + ui.px(4), r.w, r.h - ui.px(8)};
      const bool active = i == 0 && mem.view.fitted;
      if (ui.button(i == 0 ? "kloop.fit" : "kloop.tiles", b, labels[i], {.primary = false, .active = active}, ui.t(i == 0 ? Text::KLoopFitTip : Text::KLoopTilesTip))) {
        if (i == 0) mem.view = {};
        else model::zoom_to_tiles(mem.view, p.loop, fit);
      }
      header.take_right(ui.px(6));
    }
  }
  std::vector<LegendItem> items{{t.load, false, Text::KLoopLegendLoaded}, {t.compute, false, Text::KLoopLegendComputed}};
  if (p.loop.c.done) items.push_back({t.store, false, Text::KLoopLegendStored});
  items.push_back({t.hatch, true, Text::KLoopLegendOff});
  if (p.loop.a.out_of_bounds + p.loop.b.out_of_bounds + p.loop.c.out_of_bounds > 0) items.push_back({t.fault, true, Text::KLoopOutOfBounds});
  const float mark = ui.px(16), gap = ui.px(6), between = ui.px(14);
  for (auto item = items.rbegin(); item != items.rend(); ++item) {
    const std::string_view text = ui.t(item->text);
    const float w = ui.width(text, TextSize::Caption);
    if (w + mark + gap + between > header.w) break;
    ui.text_in(header.take_right(w), text, TextSize::Caption, t.text2);
    header.take_right(gap);
    const Rect r = header.take_right(mark);
    const Rect swatch{r.x, std::round(r.y + (r.h - ui.px(12)) / 2), r.w, ui.px(12)};
    if (item->hatched) {
      const bool fault = item->text == Text::KLoopOutOfBounds;
      ui.hatch(swatch, fault ? t.hatch : item->colour, 4);
      ui.outline(swatch, fault ? t.fault : t.text3, fault ? ui.px(2) : 1);
    } else {
      ui.outline(swatch, item->colour, ui.px(2));
    }
    header.take_right(between);
  }
}

/// The line that says where in the loop this is; below it, when there are several dots, their tabs. Returns the height.
float draw_heading(Picture& p, Memory& mem) {
  Ui& ui = p.ui();
  const Theme& t = p.theme();
  const KLoop& l = p.loop;
  const Rect row{p.body.x + ui.px(16), p.body.y + ui.px(6), p.corner.right() - p.body.x - ui.px(16), ui.px(22)};
  std::string where;
  if (!l.in_loop && l.iterations <= 1) where = ui.t(Text::KLoopOnce);
  else if (l.phase == KLoop::Phase::Before) where = fmt::format(fmt::runtime(ui.t(Text::KLoopNext)), l.iterations);
  else where = fmt::format(fmt::runtime(ui.t(l.phase == KLoop::Phase::After ? Text::KLoopDone : Text::KLoopIteration)), l.iteration + 1, l.iterations);
  if (!l.batch.empty()) {
    std::string slice;
    int64_t all = 1;
    for (const int64_t n : l.batch) slice += "0, ", all *= n;
    where += "  " + fmt::format(fmt::runtime(ui.t(Text::KLoopBatch)), "[" + slice + ":, :]", all);
  }
  const float w = std::min(row.w, ui.width(where, TextSize::Title));
  ui.text_in({row.x, row.y, w, row.h}, where, TextSize::Title, t.text1);
  if (l.sites.size() < 2) {
    if (l.site < l.sites.size() && row.w - w > ui.px(60))
      ui.text_in({row.x + w + ui.px(12), row.y, row.w - w - ui.px(12), row.h}, l.sites[l.site].label, TextSize::Caption, t.text3, true);
    return ui.px(28);
  }
  std::vector<std::string> labels;
  for (const model::KSite& s : l.sites) labels.push_back(s.label);
  float total = 0;
  for (const std::string& s : labels) total += ui.width(s, TextSize::Title) + ui.px(16);
  if (total > row.w || labels.size() > 4) {
    labels.clear();
    for (const model::KSite& s : l.sites) labels.push_back(std::to_string(s.line));
    total = 0;
    for (const std::string& s : labels) total += ui.width(s, TextSize::Title) + ui.px(16);
  }
  const int clicked = ui.segmented("kloop.dot", {row.x, row.bottom() + ui.px(4), std::min(total, row.w), ui.px(24)}, labels, static_cast<int>(l.site));
  if (clicked >= 0) mem.chosen = mem.chosen == clicked ? -1 : clicked;
  return ui.px(60);
}

// ---- when there is nothing to draw

void draw_instead(PanelContext& c, const KLoop& loop, Rect body) {
  Ui& ui = c.ui;
  const Rect text{body.x + ui.px(16), body.y + ui.px(16), std::min(body.w - ui.px(32), ui.px(520)), body.h};
  std::string words(ui.t(Text::KLoopNothing));
  if (loop.kind == KLoop::Kind::Chunks) {
    std::string names;
    for (const std::string& n : loop.tensors) names += (names.empty() ? "" : ", ") + n;
    words = fmt::format(fmt::runtime(ui.t(Text::KLoopChunks)), loop.loop_line, names, loop.iteration + 1, loop.iterations);
  } else if (loop.kind == KLoop::Kind::NoLoop) {
    words = ui.t(loop.sites.empty() ? Text::KLoopNoLoop : Text::KLoopNeverRan);
  }
  const float h = ui.paragraph(text, words, TextSize::Body, ui.theme().text2, ui.px(24));
  if (loop.kind == KLoop::Kind::NotReady) return;
  const std::string_view label = ui.t(Text::KLoopOpenMemory);
  if (ui.button("kloop.memory", {text.x, text.y + h + ui.px(16), ui.width(label, TextSize::Title) + ui.px(32), ui.px(32)}, label, {.primary = true}))
    c.state.front_tab["centre"] = "memory";
  // Softmax and its kin: the tree of the reduction is what there is to see.
  const std::vector<const Op*>& ops = c.scene.run.recorded->recording->ops();
  const bool reduces = std::any_of(ops.begin(), ops.end(), [](const Op* op) { return op->code == OpCode::Reduce || op->code == OpCode::Scan; });
  const std::string_view other = ui.t(Text::KLoopOpenReduction);
  const Rect second{text.x + ui.width(label, TextSize::Title) + ui.px(44), text.y + h + ui.px(16), ui.width(other, TextSize::Title) + ui.px(32), ui.px(32)};
  if (reduces && ui.button("kloop.reduction", second, other, {})) c.state.front_tab["centre"] = "reduction";
}

void draw_product(PanelContext& c, const KLoop& loop, Rect header, Rect body) {
  Ui& ui = c.ui;
  Memory& mem = memory();
  ui.clip(body);
  const float side = label_width(ui, loop, loop.a, KAxis::M), margin = ui.px(16);
  model::KRoom room;
  room.x = body.x + margin + side;
  room.y = body.y + ui.px(34);
  room.w = std::max(1.0f, body.right() - margin - room.x);
  room.h = std::max(1.0f, body.bottom() - ui.px(8) - room.y);
  room.gap = ui.px(30);
  room.most_lane = ui.px(32);
  const model::KLayout fit = model::fit_layout(loop, room);
  remember(mem, c, loop, model::apply_view(loop, fit, mem.view));
  Picture p{c, loop, model::apply_view(loop, fit, mem.view), body, {}, {}, model::find_place(loop, c.scene, c.hover ? c.hover : c.state.selected), false, {}};
  set_slide(mem, p);
  const float corner_right = p.box('B').x - label_width(ui, loop, loop.b, KAxis::K) - ui.px(12);
  p.corner = {body.x + margin, body.y, std::max(0.0f, corner_right - body.x - margin), p.box('A').y - ui.px(36) - body.y};
  const float heading = draw_heading(p, mem);
  p.corner.take_top(heading);
  use_mouse(mem, p, fit);

  draw_bands(p);
  // Labels first take their places, captions what is left.
  draw_axis_labels(p);
  p.taken.push_back({body.x, body.y, p.corner.right() - body.x, p.corner.bottom() - body.y});
  for (char letter : {'A', 'B', 'C'}) draw_matrix(p, loop.matrix(letter));
  draw_captions(p);
  draw_accumulator(p);
  draw_pointed(p);
  ui.unclip();
  draw_header(p, header, mem, fit);
}

}  // namespace
}  // namespace kloop

void draw_kloop(PanelContext& c, Rect header, Rect body) {
  const model::KLoop& loop = kloop::loop_of(c.scene, kloop::memory().chosen);
  if (loop.kind == model::KLoop::Kind::Product) kloop::draw_product(c, loop, header, body);
  else kloop::draw_instead(c, loop, body);
}

}  // namespace tilescope::window
