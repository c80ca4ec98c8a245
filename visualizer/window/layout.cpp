#include "visualizer/window/layout.h"

#include <algorithm>
#include <cmath>

namespace tilescope::window {
namespace {

bool hidden(const model::ViewState& s, const Panel& p) {
  const auto it = s.hidden.find(p.id);
  return it != s.hidden.end() && it->second;
}

/// A size at scale 1 that a splitter may have changed: kept as a share of the window.
float split(const Ui& ui, const model::ViewState& s, const char* id, float standard, float whole, float least, float most) {
  const auto it = s.splits.find(id);
  const float pixels = it == s.splits.end() ? ui.px(standard) : it->second * whole;
  return std::round(std::clamp(pixels, ui.px(least), std::max(ui.px(least), most)));
}

PlacedCell place_cell(const model::ViewState& s, Cell cell, std::vector<const Panel*> panels, Rect r) {
  PlacedCell out{cell, r, std::move(panels), nullptr};
  const auto chosen = s.front_tab.find(cell_id(cell));
  for (const Panel* p : out.panels)
    if (chosen != s.front_tab.end() && chosen->second == p->id) out.front = p;
  if (out.front == nullptr && !out.panels.empty()) out.front = out.panels.front();
  return out;
}

}  // namespace

const char* cell_id(Cell c) {
  switch (c) {
    case Cell::Left: return "left";
    case Cell::Centre: return "centre";
    case Cell::RightTop: return "right_top";
    case Cell::RightBottom: return "right_bottom";
    case Cell::Bottom: return "bottom";
  }
  return "";
}

WindowLayout make_layout(const Ui& ui, const model::ViewState& s, float notice, bool exercise) {
  WindowLayout out;
  Rect all{0, 0, ui.size().x, ui.size().y};
  const float gap = ui.px(8);
  const bool narrow = all.w < ui.px(kNarrow);
  out.top_bar = all.take_top(ui.px(48));
  all = {all.x + gap, all.y + gap, all.w - 2 * gap, all.h - 2 * gap};
  if (notice > 0) {
    out.notice = all.take_top(notice);
    all.take_top(gap);
  }
  out.scrubber = all.take_bottom(ui.px(narrow ? 48 : 80));
  all.take_bottom(gap);

  std::vector<const Panel*> left, centre, right_top, right_bottom;
  for (const Panel& p : all_panels()) {
    if (hidden(s, p)) continue;
    if (exercise && std::string_view(p.id) == "source") centre.push_back(&p);
    else if (p.cell == Cell::Left) left.push_back(&p);
    else if (p.cell == Cell::Centre || narrow) centre.push_back(&p);
    else if (p.cell == Cell::RightTop) right_top.push_back(&p);
    else right_bottom.push_back(&p);
  }
  const Rect middle = all;
  const float standard_left = ui.size().x >= ui.px(2000) ? 560 : narrow ? 360 : 448, standard_right = ui.size().x >= ui.px(2000) ? 560 : 432;
  const bool right = !right_top.empty() || !right_bottom.empty();
  if (!left.empty()) {
    const bool alone = centre.empty() && !right;
    const Rect r = alone ? all : all.take_left(split(ui, s, "left", standard_left, middle.w, 240, middle.w * 0.6f));
    out.cells.push_back(place_cell(s, Cell::Left, left, r));
    if (!alone) out.splitters.push_back({"left", all.take_left(gap), true, middle});
  }
  if (right) {
    Rect r = centre.empty() ? all : all.take_right(split(ui, s, "right", standard_right, middle.w, 240, all.w * 0.7f));
    if (!centre.empty()) out.splitters.push_back({"right", all.take_right(gap), true, middle});
    if (!right_top.empty() && !right_bottom.empty()) {
      const Rect column = r;
      const Rect bottom = r.take_bottom(split(ui, s, "right_bottom", std::max(136.0f, column.h / ui.scale() * 0.2f), column.h, 80, column.h - ui.px(120)));
      out.splitters.push_back({"right_bottom", r.take_bottom(gap), false, column});
      out.cells.push_back(place_cell(s, Cell::RightTop, right_top, r));
      out.cells.push_back(place_cell(s, Cell::RightBottom, right_bottom, bottom));
    } else {
      out.cells.push_back(place_cell(s, right_top.empty() ? Cell::RightBottom : Cell::RightTop, right_top.empty() ? right_bottom : right_top, r));
    }
  }
  if (!centre.empty()) out.cells.push_back(place_cell(s, Cell::Centre, centre, all));
  return out;
}

void drag_splitters(Ui& ui, model::ViewState& s, const WindowLayout& layout) {
  for (const Splitter& sp : layout.splitters) {
    const Hit h = ui.hit(std::string("splitter.") + sp.id, sp.bar);
    if (h.hovered || h.held) {
      const Rect r = sp.vertical ? Rect{sp.bar.x + sp.bar.w / 2 - 1, sp.bar.y, 2, sp.bar.h} : Rect{sp.bar.x, sp.bar.y + sp.bar.h / 2 - 1, sp.bar.w, 2};
      ui.fill(r, ui.theme().selected);
    }
    if (h.double_clicked) s.splits.erase(sp.id);
    else if (h.held && (h.drag.x != 0 || h.drag.y != 0)) {
      const std::string id = sp.id;
      const float share = id == "left"    ? (h.mouse.x - sp.range.x - sp.bar.w / 2) / sp.range.w
                          : id == "right" ? (sp.range.right() - h.mouse.x - sp.bar.w / 2) / sp.range.w
                                          : (sp.range.bottom() - h.mouse.y - sp.bar.h / 2) / sp.range.h;
      s.splits[id] = std::clamp(share, 0.05f, 0.9f);
    }
  }
}

namespace {

void draw_tab(PanelContext& c, const PlacedCell& cell, const Panel& p, const Rect& tab) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const bool front = &p == cell.front, single = cell.panels.size() == 1;
  const Hit h = ui.hit(std::string("tab.") + p.id, {tab.x - ui.px(6), tab.y, tab.w + ui.px(12), tab.h});
  if (h.clicked) c.state.front_tab[cell_id(cell.cell)] = p.id;
  ui.text_in(tab, ui.t(p.title), TextSize::Title, front || h.hovered ? t.text1 : t.text3);
  if (front && !single) ui.fill({tab.x, tab.bottom() - ui.px(2), tab.w, ui.px(2)}, t.selected);
}

/// The header: one title, or a tab a panel. Returns what is left of the row.
Rect draw_header(PanelContext& c, const PlacedCell& cell, Rect row) {
  Ui& ui = c.ui;
  const float gap = ui.px(16);
  ui.fill({row.x, row.bottom() - 1, row.w, 1}, ui.theme().line);
  row.take_left(gap);
  row.take_right(gap);
  const auto width = [&](const Panel* p) { return ui.width(ui.t(p->title), TextSize::Title); };
  float all = 0;
  size_t front = 0;
  for (size_t i = 0; i < cell.panels.size(); ++i) {
    all += width(cell.panels[i]) + gap;
    if (cell.panels[i] == cell.front) front = i;
  }
  // Where there are more tabs than room, those around the front one are seen, and an arrow leads to the next.
  const bool crowded = cell.panels.size() > 1 && all - gap > row.w;
  Rect arrow;
  size_t first = 0;
  if (crowded) {
    arrow = row.take_right(ui.px(24));
    float until_front = 0;
    for (size_t i = 0; i <= front; ++i) until_front += width(cell.panels[i]) + gap;
    while (first < front && until_front - gap > row.w) until_front -= width(cell.panels[first++]) + gap;
  }
  for (size_t i = first; i < cell.panels.size() && row.w > 0; ++i) {
    const float w = width(cell.panels[i]);
    if (crowded && i > front && w > row.w) break;
    draw_tab(c, cell, *cell.panels[i], row.take_left(w));
    row.take_left(gap);
  }
  if (!crowded) return row;
  const Hit h = ui.hit(std::string("tab.next.") + cell_id(cell.cell), arrow);
  ui.triangle({arrow.x + arrow.w / 2, arrow.y + arrow.h / 2}, ui.px(5), 0, h.hovered ? ui.theme().text1 : ui.theme().text3);
  if (h.clicked) c.state.front_tab[cell_id(cell.cell)] = cell.panels[(front + 1) % cell.panels.size()]->id;
  return {row.right(), row.y, 0, row.h};
}

}  // namespace

void draw_cells(PanelContext& c, const WindowLayout& layout, FrameTimes& times) {
  Ui& ui = c.ui;
  for (const PlacedCell& cell : layout.cells) {
    if (cell.rect.w < 1 || cell.rect.h < 1) continue;
    ui.fill(cell.rect, ui.theme().panel, ui.px(4));
    ui.clip(cell.rect);
    Rect body = cell.rect;
    Rect header = draw_header(c, cell, body.take_top(ui.px(32)));
    if (header.w < ui.px(72)) header = {header.right(), header.y, 0, header.h};  // too little to say anything in
    ui.place(std::string("panel.") + cell.front->id, body);
    // 2 px of progress: work that takes long never blanks a panel.
    if (c.scene.run.busy && c.scene.run.progress >= 0)
      ui.fill({body.x, body.y - ui.px(2), body.w * static_cast<float>(c.scene.run.progress), ui.px(2)}, ui.theme().selected);
    cell.front->draw(c, header, body);
    // What is from before an edit that does not run is pale; the text itself is not.
    if (c.scene.run.stale && !c.scene.run.errors.empty() && cell.front->cell != Cell::Left) ui.fill(body, with_alpha(ui.theme().panel, 0.5f));
    ui.unclip();
    times.mark(cell.front->id);
  }
}

}  // namespace tilescope::window
