// The session estimates the cost of a launch while somebody looks, and the panel under the mouse.
#include <algorithm>

#include "visualizer/model/cost_view.h"
#include "window_run.h"
#include "window_session.h"

namespace tilescope::model {
namespace {

using window_run::Folder;
using window_run::Json;

/// Asks as the panel does, and waits.
CostFindings cost_of(Session& session, const CostWish& wish = {}) {
  session.want_cost(wish);
  REQUIRE(session.wait(60));
  const Published p = session.published();
  REQUIRE(p.cost != nullptr);
  CHECK_FALSE(p.cost_busy);
  CHECK_FALSE(p.cost_stale);
  return *p.cost;
}

}  // namespace

TEST_CASE("nobody asks for the cost: nothing is estimated") {
  Session session(lesson_launch("grouped_matmul"));
  REQUIRE(session.wait());
  CHECK(session.published().cost == nullptr);
}

TEST_CASE("the cost of grouped matmul has tiles, a report and another order beside it") {
  Session session(lesson_launch("grouped_matmul"));
  const CostFindings f = cost_of(session);
  CHECK(f.complete);
  CHECK(f.errors.empty());
  CHECK(f.kernel == "grouped_matmul_kernel");
  REQUIRE(f.tiles != nullptr);
  CHECK(f.tiles->is_product());
  CHECK(f.tiles->programs == 48);
  CHECK(f.tiles->loads_of(48) == 8 * 5 + 5 * 6);  // C is 8 x 6 tiles, K 5
  REQUIRE(f.report != nullptr);
  REQUIRE(f.other);
  CHECK(f.other->parameter == "GROUP_M");
  REQUIRE(f.other_tiles != nullptr);
  CHECK(f.other_tiles->loads_of(48) == f.tiles->loads_of(48));
}

TEST_CASE("another launch makes the cost stale until it is asked for again; another GPU keeps the tiles") {
  Session session(lesson_launch("grouped_matmul"));
  const CostFindings first = cost_of(session);
  CostWish wish;
  wish.gpu = "a100";
  const CostFindings second = cost_of(session, wish);
  CHECK(second.report->gpu.id == "a100");
  CHECK(second.tiles == first.tiles);
  session.set_argument("GROUP_M", int64_t{1});
  REQUIRE(session.wait());
  CHECK(session.published().cost_stale);
  CHECK(session.published().cost->report == second.report);
  const CostFindings third = cost_of(session, wish);
  CHECK(third.report != second.report);
  CHECK(third.tiles->loads_of(6) == 5 + 30);  // a row of A, all of B
}

TEST_CASE("text that does not compile leaves the last cost in sight and says why") {
  Session session(lesson_launch("grouped_matmul"));
  const CostFindings good = cost_of(session);
  session.set_text("import triton\nimport triton.language as tl\n\n@triton.jit\ndef grouped_matmul_kernel(:\n    pass\n");
  session.want_cost({});
  REQUIRE(session.wait());
  const Published p = session.published();
  CHECK(p.cost_stale);
  CHECK(p.cost->report == good.report);
  REQUIRE_FALSE(p.cost->errors.empty());
  const CostView v = make_cost_view(p.cost, {}, false, p.cost_stale);
  CHECK(v.stage == CostView::Stage::Ready);
  CHECK(v.stale);
  CHECK(v.errors.size() == p.cost->errors.size());
}

TEST_CASE("the cost can be cancelled, and asked for again") {
  Session session(lesson_launch("grouped_matmul"));
  session.want_cost({});
  session.cancel_cost();
  REQUIRE(session.wait());
  const Published p = session.published();
  if (p.cost == nullptr || !p.cost->cancelled) return;  // it was done before
  session.want_cost({});
  REQUIRE(session.wait());
  CHECK(session.published().cost->cancelled);
  session.want_cost({}, true);
  REQUIRE(session.wait());
  CHECK_FALSE(session.published().cost->cancelled);
  CHECK(session.published().cost->report != nullptr);
}

TEST_CASE("every kernel of the lessons has a cost, with tiles where it loads them") {
  for (const char* lesson : {"vector_add", "softmax", "matmul"}) {
    CAPTURE(lesson);
    Session session(lesson_launch(lesson));
    const CostFindings f = cost_of(session);
    const CostView v = make_cost_view(std::make_shared<const CostFindings>(f), {}, false, false);
    CHECK(v.stage == CostView::Stage::Ready);
    CHECK(v.errors.empty());
    REQUIRE(!v.figures.empty());
    CHECK(v.figures[0].loads > 0);
    CHECK(v.ideal_bytes > 0);
    CHECK(!v.bars.empty());
    CHECK(v.report->estimate.total_ms > 0);
  }
}

#ifndef TILESCOPE_NO_WINDOW
TEST_CASE("a click on a bar sets the constexpr, the slider launches more programs, the list chooses the GPU") {
  if (!window_run::can_draw()) return;
  const Folder folder;
  const std::string script =
      "wait\nstate before.json\nclick cost.bar.0\nwait\nstate bar.json\nclick cost.programs 0.99 0.5\nstate slider.json\nclick cost.gpu\nclick cost.gpu.a100\nwait\n";
  const window_run::Result r = window_run::play(folder, window_run::kernel("grouped_matmul"), script, "--panel cost");
  INFO(r.output);
  REQUIRE(r.status == 0);
  const auto state = [&](const char* name) { return Json::parse(window_run::read(folder.file(name))); };
  const Json before = state("before.json"), bar = state("bar.json"), slider = state("slider.json");
  CHECK(before["cost"]["stage"] == "ready");
  CHECK(before["arguments"]["GROUP_M"] == "3");
  CHECK(before["cost"]["figures"].size() == 2);
  CHECK(bar["arguments"]["GROUP_M"] == "1");
  CHECK(bar["cost"]["bars"][0]["current"] == true);
  CHECK(slider["cost"]["programs"] == 48);
  CHECK(slider["cost"]["figures"][0]["loads"] == slider["cost"]["figures"][1]["loads"]);
  CHECK(r.state["cost"]["gpu"] == "a100");
  CHECK(r.state["state"]["cost"]["gpu"] == "a100");
}

TEST_CASE("a click on a tile of the output selects its program; a hovered one is hovered in all panels") {
  if (!window_run::can_draw()) return;
  const Folder folder;
  const window_run::Result r = window_run::play(folder, window_run::kernel("grouped_matmul"), "wait\nclick cost.order.0.c_ptr 0.05 0.3\n", "--panel cost");
  INFO(r.output);
  REQUIRE(r.status == 0);
  CHECK(r.state["state"]["hover"]["tensor"] == "c_ptr");
  CHECK(r.state["state"]["program"] == Json({2, 0, 0}));  // the third tile row of a group of three
}
#endif

}  // namespace tilescope::model
