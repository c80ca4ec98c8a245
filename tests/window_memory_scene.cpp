// The Memory panel's data of real programs, step by step.
#include <doctest/doctest.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "tests/window_session.h"
#include "visualizer/model/grid_view.h"
#include "visualizer/model/memory_view.h"

namespace tilescope::model {
namespace {

/// The controller at the first line step with this label.
std::shared_ptr<const Scene> scene_at(Controller& c, const std::string& label, int occurrence = 0) {
  const Timeline& t = *c.scene()->timeline;
  for (size_t i = 0; i < t.lines.size(); ++i)
    if (t.lines[i].label == label && occurrence-- == 0) {
      c.go_to_line_step(i);
      return c.scene();
    }
  FAIL("no step " << label);
  return nullptr;
}

LanePicture lanes_of_access(const Scene& s, const std::vector<int64_t>& at = {}) {
  REQUIRE(!s.accesses.empty());
  const CurrentAccess& a = s.accesses.front();
  const TensorLayout& l = s.tensors[static_cast<size_t>(a.lanes->tensor)].tensor->layout;
  return place_lanes(OffsetMap(l), make_plane(l, at), *a.lanes, a.type.shape);
}

bool blank(const Scene& s, int tensor, int64_t offset) {
  const Tensor& t = *s.tensors[static_cast<size_t>(tensor)].tensor;
  return NeverStored(s, tensor)(t, t.origin + offset);
}

}  // namespace

TEST_CASE("the last program of the vector add: its lanes, its mask, and memory before and after the store") {
  auto c = opened_lesson("vector_add");
  c->select_program({3, 0, 0});
  settle(*c);
  auto s = scene_at(*c, "load x");
  CHECK(tensor_in_focus(*s) == 0);
  const LanePicture x = lanes_of_access(*s);
  CHECK(x.on == 232);
  CHECK(x.masked == 24);
  CHECK(x.line.back() == LaneRun{0, 1000, 24, LaneState::Masked, 1});
  CHECK(blank(*s, 2, 768));
  CHECK_FALSE(blank(*s, 2, 767));  // an earlier program stored it
  CHECK(stored_now(*s, 2).empty());
  const double reach = value_reach(*s, 2);
  s = scene_at(*c, "store");
  CHECK(tensor_in_focus(*s) == 2);
  CHECK_FALSE(blank(*s, 2, 768));
  CHECK(stored_now(*s, 2).size() == 232);
  CHECK(stored_now(*s, 2).front().offset == 768);
  CHECK(value_reach(*s, 2) == reach);
  const std::vector<ProgramRange> ranges = program_ranges(s->run.totals->trace, 0, s->tensors[0].tensor->layout);
  REQUIRE(ranges.size() == 4);
  CHECK(ranges[1].first == 256);
}

TEST_CASE("before the first store of the first program nothing is stored") {
  auto c = opened_lesson("vector_add");
  CHECK(blank(*c->scene(), 2, 0));
  CHECK(blank(*c->scene(), 2, 999));
  CHECK_FALSE(blank(*c->scene(), 0, 0));
}

TEST_CASE("tiles of the matmul lie at their rows and columns, masked-off parts beyond the border") {
  auto c = opened_lesson("matmul");
  c->select_program({2, 0, 0});
  settle(*c);
  const LanePicture a = lanes_of_access(*scene_at(*c, "load a", 1));
  CHECK(a.live == CellBox{64, 32, 6, 18});
  CHECK(a.whole == CellBox{64, 32, 32, 32});
  CHECK(a.solid);
  const LanePicture b = lanes_of_access(*scene_at(*c, "load b", 1));
  CHECK(b.live == CellBox{32, 0, 18, 32});
  auto s = scene_at(*c, "dot", 1);
  CHECK(s->accesses.empty());
  CHECK(s->trace->accesses[static_cast<size_t>(nearest_access(*s, 0))].tensor == 0);
  CHECK(tensor_in_focus(*s) == 1);
  s = scene_at(*c, "store");
  CHECK(stored_now(*s, 2).size() == 192);
  CHECK(nearest_access(*s, 7) == -1);
}

TEST_CASE("strided and transposed tiles of the grouped matmul are rectangles of the logical matrix") {
  auto c = opened_lesson("grouped_matmul");
  c->select_program({37, 0, 0});
  settle(*c);
  auto s = scene_at(*c, "load a", 3);
  const LanePicture a = lanes_of_access(*s);
  CHECK(a.live == CellBox{224, 96, 26, 32});
  CHECK(a.whole.rows == 32);
  CHECK(a.solid);
  s = scene_at(*c, "load b", 4);
  const LanePicture b = lanes_of_access(*s);
  CHECK(b.live == CellBox{128, 0, 2, 32});
  CHECK(b.whole == CellBox{128, 0, 32, 32});
  CHECK(b.solid);
  // The address of an element is the one that the kernel's pointers hold.
  const Variable* pointers = s->find_variable("a_tile");
  REQUIRE(pointers != nullptr);
  REQUIRE(pointers->record != nullptr);
  uint64_t first = 0;
  std::memcpy(&first, pointers->record->data.data(), sizeof(first));
  const uint64_t moved = first - tensor_address(*s->run.launch, 0);
  CHECK(moved % 2 == 0);
  CHECK(moved / 2 / 136 == 224);
}

TEST_CASE("a stored -1 is not taken for an element that nobody stored") {
  auto c = opened_kernel(R"({"kernel": "k", "grid": [2], "args": {"x": {"tensor": "int32", "shape": [12], "init": "empty"}}})",
                         "@triton.jit\ndef k(x):\n    i = tl.program_id(0) * 4 + tl.arange(0, 4)\n    tl.store(x + i, i * 0 - 1)\n");
  c->select_program({1, 0, 0});
  settle(*c);
  auto s = c->scene();
  CHECK_FALSE(blank(*s, 0, 2));  // program 0
  CHECK(blank(*s, 0, 5));
  c->go_to_end();
  s = c->scene();
  CHECK_FALSE(blank(*s, 0, 5));
  CHECK(blank(*s, 0, 9));
  CHECK(stored_now(*s, 0).size() == 4);
}

TEST_CASE("a kernel that stores in a loop owns its tile once, and each store is seen as new") {
  auto c = opened_kernel(R"({"kernel": "k", "grid": [2], "args": {"x": {"tensor": "float32", "shape": [6], "init": "zeros"}}})",
                         "@triton.jit\ndef k(x):\n    i = tl.program_id(0) * 4 + tl.arange(0, 4)\n    for n in range(0, 3):\n"
                         "        v = tl.load(x + i, mask=i < 6, other=0.0)\n        tl.store(x + i, v + 1.0, mask=i < 6)\n");
  auto s = scene_at(*c, "store", 1);
  CHECK(stored_now(*s, 0).size() == 4);
  double before = 0;
  before = read_double(DType::Float32, stored_now(*s, 0)[0].before);
  CHECK(before == 1);
  const RunTrace& totals = s->run.totals->trace;
  const auto tile = owned_tile(totals, find_ownership(totals), 1);
  REQUIRE(tile.has_value());
  CHECK(tile->inside == 2);
  CHECK(box_name("x", tile->whole) == "x[4..7]");
}

TEST_CASE("real launches: the programs of the matmuls own the tiles that they store") {
  auto plain = opened_lesson("matmul");
  const RunTrace& totals = plain->scene()->run.totals->trace;
  const Ownership o = find_ownership(totals);
  CHECK(o.name == "c_ptr");
  CHECK(box_name("C", owned_tile(totals, o, 2)->whole) == "C[64..95, 0..31]");
  CHECK(owned_tile(totals, o, 2)->inside == 192);
  CHECK_FALSE(tiles_differ_from_grid(totals, o));

  auto grouped = opened_lesson("grouped_matmul");
  const RunTrace& g = grouped->scene()->run.totals->trace;
  const Ownership owner = find_ownership(g);
  CHECK(box_name("C", owned_tile(g, owner, 37)->whole) == "C[224..255, 0..31]");
  CHECK(tiles_differ_from_grid(g, owner));
  const auto tiles = GridCanvas::by_tile(g, owner, 400, 200, 56, 28);
  REQUIRE(tiles.has_value());
  CHECK(tiles->rows() == 8);
  CHECK(tiles->cols() == 6);
  CHECK(tiles->place_of(37) == GridCanvas::Place{0, 7});
}

TEST_CASE("the lanes of a 4096 x 4096 matmul's tiles are placed, and its tensors sampled, in a few milliseconds") {
  LaunchSpec spec = lesson_launch("matmul");
  for (LaunchArg& a : spec.args) {
    if (auto* t = std::get_if<TensorSpec>(&a.value)) {
      t->layout = TensorLayout::contiguous({4096, 4096});
      t->init.kind = Init::Kind::Zeros;
    } else {
      a.value = int64_t{a.name.size() == 1 ? 4096 : a.name == "BLOCK_K" ? 64 : 128};
    }
  }
  Controller c(std::make_unique<Session>(spec));
  while (!c.scene()->ready) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  using Clock = std::chrono::steady_clock;
  double sum = 0, worst = 0;
  int count = 0;
  for (int i = 0; i < 30; ++i) {
    c.move(StepUnit::Line, 1);
    const auto s = c.scene();
    const auto start = Clock::now();
    for (const CurrentAccess& a : s->accesses) {
      const TensorLayout& l = s->tensors[static_cast<size_t>(a.lanes->tensor)].tensor->layout;
      CHECK(place_lanes(OffsetMap(l), make_plane(l), *a.lanes, a.type.shape).solid);
    }
    // What a fitted picture of 512 x 512 pixels shows.
    const Tensor& t = *s->tensors[0].tensor;
    Samples samples;
    sample_plane(t, make_plane(t.layout), NeverStored(*s, 0), {4, 4, 8, 8, 512, 512}, samples);
    const double ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    worst = std::max(worst, ms), sum += ms, ++count;
  }
  c.session().cancel();
  MESSAGE("4096^3 matmul: lanes and samples of a step take " << sum / count << " ms on average, " << worst << " ms at worst");
  CHECK(sum / count < 50);
}

}  // namespace tilescope::model
