// The Tile panel: the value of any variable at this step, and where each element came from.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "visualizer/model/provenance.h"
#include "visualizer/model/summary.h"
#include "visualizer/window/panels/tile_origin.h"
#include "visualizer/window/panels/tile_table.h"

namespace tilescope::window {
namespace {

using model::Element;
using model::Variable;
using model::VariableLanes;

/// What the panel remembers from frame to frame.
struct Memory {
  uint64_t step = ~uint64_t{0};
  const void* recording = nullptr;
  std::map<std::string, TileWindow> windows;  ///< by variable
  bool all_chips = false;
};
Memory& memory() {
  static Memory m;
  return m;
}

template <class... Args>
std::string filled(const Ui& ui, Text id, Args&&... args) {
  return fmt::format(fmt::runtime(ui.t(id)), args...);
}

void empty(PanelContext& c, const Rect& body, Text text) {
  Ui& ui = c.ui;
  ui.paragraph({body.x + ui.px(16), body.y + ui.px(16), body.w - ui.px(32), body.h}, ui.t(text), TextSize::Code, ui.theme().text3);
}

/// Pinned, else hovered, else hovered last (until the step changes), else what the line computed.
const Variable* choose(PanelContext& c, const Rect& body) {
  Memory& m = memory();
  const void* recording = c.scene.run.recorded.get();
  if (m.recording != recording) m = {c.scene.step, recording, {}, m.all_chips};
  if (m.step != c.scene.step) {
    m.step = c.scene.step;
    c.state.shown_variable.clear();
  }
  if (const Variable* pinned = model::find_item(c.scene, c.state.pinned_variable)) return pinned;
  // Hovering what the panel itself shows must not change what it shows.
  const bool outside = !body.contains(ImGui::GetIO().MousePos);
  if (outside && c.hover.of == Element::Of::Variable && model::find_item(c.scene, c.hover.name) != nullptr) c.state.shown_variable = c.hover.name;
  if (const Variable* shown = model::find_item(c.scene, c.state.shown_variable)) return shown;
  return model::current_item(c.scene);
}

void draw_header(PanelContext& c, Rect header, const Variable& v) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const std::string type = model::short_type(v.type);
  const float w = ui.width(type, TextSize::Code, true);
  ui.text_in(header.take_right(std::min(w, header.w)), type, TextSize::Code, t.text1, true, Align::Right);
  header.take_right(ui.px(12));
  std::string how;
  if (!c.state.pinned_variable.empty() && c.state.pinned_variable == v.name) how = ui.t(Text::TilePinned);
  else if (!c.state.shown_variable.empty() && c.state.shown_variable == v.name) how = ui.t(Text::TileHovered);
  else if (v.now && c.scene.line > 0) how = filled(ui, access_colour(c, v) == t.store ? Text::TileStoredBy : Text::TileFollowsLine, c.scene.line);
  if (ui.width(how, TextSize::Caption) <= header.w) ui.text_in(header, how, TextSize::Caption, t.text3);
}

/// Chips of the variables, tiles before scalars, in at most two lines unless all are asked for. Returns the height.
float draw_chips(PanelContext& c, const Rect& r, const Variable& chosen) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  std::vector<const Variable*> order;
  for (const Variable& v : model::tile_items(c.scene)) order.push_back(&v);
  std::stable_sort(order.begin(), order.end(), [](const Variable* a, const Variable* b) { return a->type.is_tile() > b->type.is_tile(); });
  const float h = ui.px(26), gap = ui.px(6);
  const int lines = memory().all_chips ? 100 : 2;
  float x = r.x, y = r.y;
  int line = 1;
  size_t left_out = 0;
  const float more = ui.width(filled(ui, Text::TileMore, 88), TextSize::Caption) + ui.px(16);
  const auto place = [&](float w, bool last_line_keeps_room) {
    const float right = r.right() - (last_line_keeps_room && line == lines ? more : 0);
    if (x + w > right && x > r.x) {
      if (line == lines) return false;
      ++line;
      x = r.x, y += h + gap;
    }
    return true;
  };
  for (size_t i = 0; i < order.size(); ++i) {
    const Variable& v = *order[i];
    const float w = std::min(r.w, ui.width(v.name, TextSize::Code, true) + ui.px(16));
    if (left_out > 0 || !place(w, i + 1 < order.size())) {
      ++left_out;
      continue;
    }
    const Rect chip{x, y, w, h};
    x += w + gap;
    const Hit hit = ui.hit("tile.chip." + v.name, chip);
    const bool on = &v == &chosen || v.name == chosen.name, pinned = c.state.pinned_variable == v.name;
    ui.fill(chip, on ? t.current_line : t.raised, ui.px(4));
    ui.outline(chip, pinned ? t.selected : on ? t.text2 : hit.hovered ? t.text3 : t.line, ui.px(pinned ? 2 : 1), ui.px(4));
    ui.text_in({chip.x + ui.px(8), chip.y, chip.w - ui.px(15), chip.h}, v.name, TextSize::Code, on ? t.text1 : v.record != nullptr ? t.text2 : t.text3, true);
    if (hit.clicked) c.state.pinned_variable = pinned ? "" : v.name;
  }
  if (left_out > 0 || (memory().all_chips && line > 2)) {
    const std::string label = left_out > 0 ? filled(ui, Text::TileMore, left_out) : std::string(ui.t(Text::TileFewer));
    const Rect chip{x, y, ui.width(label, TextSize::Caption) + ui.px(12), h};
    const Hit hit = ui.hit("tile.more", chip);
    ui.text_in({chip.x + ui.px(4), chip.y, chip.w, chip.h}, label, TextSize::Caption, hit.hovered ? t.text1 : t.text3);
    if (hit.clicked) memory().all_chips = !memory().all_chips;
  }
  return y + h - r.y;
}

/// One statistic: label, an optional hatch, value at the right.
void statistic(PanelContext& c, Rect& r, const std::string& label, const std::string& value, bool hatch = false, bool fault = false) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  if (r.h < ui.px(18)) return;
  Rect row = r.take_top(ui.px(20));
  const float label_width = ui.width(label, TextSize::Caption);
  if (hatch) {
    const Rect swatch{row.x + label_width + ui.px(10), row.y + ui.px(4), ui.px(16), ui.px(12)};
    if (swatch.right() + ui.px(6) + ui.width(value, TextSize::Code, true) < row.right()) {
      ui.hatch(swatch, t.hatch, 4);
      ui.outline(swatch, t.hatch);
    }
  }
  ui.text_in(row, value, TextSize::Code, fault ? t.fault_text : t.text1, true, Align::Right);
  row.w -= std::min(row.w, ui.width(value, TextSize::Code, true) + ui.px(8));
  ui.text_in(row, label, TextSize::Caption, fault ? t.fault_text : t.text2);
}

void draw_scale(PanelContext& c, Rect& r, const LanePainter& p) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  if (p.numbers.scale != model::ValueScale::Signed && p.numbers.scale != model::ValueScale::Counts) return;
  const Rect bar = r.take_top(ui.px(14));
  const bool symmetric = p.numbers.scale == model::ValueScale::Signed;
  const int steps = static_cast<int>(std::max(2.0f, bar.w / 3));
  for (int i = 0; i < steps; ++i) {
    const float x0 = std::round(bar.x + bar.w * static_cast<float>(i) / static_cast<float>(steps)), x1 = std::round(bar.x + bar.w * static_cast<float>(i + 1) / static_cast<float>(steps));
    const double at = (i + 0.5) / steps;
    ui.fill({x0, bar.y, x1 - x0, bar.h}, symmetric ? signed_colour(t, 2 * at - 1, 1) : viridis(at));
  }
  const Rect labels = r.take_top(ui.px(20));
  const std::string end = model::short_number(p.numbers.reach);
  ui.text_in(labels, symmetric ? "\u2212" + end : "0", TextSize::Caption, t.text3, true);
  if (symmetric) ui.text_in(labels, "0", TextSize::Caption, t.text3, true, Align::Centre);
  ui.text_in(labels, end, TextSize::Caption, t.text3, true, Align::Right);
  r.take_top(ui.px(4));
}

void draw_statistics(PanelContext& c, Rect r, const LanePainter& p) {
  Ui& ui = c.ui;
  const VariableLanes& l = p.lanes;
  const auto lanes = [&](uint64_t n) { return n == 1 ? std::string(ui.t(Text::TileOneLane)) : filled(ui, Text::TileLanes, n); };
  // Lanes that are off because they were never loaded are undefined too: they count once.
  const bool same = l.off > 0 && model::off_lanes_are_the_undefined(p.v, l);
  if (p.numbers.scale == model::ValueScale::Plain) {
    const int64_t last = p.v.type.elements() - 1;
    if (p.v.type.pointer) {
      statistic(c, r, std::string(ui.t(Text::TileFirstLast)), p.values.lane_text(*p.v.record, 0));
      statistic(c, r, "", p.values.lane_text(*p.v.record, last));
    } else {
      statistic(c, r, std::string(ui.t(Text::TileFirstLast)), p.values.lane_text(*p.v.record, 0) + ", " + p.values.lane_text(*p.v.record, last));
    }
  } else if (p.numbers.scale != model::ValueScale::Bool && p.numbers.finite > 0) {
    statistic(c, r, std::string(ui.t(Text::TileMinMax)), model::short_number(p.numbers.low) + ", " + model::short_number(p.numbers.high));
    statistic(c, r, std::string(ui.t(Text::TileMean)), model::short_number(p.numbers.mean));
  }
  if (p.numbers.nan + p.numbers.infinite > 0)
    statistic(c, r, std::string(ui.t(Text::TileNaNs)), fmt::format("{}, {}", p.numbers.nan, p.numbers.infinite));
  if (l.by == VariableLanes::By::Nothing && l.use.empty()) return;
  const std::string tensor = l.tensor >= 0 && static_cast<size_t>(l.tensor) < c.scene.tensors.size() ? c.scene.tensors[static_cast<size_t>(l.tensor)].name : std::string();
  const std::string limit = l.bound.empty() ? l.bound_value : l.bound + " = " + l.bound_value;
  switch (l.by) {
    case VariableLanes::By::Store:
      statistic(c, r, filled(ui, Text::TileReach, tensor), lanes(l.on));
      if (l.off > 0) statistic(c, r, std::string(ui.t(same ? Text::TileOutsideUndefined : Text::TileOutside)), lanes(l.off), true);
      break;
    case VariableLanes::By::Load:
      statistic(c, r, std::string(ui.t(Text::TileOnLanes)), lanes(l.on + l.undefined));
      if (l.off > 0) statistic(c, r, std::string(ui.t(same ? Text::TileMaskedUndefined : Text::TileMasked)), lanes(l.off), true);
      break;
    case VariableLanes::By::Bound:
      statistic(c, r, std::string(ui.t(Text::TileInsideBound)), lanes(l.on));
      if (l.off > 0) statistic(c, r, filled(ui, l.below ? Text::TileBelowBound : Text::TileBeyondBound, limit), lanes(l.off), true);
      break;
    case VariableLanes::By::Itself:
      statistic(c, r, std::string(ui.t(Text::TileOnLanes)), lanes(l.on));
      statistic(c, r, std::string(ui.t(Text::TileOff)), lanes(l.off), true);
      break;
    default: break;
  }
  if (l.out_of_bounds > 0) statistic(c, r, std::string(ui.t(Text::TileOutOfBoundsLanes)), lanes(l.out_of_bounds), false, true);
  const bool said = same && (l.by == VariableLanes::By::Store || l.by == VariableLanes::By::Load);
  if (p.numbers.undefined > 0 && !said) statistic(c, r, std::string(ui.t(Text::TileUndefinedLanes)), lanes(p.numbers.undefined), p.numbers.undefined != l.off);
}

/// The last two axes of the slice shown, and its first lane.
struct Slice {
  int64_t first = 0, rows = 1, columns = 1, count = 1;
};
Slice slice_of(const Shape& s, int64_t number) {
  Slice out;
  if (s.rank >= 1) out.columns = s[s.rank - 1];
  if (s.rank >= 2) out.rows = s[s.rank - 2];
  out.count = std::max<int64_t>(1, s.elements() / (out.rows * out.columns));
  out.first = std::clamp<int64_t>(number, 0, out.count - 1) * out.rows * out.columns;
  return out;
}

/// The whole tile (or line of lanes), with a frame round the part that the table shows; a click moves the part.
void draw_overview(PanelContext& c, const LanePainter& p, Rect r, const Slice& s, TileWindow& w, const std::vector<int64_t>& lit, const std::string& key) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const bool line = p.v.type.shape.rank == 1;
  if (!line) {
    // Lanes stay square, unless the tile is very long.
    const float unit = std::min(r.w / static_cast<float>(s.columns), r.h / static_cast<float>(s.rows));
    r.w = std::max(ui.px(12), std::min(r.w, std::round(unit * static_cast<float>(s.columns))));
    r.h = std::max(ui.px(12), std::min(r.h, std::round(unit * static_cast<float>(s.rows))));
  }
  const Hit h = ui.hit("tile.map", r);
  ui.fill(r, t.panel);
  draw_map(p, r, key, s.first, line ? 1 : s.rows, s.columns);
  const ImU32 mark = access_colour(c, p.v);
  ui.outline({r.x - 2, r.y - 2, r.w + 4, r.h + 4}, mark != 0 ? mark : t.line, mark != 0 ? 2 : 1);
  const float unit_x = r.w / static_cast<float>(s.columns), unit_y = r.h / static_cast<float>(line ? 1 : s.rows);
  if (h.held) {
    const float x = (h.mouse.x - r.x) / unit_x, y = (h.mouse.y - r.y) / unit_y;
    w.moved = true;
    if (line) w.row = x - w.rows / 2;
    else w.column = x - w.columns / 2, w.row = y - w.rows / 2;
  }
  Rect frame{r.x + static_cast<float>(w.column) * unit_x, r.y + static_cast<float>(w.row) * unit_y,
             static_cast<float>(std::min(w.columns, static_cast<double>(s.columns))) * unit_x, static_cast<float>(std::min(w.rows, static_cast<double>(s.rows))) * unit_y};
  if (line) frame = {r.x + static_cast<float>(w.row) * unit_x, r.y, static_cast<float>(w.rows) * unit_x, r.h};
  const bool part = frame.w < r.w - 1 || frame.h < r.h - 1;
  if (part) {
    frame.w = std::min(frame.w, r.right() - frame.x);
    frame.h = std::min(frame.h, r.bottom() - frame.y);
    ui.outline({frame.x - 1, frame.y - 1, frame.w + 2, frame.h + 2}, t.panel, 4);
    ui.outline(frame, t.hover, 2);
  }
  for (const int64_t lane : lit) {
    if (lane < s.first || lane >= s.first + s.rows * s.columns) continue;
    const int64_t at = lane - s.first;
    const float x = r.x + static_cast<float>(line ? at : at % s.columns) * unit_x, y = r.y + static_cast<float>(line ? 0 : at / s.columns) * unit_y;
    const float size_x = std::max(unit_x, ui.px(5)), size_y = line ? r.h : std::max(unit_y, ui.px(5));
    light(ui, {std::round(x + unit_x / 2 - size_x / 2), std::round(y + (line ? 0 : unit_y / 2 - size_y / 2)), size_x, size_y});
  }
}

/// Vectors of the same length, in the order in which they are computed; as many as fit, `v` among them.
std::vector<const Variable*> companions(PanelContext& c, const Variable& v, size_t most, size_t& shown) {
  std::vector<const Variable*> out;
  for (const Variable& other : model::tile_items(c.scene))
    if (other.type.shape == v.type.shape && !other.type.pointer) out.push_back(&other);
  if (v.type.pointer) out = {&v};
  const auto at = [&] { return static_cast<size_t>(std::find_if(out.begin(), out.end(), [&](const Variable* o) { return o->name == v.name; }) - out.begin()); };
  while (out.size() > most) {
    if (at() + 1 < out.size() && at() < most) out.pop_back();
    else out.erase(out.begin() + (at() == 0 ? 1 : 0));
  }
  shown = std::min(at(), out.size() - 1);
  return out;
}

/// "[2, :, :]".
std::string slice_name(const Shape& shape, const Slice& s) {
  std::string out = "[";
  const std::vector<int64_t> index = model::index_of_lane(shape, s.first);
  for (int a = 0; a < shape.rank; ++a) out += (a > 0 ? ", " : "") + (a + 2 < shape.rank ? std::to_string(index[static_cast<size_t>(a)]) : std::string(":"));
  return out + "]";
}

void draw_slices(PanelContext& c, Rect& r, const Shape& shape, const Slice& s, TileWindow& w) {
  if (s.count <= 1) return;
  Ui& ui = c.ui;
  Rect row = r.take_top(ui.px(28));
  row.h = ui.px(24);
  if (ui.button("tile.slice.back", row.take_left(ui.px(26)), "\u2190", {.enabled = w.slice > 0}) && w.slice > 0) --w.slice, w.moved = true;
  row.take_left(ui.px(4));
  if (ui.button("tile.slice.forward", row.take_left(ui.px(26)), "\u2192", {.enabled = w.slice + 1 < s.count}) && w.slice + 1 < s.count) ++w.slice, w.moved = true;
  row.take_left(ui.px(8));
  ui.text_in(row, filled(ui, Text::TileSlice, slice_name(shape, s), s.count), TextSize::Caption, ui.theme().text2);
}

/// The lane that is explained: hovered, selected, or the first that counts.
int64_t explained_lane(PanelContext& c, const Variable& v, const std::vector<int64_t>& lit, const TileWindow& w) {
  if (!lit.empty()) return lit.front();
  const std::vector<int64_t> selected = model::lanes_of_element(c.scene, v, c.state.selected);
  if (!selected.empty()) return selected.front();
  const VariableLanes& lanes = model::lanes_of(c.scene, v);
  if (lanes.out_of_bounds > 0) return std::find(lanes.use.begin(), lanes.use.end(), model::LaneUse::OutOfBounds) - lanes.use.begin();
  // Of a line of lanes, the first one in sight.
  for (auto lane = static_cast<int64_t>(w.row); v.type.shape.rank == 1 && lane < static_cast<int64_t>(w.row + w.rows) && lane < v.type.elements(); ++lane)
    if (lanes.is_on(lane)) return lane;
  return lanes.lo.empty() ? 0 : model::lane_of(v.type.shape, lanes.lo);
}

void draw_scalar(PanelContext& c, const LanePainter& p, Rect r, const model::Provenance& origin) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  Rect row = r.take_top(ui.px(44));
  const float w = ui.width(p.v.name + " = ", TextSize::Code, true);
  ui.text_in(row.take_left(w), p.v.name + " = ", TextSize::Code, t.text2, true);
  const std::string value = model::lane_poisoned(*p.v.record, 0) ? std::string(ui.t(Text::Undefined)) : p.values.lane_text(*p.v.record, 0);
  ui.text_in(row, value, TextSize::Result, t.text1, false);
  const Hit h = ui.hit("tile.scalar", {r.x, row.y, r.w, row.h});
  if (h.hovered) c.state.hover = element_of(p.v, 0);
  r.h = std::min(r.h, origin_height(ui, origin) - ui.px(28));
  draw_origin(p, 0, origin, r);
}

void draw_tile_body(PanelContext& c, const Variable& v, Rect r) {
  Ui& ui = c.ui;
  const LanePainter p(c, v);
  TileWindow& w = memory().windows[v.type.shape.rank == 1 ? fmt::format("lanes {}", v.type.elements()) : v.name];
  std::vector<int64_t> lit = model::lanes_of_element(c.scene, v, c.hover);
  const int64_t lane = explained_lane(c, v, lit, w);
  if (!w.moved) w.slice = lane / std::max<int64_t>(1, slice_of(v.type.shape, 0).rows * slice_of(v.type.shape, 0).columns);
  const Slice s = slice_of(v.type.shape, w.slice);
  if (lit.empty()) lit = {lane};
  struct Kept { std::map<std::pair<ValueId, int64_t>, model::Provenance> by_lane; };
  auto& kept = const_cast<Kept&>(c.scene.derived<Kept>([](const model::Scene&) { return Kept{}; })).by_lane;
  auto it = kept.find({v.value, lane});
  if (it == kept.end()) {
    const bool faulted = v.lanes != nullptr && p.values.at(v.value, c.scene.step).step != v.defined_at;
    it = kept.emplace(std::pair{v.value, lane}, faulted ? model::explain_faulted(p.values, v, lane) : model::explain(p.values, v.value, lane, c.scene.step, c.scene.timeline)).first;
  }
  const model::Provenance& origin = it->second;
  if (v.type.is_scalar()) return draw_scalar(c, p, r, origin);

  const bool wide = r.w > ui.px(640) && r.w > r.h;
  const bool line = v.type.shape.rank == 1;
  const float gap = ui.px(16);
  const auto table = [&](Rect area) {
    if (!line) return draw_table(p, area, w, s.first, s.rows, s.columns, lit);
    size_t shown = 0;
    const auto most = static_cast<size_t>(std::max(1.0f, wide ? (area.h - ui.px(24)) / ui.px(34) - 1 : (area.w - ui.px(50)) / ui.px(66)));
    const std::vector<const Variable*> lines = companions(c, v, most, shown);
    draw_lanes(c, lines, shown, area, w, wide, lit);
  };
  if (wide && !line) {
    Rect right = r.take_right(std::max(ui.px(330), std::round(r.w * 0.4f)));
    r.take_right(gap);
    draw_slices(c, r, v.type.shape, s, w);
    table(r);
    Rect top = right.take_top(ui.px(132));
    draw_overview(c, p, {top.x + 2, top.y + 2, ui.px(120), ui.px(120)}, s, w, lit, "tile.");
    top.take_left(ui.px(140));
    draw_scale(c, top, p);
    draw_statistics(c, top, p);
    right.take_top(gap / 2);
    draw_origin(p, lane, origin, {right.x, right.y, right.w, std::min(right.h, origin_height(ui, origin))});
    return;
  }
  Rect below{};
  const float wanted = origin_height(ui, origin);
  if (line) {
    draw_overview(c, p, {r.x + 2, r.y + 2, r.w - 4, ui.px(20)}, s, w, lit, "tile.");
    r.take_top(ui.px(34));
    Rect numbers = r.take_top(ui.px(wide ? 84 : 104));
    Rect scale = numbers.take_left(std::round(numbers.w * (wide ? 0.3f : 0.46f)));
    numbers.take_left(gap);
    draw_scale(c, scale, p);
    draw_statistics(c, p.numbers.scale == model::ValueScale::Plain || p.numbers.scale == model::ValueScale::Bool ? Rect{scale.x, scale.y, std::min(r.w, ui.px(400)), numbers.h} : Rect{numbers.x, numbers.y, std::min(numbers.w, ui.px(300)), numbers.h}, p);
  } else {
    draw_slices(c, r, v.type.shape, s, w);
    Rect top = r.take_top(ui.px(124));
    draw_overview(c, p, {top.x + 2, top.y + 2, ui.px(116), ui.px(116)}, s, w, lit, "tile.");
    top.take_left(ui.px(136));
    draw_scale(c, top, p);
    draw_statistics(c, top, p);
    r.take_top(ui.px(4));
  }
  below = r.take_bottom(std::min(wanted, std::max(ui.px(110), r.h * 0.55f)));
  r.take_bottom(ui.px(8));
  table(r);
  draw_origin(p, lane, origin, below);
}

}  // namespace

void draw_tile(PanelContext& c, Rect header, Rect body) {
  Ui& ui = c.ui;
  if (!c.scene.ready || model::program_values(c.scene) == nullptr) return empty(c, body, Text::TileEmpty);
  const Variable* v = choose(c, body);
  if (v == nullptr) return empty(c, body, Text::TileNoVariables);
  draw_header(c, header, *v);
  Rect r{body.x + ui.px(16), body.y + ui.px(10), body.w - ui.px(32), body.h - ui.px(20)};
  const float used = draw_chips(c, r, *v);
  r.take_top(used + ui.px(12));
  if (v->record == nullptr) {
    ui.dashed_outline({r.x, r.y, r.w, ui.px(60)}, ui.theme().line);
    ui.text_in({r.x, r.y, r.w, ui.px(60)}, ui.t(Text::TileNotYet), TextSize::Caption, ui.theme().text3, false, Align::Centre);
    return;
  }
  draw_tile_body(c, *v, r);
}

}  // namespace tilescope::window
