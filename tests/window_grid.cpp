#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "visualizer/model/grid_view.h"

using namespace tilescope;
using namespace tilescope::model;

namespace {

/// A launch that stores to one tensor; `tile_of` gives the first index of a program's tile.
template <class TileOf>
RunTrace launch_over(std::array<int64_t, 3> grid, std::vector<int64_t> shape, std::vector<int64_t> tile, TileOf tile_of) {
  RunTrace t;
  t.grid = grid;
  t.programs = grid[0] * grid[1] * grid[2];
  t.tensors.resize(2);
  t.tensors[0].name = "a_ptr", t.tensors[0].shape = {4};
  t.tensors[1].name = "c_ptr", t.tensors[1].shape = shape;
  t.tensors[1].stores.times = static_cast<uint64_t>(t.programs);
  t.footprints.resize(static_cast<size_t>(t.programs) * 2);
  for (int64_t p = 0; p < t.programs; ++p) {
    ProgramFootprint& f = t.footprints[static_cast<size_t>(p) * 2 + 1];
    f.stored.lo = tile_of(p);
    uint64_t on = 1, all = 1;
    for (size_t a = 0; a < shape.size(); ++a) {
      f.stored.hi.push_back(std::min(f.stored.lo[a] + tile[a], shape[a]));
      on *= static_cast<uint64_t>(f.stored.hi[a] - f.stored.lo[a]);
      all *= static_cast<uint64_t>(tile[a]);
    }
    f.lanes_on = on, f.lanes_masked = all - on;
  }
  return t;
}

RunTrace matmul() {
  return launch_over({3, 2, 1}, {70, 50}, {32, 32}, [](int64_t p) { return std::vector<int64_t>{p % 3 * 32, p / 3 * 32}; });
}

/// The running order of lessons/kernels/grouped_matmul: 8 x 6 tiles in bands of 3 rows.
RunTrace grouped_matmul() {
  return launch_over({48, 1, 1}, {250, 190}, {32, 32}, [](int64_t p) {
    const int64_t first = p / 18 * 3, rows = std::min<int64_t>(8 - first, 3);
    return std::vector<int64_t>{(first + p % 18 % rows) * 32, p % 18 / rows * 32};
  });
}

/// Every program has a cell of its own that leads back to it.
void check_canvas(const GridCanvas& c) {
  std::set<std::pair<int64_t, int64_t>> cells;
  for (int64_t p = 0; p < c.programs(); ++p) {
    const GridCanvas::Place at = c.place_of(p);
    REQUIRE(c.program_at(at.x, at.y) == p);
    cells.insert({at.x, at.y});
  }
  CHECK(static_cast<int64_t>(cells.size()) == c.programs());
  int64_t programs = 0;
  if (c.width() * c.height() < 200'000)
    for (int64_t y = -1; y <= c.height(); ++y)
      for (int64_t x = -1; x <= c.width(); ++x) programs += c.program_at(x, y) >= 0;
  CHECK(programs == c.programs());
}

}  // namespace

TEST_CASE("grids of one, two and three axes give every program a cell of its own") {
  const std::vector<std::array<int64_t, 3>> grids = {{1, 1, 1}, {4, 1, 1}, {3, 2, 1}, {1, 6, 1}, {1, 1, 5}, {4, 3, 5}, {128, 1, 1}, {65536, 1, 1},
                                                     {256, 256, 1}, {2, 32768, 1}, {32768, 2, 1}, {16, 16, 256}, {7, 1, 9}};
  for (const auto& grid : grids) {
    CAPTURE(grid[0]);
    CAPTURE(grid[1]);
    CAPTURE(grid[2]);
    check_canvas(GridCanvas::by_program(grid, 400, 100, 56, 26));
  }
}

TEST_CASE("program numbers count along axis 0 first") {
  const std::array<int64_t, 3> grid{3, 2, 4};
  CHECK(program_number(grid, {2, 0, 0}) == 2);
  CHECK(program_number(grid, {0, 1, 0}) == 3);
  CHECK(program_number(grid, {1, 1, 3}) == 22);
  CHECK(program_index(grid, 22) == ProgramIndex{1, 1, 3});
  CHECK(program_name(grid, {1, 1, 3}) == "(1, 1, 3)");
  CHECK(program_name({4, 1, 1}, {3, 0, 0}) == "3");
  CHECK(program_name({3, 2, 1}, {2, 0, 0}) == "(2, 0)");
}

TEST_CASE("two axes stand as rows and columns, the third as blocks") {
  const GridCanvas plane = GridCanvas::by_program({3, 2, 1}, 400, 100, 56, 26);
  CHECK(plane.place_of(2) == GridCanvas::Place{0, 2});
  CHECK(plane.place_of(3) == GridCanvas::Place{1, 0});
  CHECK(plane.blocks().empty());
  const GridCanvas deep = GridCanvas::by_program({3, 2, 4}, 800, 100, 56, 26);
  REQUIRE(deep.blocks().size() == 4);
  CHECK(deep.blocks()[1].label == "1");
  CHECK(deep.place_of(6).x == deep.blocks()[1].at.x);
}

TEST_CASE("one axis is folded into rows when it does not fit, and a very long one of two into bands") {
  CHECK(GridCanvas::by_program({4, 1, 1}, 400, 100, 56, 26).height() == 1);
  // Smaller cells are better than a second row.
  CHECK(GridCanvas::by_program({4, 1, 1}, 110, 300, 56, 26).height() == 1);
  CHECK_FALSE(GridCanvas::by_program({4, 1, 1}, 110, 300, 56, 26).goes_on());
  CHECK(GridCanvas::by_program({5, 1, 1}, 110, 300, 56, 26).goes_on());
  CHECK_FALSE(GridCanvas::by_program({5, 2, 1}, 110, 300, 56, 26).goes_on());
  const GridCanvas folded = GridCanvas::by_program({128, 1, 1}, 400, 100, 56, 26);
  CHECK(folded.height() > 1);
  CHECK(folded.width() % 8 == 0);
  const GridCanvas bands = GridCanvas::by_program({2, 32768, 1}, 400, 300, 40, 20);
  CHECK(bands.blocks().size() > 8);
  CHECK(bands.blocks()[1].label.find("..") != std::string::npos);
}

TEST_CASE("a grid of a billion programs is folded without a table of them") {
  const GridCanvas c = GridCanvas::by_program({1 << 20, 1024, 1}, 400, 100, 56, 26);
  const int64_t last = (int64_t{1} << 30) - 1;
  const GridCanvas::Place at = c.place_of(last);
  CHECK(c.program_at(at.x, at.y) == last);
  const GridCanvas line = GridCanvas::by_program({INT32_MAX, 1, 1}, 400, 100, 56, 26);
  CHECK(line.program_at(line.place_of(1'234'567'890).x, line.place_of(1'234'567'890).y) == 1'234'567'890);
}

TEST_CASE("a program of the matmul owns its tile of C, cut off at the border") {
  const RunTrace t = matmul();
  const Ownership o = find_ownership(t);
  CHECK(o.name == "c_ptr");
  CHECK(o.disjoint);
  CHECK(o.tile == std::vector<int64_t>{32, 32});
  const auto corner = owned_tile(t, o, 2);
  REQUIRE(corner.has_value());
  CHECK(box_name("C", corner->whole) == "C[64..95, 0..31]");
  CHECK(box_name("C", corner->box) == "C[64..69, 0..31]");
  CHECK(corner->inside == 192);
  CHECK(corner->of == 1024);
  CHECK(owned_tile(t, o, 0)->inside == 1024);
  CHECK_FALSE(owned_tile(t, o, 6).has_value());
  CHECK_FALSE(tiles_differ_from_grid(t, o));
}

TEST_CASE("the output of a grid of one axis is a line in which each program has its stretch, the last one past the end") {
  const auto start = [](int64_t p) { return std::vector<int64_t>{p * 256}; };
  const RunTrace t = launch_over({4, 1, 1}, {1000}, {256}, start);
  const auto line = owned_line(t, find_ownership(t));
  REQUIRE(line.has_value());
  CHECK(line->name == "c_ptr");
  CHECK(line->elements == 1000);
  CHECK(line->end == 1024);
  REQUIRE(line->slices.size() == 4);
  CHECK(line->slices[1].lo == 256);
  CHECK(line->slices[1].whole == 512);
  CHECK(line->slices[3].hi == 1000);
  CHECK(line->slices[3].whole == 1024);
  CHECK_FALSE(owned_line(matmul(), find_ownership(matmul())).has_value());
  RunTrace strided = t;  // every second element of its stretch only
  for (ProgramFootprint& f : strided.footprints) f.lanes_on /= 2;
  CHECK_FALSE(owned_line(strided, find_ownership(strided)).has_value());
  const RunTrace many = launch_over({65, 1, 1}, {65 * 256}, {256}, start);
  CHECK_FALSE(owned_line(many, find_ownership(many)).has_value());
}

TEST_CASE("the tiles of the grouped matmul stand where they lie in C, whatever the programs' numbers") {
  const RunTrace t = grouped_matmul();
  const Ownership o = find_ownership(t);
  CHECK(tiles_differ_from_grid(t, o));
  const auto tiles = GridCanvas::by_tile(t, o, 400, 300, 40, 20);
  REQUIRE(tiles.has_value());
  check_canvas(*tiles);
  CHECK(tiles->rows() == 8);
  CHECK(tiles->cols() == 6);
  CHECK(tiles->place_of(1) == GridCanvas::Place{0, 1});
  CHECK(tiles->place_of(3) == GridCanvas::Place{1, 0});
  CHECK(tiles->place_of(18) == GridCanvas::Place{0, 3});
  CHECK(tiles->place_of(37) == GridCanvas::Place{0, 7});  // the last band has two rows
}

TEST_CASE("a vector's last program owns the lanes past its end as well") {
  const RunTrace t = launch_over({4, 1, 1}, {1000}, {256}, [](int64_t p) { return std::vector<int64_t>{p * 256}; });
  const Ownership o = find_ownership(t);
  const auto last = owned_tile(t, o, 3);
  REQUIRE(last.has_value());
  CHECK(last->inside == 232);
  CHECK(last->of == 256);
  CHECK(box_name("out", last->whole) == "out[768..1023]");
  CHECK(counts_of(t, 3, 1)->lanes_masked == 24);
  CHECK_FALSE(tiles_differ_from_grid(t, o));
}

TEST_CASE("a program that stores to its tile once per iteration owns it once") {
  RunTrace t = matmul();
  for (ProgramFootprint& f : t.footprints) f.lanes_on *= 4, f.lanes_masked *= 4;
  const auto corner = owned_tile(t, find_ownership(t), 2);
  CHECK(corner->inside == 192);
  CHECK(corner->of == 1024);
}

TEST_CASE("a program whose stores are scattered does not own the box around them") {
  RunTrace t = launch_over({2, 1, 1}, {200}, {200}, [](int64_t) { return std::vector<int64_t>{0}; });
  const Ownership o = find_ownership(t);
  t.element_counts.assign(t.tensors.size(), {});
  CHECK(most_stored(t, o, 0) == 200);
  // Fewer lanes than elements.
  const size_t mine = static_cast<size_t>(o.tensor);
  t.footprints[mine].lanes_on = 12;
  CHECK(most_stored(t, o, 0) == 12);
  // Many lanes at few elements.
  t.footprints[mine].lanes_on = 4000;
  std::vector<uint32_t>& stores = t.element_counts[mine].stores;
  stores.assign(200, 0);
  stores[0] = 1000, stores[199] = 3;
  CHECK(most_stored(t, o, 0) == 2);
  stores.assign(200, 1);
  CHECK(most_stored(t, o, 0) == 200);
  CHECK(most_stored(t, o, 99) == 0);
  // A large matrix is counted only in the box.
  RunTrace m = matmul();
  const Ownership c = find_ownership(m);
  CHECK(most_stored(m, c, 2) == owned_tile(m, c, 2)->inside);
}

TEST_CASE("programs that all store to one place own no part each") {
  const RunTrace t = launch_over({8, 1, 1}, {16}, {16}, [](int64_t) { return std::vector<int64_t>{0}; });
  const Ownership o = find_ownership(t);
  CHECK(o.tensor == 1);
  CHECK_FALSE(o.disjoint);
  CHECK_FALSE(GridCanvas::by_tile(t, o, 100, 100, 10, 10).has_value());
  CHECK(find_ownership(RunTrace{}).tensor == -1);
}

TEST_CASE("the tile that a batched output gives a program lies in a block of its matrix") {
  const RunTrace t = launch_over({2, 2, 3}, {3, 64, 64}, {1, 32, 32}, [](int64_t p) { return std::vector<int64_t>{p / 4, p % 2 * 32, p / 2 % 2 * 32}; });
  const auto tiles = GridCanvas::by_tile(t, find_ownership(t), 400, 100, 40, 20);
  REQUIRE(tiles.has_value());
  check_canvas(*tiles);
  CHECK(tiles->blocks().size() == 3);
}

TEST_CASE("the fault of a program is found by its index") {
  RunTrace t = matmul();
  t.faults.resize(1);
  t.faults[0].program = {1, 1, 0};
  CHECK(fault_of(t, {1, 1, 0}) == &t.faults[0]);
  CHECK(fault_of(t, {0, 1, 0}) == nullptr);
}
