// The cost model against hardware counters (tests/data/l2_h200.csv says how they were read). sim/cost/README.md has the table of
// all points; here are those that take little time.
#include <doctest/doctest.h>

#include <cmath>

#include "sim/cost/occupancy.h"
#include "tests/sim_cost_data.h"

using namespace tilescope;
using namespace tilescope::cost;
using cost_data::Measured;

namespace {

const Measured& point(const cost_data::MatmulShape& s, int kernel) {
  static const std::vector<Measured> all = cost_data::measured_points();
  for (const Measured& p : all) {
    const auto& q = p.shape;
    if (p.kernel == kernel && q.m == s.m && q.k == s.k && q.bm == s.bm && q.bn == s.bn && q.group == s.group && q.warps == s.warps) return p;
  }
  FAIL("no such point");
  return all.front();
}

}  // namespace

TEST_CASE("DRAM bytes of the measured matmul are within 15 percent of the counters, the hit rate within 5 points") {
  for (int64_t group : {1, 8}) {
    cost_data::MatmulShape s;
    s.group = group;
    const Measured& p = point(s, 1);
    CostReport r = cost_data::modelled(p);
    CAPTURE(group);
    CHECK(std::fabs(r.dram_read.mean / p.dram_read - 1) < 0.15);
    CHECK(std::fabs(r.l2_hit_rate.mean - p.hit_rate) < 0.05);
    CHECK(r.dram_read.low <= r.dram_read.mean);
    CHECK(r.dram_read.mean <= r.dram_read.high);
    CHECK(r.estimate.total_ms * 1e6 > p.time_ns / 1.5);
    CHECK(r.estimate.total_ms * 1e6 < p.time_ns * 1.5);
  }
}

TEST_CASE("larger groups read less from DRAM up to about 12 rows, then more, as the counters have it") {
  double before = 1e30;
  for (int64_t group : {2, 4, 12}) {
    cost_data::MatmulShape s;
    s.group = group;
    const Measured& p = point(s, 0);
    double model = cost_data::modelled(p, kDrift, 1).dram_read.mean;
    CAPTURE(group);
    CHECK(model < before);
    CHECK(std::fabs(std::log(model / p.dram_read)) < std::log(1.25));
    before = model;
  }
  cost_data::MatmulShape s;
  s.group = 32;
  CHECK(cost_data::modelled(point(s, 0), kDrift, 1).dram_read.mean > 1.4 * before);
}

TEST_CASE("smaller launches and other tiles come within a quarter") {
  cost_data::MatmulShape small, wide;
  small.m = small.n = small.k = 4096;
  small.group = 16;
  wide.bn = 256;
  wide.group = 8;
  for (const auto& s : {small, wide}) {
    const Measured& p = point(s, 0);
    CostReport r = cost_data::modelled(p, kDrift, 1);
    CHECK(std::fabs(std::log(r.dram_read.mean / p.dram_read)) < std::log(1.25));
    CHECK(std::fabs(std::log(r.estimate.total_ms * 1e6 / p.time_ns)) < std::log(1.5));
  }
}

TEST_CASE("shared memory is what Triton takes, registers are within a quarter, and as many programs fit on an SM") {
  const GpuDescription& h200 = gpu_descriptions().front();
  struct Row {
    int64_t bm, bn, bk;
    int warps, registers;
    int64_t shared;
    int per_sm;
  };
  for (const Row& row : {Row{128, 128, 64, 8, 109, 98304, 2}, Row{128, 128, 64, 4, 206, 98304, 2}, Row{128, 256, 64, 8, 210, 147456, 1},
                         Row{64, 64, 32, 4, 63, 24576, 8}}) {
    cost_data::MatmulShape s;
    s.bm = row.bm, s.bn = row.bn, s.bk = row.bk, s.warps = row.warps;
    auto kernel = compile_launch(cost_data::grouped_matmul(s));
    REQUIRE(kernel.ok());
    auto known = find_occupancy(kernel->function, 1 << 20, h200, row.registers, row.shared);
    auto guess = find_occupancy(kernel->function, 1 << 20, h200, std::nullopt, std::nullopt);
    REQUIRE(known.ok());
    REQUIRE(guess.ok());
    CHECK(known->programs_per_sm == row.per_sm);
    CHECK(guess->programs_per_sm == row.per_sm);
    CHECK(guess->shared_bytes == row.shared);
    CHECK(std::fabs(guess->registers - row.registers) < 0.25 * row.registers);
    CHECK(known->registers_known);
    CHECK(!guess->shared_known);
  }
}
