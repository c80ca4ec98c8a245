// The full recording of a program: same values as a run, in any order of asking.
#include <random>

#include "tests/sim_record_data.h"

namespace tilescope {
namespace {

using testing::lesson;
using testing::Recordable;
using testing::recordable;
using testing::same;
using testing::same_bytes;

TEST_CASE("recording the programs of a launch one after the other gives the memory of a run") {
  for (const char* name : {"vector_add", "softmax", "matmul", "grouped_matmul"}) {
    CAPTURE(name);
    Expected<LaunchSpec> spec = load_launch_file(lesson(name).string());
    REQUIRE(spec.ok());
    Expected<Launch> whole = prepare_launch(*spec);
    REQUIRE(whole.ok());
    execute(*whole, {});
    Recordable c = recordable(lesson(name));
    const int64_t programs = c.launch.grid[0] * c.launch.grid[1] * c.launch.grid[2];
    for (int64_t p = 0; p < programs; ++p) {
      c.program = {p % c.launch.grid[0], p / c.launch.grid[0], 0};
      const auto r = c.record();
      CHECK(r->trace().truncated.empty());
      CHECK(r->trace().faults.empty());
      auto after = std::make_shared<std::vector<Tensor>>();
      for (size_t t = 0; t < c.before->size(); ++t)
        after->push_back(r->memory(static_cast<int>(t), r->trace().steps.size()));
      c.before = after;
    }
    for (size_t t = 0; t < c.before->size(); ++t) CHECK(same_bytes((*c.before)[t], whole->tensors[t]));
  }
}

TEST_CASE("the values of a step do not depend on the order of asking, nor on the memory that may be used") {
  for (const char* name : {"vector_add", "softmax", "matmul", "grouped_matmul"}) {
    CAPTURE(name);
    const Recordable c = recordable(lesson(name));
    const auto straight = c.record();
    RecordOptions tight;
    tight.memory_limit = 2 * straight->bytes();
    const auto other = c.record(tight);
    const uint64_t steps = straight->trace().steps.size();
    REQUIRE(other->trace().steps.size() == steps);
    std::vector<std::shared_ptr<const StepData>> values;
    for (uint64_t s = 0; s < steps; ++s) values.push_back(straight->step(s));
    for (uint64_t s = steps; s-- > 0;) CHECK(same(*other->step(s), *values[s]));
    std::mt19937 random(1);
    for (int n = 0; n < 50; ++n) {
      const uint64_t s = random() % steps;
      CHECK(same(*other->step(s), *values[s]));
    }
  }
}

}  // namespace
}  // namespace tilescope
