// A, B and C: values as a texture, what lies outside, the tiles.
#include <algorithm>
#include <cmath>

#include "visualizer/model/values.h"
#include "visualizer/window/panels/kloop_parts.h"

namespace tilescope::window::kloop {

using model::KAxis;
using model::KAxisView;
using model::KLoop;
using model::KMatrix;
using model::LanePatch;
using model::Span;

namespace {

constexpr float kElsewhere = 0.7f;  // share of the panel's colour outside the tile
constexpr float kVisited = 0.45f;   // where earlier iterations were

bool is_current(const Picture& p, const KMatrix& m) {
  if (m.letter == 'C') return m.done || p.loop.acc.has_after || p.loop.acc.has_before;
  return m.done && p.loop.phase != KLoop::Phase::After;
}

/// The part of one axis of a matrix that is seen, as texels: one a lane, or one a pixel when lanes are smaller.
struct Texels {
  int64_t first = 0;        ///< lane of the first texel
  int count = 0;
  float step = 1;           ///< lanes a texel
  float start = 0, length = 0;  ///< pixels
  int64_t lane(int i) const { return first + static_cast<int64_t>((static_cast<float>(i) + (step > 1 ? 0.5f : 0.0f)) * step); }
};

Texels texels_of(const model::KPort& port, float lane, int64_t size) {
  Texels t;
  const auto first = std::max<int64_t>(0, static_cast<int64_t>(std::floor(port.first)));
  const auto end = std::min<int64_t>(size, static_cast<int64_t>(std::ceil(port.first + port.pixels / lane)));
  if (end <= first) return t;
  t.first = first;
  t.start = port.at(static_cast<double>(first), lane);
  t.length = static_cast<float>(end - first) * lane;
  t.count = lane >= 1 ? static_cast<int>(end - first) : std::max(1, static_cast<int>(std::lround(t.length)));
  t.count = std::min(t.count, 4096);
  t.step = static_cast<float>(end - first) / static_cast<float>(t.count);
  return t;
}

/// For each texel: lane of this iteration's tile (-1: none), and whether an earlier iteration's tile held it.
struct Marks {
  std::vector<int64_t> index, lane;
  std::vector<uint8_t> visited;
};

Marks marks_of(const Picture& p, const Texels& t, const std::vector<int64_t>& tile, const KAxisView& axis) {
  Marks out;
  std::vector<std::pair<int64_t, int64_t>> sorted;
  for (size_t i = 0; i < tile.size(); ++i) sorted.emplace_back(tile[i], static_cast<int64_t>(i));
  std::sort(sorted.begin(), sorted.end());
  // Earlier tiles of an axis that does not move are the one of now.
  const auto earlier = static_cast<size_t>(p.loop.phase == KLoop::Phase::After ? p.loop.iterations : p.loop.iteration);
  for (int i = 0; i < t.count; ++i) {
    const int64_t at = t.lane(i);
    const auto found = std::lower_bound(sorted.begin(), sorted.end(), std::make_pair(at, int64_t{0}));
    const int64_t lane = found != sorted.end() && found->first == at ? found->second : -1;
    bool visited = !axis.moves && lane >= 0;
    for (size_t k = 0; axis.moves && k < earlier && k < axis.tiles.size() && !visited; ++k) visited = axis.tiles[k].holds(at);
    out.index.push_back(at);
    out.lane.push_back(lane);
    out.visited.push_back(visited);
  }
  return out;
}

/// Lanes that are not on, one byte a lane.
std::vector<uint8_t> off_lanes(const KMatrix& m) {
  const auto cols = static_cast<int64_t>(m.col_index.size());
  std::vector<uint8_t> off(m.row_index.size() * m.col_index.size(), 0);
  for (const LanePatch& o : m.off)
    for (int64_t r = o.row; r < o.row_end; ++r)
      for (int64_t c = o.col; c < o.col_end; ++c) off[static_cast<size_t>(r * cols + c)] = o.state != LaneState::Uninitialised;
  return off;
}

void paint(const Picture& p, const KMatrix& m, const Texels& down, const Texels& across, std::vector<ImU32>& out) {
  const Theme& t = p.theme();
  const Scale near(t, m.reach, 0), past(t, m.reach, kVisited), far(t, m.reach, kElsewhere);
  const Marks rows = marks_of(p, down, m.row_index, p.loop.axis(m.row_axis)), cols = marks_of(p, across, m.col_index, p.loop.axis(m.col_axis));
  const std::vector<uint8_t> off = off_lanes(m);
  const Tensor* tensor = p.tensor_of(m);
  const bool current = is_current(p, m), is_c = m.letter == 'C';
  const model::Accumulator& acc = p.loop.acc;
  const std::vector<double>* held = is_c && !m.done ? (acc.has_after ? &acc.after : acc.has_before ? &acc.before : nullptr) : nullptr;
  const auto width = static_cast<int64_t>(m.col_index.size());
  for (size_t y = 0; y < rows.index.size(); ++y)
    for (size_t x = 0; x < cols.index.size(); ++x) {
      ImU32& texel = out[y * cols.index.size() + x];
      texel = 0;
      const int64_t lr = rows.lane[y], lc = cols.lane[x];
      const bool in_tile = lr >= 0 && lc >= 0;
      const auto lane = static_cast<size_t>(in_tile ? lr * width + lc : 0);
      const bool live = in_tile && (lane >= off.size() || !off[lane]);
      if (live && held != nullptr && lane < held->size()) {
        texel = near((*held)[lane]);
        continue;
      }
      if (m.tile != nullptr) {
        if (live && m.done && static_cast<int64_t>(lane) < m.tile->type.elements()) texel = (current ? near : past)(model::lane_number(*m.tile, static_cast<int64_t>(lane)));
        continue;
      }
      if (tensor == nullptr || !m.written(*tensor, rows.index[y], cols.index[x])) continue;
      const std::optional<double> v = m.value(*tensor, rows.index[y], cols.index[x]);
      if (!v) continue;
      const bool visited = !is_c && rows.visited[y] && cols.visited[x];
      texel = (live && current ? near : visited ? past : far)(*v);
    }
}

void draw_values(Picture& p, const KMatrix& m) {
  const Texels down = texels_of(p.layout.port(m.row_axis), p.layout.lane, m.rows), across = texels_of(p.layout.port(m.col_axis), p.layout.lane, m.cols);
  if (down.count < 1 || across.count < 1) return;
  const model::Scene& s = p.c.scene;
  const bool changes = m.letter == 'C' || m.tile != nullptr || (m.in_memory() && s.tensors[static_cast<size_t>(m.tensor)].stored);
  const uint64_t version =
      hash_of({p.loop.identity, p.loop.site, static_cast<uint64_t>(m.tensor), static_cast<uint64_t>(p.loop.iteration), static_cast<uint64_t>(p.loop.phase),
               is_current(p, m), changes ? s.step + 1 : 0, static_cast<uint64_t>(down.first), static_cast<uint64_t>(across.first),
               bits_of(static_cast<double>(down.step)), bits_of(static_cast<double>(across.step)), p.theme().dark, bits_of(m.reach), s.run.recorded->provisional});
  const ImTextureID id = p.c.textures.get(std::string("kloop.") + m.letter, version, across.count, down.count,
                                          [&](std::vector<ImU32>& out) { paint(p, m, down, across, out); });
  const Rect b = p.box(m.letter);
  p.ui().draw().AddImage(id, {b.x + across.start, b.y + down.start}, {b.x + across.start + across.length, b.y + down.start + down.length});
}

/// Numbers where a lane has room for them.
void draw_numbers(Picture& p, const KMatrix& m) {
  Ui& ui = p.ui();
  const float lane = p.layout.lane;
  if (lane < ui.px(40)) return;
  const Rect b = p.box(m.letter);
  const Texels down = texels_of(p.layout.port(m.row_axis), lane, m.rows), across = texels_of(p.layout.port(m.col_axis), lane, m.cols);
  const Scale near(p.theme(), m.reach, 0), far(p.theme(), m.reach, kElsewhere);
  const bool current = is_current(p, m);
  for (int y = 0; y < down.count; ++y)
    for (int x = 0; x < across.count; ++x) {
      const std::optional<double> v = value_at(p, {m.letter, down.lane(y), across.lane(x)});
      if (!v) continue;
      const Rect r{b.x + across.start + static_cast<float>(x) * lane, b.y + down.start + static_cast<float>(y) * lane, lane, lane};
      const std::string text = model::typographic(model::format_number(*v, model::number_style(m.reach, !is_float(m.dtype), static_cast<int>(lane / ui.code_advance(TextSize::Caption)) - 1)));
      const bool lit = current && model::lane_at(m, down.lane(y), across.lane(x)).has_value();
      ui.text_in(r, text, TextSize::Caption, lit ? ink_on(near(*v)) : mix(ink_on(far(*v)), far(*v), 0.25f), true, Align::Centre);
    }
}

/// Where whole tiles would lie, beyond the matrix too.
void draw_tile_grid(Picture& p, const KMatrix& m) {
  Ui& ui = p.ui();
  const KAxisView &rows = p.loop.axis(m.row_axis), &cols = p.loop.axis(m.col_axis);
  const ImU32 colour = p.theme().line;
  const Rect whole = p.rect_of(m, {0, rows.extent}, {0, cols.extent});
  ui.dashed_outline(whole, colour, 1, 2);
  auto lines = [&](const KAxisView& axis, bool across) {
    if (static_cast<float>(axis.block) * p.layout.lane < ui.px(16) || axis.block < 1) return;
    const auto i = static_cast<size_t>(p.loop.iteration);
    const int64_t phase = i < axis.tiles.size() ? ((axis.tiles[i].lo % axis.block) + axis.block) % axis.block : 0;
    for (int64_t at = phase == 0 ? axis.block : phase; at < axis.extent; at += axis.block) {
      const Rect r = across ? p.rect_of(m, {0, rows.extent}, {at, at}) : p.rect_of(m, {at, at}, {0, cols.extent});
      const Rect seen = cut({r.x, r.y, std::max(r.w, 1.0f), std::max(r.h, 1.0f)}, p.box(m.letter));
      if (seen.w <= 0 || seen.h <= 0) continue;
      if (across) ui.dashed({seen.x + 0.5f, seen.y}, {seen.x + 0.5f, seen.bottom()}, colour, 1, 2);
      else ui.dashed({seen.x, seen.y + 0.5f}, {seen.right(), seen.y + 0.5f}, colour, 1, 2);
    }
  };
  lines(cols, true);
  lines(rows, false);
}

/// Lanes rows x cols of the tile as rectangles on the screen: several when the tile wraps.
std::vector<Rect> pieces_of(const Picture& p, const KMatrix& m, int64_t row, int64_t row_end, int64_t col, int64_t col_end) {
  std::vector<Rect> out;
  const auto clamp = [](int64_t x, size_t n) { return std::clamp<int64_t>(x, 0, static_cast<int64_t>(n)); };
  const std::vector<int64_t> r(m.row_index.begin() + clamp(row, m.row_index.size()), m.row_index.begin() + clamp(row_end, m.row_index.size()));
  const std::vector<int64_t> c(m.col_index.begin() + clamp(col, m.col_index.size()), m.col_index.begin() + clamp(col_end, m.col_index.size()));
  const std::vector<Span> rows = model::runs_of(r), cols = model::runs_of(c);
  if (rows.size() * cols.size() > 256) return {p.rect_of(m, around(r), around(c))};
  for (const Span& y : rows)
    for (const Span& x : cols) {
      Rect piece = p.rect_of(m, y, x);
      piece.x += p.slide[static_cast<size_t>(m.col_axis)];
      piece.y += p.slide[static_cast<size_t>(m.row_axis)];
      out.push_back(piece);
    }
  return out;
}

void draw_off_lanes(Picture& p, const KMatrix& m) {
  Ui& ui = p.ui();
  const Theme& t = p.theme();
  for (const LanePatch& o : m.off)
    for (const Rect& r : pieces_of(p, m, o.row, o.row_end, o.col, o.col_end)) {
      const Rect seen = cut(r, p.box(m.letter));
      if (seen.w <= 0 || seen.h <= 0) continue;
      if (o.state == LaneState::Uninitialised) {
        ui.dots(seen, t.text3);
        continue;
      }
      ui.fill(seen, o.state == LaneState::OutOfBounds ? mix(t.panel, t.fault, 0.25f) : with_alpha(t.panel, 0.8f));
      ui.hatch(seen, with_alpha(t.hatch, 0.75f), std::min(seen.w, seen.h) < ui.px(24) ? 4 : 6);
      if (o.state != LaneState::OutOfBounds) continue;
      ui.outline(seen, t.fault, ui.px(2));
      ui.cross(seen, t.fault);
    }
}

void outline_tile(Picture& p, const KMatrix& m) {
  Ui& ui = p.ui();
  const Theme& t = p.theme();
  const bool c = m.letter == 'C';
  const ImU32 colour = c ? (m.done ? t.store : t.compute) : m.in_memory() ? t.load : t.compute;
  const bool solid = c ? m.done || p.loop.acc.has_after : m.done && p.loop.phase != KLoop::Phase::After;
  for (Rect r : pieces_of(p, m, 0, static_cast<int64_t>(m.row_index.size()), 0, static_cast<int64_t>(m.col_index.size()))) {
    if (r.w < ui.px(4) || r.h < ui.px(4)) r = {r.x - ui.px(2), r.y - ui.px(2), r.w + ui.px(4), r.h + ui.px(4)};
    if (solid) ui.outline(r, colour, std::min(r.w, r.h) > ui.px(20) ? ui.px(3) : ui.px(2));
    else ui.dashed_outline(r, colour, ui.px(1), 4);
  }
}

/// Where nothing has been stored yet, in words.
void say_not_run(Picture& p, const KMatrix& m) {
  const Tensor* tensor = p.tensor_of(m);
  if (tensor == nullptr || !tensor->uninitialised) return;
  Ui& ui = p.ui();
  const std::string_view text = ui.t(Text::KLoopNotRun);
  const float whole = ui.width(text, TextSize::Caption) + ui.px(8), one = ui.px(20);
  const Rect matrix = cut(p.rect_of(m, {0, m.rows}, {0, m.cols}), p.box(m.letter)), tile = p.tile_rect(m);
  const Rect around_tile[] = {{tile.right(), matrix.y, matrix.right() - tile.right(), matrix.h},
                              {matrix.x, tile.bottom(), matrix.w, matrix.bottom() - tile.bottom()},
                              {matrix.x, matrix.y, matrix.w, tile.y - matrix.y},
                              {matrix.x, matrix.y, tile.x - matrix.x, matrix.h}};
  const Rect box = p.box(m.letter);
  const model::KPort &down = p.layout.port(m.row_axis), &across = p.layout.port(m.col_axis);
  for (const Rect& region : around_tile) {
    // On two lines where it does not fit on one.
    const size_t space = text.rfind(' ');
    const bool folded = region.w < whole + ui.px(4) && space != std::string_view::npos;
    const std::string_view rows[] = {folded ? text.substr(0, space) : text, folded ? text.substr(space + 1) : std::string_view{}};
    const float w = folded ? std::max(ui.width(rows[0], TextSize::Caption), ui.width(rows[1], TextSize::Caption)) : whole, h = folded ? 2 * one : one;
    const Rect r{std::round(region.x + (region.w - w) / 2), std::round(region.y + (region.h - h) / 2), w, h};
    if (region.w < w + ui.px(4) || region.h < h + ui.px(4) || !p.is_free(r)) continue;
    bool unwritten = true;
    for (int k = 0; k < 25 && unwritten; ++k) {
      const float x = r.x + r.w * static_cast<float>(k % 5) / 4, y = r.y + r.h * static_cast<float>(k / 5) / 4;
      unwritten = !m.written(*tensor, static_cast<int64_t>(down.first + (y - box.y) / p.layout.lane), static_cast<int64_t>(across.first + (x - box.x) / p.layout.lane));
    }
    if (!unwritten) continue;
    ui.text_in({r.x, r.y, r.w, one}, rows[0], TextSize::Caption, p.theme().text3, false, Align::Centre);
    if (folded) ui.text_in({r.x, r.y + one, r.w, one}, rows[1], TextSize::Caption, p.theme().text3, false, Align::Centre);
    p.taken.push_back(r);
    return;
  }
}

}  // namespace

void draw_matrix(Picture& p, const KMatrix& m) {
  Ui& ui = p.ui();
  const Rect b = p.box(m.letter);
  ui.place(std::string("kloop.tile.") + static_cast<char>(m.letter - 'A' + 'a'), cut(p.tile_rect(m), b));
  const float edge = ui.px(2);
  ui.clip({b.x - edge, b.y - edge, b.w + 2 * edge, b.h + 2 * edge});
  draw_tile_grid(p, m);
  ui.unclip();
  ui.clip(b);
  if (m.rows > 0 && m.cols > 0 && (m.in_memory() || m.tile != nullptr || m.letter == 'C')) draw_values(p, m);
  draw_off_lanes(p, m);
  draw_numbers(p, m);
  if (m.in_memory()) {
    // An edge that falls between two pixels at the end of the port belongs to the last one.
    Rect edge_of = p.rect_of(m, {0, m.rows}, {0, m.cols});
    if (std::fabs(edge_of.right() - b.right()) < 1.5f) edge_of.w = b.right() - edge_of.x;
    if (std::fabs(edge_of.bottom() - b.bottom()) < 1.5f) edge_of.h = b.bottom() - edge_of.y;
    ui.outline(edge_of, p.theme().text3, 1);
  }
  ui.unclip();
  ui.clip({b.x - edge, b.y - edge, b.w + 2 * edge, b.h + 2 * edge});
  outline_tile(p, m);
  ui.unclip();
  p.taken.push_back(cut(p.tile_rect(m), b));
  if (m.letter == 'C') say_not_run(p, m);
}

void draw_bands(Picture& p) {
  const ImU32 colour = with_alpha(p.theme().current_line, 0.6f);
  const Rect a = cut(p.tile_rect(p.loop.a), p.box('A')), b = cut(p.tile_rect(p.loop.b), p.box('B')), c = cut(p.tile_rect(p.loop.c), p.box('C'));
  if (a.h > 0 && c.h > 0) {
    p.taken.push_back({a.right(), a.y, c.x - a.right(), a.h});
    p.ui().fill(p.taken.back(), colour);
  }
  if (b.w > 0 && c.w > 0) {
    p.taken.push_back({b.x, b.bottom(), b.w, p.box('C').y - b.bottom()});
    p.ui().fill({b.x, b.bottom(), b.w, c.y - b.bottom()}, colour);
  }
}

}  // namespace tilescope::window::kloop
