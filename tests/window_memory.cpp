#include <doctest/doctest.h>

#include <cstring>
#include <numeric>

#include "visualizer/model/memory_view.h"

using namespace tilescope;
using namespace tilescope::model;

namespace {

TensorLayout strided(std::vector<int64_t> shape, std::vector<int64_t> strides) { return {std::move(shape), std::move(strides)}; }

/// Element at storage index i holds the number i.
Tensor counting(TensorLayout layout) {
  Expected<Tensor> t = allocate_tensor("t", DType::Float32, std::move(layout));
  REQUIRE(t.ok());
  for (int64_t i = 0; i < t->storage_elements(); ++i) write_double(DType::Float32, t->element(i), static_cast<double>(i));
  return std::move(*t);
}

/// Lanes of a tile whose lane (i, j) addresses (row + i, col + j) of a matrix with these strides; masked off outside.
AccessLanes tile_lanes(const TensorLayout& l, int64_t row, int64_t col, int64_t rows, int64_t cols, bool masked = true) {
  AccessLanes a;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < cols; ++j) {
      const int64_t r = row + i, c = col + j;
      a.offsets.push_back(r * l.strides[0] + c * l.strides[1]);
      const bool inside = r >= 0 && c >= 0 && r < l.shape[0] && c < l.shape[1];
      const bool in_memory = a.offsets.back() >= l.lowest() && a.offsets.back() <= l.highest();
      a.states.push_back(inside ? LaneState::On : masked ? LaneState::Masked : in_memory ? LaneState::On : LaneState::OutOfBounds);
    }
  return a;
}

AccessLanes vector_lanes(int64_t first, int64_t count, int64_t size, LaneState beyond) {
  AccessLanes a;
  for (int64_t i = 0; i < count; ++i) {
    a.offsets.push_back(first + i);
    a.states.push_back(first + i < size && first + i >= 0 ? LaneState::On : beyond);
  }
  return a;
}

LanePicture place(const TensorLayout& l, const AccessLanes& lanes, const Shape& shape, const std::vector<int64_t>& at = {}) {
  return place_lanes(OffsetMap(l), make_plane(l, at), lanes, shape);
}

}  // namespace

TEST_CASE("every offset of strided, transposed, reversed and three-dimensional tensors finds its index") {
  const std::vector<TensorLayout> layouts = {
      TensorLayout::contiguous({7, 5}), strided({7, 5}, {8, 1}),  strided({7, 5}, {1, 9}), strided({7, 5}, {-6, 1}), strided({7, 5}, {6, -1}),
      TensorLayout::contiguous({3, 4, 5}), strided({3, 4, 5}, {1, 20, 4}), strided({4, 4}, {0, 1}), strided({4, 3}, {2, 3}), strided({6}, {-2}),
      TensorLayout::contiguous({1}), strided({}, {})};
  for (const TensorLayout& l : layouts) {
    const OffsetMap map(l);
    std::vector<int64_t> index;
    int64_t found = 0;
    for (int64_t o = l.lowest() - 3; o <= l.highest() + 3; ++o) {
      const bool held = map.find(o, index);
      CHECK(held == l.index_of(o).has_value());
      CHECK(held == map.holds(o));
      if (held) CHECK(l.offset_of(index) == o);
      found += held;
    }
    CHECK(found > 0);
  }
  std::vector<int64_t> index;
  CHECK_FALSE(OffsetMap(TensorLayout::contiguous({0, 4})).find(0, index));
}

TEST_CASE("offsets beyond a tensor are placed as if its outermost axis went on") {
  const OffsetMap map(TensorLayout::contiguous({4, 10}));
  std::vector<int64_t> index;
  map.find_beyond(43, index);
  CHECK(index == std::vector<int64_t>{4, 3});
  map.find_beyond(-1, index);
  CHECK(index == std::vector<int64_t>{-1, 9});
  map.find_beyond(INT64_MIN, index);
  map.find_beyond(INT64_MAX, index);
  CHECK(index[1] < 10);
}

TEST_CASE("masked-off lanes of a tile lie beyond the matrix, not in the next row whose elements they would address") {
  for (const TensorLayout& l : {TensorLayout::contiguous({70, 50}), strided({70, 50}, {56, 1}), strided({70, 50}, {1, 71}), strided({70, 50}, {-50, 1})}) {
    const LanePicture p = place(l, tile_lanes(l, 64, 32, 32, 32), Shape{32, 32});
    CHECK(p.on == 6 * 18);
    CHECK(p.masked == 32 * 32 - 6 * 18);
    CHECK(p.live == CellBox{64, 32, 6, 18});
    CHECK(p.whole == CellBox{64, 32, 32, 32});
    CHECK(p.solid);
    CHECK(p.duplicates == 0);
  }
}

TEST_CASE("the masked tail of a vector is placed past its end") {
  const TensorLayout l = TensorLayout::contiguous({1000});
  const LanePicture p = place(l, vector_lanes(768, 256, 1000, LaneState::Masked), Shape{256});
  REQUIRE(p.line.size() == 2);
  CHECK(p.line[0] == LaneRun{0, 768, 232, LaneState::On, 1});
  CHECK(p.line[1] == LaneRun{0, 1000, 24, LaneState::Masked, 1});
  CHECK(p.first == 768);
  CHECK(p.last == 999);
  CHECK(p.whole_last == 1023);
}

TEST_CASE("a row of a matrix loaded by a longer tile goes on beyond the last column") {
  const TensorLayout l = TensorLayout::contiguous({128, 1000});
  AccessLanes lanes = vector_lanes(3000, 1024, 4000, LaneState::Masked);
  const LanePicture p = place(l, lanes, Shape{1024});
  CHECK(p.live == CellBox{3, 0, 1, 1000});
  CHECK(p.whole == CellBox{3, 0, 1, 1024});
  CHECK(p.line.back() == LaneRun{0, 4000, 24, LaneState::Masked, 1});
}

TEST_CASE("lanes without a mask are shown where they really touch memory, and beyond the edge where they miss it") {
  const TensorLayout vector = TensorLayout::contiguous({1000});
  const LanePicture v = place(vector, vector_lanes(768, 256, 1000, LaneState::OutOfBounds), Shape{256});
  CHECK(v.out == 24);
  CHECK(v.plane.back() == LaneRun{0, 1000, 24, LaneState::OutOfBounds, 1});

  // Columns past the last one wrap into the next row; only what lies past the last row is out of bounds.
  const TensorLayout l = TensorLayout::contiguous({70, 50});
  const LanePicture p = place(l, tile_lanes(l, 64, 32, 32, 32, false), Shape{32, 32});
  CHECK(p.out > 0);
  CHECK(p.live.right() <= 50);
  CHECK(p.live.bottom() == 70);
  CHECK(p.whole.bottom() > 70);

  const LanePicture before = place(vector, vector_lanes(-4, 8, 1000, LaneState::OutOfBounds), Shape{8});
  CHECK(before.line.front() == LaneRun{0, -4, 4, LaneState::OutOfBounds, 1});
  CHECK(before.live.col == 0);
}

TEST_CASE("lanes on one element are counted as duplicates") {
  const TensorLayout l = TensorLayout::contiguous({16});
  AccessLanes lanes;
  for (int64_t i = 0; i < 12; ++i) lanes.offsets.push_back(i / 3), lanes.states.push_back(LaneState::On);
  const LanePicture p = place(l, lanes, Shape{12});
  REQUIRE(p.line.size() == 1);
  CHECK(p.line[0] == LaneRun{0, 0, 4, LaneState::On, 3});
  CHECK(p.duplicates == 8);
  CHECK(p.most_copies == 3);
  CHECK_FALSE(p.solid);
  CHECK(p.lanes_at(2) == std::vector<int64_t>{6, 7, 8});
  CHECK(p.lanes_at(5).empty());

  // A masked-off lane on the same element is no duplicate.
  lanes.states[1] = lanes.states[2] = LaneState::Masked;
  CHECK(place(l, lanes, Shape{12}).line.front() == LaneRun{0, 0, 1, LaneState::On, 1});
}

TEST_CASE("scattered lanes keep their places, in any order") {
  const TensorLayout l = TensorLayout::contiguous({4, 4});
  AccessLanes lanes;
  lanes.offsets = {13, 2, 3, 8, 40};
  lanes.states = {LaneState::On, LaneState::On, LaneState::Uninitialised, LaneState::On, LaneState::OutOfBounds};
  lanes.offsets.insert(lanes.offsets.end(), {0, 0, 0});
  lanes.states.insert(lanes.states.end(), 3, LaneState::Masked);
  const LanePicture p = place(l, lanes, Shape{8});
  CHECK(p.on == 4);
  CHECK(p.uninitialised == 1);
  REQUIRE(p.plane.size() == 6);
  CHECK(p.plane[0] == LaneRun{0, 0, 1, LaneState::Masked, 1});
  CHECK(p.plane[1] == LaneRun{0, 2, 1, LaneState::On, 1});
  CHECK(p.plane[2] == LaneRun{0, 3, 1, LaneState::Uninitialised, 1});
  CHECK(p.plane.back() == LaneRun{10, 0, 1, LaneState::OutOfBounds, 1});
  CHECK_FALSE(p.solid);
}

TEST_CASE("a tensor with three axes shows a slice and says how many lanes are in others") {
  const TensorLayout l = TensorLayout::contiguous({3, 4, 5});
  AccessLanes lanes;
  for (int64_t i = 0; i < 64; ++i) lanes.offsets.push_back(i), lanes.states.push_back(i < 60 ? LaneState::On : LaneState::Masked);
  const LanePicture p = place(l, lanes, Shape{64}, {1});
  CHECK(p.elsewhere == 40);
  CHECK(p.live == CellBox{0, 0, 4, 5});
  const Plane slice = make_plane(l, {9});
  CHECK(slice.at[0] == 2);
  CHECK(slice.offset(1, 2) == 2 * 20 + 5 + 2);
  CHECK(slice.index(1, 2) == std::vector<int64_t>{2, 1, 2});
}

TEST_CASE("broadcast lanes and whole tiles that are masked off have a picture") {
  const TensorLayout l = TensorLayout::contiguous({10});
  AccessLanes same;
  same.offsets.assign(16, 3), same.states.assign(16, LaneState::On);
  CHECK(place(l, same, Shape{4, 4}).line == std::vector<LaneRun>{{0, 3, 1, LaneState::On, 16}});
  const LanePicture off = place(l, vector_lanes(64, 32, 10, LaneState::Masked), Shape{32});
  CHECK(off.live.empty());
  CHECK(off.whole == CellBox{0, 64, 1, 32});
  CHECK(off.first > off.last);
  AccessLanes stray = vector_lanes(0, 4, 10, LaneState::On);
  stray.offsets[3] = INT64_MIN, stray.states[3] = LaneState::Masked;
  CHECK(place(l, stray, Shape{4}).on == 3);
  CHECK(place(l, stray, Shape{8}).on == 0);  // not the tile that these lanes are from
}

TEST_CASE("samples are the elements that a level of detail stands for, with strides and gaps") {
  const Tensor t = counting(strided({6, 8}, {10, 1}));
  const OffsetMap map(t.layout);
  const NeverStored never;
  Samples s;
  sample_plane(t, make_plane(t.layout), never, {2, 0, 2, 2, 3, 5}, s);
  CHECK(s.values[0] == 20);
  CHECK(s.values[1] == 22);
  CHECK(s.values[5] == 40);
  CHECK(s.kinds[4] == CellKind::Nothing);   // column 8
  CHECK(s.kinds[10] == CellKind::Nothing);  // row 6
  sample_line(t, map, never, 6, 1, 5, s);
  CHECK(s.kinds == std::vector<CellKind>{CellKind::Value, CellKind::Value, CellKind::Nothing, CellKind::Nothing, CellKind::Value});
  CHECK(s.values[4] == 10);
  sample_line(t, map, never, -2, 0.5, 6, s);
  CHECK(s.kinds[3] == CellKind::Nothing);
  CHECK(s.kinds[4] == CellKind::Value);

  const Tensor reversed = counting(strided({4, 4}, {-4, 1}));
  sample_plane(reversed, make_plane(reversed.layout), never, {0, 0, 1, 1, 4, 4}, s);
  CHECK(s.values[0] == 12);
  CHECK(s.values[12] == 0);
  const Tensor transposed = counting(strided({4, 3}, {1, 4}));
  sample_plane(transposed, make_plane(transposed.layout), never, {0, 0, 1, 1, 4, 3}, s);
  CHECK(s.values[1] == 4);
  CHECK(s.values[3] == 1);
}

TEST_CASE("a texel stands for one to two pixels of elements") {
  CHECK(level_of_detail(8) == 0);
  CHECK(level_of_detail(1) == 0);
  CHECK(level_of_detail(0.99) == 1);
  CHECK(level_of_detail(0.25) == 2);
  CHECK(level_of_detail(0.2) == 3);
  CHECK(level_of_detail(0) == 40);
}

TEST_CASE("counts are read by storage order, also when one count stands for several elements") {
  const Tensor t = counting(TensorLayout::contiguous({2, 4}));
  Samples s;
  count_plane(t, make_plane(t.layout), {5, 6, 7, 8}, 2, {0, 0, 1, 1, 2, 4}, s);
  CHECK(s.values == std::vector<double>{5, 5, 6, 6, 7, 7, 8, 8});
  count_line(t, OffsetMap(t.layout), {1, 2, 3}, 1, 0, 1, 5, s);
  CHECK(s.values == std::vector<double>{1, 2, 3, 0, 0});
}

TEST_CASE("programs that share a vector among them have ranges; overlapping ones have none") {
  RunTrace totals;
  totals.tensors.resize(1);
  for (int64_t p = 0; p < 4; ++p) {
    ProgramFootprint f;
    f.loaded.lo = {p * 256}, f.loaded.hi = {std::min<int64_t>(p * 256 + 256, 1000)};
    totals.footprints.push_back(f);
  }
  const TensorLayout l = TensorLayout::contiguous({1000});
  const std::vector<ProgramRange> ranges = program_ranges(totals, 0, l);
  REQUIRE(ranges.size() == 4);
  CHECK(ranges[3].first == 768);
  CHECK(ranges[3].end == 1000);
  CHECK(program_ranges(totals, 0, l, 3).empty());
  totals.footprints[2].loaded.lo[0] = 500;
  CHECK(program_ranges(totals, 0, l).empty());
}

TEST_CASE("lanes that are off are counted on the side of the live ones on which they lie") {
  const auto at = [](int64_t from, int64_t to, int64_t on_from, int64_t on_to, uint64_t lanes) {
    const OutsideLanes o = outside_lanes(from, to, on_from, on_to, lanes);
    return std::make_pair(o.before, o.after);
  };
  using Pair = std::pair<uint64_t, uint64_t>;
  CHECK(at(768, 1024, 768, 1000, 24) == Pair{0, 24});
  CHECK(at(-40, 216, 0, 150, 106) == Pair{40, 66});
  CHECK(at(-1023, -767, -999, -767, 24) == Pair{24, 0});  // a negative stride
  CHECK(at(0, 64, 0, 0, 64) == Pair{0, 64});
  CHECK(at(0, 64, 0, 64, 0) == Pair{0, 0});
  CHECK(at(0, 510, 20, 510, 15) == Pair{15, 0});  // every second element
}
