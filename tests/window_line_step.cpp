// Where a lesson's page leads: to a line in an iteration, and to a failure's place.
#include <doctest/doctest.h>

#include "visualizer/model/line_step.h"
#include "window_session.h"

namespace tilescope::model {
namespace {

const char* const kNested = R"(
@triton.jit
def nested(out_ptr):
    acc = tl.zeros((4,), dtype=tl.float32)
    for i in range(0, 3):
        for j in range(0, 2):
            acc += i * 10 + j
        acc += 100
    tl.store(out_ptr + tl.arange(0, 4), acc)
)";

TEST_CASE("a page's iteration is that of the innermost loop around its line, the first time that it comes") {
  const auto c = opened_kernel(R"({"kernel": "nested", "file": "x.py", "grid": [1], "args": {"out_ptr": {"tensor": "float32", "shape": [4]}}})", kNested);
  const Scene& s = *c->scene();
  REQUIRE(s.ready);
  const auto loops = [&](int line, std::optional<int64_t> iteration) {
    const std::optional<size_t> step = step_on_line(s, line, iteration);
    std::vector<int64_t> out;
    if (!step) return out;
    for (int32_t frame = s.timeline->lines[*step].frame; frame >= 0; frame = s.trace->frames[static_cast<size_t>(frame)].parent)
      out.insert(out.begin(), s.trace->frames[static_cast<size_t>(frame)].position.iteration + 1);
    return out;
  };
  using Loops = std::vector<int64_t>;
  constexpr int kInner = 9, kOuter = 10;  // with the two imports and the blank line
  CHECK(loops(kInner, std::nullopt) == Loops{1, 1});
  CHECK(loops(kInner, 2) == Loops{1, 2});
  CHECK(loops(kOuter, 3) == Loops{3});
  // The loop has fewer iterations than the page speaks of: the last step there.
  CHECK(loops(kInner, 7) == Loops{3, 2});
  CHECK(step_on_line(s, 3, 1) == std::nullopt);
}

}  // namespace
}  // namespace tilescope::model
