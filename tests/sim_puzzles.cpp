// The twelve Triton Puzzles, solved in tests/puzzles/puzzles.py, against values that tests/public/check.py computed.
#include <doctest/doctest.h>

#include <cstdio>

#include "sim/launch.h"

using namespace tilescope;

TEST_CASE("the answers to the twelve Triton Puzzles give the values that plain Python gives") {
  for (int number = 1; number <= 12; ++number) {
    char name[64];
    std::snprintf(name, sizeof name, "/tests/puzzles/puzzle_%02d.json", number);
    CAPTURE(name);
    auto spec = load_launch_file(TILESCOPE_SOURCE_DIR + std::string(name));
    REQUIRE(spec.ok());
    auto launch = prepare_launch(*spec);
    const std::string errors = launch ? "" : render(launch.errors());
    REQUIRE_MESSAGE(launch.ok(), errors);
    const std::vector<Tensor> before = copy_reference_inputs(*launch);
    CHECK(execute(*launch, RunOptions{}).faults.empty());
    auto checks = check_outputs(*launch, before);
    REQUIRE(checks.ok());
    REQUIRE(checks->size() == 1);
    CHECK(checks->front().equal);
  }
}
