// source_lanes: how lanes of results hang on lanes of operands, op by op.
#include <algorithm>

#include "visualizer/model/provenance.h"

namespace tilescope::model {
namespace {

// The lanes along `axis` through `index`, from `first` to `last` (inclusive; may run backwards).
std::vector<int64_t> along(const Shape& shape, std::vector<int64_t> index, size_t axis, int64_t first, int64_t last) {
  std::vector<int64_t> out;
  const int64_t step = last >= first ? 1 : -1;
  for (int64_t i = first;; i += step) {
    index[axis] = i;
    out.push_back(lane_of(shape, index));
    if (i == last) break;
  }
  return out;
}

std::vector<OperandLanes> dot_lanes(const Function& f, const Op& op, const std::vector<int64_t>& index, int64_t lane) {
  const Shape &a = f.type(op.operands[0]).shape, &b = f.type(op.operands[1]).shape;
  const auto rank = static_cast<size_t>(a.rank);
  std::vector<int64_t> in_a = index, in_b = index;
  in_a[rank - 1] = 0;
  in_b[rank - 2] = 0;
  const int64_t k = a[a.rank - 1];
  return {{0, along(a, in_a, rank - 1, 0, k - 1)}, {1, along(b, in_b, rank - 2, 0, k - 1)}, {2, {lane}}};
}

std::vector<OperandLanes> shape_lanes(const Function& f, const Op& op, int result, int64_t lane) {
  const Shape& to = f.type(op.results[static_cast<size_t>(result)]).shape;
  const std::vector<int64_t> index = index_of_lane(to, lane);
  if (op.operands.empty()) return {};
  const Shape& from = f.type(op.operands[0]).shape;
  switch (op.code) {
    case OpCode::Splat:
      return {{0, {0}}};
    case OpCode::ExpandDims: case OpCode::Reshape:
      return {{0, {lane}}};
    case OpCode::Broadcast: {
      std::vector<int64_t> at = index;
      for (int i = 0; i < from.rank; ++i)
        if (from[i] == 1) at[static_cast<size_t>(i)] = 0;
      return {{0, {lane_of(from, at)}}};
    }
    case OpCode::Trans: {
      const std::vector<int64_t>& order = op.ints_attr("order");
      std::vector<int64_t> at(index.size());
      for (size_t i = 0; i < order.size(); ++i) at[static_cast<size_t>(order[i])] = index[i];
      return {{0, {lane_of(from, at)}}};
    }
    case OpCode::Flip: {
      std::vector<int64_t> at = index;
      const auto axis = static_cast<size_t>(op.int_attr("axis"));
      at[axis] = from[static_cast<int>(axis)] - 1 - at[axis];
      return {{0, {lane_of(from, at)}}};
    }
    case OpCode::Join:
      return {{static_cast<int>(index.back()), {lane / 2}}};
    case OpCode::Split:
      return {{0, {lane * 2 + result}}};
    case OpCode::Cat: {
      const int64_t first = from.elements();
      return lane < first ? std::vector<OperandLanes>{{0, {lane}}} : std::vector<OperandLanes>{{1, {lane - first}}};
    }
    default:
      return {{1, {lane}}};  // Gather: the index; the element it names depends on its value
  }
}

std::vector<OperandLanes> collective_lanes(const Function& f, const Op& op, int64_t lane) {
  const Shape& from = f.type(op.operands[0]).shape;
  std::vector<OperandLanes> out;
  if (op.code == OpCode::Reduce || op.code == OpCode::Scan) {
    const auto axis = static_cast<size_t>(op.int_attr("axis"));
    const int64_t n = from[static_cast<int>(axis)];
    std::vector<int64_t> index = index_of_lane(from, lane);
    int64_t first = 0, last = n - 1;
    if (op.code == OpCode::Reduce) {
      Shape rest;
      for (int i = 0; i < from.rank; ++i)
        if (i != static_cast<int>(axis)) rest.push_back(from[i]);
      index = index_of_lane(rest, lane);
      index.insert(index.begin() + static_cast<std::ptrdiff_t>(axis), 0);
    } else {
      first = op.int_attr("reverse") != 0 ? n - 1 : 0;
      last = index[axis];
    }
    for (size_t i = 0; i < op.operands.size(); ++i) out.push_back({static_cast<int>(i), along(from, index, axis, first, last)});
    return out;
  }
  // Sort, TopK, Histogram: an element may come from anywhere along the last axis (Histogram: anywhere).
  const int64_t n = from.rank > 0 ? from[from.rank - 1] : 1;
  const Shape& to = f.type(op.results[0]).shape;
  const int64_t row = op.code == OpCode::Histogram || to.rank == 0 ? 0 : lane / to[to.rank - 1];
  std::vector<int64_t> lanes;
  const int64_t begin = op.code == OpCode::Histogram ? 0 : row * n;
  for (int64_t i = 0; i < (op.code == OpCode::Histogram ? from.elements() : n); ++i) lanes.push_back(begin + i);
  out.push_back({0, std::move(lanes)});
  return out;
}

}  // namespace

std::vector<OperandLanes> source_lanes(const Function& f, const Op& op, int result, int64_t lane) {
  const Shape shape = static_cast<size_t>(result) < op.results.size() ? f.type(op.results[static_cast<size_t>(result)]).shape : Shape{};
  if (op.code == OpCode::Dot) return dot_lanes(f, op, index_of_lane(shape, lane), lane);
  if (op.info().group == OpGroup::Shape) return shape_lanes(f, op, result, lane);
  if (op.info().group == OpGroup::Collective) return collective_lanes(f, op, lane);
  std::vector<OperandLanes> out;
  for (size_t i = 0; i < op.operands.size(); ++i)
    if (f.type(op.operands[i]).shape == shape) out.push_back({static_cast<int>(i), {lane}});
  return out;
}

}  // namespace tilescope::model
