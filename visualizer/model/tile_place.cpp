#include "visualizer/model/tile_place.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>

namespace tilescope::model {
namespace {

int64_t floor_div(int64_t a, int64_t b) {
  const int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

/// One axis of memory that rows or columns may walk along.
struct Way {
  int64_t size = 0, stride = 0;
};

std::vector<int64_t> lane_strides(const Shape& s) {
  std::vector<int64_t> out(static_cast<size_t>(s.rank), 1);
  for (int i = s.rank - 2; i >= 0; --i) out[static_cast<size_t>(i)] = out[static_cast<size_t>(i) + 1] * s[i + 1];
  return out;
}

/// Offsets of lanes along one axis, relative to the first.
std::vector<int64_t> walk_of(const AccessLanes& lanes, int64_t count, int64_t stride) {
  std::vector<int64_t> out(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) out[static_cast<size_t>(i)] = lanes.offsets[static_cast<size_t>(i * stride)] - lanes.offsets[0];
  return out;
}

/// The usual distance of neighbours; 0 for a single lane. Rows may wrap somewhere (`rows % M`), so of the first and the
/// last distance the smaller one counts.
int64_t step_of(const std::vector<int64_t>& walk) {
  const size_t n = walk.size();
  if (n < 2) return 0;
  const int64_t first = walk[1] - walk[0], last = walk[n - 1] - walk[n - 2];
  if (first == 0 || last == 0) return first + last;
  return std::llabs(last) < std::llabs(first) ? last : first;
}

bool all_divide(const std::vector<int64_t>& walk, int64_t stride) {
  return stride != 0 && std::all_of(walk.begin(), walk.end(), [&](int64_t d) { return d % stride == 0; });
}

/// The axis whose stride is the step, else the one with the largest stride that divides every distance.
int axis_of(const std::vector<Way>& ways, const std::vector<int64_t>& walk, int64_t step, int taken) {
  int best = -1;
  for (size_t i = 0; i < ways.size(); ++i) {
    const int64_t stride = ways[i].stride;
    if (static_cast<int>(i) == taken || ways[i].size < 2 || std::llabs(stride) > std::llabs(step) || !all_divide(walk, stride)) continue;
    if (best < 0 || std::llabs(stride) > std::llabs(ways[static_cast<size_t>(best)].stride)) best = static_cast<int>(i);
  }
  return best;
}

/// An axis for a tile with one lane along it: the longest one that is left.
int spare_axis(const std::vector<Way>& ways, int taken) {
  int best = -1;
  for (size_t i = 0; i < ways.size(); ++i)
    if (static_cast<int>(i) != taken && (best < 0 || ways[i].size > ways[static_cast<size_t>(best)].size)) best = static_cast<int>(i);
  return best;
}

/// A vector walked as a matrix: rows `big` elements apart.
bool split_vector(std::vector<Way>& ways, int64_t row_step, int64_t col_step, int64_t& base) {
  int axis = -1;
  for (size_t i = 0; i < ways.size(); ++i) {
    if (ways[i].size < 2) continue;
    if (axis >= 0) return false;
    axis = static_cast<int>(i);
  }
  if (axis < 0 || row_step == 0 || col_step == 0) return false;
  const Way whole = ways[static_cast<size_t>(axis)];
  const bool rows_outer = std::llabs(row_step) >= std::llabs(col_step);
  const int64_t big = rows_outer ? row_step : col_step, small = rows_outer ? col_step : row_step;
  if (big <= 0 || small <= 0 || whole.stride <= 0 || big % small != 0 || big == small || small % whole.stride != 0) return false;
  const int64_t length = whole.size * whole.stride;
  ways = {{(length + big - 1) / big, big}, {big / small, small}};
  base = 0;
  return true;
}

struct Lanes2 {
  const AccessLanes& lanes;
  int64_t rows, cols, row_stride, col_stride;
  size_t at(int64_t r, int64_t c) const { return static_cast<size_t>(r * row_stride + c * col_stride); }
};

std::optional<std::array<int64_t, 2>> first_on(const Lanes2& l) {
  for (int64_t r = 0; r < l.rows; ++r)
    for (int64_t c = 0; c < l.cols; ++c) {
      const LaneState s = l.lanes.states[l.at(r, c)];
      if (s == LaneState::On || s == LaneState::Uninitialised) return std::array<int64_t, 2>{r, c};
    }
  return std::nullopt;
}

bool is_separable(const Lanes2& l, const std::vector<int64_t>& down, const std::vector<int64_t>& across) {
  for (int64_t r = 0; r < l.rows; ++r)
    for (int64_t c = 0; c < l.cols; ++c)
      if (l.lanes.offsets[l.at(r, c)] != l.lanes.offsets[0] + down[static_cast<size_t>(r)] + across[static_cast<size_t>(c)]) return false;
  return true;
}

/// Lanes that are on but lie beyond the axis: neighbouring axes are walked as one ([batch, rows] as rows). Never the
/// axis `other` that the tile walks on its own: columns beyond the end of a row are no longer row.
void merge_axis(const std::vector<Way>& ways, Way& way, int64_t furthest, int other) {
  for (bool again = true; again && furthest >= way.size;) {
    again = false;
    for (size_t i = 0; i < ways.size(); ++i) {
      const Way& outer = ways[i];
      if (static_cast<int>(i) == other || outer.size < 2 || outer.stride != way.stride * way.size) continue;
      way.size *= outer.size;
      again = true;
      break;
    }
  }
}

}  // namespace

std::vector<int64_t> extended_index(const TensorLayout& layout, int64_t offset) {
  const size_t rank = layout.shape.size();
  std::vector<size_t> order(rank);
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return std::llabs(layout.strides[a]) > std::llabs(layout.strides[b]); });
  std::vector<int64_t> index(rank, 0);
  int64_t left = offset - layout.lowest();
  for (size_t k = 0; k < rank; ++k) {
    const size_t a = order[k];
    const int64_t stride = std::llabs(layout.strides[a]);
    if (stride == 0 || layout.shape[a] < 2) continue;
    const int64_t q = floor_div(left, stride);
    left -= q * stride;
    index[a] = layout.strides[a] < 0 ? layout.shape[a] - 1 - q : q;
  }
  return index;
}

TilePlace place_tile(const TensorLayout& tensor, const AccessLanes& lanes, const Shape& tile, int row_axis, int col_axis) {
  TilePlace p;
  if (row_axis < 0 || col_axis < 0 || row_axis >= tile.rank || col_axis >= tile.rank || row_axis == col_axis) return p;
  if (static_cast<int64_t>(lanes.offsets.size()) != tile.elements() || lanes.states.size() != lanes.offsets.size()) return p;
  const std::vector<int64_t> strides = lane_strides(tile);
  const Lanes2 l{lanes, tile[row_axis], tile[col_axis], strides[static_cast<size_t>(row_axis)], strides[static_cast<size_t>(col_axis)]};
  const std::vector<int64_t> down = walk_of(lanes, l.rows, l.row_stride), across = walk_of(lanes, l.cols, l.col_stride);
  if (!is_separable(l, down, across)) return p;

  std::vector<Way> ways;
  for (size_t i = 0; i < tensor.shape.size(); ++i) ways.push_back({tensor.shape[i], tensor.strides[i]});
  const int64_t row_step = step_of(down), col_step = step_of(across);
  int64_t base = 0;
  const bool vector = split_vector(ways, row_step, col_step, base);
  // The axis with the larger steps chooses first: its stride tells axes apart best.
  const bool rows_first = std::llabs(row_step) >= std::llabs(col_step);
  int first = axis_of(ways, rows_first ? down : across, rows_first ? row_step : col_step, -1);
  int second = axis_of(ways, rows_first ? across : down, rows_first ? col_step : row_step, first);
  if (first < 0 && (rows_first ? l.rows : l.cols) == 1) first = spare_axis(ways, second);
  if (second < 0 && (rows_first ? l.cols : l.rows) == 1) second = spare_axis(ways, first);
  if (first < 0 || second < 0) return p;
  Way rows = ways[static_cast<size_t>(rows_first ? first : second)], cols = ways[static_cast<size_t>(rows_first ? second : first)];

  const std::array<int64_t, 2> anchor = first_on(l).value_or(std::array<int64_t, 2>{0, 0});
  const int64_t offset = lanes.offsets[l.at(anchor[0], anchor[1])];
  int64_t row, col;
  if (vector) {
    const Way &outer = ways[0], &inner = ways[1];
    const int64_t o = floor_div(offset, outer.stride), i = floor_div(offset - o * outer.stride, inner.stride);
    row = rows.stride == outer.stride ? o : i;
    col = rows.stride == outer.stride ? i : o;
    base = offset - row * rows.stride - col * cols.stride;
  } else {
    const std::vector<int64_t> index = extended_index(tensor, offset);
    row = index[static_cast<size_t>(rows_first ? first : second)];
    col = index[static_cast<size_t>(rows_first ? second : first)];
    base = offset - row * rows.stride - col * cols.stride;
  }
  row -= down[static_cast<size_t>(anchor[0])] / rows.stride;
  col -= across[static_cast<size_t>(anchor[1])] / cols.stride;
  int64_t last_row = 0, last_col = 0;  // of lanes that are on
  for (int64_t r = 0; r < l.rows; ++r) {
    p.row_index.push_back(row + down[static_cast<size_t>(r)] / rows.stride);
    for (int64_t c = 0; c < l.cols; ++c) {
      if (r == 0) p.col_index.push_back(col + across[static_cast<size_t>(c)] / cols.stride);
      const LaneState s = lanes.states[l.at(r, c)];
      if (s != LaneState::On && s != LaneState::Uninitialised) continue;
      last_row = std::max(last_row, p.row_index.back());
      last_col = std::max(last_col, p.col_index[static_cast<size_t>(c)]);
    }
  }
  const Way plain_rows = rows, plain_cols = cols;
  const int row_way = rows_first ? first : second, col_way = rows_first ? second : first;
  merge_axis(ways, rows, last_row, l.cols > 1 ? col_way : -1);
  merge_axis(ways, cols, last_col, l.rows > 1 ? row_way : -1);
  const Way& inner = std::llabs(plain_rows.stride) < std::llabs(plain_cols.stride) ? rows : cols;
  p.runs_over = l.rows > 1 && l.cols > 1 && (&inner == &rows ? last_row : last_col) >= inner.size;
  // A merged axis starts where its outermost part does.
  auto restart = [&](const Way& plain, const Way& merged, std::vector<int64_t>& index) {
    if (merged.size == plain.size) return;
    const int64_t before = floor_div(base, plain.stride * plain.size) * plain.size;
    base -= before * plain.stride;
    for (int64_t& i : index) i += before;
  };
  restart(plain_rows, rows, p.row_index);
  restart(plain_cols, cols, p.col_index);
  p.rows = rows.size;
  p.cols = cols.size;
  p.base = base;
  p.row_stride = rows.stride;
  p.col_stride = cols.stride;
  p.column_major = std::llabs(rows.stride) < std::llabs(cols.stride);
  p.transposed = row_way > col_way;
  p.regular = true;
  return p;
}

std::array<int64_t, 2> matrix_index(const TilePlace& p, int64_t offset) {
  const TensorLayout matrix{{std::max<int64_t>(p.rows, 1), std::max<int64_t>(p.cols, 1)}, {p.row_stride, p.col_stride}};
  const std::vector<int64_t> index = extended_index(matrix, offset - p.base);
  return {index[0], index[1]};
}

std::vector<LanePatch> off_patches(const AccessLanes& lanes, const Shape& tile, int row_axis, int col_axis, size_t limit) {
  std::vector<LanePatch> out;
  if (static_cast<int64_t>(lanes.states.size()) != tile.elements()) return out;
  const std::vector<int64_t> strides = lane_strides(tile);
  const Lanes2 l{lanes, tile[row_axis], tile[col_axis], strides[static_cast<size_t>(row_axis)], strides[static_cast<size_t>(col_axis)]};
  std::vector<size_t> open;  // pieces that reach down to the row before
  for (int64_t r = 0; r < l.rows; ++r) {
    std::vector<size_t> next;
    for (int64_t c = 0; c < l.cols;) {
      const LaneState s = lanes.states[l.at(r, c)];
      int64_t end = c + 1;
      while (end < l.cols && lanes.states[l.at(r, end)] == s) ++end;
      if (s != LaneState::On) {
        auto same = std::find_if(open.begin(), open.end(),
                                 [&](size_t k) { return out[k].col == c && out[k].col_end == end && out[k].state == s; });
        if (same != open.end()) {
          out[*same].row_end = r + 1;
          next.push_back(*same);
        } else {
          if (out.size() == limit) return {};
          next.push_back(out.size());
          out.push_back({r, r + 1, c, end, s});
        }
      }
      c = end;
    }
    open = std::move(next);
  }
  return out;
}

}  // namespace tilescope::model
