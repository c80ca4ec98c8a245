#include "visualizer/model/cost_tiles.h"

#include <algorithm>
#include <map>
#include <utility>

#include "sim/cost/deal.h"

namespace tilescope::model {
namespace {

constexpr int64_t kMostCells = int64_t{1} << 20;  ///< more tiles of a tensor than this are not drawn

/// The tensor seen as one matrix.
struct Matrix {
  int64_t rows = 1, cols = 1;
};
Matrix matrix_of(const std::vector<int64_t>& shape) {
  Matrix m;
  for (size_t a = 0; a + 1 < shape.size(); ++a) m.rows *= std::max<int64_t>(1, shape[a]);
  if (!shape.empty()) m.cols = std::max<int64_t>(1, shape.back());
  return m;
}

/// A box as rows and columns of that matrix. Nothing when it is no rectangle there.
struct Patch {
  int64_t row = 0, col = 0, rows = 1, cols = 1;
};
std::optional<Patch> patch_of(const IndexBox& box, const std::vector<int64_t>& shape) {
  const size_t rank = shape.size();
  if (box.empty() || box.lo.size() != rank || box.hi.size() != rank) return std::nullopt;
  Patch p;
  if (rank == 0) return p;
  p.col = box.lo[rank - 1], p.cols = box.hi[rank - 1] - box.lo[rank - 1];
  // Rows beside one another in the matrix: one index along the outer axes, or all of what lies inside.
  int64_t stride = 1;
  for (size_t a = rank - 1; a-- > 0;) {
    const int64_t extent = box.hi[a] - box.lo[a];
    if (extent > 1 && p.rows != stride) return std::nullopt;
    p.row += box.lo[a] * stride;
    p.rows *= extent;
    stride *= std::max<int64_t>(1, shape[a]);
  }
  if (p.rows < 1 || p.cols < 1 || p.row < 0 || p.col < 0) return std::nullopt;
  return p;
}

int64_t cdiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

struct Use {
  Patch patch;
  const cost::TileUse* tile;
};

/// Cells of one tensor. Nothing when the tiles are not those of a regular cut.
std::optional<TileGrid> grid_of(const cost::TrafficTensor& tensor, const std::vector<Use>& uses, const std::map<int64_t, uint32_t>& position) {
  TileGrid g;
  g.tensor = tensor.name;
  g.shape = tensor.shape;
  g.tile_rows = g.tile_cols = 0;
  for (const Use& u : uses) g.tile_rows = std::max(g.tile_rows, u.patch.rows), g.tile_cols = std::max(g.tile_cols, u.patch.cols);
  const Matrix m = matrix_of(tensor.shape);
  // A tile in a single row of tiles may begin anywhere (a window that is shifted); everything else starts at multiples.
  g.rows = std::max(cdiv(m.rows, g.tile_rows), int64_t{1});
  g.cols = std::max(cdiv(m.cols, g.tile_cols), int64_t{1});
  if (g.rows > kMostCells / g.cols) return std::nullopt;
  std::vector<std::vector<uint32_t>> by_cell(static_cast<size_t>(g.cells()));
  for (const Use& u : uses) {
    const Patch& p = u.patch;
    if (p.row % g.tile_rows != 0 || p.col % g.tile_cols != 0) return std::nullopt;
    const int64_t r = p.row / g.tile_rows, c = p.col / g.tile_cols;
    // Smaller tiles only at the border, where they are cut off.
    const bool cut_row = p.row + p.rows >= m.rows, cut_col = p.col + p.cols >= m.cols;
    if ((p.rows < g.tile_rows && !cut_row) || (p.cols < g.tile_cols && !cut_col) || r >= g.rows || c >= g.cols) return std::nullopt;
    for (const int64_t program : u.tile->programs)
      if (const auto at = position.find(program); at != position.end()) by_cell[static_cast<size_t>(r * g.cols + c)].push_back(at->second);
  }
  g.begin.push_back(0);
  for (std::vector<uint32_t>& cell : by_cell) {
    std::sort(cell.begin(), cell.end());
    cell.erase(std::unique(cell.begin(), cell.end()), cell.end());
    g.uses.insert(g.uses.end(), cell.begin(), cell.end());
    g.begin.push_back(static_cast<uint32_t>(g.uses.size()));
  }
  return g;
}

/// Operands of a product in the order in which they are drawn: the one left of the output first.
void sort_operands(TileMap& map) {
  std::stable_sort(map.loads.begin(), map.loads.end(), [](const TileGrid& a, const TileGrid& b) { return a.feeds_dot > b.feeds_dot; });
  if (map.loads.size() != 2 || !map.stores) return;
  const auto left = [&](const TileGrid& g) { return g.rows == map.stores->rows; };
  const auto above = [&](const TileGrid& g) { return g.cols == map.stores->cols; };
  if (!(left(map.loads[0]) && above(map.loads[1])) && left(map.loads[1]) && above(map.loads[0])) std::swap(map.loads[0], map.loads[1]);
}

}  // namespace

int64_t TileGrid::uses_among(int64_t cell, int64_t n) const {
  const auto i = static_cast<size_t>(cell);
  const auto from = uses.begin() + begin[i], to = uses.begin() + begin[i + 1];
  return std::lower_bound(from, to, static_cast<uint32_t>(std::clamp<int64_t>(n, 0, kNever))) - from;
}

std::vector<int64_t> TileGrid::origin(int64_t cell) const {
  std::vector<int64_t> index(shape.size(), 0);
  if (shape.empty()) return index;
  index.back() = cell % cols * tile_cols;
  int64_t row = cell / cols * tile_rows;
  for (size_t a = shape.size() - 1; a-- > 0;) {
    const int64_t extent = std::max<int64_t>(1, shape[a]);
    index[a] = row % extent;
    row /= extent;
  }
  return index;
}

TileCount count_tiles(const TileGrid& g, int64_t programs, bool by_cols) {
  TileCount out;
  std::vector<bool> row(static_cast<size_t>(g.rows)), col(static_cast<size_t>(g.cols));
  const auto n = static_cast<uint64_t>(std::max<int64_t>(0, programs));
  for (int64_t i = 0; i < g.cells(); ++i) {
    if (g.first(i) >= n) continue;
    ++out.tiles;
    row[static_cast<size_t>(i / g.cols)] = col[static_cast<size_t>(i % g.cols)] = true;
  }
  out.rows = std::count(row.begin(), row.end(), true);
  out.cols = std::count(col.begin(), col.end(), true);
  if (out.tiles == 0 || out.rows * out.cols != out.tiles) return out;
  if (g.rows == 1 || g.cols == 1) return out;  // of a single row or column their number says it all
  const bool rows = out.cols == g.cols, cols = out.rows == g.rows;
  out.form = cols && (by_cols || !rows) ? TileCount::Form::Cols : rows ? TileCount::Form::Rows : TileCount::Form::Block;
  return out;
}

int64_t TileMap::loads_of(int64_t n) const {
  int64_t sum = 0;
  for (const TileGrid& g : loads)
    for (int64_t i = 0; i < g.cells(); ++i) sum += g.first(i) < static_cast<uint64_t>(std::max<int64_t>(0, n));
  return sum;
}

bool TileMap::is_product() const {
  return stores && loads.size() == 2 && loads[0].feeds_dot && loads[1].feeds_dot && loads[0].rows == stores->rows && loads[1].cols == stores->cols &&
         loads[0].cols == loads[1].rows;
}

TileMap make_tile_map(const std::vector<cost::TrafficOp>& ops, const std::vector<cost::TrafficTensor>& tensors,
                      const std::vector<cost::TileUse>& tiles, std::vector<int64_t> order, int64_t programs) {
  TileMap map;
  map.programs = programs;
  map.order = std::move(order);
  std::map<int64_t, uint32_t> position;
  for (size_t i = 0; i < map.order.size(); ++i) position.emplace(map.order[i], static_cast<uint32_t>(i));
  const size_t n = tensors.size();
  std::vector<std::vector<Use>> loaded(n), stored(n);
  std::vector<bool> irregular(n), feeds_dot(n);
  bool any_load = false;
  for (const cost::TileUse& tile : tiles) {
    const cost::TrafficOp& op = ops[static_cast<size_t>(tile.op)];
    any_load |= op.loads;
    if (op.tensor < 0) continue;
    const auto t = static_cast<size_t>(op.tensor);
    const std::optional<Patch> patch = patch_of(tile.box, tensors[t].shape);
    if (!patch) irregular[t] = true;
    else (op.loads ? loaded : stored)[t].push_back({*patch, &tile});
    feeds_dot[t] = feeds_dot[t] || (op.loads && op.feeds_dot);
  }
  int64_t largest = 0;
  for (size_t t = 0; t < n; ++t) {
    const auto grid = [&](const std::vector<Use>& uses) { return irregular[t] || uses.empty() ? std::nullopt : grid_of(tensors[t], uses, position); };
    if (!loaded[t].empty() || irregular[t]) {
      std::optional<TileGrid> g = grid(loaded[t]);
      if (g) {
        g->feeds_dot = feeds_dot[t];
        map.loads.push_back(std::move(*g));
      } else {
        map.refused = tensors[t].name;
        map.refusal = irregular[t] ? TileMap::Refusal::NoBoxes : TileMap::Refusal::Overlap;
      }
    }
    std::optional<TileGrid> g = grid(stored[t]);
    const Matrix m = matrix_of(tensors[t].shape);
    if (g && m.rows * m.cols > largest) largest = m.rows * m.cols, map.stores = std::move(g);
  }
  if (!any_load) map.refusal = TileMap::Refusal::NoLoads;
  else if (!map.loads.empty()) map.refusal = TileMap::Refusal::None;
  sort_operands(map);
  return map;
}

std::vector<int64_t> dealt_order(const std::array<int64_t, 3>& grid, const cost::DealOrder& order, int64_t most) {
  const cost::Dealer dealer(order, grid);
  std::vector<int64_t> out;
  for (int64_t i = 0; i < std::min(dealer.programs(), most); ++i) out.push_back(dealer.program(i));
  return out;
}

}  // namespace tilescope::model
