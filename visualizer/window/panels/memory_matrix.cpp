// A tensor in its logical shape: values as colour, the lanes of the current access over it and beyond its border.
#include <algorithm>
#include <cmath>
#include <string>

#include "visualizer/window/panels/memory_parts.h"

namespace tilescope::window {
namespace {

constexpr int kChunk = 128;  // texels of a texture's side
constexpr double kMostCell = 64, kMostCellHeight = 28;

/// Where elements are on the screen.
struct Frame {
  Rect view;
  double cell_w, cell_h, row, col;
  float x(double c) const { return view.x + static_cast<float>(std::clamp((c - col) * cell_w, -1e5, 1e5)); }
  float y(double r) const { return view.y + static_cast<float>(std::clamp((r - row) * cell_h, -1e5, 1e5)); }
  Rect box(double r, double c, double rows, double cols) const {
    // Whole pixels, so that neighbouring boxes meet.
    const float x0 = std::round(x(c)), y0 = std::round(y(r)), x1 = std::round(x(c + cols)), y1 = std::round(y(r + rows));
    return {x0, y0, x1 - x0, y1 - y0};
  }
  Rect box(const model::CellBox& b) const {
    return box(static_cast<double>(b.row), static_cast<double>(b.col), static_cast<double>(b.rows), static_cast<double>(b.cols));
  }
};

class Matrix {
 public:
  Matrix(PanelContext& c, const MemoryTensor& m, const model::Plane& plane, const CellPainter& paint, MatrixZoom& zoom, Rect r)
      : c_(c), ui_(c.ui), t_(c.ui.theme()), m_(m), plane_(plane), paint_(paint), zoom_(zoom), room_(r), accesses_(m.accesses(c.scene, plane.at)) {
    Rect view = r;
    view.take_left(ui_.px(92));
    view.take_top(ui_.px(34));
    view.take_right(ui_.px(4));
    view.take_bottom(ui_.px(4));
    frame_.view = view;
  }

  void draw() {
    if (frame_.view.w < 8 || frame_.view.h < 8) return;
    measure();
    move();
    ui_.clip(frame_.view.inset(-ui_.px(4)));
    draw_cells();
    if (paint_.counts()) draw_outlines_only();
    else draw_lanes();
    border();
    hovered();
    failed();
    ui_.unclip();
    labels();
    mouse();
  }

 private:
  // What a fitted picture has room for: the matrix and how far tiles of this program reach beyond it.
  void measure() {
    model::CellBox all{0, 0, std::max<int64_t>(plane_.rows, 1), std::max<int64_t>(plane_.cols, 1)};
    const auto add = [&](const model::CellBox& b) {
      if (b.empty()) return;
      // A stray address may lie anywhere; it must not make the matrix a dot.
      const int64_t most_r = std::max<int64_t>(plane_.rows, 256), most_c = std::max<int64_t>(plane_.cols, 256);
      const int64_t r0 = std::clamp(b.row, -most_r, 2 * most_r), c0 = std::clamp(b.col, -most_c, 2 * most_c);
      const int64_t r1 = std::clamp(b.bottom(), -most_r, 2 * most_r), c1 = std::clamp(b.right(), -most_c, 2 * most_c);
      const int64_t bottom = std::max(all.bottom(), r1), right = std::max(all.right(), c1);
      all.row = std::min(all.row, r0), all.col = std::min(all.col, c0);
      all.rows = bottom - all.row, all.cols = right - all.col;
    };
    if (const MemoryAccess* last = m_.last(c_.scene, plane_.at)) add(last->lanes.whole);
    for (const MemoryAccess& a : accesses_) add(a.lanes.whole);
    content_ = all;
  }

  void fit() {
    const double rows = static_cast<double>(content_.rows), cols = static_cast<double>(content_.cols);
    const double w = frame_.view.w, h = frame_.view.h, scale = ui_.scale();
    double cw = std::min(w / cols, kMostCell * scale), ch = std::min(h / rows, kMostCellHeight * scale);
    // Square elements, unless the matrix is so long that its other side would vanish.
    const double side = std::min(cw, ch), most = std::max(side * 2.5, 4 * scale);
    const double least = 120 * scale;
    if (std::min(cols, rows) * side > least || std::max(cols, rows) < 3 * std::min(cols, rows)) cw = ch = side;
    cw = std::min(cw, most), ch = std::min(ch, most);
    if (cw >= 2) cw = std::floor(cw);
    if (ch >= 2) ch = std::floor(ch);
    zoom_.cell_w = cw, zoom_.cell_h = ch;
    zoom_.row = static_cast<double>(content_.row);
    zoom_.col = static_cast<double>(content_.col) - std::max(0.0, (w - cols * cw) / 2) / cw;
  }

  void move() {
    const Hit hit = ui_.hit("memory.matrix." + m_.now->name, frame_.view);
    hit_ = hit;
    if (hit.double_clicked) zoom_.fitted = true;
    if (zoom_.fitted || !(zoom_.cell_w > 0)) fit();
    if (hit.wheel != 0) {
      const double factor = std::pow(1.25, hit.wheel);
      const double col = zoom_.col + (hit.mouse.x - frame_.view.x) / zoom_.cell_w, row = zoom_.row + (hit.mouse.y - frame_.view.y) / zoom_.cell_h;
      const double least = std::min(frame_.view.w / static_cast<double>(content_.cols), frame_.view.h / static_cast<double>(content_.rows)) / 2;
      zoom_.cell_w = std::clamp(zoom_.cell_w * factor, std::min(least, 4.0), kMostCell * ui_.scale());
      zoom_.cell_h = std::clamp(zoom_.cell_h * factor, std::min(least, 4.0), kMostCellHeight * ui_.scale());
      zoom_.col = col - (hit.mouse.x - frame_.view.x) / zoom_.cell_w;
      zoom_.row = row - (hit.mouse.y - frame_.view.y) / zoom_.cell_h;
      zoom_.fitted = false;
    }
    if (hit.held && (hit.drag.x != 0 || hit.drag.y != 0)) {
      zoom_.col -= hit.drag.x / zoom_.cell_w, zoom_.row -= hit.drag.y / zoom_.cell_h;
      zoom_.fitted = false;
    }
    const double margin_c = frame_.view.w / zoom_.cell_w * 0.75, margin_r = frame_.view.h / zoom_.cell_h * 0.75;
    if (!zoom_.fitted) zoom_.col = std::clamp(zoom_.col, static_cast<double>(content_.col) - margin_c, static_cast<double>(content_.right()) - margin_c / 3);
    zoom_.row = std::clamp(zoom_.row, static_cast<double>(content_.row) - margin_r, static_cast<double>(content_.bottom()) - margin_r / 3);
    frame_.cell_w = zoom_.cell_w, frame_.cell_h = zoom_.cell_h, frame_.row = zoom_.row, frame_.col = zoom_.col;
  }

  Rect tensor_box() const { return frame_.box(0, 0, static_cast<double>(plane_.rows), static_cast<double>(plane_.cols)); }

  // First and last visible element of the matrix along both axes, half open.
  model::CellBox visible() const {
    const auto clip = [](double v, int64_t most) { return static_cast<int64_t>(std::clamp(v, 0.0, static_cast<double>(most))); };
    const int64_t r0 = clip(std::floor(frame_.row), plane_.rows), c0 = clip(std::floor(frame_.col), plane_.cols);
    const int64_t r1 = clip(std::ceil(frame_.row + frame_.view.h / frame_.cell_h), plane_.rows);
    const int64_t c1 = clip(std::ceil(frame_.col + frame_.view.w / frame_.cell_w), plane_.cols);
    return {r0, c0, r1 - r0, c1 - c0};
  }

  // Textures of the elements in sight, at the level of detail at which a texel is a pixel or two. Each stays while it
  // is in sight, so a pan paints only what comes into view.
  void draw_cells() {
    if (!paint_.counts() && m_.tensor->uninitialised) draw_dots(c_, "memory.dots", frame_.view, tensor_box());
    const model::CellBox seen = visible();
    if (seen.empty()) return;
    const int level_r = model::level_of_detail(frame_.cell_h), level_c = model::level_of_detail(frame_.cell_w);
    const int64_t step_r = int64_t{1} << level_r, step_c = int64_t{1} << level_c, span_r = step_r * kChunk, span_c = step_c * kChunk;
    model::Samples samples;
    for (int64_t cr = seen.row / span_r; cr * span_r < seen.bottom(); ++cr)
      for (int64_t cc = seen.col / span_c; cc * span_c < seen.right(); ++cc) {
        const int64_t r0 = cr * span_r, c0 = cc * span_c;
        const int rows = static_cast<int>((std::min(plane_.rows - r0, span_r) + step_r - 1) / step_r), cols = static_cast<int>((std::min(plane_.cols - c0, span_c) + step_c - 1) / step_c);
        std::string key = "memory." + m_.now->name;
        for (const int64_t part : {int64_t{level_r}, int64_t{level_c}, cr, cc}) key += "." + std::to_string(part);
        for (const int64_t a : plane_.at) key += "," + std::to_string(a);
        const ImTextureID id = c_.textures.get(key, paint_.version(), cols, rows, [&](std::vector<ImU32>& texels) {
          // The element in the middle of the block that a texel stands for.
          paint_.sample_plane(plane_, {r0 + std::min(step_r / 2, plane_.rows - 1 - r0), c0 + std::min(step_c / 2, plane_.cols - 1 - c0), step_r, step_c, rows, cols}, samples);
          for (size_t i = 0; i < texels.size(); ++i) texels[i] = paint_.colour(samples.kinds[i], samples.values[i]);
        });
        const Rect b = frame_.box(static_cast<double>(r0), static_cast<double>(c0), static_cast<double>(std::min(plane_.rows - r0, rows * step_r)),
                                  static_cast<double>(std::min(plane_.cols - c0, cols * step_c)));
        ui_.draw().AddImage(id, b.min(), b.max());
      }
    if (frame_.cell_w >= ui_.px(9) && frame_.cell_h >= ui_.px(9)) grid_lines(seen);
    if (is_bool(m_.tensor->dtype) && !paint_.counts() && frame_.cell_w >= ui_.px(14) && frame_.cell_h >= ui_.px(14)) hatch_zeros(seen);
  }

  // A mask's zeros must not be told apart by colour alone.
  void hatch_zeros(const model::CellBox& seen) {
    model::Samples s;
    paint_.sample_plane(plane_, {seen.row, seen.col, 1, 1, static_cast<int>(seen.rows), static_cast<int>(seen.cols)}, s);
    for (int64_t r = 0; r < seen.rows; ++r)
      for (int64_t k = 0; k < seen.cols; ++k)
        if (const size_t i = static_cast<size_t>(r * seen.cols + k); s.kinds[i] == model::CellKind::Value && s.values[i] == 0)
          ui_.hatch(frame_.box(static_cast<double>(seen.row + r), static_cast<double>(seen.col + k), 1, 1), with_alpha(t_.hatch, 0.6f), 6);
  }

  void grid_lines(const model::CellBox& seen) {
    const Rect all = frame_.box(seen);
    for (int64_t col = seen.col; col <= seen.right(); ++col) ui_.fill({std::round(frame_.x(static_cast<double>(col))), all.y, 1, all.h}, t_.panel);
    for (int64_t row = seen.row; row <= seen.bottom(); ++row) ui_.fill({all.x, std::round(frame_.y(static_cast<double>(row))), all.w, 1}, t_.panel);
  }

  // Numbers where there is room for them; in grey outside the tile.
  void numbers(const model::CellBox* lit) {
    if (frame_.cell_w < ui_.px(40) || frame_.cell_h < ui_.px(20)) return;
    const model::CellBox seen = visible();
    if (seen.empty()) return;
    model::Samples s;
    paint_.sample_plane(plane_, {seen.row, seen.col, 1, 1, static_cast<int>(seen.rows), static_cast<int>(seen.cols)}, s);
    const int characters = static_cast<int>((frame_.cell_w - 6) / ui_.code_advance(TextSize::Caption));
    for (int64_t r = 0; r < seen.rows; ++r)
      for (int64_t k = 0; k < seen.cols; ++k) {
        const size_t i = static_cast<size_t>(r * seen.cols + k);
        const int64_t row = seen.row + r, col = seen.col + k;
        const std::string text = paint_.text(s.kinds[i], s.values[i], characters);
        if (text.empty()) continue;
        const bool out = lit != nullptr && (row < lit->row || row >= lit->bottom() || col < lit->col || col >= lit->right());
        const ImU32 ground = paint_.colour(s.kinds[i], s.values[i]);
        const Rect cell = frame_.box(static_cast<double>(row), static_cast<double>(col), 1, 1);
        ui_.text({cell.right() - ui_.px(4), cell.y + (cell.h - ui_.line_height(TextSize::Caption)) / 2}, text, TextSize::Caption,
                 out ? t_.text3 : ink_on(ground), true, Align::Right);
        if (const model::Stored* st = out ? nullptr : m_.stored_at(plane_.offset(row, col)); st != nullptr && !paint_.counts())
          ui_.draw().AddTriangleFilled({cell.x + 1, cell.y + 1}, {cell.x + ui_.px(7), cell.y + 1}, {cell.x + 1, cell.y + ui_.px(7)}, ink_on(ground));
      }
  }

  // What is left of `whole` around `live`, in up to four parts.
  template <class Draw>
  void around(const Rect& whole, const Rect& live, Draw draw) {
    if (live.y > whole.y) draw(Rect{whole.x, whole.y, whole.w, live.y - whole.y});
    if (whole.bottom() > live.bottom()) draw(Rect{whole.x, live.bottom(), whole.w, whole.bottom() - live.bottom()});
    if (live.x > whole.x) draw(Rect{whole.x, live.y, live.x - whole.x, live.h});
    if (whole.right() > live.right()) draw(Rect{live.right(), live.y, whole.right() - live.right(), live.h});
  }

  void draw_lanes() {
    model::CellBox lit{};
    for (const MemoryAccess& a : accesses_)
      if (const model::CellBox& b = a.lanes.live; !b.empty()) lit.include(b.row, b.col, b.cols), lit.include(b.bottom() - 1, b.col, b.cols);
    if (!lit.empty()) around(tensor_box(), frame_.box(lit), [&](Rect r) { ui_.fill(r, with_alpha(t_.panel, 0.7f)); });
    numbers(lit.empty() ? nullptr : &lit);
    for (const MemoryAccess& a : accesses_) {
      const bool regular = a.lanes.solid && a.lanes.out == 0 && a.lanes.uninitialised == 0 && a.lanes.elsewhere == 0;
      if (regular || (a.lanes.on == 0 && a.lanes.out == 0)) regular_lanes(a);
      else scattered_lanes(a);
    }
    // Where this program was last, or will be: thin.
    if (const MemoryAccess* near = m_.nearest(c_.scene, plane_.at)) {
      if (!near->lanes.live.empty()) ring(frame_.box(near->lanes.live), access_mark(t_, *near), 1);
      if (!near->lanes.whole.empty() && near->lanes.masked > 0 && near->lanes.solid) ui_.dashed_outline(frame_.box(near->lanes.whole), access_mark(t_, *near), 1, 3);
    }
  }

  void masked(const Rect& r) {
    if (r.w <= 0 || r.h <= 0) return;
    ui_.fill(r, with_alpha(t_.panel, 0.8f));
    ui_.hatch(r, t_.hatch, std::min(frame_.cell_h, frame_.cell_w) < 3 ? 4 : 6);
  }

  void regular_lanes(const MemoryAccess& a) {
    const ImU32 mark = access_mark(t_, a);
    const Rect whole = frame_.box(a.lanes.whole), live = a.lanes.live.empty() ? Rect{whole.x, whole.y, 0, 0} : frame_.box(a.lanes.live);
    if (a.lanes.live.empty()) masked(whole);
    else around(whole, live, [&](Rect r) { masked(r); });
    if (a.lanes.masked > 0) ui_.dashed_outline(whole, mark, 1, 3);
    if (!a.lanes.live.empty()) ring(live, mark, ui_.px(3));
  }

  // Outside the cells, so that a thin tile is not hidden by its own outline.
  void ring(Rect r, ImU32 colour, float thickness) {
    if (std::min(r.w, r.h) < ui_.px(4)) thickness = std::min(thickness, ui_.px(2));
    ui_.outline(r.inset(-thickness), colour, thickness);
  }

  void scattered_lanes(const MemoryAccess& a) {
    const ImU32 mark = access_mark(t_, a);
    const double bottom = frame_.row + frame_.view.h / frame_.cell_h, right = frame_.col + frame_.view.w / frame_.cell_w;
    const auto first = std::lower_bound(a.lanes.plane.begin(), a.lanes.plane.end(), frame_.row - 1,
                                        [](const model::LaneRun& r, double row) { return static_cast<double>(r.row) < row; });
    int drawn = 0;
    for (auto i = first; i != a.lanes.plane.end() && static_cast<double>(i->row) < bottom && drawn < 6000; ++i) {
      if (static_cast<double>(i->col) > right || static_cast<double>(i->col + i->count) < frame_.col) continue;
      ++drawn;
      Rect r = frame_.box(static_cast<double>(i->row), static_cast<double>(i->col), 1, static_cast<double>(i->count));
      r.w = std::max(r.w, 2.0f), r.h = std::max(r.h, 2.0f);
      switch (i->state) {
        case LaneState::Masked: masked(r); continue;
        case LaneState::OutOfBounds: draw_out_of_bounds(ui_, r, static_cast<float>(frame_.cell_w)); continue;
        case LaneState::Uninitialised: ui_.dots(r, t_.fault); ui_.outline(r, t_.fault, ui_.px(2)); continue;
        case LaneState::On: break;
      }
      if (i->copies > 1) {
        ui_.cross_hatch(r, mix(t_.hatch, t_.text1, 0.3f));
        if (frame_.cell_w >= ui_.px(24) && frame_.cell_h >= ui_.px(16))
          for (int64_t k = 0; k < i->count && k < 64; ++k) copies(frame_.box(static_cast<double>(i->row), static_cast<double>(i->col + k), 1, 1), i->copies);
      }
      ui_.outline(r, mark, std::min({ui_.px(2), std::max(1.0f, r.h / 3), std::max(1.0f, r.w / 3)}));
    }
  }

  void copies(Rect cell, uint32_t n) {
    const std::string text = "×" + std::to_string(n);
    const float w = ui_.width(text, TextSize::Caption, true) + ui_.px(4);
    const Rect label{cell.x + (cell.w - w) / 2, cell.y + (cell.h - ui_.px(16)) / 2, w, ui_.px(16)};
    ui_.fill(label, t_.raised);
    ui_.text_in(label, text, TextSize::Caption, t_.text1, true, Align::Centre);
  }

  void draw_outlines_only() {
    numbers(nullptr);
    for (const MemoryAccess& a : accesses_)
      if (!a.lanes.live.empty()) ring(frame_.box(a.lanes.live), access_mark(t_, a), ui_.px(2));
    if (const MemoryAccess* near = m_.nearest(c_.scene, plane_.at); near != nullptr && !near->lanes.live.empty()) ring(frame_.box(near->lanes.live), access_mark(t_, *near), 1);
  }

  void border() { ui_.outline(tensor_box().inset(-1), t_.text3, 1); }

  // The element at which an exercise failed: wherever it lies, the lines lead to it.
  void failed() {
    const std::optional<FailedElement> f = failed_element(c_, m_);
    if (!f) return;
    std::vector<int64_t> index;
    m_.map.find_beyond(f->offset, index);
    if (!plane_.shows(index)) return;
    Rect r = frame_.box(static_cast<double>(plane_.row_of(index)), static_cast<double>(plane_.col_of(index)), 1, 1);
    r = r.inset(-std::max(0.0f, (ui_.px(10) - std::min(r.w, r.h)) / 2) - ui_.px(1));
    ui_.place("memory.failure." + m_.now->name, r);
    ui_.outline(r, t_.panel, ui_.px(4));
    ui_.outline(r, t_.fault, ui_.px(3));
    const Rect all = tensor_box();
    ui_.dashed({all.x, r.y + r.h / 2}, {r.x, r.y + r.h / 2}, t_.fault);
    ui_.dashed({r.x + r.w / 2, all.y}, {r.x + r.w / 2, r.y}, t_.fault);
  }

  void hovered() {
    for (const int64_t offset : hovered_offsets(c_, m_)) {
      std::vector<int64_t> index;
      if (!m_.map.find(offset, index)) m_.map.find_beyond(offset, index);
      if (!plane_.shows(index)) continue;
      Rect r = frame_.box(static_cast<double>(plane_.row_of(index)), static_cast<double>(plane_.col_of(index)), 1, 1);
      const float grow = std::max(0.0f, (ui_.px(8) - std::min(r.w, r.h)) / 2);
      r = r.inset(-grow - ui_.px(1));
      ui_.outline(r, t_.hover, ui_.px(2));
      if (frame_.cell_w >= ui_.px(18) && frame_.cell_h >= ui_.px(15)) continue;  // numbers stand there, and at the edges
      const Rect all = tensor_box();
      ui_.dashed({all.x, r.y + r.h / 2}, {r.x, r.y + r.h / 2}, t_.hover);
      ui_.dashed({r.x + r.w / 2, all.y}, {r.x + r.w / 2, r.y}, t_.hover);
    }
  }

  // The number of every row and column in sight, when there is room for them; hovered ones stand out.
  bool column_numbers() {
    const model::CellBox seen = visible();
    const float widest = ui_.width(std::to_string(seen.right()), TextSize::Caption, true);
    if (seen.empty() || frame_.cell_w < widest + ui_.px(6)) return false;
    const float y = std::clamp(frame_.y(0), frame_.view.y, frame_.view.bottom()) - ui_.px(19);
    for (int64_t c = seen.col; c < seen.right(); ++c) {
      const float x = frame_.x(static_cast<double>(c) + 0.5);
      if (x > frame_.view.x && x < frame_.view.right()) ui_.text({x, y}, std::to_string(c), TextSize::Caption, is_hovered(c, plane_.across) ? t_.text1 : t_.text3, true, Align::Centre);
    }
    return true;
  }

  bool row_numbers() {
    const model::CellBox seen = visible();
    if (seen.empty() || frame_.cell_h < ui_.px(15) || plane_.down < 0) return false;
    const float x = std::clamp(frame_.x(0), frame_.view.x, frame_.view.right()) - ui_.px(8);
    for (int64_t r = seen.row; r < seen.bottom(); ++r) {
      const float y = frame_.y(static_cast<double>(r) + 0.5), half = ui_.line_height(TextSize::Caption) / 2;
      if (y - half > frame_.view.y - ui_.px(2) && y + half < frame_.view.bottom() + ui_.px(2))
        ui_.text({x, y - half}, std::to_string(r), TextSize::Caption, is_hovered(r, plane_.down) ? t_.text1 : t_.text3, true, Align::Right);
    }
    return true;
  }

  bool is_hovered(int64_t i, int axis) const {
    return c_.hover.of == model::Element::Of::Tensor && c_.hover.name == m_.now->name && axis >= 0 && static_cast<size_t>(axis) < c_.hover.index.size() &&
           c_.hover.index[static_cast<size_t>(axis)] == i;
  }

  // Brackets with the rows and columns of the tile, and how many lie beyond the border; else the matrix's own size.
  void labels() {
    const bool columns = column_numbers(), rows = row_numbers();
    if (columns && rows) return;
    const Rect all = tensor_box();
    model::CellBox whole{};
    ImU32 colour = t_.text2;
    for (const MemoryAccess& a : accesses_) {
      if (a.lanes.whole.empty() || a.lanes.whole.rows > 4 * std::max<int64_t>(plane_.rows, 256)) continue;
      whole = a.lanes.whole, colour = t_.text1;
    }
    if (const MemoryAccess* near = m_.nearest(c_.scene, plane_.at); near != nullptr && near->lanes.solid) whole = near->lanes.whole;
    const bool tile = !whole.empty();
    if (!tile) whole = {0, 0, plane_.rows, plane_.cols};
    const auto range = [](int64_t first, int64_t count) { return count == 1 ? std::to_string(first) : std::to_string(first) + ".." + std::to_string(first + count - 1); };
    const Rect box = frame_.box(whole);
    const float x0 = std::max(box.x, frame_.view.x), x1 = std::min(box.right(), frame_.view.right());
    const float y0 = std::max(box.y, frame_.view.y), y1 = std::min(box.bottom(), frame_.view.bottom());
    if (x1 > x0 && !columns) {
      const float y = std::clamp(std::min(all.y, box.y), frame_.view.y, frame_.view.bottom()) - ui_.px(9);
      ui_.bracket_top({x0, y, x1 - x0, ui_.px(5)}, t_.text3);
      const std::string text = say(c_, whole.cols == 1 ? Text::MemoryOneColumn : Text::MemoryColumns, {range(whole.col, whole.cols)});
      const std::string rest = whole.right() > plane_.cols ? say(c_, Text::MemoryBeyond, {std::to_string(whole.right() - std::max(plane_.cols, whole.col))}) : "";
      const float w = ui_.width(text, TextSize::Caption, true), w2 = rest.empty() ? 0 : ui_.width(rest, TextSize::Caption) + ui_.px(8);
      const float x = std::clamp((x0 + x1 - w - w2) / 2, room_.x, std::max(room_.x, room_.right() - w - w2));
      ui_.text({x, y - ui_.px(19)}, text, TextSize::Caption, colour, true);
      if (!rest.empty()) ui_.text({x + w + ui_.px(8), y - ui_.px(19)}, rest, TextSize::Caption, t_.text3);
    }
    if (y1 > y0 && plane_.down >= 0 && !rows) {
      const float x = std::clamp(std::min(all.x, box.x), frame_.view.x, frame_.view.right()) - ui_.px(9);
      ui_.bracket_left({x, y0, ui_.px(5), y1 - y0}, t_.text3);
      std::vector<std::pair<std::string, ImU32>> lines{{std::string(ui_.t(whole.rows == 1 ? Text::MemoryOneRow : Text::MemoryRows)), t_.text2}, {range(whole.row, whole.rows), colour}};
      if (whole.bottom() > plane_.rows) {
        lines.emplace_back(say(c_, Text::MemoryInside, {std::to_string(std::max<int64_t>(0, plane_.rows - whole.row))}), t_.text3);
        lines.emplace_back(say(c_, Text::MemoryBeyond, {std::to_string(whole.bottom() - std::max(plane_.rows, whole.row))}), t_.text3);
      }
      const float step = ui_.px(18), height = step * static_cast<float>(lines.size());
      float y = std::clamp((y0 + y1 - height) / 2, frame_.view.y, std::max(frame_.view.y, frame_.view.bottom() - height));
      for (const auto& [text, ink] : lines) {
        ui_.text({x - ui_.px(6), y}, text, TextSize::Caption, ink, &text == &lines[1].first, Align::Right);
        y += step;
      }
    }
  }

  void mouse() {
    if (!hit_.hovered || (hit_.held && (hit_.drag.x != 0 || hit_.drag.y != 0))) return;
    const double fr = std::floor(frame_.row + (hit_.mouse.y - frame_.view.y) / frame_.cell_h), fc = std::floor(frame_.col + (hit_.mouse.x - frame_.view.x) / frame_.cell_w);
    if (std::abs(fr) > 1e15 || std::abs(fc) > 1e15) return;
    const int64_t row = static_cast<int64_t>(fr), col = static_cast<int64_t>(fc);
    if (row >= 0 && col >= 0 && row < plane_.rows && col < plane_.cols) return hover_element(c_, m_, plane_.index(row, col), accesses_);
    for (const MemoryAccess& a : accesses_)
      if (const model::LanePicture::PlacedLane* lane = a.lanes.lane_at(row, col)) {
        const std::vector<int64_t> at = model::index_of_lane(a.access->type.shape, lane->lane);
        ui_.tooltip(say(c_, lane->state == LaneState::OutOfBounds ? Text::MemoryOutLane : Text::MemoryOffLane,
                        {at.size() == 1 ? std::to_string(at[0]) : model::element_name("", at), model::element_name(m_.now->name, plane_.index(row, col))}));
        return;
      }
  }

  PanelContext& c_;
  Ui& ui_;
  const Theme& t_;
  const MemoryTensor& m_;
  const model::Plane& plane_;
  const CellPainter& paint_;
  MatrixZoom& zoom_;
  Rect room_;
  const std::vector<MemoryAccess>& accesses_;
  Frame frame_{};
  model::CellBox content_;
  Hit hit_;
};

}  // namespace

void draw_memory_matrix(PanelContext& c, const MemoryTensor& m, const model::Plane& plane, const CellPainter& paint, MatrixZoom& zoom, Rect r) {
  Matrix(c, m, plane, paint, zoom, r).draw();
}

}  // namespace tilescope::window
