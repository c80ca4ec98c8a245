// Every kernel of tests/conformance can be opened and stepped through.
#include "window_session.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <random>

namespace tilescope::model {
namespace {

std::vector<std::string> conformance_launches() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(std::string(TILESCOPE_SOURCE_DIR) + "/tests/conformance"))
    if (entry.path().filename() == "launch.json") out.push_back(entry.path().string());
  std::sort(out.begin(), out.end());
  return out;
}

/// The scenes of some steps, in any order, are the same the second time.
void check_steps(Controller& c, std::mt19937& random) {
  const size_t steps = c.scene()->trace->steps.size();
  std::vector<std::pair<uint64_t, std::string>> seen;
  for (int i = 0; i < 5; ++i) {
    c.go_to_step(random() % steps);
    seen.emplace_back(c.state().step, to_json(*c.scene()));
  }
  for (const auto& [step, scene] : seen) {
    c.go_to_step(step);
    CHECK(to_json(*c.scene()) == scene);
  }
  for (const LineStep& l : c.scene()->timeline->lines) {
    CHECK(!l.label.empty());
    CHECK(l.statement.valid());
  }
}

/// After the last program memory is what the whole launch leaves.
void check_memory(Controller& c) {
  const auto s = c.scene();
  if (s->run.totals == nullptr || !s->run.totals->trace.faults.empty()) return;
  for (size_t i = 0; i < s->tensors.size(); ++i) {
    const Tensor &now = *s->tensors[i].tensor, &after = s->run.totals->tensors[i];
    CHECK(std::memcmp(now.storage.data(), after.storage.data(), after.storage.size()) == 0);
  }
}

}  // namespace

TEST_CASE("every conformance kernel can be stepped through, and its last program leaves the launch's result") {
  std::mt19937 random(11);
  const auto launches = conformance_launches();
  REQUIRE(launches.size() > 150);
  for (const std::string& path : launches) {
    CAPTURE(path);
    auto spec = load_launch_file(path);
    REQUIRE(spec.ok());
    const bool refused = spec->expect_error;
    auto c = opened(std::move(*spec));
    CHECK(c->scene()->ready == !refused);
    CHECK(c->scene()->run.errors.empty() == !refused);
    if (refused) continue;
    const auto grid = c->scene()->run.launch->grid;
    c->select_program({grid[0] - 1, grid[1] - 1, grid[2] - 1});
    settle(*c);
    check_steps(*c, random);
    c->go_to_end();
    check_memory(*c);
  }
}

}  // namespace tilescope::model
