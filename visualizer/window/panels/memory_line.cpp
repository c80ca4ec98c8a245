// A tensor as the line of memory that it is: elements in storage order, gaps of strided views, and where the lanes fall.
#include <algorithm>
#include <cmath>
#include <string>

#include "visualizer/window/panels/memory_parts.h"

namespace tilescope::window {
namespace {

uint64_t mixed(uint64_t a, double b) {
  uint64_t bits = 0;
  static_assert(sizeof(bits) == sizeof(b));
  std::copy_n(reinterpret_cast<const char*>(&b), sizeof(b), reinterpret_cast<char*>(&bits));
  return (a ^ (bits + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2))) * 0xff51afd7ed558ccdu;
}

/// Elements of a line on the screen.
struct Scale {
  Rect r;
  double from, to;
  double pixels() const { return r.w / (to - from); }
  float x(double element) const { return r.x + static_cast<float>(std::clamp((element - from) / (to - from) * r.w, -1e5, 1e5)); }
  Rect span(double a, double b) const {
    const float x0 = std::round(std::max(x(a), r.x)), x1 = std::round(std::min(x(b), r.right()));
    return {x0, r.y, x1 - x0, r.h};
  }
};

void draw_elements(PanelContext& c, const MemoryTensor& m, const CellPainter& paint, const std::string& key, const Scale& s) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const Rect all = s.span(static_cast<double>(m.map.lowest()), static_cast<double>(m.map.highest()) + 1);
  if (all.w <= 0) return;
  if (!m.tensor->layout.is_dense()) ui.fill({all.x, std::round(all.y + all.h / 2), all.w, 1}, t.line);  // what shows through are gaps
  if (!paint.counts() && m.tensor->uninitialised) draw_dots(c, key + ".dots", s.r, all);
  // One texel an element, or one a pixel when elements are smaller.
  const bool whole = s.pixels() >= 1;
  const double first = whole ? std::floor(s.from) : s.from;
  const int count = static_cast<int>(std::clamp(whole ? std::ceil(s.to) - first : static_cast<double>(s.r.w), 1.0, 4096.0));
  const double step = whole ? 1 : (s.to - s.from) / count;
  const uint64_t version = mixed(mixed(paint.version(), first), step);
  const ImTextureID id = c.textures.get(key, version, count, 1, [&](std::vector<ImU32>& texels) {
    model::Samples samples;
    paint.sample_line(whole ? first : first + step / 2, step, count, samples);
    for (size_t i = 0; i < texels.size(); ++i) texels[i] = paint.colour(samples.kinds[i], samples.values[i]);
  });
  ui.draw().AddImage(id, {s.x(first), s.r.y}, {s.x(first + step * count), s.r.bottom()});
  if (is_bool(m.tensor->dtype) && !paint.counts() && s.pixels() >= ui.px(6)) {
    model::Samples samples;
    paint.sample_line(first, 1, count, samples);
    for (size_t i = 0; i < samples.values.size(); ++i)
      if (samples.kinds[i] == model::CellKind::Value && samples.values[i] == 0)
        ui.hatch(s.span(first + static_cast<double>(i), first + static_cast<double>(i) + 1), with_alpha(t.hatch, 0.6f), 6);
  }
  if (s.pixels() >= ui.px(6))
    for (double e = std::max(std::ceil(s.from), static_cast<double>(m.map.lowest())); e <= s.to && e <= static_cast<double>(m.map.highest()) + 1; ++e)
      ui.fill({std::round(s.x(e)), s.r.y, 1, s.r.h}, t.panel);
}

void draw_numbers(PanelContext& c, const MemoryTensor& m, const CellPainter& paint, const Scale& s, const LineMarks& marks) {
  Ui& ui = c.ui;
  if (s.pixels() < ui.px(40) || s.r.h < ui.px(20)) return;
  const double first = std::floor(s.from);
  model::Samples samples;
  paint.sample_line(first, 1, static_cast<int>(std::ceil(s.to) - first), samples);
  const int characters = static_cast<int>((s.pixels() - 6) / ui.code_advance(TextSize::Caption));
  for (size_t i = 0; i < samples.values.size(); ++i) {
    const std::string text = paint.text(samples.kinds[i], samples.values[i], characters);
    if (text.empty()) continue;
    const double e = first + static_cast<double>(i);
    const bool out = marks.lit_to > marks.lit_from && (e < marks.lit_from || e >= marks.lit_to);
    const ImU32 ink = out ? ui.theme().text3 : ink_on(paint.colour(samples.kinds[i], samples.values[i]));
    ui.text({s.x(e + 1) - ui.px(5), s.r.y + (s.r.h - ui.line_height(TextSize::Caption)) / 2}, text, TextSize::Caption, ink, true, Align::Right);
    if (m.stored_at(static_cast<int64_t>(e)) != nullptr && !paint.counts() && !out) {
      const float x = std::round(s.x(e)) + 1, y = s.r.y + 1;
      ui.draw().AddTriangleFilled({x, y}, {x + ui.px(7), y}, {x, y + ui.px(7)}, ink);
    }
  }
}

// Runs of one state that touch on the screen are drawn as one.
struct Piece {
  float x0, x1;
  LaneState state;
  uint32_t copies;
};

std::vector<Piece> pieces_of(const std::vector<model::LaneRun>& runs, const Scale& s) {
  std::vector<Piece> out;
  auto i = std::lower_bound(runs.begin(), runs.end(), s.from, [](const model::LaneRun& r, double from) { return static_cast<double>(r.col + r.count) <= from; });
  for (; i != runs.end() && static_cast<double>(i->col) < s.to; ++i) {
    Piece p{s.x(static_cast<double>(i->col)), s.x(static_cast<double>(i->col + i->count)), i->state, i->copies};
    // What goes on beyond the strip has no edge there.
    p.x0 = std::max(std::round(p.x0), s.r.x - 16), p.x1 = std::min(std::max(std::round(p.x1), std::round(p.x0) + 1), s.r.right() + 16);
    if (!out.empty() && out.back().state == p.state && (out.back().copies > 1) == (p.copies > 1) && p.x0 - out.back().x1 < 2) {
      out.back().x1 = std::max(out.back().x1, p.x1);
      out.back().copies = std::max(out.back().copies, p.copies);
    } else {
      out.push_back(p);
    }
  }
  return out;
}

void draw_lanes(PanelContext& c, const MemoryTensor& m, const MemoryAccess& a, const Scale& s, const LineMarks& marks) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const float inside_from = s.x(static_cast<double>(m.map.lowest())), inside_to = s.x(static_cast<double>(m.map.highest()) + 1);
  for (const Piece& p : pieces_of(a.lanes.line, s)) {
    Rect r{p.x0, s.r.y, p.x1 - p.x0, s.r.h};
    if (r.w <= 0) continue;
    switch (p.state) {
      case LaneState::Masked: {
        if (!marks.masked_inside) {
          if (r.x < inside_from) r.w = std::min(r.right(), inside_from) - r.x;
          else if (r.right() > inside_to) r = {std::max(r.x, inside_to), r.y, r.right() - std::max(r.x, inside_to), r.h};
          else continue;
          if (r.w <= 0) continue;
        }
        ui.fill(r, t.panel);
        ui.hatch(r, t.hatch, s.r.h < ui.px(16) ? 4 : 6);
        ui.outline(r, t.hatch, 1);
        continue;
      }
      case LaneState::OutOfBounds: draw_out_of_bounds(ui, r, static_cast<float>(s.pixels())); continue;
      case LaneState::Uninitialised: ui.dots(r, t.fault), ui.outline(r, t.fault, ui.px(2)); continue;
      case LaneState::On: break;
    }
    if (p.copies > 1) {
      ui.cross_hatch(r, mix(t.hatch, t.text1, 0.3f));
      const std::string text = "×" + std::to_string(p.copies);
      const float w = ui.width(text, TextSize::Caption, true) + ui.px(6);
      if (r.w > w + ui.px(4) && r.h >= ui.px(16)) {
        const Rect label{r.x + (r.w - w) / 2, r.y + (r.h - ui.px(16)) / 2, w, ui.px(16)};
        ui.fill(label, t.raised);
        ui.text_in(label, text, TextSize::Caption, t.text1, true, Align::Centre);
      }
    }
    const float d = std::min(ui.px(marks.thickness), std::max(1.0f, std::floor(r.w / 4)));
    ui.outline(r.inset(-d), access_mark(t, a), d);
  }
}

}  // namespace

void draw_line_cells(PanelContext& c, const MemoryTensor& m, const CellPainter& paint, const std::string& key, Rect r, double from, double to,
                     const LineMarks& marks) {
  if (r.w < 2 || r.h < 2 || !(to > from)) return;
  Ui& ui = c.ui;
  const Scale s{r, from, to};
  const float room = ui.px(marks.thickness) + 1;
  ui.clip(r.inset(-room));
  draw_elements(c, m, paint, key, s);
  if (marks.lit_to > marks.lit_from) {
    const ImU32 veil = with_alpha(ui.theme().panel, 0.7f);
    const Rect before = s.span(from, marks.lit_from), after = s.span(marks.lit_to, to);
    if (before.w > 0) ui.fill(before, veil);
    if (after.w > 0) ui.fill(after, veil);
  }
  draw_numbers(c, m, paint, s, marks);
  const Rect all = s.span(static_cast<double>(m.map.lowest()), static_cast<double>(m.map.highest()) + 1);
  if (all.w > 0) ui.outline(all.inset(-1), ui.theme().text3, 1);
  for (const MemoryAccess* a : marks.accesses) draw_lanes(c, m, *a, s, marks);
  for (const int64_t offset : hovered_offsets(c, m)) {
    Rect h = s.span(static_cast<double>(offset), static_cast<double>(offset) + 1);
    if (s.x(static_cast<double>(offset) + 1) < r.x || s.x(static_cast<double>(offset)) > r.right()) continue;
    if (h.w < ui.px(6)) h = {h.x - (ui.px(6) - h.w) / 2, h.y, ui.px(6), h.h};
    ui.outline(h.inset(-1), ui.theme().hover, ui.px(2));
  }
  if (const std::optional<FailedElement> f = failed_element(c, m)) {
    const double at = static_cast<double>(f->offset);
    const float x0 = std::round(s.x(at)), w = std::max(std::round(s.x(at + 1)) - x0, ui.px(6));
    if (x0 + w > r.x && x0 < r.right()) {
      const Rect box{x0, r.y, w, r.h};
      ui.place("memory.failure." + m.now->name, box);
      ui.outline(box.inset(-ui.px(1)), ui.theme().panel, ui.px(4));
      ui.outline(box.inset(-ui.px(1)), ui.theme().fault, ui.px(3));
      // Its neighbours may have faults of their own.
      if (r.h >= ui.px(20)) ui.triangle({box.x + box.w / 2, box.y + ui.px(5)}, ui.px(5), 90, ui.theme().text1);
    }
  }
  ui.unclip();
}

void zoom_line(const Hit& hit, const Rect& r, LineZoom& zoom, double lowest, double highest, float widest_cell) {
  if (hit.double_clicked) zoom.fitted = true;
  const double span = zoom.to - zoom.from, whole = std::max(highest - lowest, 1.0);
  if (hit.wheel != 0 && r.w > 0) {
    const double at = zoom.from + (hit.mouse.x - r.x) / r.w * span;
    const double least = std::min<double>(whole, r.w / widest_cell);
    const double wanted = std::clamp(span * std::pow(1.25, -hit.wheel), least, whole * 1.25);
    zoom.from = at - (hit.mouse.x - r.x) / r.w * wanted;
    zoom.to = zoom.from + wanted;
    zoom.fitted = false;
  }
  if (hit.held && hit.drag.x != 0 && r.w > 0) {
    const double move = hit.drag.x / r.w * span;
    zoom.from -= move, zoom.to -= move;
    zoom.fitted = false;
  }
  if (zoom.fitted) return;
  const double now = zoom.to - zoom.from, slack = now * 0.25;
  zoom.from = std::clamp(zoom.from, lowest - slack, std::max(lowest - slack, highest + slack - now));
  zoom.to = zoom.from + now;
}

void hover_line(PanelContext& c, const MemoryTensor& m, const Hit& hit, const Rect& r, double from, double to) {
  if (!hit.hovered || r.w <= 0 || (hit.held && hit.drag.x != 0)) return;
  const double e = std::floor(from + (hit.mouse.x - r.x) / r.w * (to - from));
  if (!(std::abs(e) < 1e15)) return;
  const int64_t offset = static_cast<int64_t>(e);
  const std::vector<MemoryAccess>& accesses = m.accesses(c.scene, {});
  std::vector<int64_t> index;
  if (m.map.find(offset, index)) return hover_element(c, m, index, accesses);
  if (offset >= m.map.lowest() && offset <= m.map.highest())
    return c.ui.tooltip(say(c, Text::MemoryGap, {std::to_string(m.tensor->origin + offset)}));
  for (const MemoryAccess& a : accesses) {
    const std::vector<int64_t> lanes = a.lanes.lanes_at(offset, 1);
    if (lanes.empty()) continue;
    const bool out = a.access->lanes->states[static_cast<size_t>(lanes[0])] == LaneState::OutOfBounds;
    m.map.find_beyond(offset, index);
    return c.ui.tooltip(say(c, out ? Text::MemoryOutLane : Text::MemoryOffLane, {std::to_string(lanes[0]), model::element_name(m.now->name, index)}));
  }
}

void draw_wedge(Ui& ui, float x0, float x1, float top, float left, float right, float bottom) {
  const Theme& t = ui.theme();
  const ImU32 ground = with_alpha(t.selected, t.dark ? 0.16f : 0.09f), edge = with_alpha(t.selected, 0.6f);
  ui.draw().AddQuadFilled({x0, top}, {x1, top}, {right, bottom}, {left, bottom}, ground);
  ui.line({x0, top}, {left, bottom}, edge);
  ui.line({x1, top}, {right, bottom}, edge);
}

void centred_label(Ui& ui, const Rect& room, float x0, float x1, float y, const std::string& text, ImU32 colour, bool code) {
  const float w = ui.width(text, TextSize::Caption, code);
  const float x = std::clamp((x0 + x1 - w) / 2, room.x, std::max(room.x, room.right() - w));
  ui.text({x, y}, text, TextSize::Caption, colour, code);
}

// ---- a matrix as one line

namespace {

int64_t stride_of(const model::Plane& plane) { return std::max({std::abs(plane.row_stride), std::abs(plane.col_stride), int64_t{1}}); }

// The part of the line that is looked at: a few rows from where the access begins. Of several strips each begins where
// a row does.
void fit_line(const model::Scene& scene, const MemoryTensor& m, const model::Plane& plane, bool several, LineZoom& zoom) {
  const double low = static_cast<double>(m.map.lowest()), high = static_cast<double>(m.map.highest()) + 1;
  const double stride = static_cast<double>(stride_of(plane));
  double first = low, last = low;
  for (const MemoryAccess* a : m.shown(scene, {}))
    if (a->lanes.first <= a->lanes.last) first = static_cast<double>(a->lanes.first), last = static_cast<double>(a->lanes.last);
  if (several) {
    const double span = std::clamp(stride * std::max(1.0, std::floor(160 / stride)), 32.0, std::max(high - low, 32.0));
    const double base = static_cast<double>(plane.base);
    zoom.from = std::max(low, base + std::floor((first - base) / stride) * stride);
    zoom.to = zoom.from + span;
    return;
  }
  double span = std::clamp(3.3 * stride, 48.0, std::max(high - low, 48.0));
  if (last > first && last - first < span) span = std::max({(last - first) * 1.15, stride * 1.05, 32.0});
  span = std::min(span, std::max(high - low, 1.0));
  zoom.from = std::clamp(first - span * 0.04, low, std::max(low, high - span));
  zoom.to = zoom.from + span;
}

// Where rows (or columns, when they are what memory walks) begin.
void draw_row_starts(PanelContext& c, const model::Plane& plane, const Rect& r, double from, double to, float label_y) {
  Ui& ui = c.ui;
  const bool rows = std::abs(plane.row_stride) >= std::abs(plane.col_stride);
  const int64_t stride = rows ? plane.row_stride : plane.col_stride, count = rows ? plane.rows : plane.cols;
  if (stride == 0) return;
  const double pixels = r.w / (to - from) * static_cast<double>(std::abs(stride));
  if (pixels < 3) return;
  const int64_t every = std::max<int64_t>(1, static_cast<int64_t>(std::ceil(ui.px(76) / pixels)));
  const double base = static_cast<double>(plane.base), a = (from - base) / static_cast<double>(stride), b = (to - base) / static_cast<double>(stride);
  const int64_t first = std::clamp<int64_t>(static_cast<int64_t>(std::floor(std::min(a, b))), 0, count), last = std::clamp<int64_t>(static_cast<int64_t>(std::ceil(std::max(a, b))), 0, count);
  for (int64_t i = first; i < last; ++i) {
    const double e = static_cast<double>(plane.base + i * stride);
    const float x = std::round(r.x + static_cast<float>((e - from) / (to - from) * r.w));
    if (x < r.x - 1 || x > r.right()) continue;
    ui.fill({x, r.y - ui.px(5), 1, r.h + ui.px(5)}, ui.theme().text3);
    if (i % every == 0 && x + ui.px(70) < r.right())
      ui.text({x + ui.px(4), label_y}, say(c, rows ? Text::MemoryRow : Text::MemoryColumn, {std::to_string(i)}), TextSize::Caption, ui.theme().text2);
  }
}

// Under a strip: the storage offsets of its ends, and how many elements of the first run of lanes lie side by side.
void draw_ends(PanelContext& c, const MemoryTensor& m, const std::vector<const MemoryAccess*>& shown, bool masked, const Rect& line, double from, double to) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const double low = static_cast<double>(m.map.lowest()), high = static_cast<double>(m.map.highest());
  const float y = line.bottom() + ui.px(6);
  const auto place = [&](double e) { return std::to_string(m.tensor->origin + static_cast<int64_t>(std::clamp(e, low, std::max(low, high)))); };
  ui.text({line.x, y}, place(std::floor(from)), TextSize::Caption, t.text3, true);
  ui.text({line.right(), y}, place(std::ceil(to) - 1), TextSize::Caption, t.text3, true, Align::Right);
  for (const MemoryAccess* a : shown) {
    const auto label_first = [&](LaneState state, Text text, ImU32 ink) {
      for (const model::LaneRun& run : a->lanes.line) {
        if (run.state != state || static_cast<double>(run.col) < from || static_cast<double>(run.col + run.count) > to) continue;
        const double px = line.w / (to - from);
        const float x0 = line.x + static_cast<float>((static_cast<double>(run.col) - from) * px), x1 = x0 + static_cast<float>(static_cast<double>(run.count) * px);
        return centred_label(ui, {line.x + ui.px(60), y, line.w - ui.px(120), ui.px(20)}, x0, x1, y, say(c, text, {std::to_string(run.count)}), ink, false);
      }
    };
    label_first(LaneState::On, Text::MemorySideBySide, access_text(t, *a));
    if (masked) label_first(LaneState::Masked, Text::MemoryLanesOff, t.text2);
  }
}

}  // namespace

void draw_memory_line(PanelContext& c, const MemoryTensor& m, const model::Plane& plane, const CellPainter& paint, LineZoom& zoom, Rect r) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  if (r.h < ui.px(90) || r.w < ui.px(120)) return;
  const std::vector<const MemoryAccess*> shown = m.shown(c.scene, {});
  const double low = static_cast<double>(m.map.lowest()), high = std::max(static_cast<double>(m.map.highest()) + 1, low + 1);
  // As many strips, each going on where the one above ends, as there is room for.
  const float strip_height = ui.px(66);
  const int most = std::max(1, static_cast<int>((r.h - ui.px(78)) / strip_height));
  if (zoom.fitted) fit_line(c.scene, m, plane, most > 1, zoom);

  // What the line is, in words.
  const Rect title = r.take_top(ui.px(20));
  const float w = ui.text(title.min(), ui.t(Text::MemoryLineTitle), TextSize::Caption, t.text2);
  std::string words = say(c, Text::MemoryElements, {std::to_string(m.tensor->storage_elements())});
  if (m.tensor->layout.rank() >= 2) {
    const bool rows = std::abs(plane.row_stride) >= std::abs(plane.col_stride);
    const int64_t stride = rows ? plane.row_stride : plane.col_stride;
    words += "  " + say(c, rows ? Text::MemoryNextRow : Text::MemoryNextColumn,
                        {model::typographic(std::to_string(stride)), model::typographic(std::to_string(stride * dtype_bytes(m.tensor->dtype)))});
  }
  ui.text_in({title.x + w + ui.px(12), title.y, title.w - w - ui.px(12), ui.line_height(TextSize::Caption)}, words, TextSize::Caption, t.text3);

  r.take_top(ui.px(2));
  const Rect overview = r.take_top(ui.px(14));
  const Rect wedge = r.take_top(ui.px(18));
  const Rect lines = r;

  const Hit over = ui.hit("memory.overview." + m.now->name, overview);
  if (over.held || over.clicked) {
    const double at = low + (over.mouse.x - overview.x) / overview.w * (high - low), span = zoom.to - zoom.from;
    zoom.from = at - span / 2, zoom.to = at + span / 2, zoom.fitted = false;
  }
  const double span = zoom.to - zoom.from;
  const int strips = std::clamp(static_cast<int>(std::ceil((high - zoom.from) / span)), 1, most);
  const double end = zoom.from + span * strips;
  const Rect first{lines.x, lines.y + ui.px(20), lines.w, strips > 1 ? ui.px(40) : std::clamp(lines.h - ui.px(44), ui.px(16), ui.px(44))};
  const Hit hit = ui.hit("memory.line." + m.now->name, {first.x, first.y, first.w, first.h + strip_height * static_cast<float>(strips - 1)});
  zoom_line(hit, first, zoom, low, high, ui.px(56));
  if (zoom.fitted) fit_line(c.scene, m, plane, most > 1, zoom);

  draw_line_cells(c, m, paint, "memory.overview." + m.now->name, overview, low, high, {shown, false, 0, 0, 1});
  const float x0 = std::clamp(overview.x + static_cast<float>((zoom.from - low) / (high - low)) * overview.w, overview.x, overview.right());
  const float x1 = std::clamp(overview.x + static_cast<float>((end - low) / (high - low)) * overview.w, x0, overview.right());
  const Rect part{std::min(x0, overview.right() - ui.px(3)), overview.y, std::max(x1 - x0, ui.px(3)), overview.h};
  ui.outline(part.inset(-ui.px(2)), t.selected_text, ui.px(2));
  draw_wedge(ui, part.x, part.right(), overview.bottom() + ui.px(2), first.x, first.right(), wedge.bottom());
  // The masked-off lanes of a vector tile follow the others; those of a matrix tile would lie on its next rows.
  const bool now = !m.accesses(c.scene, {}).empty(), vector_tile = now && shown.front()->access->type.shape.rank <= 1;
  for (int i = 0; i < strips; ++i) {
    const Rect line{first.x, first.y + strip_height * static_cast<float>(i), first.w, first.h};
    const double from = zoom.from + span * i, to = from + span;
    draw_row_starts(c, plane, line, from, to, line.y - ui.px(19));
    draw_line_cells(c, m, paint, "memory.line." + m.now->name + "." + std::to_string(i), line, from, to, {shown, vector_tile, 0, 0, now ? 3.0f : 1.0f});
    if (hit.mouse.y >= line.y && hit.mouse.y < line.bottom()) hover_line(c, m, hit, line, from, to);
    if (i == 0 && strips == 1) draw_ends(c, m, shown, vector_tile, line, from, to);
  }
  hover_line(c, m, over, overview, low, high);
}

}  // namespace tilescope::window
