// What the Cost panel draws, from tiles and reports made by hand.
#include <doctest/doctest.h>

#include <algorithm>

#include "visualizer/model/cost_view.h"
#include "window_cost_data.h"

using namespace tilescope;
using namespace tilescope::model;

TEST_CASE("nine programs load 90 tiles row by row and 54 in groups of three rows") {
  const ProductTiles t(9, 9, 9);
  const TileMap rows = t.map(1), groups = t.map(3);
  REQUIRE(rows.is_product());
  CHECK(rows.loads[0].tensor == "a_ptr");
  CHECK(rows.loads_of(9) == 90);
  CHECK(groups.loads_of(9) == 54);
  const TileCount a = count_tiles(rows.loads[0], 9), b = count_tiles(rows.loads[1], 9, true);
  CHECK(a.form == TileCount::Form::Rows);
  CHECK(a.rows == 1);
  CHECK(a.tiles == 9);
  CHECK(b.form == TileCount::Form::Cols);
  CHECK(b.cols == 9);
  CHECK(b.tiles == 81);
  const TileCount grouped = count_tiles(groups.loads[1], 9);
  CHECK(grouped.form == TileCount::Form::Cols);
  CHECK(grouped.cols == 3);
  CHECK(grouped.tiles == 27);
}

TEST_CASE("all programs load every tile once, whatever their order; the first one a row and a column") {
  const ProductTiles t(4, 6, 5);
  for (const int64_t group : {1, 2, 3, 4}) {
    const TileMap map = t.map(group);
    CHECK(map.loads_of(24) == 4 * 5 + 5 * 6);
    CHECK(map.loads_of(1) == 5 + 5);
    CHECK(map.loads_of(0) == 0);
  }
}

TEST_CASE("a tile knows how many of the first programs load it, and where it begins") {
  const ProductTiles t(9, 9, 9);
  const TileMap map = t.map(3);
  const TileGrid& b = map.loads[1];
  CHECK(b.uses_among(0, 9) == 3);   // column 0: programs 0, 1, 2
  CHECK(b.uses_among(0, 2) == 2);
  CHECK(b.uses_among(0, 81) == 9);
  CHECK(b.uses_among(8, 9) == 0);
  CHECK(b.origin(8 * 9 + 2) == std::vector<int64_t>{256, 64});
  REQUIRE(map.stores);
  CHECK(map.stores->first(9) == 1);  // C[1, 0] is the second program's
}

TEST_CASE("programs that are not looked at leave cells of the output without a number") {
  const ProductTiles t(8, 8, 2);
  const TileMap map = t.map(1, 16);
  REQUIRE(map.stores);
  CHECK(map.programs == 64);
  CHECK(map.order.size() == 16);
  CHECK(map.stores->first(15) == 15);
  CHECK(map.stores->first(16) == kNever);
}

TEST_CASE("tiles of a batch are rows below one another; vectors are one row") {
  ProductTiles t(1, 1, 1);
  t.tensors[0].shape = {3, 64, 32};
  t.tensors[2].shape = {128};
  std::vector<cost::TileUse> uses;
  for (int64_t z = 0; z < 3; ++z)
    for (int64_t r = 0; r < 2; ++r) uses.push_back({0, {{z, r * 32, 0}, {z + 1, r * 32 + 32, 32}}, {z}});
  for (int64_t i = 0; i < 4; ++i) uses.push_back({2, {{i * 32}, {i * 32 + 32}}, {i}});
  const TileMap map = make_tile_map(t.ops, t.tensors, uses, {0, 1, 2, 3}, 4);
  REQUIRE(map.loads.size() == 1);
  CHECK(map.loads[0].rows == 6);
  CHECK(map.loads[0].cols == 1);
  CHECK(map.loads[0].origin(5) == std::vector<int64_t>{2, 32, 0});
  CHECK(count_tiles(map.loads[0], 1).tiles == 2);
  REQUIRE(map.stores);
  CHECK(map.stores->rows == 1);
  CHECK(map.stores->cols == 4);
  CHECK_FALSE(map.is_product());
}

TEST_CASE("gathers, tiles that overlap and kernels without loads are refused by name") {
  ProductTiles t(2, 2, 2);
  const TileMap gather = make_tile_map(t.ops, t.tensors, {{0, {}, {0}}}, {0}, 1);
  CHECK(gather.refusal == TileMap::Refusal::NoBoxes);
  CHECK(gather.refused == "a_ptr");
  const TileMap window = make_tile_map(t.ops, t.tensors, {{0, {{0, 0}, {32, 32}}, {0}}, {0, {{0, 1}, {32, 33}}, {0}}}, {0}, 1);
  CHECK(window.refusal == TileMap::Refusal::Overlap);
  const TileMap none = make_tile_map(t.ops, t.tensors, {{2, {{0, 0}, {32, 32}}, {0}}}, {0}, 1);
  CHECK(none.refusal == TileMap::Refusal::NoLoads);
  CHECK(none.stores);
}

TEST_CASE("the first programs of an order are those that are dealt first, not those with the least numbers") {
  using Kind = cost::DealOrder::Kind;
  const std::array<int64_t, 3> grid{3, 4, 1};
  CHECK(dealt_order(grid, {}, 5) == std::vector<int64_t>{0, 1, 2, 3, 4});
  CHECK(dealt_order(grid, {Kind::OtherAxisFirst, 1, 0}, 6) == std::vector<int64_t>{0, 3, 6, 9, 1, 4});
  std::vector<int64_t> shuffled = dealt_order(grid, {Kind::Shuffled, 1, 7}, 100);
  std::sort(shuffled.begin(), shuffled.end());
  CHECK(shuffled == dealt_order(grid, {}, 12));
}

TEST_CASE("the view shows the launch's order, another one beside it, and bars that can be set") {
  const CostView v = make_cost_view(product_findings(), {}, false, false);
  CHECK(v.stage == CostView::Stage::Ready);
  CHECK(v.programs == 9);
  CHECK(v.all_programs == 81);
  REQUIRE(v.figures.size() == 2);
  CHECK(v.figures[0].loads == 54);
  CHECK(v.figures[0].fewer);
  CHECK(v.figures[1].loads == 90);
  CHECK_FALSE(v.figures[1].fewer);
  REQUIRE(v.bars.size() == 5);
  CHECK(v.bars[3].current);
  CHECK_FALSE(v.bars[3].settable);
  CHECK(v.bars[3].least);
  CHECK(v.bars[0].settable);
  CHECK(v.bars[0].against_current == doctest::Approx(5.5 / 1.5));
  CHECK(v.ideal_bytes == doctest::Approx(2 * 134217728.0));
  CHECK(v.bytes.high >= 5.5e9 * 1.06);
  CHECK(v.bytes.ticks.size() >= 4);
}

TEST_CASE("where a constexpr orders the programs, dealing them as they are numbered is no bar of its own") {
  auto f = product_findings();
  cost::CostReport r = *f->report;
  cost::Alternative dealt = r.alternatives[3];
  dealt.parameter = "order", dealt.value = 0, dealt.label = "as numbered";
  r.alternatives.push_back(dealt);
  dealt.current = false, dealt.order.kind = cost::DealOrder::Kind::OtherAxisFirst, dealt.label = "other axis first";
  r.alternatives.push_back(dealt);
  f->report = std::make_shared<const cost::CostReport>(r);
  const CostView v = make_cost_view(f, {}, false, false);
  CHECK(v.figures[0].order.label == "GROUP_M = 8");
  REQUIRE(v.bars.size() == 6);
  CHECK(std::count_if(v.bars.begin(), v.bars.end(), [](const TrafficBar& b) { return b.current; }) == 1);
  CHECK_FALSE(v.bars[5].settable);
}

TEST_CASE("the roofline has a point for each order, the launch's last, inside its axes") {
  const CostView v = make_cost_view(product_findings(), {}, false, false);
  REQUIRE(v.roofline);
  REQUIRE(v.roofline->points.size() == 5);
  CHECK(v.roofline->points.back().current);
  for (const RooflinePoint& p : v.roofline->points) {
    CHECK(p.intensity > v.roofline->x.low);
    CHECK(p.intensity < v.roofline->x.high);
    CHECK(p.flops > v.roofline->y.low);
    CHECK(p.flops < v.roofline->peak);
  }
  CHECK(v.roofline->x.low <= 0.5);
  CHECK(v.roofline->x.high >= 2731);
  CHECK(v.roofline->y.high >= 989e12);
}

TEST_CASE("a launch without arithmetic has no roofline, one without alternatives one bar") {
  auto f = product_findings();
  cost::CostReport r = *f->report;
  r.traffic.work = {};
  r.alternatives.clear();
  f->report = std::make_shared<const cost::CostReport>(r);
  const CostView v = make_cost_view(f, {}, false, false);
  CHECK_FALSE(v.roofline);
  REQUIRE(v.bars.size() == 1);
  CHECK(v.bars[0].current);
  CHECK_FALSE(v.bars[0].settable);
}

TEST_CASE("the launch is compared with the best order when it is the plainest, else with the plainest, or as chosen") {
  CHECK(choose_other(product_report(8), "")->label == "GROUP_M = 1");
  CHECK(choose_other(product_report(1), "")->label == "GROUP_M = 8");
  CHECK(choose_other(product_report(8), "GROUP_M = 16")->label == "GROUP_M = 16");
  CHECK(choose_other(product_report(8), "GROUP_M = 8")->label == "GROUP_M = 1");
  cost::CostReport alone = product_report(8);
  alone.alternatives.clear();
  CHECK_FALSE(choose_other(alone, ""));
}

TEST_CASE("the view says whether it waits, failed, was cancelled or is from before a change") {
  using Stage = CostView::Stage;
  CHECK(make_cost_view(nullptr, {}, false, false).stage == Stage::Nothing);
  CHECK(make_cost_view(nullptr, {}, true, false).stage == Stage::Waiting);
  auto f = product_findings();
  f->report = nullptr;
  CHECK(make_cost_view(f, {}, true, false).stage == Stage::Partial);
  f->cancelled = true;
  CHECK(make_cost_view(f, {}, false, false).stage == Stage::Cancelled);
  f->errors.push_back(plain_error("a program needs 300 KiB of shared memory; the GPU has 227"));
  const CostView failed = make_cost_view(f, {}, false, false);
  CHECK(failed.stage == Stage::Failed);
  CHECK(failed.figures.size() == 1 + (f->other_tiles != nullptr));
  CHECK(make_cost_view(product_findings(), {}, false, true).stale);
  CostChoices other;
  other.gpu = "a100";
  CHECK(make_cost_view(product_findings(), other, true, false).stale);
}

TEST_CASE("the number of programs stays inside the launch") {
  CostChoices c;
  c.programs = 1'000'000;
  CHECK(make_cost_view(product_findings(), c, false, false).programs == 81);
  c.programs = -5;
  CHECK(make_cost_view(product_findings(), c, false, false).programs == 9);
  c.programs = 27;
  CHECK(make_cost_view(product_findings(), c, false, false).figures[0].loads == 27 + 81);
}

TEST_CASE("quantities are short: three digits and a unit") {
  CHECK(bytes_text(5.5e9) == "5.50 GB");
  CHECK(bytes_text(268435456) == "268 MB");
  CHECK(bytes_text(999.7) == "1.00 kB");
  CHECK(bytes_text(1.7e9) == "1.70 GB");
  CHECK(bytes_text(2e9) == "2 GB");
  CHECK(bytes_text(0) == "0 B");
  CHECK(quantity_text(989e12, "FLOP/s") == "989 TFLOP/s");
  CHECK(quantity_text(4.8e12, "B/s") == "4.80 TB/s");
  CHECK(time_text(1.7345) == "1.73 ms");
  CHECK(time_text(0.0853) == "85.3 µs");
  CHECK(time_text(12345) == "12.3 s");
  CHECK(with_window_units("latency: launch 1.5 us, then 2 wait 0.3 us each, of us") == "latency: launch 1.5 µs, then 2 wait 0.3 µs each, of us");
  CHECK(number_text(0.5) == "0.5");
  CHECK(number_text(2730.67) == "2731");
  CHECK(number_text(0.0123) == "0.012");
}

TEST_CASE("what is drawn is told as JSON") {
  const std::string json = to_json(make_cost_view(product_findings(), {}, false, false));
  CHECK(json.find("\"stage\": \"ready\"") != std::string::npos);
  CHECK(json.find("\"loads\": 54") != std::string::npos);
  CHECK(json.find("\"limited_by\": \"shared memory\"") != std::string::npos);
  CHECK(json.find("\"bound\": \"compute\"") != std::string::npos);
}
