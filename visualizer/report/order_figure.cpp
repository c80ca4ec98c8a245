// The figure of the order of programs.
#include <algorithm>
#include <tuple>

#include "visualizer/report/figures.h"
#include "visualizer/report/text.h"

namespace tilescope::report {
namespace {

using Tile = OrderTensor::Tile;

constexpr double kMatrix = 132, kLeast = 26;

struct Place {
  double x, y, w, h;
};

/// Tiles that touch become one rectangle, so that a figure stays small.
std::vector<Tile> merged(std::vector<Tile> tiles) {
  std::sort(tiles.begin(), tiles.end(), [](const Tile& a, const Tile& b) {
    return std::tie(a.row, a.rows, a.column) < std::tie(b.row, b.rows, b.column);
  });
  std::vector<Tile> out;
  for (const Tile& t : tiles) {
    if (!out.empty() && out.back().row == t.row && out.back().rows == t.rows &&
        t.column <= out.back().column + out.back().columns) {
      out.back().columns = std::max(out.back().columns, t.column + t.columns - out.back().column);
      continue;
    }
    out.push_back(t);
  }
  // And rows that touch, over the same columns.
  std::sort(out.begin(), out.end(), [](const Tile& a, const Tile& b) {
    return std::tie(a.column, a.columns, a.row) < std::tie(b.column, b.columns, b.row);
  });
  std::vector<Tile> blocks;
  for (const Tile& t : out) {
    if (!blocks.empty() && blocks.back().column == t.column && blocks.back().columns == t.columns &&
        t.row <= blocks.back().row + blocks.back().rows) {
      blocks.back().rows = std::max(blocks.back().rows, t.row + t.rows - blocks.back().row);
      continue;
    }
    blocks.push_back(t);
  }
  return blocks;
}

void draw_tensor(Svg& svg, const OrderTensor& t, const Place& p, bool numbers) {
  constexpr size_t kMostRects = 3000;
  svg.rect(p.x, p.y, p.w, p.h, "empty");
  const double sx = p.w / static_cast<double>(std::max<int64_t>(t.columns, 1)),
               sy = p.h / static_cast<double>(std::max<int64_t>(t.rows, 1));
  const bool cells =
      !t.tiles.empty() && t.tiles[0].columns * sx >= 5 && t.tiles[0].rows * sy >= 5 && t.tiles.size() <= kMostRects;
  std::vector<Tile> tiles = cells ? t.tiles : merged(t.tiles);
  if (tiles.size() > kMostRects) tiles.resize(kMostRects);
  for (const Tile& tile : tiles) {
    // What lies past the end of the tensor is masked: clipped here.
    const double x0 = std::clamp(p.x + tile.column * sx, p.x, p.x + p.w),
                 x1 = std::clamp(p.x + (tile.column + tile.columns) * sx, p.x, p.x + p.w);
    const double y0 = std::clamp(p.y + tile.row * sy, p.y, p.y + p.h),
                 y1 = std::clamp(p.y + (tile.row + tile.rows) * sy, p.y, p.y + p.h);
    const std::string style = std::string(tile.stored ? "compute" : "load") + (cells ? " cell" : "");
    svg.rect(x0, y0, std::max(x1 - x0, 0.5), std::max(y1 - y0, 0.5), style);
    if (!numbers || !cells) continue;
    const std::string number = std::to_string(tile.program);
    if (x1 - x0 >= text_width(number, 11, true) + 2 && y1 - y0 >= 13)
      svg.text((x0 + x1) / 2, (y0 + y1) / 2 + 4, number, "on-mark", 11, Anchor::Middle, true);
  }
}

void label_tensor(Svg& svg, const OrderTensor& t, double x, double y, double width, Anchor anchor) {
  const std::string text =
      t.name + " " + (t.rows > 1 ? std::to_string(t.rows) + " x " : "") + std::to_string(t.columns);
  svg.text(x, y, fitted(text, 13, false, width), "t3", 13, anchor);
}

/// A, B and the result of a product by their sizes; nothing when the tensors are something else.
bool is_product(const ProgramOrderView& v) {
  return v.tensors.size() == 3 && !v.tensors[0].tiles.empty() && !v.tensors[0].tiles[0].stored &&
         !v.tensors[1].tiles[0].stored && v.tensors[2].tiles[0].stored && v.tensors[0].rows == v.tensors[2].rows &&
         v.tensors[1].columns == v.tensors[2].columns && v.tensors[0].columns == v.tensors[1].rows;
}

/// A left of the result, B above it. Returns the height.
double draw_product(Svg& svg, const ProgramOrderView& v, double x, double y) {
  const OrderTensor &a = v.tensors[0], &b = v.tensors[1], &c = v.tensors[2];
  const double most = static_cast<double>(std::max({a.rows, a.columns, b.columns}));
  const auto px = [&](int64_t n) { return std::max(kLeast, kMatrix * static_cast<double>(n) / most); };
  const double m = px(a.rows), k = px(a.columns), n = px(b.columns), gap = 8;
  const double cx = x + kMatrix + gap, cy = y + 18 + k + gap;
  draw_tensor(svg, b, {cx, y + 18, n, k}, false);
  draw_tensor(svg, a, {cx - gap - k, cy, k, m}, false);
  draw_tensor(svg, c, {cx, cy, n, m}, true);
  label_tensor(svg, b, cx, y + 12, kMatrix + 10, Anchor::Start);
  label_tensor(svg, a, cx - gap, cy + m + 17, kMatrix, Anchor::End);
  label_tensor(svg, c, cx, cy + m + 17, kMatrix, Anchor::Start);
  return 18 + k + gap + m + 26;
}

double draw_row(Svg& svg, const ProgramOrderView& v, double x, double y) {
  double at = y;
  for (size_t i = 0; i < v.tensors.size() && i < 6; ++i) {
    const OrderTensor& t = v.tensors[i];
    const double most = static_cast<double>(std::max(t.rows, t.columns));
    const double w = std::max(kLeast, 240 * static_cast<double>(t.columns) / most);
    const double h = std::max(t.rows > 1 ? kLeast : 16.0, std::min(kMatrix, 240 * static_cast<double>(t.rows) / most));
    label_tensor(svg, t, x, at + 13, 250, Anchor::Start);
    draw_tensor(svg, t, {x, at + 19, w, h}, true);
    at += 19 + h + 10;
  }
  return at - y;
}

}  // namespace

std::optional<Svg> order_figure(const std::vector<ProgramOrderView>& orders) {
  if (orders.empty()) return std::nullopt;
  constexpr double kColumn = 290;
  Svg svg(kColumn * static_cast<double>(orders.size()), 0, "Tiles that the first programs load and store");
  double height = 0;
  for (size_t i = 0; i < orders.size(); ++i) {
    const ProgramOrderView& v = orders[i];
    const double x = kColumn * static_cast<double>(i) + (i > 0 ? 12 : 0);
    svg.text(x, 16, fitted(v.label, 15, true, kColumn - 20), "t1", 15, Anchor::Start, true);
    const bool least = std::all_of(orders.begin(), orders.end(),
                                   [&](const ProgramOrderView& o) { return o.tile_loads >= v.tile_loads; });
    const std::string number = with_commas(v.tile_loads);
    svg.text(x, 52, number, least && orders.size() > 1 ? "good" : "t1", 28);
    svg.text(x + text_width(number, 28, false) + 10, 52, "tiles, first " + counted(v.programs, "program"), "t2", 13);
    const double drawn = is_product(v) ? draw_product(svg, v, x, 68) : draw_row(svg, v, x, 68);
    height = std::max(height, 68 + drawn);
    if (i > 0) svg.line(kColumn * static_cast<double>(i) - 4, 0, kColumn * static_cast<double>(i) - 4, 60, "grid");
  }
  svg.set_height(height + 4);
  return svg;
}

}  // namespace tilescope::report
