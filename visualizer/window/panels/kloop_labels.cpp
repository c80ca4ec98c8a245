// Brackets with ranges, captions of the matrices, and what is pointed at.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "visualizer/model/values.h"
#include "visualizer/window/panels/kloop_parts.h"

namespace tilescope::window::kloop {

using model::KAxis;
using model::KAxisView;
using model::KMatrix;
using model::Span;

namespace {

struct Lines {
  std::string range;                ///< "ks 32..63"
  std::vector<std::string> inside;  ///< "13 inside", "19 beyond K"; empty when all are
};

Lines lines_of(const Picture& p, const KMatrix& m, KAxis axis) {
  Ui& ui = p.ui();
  const KAxisView& v = p.loop.axis(axis);
  Lines out;
  const std::vector<int64_t>& index = m.index_along(axis);
  const std::string name = axis_name(ui, m, axis);
  const std::vector<Span> runs = model::runs_of(index);
  const Span all = around(index);
  out.range = name + " " + std::to_string(all.lo) + ".." + std::to_string(all.hi - 1);
  if (runs.size() > 1 && runs.size() <= 3) {
    out.range = name;
    for (size_t i = 0; i < runs.size(); ++i) out.range += fmt::format("{} {}..{}", i == 0 ? "" : ",", runs[i].lo, runs[i].hi - 1);
  }
  const int64_t size = !m.in_memory() ? v.size : axis == m.row_axis ? m.rows : m.cols, lanes = static_cast<int64_t>(index.size());
  const auto inside = static_cast<int64_t>(std::count_if(index.begin(), index.end(), [&](int64_t i) { return i >= 0 && i < size; }));
  if (size == 0 || inside == lanes) return out;
  const auto below = static_cast<int64_t>(std::count_if(index.begin(), index.end(), [](int64_t i) { return i < 0; }));
  out.inside.push_back(fmt::format(fmt::runtime(ui.t(Text::KLoopInside)), inside));
  if (below > 0) out.inside.push_back(fmt::format(fmt::runtime(ui.t(Text::KLoopBefore)), below));
  const int64_t beyond = lanes - inside - below;
  const bool inner = m.column_major == (axis == m.row_axis);
  if (beyond > 0 && m.runs_over && inner) out.inside.push_back(fmt::format(fmt::runtime(ui.t(m.column_major ? Text::KLoopNextColumn : Text::KLoopNextRow)), beyond));
  else if (beyond > 0 && !v.size_name.empty() && size == v.size) out.inside.push_back(fmt::format(fmt::runtime(ui.t(Text::KLoopBeyond)), beyond, v.size_name));
  else if (beyond > 0) out.inside.push_back(fmt::format(fmt::runtime(ui.t(Text::KLoopBeyondEdge)), beyond));
  return out;
}

/// Lines right-aligned at x, the first one in code; centred on y within lo .. hi.
void side_label(Picture& p, float x, float y, float lo, float hi, const Lines& l) {
  Ui& ui = p.ui();
  const float first = ui.px(20), other = ui.px(19);
  const float h = first + other * static_cast<float>(l.inside.size());
  float top = std::round(std::clamp(y - h / 2, lo, std::max(lo, hi - h)));
  float w = ui.width(l.range, TextSize::Code, true);
  for (const std::string& s : l.inside) w = std::max(w, ui.width(s, TextSize::Caption));
  p.taken.push_back({x - w, top, w, h});
  ui.text_in({x - w, top, w, first}, l.range, TextSize::Code, p.theme().text1, true, Align::Right);
  for (const std::string& s : l.inside) {
    top += other;
    ui.text_in({x - w, top, w, other}, s, TextSize::Caption, p.theme().text2, false, Align::Right);
  }
}

/// A bracket over a tile, with its range above it.
void top_label(Picture& p, const KMatrix& m, KAxis axis, bool one_line, float left, float right) {
  Ui& ui = p.ui();
  const Rect box = p.box(m.letter);
  const Rect tile = p.tile_rect(m);
  const Rect seen = cut({tile.x, box.y, tile.w, box.h}, box);
  if (seen.w <= 0) return;
  const Lines l = lines_of(p, m, axis);
  const float y = box.y - ui.px(9);
  ui.bracket_top({seen.x, y, std::max(seen.w, ui.px(4)), ui.px(6)}, p.theme().text2);
  std::string rest;
  if (one_line)
    for (const std::string& s : l.inside) rest += (rest.empty() ? "  " : std::string(ui.t(Text::KLoopComma))) + s;
  const float w1 = ui.width(l.range, TextSize::Code, true), w2 = rest.empty() ? 0 : ui.width(rest, TextSize::Caption);
  const bool fits = w1 + w2 <= right - left;
  const float w = fits ? w1 + w2 : w1;
  const float x = std::clamp(std::round(seen.x + seen.w / 2 - w / 2), left, std::max(left, right - w));
  const Rect row{x, y - ui.px(20), w, ui.px(19)};
  p.taken.push_back(row);
  ui.text_in({row.x, row.y, w1, row.h}, l.range, TextSize::Code, p.theme().text1, true);
  if (fits && w2 > 0) ui.text_in({row.x + w1, row.y, w2, row.h}, rest, TextSize::Caption, p.theme().text2);
}

void left_label(Picture& p, const KMatrix& m, KAxis axis) {
  Ui& ui = p.ui();
  const Rect box = p.box(m.letter);
  const Rect seen = cut({box.x, p.tile_rect(m).y, box.w, p.tile_rect(m).h}, box);
  if (seen.h <= 0) return;
  ui.bracket_left({box.x - ui.px(10), seen.y, ui.px(6), std::max(seen.h, ui.px(4))}, p.theme().text2);
  side_label(p, box.x - ui.px(16), seen.y + seen.h / 2, box.y, std::max(box.bottom(), box.y + ui.px(60)), lines_of(p, m, axis));
}

struct Caption {
  std::string letter;
  std::string size, kind;
};

Caption caption_of(const Picture& p, const KMatrix& m) {
  Ui& ui = p.ui();
  Caption out;
  out.letter = std::string(1, m.letter);
  const std::string shape = m.rows > 0 && m.cols > 0 ? fmt::format(" {}×{}", m.rows, m.cols) : "";
  if (m.in_memory()) {
    out.size = m.name + shape;
    out.kind = short_dtype(m.dtype);
    if (m.transposed) out.kind += ", " + std::string(ui.t(Text::KLoopTransposed));
    else if (m.column_major) out.kind += ", " + std::string(ui.t(Text::KLoopColumnMajor));
    if (m.runs_over || m.wrapped) out.kind += ", " + std::string(ui.t(m.column_major ? Text::KLoopOverColumn : Text::KLoopOverRow));
  } else {
    out.size = fmt::format("{} {}×{}", m.name.empty() ? m.variable : m.name, m.row_index.size(), m.col_index.size());
    out.kind = m.irregular ? std::string(ui.t(Text::KLoopIrregular))
                           : fmt::format(fmt::runtime(ui.t(m.unreached ? Text::KLoopUnreached : Text::KLoopComputedValue)), short_dtype(m.dtype));
  }
  return out;
}

/// Where a caption may go, best first: in the room for whole tiles that the matrix leaves, then around the box.
std::vector<Rect> caption_places(const Picture& p, const KMatrix& m, float w, float h, float w1) {
  const Ui& ui = p.ui();
  const float d = ui.px(8);
  const Rect box = p.box(m.letter), matrix = cut(p.rect_of(m, {0, m.rows}, {0, m.cols}), box), tile = cut(p.tile_rect(m), box);
  const float below = matrix.bottom() + d, beside = matrix.right() + d, label = box.y - ui.px(29);
  std::vector<Rect> out;
  if (m.in_memory()) {
    out = {{box.x + d, below, w, h},
           {tile.right() + d, below, w, h},
           {beside, tile.bottom() + d, w, h},
           {beside, tile.y - d - h, w, h},
           {beside, box.bottom() - h, w, h},
           {beside, box.y + d, w, h}};
  } else {
    out = {{tile.x, tile.y - d - h, w, h}, {tile.x, tile.bottom() + d, w, h}, {tile.right() + d, tile.y + d, w, h}, {tile.x - d - w, tile.y + d, w, h}};
  }
  if (m.letter != 'B') out.push_back({box.x, box.bottom() + ui.px(4), w, h});
  if (m.letter == 'A') {
    out.push_back({box.x - ui.px(16) - w, box.bottom() - h, w, h});
    out.push_back({box.x - ui.px(16) - w, box.y + d, w, h});
  }
  out.push_back({box.right() + d, box.y + d, w, h});
  if (m.letter == 'B') out.push_back({box.x, label - h, w, h});
  // On one line, beside the range over the box.
  out.push_back({box.x, label, w1, ui.px(20)});
  out.push_back({box.right() - w1, label, w1, ui.px(20)});
  // A belongs left of C, B above it.
  std::erase_if(out, [&](const Rect& r) {
    const bool mine = m.letter == 'A' ? r.right() <= p.box('C').x : m.letter == 'B' ? r.bottom() <= p.box('C').y : true;
    return !mine || !p.is_free(r) || r.y < p.body.y + ui.px(4) || meet(r, matrix) || r.right() > box.right() + w + 2 * d;
  });
  return out;
}

void draw_caption(Picture& p, const KMatrix& m) {
  Ui& ui = p.ui();
  const Theme& t = p.theme();
  const Caption cap = caption_of(p, m);
  const float letter = ui.width(cap.letter, TextSize::Result) + ui.px(8), size = ui.width(cap.size, TextSize::Caption, true), kind = ui.width(cap.kind, TextSize::Caption);
  const float w = letter + std::max(size, kind), h = ui.px(38), one = letter + size + ui.px(8) + kind, d = ui.px(8);
  const Rect box = p.box(m.letter), matrix = cut(p.rect_of(m, {0, m.rows}, {0, m.cols}), box), tile = cut(p.tile_rect(m), box);
  const std::vector<Rect> places = caption_places(p, m, w, h, one);
  Rect at;
  if (!places.empty()) {
    at = places.front();
  } else {
    // Over the matrix, in the corner farthest from the tile.
    const Rect in = matrix.w > 0 && matrix.h > 0 ? matrix : box;
    const float far_x = tile.x + tile.w / 2 > in.x + in.w / 2 ? in.x + ui.px(12) : in.right() - ui.px(12) - w;
    const float far_y = tile.y + tile.h / 2 > in.y + in.h / 2 ? in.y + d : in.bottom() - d - h;
    at = {std::max(in.x + d, far_x), std::max(in.y + ui.px(4), far_y), w, h};
    ui.fill({at.x - ui.px(6), at.y - ui.px(2), w + ui.px(12), h + ui.px(4)}, with_alpha(t.panel, 0.88f), ui.px(4));
  }
  p.taken.push_back(at);
  ui.text_in({at.x, at.y, letter, at.h}, cap.letter, TextSize::Result, t.text1);
  const bool folded = at.h > ui.px(20);
  ui.text_in({at.x + letter, at.y, size + 1, folded ? h / 2 : at.h}, cap.size, TextSize::Caption, t.text2, true);
  if (folded) ui.text_in({at.x + letter, at.y + h / 2, kind + 1, h / 2}, cap.kind, TextSize::Caption, t.text3);
  else ui.text_in({at.x + letter + size + ui.px(8), at.y, kind + 1, at.h}, cap.kind, TextSize::Caption, t.text3);
}

void guide(Picture& p, ImVec2 from, ImVec2 to) { p.ui().dashed(from, to, p.theme().hover, 1, 3); }

/// A one-lane outline that stays visible when lanes are small.
void mark_lanes(Picture& p, const KMatrix& m, Span rows, Span cols, float thickness) {
  Ui& ui = p.ui();
  Rect r = p.rect_of(m, rows, cols);
  const float least = ui.px(8);
  if (r.w < least) r = {r.x + r.w / 2 - least / 2, r.y, least, r.h};
  if (r.h < least) r = {r.x, r.y + r.h / 2 - least / 2, r.w, least};
  const Rect box = p.box(m.letter);
  if (!meet(r, box)) return;
  const float edge = thickness;
  ui.clip({box.x - edge, box.y - edge, box.w + 2 * edge, box.h + 2 * edge});
  ui.outline({std::round(r.x), std::round(r.y), std::round(r.w), std::round(r.h)}, p.theme().hover, thickness);
  ui.unclip();
}

}  // namespace

void draw_axis_labels(Picture& p) {
  const float gap = p.ui().px(8);
  top_label(p, p.loop.b, KAxis::N, true, p.corner.right(), p.body.right() - gap);
  top_label(p, p.loop.a, KAxis::K, false, p.box('A').x, p.box('C').x - gap);
  left_label(p, p.loop.b, KAxis::K);
  left_label(p, p.loop.a, KAxis::M);
}

void draw_captions(Picture& p) {
  for (char letter : {'A', 'B', 'C'}) draw_caption(p, p.loop.matrix(letter));
}

void draw_pointed(Picture& p) {
  if (!p.pointed) return;
  Ui& ui = p.ui();
  const model::KPlace at = *p.pointed;
  const KMatrix &a = p.loop.a, &b = p.loop.b, &c = p.loop.c;
  const float thick = ui.px(2);
  const Rect box_a = p.box('A'), box_b = p.box('B'), box_c = p.box('C');
  auto centre_y = [&](const KMatrix& m, int64_t row) { return p.rect_of(m, {row, row + 1}, {0, 1}).y + p.layout.lane / 2; };
  auto centre_x = [&](const KMatrix& m, int64_t col) { return p.rect_of(m, {0, 1}, {col, col + 1}).x + p.layout.lane / 2; };
  auto within = [](float v, float lo, float hi) { return v >= lo && v <= hi; };
  const Span ks = around(a.col_index), kb = around(b.row_index), m_span = around(c.row_index), n_span = around(c.col_index);
  if (at.letter == 'C') {
    // The row of A and the column of B that make it, as far as this iteration's tiles reach.
    mark_lanes(p, a, {at.row, at.row + 1}, ks, 1);
    mark_lanes(p, b, kb, {at.col, at.col + 1}, 1);
    const float y = centre_y(c, at.row), x = centre_x(c, at.col);
    if (within(y, box_c.y, box_c.bottom())) guide(p, {std::min(p.tile_rect(a).right(), box_a.right()), y}, {std::clamp(x - thick, box_c.x, box_c.right()), y});
    if (within(x, box_c.x, box_c.right())) guide(p, {x, std::min(p.tile_rect(b).bottom(), box_b.bottom())}, {x, std::clamp(y - thick, box_c.y, box_c.bottom())});
    mark_lanes(p, c, {at.row, at.row + 1}, {at.col, at.col + 1}, thick);
  } else if (at.letter == 'A') {
    // It meets one row of B and adds to one row of C.
    mark_lanes(p, b, {at.col, at.col + 1}, around(b.col_index), 1);
    mark_lanes(p, c, {at.row, at.row + 1}, n_span, 1);
    const float y = centre_y(a, at.row), x = centre_x(a, at.col);
    if (within(y, box_a.y, box_a.bottom()) && within(x, box_a.x, box_a.right())) guide(p, {x, y}, {std::max(x, box_c.x), y});
    mark_lanes(p, a, {at.row, at.row + 1}, {at.col, at.col + 1}, thick);
  } else {
    mark_lanes(p, a, around(a.row_index), {at.row, at.row + 1}, 1);
    mark_lanes(p, c, m_span, {at.col, at.col + 1}, 1);
    const float x = centre_x(b, at.col), y = centre_y(b, at.row);
    if (within(y, box_b.y, box_b.bottom()) && within(x, box_b.x, box_b.right())) guide(p, {x, y}, {x, std::max(y, box_c.y)});
    mark_lanes(p, b, {at.row, at.row + 1}, {at.col, at.col + 1}, thick);
  }
}

}  // namespace tilescope::window::kloop
