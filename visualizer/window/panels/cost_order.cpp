// Which tiles the first programs load, drawn as the product is: the left operand beside the output, the other one above
// it, and in the free corner how many tiles that are.
#include <algorithm>
#include <cmath>
#include <optional>

#include "visualizer/model/grid_view.h"
#include "visualizer/window/panels/cost_parts.h"

namespace tilescope::window {
namespace {

using model::OrderFigure;
using model::TileCount;
using model::TileGrid;

/// Where the cells of a grid lie.
struct Cells {
  Rect area;
  float w = 0, h = 0;
  bool fine = false;  ///< too small for rectangles: a texture
};

class Figure {
 public:
  Figure(const CostPanel& p, const OrderFigure& f, size_t index)
      : p_(p), ui_(p.ui()), t_(p.theme()), f_(f), map_(*f.map), key_("cost.order." + std::to_string(index)), n_(p.view.programs) {}

  /// `r`: below the figure's title; `free`: what the title leaves of its row.
  void draw(Rect r, const Rect& free) {
    free_ = free;
    if (map_.loads.empty()) {
      ui_.paragraph(r, refusal(), TextSize::Code, t_.text2);
      return;
    }
    place(r);
    find_hover();
    for (size_t i = 0; i < grids_.size(); ++i) draw_grid(i);
    draw_words();
  }

 private:
  struct Placed {
    const TileGrid* grid;
    bool output;
    Cells cells;
    Rect label;
  };

  std::string refusal() const {
    switch (map_.refusal) {
      case model::TileMap::Refusal::NoBoxes: return p_.say(Text::CostNoBoxes, map_.refused);
      case model::TileMap::Refusal::Overlap: return p_.say(Text::CostOverlap, map_.refused);
      default: return std::string(ui_.t(Text::CostNoLoads));
    }
  }

  // ---- where things are

  Cells cells_at(const TileGrid& g, float x, float y, float w, float h) const {
    Cells c;
    c.fine = w < ui_.px(4) || h < ui_.px(4);
    if (!c.fine) w = std::floor(w), h = std::floor(h);
    c.w = w, c.h = h;
    c.area = {std::round(x), std::round(y), w * static_cast<float>(g.cols), h * static_cast<float>(g.rows)};
    return c;
  }

  void place(const Rect& r) {
    if (map_.is_product()) place_product(r);
    else place_stack(r);
  }

  void place_product(const Rect& r) {
    const TileGrid &a = map_.loads[0], &b = map_.loads[1], &o = *map_.stores;
    const float gap = ui_.px(12), label = ui_.px(20), left_least = std::clamp(words_width(), ui_.px(126), std::max(ui_.px(126), r.w * 0.55f));
    const float rows = static_cast<float>(b.rows + o.rows), cols = static_cast<float>(a.cols + o.cols);
    // The upper operand's name stands beside the title where there is room.
    const float name = ui_.width(b.tensor, TextSize::Code, true);
    const auto beside = [&](float x) { return free_.x <= x && free_.right() >= x + name; };
    const float above = beside(r.x + left_least + gap) ? ui_.px(2) : label;
    float cell = std::min({(r.h - gap - label - above) / rows, (r.w - gap) / cols, ui_.px(36)});
    if (static_cast<float>(a.cols) * cell < left_least) cell = std::min(cell, (r.w - gap - left_least) / static_cast<float>(o.cols));
    // The free corner must hold its words, each row of them.
    if (const float corner = words_height(false); above + static_cast<float>(b.rows) * cell + gap < corner)
      cell = std::min(cell, (r.h - corner - label) / static_cast<float>(o.rows));
    cell = std::max(cell, 0.25f);
    const float left = std::max(left_least, cells_at(a, 0, 0, cell, cell).area.w), x = r.x + left + gap;
    // The words in the free corner need some height even where B is low.
    const float b_high = cells_at(b, 0, 0, cell, cell).area.h, all_high = b_high + cells_at(o, 0, 0, cell, cell).area.h + gap + above + label;
    const float down = std::clamp(words_height(true) - (above + b_high + gap), 0.0f, std::max(0.0f, r.h - all_high));
    const Cells cb = cells_at(b, x, r.y + above + down, cell, cell), co = cells_at(o, x, cb.area.bottom() + gap, cell, cell);
    const Cells ca = cells_at(a, r.x + left - cells_at(a, 0, 0, cell, cell).area.w, co.area.y, cell, cell);
    add(a, false, ca, {ca.area.x, ca.area.bottom(), r.x + left - ca.area.x, label});
    add(b, false, cb, above < label && down < 1 ? Rect{x, free_.y, free_.right() - x, free_.h} : Rect{x, cb.area.y - label, r.right() - x, label});
    add(o, true, co, {x, co.area.bottom(), r.right() - x, label});
    words_ = {r.x, r.y, left, ca.area.y - r.y};
  }

  /// With the number in large type, or in smaller type and the words below it in two rows.
  float words_height(bool big) const { return ui_.px((big ? 72 + 24 : 34 + 40) + 18 * static_cast<float>(f_.counts.size())); }

  /// Of the counts with one letter for the tensor: the least that must have room.
  float words_width() const {
    float w = 0;
    for (size_t i = 0; i < f_.counts.size(); ++i) w = std::max(w, ui_.width("A " + count_text(map_.loads[i], f_.counts[i]), TextSize::Caption, true));
    return w + ui_.px(2);
  }

  /// One below the other: any kernel.
  void place_stack(Rect r) {
    words_ = r.take_left(std::min(ui_.px(150), r.w * 0.4f));
    r.take_left(ui_.px(16));
    std::vector<const TileGrid*> all;
    for (const TileGrid& g : map_.loads) all.push_back(&g);
    if (map_.stores) all.push_back(&*map_.stores);
    const float label = ui_.px(20), gap = ui_.px(8), n = static_cast<float>(all.size());
    // Tall grids share what flat ones leave.
    float flat = 0, tall = 0;
    const float strip = ui_.px(24);
    for (const TileGrid* g : all) g->rows == 1 ? flat += strip : tall += 1;
    const float room = std::max(ui_.px(16), tall > 0 ? (r.h - n * (label + gap) - flat) / tall : 0);
    for (size_t i = 0; i < all.size(); ++i) {
      const TileGrid& g = *all[i];
      const bool output = map_.stores && all[i] == &*map_.stores;
      const float w = std::min(r.w / static_cast<float>(g.cols), ui_.px(g.cols == 1 ? 240 : 44)), h = std::min((g.rows == 1 ? strip : room) / static_cast<float>(g.rows), ui_.px(24));
      const Rect line = r.take_top(label);
      const Cells c = cells_at(g, r.x, r.y, w, h);
      add(g, output, c, line);
      r.take_top(c.area.h + gap);
    }
  }

  void add(const TileGrid& g, bool output, const Cells& c, const Rect& label) { grids_.push_back({&g, output, c, label}); }

  // ---- the mouse

  static Rect cell_rect(const Cells& c, const TileGrid& g, int64_t cell) {
    return {c.area.x + c.w * static_cast<float>(cell % g.cols), c.area.y + c.h * static_cast<float>(cell / g.cols), c.w, c.h};
  }

  void find_hover() {
    for (size_t i = 0; i < grids_.size(); ++i) {
      const Placed& g = grids_[i];
      if (g.cells.area.w < 1 || g.cells.area.h < 1) continue;
      const Hit h = ui_.hit(key_ + "." + g.grid->tensor, g.cells.area);
      if (!h.hovered) continue;
      const int64_t x = std::clamp<int64_t>(static_cast<int64_t>((h.mouse.x - g.cells.area.x) / g.cells.w), 0, g.grid->cols - 1);
      const int64_t y = std::clamp<int64_t>(static_cast<int64_t>((h.mouse.y - g.cells.area.y) / g.cells.h), 0, g.grid->rows - 1);
      hovered_grid_ = i, hovered_cell_ = y * g.grid->cols + x;
      tooltip(g, hovered_cell_);
      p_.c.state.hover = {model::Element::Of::Tensor, g.grid->tensor, g.grid->origin(hovered_cell_)};
      const uint32_t first = g.grid->first(hovered_cell_);
      if (h.clicked && g.output && first != model::kNever) select(first);
    }
  }

  void select(uint32_t position) {
    const Launch* launch = p_.c.scene.run.launch.get();
    if (launch != nullptr && !p_.view.stale) p_.c.control.select_program(model::program_index(launch->grid, map_.order[position]));
  }

  void tooltip(const Placed& g, int64_t cell) {
    std::string tip = p_.say(Text::CostTileOf, g.grid->tensor, cell / g.grid->cols, cell % g.grid->cols);
    const uint32_t first = g.grid->first(cell);
    if (g.output) {
      if (first == model::kNever) tip += "\n" + std::string(ui_.t(Text::CostNoProgram));
      else if (map_.order[first] == first) tip += "\n" + p_.say(Text::CostProgram, first);
      else tip += "\n" + p_.say(Text::CostNthProgram, map_.order[first], first + 1);
    } else {
      const int64_t uses = g.grid->uses_among(cell, n_);
      tip += "\n" + (uses == 0 ? p_.say(Text::CostLoadedByNone, n_) : p_.say(Text::CostLoadedBy, uses, n_));
    }
    ui_.tooltip(tip);
  }

  /// The cell belongs to a program that also has the hovered cell: its row of A and column of B light up.
  bool lights(const Placed& g, size_t index, int64_t cell) const {
    if (hovered_cell_ < 0) return false;
    if (index == hovered_grid_) return cell == hovered_cell_;
    const TileGrid& h = *grids_[hovered_grid_].grid;
    const bool from_output = grids_[hovered_grid_].output;
    if (!from_output && !g.output) return false;
    const TileGrid& one = from_output ? h : *g.grid;  // one program, mostly
    const int64_t one_cell = from_output ? hovered_cell_ : cell;
    const TileGrid& many = from_output ? *g.grid : h;
    const int64_t many_cell = from_output ? cell : hovered_cell_;
    const uint32_t program = one.first(one_cell);
    if (program == model::kNever) return false;
    const auto from = many.uses.begin() + many.begin[static_cast<size_t>(many_cell)], to = many.uses.begin() + many.begin[static_cast<size_t>(many_cell) + 1];
    return std::binary_search(from, to, program);
  }

  // ---- cells

  void draw_grid(size_t index) {
    const Placed& g = grids_[index];
    std::string caption = p_.say(Text::CostGridSize, g.grid->rows, g.grid->cols);
    Rect label = g.label;
    const float w = std::min(ui_.width(g.grid->tensor, TextSize::Code, true), label.w);
    ui_.text_in(label.take_left(w), g.grid->tensor, TextSize::Code, t_.text1, true);
    label.take_left(ui_.px(8));
    if (ui_.width(caption, TextSize::Caption) > label.w) caption = fmt::format("{} × {}", g.grid->rows, g.grid->cols);
    const std::string size = g.output && !g.cells.fine && numbered(g) ? std::string(ui_.t(Text::CostNumberIsPid)) : caption;
    if (ui_.width(size, TextSize::Caption) <= label.w) ui_.text_in(label, size, TextSize::Caption, t_.text3);
    if (g.cells.fine) draw_texture(g);
    else draw_rectangles(g);
    if (hovered_cell_ >= 0)
      for (int64_t i = 0; i < g.grid->cells(); ++i)
        if (lights(g, index, i)) light(g, i);
    if (g.output && !g.cells.fine && !numbered(g)) draw_path(g);
    if (g.output && f_.current) mark_selected(g);
  }

  /// Where numbers have no room a line tells the order of those that have run.
  void draw_path(const Placed& g) {
    std::vector<int64_t> cell_of(map_.order.size(), -1);
    for (int64_t i = 0; i < g.grid->cells(); ++i)
      if (const uint32_t first = g.grid->first(i); first != model::kNever) cell_of[first] = i;
    std::optional<ImVec2> last;
    for (int64_t position = 0; position < n_; ++position) {
      const int64_t cell = cell_of[static_cast<size_t>(position)];
      if (cell < 0) continue;
      const Rect r = cell_rect(g.cells, *g.grid, cell);
      const ImVec2 at{r.x + r.w / 2, r.y + r.h / 2};
      if (last) ui_.line(*last, at, ink_on(t_.compute), 1);
      last = at;
    }
  }

  void light(const Placed& g, int64_t cell) {
    Rect r = cell_rect(g.cells, *g.grid, cell);
    if (g.cells.fine) r = {std::floor(r.x), std::floor(r.y), std::max(r.w, 1.0f), std::max(r.h, 1.0f)}, ui_.fill(r, t_.hover);
    else ui_.outline({r.x, r.y, r.w - 1, r.h - 1}, t_.hover, ui_.px(2));
  }

  /// The program that the window shows.
  void mark_selected(const Placed& g) {
    const Launch* launch = p_.c.scene.run.launch.get();
    if (launch == nullptr || p_.view.stale) return;
    const int64_t mine = model::program_number(launch->grid, p_.c.state.program);
    for (int64_t i = 0; i < g.grid->cells(); ++i) {
      const uint32_t first = g.grid->first(i);
      if (first == model::kNever || map_.order[first] != mine) continue;
      const Rect r = cell_rect(g.cells, *g.grid, i);
      const float grow = std::max(0.0f, (ui_.px(7) - r.w) / 2);
      return ui_.outline(Rect{r.x, r.y, r.w - 1, r.h - 1}.inset(-grow), t_.selected_text, ui_.px(2));
    }
  }

  bool numbered(const Placed& g) const {
    return g.cells.w >= ui_.width(std::to_string(std::max<int64_t>(map_.programs - 1, 0)), TextSize::Caption, true) + ui_.px(2) && g.cells.h >= ui_.px(14);
  }

  ImU32 colour(const Placed& g, int64_t cell) const {
    const uint32_t first = g.grid->first(cell);
    if (first < static_cast<uint64_t>(n_)) return g.output ? t_.compute : t_.load;
    return first == model::kNever ? mix(t_.panel, t_.raised, 0.5f) : t_.raised;
  }

  void draw_rectangles(const Placed& g) {
    const float gap = g.cells.w >= ui_.px(12) ? ui_.px(2) : 1;
    const bool numbers = g.output && numbered(g);
    for (int64_t i = 0; i < g.grid->cells(); ++i) {
      const Rect at = cell_rect(g.cells, *g.grid, i), r{at.x, at.y, at.w - gap, at.h - gap};
      const ImU32 ground = colour(g, i);
      ui_.fill(r, ground);
      const uint32_t first = g.grid->first(i);
      if (first == model::kNever && g.output) ui_.outline(r, t_.line, 1);
      if (!numbers || first == model::kNever) continue;
      const bool done = first < static_cast<uint64_t>(n_);
      ui_.text_in({r.x - ui_.px(2), r.y, r.w + ui_.px(4), r.h}, std::to_string(map_.order[first]), TextSize::Caption, done ? ink_on(ground) : t_.text3, true, Align::Centre);
    }
  }

  void draw_texture(const Placed& g) {
    const int w = static_cast<int>(std::min<int64_t>(g.grid->cols, 1024)), h = static_cast<int>(std::min<int64_t>(g.grid->rows, 1024));
    const uint64_t version = (reinterpret_cast<uintptr_t>(&map_) * 31 + static_cast<uint64_t>(n_)) * 4 + (t_.dark ? 1 : 0);
    const ImTextureID id = p_.c.textures.get(key_ + "." + g.grid->tensor + (g.output ? ".stores" : ""), version, w, h, [&](std::vector<ImU32>& texels) {
      for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) {
          const int64_t row = (2 * y + 1) * g.grid->rows / (2 * h), col = (2 * x + 1) * g.grid->cols / (2 * w);
          texels[static_cast<size_t>(y) * static_cast<size_t>(w) + static_cast<size_t>(x)] = colour(g, row * g.grid->cols + col);
        }
    });
    ui_.draw().AddImage(id, g.cells.area.min(), g.cells.area.max());
  }

  // ---- words

  std::string count_text(const TileGrid& g, const TileCount& n) const {
    switch (n.form) {
      case TileCount::Form::Rows: return p_.say(n.rows == 1 ? Text::CostRow : Text::CostRows, n.rows, n.cols, n.tiles);
      case TileCount::Form::Cols: return p_.say(n.cols == 1 ? Text::CostCol : Text::CostCols, n.cols, n.rows, n.tiles);
      case TileCount::Form::Block: return p_.say(Text::CostBlock, n.rows, n.cols, n.tiles);
      case TileCount::Form::Loose: return p_.say(Text::CostTiles, n.tiles, g.cells());
    }
    return {};
  }

  void draw_words() {
    Rect r = words_;
    const std::string number = std::to_string(f_.loads);
    const ImU32 ink = f_.fewer ? t_.compute_text : t_.text1;
    const float lines = ui_.px(20) * static_cast<float>(1 + f_.counts.size());
    const bool big = ui_.width(number, TextSize::Number) <= r.w && r.h >= ui_.px(72) + lines;
    const TextSize size = big ? TextSize::Number : TextSize::Verdict;
    ui_.text({r.x, r.y - (big ? ui_.px(8) : 0)}, number, size, ink);
    r.take_top(ui_.px(big ? 72 : 34));
    const std::string words = n_ == 1 ? std::string(ui_.t(Text::CostTileLoadsOne)) : p_.say(Text::CostTileLoads, n_);
    if (ui_.width(words, TextSize::Caption) <= r.w) ui_.text_in(r.take_top(ui_.px(20)), words, TextSize::Caption, t_.text2);
    else r.take_top(ui_.paragraph(r, words, TextSize::Caption, t_.text2, ui_.px(18)));
    r.take_top(ui_.px(4));
    // Names where all of them fit, else the letters that everybody uses.
    const auto line_of = [&](size_t i) { return std::pair{map_.loads[i].tensor + " ", count_text(map_.loads[i], f_.counts[i])}; };
    bool names = true;
    for (size_t i = 0; i < f_.counts.size(); ++i) names = names && ui_.width(line_of(i).first + line_of(i).second, TextSize::Caption, true) <= r.w;
    for (size_t i = 0; i < f_.counts.size() && r.h >= ui_.px(18); ++i) {
      Rect line = r.take_top(ui_.px(18));
      auto [name, count] = line_of(i);
      if (!names && map_.is_product()) name = i == 0 ? "A " : "B ";
      // No number is ever cut: the tiles alone where the product has no room.
      if (ui_.width(name + count, TextSize::Caption, true) > line.w) count = std::to_string(f_.counts[i].tiles);
      ui_.text_in(line.take_left(std::min(ui_.width(name, TextSize::Caption, true), line.w)), name, TextSize::Caption, t_.text1, true);
      ui_.text_in(line, count, TextSize::Caption, t_.text2, true);
    }
  }

  const CostPanel& p_;
  Ui& ui_;
  const Theme& t_;
  const OrderFigure& f_;
  const model::TileMap& map_;
  const std::string key_;
  const int64_t n_;
  std::vector<Placed> grids_;
  Rect words_, free_;
  size_t hovered_grid_ = 0;
  int64_t hovered_cell_ = -1;
};

// ---- around the figures

/// Which other order stands beside the launch's: one back, one on.
void draw_other_chooser(const CostPanel& p, Rect& row) {
  Ui& ui = p.ui();
  const size_t n = p.view.others.size();
  if (n < 2) return;
  const float b = ui.px(22);
  const size_t at = std::min(p.view.other, n - 1);
  const auto button = [&](const char* name, float degrees, size_t to) {
    Rect r = row.take_right(b);
    r.h = b;
    if (ui.button(name, r, "", {}, ui.t(Text::CostOtherTip))) p.c.state.cost.other = p.view.others[to].label;
    ui.triangle({r.x + b / 2, r.y + b / 2}, ui.px(4), degrees, p.theme().text1);
  };
  button("cost.other.more", 0, (at + 1) % n);
  row.take_right(ui.px(4));
  button("cost.other.less", 180, (at + n - 1) % n);
  row.take_right(ui.px(8));
}

/// Name of the order. Returns what is left of the row.
Rect draw_title(const CostPanel& p, size_t i, Rect row) {
  Ui& ui = p.ui();
  const model::OtherOrder& order = p.view.figures[i].order;
  const std::string name = order.label.empty() ? std::string(ui.t(Text::CostThisLaunch)) : p.name(order);
  if (i > 0) draw_other_chooser(p, row);
  const float w = std::min(ui.width(name, TextSize::Title), row.w);
  ui.text_in(row.take_left(w), name, TextSize::Title, p.theme().text1);
  row.take_left(ui.px(10));
  const std::string_view mine = ui.t(Text::CostThisLaunch);
  if (const float most = ui.width(mine, TextSize::Caption); i == 0 && !order.label.empty() && row.w > most) {
    ui.text_in(row.take_right(most), mine, TextSize::Caption, p.theme().text3);
    row.take_right(ui.px(8));
  }
  return row;
}

void draw_slider(const CostPanel& p, Rect row) {
  Ui& ui = p.ui();
  const int64_t most = p.view.most_programs;
  const std::string number = p.say(Text::CostOf, p.view.programs, p.view.all_programs);
  const std::string_view name = ui.t(Text::CostLaunched);
  ui.text_in(row.take_left(ui.width(name, TextSize::Code)), name, TextSize::Code, p.theme().text2);
  row.take_left(ui.px(16));
  ui.text_in(row.take_right(std::max(ui.px(70), ui.width(number, TextSize::Code, true))), number, TextSize::Code, p.theme().text1, true, Align::Right);
  row.take_right(ui.px(16));
  if (most < 2 || row.w < ui.px(40)) return;
  const int stops = most <= 1024 ? static_cast<int>(most) : 0;
  const float at = static_cast<float>(p.view.programs - 1) / static_cast<float>(most - 1);
  const float moved = ui.slider("cost.programs", row, at, stops);
  if (moved >= 0) p.c.state.cost.programs = 1 + static_cast<int64_t>(std::lround(static_cast<double>(moved) * static_cast<double>(most - 1)));
}

/// Two figures get larger cells one below the other than side by side.
bool stacks(const CostPanel& p, const Rect& r) {
  const model::TileMap& m = *p.view.figures[0].map;
  if (!m.is_product()) return r.h > r.w;
  const float rows = static_cast<float>(m.loads[1].rows + m.stores->rows), cols = static_cast<float>(m.loads[0].cols + m.stores->cols);
  const auto cell = [&](float w, float h) { return std::min(w / cols, (h - p.ui().px(60)) / rows); };
  const bool words = r.h / 2 >= p.ui().px(24 + 34 + 40 + 36 + 80);
  return words && cell(r.w, r.h / 2) > cell(r.w / 2, r.h);
}

void draw_legend(const CostPanel& p, Rect& row) {
  Ui& ui = p.ui();
  const Theme& t = p.theme();
  const auto key = [&](std::string_view text, ImU32 colour) {
    const float w = ui.width(text, TextSize::Caption) + ui.px(22);
    if (w > row.w * 0.6f) return;
    const Rect r = row.take_right(w);
    ui.fill({r.x, r.y + std::round((r.h - ui.px(12)) / 2), ui.px(16), ui.px(12)}, colour);
    ui.text_in({r.x + ui.px(22), r.y, r.w - ui.px(20), r.h}, text, TextSize::Caption, t.text2);
    row.take_right(ui.px(14));
  };
  key(ui.t(Text::CostComputed), t.compute);
  key(ui.t(Text::CostLoaded), t.load);
}

}  // namespace

void draw_cost_order(const CostPanel& p, Rect r) {
  Ui& ui = p.ui();
  ui.place("cost.order", r);
  if (p.view.figures.empty()) return;
  Rect heading = r.take_top(ui.px(24));
  draw_legend(p, heading);
  const std::string caption = p.view.programs == 1 ? p.say(Text::CostFirstProgram, p.view.all_programs) : p.say(Text::CostFirstPrograms, p.view.programs, p.view.all_programs);
  draw_cost_heading(p, heading, ui.t(Text::CostOrder), caption);
  if (p.view.figures[0].map->loads.empty()) return Figure(p, p.view.figures[0], 0).draw(r, {});
  draw_slider(p, r.take_bottom(ui.px(26)));
  r.take_bottom(ui.px(4));
  r.take_top(ui.px(4));
  const size_t n = p.view.figures.size();
  const bool below = n > 1 && stacks(p, r);
  const float gap = ui.px(28), room = (below ? r.h : r.w) - gap * static_cast<float>(n - 1), share = std::floor(room / static_cast<float>(n));
  for (size_t i = 0; i < n; ++i) {
    const float from = static_cast<float>(i) * (share + gap);
    Rect part = below ? Rect{r.x, r.y + from, r.w, share} : Rect{r.x + from, r.y, share, r.h};
    const float middle = std::round(gap / 2);
    if (i > 0) ui.fill(below ? Rect{part.x, part.y - middle, part.w, 1} : Rect{part.x - middle, part.y, 1, part.h}, p.theme().line);
    const Rect free = draw_title(p, i, part.take_top(ui.px(24)));
    Figure(p, p.view.figures[i], i).draw(part, free);
  }
}

}  // namespace tilescope::window
