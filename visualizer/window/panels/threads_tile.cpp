// The tile of an access, each element in the colour of the warp that holds it; the chosen warp stands out.
#include <algorithm>
#include <bit>
#include <cmath>

#include "visualizer/window/panels/threads_parts.h"
#include "visualizer/window/panels/tile_cells.h"

namespace tilescope::window {
namespace {

constexpr int kMostTexels = 1024;  // of a side

class ThreadsTile {
 public:
  ThreadsTile(ThreadsView& v, Rect r) : v_(v), ui_(v.ui()), t_(v.theme()), a_(v.a), room_(r) {}

  /// Returns where it ends.
  float draw() {
    choose_grid();
    caption();
    if (room_.w < ui_.px(40) || room_.h < ui_.px(16)) return room_.y;
    room_.take_left(v_.margin);
    place();
    mouse();
    cells();
    off_lanes();
    if (cell_w_ >= ui_.px(5) && cell_h_ >= ui_.px(5)) grid_lines();
    blocks();
    numbers();
    band_labels();
    lit();
    return view_.bottom();
  }

 private:
  Rect box(double row, double col, double rows, double cols) const {
    const auto x = [&](double c) { return std::round(view_.x + static_cast<float>((c - static_cast<double>(col0_)) * cell_w_)); };
    const auto y = [&](double r) { return std::round(view_.y + static_cast<float>((r - static_cast<double>(row0_)) * cell_h_)); };
    return {x(col), y(row), x(col + cols) - x(col), y(row + rows) - y(row)};
  }
  int64_t row_of(int64_t element) const { return (element - first_) / cols_; }
  int64_t col_of(int64_t element) const { return (element - first_) % cols_; }
  bool shown(int64_t element) const {
    if (element < first_ || element >= first_ + rows_ * cols_) return false;
    const int64_t r = row_of(element), c = col_of(element);
    return r >= row0_ && r < row0_ + seen_rows_ && c >= col0_ && c < col0_ + seen_cols_;
  }

  /// Elements of a block: what one warp holds in one place, along each axis.
  std::array<int64_t, kMaxRank> block_shape() const {
    std::array<int64_t, kMaxRank> size;
    size.fill(1);
    const AccessLayout& l = a_.layout;
    const auto grow = [&](int64_t bit) {
      if (bit == 0) return;
      int64_t at[kMaxRank] = {};
      l.coordinates(bit, at);
      for (int d = 0; d < l.shape.rank; ++d)
        if (at[d] != 0) size[static_cast<size_t>(d)] *= 2;
    };
    for (const int64_t bit : l.lane_bits) grow(bit);
    for (int i = 0; i < std::countr_zero(static_cast<unsigned>(l.contiguous)); ++i) grow(l.register_bits[static_cast<size_t>(i)]);
    return size;
  }

  /// A vector is folded into rows, each the elements of one warp or of some warps; other tiles are what they are.
  void choose_grid() {
    const Shape& s = a_.layout.shape;
    const auto block = block_shape();
    if (s.rank < 2) {
      const int64_t n = a_.elements();
      block_cols_ = s.rank == 0 ? 1 : block[0];
      cols_ = block_cols_;
      while (cols_ < n && static_cast<float>(n / cols_) * ui_.px(17) > room_.h && (room_.w - v_.margin) / static_cast<float>(2 * cols_) >= 2) cols_ *= 2;
      rows_ = n / cols_;
      return;
    }
    rows_ = s[s.rank - 2], cols_ = s[s.rank - 1];
    block_rows_ = block[static_cast<size_t>(s.rank - 2)], block_cols_ = block[static_cast<size_t>(s.rank - 1)];
    slices_ = a_.elements() / (rows_ * cols_);
    const int64_t follows = a_.element(v_.warp, 0, v_.instruction, 0) / (rows_ * cols_);
    slice_ = v_.choice.slice < 0 ? follows : std::min(v_.choice.slice, slices_ - 1);
    first_ = slice_ * rows_ * cols_;
  }

  void caption() {
    Rect row = room_.take_top(ui_.px(20));
    room_.take_top(ui_.px(4));
    if (slices_ > 1) {
      row.h = ui_.px(24);
      room_.take_top(ui_.px(6));
      const std::string label = said(ui_, Text::ThreadsSlice, slice_, slices_);
      const float b = ui_.px(24);
      if (ui_.button("threads.slice.less", row.take_left(b), "\u2212", {false, false, slice_ > 0})) v_.choice.slice = slice_ - 1;
      ui_.text_in(row.take_left(ui_.width(label, TextSize::Caption) + ui_.px(16)), label, TextSize::Caption, t_.text1, false, Align::Centre);
      if (ui_.button("threads.slice.more", row.take_left(b), "+", {false, false, slice_ + 1 < slices_})) v_.choice.slice = slice_ + 1;
      row.take_left(ui_.px(12));
    }
    caption_ = row;
  }

  /// Stripes of warps thinner than a few pixels cannot be told apart: then only a part of them is shown, drawn larger.
  void see(int64_t count, int64_t block, float room, int64_t request, int64_t chosen, float& cell, int64_t& begin, int64_t& seen) const {
    const float least = ui_.px(3);
    begin = 0, seen = count;
    if (cell * static_cast<float>(block) >= least || block == count) return;
    cell = least / static_cast<float>(block);
    seen = std::clamp<int64_t>(static_cast<int64_t>(room / least) * block, block, count);
    if (seen == count) return;
    // In steps, so that the picture stays where it is while a request or two are stepped through.
    const int64_t step = std::max(block, seen / 2 / block * block);
    begin = std::clamp<int64_t>(chosen < 0 ? request / step * step : chosen, 0, count - seen);
  }

  void place() {
    const float room_w = room_.w, room_h = room_.h;
    cell_w_ = std::min(room_w / static_cast<float>(cols_), ui_.px(56));
    cell_h_ = std::min(room_h / static_cast<float>(rows_), ui_.px(22));
    // Cells of one size look even; a tile that is long one way may have flat ones.
    if (a_.layout.shape.rank >= 2 && cell_w_ > 2 * cell_h_) cell_w_ = std::max(2 * cell_h_, std::min(cell_w_, ui_.px(12)));
    if (cell_w_ > 2) cell_w_ = std::floor(cell_w_);
    if (cell_h_ > 2) cell_h_ = std::floor(cell_h_);
    const int64_t request = std::max<int64_t>(0, a_.element(v_.warp, 0, v_.instruction, 0) - first_);
    see(rows_, block_rows_, room_h, request / cols_ % rows_, v_.choice.row, cell_h_, row0_, seen_rows_);
    see(cols_, block_cols_, room_w, request % cols_, v_.choice.col, cell_w_, col0_, seen_cols_);
    view_ = {room_.x, room_.y, std::round(cell_w_ * static_cast<float>(seen_cols_)), std::round(cell_h_ * static_cast<float>(seen_rows_))};
    const AccessLayout& l = a_.layout;
    run_across_ = l.shape.rank > 0 && l.order[0] == l.shape.rank - 1;
    run_ = l.shape.rank == 0 || (l.shape.rank > 1 && l.order[0] < l.shape.rank - 2) ? 1 : l.contiguous;
    run_w_ = cell_w_ * static_cast<float>(run_across_ ? run_ : 1), run_h_ = cell_h_ * static_cast<float>(run_across_ ? 1 : run_);
    lanes_fit_ = run_w_ >= ui_.width("31", TextSize::Caption, true) + 1 && run_h_ >= ui_.px(13);
    const float w = cell_w_ * static_cast<float>(block_cols_), h = cell_h_ * static_cast<float>(block_rows_);
    plates_ = !lanes_fit_ && w >= ui_.px(20) && h >= ui_.px(16);
    std::string legend(ui_.t(lanes_fit_ ? Text::ThreadsLegendTile : Text::ThreadsLegendWarp));
    const std::string gap = ui_.language() == model::Language::Chinese ? "；" : "; ";
    if (seen_rows_ < rows_) legend += gap + said(ui_, Text::ThreadsRowsOf, row0_, row0_ + seen_rows_ - 1, rows_);
    if (seen_cols_ < cols_) legend += gap + said(ui_, Text::ThreadsColumnsOf, col0_, col0_ + seen_cols_ - 1, cols_);
    ui_.text_in(caption_, legend, TextSize::Caption, t_.text3);
  }

  /// Who the element's colour is about: the chosen warp when it holds it.
  int warp_of(int64_t element) const { return a_.holder_in(v_.warp, element) ? v_.warp : a_.holder(element).warp; }

  ImU32 colour(int64_t element) const {
    if (!a_.on(element)) return t_.panel;
    const auto mine = a_.holder_in(v_.warp, element);
    if (!mine) return mix(t_.panel, warp_colour(a_.holder(element).warp), t_.dark ? 0.36f : 0.42f);
    return mine->reg / a_.layout.vector_width == v_.instruction ? warp_colour(v_.warp) : mix(t_.panel, warp_colour(v_.warp), 0.66f);
  }

  void cells() {
    const int64_t step_y = (seen_rows_ + kMostTexels - 1) / kMostTexels, step_x = (seen_cols_ + kMostTexels - 1) / kMostTexels;
    const int width = static_cast<int>(seen_cols_ / step_x), height = static_cast<int>(seen_rows_ / step_y);
    uint64_t version = v_.c.scene.run.version * 1000003 + a_.step;
    for (const uint64_t part : {static_cast<uint64_t>(v_.warp), static_cast<uint64_t>(v_.instruction), static_cast<uint64_t>(first_), static_cast<uint64_t>(row0_), static_cast<uint64_t>(col0_), static_cast<uint64_t>(t_.dark)}) version = version * 31 + part;
    const ImTextureID id = v_.c.textures.get("threads.tile", version, width, height, [&](std::vector<ImU32>& texels) {
      for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
          texels[static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)] = colour(first_ + (row0_ + y * step_y) * cols_ + col0_ + x * step_x);
    });
    ui_.draw().AddImage(id, view_.min(), view_.max());
  }

  /// Hatch and crosses over lanes that are off or out of bounds, neighbours put together.
  void off_lanes() {
    if (a_.summary->masked == 0 && a_.summary->out_of_bounds == 0) return;
    model::VariableLanes lanes;
    lanes.use.reserve(a_.lanes->states.size());
    for (const LaneState s : a_.lanes->states)
      lanes.use.push_back(s == LaneState::Masked ? model::LaneUse::Off : s == LaneState::OutOfBounds ? model::LaneUse::OutOfBounds : model::LaneUse::On);
    for (const bool out : {false, true})
      for (const OffBox& b : off_boxes(lanes, first_, row0_, col0_, seen_rows_, seen_cols_, cols_, out)) {
        const Rect at = box(static_cast<double>(b.row), static_cast<double>(b.column), static_cast<double>(b.rows), static_cast<double>(b.columns));
        if (!out) {
          ui_.hatch(at, t_.hatch);
          continue;
        }
        ui_.fill(at, mix(t_.panel, t_.fault, 0.15f));
        ui_.outline(at, t_.fault, 2);
        const float s = std::min(ui_.px(12), std::min(at.w, at.h) - ui_.px(4));
        if (s > 3) ui_.cross({at.x + (at.w - s) / 2, at.y + (at.h - s) / 2, s, s}, t_.fault);
      }
  }

  /// Between elements; where lanes are numbered, between the runs of threads.
  void grid_lines() {
    const int64_t step_c = lanes_fit_ && run_across_ ? run_ : 1, step_r = lanes_fit_ && !run_across_ ? run_ : 1;
    for (int64_t c = col0_ + step_c; c < col0_ + seen_cols_; c += step_c) ui_.fill({box(0, static_cast<double>(c), 0, 0).x, view_.y, 1, view_.h}, t_.panel);
    for (int64_t r = row0_ + step_r; r < row0_ + seen_rows_; r += step_r) ui_.fill({view_.x, box(static_cast<double>(r), 0, 0, 0).y, view_.w, 1}, t_.panel);
  }

  /// The blocks of the chosen warp outlined, that of the chosen instruction more; their numbers where lanes have none.
  void blocks() {
    ui_.outline({view_.x - 1, view_.y - 1, view_.w + 2, view_.h + 2}, t_.line);
    const float w = cell_w_ * static_cast<float>(block_cols_), h = cell_h_ * static_cast<float>(block_rows_);
    if (w < ui_.px(3) || h < ui_.px(3)) return;
    for (int64_t r = row0_; plates_ && r < row0_ + seen_rows_; r += block_rows_)
      for (int64_t c = col0_; c < col0_ + seen_cols_; c += block_cols_) {
        const int warp = warp_of(first_ + r * cols_ + c);
        const Rect b = box(static_cast<double>(r), static_cast<double>(c), static_cast<double>(block_rows_), static_cast<double>(block_cols_));
        std::string label = said(ui_, Text::ThreadsWarp, warp);
        if (ui_.width(label, TextSize::Caption) + ui_.px(10) > b.w) label = std::to_string(warp);
        plate_text(ui_, b, label, TextSize::Caption, warp == v_.warp ? t_.text1 : t_.text2, false, Align::Centre);
      }
    for (int reg = 0; reg < a_.layout.registers(); reg += a_.layout.contiguous) {
      const int64_t e = a_.layout.element_of(reg, 0, v_.warp);
      if (!shown(e)) continue;
      const Rect b = box(static_cast<double>(row_of(e)), static_cast<double>(col_of(e)), static_cast<double>(block_rows_), static_cast<double>(std::min(block_cols_, cols_)));
      const bool now = v_.instruction * a_.layout.vector_width / a_.layout.contiguous == reg / a_.layout.contiguous;
      // On thin blocks a frame would hide the colour.
      const bool thin = std::min(w, h) < ui_.px(7);
      if (now) ui_.outline(thin ? b.inset(-1) : b, t_.text1, thin ? 1 : ui_.px(2));
      else if (!thin) ui_.outline(b, t_.text3);
    }
  }

  /// The lane of each run of elements that a thread holds.
  void numbers() {
    if (!lanes_fit_) return;
    const int64_t step_c = run_across_ ? run_ : 1, step_r = run_across_ ? 1 : run_;
    for (int64_t r = row0_; r < row0_ + seen_rows_; r += step_r)
      for (int64_t c = col0_; c < col0_ + seen_cols_; c += step_c) {
        const int64_t e = first_ + r * cols_ + c;
        const model::Thread t = a_.holder_in(v_.warp, e).value_or(a_.holder(e));
        const Rect b = box(static_cast<double>(r), static_cast<double>(c), static_cast<double>(step_r), static_cast<double>(step_c));
        std::string text = std::to_string(t.lane);
        const bool on = a_.on(e);
        if (v_.state(e) == LaneState::OutOfBounds) continue;
        if (on) ui_.text_in(b, text, TextSize::Caption, ink_on(colour(e)), true, Align::Centre);
        else if (b.w >= ui_.px(24)) plate_text(ui_, b, text, TextSize::Caption, t_.text2, true, Align::Centre);
      }
  }

  /// Smallest and largest warp in the rows [row, row + rows).
  std::pair<int, int> warps_of(int64_t row, int64_t rows) const {
    int low = a_.layout.num_warps, high = 0;
    for (int64_t r = row; r < row + rows; r += block_rows_)
      for (int64_t c = 0; c < cols_; c += block_cols_) {
        const int warp = warp_of(first_ + r * cols_ + c);
        low = std::min(low, warp), high = std::max(high, warp);
      }
    return {low, high};
  }

  /// Beside each band of rows: whose it is. Bands too thin for a number share one, with a bracket.
  void band_labels() {
    if (plates_) return;
    int64_t rows = block_rows_;
    while (rows < seen_rows_ && cell_h_ * static_cast<float>(rows) < ui_.px(14)) rows *= 2;
    const bool shared = rows > block_rows_;
    // Up to where the order of the warps repeats, so that every label says the same.
    for (int64_t next = rows * 2; shared && next <= seen_rows_ && warps_of(0, next) != warps_of(0, rows); next *= 2) rows = next;
    for (int64_t r = row0_; r < row0_ + seen_rows_; r += rows) {
      const int64_t here = std::min(rows, row0_ + seen_rows_ - r);
      const auto [low, high] = warps_of(r, here);
      const bool mine = low == v_.warp && high == low;
      const std::string text = low == high ? said(ui_, Text::ThreadsWarp, low) : said(ui_, Text::ThreadsWarp, fmt::format("{}..{}", low, high));
      const Rect b = box(static_cast<double>(r), 0, static_cast<double>(here), 1);
      if (b.h < ui_.px(13)) continue;
      if (shared) ui_.bracket_left({view_.x - ui_.px(8), b.y + 1, ui_.px(4), b.h - 2}, t_.text3);
      ui_.text_in({view_.x - v_.margin, b.y, v_.margin - ui_.px(8), b.h}, text, TextSize::Caption, mine ? t_.text1 : t_.text3);
    }
  }

  void lit() {
    for (const int64_t e : v_.lit) {
      if (!shown(e)) continue;
      Rect b = box(static_cast<double>(row_of(e)), static_cast<double>(col_of(e)), 1, 1);
      const float least = ui_.px(4);
      if (b.w < least) b.x -= (least - b.w) / 2, b.w = least;
      if (b.h < least) b.y -= (least - b.h) / 2, b.h = least;
      light(ui_, b);
    }
  }

  void mouse() {
    const Hit h = ui_.hit("threads.tile", view_);
    if (!h.hovered) return;
    if (h.wheel != 0) {
      const int64_t way = h.wheel > 0 ? -1 : 1;
      if (seen_rows_ < rows_) v_.choice.row = std::clamp<int64_t>(row0_ + way * std::max(block_rows_, seen_rows_ / 8 / block_rows_ * block_rows_), 0, rows_ - seen_rows_);
      else if (seen_cols_ < cols_) v_.choice.col = std::clamp<int64_t>(col0_ + way * std::max(block_cols_, seen_cols_ / 8 / block_cols_ * block_cols_), 0, cols_ - seen_cols_);
    }
    const int64_t r = row0_ + std::clamp<int64_t>(static_cast<int64_t>((h.mouse.y - view_.y) / cell_h_), 0, seen_rows_ - 1);
    const int64_t c = col0_ + std::clamp<int64_t>(static_cast<int64_t>((h.mouse.x - view_.x) / cell_w_), 0, seen_cols_ - 1);
    const int64_t e = first_ + r * cols_ + c;
    v_.hover(e);
    if (!h.clicked) return;
    // The picture stays where it was clicked.
    v_.choose(e);
    v_.choice.slice = slice_;
    if (seen_rows_ < rows_) v_.choice.row = row0_;
    if (seen_cols_ < cols_) v_.choice.col = col0_;
  }

  ThreadsView& v_;
  Ui& ui_;
  const Theme& t_;
  const model::AccessThreads& a_;
  Rect room_, view_, caption_;
  int64_t rows_ = 1, cols_ = 1, block_rows_ = 1, block_cols_ = 1, slices_ = 1, slice_ = 0, first_ = 0;
  int64_t row0_ = 0, col0_ = 0, seen_rows_ = 1, seen_cols_ = 1;  ///< the part that is drawn
  int64_t run_ = 1;             ///< elements of a thread in neighbouring cells
  bool run_across_ = true, lanes_fit_ = false, plates_ = false;
  float cell_w_ = 1, cell_h_ = 1, run_w_ = 1, run_h_ = 1;
};

}  // namespace

float draw_threads_tile(ThreadsView& v, Rect r) { return ThreadsTile(v, r).draw() - r.y; }

}  // namespace tilescope::window
