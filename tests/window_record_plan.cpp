// Which steps make the pictures of an animation.
#include <doctest/doctest.h>

#include "visualizer/model/record_plan.h"

using namespace tilescope::model;

namespace {

/// `before` steps, then `iterations` of `steps` each, then `after`.
Timeline timeline(size_t before, size_t iterations, size_t steps, size_t after) {
  Timeline t;
  const auto add = [&](size_t n, int32_t frame) {
    if (n == 0) return;
    Section s;
    s.first = t.lines.size();
    s.frame = frame;
    t.lines.resize(s.first + n);
    s.end = t.lines.size();
    t.sections.push_back(s);
  };
  add(before, -1);
  for (size_t i = 0; i < iterations; ++i) add(steps, static_cast<int32_t>(i));
  add(after, -1);
  return t;
}

}  // namespace

TEST_CASE("the loop's steps are recorded, from its first to its last") {
  const RecordPlan plan = plan_recording(timeline(3, 2, 5, 1), 300);
  CHECK(plan.line_steps == std::vector<size_t>{3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  CHECK_FALSE(plan.iterations);
  CHECK(plan.left_out == 0);
}

TEST_CASE("without a loop all steps are recorded") {
  CHECK(plan_recording(timeline(4, 0, 0, 0), 300).line_steps == std::vector<size_t>{0, 1, 2, 3});
  CHECK(plan_recording(Timeline{}, 300).line_steps.empty());
}

TEST_CASE("too many steps become one picture an iteration, its last step") {
  const RecordPlan plan = plan_recording(timeline(2, 100, 7, 1), 300);
  CHECK(plan.iterations);
  CHECK(plan.line_steps.size() == 100);
  CHECK(plan.line_steps.front() == 8);
  CHECK(plan.line_steps.back() == 701);
}

TEST_CASE("beyond the limit the rest is left out, and counted") {
  const RecordPlan loop = plan_recording(timeline(0, 1000, 7, 0), 300);
  CHECK(loop.iterations);
  CHECK(loop.line_steps.size() == 300);
  CHECK(loop.left_out == 700);
  const RecordPlan straight = plan_recording(timeline(500, 0, 0, 0), 300);
  CHECK_FALSE(straight.iterations);
  CHECK(straight.line_steps.size() == 300);
  CHECK(straight.left_out == 200);
}
