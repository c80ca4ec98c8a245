// Where the lanes of an access lie: in the matrix (masked-off ones beyond its border, too) and in the line of memory.
#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

#include "visualizer/model/memory_view.h"

namespace tilescope::model {
namespace {

// A tile as an affine map onto the axes of a tensor: lane (i0, i1, ...) belongs to index base + sum of i_k * step_k along
// axis_k.
struct Fit {
  std::vector<int64_t> base;
  std::array<int, kMaxRank> axis{};
  std::array<int64_t, kMaxRank> step{};
};

// Counts lanes through the tile, row-major.
struct Odometer {
  const Shape& shape;
  std::array<int64_t, kMaxRank> i{};
  void next() {
    for (int k = shape.rank - 1; k >= 0; --k) {
      if (++i[static_cast<size_t>(k)] < shape[k]) return;
      i[static_cast<size_t>(k)] = 0;
    }
  }
};

// Offset per step along each tile axis, when all lanes follow them.
std::optional<std::array<int64_t, kMaxRank>> affine_steps(const AccessLanes& lanes, const Shape& shape) {
  std::array<int64_t, kMaxRank> delta{};
  int64_t pitch = 1;
  for (int k = shape.rank - 1; k >= 0; --k) {
    const size_t next = static_cast<size_t>(pitch);
    if (shape[k] > 1 && __builtin_sub_overflow(lanes.offsets[next], lanes.offsets[0], &delta[static_cast<size_t>(k)])) return std::nullopt;
    pitch *= shape[k];
  }
  Odometer at{shape};
  for (const int64_t offset : lanes.offsets) {
    // Unsigned, so that stray offsets wrap instead of overflowing; equality is all that counts.
    uint64_t expected = static_cast<uint64_t>(lanes.offsets[0]);
    for (int k = 0; k < shape.rank; ++k)
      expected += static_cast<uint64_t>(at.i[static_cast<size_t>(k)]) * static_cast<uint64_t>(delta[static_cast<size_t>(k)]);
    if (expected != static_cast<uint64_t>(offset)) return std::nullopt;
    at.next();
  }
  return delta;
}

// The tensor axis that a step of `delta` elements moves along: the one with the largest stride that divides it.
int axis_of_step(const TensorLayout& l, int64_t delta) {
  int best = -1;
  for (int a = 0; a < l.rank(); ++a) {
    const size_t i = static_cast<size_t>(a);
    const int64_t stride = l.strides[i];
    if (stride == 0 || delta % stride != 0) continue;
    const auto rank_of = [&](size_t x) { return std::make_tuple(l.shape[x] > 1, std::abs(l.strides[x]), l.shape[x]); };
    if (best < 0 || rank_of(i) > rank_of(static_cast<size_t>(best))) best = a;
  }
  return best;
}

bool touches(LaneState s) { return s == LaneState::On || s == LaneState::Uninitialised; }

std::optional<Fit> fit_tile(const OffsetMap& map, const AccessLanes& lanes, const Shape& shape) {
  const TensorLayout& l = map.layout();
  if (l.rank() == 0 || lanes.offsets.empty()) return std::nullopt;
  const auto delta = affine_steps(lanes, shape);
  if (!delta) return std::nullopt;
  Fit fit;
  fit.axis.fill(-1);
  for (int k = 0; k < shape.rank; ++k) {
    const size_t i = static_cast<size_t>(k);
    if ((*delta)[i] == 0) continue;
    fit.axis[i] = axis_of_step(l, (*delta)[i]);
    if (fit.axis[i] < 0) return std::nullopt;
    fit.step[i] = (*delta)[i] / l.strides[static_cast<size_t>(fit.axis[i])];
  }
  // A lane that touches memory anchors the tile: its place is certain.
  size_t anchor = lanes.states.size();
  for (size_t i = 0; i < lanes.states.size() && anchor == lanes.states.size(); ++i)
    if (touches(lanes.states[i]) && map.holds(lanes.offsets[i])) anchor = i;
  const bool anchored = anchor < lanes.states.size();
  if (!anchored) anchor = 0;
  map.find_beyond(lanes.offsets[anchor], fit.base);
  int64_t rest = static_cast<int64_t>(anchor);
  for (int k = shape.rank - 1; k >= 0; --k) {
    const size_t i = static_cast<size_t>(k);
    const int64_t lane = rest % shape[k];
    rest /= shape[k];
    if (fit.axis[i] >= 0) fit.base[static_cast<size_t>(fit.axis[i])] -= lane * fit.step[i];
  }
  // Every lane that touches memory must lie where the fit says: inside on every axis.
  Odometer at{shape};
  std::vector<int64_t> index;
  for (size_t lane = 0; lane < lanes.offsets.size(); ++lane, at.next()) {
    if (!touches(lanes.states[lane])) continue;
    index = fit.base;
    for (int k = 0; k < shape.rank; ++k)
      if (fit.axis[static_cast<size_t>(k)] >= 0)
        index[static_cast<size_t>(fit.axis[static_cast<size_t>(k)])] += at.i[static_cast<size_t>(k)] * fit.step[static_cast<size_t>(k)];
    for (size_t a = 0; a < index.size(); ++a)
      if (index[a] < 0 || index[a] >= l.shape[a]) return std::nullopt;
  }
  return fit;
}

using Point = LanePicture::PlacedLane;

bool before(const Point& a, const Point& b) { return std::tie(a.row, a.col) < std::tie(b.row, b.col); }

// The state that a place with several lanes is drawn in: the one that matters most.
LaneState stronger(LaneState a, LaneState b) {
  const auto weight = [](LaneState s) {
    switch (s) {
      case LaneState::OutOfBounds: return 3;
      case LaneState::Uninitialised: return 2;
      case LaneState::On: return 1;
      default: return 0;
    }
  };
  return weight(a) >= weight(b) ? a : b;
}

// Joins lanes of one place, then places of one row with the same state and number of lanes.
std::vector<LaneRun> runs_of(std::vector<Point>& points) {
  if (!std::is_sorted(points.begin(), points.end(), before)) std::stable_sort(points.begin(), points.end(), before);
  std::vector<LaneRun> out;
  for (size_t i = 0; i < points.size();) {
    LaneRun place{points[i].row, points[i].col, 1, points[i].state, touches(points[i].state) || points[i].state == LaneState::OutOfBounds ? 1u : 0u};
    size_t j = i + 1;
    for (; j < points.size() && points[j].row == place.row && points[j].col == place.col; ++j) {
      place.state = stronger(place.state, points[j].state);
      place.copies += points[j].state != LaneState::Masked;
    }
    place.copies = std::max(place.copies, 1u);
    i = j;
    LaneRun* last = out.empty() ? nullptr : &out.back();
    if (last != nullptr && last->row == place.row && last->col + last->count == place.col && last->state == place.state && last->copies == place.copies)
      ++last->count;
    else
      out.push_back(place);
  }
  return out;
}

void count(const AccessLanes& lanes, LanePicture& out) {
  for (const LaneState s : lanes.states) {
    out.on += touches(s);
    out.masked += s == LaneState::Masked;
    out.out += s == LaneState::OutOfBounds;
    out.uninitialised += s == LaneState::Uninitialised;
  }
}

void measure_line(const AccessLanes& lanes, LanePicture& out) {
  for (size_t i = 0; i < lanes.offsets.size(); ++i) {
    const int64_t o = lanes.offsets[i];
    const auto widen = [o](int64_t& first, int64_t& last) {
      const bool empty = first > last;
      first = empty ? o : std::min(first, o);
      last = empty ? o : std::max(last, o);
    };
    widen(out.whole_first, out.whole_last);
    if (touches(lanes.states[i])) widen(out.first, out.last);
  }
}

}  // namespace

std::vector<int64_t> LanePicture::lanes_at(int64_t offset, size_t most) const {
  std::vector<int64_t> out;
  for (auto i = std::lower_bound(lanes.begin(), lanes.end(), std::make_pair(offset, INT64_MIN)); i != lanes.end() && i->first == offset; ++i) {
    if (out.size() >= most) break;
    out.push_back(i->second);
  }
  return out;
}

const LanePicture::PlacedLane* LanePicture::lane_at(int64_t row, int64_t col) const {
  const auto i = std::lower_bound(placed.begin(), placed.end(), PlacedLane{row, col}, before);
  return i != placed.end() && i->row == row && i->col == col ? &*i : nullptr;
}

LanePicture place_lanes(const OffsetMap& map, const Plane& plane, const AccessLanes& lanes, const Shape& shape) {
  LanePicture out;
  const size_t n = std::min(lanes.offsets.size(), lanes.states.size());
  if (n == 0 || static_cast<int64_t>(n) != shape.elements()) return out;
  count(lanes, out);
  measure_line(lanes, out);

  const std::optional<Fit> fit = fit_tile(map, lanes, shape);
  std::vector<Point>& in_plane = out.placed;
  std::vector<Point> in_line;
  in_plane.reserve(n), in_line.reserve(n), out.lanes.reserve(n);
  Odometer at{shape};
  std::vector<int64_t> index;
  for (size_t lane = 0; lane < n; ++lane, at.next()) {
    const LaneState state = lanes.states[lane];
    in_line.push_back({0, lanes.offsets[lane], static_cast<int64_t>(lane), state});
    out.lanes.emplace_back(lanes.offsets[lane], static_cast<int64_t>(lane));
    if (fit) {
      index = fit->base;
      for (int k = 0; k < shape.rank; ++k)
        if (fit->axis[static_cast<size_t>(k)] >= 0)
          index[static_cast<size_t>(fit->axis[static_cast<size_t>(k)])] += at.i[static_cast<size_t>(k)] * fit->step[static_cast<size_t>(k)];
    } else {
      map.find_beyond(lanes.offsets[lane], index);
    }
    if (!plane.shows(index)) {
      out.elsewhere += touches(state);
      continue;
    }
    in_plane.push_back({plane.row_of(index), plane.col_of(index), static_cast<int64_t>(lane), state});
  }
  if (!std::is_sorted(out.lanes.begin(), out.lanes.end())) std::sort(out.lanes.begin(), out.lanes.end());
  out.plane = runs_of(in_plane);
  out.line = runs_of(in_line);

  int64_t live_places = 0;
  for (const LaneRun& r : out.plane) {
    out.whole.include(r.row, r.col, r.count);
    if (!touches(r.state)) continue;
    out.live.include(r.row, r.col, r.count);
    live_places += r.count;
  }
  for (const LaneRun& r : out.line) {
    if (r.state == LaneState::Masked) continue;
    out.most_copies = std::max(out.most_copies, r.copies);
    out.duplicates += static_cast<uint64_t>(r.count) * (r.copies - 1);
  }
  out.solid = !out.live.empty() && live_places == out.live.rows * out.live.cols && out.duplicates == 0;
  return out;
}

}  // namespace tilescope::model
