#include "visualizer/window/panels/tile_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "visualizer/model/summary.h"

namespace tilescope::window {
namespace {

constexpr size_t kMostPlaces = 600;  // cells that scripts can find by name

// Below 40 px a cell becomes a square without a number.
float zoomed_height(Ui& ui, float width) { return width >= ui.px(40) ? std::max(ui.px(20), std::round(width * 0.455f)) : std::min(width, ui.px(20)); }

struct Wheel {
  float width = 0, height = 0;
};

// Zoom, drag and fit, for a grid of rows x columns whose cells are base wide at zoom 1.
Wheel move_window(Ui& ui, const Hit& h, const Rect& cells, TileWindow& w, float base, int64_t rows, int64_t columns) {
  const auto width = [&] { return std::max(2.0f, std::round(base * w.zoom)); };
  // Unzoomed rows share the height that is there.
  const float even = std::min(ui.px(26), std::floor(cells.h / std::max(1.0f, std::floor(cells.h / ui.px(20)))));
  const auto height_for = [&](Ui& u, float cell_width) { return w.zoom == 1 && cell_width >= u.px(40) ? even : zoomed_height(u, cell_width); };
  float cw = width(), ch = height_for(ui, cw);
  const float least = std::max(2.0f, std::min(base, std::floor(cells.w / static_cast<float>(columns)))) / base;
  if (h.wheel != 0 || h.held || h.double_clicked) w.moved = true;
  if (h.wheel != 0) {
    const double column = w.column + (h.mouse.x - cells.x) / cw, row = w.row + (h.mouse.y - cells.y) / ch;
    w.zoom = std::clamp(w.zoom * std::pow(1.15f, h.wheel), std::min(1.0f, least), 3.0f);
    cw = width(), ch = height_for(ui, cw);
    w.column = column - (h.mouse.x - cells.x) / cw;
    w.row = row - (h.mouse.y - cells.y) / ch;
  }
  if (h.double_clicked) {
    const float fit = std::min(1.0f, least);
    w.zoom = w.zoom > fit * 1.01f ? fit : 1;
    cw = width(), ch = height_for(ui, cw);
    w.column = w.row = 0;
  } else if (h.held) {
    w.column -= h.drag.x / cw;
    w.row -= h.drag.y / ch;
  }
  w.columns = cells.w / cw;
  w.rows = cells.h / ch;
  w.column = std::clamp(w.column, 0.0, std::max(0.0, static_cast<double>(columns) - w.columns));
  w.row = std::clamp(w.row, 0.0, std::max(0.0, static_cast<double>(rows) - w.rows));
  return {cw, ch};
}

void hover_lane(const LanePainter& p, int64_t lane, const Hit& h) {
  if (!h.hovered) return;
  p.c.state.hover = element_of(p.v, lane);
  p.c.ui.tooltip(p.describe(lane));
  if (h.clicked) p.c.state.selected = element_of(p.v, lane);
}

}  // namespace

ImU32 access_colour(const PanelContext& c, const model::Variable& v) {
  if (c.scene.timeline == nullptr || c.scene.line_step >= c.scene.timeline->lines.size()) return 0;
  const model::StepKind kind = c.scene.timeline->lines[c.scene.line_step].kind;
  for (const model::CurrentAccess& a : c.scene.accesses)
    if (a.op->code == OpCode::Store && a.op->operands[1] == v.value) return c.ui.theme().store;
  return v.now && kind != model::StepKind::Compute && kind != model::StepKind::Store ? mark_of(c.ui.theme(), kind) : 0;
}

void draw_table(const LanePainter& p, const Rect& r, TileWindow& w, int64_t first, int64_t rows, int64_t columns, const std::vector<int64_t>& lit) {
  Ui& ui = p.c.ui;
  const Theme& t = ui.theme();
  const float digit = ui.code_advance(TextSize::Caption);
  const float left = ui.px(12) + digit * static_cast<float>(std::max<size_t>(2, std::to_string(rows - 1).size())), top = ui.px(22);
  Rect cells{r.x + left, r.y + top, r.w - left, r.h - top};
  float narrowest = ui.px(p.v.type.pointer ? 88 : 44);
  if (is_int(p.v.type.elem) && !p.v.type.pointer) {
    // Whole numbers are not rounded: their cells are as wide as they are long.
    const size_t digits = std::max(fmt::format("{:.0f}", p.numbers.low).size(), fmt::format("{:.0f}", p.numbers.high).size());
    narrowest = std::max(narrowest, ui.code_advance(TextSize::Code) * static_cast<float>(digits) + ui.px(10));
  }
  const float fit = std::max(1.0f, std::floor(cells.w / narrowest));
  const float base = std::floor(cells.w / std::min(fit, static_cast<float>(std::max<int64_t>(columns, 4))));
  const Hit h = ui.hit("tile.table", cells);
  const Wheel size = move_window(ui, h, cells, w, base, rows, columns);
  // Whole cells only: half a number helps nobody.
  if (size.height >= ui.px(20)) {
    w.rows = std::floor(w.rows);
    w.columns = std::floor(w.columns);
    cells.w = static_cast<float>(std::min(w.columns, static_cast<double>(columns))) * size.width;
    w.column = std::clamp(w.column, 0.0, std::max(0.0, static_cast<double>(columns) - w.columns));
    cells.h = static_cast<float>(std::min(w.rows, static_cast<double>(rows))) * size.height;
    w.row = std::clamp(w.row, 0.0, std::max(0.0, static_cast<double>(rows) - w.rows));
  }
  // Until somebody moves it, the window goes where the element is that is hovered in another panel.
  if (!w.moved) {
    w.row = w.column = 0;
    if (!lit.empty() && lit.front() >= first && lit.front() < first + rows * columns) {
      const auto row = static_cast<double>((lit.front() - first) / columns), column = static_cast<double>((lit.front() - first) % columns);
      if (row >= w.rows) w.row = std::clamp(row - std::floor(w.rows / 2), 0.0, std::max(0.0, static_cast<double>(rows) - w.rows));
      if (column >= w.columns) w.column = std::clamp(column - std::floor(w.columns / 2), 0.0, std::max(0.0, static_cast<double>(columns) - w.columns));
    }
  }
  const auto row0 = static_cast<int64_t>(w.row), column0 = static_cast<int64_t>(w.column);
  const int64_t row1 = std::min(rows, static_cast<int64_t>(std::ceil(w.row + w.rows))), column1 = std::min(columns, static_cast<int64_t>(std::ceil(w.column + w.columns)));
  const auto place = [&](int64_t row, int64_t column) {
    return Rect{std::round(cells.x + static_cast<float>(static_cast<double>(column) - w.column) * size.width),
                std::round(cells.y + static_cast<float>(static_cast<double>(row) - w.row) * size.height), size.width, size.height};
  };
  int64_t mouse_row = -1, mouse_column = -1;
  if (h.hovered) {
    mouse_row = static_cast<int64_t>(std::floor(w.row + (h.mouse.y - cells.y) / size.height));
    mouse_column = static_cast<int64_t>(std::floor(w.column + (h.mouse.x - cells.x) / size.width));
    if (mouse_row >= row1 || mouse_column >= column1) mouse_row = mouse_column = -1;
  }
  const auto row_lit = [&](int64_t row) { return std::any_of(lit.begin(), lit.end(), [&](int64_t l) { return l >= first && (l - first) / columns == row; }); };
  const auto column_lit = [&](int64_t column) { return std::any_of(lit.begin(), lit.end(), [&](int64_t l) { return l >= first && (l - first) % columns == column; }); };
  // Indices in the margins, as many as have room.
  const auto every = [&](float step, float room) { return static_cast<int64_t>(std::max(1.0f, std::ceil(room / step))); };
  const int64_t nth_column = every(size.width, digit * static_cast<float>(std::to_string(columns).size() + 1)), nth_row = every(size.height, ui.px(16));
  ui.clip({cells.x - ui.px(4), r.y, cells.w + ui.px(4), top});
  for (int64_t k = column0; k < column1; ++k) {
    if (k % nth_column != 0) continue;
    const Rect at = place(0, k);
    ui.text({at.x + at.w / 2, r.y + ui.px(3)}, std::to_string(k), TextSize::Caption, column_lit(k) ? t.text1 : t.text3, true, Align::Centre);
  }
  ui.unclip();
  ui.clip({r.x, cells.y, left, cells.h});
  for (int64_t i = row0; i < row1; ++i) {
    if (i % nth_row != 0) continue;
    const Rect at = place(i, 0);
    ui.text_in({r.x, at.y, left - ui.px(8), at.h}, std::to_string(i), TextSize::Caption, row_lit(i) ? t.text1 : t.text3, true, Align::Right);
  }
  ui.unclip();

  ui.clip(cells);
  for (const OffBox& b : off_boxes(p.lanes, first, row0, column0, row1 - row0, column1 - column0, columns)) {
    const Rect a = place(b.row, b.column), z = place(b.row + b.rows - 1, b.column + b.columns - 1);
    ui.hatch({a.x, a.y, z.right() - a.x, z.bottom() - a.y}, t.hatch);
  }
  if (size.width < ui.px(6)) {
    // Too small for a rectangle each.
    const Rect all{place(0, 0).x, place(0, 0).y, size.width * static_cast<float>(columns), size.height * static_cast<float>(rows)};
    draw_map(p, all, "tile.zoomed.", first, rows, columns);
    for (const int64_t lane : lit)
      if (lane >= first && lane < first + rows * columns) light(ui, place((lane - first) / columns, (lane - first) % columns));
    ui.unclip();
    if (mouse_row >= 0) hover_lane(p, first + mouse_row * columns + mouse_column, h);
    return;
  }
  const float gap = size.width >= ui.px(8) ? 1 : 0;
  const bool few = static_cast<size_t>((row1 - row0) * (column1 - column0)) <= kMostPlaces;
  for (int64_t i = row0; i < row1; ++i)
    for (int64_t k = column0; k < column1; ++k) {
      Rect at = place(i, k);
      if (few) ui.place(fmt::format("tile.cell.{}.{}", i, k), at);
      at.w -= gap, at.h -= gap;
      p.cell(at, first + i * columns + k);
    }
  // The border between lanes that count and those that do not.
  if (p.lanes.by != model::VariableLanes::By::Itself)
    for (const OffBox& b : off_boxes(p.lanes, first, row0, column0, row1 - row0, column1 - column0, columns)) {
      const Rect a = place(b.row, b.column), z = place(b.row + b.rows - 1, b.column + b.columns - 1);
      if (b.row > row0) ui.fill({a.x, a.y - 1, z.right() - a.x, 2}, t.text2);
      if (b.column > column0) ui.fill({a.x - 1, a.y, 2, z.bottom() - a.y}, t.text2);
    }
  for (const int64_t lane : lit)
    if (lane >= first && lane < first + rows * columns) {
      const Rect at = place((lane - first) / columns, (lane - first) % columns);
      light(ui, {at.x, at.y, at.w - gap, at.h - gap});
    }
  ui.unclip();
  if (mouse_row >= 0) hover_lane(p, first + mouse_row * columns + mouse_column, h);
}

namespace {

struct LaneGrid {
  Rect cells;
  bool across;
  float lane_size, line_size;  ///< length of a cell along the lanes and of a variable's line
  double first;
  Rect at(int64_t lane, size_t line) const {
    const float along = std::round(static_cast<float>(static_cast<double>(lane) - first) * lane_size), beside = line_size * static_cast<float>(line);
    return across ? Rect{cells.x + along, cells.y + beside, lane_size, line_size} : Rect{cells.x + beside, cells.y + along, line_size, lane_size};
  }
};

void draw_line_of_lanes(PanelContext& c, const model::Variable& v, const LaneGrid& g, size_t line, int64_t begin, int64_t end, bool named) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const float gap_x = 2, gap_y = g.across ? ui.px(5) : 2;
  if (v.record == nullptr) {
    for (int64_t i = begin; i < end; ++i) {
      const Rect at = g.at(i, line);
      ui.dashed_outline({at.x, at.y, at.w - gap_x, at.h - gap_y}, t.line, 1, 3);
    }
    const Rect a = g.at(begin, line), z = g.at(end - 1, line);
    const Rect whole{a.x, a.y, z.right() - a.x - gap_x, z.bottom() - a.y - gap_y};
    const std::string_view note = ui.t(Text::TileNotYet);
    const float w = std::min(whole.w, ui.width(note, TextSize::Caption) + ui.px(8)), text_height = ui.px(20);
    if (ui.width(note, TextSize::Caption) + ui.px(8) <= whole.w) {
      ui.fill({whole.x + (whole.w - w) / 2, whole.y + (whole.h - text_height) / 2, w, text_height}, t.panel);
      ui.text_in(whole, note, TextSize::Caption, t.text3, false, Align::Centre);
    } else {
      // A narrow column: the words one under the other.
      const Rect box{whole.x + 2, whole.y + whole.h / 2 - ui.px(30), whole.w - 4, ui.px(60)};
      ui.fill(box, t.panel);
      ui.paragraph({box.x + ui.px(4), box.y, box.w - ui.px(8), box.h}, note, TextSize::Caption, t.text3, ui.px(18));
    }
    return;
  }
  const LanePainter p(c, v);
  for (int64_t i = begin; i < end; ++i) {
    Rect at = g.at(i, line);
    at.w -= gap_x, at.h -= gap_y;
    const bool out_of_bounds = !p.lanes.use.empty() && p.lanes.use[static_cast<size_t>(i)] == model::LaneUse::OutOfBounds;
    if (p.off(i) && !out_of_bounds) {
      ui.hatch(at, t.hatch);
      ui.outline(at, t.hatch);
    }
    p.cell(at, i, g.across ? Align::Centre : Align::Right);
    if (named) ui.place(fmt::format("tile.cell.{}", i), at);
  }
  // The live part of what this line has just touched.
  const ImU32 mark = access_colour(c, v);
  if (mark == 0) return;
  int64_t live = end;
  while (live > begin && p.off(live - 1)) --live;
  int64_t from = begin;
  while (from < live && p.off(from)) ++from;
  if (from >= live) return;
  const Rect a = g.at(from, line), z = g.at(live - 1, line);
  ui.outline({a.x - 2, a.y - 2, z.right() - a.x - gap_x + 4, z.bottom() - a.y - gap_y + 4}, mark, ui.px(2));
}

/// What memory holds at the addresses of a load, lane by lane: the row that shows what a mask keeps the load from.
void draw_memory_line(PanelContext& c, const model::Variable& v, const LaneGrid& g, size_t line, int64_t begin, int64_t end) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const LanePainter p(c, v);
  const model::TensorNow& now = c.scene.tensors[static_cast<size_t>(v.lanes->tensor)];
  const std::string outside = fmt::format(fmt::runtime(ui.t(Text::TileNotIn)), now.name);
  for (int64_t i = begin; i < end; ++i) {
    Rect at = g.at(i, line);
    at.w -= 2, at.h -= ui.px(5);
    const model::TensorPlace place = p.values.place(v.lanes->tensor, v.lanes->offsets[static_cast<size_t>(i)]);
    const Rect inside{at.x + ui.px(3), at.y, at.w - 2 * ui.px(3), at.h};
    if (!place.inside || now.tensor == nullptr) {
      ui.hatch(at, t.hatch);
      plate_text(ui, inside, ui.width(outside, TextSize::Caption) <= inside.w ? outside : "\u2013", TextSize::Caption, t.text2, false, Align::Centre);
      continue;
    }
    const double x = read_double(now.tensor->dtype, now.tensor->element(now.tensor->origin + place.offset));
    const ImU32 fill = std::isfinite(x) && p.numbers.scale == model::ValueScale::Signed ? signed_colour(t, x, p.numbers.reach) : t.raised;
    ui.fill(at, fill);
    const int characters = std::min(6, static_cast<int>(inside.w / ui.code_advance(TextSize::Code)));
    ui.text_in(inside, model::format_number(x, model::number_style(p.numbers.largest, p.numbers.whole, characters)), TextSize::Code, ink_on(fill), true, Align::Centre);
  }
}

// Where the lanes that are on end, within begin..end; -1: nowhere.
int64_t border_lane(const model::VariableLanes& lanes, int64_t begin, int64_t end) {
  for (int64_t i = begin + 1; i < end; ++i)
    if (lanes.is_on(i) != lanes.is_on(i - 1)) return i;
  return -1;
}

}  // namespace

void draw_lanes(PanelContext& c, const std::vector<const model::Variable*>& variables, size_t shown, const Rect& r, TileWindow& w, bool across,
                const std::vector<int64_t>& lit) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const int64_t n = variables[shown]->type.elements();
  const float digit = ui.code_advance(TextSize::Caption);
  const float index = ui.px(10) + digit * static_cast<float>(std::max<size_t>(4, std::to_string(n - 1).size()));
  float names = 0;
  for (const model::Variable* v : variables) names = std::max(names, ui.width(v->name, TextSize::Code, true));
  if (across) names = std::max(names, ui.px(100));
  const float left = across ? std::min(names + ui.px(14), r.w * 0.25f) : index, top = ui.px(24);
  const Rect cells{r.x + left, r.y + top, r.w - left, r.h - top};
  // Beside each other there is room for what memory holds, above the variable that was loaded from it.
  const model::Variable& chosen = *variables[shown];
  const bool memory_line = across && chosen.lanes != nullptr && chosen.lanes->tensor >= 0 && static_cast<size_t>(chosen.lanes->tensor) < c.scene.tensors.size() &&
                           chosen.lanes->offsets.size() == static_cast<size_t>(n) && chosen.record != nullptr;
  const auto line_of = [&](size_t variable) { return variable + (memory_line && variable >= shown ? 1 : 0); };
  const size_t line_count = variables.size() + (memory_line ? 1 : 0);
  const auto lines = static_cast<float>(line_count);
  LaneGrid g{cells, across, 0, 0, 0};
  const float base = across ? ui.px(64) : ui.px(23);
  const Hit h = ui.hit("tile.table", cells);
  if (h.wheel != 0) w.zoom = std::clamp(w.zoom * std::pow(1.15f, h.wheel), 0.15f, 2.5f);
  if (h.double_clicked) w.zoom = 1;
  const float length = across ? cells.w : cells.h;
  g.lane_size = std::max(across ? 4.0f : ui.px(4), std::round(base * w.zoom));
  if (across && w.zoom == 1) g.lane_size = std::floor(length / std::min(static_cast<float>(n), std::max(1.0f, std::floor(length / base))));
  g.line_size = across ? std::min(ui.px(38), std::floor(cells.h / lines)) : std::min(ui.px(110), std::floor(cells.w / lines));
  const double visible = std::floor(length / g.lane_size);
  const bool lane_hovered = static_cast<bool>(c.hover) && !h.hovered;
  if (h.wheel != 0 || h.held) w.moved = true;
  if (!w.moved) {
    // Start where lanes go off, if they do.
    const model::Variable& v = *variables[shown];
    const int64_t border = v.record != nullptr ? border_lane(model::lanes_of(c.scene, v), 0, n) : -1;
    w.row = border < 0 ? 0 : static_cast<double>(border) - std::floor(visible / 2);
    if (lane_hovered && !lit.empty() && (static_cast<double>(lit.front()) < w.row || static_cast<double>(lit.front()) >= w.row + visible))
      w.row = static_cast<double>(lit.front()) - std::floor(visible / 2);
  }
  if (h.held && !h.double_clicked) w.row -= (across ? h.drag.x : h.drag.y) / g.lane_size;
  w.row = std::clamp(w.row, 0.0, std::max(0.0, static_cast<double>(n) - visible));
  const auto begin = static_cast<int64_t>(w.row);
  g.first = static_cast<double>(begin);
  const int64_t end = std::min(n, begin + static_cast<int64_t>(visible));
  w.rows = static_cast<double>(end - begin);

  const int64_t nth = static_cast<int64_t>(std::max(1.0f, std::ceil((across ? digit * 5 : ui.px(16)) / g.lane_size)));
  ui.text({r.x, r.y + ui.px(4)}, ui.t(Text::TileLane), TextSize::Caption, t.text3);
  for (int64_t i = begin; i < end; ++i) {
    const bool on = std::find(lit.begin(), lit.end(), i) != lit.end();
    if ((i - begin) % nth != 0 && !on) continue;
    const Rect at = g.at(i, 0);
    const ImU32 ink = on ? t.text1 : t.text3;
    if (across) ui.text({at.x + (at.w - 2) / 2, r.y + ui.px(4)}, std::to_string(i), TextSize::Caption, ink, true, Align::Centre);
    else ui.text_in({r.x, at.y, index - ui.px(10), at.h - 2}, std::to_string(i), TextSize::Caption, ink, true, Align::Right);
  }
  for (size_t line = 0; line < variables.size(); ++line) {
    const model::Variable& v = *variables[line];
    const Rect at = g.at(begin, line_of(line));
    const Rect label = across ? Rect{r.x, at.y, left - ui.px(8), at.h - ui.px(5)} : Rect{at.x, r.y, g.line_size - ui.px(4), top - ui.px(2)};
    const Hit lh = ui.hit("tile.line." + v.name, label);
    if (lh.clicked) c.state.pinned_variable = v.name;
    const bool boolean = is_bool(v.type.elem) && !v.type.pointer;
    ui.text_in(label, v.name, TextSize::Code, line == shown ? t.text1 : v.record == nullptr ? t.text3 : t.text2, true, across ? Align::Left : boolean ? Align::Centre : Align::Right);
    if (line == shown) ui.fill(across ? Rect{r.x - ui.px(8), label.y, ui.px(3), label.h} : Rect{label.x, label.bottom() - 1, label.w, ui.px(2)}, t.selected);
    draw_line_of_lanes(c, v, g, line_of(line), begin, end, line == shown);
  }
  if (memory_line) {
    const Rect at = g.at(begin, shown);
    const std::string name = fmt::format(fmt::runtime(ui.t(Text::TileMemoryOf)), c.scene.tensors[static_cast<size_t>(chosen.lanes->tensor)].name);
    ui.text_in({r.x, at.y, left - ui.px(8), at.h - ui.px(5)}, name, TextSize::Caption, t.text2);
    draw_memory_line(c, chosen, g, shown, begin, end);
  }
  const int64_t border = variables[shown]->record != nullptr ? border_lane(model::lanes_of(c.scene, *variables[shown]), begin, end) : -1;
  size_t known = 0;  // the border crosses what has been computed
  for (size_t line = 0; line < variables.size(); ++line)
    if (variables[line]->record != nullptr) known = line_of(line);
  if (border > 0) {
    const Rect a = g.at(border, 0), z = g.at(border, known);
    ui.fill(across ? Rect{a.x - 2, a.y - ui.px(4), 2, z.bottom() - a.y + ui.px(4)} : Rect{a.x - ui.px(4), a.y - 2, z.right() - a.x + ui.px(4), 2}, t.text1);
  }
  for (const int64_t lane : lit)
    if (lane >= begin && lane < end)
      for (size_t line = 0; line < variables.size(); ++line)
        if (variables[line]->record != nullptr) {
          const Rect at = g.at(lane, line_of(line));
          light(ui, {at.x, at.y, at.w - 2, at.h - (across ? ui.px(5) : 2)});
        }
  if (!h.hovered) return;
  const float along = across ? h.mouse.x - cells.x : h.mouse.y - cells.y, beside = across ? h.mouse.y - cells.y : h.mouse.x - cells.x;
  const int64_t lane = begin + static_cast<int64_t>(along / g.lane_size);
  auto line = static_cast<size_t>(beside / g.line_size);
  if (memory_line && line == shown) return;
  if (memory_line && line > shown) --line;
  if (lane < end && line < variables.size() && variables[line]->record != nullptr) hover_lane(LanePainter(c, *variables[line]), lane, h);
}

}  // namespace tilescope::window
