// The parts of the cost model by hand: orders of programs, the cache, occupancy, time.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "sim/cost/deal.h"
#include "sim/cost/estimate.h"
#include "sim/cost/l2_cache.h"
#include "sim/cost/occupancy.h"

using namespace tilescope;
using namespace tilescope::cost;

namespace {

std::vector<int64_t> dealt(DealOrder order, std::array<int64_t, 3> grid) {
  Dealer d(order, grid);
  std::vector<int64_t> out;
  for (int64_t n = 0; n < d.programs(); ++n) out.push_back(d.program(n));
  return out;
}

using Kind = DealOrder::Kind;

CacheLine line(uint32_t tag, uint16_t sectors, uint16_t home = 0) { return {tag, 0, sectors, home}; }

CacheShape one_set(int partitions, int ways) {
  CacheShape s;
  s.partitions = partitions, s.ways = ways;
  return s;
}

}  // namespace

TEST_CASE("programs are dealt in the order asked for, each once") {
  CHECK(dealt({Kind::Kernel, 1, 0}, {3, 2, 1}) == std::vector<int64_t>{0, 1, 2, 3, 4, 5});
  CHECK(dealt({Kind::OtherAxisFirst, 1, 0}, {3, 2, 1}) == std::vector<int64_t>{0, 3, 1, 4, 2, 5});
  // Bands of two places along axis 0: (0,0) (1,0) (0,1) (1,1), then the band of one that is left.
  CHECK(dealt({Kind::Grouped, 2, 0}, {3, 2, 1}) == std::vector<int64_t>{0, 1, 3, 4, 2, 5});
  CHECK(dealt({Kind::Grouped, 99, 0}, {3, 2, 1}) == dealt({Kind::Kernel, 1, 0}, {3, 2, 1}));
  for (auto order : {DealOrder{Kind::OtherAxisFirst, 1, 0}, DealOrder{Kind::Grouped, 4, 0}, DealOrder{Kind::Shuffled, 1, 7}})
    for (std::array<int64_t, 3> grid : {std::array<int64_t, 3>{7, 5, 3}, {1, 1, 1}, {64, 64, 1}, {1, 9, 2}}) {
      std::vector<int64_t> all = dealt(order, grid);
      std::set<int64_t> each(all.begin(), all.end());
      CHECK(each.size() == all.size());
      CHECK(*each.begin() == 0);
      CHECK(*each.rbegin() == static_cast<int64_t>(all.size()) - 1);
    }
  CHECK(dealt({Kind::Shuffled, 1, 1}, {16, 16, 1}) != dealt({Kind::Shuffled, 1, 2}, {16, 16, 1}));
}

TEST_CASE("an order along two axes is refused for a grid of one") {
  CHECK(order_problem({Kind::Grouped, 4, 0}, {81, 1, 1}).has_value());
  CHECK(order_problem({Kind::OtherAxisFirst, 1, 0}, {1, 81, 1}).has_value());
  CHECK(!order_problem({Kind::Shuffled, 1, 0}, {81, 1, 1}).has_value());
  CHECK(order_problem({Kind::Grouped, 0, 0}, {9, 9, 1}).has_value());
}

TEST_CASE("the cache keeps the lines used last, sector by sector") {
  L2Cache cache(one_set(1, 2), 1);
  CacheCounts c;
  cache.load(0, line(1, 0b0011), c);
  CHECK(c.dram_read == 2);
  cache.load(0, line(1, 0b0111), c);  // one sector more of the same line
  CHECK(c.dram_read == 3);
  CHECK(c.hit == 2);
  cache.load(0, line(3, 1), c);
  cache.load(0, line(1, 1), c);  // makes line 3 the older
  cache.load(0, line(5, 1), c);  // line 3 leaves
  CHECK(c.dram_read == 5);
  cache.load(0, line(1, 1), c);
  CHECK(c.dram_read == 5);
  cache.load(0, line(3, 1), c);
  CHECK(c.dram_read == 6);
}

TEST_CASE("a sector that is missing in a far partition is asked of its home, counts again, and is kept in both") {
  L2Cache cache(one_set(2, 4), 1);
  CacheCounts c;
  cache.load(0, line(1, 0b1111, 1), c);
  CHECK(c.asked == 4);
  CHECK(c.hit == 0);
  CHECK(c.far_asked == 4);
  CHECK(c.far_hit == 0);
  CHECK(c.dram_read == 4);
  cache.load(1, line(1, 0b1111, 1), c);  // an SM of the home partition finds it there
  CHECK(c.hit == 4);
  CHECK(c.far_asked == 4);
  cache.load(0, line(1, 0b1111, 1), c);
  CHECK(c.hit == 8);
  CHECK(c.dram_read == 4);
}

TEST_CASE("a stored sector is written to DRAM once, when its line leaves or the launch ends") {
  L2Cache cache(one_set(1, 1), 2);
  CacheCounts c;
  cache.store(0, line(1, 0b11), 1, c);
  cache.store(0, line(1, 0b10), 1, c);
  CHECK(cache.written()[1] == 0);
  CHECK(c.dram_read == 0);
  cache.load(0, line(1, 0b11), c);
  CHECK(c.dram_read == 0);  // what was stored is there
  cache.load(0, line(3, 1), c);
  CHECK(cache.written()[1] == 2);
  cache.atomic(0, line(5, 1), 0, c);
  CHECK(c.dram_read == 2);  // an atomic needs the old value
  cache.flush();
  cache.flush();
  CHECK(cache.written()[0] == 1);
  CHECK(cache.written()[1] == 2);
}

TEST_CASE("lines fall evenly into sets and partitions, and sampling keeps one set in n") {
  GpuDescription h200 = gpu_descriptions().front();
  CacheShape shape = cache_shape(h200, 16);
  CHECK(shape.sets * shape.ways * shape.line_bytes * shape.partitions == h200.l2_bytes);
  CHECK(shape.scale() == doctest::Approx(16));
  int kept = 0, home = 0;
  const int n = 160'000;
  for (int i = 0; i < n; ++i) {
    CacheLine l;
    if (!place_line(static_cast<uint64_t>(i), shape, l)) continue;
    ++kept;
    home += l.home;
    REQUIRE(l.set < shape.sampled_sets);
    REQUIRE(l.tag != 0);
  }
  CHECK(kept == doctest::Approx(n / 16.0).epsilon(0.05));
  CHECK(home == doctest::Approx(kept / 2.0).epsilon(0.05));
}

TEST_CASE("what limits the programs of an SM is named") {
  Function f;
  f.name = "k";
  f.num_warps = 4;
  const GpuDescription& h200 = gpu_descriptions().front();
  auto by = [&](int64_t programs, int registers, int64_t shared) {
    auto o = find_occupancy(f, programs, h200, registers, shared);
    REQUIRE(o.ok());
    return std::pair(o->limited_by, o->programs_per_sm);
  };
  CHECK(by(1 << 20, 255, 0) == std::pair(std::string("registers"), 2));
  CHECK(by(1 << 20, 16, 0) == std::pair(std::string("warps"), 16));
  CHECK(by(1 << 20, 16, 50'000) == std::pair(std::string("shared memory"), 4));
  CHECK(by(140, 16, 0) == std::pair(std::string("grid"), 2));
  f.num_warps = 1;
  CHECK(by(1 << 20, 16, 0) == std::pair(std::string("programs"), 32));
  auto o = find_occupancy(f, 132 * 32 + 132 * 8, h200, 16, 0);
  REQUIRE(o.ok());
  CHECK(o->waves == doctest::Approx(1.25));
  CHECK(o->last_wave == doctest::Approx(0.25));
}

TEST_CASE("a program that does not fit on an SM is refused with the numbers") {
  Function f;
  f.name = "k";
  f.num_warps = 32;
  const GpuDescription& h200 = gpu_descriptions().front();
  auto shared = find_occupancy(f, 1, h200, 32, 300'000);
  REQUIRE(!shared.ok());
  CHECK(render(shared.errors()).find("300000 bytes of shared memory; NVIDIA H200 gives a program 232448") != std::string::npos);
  auto registers = find_occupancy(f, 1, h200, 128, 0);
  REQUIRE(!registers.ok());
  CHECK(render(registers.errors()).find("128 registers in each of its 1024 threads") != std::string::npos);
}

TEST_CASE("the estimate names its bound: memory, compute or latency") {
  const GpuDescription& h200 = gpu_descriptions().front();
  Occupancy o;
  o.programs_per_sm = 8, o.at_once = 1056, o.waves = 100;
  WorkCounts work;
  MovedBytes moved{4.8e9 * 0.91, 4.8e9, 0};
  LoadRounds rounds{1, 0, 0};
  Estimate memory = estimate_time(h200, o, 105'600, 3, work, moved, rounds);
  CHECK(memory.bound == Bound::Memory);
  CHECK(memory.memory_ms == doctest::Approx(1));
  CHECK(memory.because.find("DRAM: 4.37 GB at 4.37 TB/s") != std::string::npos);
  work.flops[static_cast<int>(WorkUnit::TensorFp16)] = 1e13;
  Estimate compute = estimate_time(h200, o, 105'600, 3, work, moved, rounds);
  CHECK(compute.bound == Bound::Compute);
  CHECK(compute.because.find("fp16 tensor cores") != std::string::npos);
  o.waves = 0.01;
  Estimate latency = estimate_time(h200, o, 10, 3, {}, {1000, 1000, 0}, rounds);
  CHECK(latency.bound == Bound::Latency);
  CHECK(latency.total_ms == doctest::Approx(1e-3 * (h200.launch_us + 1e-3 * (h200.dram_latency_ns + h200.l2_latency_ns))));
}

TEST_CASE("work for a unit that a GPU lacks goes to the next that can do it") {
  auto a100 = find_gpu("a100");
  REQUIRE(a100.ok());
  CHECK(unit_of(WorkUnit::TensorFp8, *a100) == WorkUnit::TensorFp16);
  CHECK(unit_of(WorkUnit::TensorInt8, *a100) == WorkUnit::TensorInt8);
  GpuDescription plain = *a100;
  for (double& p : plain.peak) p = 0;
  plain.peak[static_cast<int>(WorkUnit::Fp32)] = 1e12;
  for (int u = 0; u < kWorkUnits; ++u) CHECK(unit_of(static_cast<WorkUnit>(u), plain) == WorkUnit::Fp32);
}
