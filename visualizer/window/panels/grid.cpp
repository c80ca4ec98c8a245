// The Grid panel: all programs of the launch, which are done, and what each one owns.
#include <fmt/args.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include "visualizer/model/grid_view.h"
#include "visualizer/window/lesson_guide.h"
#include "visualizer/window/panel.h"
#include "visualizer/window/panels/grid_line.h"
#include "visualizer/window/spoken.h"
#include "visualizer/window/withheld.h"

namespace tilescope::window {
namespace {

using model::GridCanvas;

constexpr float kCellW = 56, kCellH = 28;  // at full size, with the gap to the next

/// What was chosen in this panel, and what follows from the launch; kept until another launch is shown.
struct GridState {
  bool fitted = true;
  double scale = 1, stretch = 1;  ///< of a cell's width; how much more its height is scaled
  double x = 0, y = 0;            ///< canvas cells at the upper left corner
  float dragged = 0;
  std::optional<bool> by_tile;

  std::shared_ptr<const Launch> launch;
  std::shared_ptr<const model::Totals> totals;
  model::Ownership owner;
  bool differs = false;
  std::optional<model::OwnedLine> line;
  std::optional<GridCanvas> canvas;
  float canvas_w = 0, canvas_h = 0;
  bool canvas_by_tile = false;
};
GridState& kept() {
  static GridState state;
  return state;
}

std::string say(const PanelContext& c, Text id, const std::vector<std::string>& values) {
  fmt::dynamic_format_arg_store<fmt::format_context> args;
  for (const std::string& v : values) args.push_back(v);
  return fmt::vformat(c.ui.t(id), args);
}

enum class Progress : uint8_t { Done, Current, ToCome };

class Grid {
 public:
  explicit Grid(PanelContext& c) : c_(c), ui_(c.ui), t_(c.ui.theme()), k_(kept()), grid_(c.scene.run.launch->grid) {
    mine_ = model::program_number(grid_, c.state.program);
    count_ = grid_[0] * grid_[1] * grid_[2];
    if (k_.launch != c.scene.run.launch || k_.totals != c.scene.run.totals) {
      if (k_.launch == nullptr || k_.launch->grid != grid_) k_.fitted = true;
      k_.launch = c.scene.run.launch, k_.totals = c.scene.run.totals;
      k_.owner = {}, k_.differs = false, k_.line.reset(), k_.canvas.reset();
      if (k_.totals != nullptr) {
        k_.owner = model::find_ownership(k_.totals->trace);
        k_.line = model::owned_line(k_.totals->trace, k_.owner);
        k_.differs = model::tiles_differ_from_grid(k_.totals->trace, k_.owner);
      }
    }
    told_ = !is_withheld(c);
    if (k_.totals != nullptr && told_)
      for (const Fault& f : k_.totals->trace.faults) faults_.push_back(model::program_number(grid_, f.program));
    if (const lessons::Failure* f = c.lesson == nullptr ? nullptr : c.lesson->opened_failure(c.scene.run.text.get()); f != nullptr && f->program) {
      const int64_t p = model::program_number(grid_, *f->program);
      if (f->kind != lessons::Failure::Kind::Fault && p >= 0 && p < count_) failed_ = p, faults_.push_back(p);
    }
    widest_ = ui_.width(std::to_string(count_ - 1), TextSize::Caption, true);
    // A grid with one axis over a matrix of tiles says more when the tiles stand where they are.
    by_tile_ = k_.differs && k_.by_tile.value_or(grid_[1] == 1 && grid_[2] == 1);
  }

  void draw(Rect header, Rect body) {
    draw_header(header);
    Rect r = body.inset(ui_.px(16));
    r.y -= ui_.px(4), r.h += ui_.px(8);
    shown_ = mine_;
    // Details beside the cells, or below them in a high panel.
    const bool below = r.w < ui_.px(700) && r.h > ui_.px(240);
    Rect details = below ? r.take_bottom(std::clamp(r.h * 0.3f, ui_.px(112), ui_.px(180))) : r.take_right(std::min(ui_.px(r.w > ui_.px(700) ? 300 : 222), r.w * 0.58f));
    if (below) r.take_bottom(ui_.px(8));
    else r.take_right(ui_.px(16));
    draw_canvas(r);
    // Right below the cells when they do not need all of their room.
    if (below && content_bottom_ > 0 && content_bottom_ + ui_.px(20) < details.y) {
      const float bottom = details.bottom();
      details.y = content_bottom_ + ui_.px(20);
      details.h = std::min(bottom - details.y, ui_.px(260));
    }
    draw_details(details);
  }

 private:
  const RunTrace* totals() const { return k_.totals == nullptr ? nullptr : &k_.totals->trace; }
  bool faulted(int64_t p) const { return std::find(faults_.begin(), faults_.end(), p) != faults_.end(); }
  Progress progress(int64_t p) const { return p < mine_ ? Progress::Done : p == mine_ ? Progress::Current : Progress::ToCome; }

  void draw_header(Rect r) {
    std::string size = std::to_string(grid_[0]);
    if (grid_[1] > 1 || grid_[2] > 1) size += ", " + std::to_string(grid_[1]);
    if (grid_[2] > 1) size += ", " + std::to_string(grid_[2]);
    if (k_.differs) {
      const std::vector<std::string> labels{std::string(ui_.t(Text::GridById)), std::string(ui_.t(Text::GridByTile))};
      float w = 0;
      for (const std::string& l : labels) w += ui_.width(l, TextSize::Title) + ui_.px(16);
      if (w < r.w) {
        const Rect row = r.take_right(w);
        const int chosen = ui_.segmented("grid.by", {row.x, row.y + ui_.px(4), row.w, row.h - ui_.px(8)}, labels, by_tile_ ? 1 : 0);
        if (chosen >= 0 && (chosen == 1) != by_tile_) k_.by_tile = by_tile_ = chosen == 1, k_.fitted = true, k_.canvas.reset();
      }
    } else {
      const std::string_view first = ui_.t(Text::GridAxisFirst);
      const float w = ui_.width(first, TextSize::Caption);
      if (r.w > w + ui_.px(150) && (grid_[1] > 1 || grid_[2] > 1)) ui_.text_in(r.take_right(w), first, TextSize::Caption, t_.text3);
    }
    r.take_right(ui_.px(8));
    ui_.text_in(r, say(c_, count_ == 1 ? Text::GridOneProgram : Text::GridPrograms, {"(" + size + ")", std::to_string(count_)}), TextSize::Caption, t_.text2);
  }

  // ---- cells

  const GridCanvas& canvas(float w, float h) {
    if (!k_.canvas || std::abs(k_.canvas_w - w) > 1 || std::abs(k_.canvas_h - h) > 1 || k_.canvas_by_tile != by_tile_) {
      k_.canvas.reset();
      const double cw = ui_.px(kCellW), ch = ui_.px(kCellH);
      if (by_tile_) k_.canvas = GridCanvas::by_tile(*totals(), k_.owner, w, h, cw, ch);
      if (!k_.canvas) k_.canvas = GridCanvas::by_program(grid_, w, h, cw, ch);
      k_.canvas_w = w, k_.canvas_h = h, k_.canvas_by_tile = by_tile_;
    }
    return *k_.canvas;
  }

  Rect cell(double x, double y) const {
    const float x0 = std::round(view_.x + static_cast<float>((x - k_.x) * cell_w_)), y0 = std::round(view_.y + static_cast<float>((y - k_.y) * cell_h_));
    const float x1 = std::round(view_.x + static_cast<float>((x + 1 - k_.x) * cell_w_)), y1 = std::round(view_.y + static_cast<float>((y + 1 - k_.y) * cell_h_));
    return {x0, y0, x1 - x0, y1 - y0};
  }

  void draw_canvas(Rect r) {
    if (r.w < ui_.px(40) || r.h < ui_.px(20)) return;
    const bool axes = !by_tile_ && (grid_[1] > 1 || grid_[2] > 1) && r.h > ui_.px(64);
    view_ = r;
    if (axes) view_.take_left(ui_.px(16)), view_.take_top(ui_.px(16));
    const GridCanvas& g = canvas(view_.w, view_.h);
    const double full_w = ui_.px(kCellW), full_h = ui_.px(kCellH);
    // Both sides fill the room, up to the full size; but cells stay wider than they are high.
    const double most = view_.w > ui_.px(320) && view_.h > ui_.px(220) ? 1.5 : 1.0;
    double fit = std::min(view_.w / (static_cast<double>(g.width()) * full_w), most), fit_y = std::min(view_.h / (static_cast<double>(g.height()) * full_h), most);
    fit_y = std::min(fit_y, fit * full_w / full_h), fit = std::min(fit, fit_y * 2.5);
    const Hit hit = ui_.hit("grid.canvas", view_);
    if (hit.double_clicked) k_.fitted = true;
    if (k_.fitted) k_.scale = fit, k_.stretch = fit_y / fit, k_.x = 0, k_.y = 0;
    const auto size_cells = [&] { cell_w_ = full_w * k_.scale, cell_h_ = full_h * k_.scale * k_.stretch; };
    size_cells();
    if (hit.wheel != 0) {
      const double px = hit.mouse.x - view_.x, py = hit.mouse.y - view_.y, ax = k_.x + px / cell_w_, ay = k_.y + py / cell_h_;
      k_.scale = std::clamp(k_.scale * std::pow(1.25, hit.wheel), fit, std::max(1.5, fit));
      k_.stretch = std::pow(std::max(fit_y / fit, 1e-6), k_.scale >= 1 ? 0.0 : std::log(k_.scale) / std::log(std::min(fit, 0.999)));
      size_cells();
      k_.x = ax - px / cell_w_, k_.y = ay - py / cell_h_;
      k_.fitted = k_.scale <= fit;
    }
    if (hit.clicked) k_.dragged = 0;
    if (hit.held) {
      k_.dragged += std::abs(hit.drag.x) + std::abs(hit.drag.y);
      if (k_.dragged > ui_.px(4) && !k_.fitted) k_.x -= hit.drag.x / cell_w_, k_.y -= hit.drag.y / cell_h_;
    }
    k_.x = std::clamp(k_.x, 0.0, std::max(0.0, static_cast<double>(g.width()) - view_.w / cell_w_));
    k_.y = std::clamp(k_.y, 0.0, std::max(0.0, static_cast<double>(g.height()) - view_.h / cell_h_));

    int64_t hovered = -1;
    if (hit.hovered || hit.released) {
      const double x = std::floor(k_.x + (hit.mouse.x - view_.x) / cell_w_), y = std::floor(k_.y + (hit.mouse.y - view_.y) / cell_h_);
      if (std::abs(x) < 1e12 && std::abs(y) < 1e12) hovered = g.program_at(static_cast<int64_t>(x), static_cast<int64_t>(y));
    }
    if (hit.released && k_.dragged <= ui_.px(4) && hovered >= 0 && view_.contains(hit.mouse)) c_.control.select_program(model::program_index(grid_, hovered));
    if (hit.hovered && hovered >= 0) shown_ = hovered, tooltip(hovered);

    content_bottom_ = view_.y + static_cast<float>(std::min(static_cast<double>(g.height()) * cell_h_, 1e5)) + (g.block_axis() >= 0 ? ui_.px(18) : 0);
    ui_.clip(view_.inset(-ui_.px(2)));
    if (cell_w_ >= ui_.px(8) && cell_h_ >= ui_.px(6)) draw_cells(g);
    else draw_texture(g);
    for (const GridCanvas::Block& b : g.blocks()) block_frame(b, g.block_axis());
    mark(g, mine_, t_.selected_text, ui_.px(2));
    if (const int64_t owner = owner_of_hovered(); owner >= 0) mark(g, owner, t_.hover, ui_.px(2));
    if (hovered >= 0 && hit.hovered) mark(g, hovered, t_.hover, ui_.px(2));
    ui_.unclip();
    if (axes) draw_axes(r, g);
    draw_line(g);
  }

  // Below the cells, when all of them are shown and there is room.
  void draw_line(const GridCanvas& g) {
    const float height = owned_line_height(ui_);
    if (!k_.line || !k_.fitted || count_ == 1 || content_bottom_ + height > view_.bottom()) return;
    std::vector<Rect> cells;
    if (g.height() == 1)
      for (int64_t p = 0; p < count_; ++p) {
        const GridCanvas::Place at = g.place_of(p);
        cells.push_back(cell(static_cast<double>(at.x), static_cast<double>(at.y)));
        cells.back().w -= gap(), cells.back().h -= gap();
      }
    const int64_t hovered = draw_owned_line(c_, *k_.line, {view_.x, content_bottom_, view_.w, height}, cells, mine_, shown_);
    if (hovered >= 0) shown_ = hovered, tooltip(hovered);
    content_bottom_ += height;
  }

  // The program that stores the output element which is hovered in another panel.
  int64_t owner_of_hovered() const {
    if (totals() == nullptr || c_.hover.of != model::Element::Of::Tensor || c_.hover.name != k_.owner.name || !k_.owner.disjoint) return -1;
    for (int64_t p = 0; p < count_; ++p) {
      const std::optional<model::OwnedTile> tile = model::owned_tile(*totals(), k_.owner, p);
      if (!tile || tile->box.lo.size() != c_.hover.index.size()) continue;
      bool inside = true;
      for (size_t a = 0; inside && a < tile->box.lo.size(); ++a) inside = c_.hover.index[a] >= tile->box.lo[a] && c_.hover.index[a] < tile->box.hi[a];
      if (inside) return p;
    }
    return -1;
  }

  bool large() const { return cell_w_ >= ui_.px(20) && cell_h_ >= ui_.px(16); }
  float gap() const { return large() ? ui_.px(4) : cell_w_ >= ui_.px(8) && cell_h_ >= ui_.px(6) ? 1.0f : 0.0f; }

  void mark(const GridCanvas& g, int64_t p, ImU32 colour, float thickness) {
    const GridCanvas::Place at = g.place_of(p);
    if (at.x < 0) return;
    Rect r = cell(static_cast<double>(at.x), static_cast<double>(at.y));
    const float gap = this->gap();
    r.w -= gap, r.h -= gap;
    const float grow = std::max(0.0f, (ui_.px(6) - std::min(r.w, r.h)) / 2);
    r = r.inset(-grow);
    if (r.x > view_.right() || r.right() < view_.x || r.y > view_.bottom() || r.bottom() < view_.y) return;
    ui_.outline(r, colour, thickness);
  }

  void draw_cells(const GridCanvas& g) {
    const int64_t x0 = static_cast<int64_t>(std::floor(k_.x)), y0 = static_cast<int64_t>(std::floor(k_.y));
    const int64_t x1 = std::min(g.width(), static_cast<int64_t>(std::ceil(k_.x + view_.w / cell_w_))), y1 = std::min(g.height(), static_cast<int64_t>(std::ceil(k_.y + view_.h / cell_h_)));
    for (int64_t y = y0; y < y1; ++y)
      for (int64_t x = x0; x < x1; ++x) {
        const int64_t p = g.program_at(x, y);
        if (p >= 0) draw_cell(p, cell(static_cast<double>(x), static_cast<double>(y)));
      }
    if (by_tile_) draw_path(g);
    if (g.goes_on() && large()) draw_turns(g);
  }

  // Whether cells have room for numbers, and for a sign beside them. The same for all, whatever their number and wherever
  // whole pixels fall.
  bool has_numbers() const { return std::floor(cell_w_) - gap() >= widest_ + ui_.px(4) && std::floor(cell_h_) - gap() >= ui_.px(14); }
  bool has_signs() const { return std::floor(cell_w_) - gap() >= widest_ + ui_.px(26) && std::floor(cell_h_) - gap() >= ui_.px(16); }

  // From the end of each row to the start of the next: together they are one row.
  void draw_turns(const GridCanvas& g) {
    for (int64_t y = 0; y + 1 < g.height(); ++y) {
      const Rect last = cell(static_cast<double>(g.cols() - 1), static_cast<double>(y)), first = cell(0, static_cast<double>(y + 1));
      if (last.bottom() < view_.y || last.bottom() > view_.bottom()) continue;
      const float middle = std::round(last.bottom() - gap() / 2) - 0.5f, from = std::round(last.x + (last.w - gap()) / 2) + 0.5f, to = std::round(first.x + (first.w - gap()) / 2) + 0.5f;
      ui_.line({from, last.bottom() - gap()}, {from, middle}, t_.text2, ui_.px(1));
      ui_.line({from, middle}, {to, middle}, t_.text2, ui_.px(1));
      ui_.triangle({to, first.y + ui_.px(1)}, ui_.px(3), 90, t_.text2);
    }
  }

  void draw_cell(int64_t p, Rect r) {
    const bool large = this->large();
    r.w -= gap(), r.h -= gap();
    const bool fault = faulted(p);
    const Progress state = progress(p);
    const ImU32 mark_colour = fault ? t_.fault : t_.compute;
    ImU32 ink = t_.text2;
    switch (state) {
      case Progress::Done:
        ui_.fill(r, mix(t_.panel, mark_colour, large ? 0.18f : 0.5f));
        if (large) ui_.outline(r, mark_colour, 1);
        ink = t_.text1;
        break;
      case Progress::Current:
        ui_.fill(r, t_.selected);
        ink = IM_COL32_WHITE;
        break;
      case Progress::ToCome:
        if (fault) ui_.fill(r, mix(t_.panel, t_.fault, 0.12f)), ui_.outline(r, t_.fault, 1);
        else if (large) ui_.dashed_outline(r, t_.text3, 1, 3);
        else ui_.fill(r, t_.raised);
        break;
    }
    ui_.place("grid.program." + std::to_string(p), r);
    const bool sign = has_signs(), numbered = has_numbers();
    if (numbered)
      ui_.text_in({sign ? r.x + ui_.px(8) : r.x, r.y, sign ? widest_ + 1 : r.w, r.h}, std::to_string(p), TextSize::Caption, ink, true, sign ? Align::Left : Align::Centre);
    const ImVec2 at{r.right() - ui_.px(12), r.y + r.h / 2};
    if (fault) {
      const float s = sign ? ui_.px(18) : ui_.px(9);
      const Rect beside{at.x - s / 2, at.y - s / 2, s, s}, corner{r.right() - s, r.y, s, s};
      ui_.cross(sign ? beside : numbered ? corner : r, state == Progress::Current ? IM_COL32_WHITE : t_.fault, large && !(numbered && !sign) ? ui_.px(2) : ui_.px(1.5f));
      return;
    }
    if (!sign) return;
    if (state == Progress::Current) ui_.triangle(at, ui_.px(5), 0, IM_COL32_WHITE);
    if (state == Progress::Done) {  // a tick
      ui_.line({at.x - ui_.px(5), at.y}, {at.x - ui_.px(1), at.y + ui_.px(4)}, t_.compute_text, ui_.px(2));
      ui_.line({at.x - ui_.px(1), at.y + ui_.px(4)}, {at.x + ui_.px(5), at.y - ui_.px(4)}, t_.compute_text, ui_.px(2));
    }
  }

  // The order in which tiles are visited, as a line from program to program.
  void draw_path(const GridCanvas& g) {
    const int64_t most = 4096;
    std::optional<ImVec2> last;
    for (int64_t p = 0; p < std::min(count_, most); ++p) {
      const GridCanvas::Place at = g.place_of(p);
      if (at.x < 0) continue;
      const Rect r = cell(static_cast<double>(at.x), static_cast<double>(at.y));
      const bool sign = has_signs();
      const ImVec2 centre{r.x + (r.w - gap()) / 2 + (sign ? ui_.px(4) : 0), r.y + (r.h - gap()) / 2};
      const ImVec2 from = last.value_or(centre);
      last = centre;
      const ImVec2 d{centre.x - from.x, centre.y - from.y};
      const float length = std::sqrt(d.x * d.x + d.y * d.y);
      if (length < 1) continue;
      const bool walked = p <= mine_;
      if (!large()) {
        ui_.line(from, centre, walked ? t_.compute_text : with_alpha(t_.text3, 0.6f), 1);
        continue;
      }
      // From edge to edge, so that the numbers stay readable.
      const bool beside = std::abs(d.y) < 1 && std::abs(d.x) < cell_w_ * 1.5f;
      const float cut = std::min(length * 0.4f, static_cast<float>(std::abs(d.y) > std::abs(d.x) ? cell_h_ : cell_w_) * 0.36f);
      const ImVec2 u{d.x / length, d.y / length};
      ImVec2 a{from.x + u.x * cut, from.y + u.y * cut}, b{centre.x - u.x * cut, centre.y - u.y * cut};
      if (beside) {  // the number stands at the left edge, the tick at the right one
        const float edge = (d.x > 0 ? r.x : r.x + cell_w_) - gap() / 2;
        a.x = edge - std::copysign(ui_.px(6), d.x), b.x = edge + std::copysign(ui_.px(5), d.x);
      }
      // A line back to the start of a row crosses many numbers.
      const ImU32 ink = walked ? t_.compute_text : length > 3 * cell_w_ ? with_alpha(t_.text3, 0.4f) : t_.text3;
      ui_.line(a, b, ink, walked ? ui_.px(1.5f) : 1);
      ui_.triangle(b, ui_.px(3), std::atan2(u.y, u.x) * 180 / 3.14159265f, ink);
    }
  }

  // Cells of a few pixels: a texel a cell, or a pixel when even these are too many.
  void draw_texture(const GridCanvas& g) {
    const double x1 = std::min(static_cast<double>(g.width()), k_.x + view_.w / cell_w_), y1 = std::min(static_cast<double>(g.height()), k_.y + view_.h / cell_h_);
    const bool texel_x = cell_w_ >= 1, texel_y = cell_h_ >= 1;
    const double ox = texel_x ? std::floor(k_.x) : k_.x, oy = texel_y ? std::floor(k_.y) : k_.y;
    const int w = static_cast<int>(std::clamp(texel_x ? std::ceil(x1) - ox : std::ceil((x1 - ox) * cell_w_), 1.0, 4096.0));
    const int h = static_cast<int>(std::clamp(texel_y ? std::ceil(y1) - oy : std::ceil((y1 - oy) * cell_h_), 1.0, 4096.0));
    const double sx = texel_x ? 1 : (x1 - ox) / w, sy = texel_y ? 1 : (y1 - oy) / h;
    uint64_t version = static_cast<uint64_t>(mine_) * 1000003u + faults_.size() * 17 + (t_.dark ? 1 : 0) + (by_tile_ ? 2 : 0);
    for (const double v : {ox, oy, sx, sy, static_cast<double>(g.width()), static_cast<double>(count_)}) version = version * 6364136223846793005u + static_cast<uint64_t>(v * 1024);
    version ^= reinterpret_cast<uintptr_t>(k_.totals.get()) ^ reinterpret_cast<uintptr_t>(k_.launch.get());
    const ImTextureID id = c_.textures.get("grid", version, w, h, [&](std::vector<ImU32>& texels) {
      const ImU32 done = mix(t_.panel, t_.compute, 0.55f), to_come = mix(t_.raised, t_.text3, 0.18f);
      for (int j = 0; j < h; ++j)
        for (int i = 0; i < w; ++i) {
          const int64_t p = g.program_at(static_cast<int64_t>(ox + (i + 0.5) * sx), static_cast<int64_t>(oy + (j + 0.5) * sy));
          if (p < 0) continue;
          texels[static_cast<size_t>(j) * static_cast<size_t>(w) + static_cast<size_t>(i)] = p == mine_ ? t_.selected : p < mine_ ? done : to_come;
        }
      for (const int64_t p : faults_) {
        const GridCanvas::Place at = g.place_of(p);
        const int i = static_cast<int>((static_cast<double>(at.x) - ox) / sx), j = static_cast<int>((static_cast<double>(at.y) - oy) / sy);
        if (at.x >= 0 && i >= 0 && j >= 0 && i < w && j < h) texels[static_cast<size_t>(j) * static_cast<size_t>(w) + static_cast<size_t>(i)] = t_.fault;
      }
    });
    const ImVec2 a{view_.x + static_cast<float>((ox - k_.x) * cell_w_), view_.y + static_cast<float>((oy - k_.y) * cell_h_)};
    ui_.draw().AddImage(id, a, {a.x + static_cast<float>(w * sx * cell_w_), a.y + static_cast<float>(h * sy * cell_h_)});
    for (const int64_t p : faults_) {
      const GridCanvas::Place at = g.place_of(p);
      const Rect r = cell(static_cast<double>(at.x), static_cast<double>(at.y));
      const float s = ui_.px(16);
      ui_.cross({r.x + r.w / 2 - s / 2, r.y + r.h / 2 - s / 2, s, s}, t_.fault, ui_.px(2));
    }
  }

  void block_frame(const GridCanvas::Block& b, int axis) {
    const Rect first = cell(static_cast<double>(b.at.x), static_cast<double>(b.at.y));
    const Rect last = cell(static_cast<double>(b.at.x + b.cols - 1), static_cast<double>(b.at.y + b.rows - 1));
    const Rect all{first.x, first.y, last.right() - first.x, last.bottom() - first.y};
    if (all.right() < view_.x || all.x > view_.right() || all.bottom() < view_.y || all.y > view_.bottom()) return;
    if (cell_w_ < ui_.px(8)) ui_.outline(all.inset(-1), t_.line, 1);
    // The gap below a block has room for its label when cells are large.
    if (cell_h_ < ui_.px(15)) return;
    const std::string label = axis < 0 ? b.label : say(c_, Text::GridBlock, {std::to_string(axis), b.label});
    if (all.w >= ui_.width(b.label, TextSize::Caption, true))
      ui_.text({all.x, all.bottom()}, all.w >= ui_.width(label, TextSize::Caption) ? label : b.label, TextSize::Caption, t_.text3);
  }

  // Which way the axes go: the first one runs first.
  void draw_axes(const Rect& r, const GridCanvas& g) {
    std::vector<int> axes;
    for (int a = 0; a < 3; ++a)
      if (grid_[static_cast<size_t>(a)] > 1) axes.push_back(a);
    if (axes.size() < 2) return;
    const float bottom = std::min(view_.bottom(), view_.y + static_cast<float>(static_cast<double>(g.rows()) * cell_h_)) - ui_.px(4);
    const float right = std::min(view_.right(), view_.x + static_cast<float>(static_cast<double>(g.cols()) * cell_w_)) - ui_.px(4);
    const float x = r.x + ui_.px(6), y = r.y + ui_.px(6);
    ui_.line({x + 0.5f, view_.y}, {x + 0.5f, bottom - ui_.px(4)}, t_.text2);
    ui_.triangle({x + 0.5f, bottom - ui_.px(4)}, ui_.px(4), 90, t_.text2);
    const std::string across = say(c_, Text::GridAxis, {std::to_string(axes[1])});
    const float w = ui_.width(across, TextSize::Caption);
    if (right - view_.x < w + ui_.px(20)) {
      ui_.line({view_.x, y + 0.5f}, {right - ui_.px(4), y + 0.5f}, t_.text3);
    } else {
      ui_.text({view_.x, r.y - ui_.px(2)}, across, TextSize::Caption, t_.text3);
      ui_.line({view_.x + w + ui_.px(6), y + 0.5f}, {right - ui_.px(4), y + 0.5f}, t_.text3);
    }
    ui_.triangle({right - ui_.px(4), y + 0.5f}, ui_.px(4), 0, t_.text3);
  }

  // ---- words

  void tooltip(int64_t p) {
    std::string tip = say(c_, Text::GridProgram, {model::program_name(grid_, model::program_index(grid_, p))});
    if (totals() != nullptr) {
      if (const auto tile = model::owned_tile(*totals(), k_.owner, p)) {
        const bool scattered = model::most_stored(*totals(), k_.owner, p) < tile->inside;
        tip += "\n" + std::string(ui_.t(scattered ? Text::GridBox : k_.owner.disjoint ? Text::GridOwns : Text::GridStores)) + " " +
               model::box_name(k_.owner.name, tile->box);
        if (!scattered && tile->inside != tile->of)
          tip += "\n" + say(c_, Text::GridInside, {k_.owner.name}) + " " + say(c_, Text::GridOf, {std::to_string(tile->inside), std::to_string(tile->of)});
      }
      if (const Fault* f = told_ ? model::fault_of(*totals(), model::program_index(grid_, p)) : nullptr) tip += "\n" + spoken(ui_, f->message);
    }
    if (p != mine_) tip += "\n" + std::string(ui_.t(Text::GridClick));
    ui_.tooltip(tip);
  }

  void row(Rect& r, std::string_view name, const std::string& value) {
    if (r.h < ui_.px(20)) return;
    Rect line = r.take_top(ui_.px(20));
    const float w = std::min(ui_.width(name, TextSize::Caption), line.w * 0.6f);
    ui_.text_in(line.take_left(w), name, TextSize::Caption, t_.text2);
    line.take_left(ui_.px(8));
    ui_.text_in(line, value, TextSize::Caption, t_.text1, true, Align::Right);
  }

  void draw_details(Rect r) {
    Rect map = r;  // beside the words where there is room, else below them
    const bool beside = r.w > ui_.px(340);
    if (beside) {
      r.take_right(r.w - std::min(ui_.px(240), r.w * 0.62f));
      map.take_left(r.w + ui_.px(16));
    }
    const ProgramIndex p = model::program_index(grid_, shown_);
    Rect title = r.take_top(ui_.px(22));
    const bool fault = faulted(shown_);
    const Progress state = progress(shown_);
    const Text words = fault && shown_ == failed_ ? Text::GridFailed : fault ? Text::GridFault : state == Progress::Done ? Text::GridDone : state == Progress::Current ? Text::GridRunning : Text::GridToCome;
    const ImU32 ink = fault ? t_.fault_text : state == Progress::Done ? t_.compute_text : state == Progress::Current ? t_.selected_text : t_.text3;
    const float w = ui_.width(ui_.t(words), TextSize::Code);
    ui_.text_in(title.take_right(w), ui_.t(words), TextSize::Code, ink);
    ui_.text_in(title, say(c_, Text::GridProgram, {model::program_name(grid_, p)}), TextSize::Code, t_.text1);
    if (totals() == nullptr) {
      if (c_.scene.run.busy) ui_.text_in(r.take_top(ui_.px(20)), ui_.t(Text::GridWorking), TextSize::Caption, t_.text3);
      return;
    }
    const std::optional<model::OwnedTile> tile = model::owned_tile(*totals(), k_.owner, shown_);
    const Fault* said = told_ ? model::fault_of(*totals(), p) : nullptr;
    if (said != nullptr) r.take_top(std::min(r.h, ui_.paragraph(r, spoken(ui_, said->message), TextSize::Caption, t_.fault_text, ui_.px(19))));
    const int64_t most = tile ? model::most_stored(*totals(), k_.owner, shown_) : 0;
    if (tile && most < tile->inside) {
      row(r, ui_.t(Text::GridBox), model::box_name(k_.owner.name, tile->box));
      row(r, ui_.t(Text::GridInBox), say(c_, Text::GridAtMost, {std::to_string(most), std::to_string(tile->inside)}));
    } else if (tile) {
      row(r, ui_.t(k_.owner.disjoint ? Text::GridOwns : Text::GridStores), model::box_name(k_.owner.name, tile->box));
      row(r, say(c_, Text::GridInside, {k_.owner.name}), say(c_, Text::GridOf, {std::to_string(tile->inside), std::to_string(tile->of)}));
    }
    if (said != nullptr) return;
    std::string names, lanes;
    for (size_t t = 0; t < totals()->tensors.size(); ++t) {
      const std::optional<model::ProgramCounts> n = model::counts_of(*totals(), shown_, static_cast<int>(t));
      if (!n || totals()->tensors[t].loads.times == 0 || static_cast<int>(t) == k_.owner.tensor || n->lanes_on == 0) continue;
      if (!names.empty()) names += ", ", lanes += ", ";
      names += totals()->tensors[t].name, lanes += std::to_string(n->lanes_on);
    }
    if (!names.empty()) {
      const std::string name = say(c_, Text::GridLoads, {names}), words = lanes == "1" ? std::string(ui_.t(Text::GridLane)) : say(c_, Text::GridLanes, {lanes});
      const bool room = ui_.width(name, TextSize::Caption) + ui_.px(8) + ui_.width(words, TextSize::Caption, true) <= r.w;
      row(r, name, room ? words : lanes);
    }
    if (count_ > 1) row(r, ui_.t(Text::GridOrder), say(c_, Text::GridOf, {std::to_string(shown_ + 1), std::to_string(count_)}));
    r.take_top(ui_.px(8));
    if (tile) draw_output(beside ? map : r, *tile);
  }

  // The output with the tile of the program shown.
  void draw_output(Rect r, const model::OwnedTile& tile) {
    const std::vector<int64_t>& shape = totals()->tensors[static_cast<size_t>(k_.owner.tensor)].shape;
    const size_t rank = shape.size();
    if (rank < 2 || r.h < ui_.px(56) || r.w < ui_.px(56)) return;
    const double rows = static_cast<double>(std::max<int64_t>(1, shape[rank - 2])), cols = static_cast<double>(std::max<int64_t>(1, shape[rank - 1]));
    const double scale = std::min({r.w / cols, (r.h - ui_.px(2)) / rows, 240.0 * ui_.scale() / std::max(rows, cols)});
    const Rect all{r.x, r.y, std::max(ui_.px(4), std::round(static_cast<float>(cols * scale))), std::max(ui_.px(4), std::round(static_cast<float>(rows * scale)))};
    ui_.fill(all, t_.raised);
    const auto box = [&](const IndexBox& b) {
      const float x0 = std::round(all.x + static_cast<float>(static_cast<double>(b.lo[rank - 1]) / cols) * all.w), x1 = std::round(all.x + static_cast<float>(static_cast<double>(b.hi[rank - 1]) / cols) * all.w);
      const float y0 = std::round(all.y + static_cast<float>(static_cast<double>(b.lo[rank - 2]) / rows) * all.h), y1 = std::round(all.y + static_cast<float>(static_cast<double>(b.hi[rank - 2]) / rows) * all.h);
      return Rect{x0, y0, std::max(x1 - x0, ui_.px(2)), std::max(y1 - y0, ui_.px(2))};
    };
    ui_.outline(all, t_.text3, 1);
    ui_.fill(box(tile.box), shown_ == mine_ ? t_.selected : mix(t_.raised, t_.selected, 0.6f));
    const float w = ui_.width(k_.owner.name, TextSize::Caption, true);
    const bool outside = all.right() + ui_.px(8) + w < r.right();
    if (outside || w + ui_.px(12) < all.w)
      ui_.text({outside ? all.right() + ui_.px(8) : all.right() - w - ui_.px(6), all.y + (outside ? 0 : ui_.px(3))}, k_.owner.name, TextSize::Caption, t_.text2, true);
  }

  PanelContext& c_;
  Ui& ui_;
  const Theme& t_;
  GridState& k_;
  std::array<int64_t, 3> grid_;
  int64_t mine_ = 0, count_ = 1, shown_ = 0;
  int64_t failed_ = -1;  ///< at which an exercise failed, without a fault
  bool told_ = true;     ///< faults may be named
  float widest_ = 0;     ///< of the programs' numbers
  bool by_tile_ = false;
  std::vector<int64_t> faults_;
  Rect view_;
  double cell_w_ = 1, cell_h_ = 1;
  float content_bottom_ = 0;
};

}  // namespace

void draw_grid(PanelContext& c, Rect header, Rect body) {
  if (c.scene.run.launch == nullptr) {
    Rect r = body.inset(c.ui.px(16));
    c.ui.paragraph(r, c.ui.t(Text::GridWillShow), TextSize::Caption, c.ui.theme().text2);
    return;
  }
  Grid(c).draw(header, body);
}

}  // namespace tilescope::window
