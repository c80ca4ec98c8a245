// estimate_cost on launches: alternatives, schedule, notes, cancellation, and every kernel that the tests have.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "sim/cost/cost.h"
#include "tests/sim_cost_data.h"

using namespace tilescope;
using namespace tilescope::cost;
namespace fs = std::filesystem;

namespace {

LaunchSpec lesson(const std::string& name) {
  auto spec = load_launch_file(std::string(TILESCOPE_SOURCE_DIR) + "/lessons/kernels/" + name + "/launch.json");
  REQUIRE(spec.ok());
  return *spec;
}

CostOptions on_h200() {
  CostOptions o;
  o.gpu = gpu_descriptions().front();
  o.seeds = 2;
  return o;
}

CostReport cost_of_launch(const LaunchSpec& spec, const CostOptions& options) {
  auto report = estimate_cost(spec, options);
  if (!report) FAIL(render(report.errors()));
  return *report;
}

const Alternative& with_label(const CostReport& r, const std::string& label) {
  for (const Alternative& a : r.alternatives)
    if (a.label == label) return a;
  FAIL("no alternative called " << label);
  return r.alternatives.front();
}

/// What is wrong with the numbers of a report; empty when nothing is.
std::string nonsense(const CostReport& r) {
  const Estimate& e = r.estimate;
  for (double x : {e.memory_ms, e.l2_ms, e.compute_ms, e.latency_ms, e.total_ms, r.dram_read.mean, r.dram_written.mean, r.l2_hit_rate.mean,
                   r.l2_bytes, r.roofline.intensity, r.roofline.naive_intensity, r.roofline.estimated_flops, r.occupancy.waves})
    if (!std::isfinite(x) || x < 0) return "a number is not finite or below zero";
  if (r.l2_hit_rate.high > 1 || r.l2_hit_rate.low < 0) return "the hit rate is no rate";
  if (r.occupancy.programs_per_sm < 1 || r.occupancy.at_once < 1 || r.occupancy.limited_by.empty()) return "occupancy";
  if (e.total_ms < r.gpu.launch_us * 1e-3 || e.because.empty()) return "time";
  // Every loaded sector is read from DRAM once at least unless a program stored it, and no more often than it is asked for.
  double asked = 0, distinct = 0, stored = 0;
  for (const OpTraffic& t : r.traffic.loads) asked += static_cast<double>(t.moved_bytes), distinct += static_cast<double>(t.distinct_bytes);
  for (const OpTraffic& t : r.traffic.stores) asked += static_cast<double>(t.moved_bytes), stored += 32.0 * static_cast<double>(t.distinct_sectors);
  if (r.dram_read.high > asked + 1) return "more DRAM than was asked for";
  if (r.dram_read.low + stored < distinct - 1) return "less DRAM than the distinct bytes loaded";
  if (std::fabs(r.dram_written.mean - stored) > 1e-6 * stored + 0.5) return "DRAM written is not what was stored";
  return {};
}

}  // namespace

TEST_CASE("a vector add of 1000 floats reads 8000 bytes, writes 4000, and is bound by latency") {
  CostReport r = cost_of_launch(lesson("vector_add"), on_h200());
  CHECK(r.dram_read.mean == 8000);
  CHECK(r.dram_written.mean == 4000);
  CHECK(r.estimate.bound == Bound::Latency);
  CHECK(r.occupancy.limited_by == "grid");
  CHECK(r.alternatives.empty());
  CHECK(r.roofline.unit == WorkUnit::Fp32);
  // Counters: 2.05 us.
  CHECK(r.estimate.total_ms * 1e3 == doctest::Approx(2.05).epsilon(0.2));
}

TEST_CASE("nine programs of nine by nine tiles load 90 tiles row by row and 54 in groups of three") {
  cost_data::MatmulShape s;
  s.m = s.n = s.k = 9 * 32;
  s.bm = s.bn = s.bk = 32;
  s.group = 1;
  CostReport r = cost_of_launch(cost_data::grouped_matmul(s), [] {
    CostOptions o = on_h200();
    o.order_values = {1, 3, 9};
    return o;
  }());
  REQUIRE(r.alternatives.size() == 3);
  CHECK(with_label(r, "GROUP_M = 1").tile_loads_first == 90);
  CHECK(with_label(r, "GROUP_M = 1").current);
  CHECK(with_label(r, "GROUP_M = 3").tile_loads_first == 54);
  CHECK(with_label(r, "GROUP_M = 9").tile_loads_first == 90);
  for (const Alternative& a : r.alternatives) CHECK(a.parameter == "GROUP_M");
}

TEST_CASE("a grid of two axes is also dealt along the other axis, in groups and shuffled") {
  LaunchSpec spec = lesson("matmul");
  CostReport r = cost_of_launch(spec, on_h200());
  const Alternative& now = with_label(r, "as numbered, axis 0 first");
  CHECK(now.current);
  CHECK(now.dram_read.mean == r.dram_read.mean);
  CHECK(with_label(r, "other axis first").order.kind == DealOrder::Kind::OtherAxisFirst);
  CHECK(with_label(r, "shuffled").order.kind == DealOrder::Kind::Shuffled);
  CostOptions o = on_h200();
  o.order.kind = DealOrder::Kind::OtherAxisFirst;
  CostReport other = cost_of_launch(spec, o);
  CHECK(with_label(other, "other axis first").current);
  o.order = {DealOrder::Kind::Grouped, 2, 0};
  CHECK(!estimate_cost(lesson("vector_add"), o).ok());
}

TEST_CASE("a constexpr that changes the tiles is not offered as another order") {
  CostReport r = cost_of_launch(lesson("grouped_matmul"), on_h200());
  REQUIRE(!r.alternatives.empty());
  int current = 0;
  for (const Alternative& a : r.alternatives) {
    CHECK(a.parameter == "GROUP_M");
    current += a.current;
  }
  CHECK(current == 1);
}

TEST_CASE("the schedule has every program once, slices of a place follow one another, and it ends with the estimate") {
  cost_data::MatmulShape s;
  s.m = s.n = 32 * 32, s.k = 64;
  s.bm = s.bn = s.bk = 32, s.warps = 4;
  CostOptions o = on_h200();
  o.schedule = true;
  o.alternatives = false;
  o.shared_bytes = 100'000;  // two programs an SM, so that there are waves
  CostReport r = cost_of_launch(cost_data::grouped_matmul(s), o);
  REQUIRE(r.schedule.has_value());
  CHECK(!r.schedule->truncated);
  std::set<int64_t> programs;
  std::map<std::pair<int, int>, std::vector<std::pair<double, double>>> places;
  double last = 0;
  for (const auto& slice : r.schedule->slices) {
    REQUIRE(slice.end_us >= slice.start_us);
    REQUIRE(slice.sm < o.gpu.sms);
    REQUIRE(slice.slot < r.occupancy.programs_per_sm);
    last = std::max(last, slice.end_us);
    if (slice.op >= 0) continue;
    CHECK(programs.insert(slice.program).second);
    places[{slice.sm, slice.slot}].push_back({slice.start_us, slice.end_us});
  }
  CHECK(programs.size() == 1024);
  for (auto& [place, times] : places) {
    std::sort(times.begin(), times.end());
    for (size_t i = 1; i < times.size(); ++i) CHECK(times[i].first >= times[i - 1].second - 1e-9);
  }
  CHECK(last == doctest::Approx(1e3 * r.estimate.total_ms - o.gpu.launch_us));
  CHECK(!r.schedule->samples.empty());
  for (const auto& sample : r.schedule->samples) {
    CHECK(sample.time_us <= last);
    CHECK(sample.l2_hit_rate <= 1);
  }
  o.most_slices = 1600;
  CostReport few = cost_of_launch(cost_data::grouped_matmul(s), o);
  CHECK(few.schedule->truncated);
  CHECK(few.schedule->slices.size() <= 1600);
  CHECK(std::count_if(few.schedule->slices.begin(), few.schedule->slices.end(), [](auto& slice) { return slice.op < 0; }) >= 800);
}

TEST_CASE("the model stops when its progress is refused, wherever it is") {
  LaunchSpec spec = lesson("grouped_matmul");
  for (int calls : {0, 1, 3, 6, 12}) {
    CostOptions o = on_h200();
    int seen = 0;
    double before = 0;
    o.progress = [&](double x) {
      CHECK(x >= 0);
      CHECK(x <= 1);
      before = x;
      return seen++ < calls;
    };
    auto r = estimate_cost(spec, o);
    if (seen > calls) {
      REQUIRE(!r.ok());
      CHECK(render(r.errors()).find("stopped") != std::string::npos);
    }
  }
}

TEST_CASE("of a launch with too many accesses the first programs are replayed, and come near to the whole") {
  cost_data::MatmulShape s;
  s.m = s.n = 2048, s.k = 1024;
  s.bm = s.bn = s.bk = 64, s.warps = 4;
  auto source = TrafficSource::open(cost_data::grouped_matmul(s), 2);
  REQUIRE(source.ok());
  const GpuDescription& h200 = gpu_descriptions().front();
  Dealer dealer({}, (*source)->grid());
  auto whole = record_steps(**source, dealer, h200, {});
  auto part = record_steps(**source, dealer, h200, {}, whole->steps.size() * 3 / 4);
  REQUIRE(whole.has_value());
  REQUIRE(part.has_value());
  CHECK(whole->whole);
  CHECK(!part->whole);
  CHECK(part->recorded() < whole->recorded());
  CHECK(part->recorded() > whole->recorded() / 2);
  ReplayOptions o;
  o.programs_per_sm = 2;
  o.seconds_per_flop = 1e-13, o.seconds_per_byte = 1e-11;
  ReplayResult a = replay(*whole, dealer, h200, 3, 3, o), b = replay(*part, dealer, h200, 3, 3, o);
  CHECK(static_cast<double>(b.total().asked) == doctest::Approx(static_cast<double>(a.total().asked)).epsilon(0.01));
  CHECK(b.dram_read_bytes() == doctest::Approx(a.dram_read_bytes()).epsilon(0.35));
  CHECK(!record_steps(**source, dealer, h200, [](double) { return false; }).has_value());
}

TEST_CASE("a cache of any size that a description may have is simulated in bounded memory") {
  GpuDescription odd = gpu_descriptions().front();
  odd.l2_bytes = int64_t{1} << 33;
  odd.l2_line_bytes = 32;
  odd.l2_ways = 1;
  CostOptions o = on_h200();
  o.gpu = odd;
  o.seeds = 1;
  CostReport sampled = cost_of_launch(lesson("matmul"), o);
  bool told = false;
  for (const std::string& note : sampled.notes) told |= note.find("one in 32 sets of the L2") != std::string::npos;
  CHECK(told);
  CHECK(sampled.l2_hit_rate.high <= 1);
  odd.l2_bytes = 1 << 14;
  odd.l2_partitions = 8;
  odd.l2_ways = 32;
  odd.l2_line_bytes = 512;
  odd.sms = 1;
  CostReport large = cost_of_launch(lesson("grouped_matmul"), o);
  o.gpu = odd;
  CostReport small = cost_of_launch(lesson("grouped_matmul"), o);  // what is stored may leave and come back
  CHECK(small.dram_read.mean > 2 * large.dram_read.mean);
  CHECK(small.dram_written.mean >= large.dram_written.mean);
}

TEST_CASE("programs that fault are told of, and the others have their cost") {
  auto text = std::make_shared<SourceFile>(SourceFile{"kernel.py",
                                                      "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
                                                      "def gather(i_ptr, x_ptr, y_ptr):\n"
                                                      "    at = tl.program_id(0) * 32 + tl.arange(0, 32)\n"
                                                      "    tl.store(y_ptr + at, tl.load(x_ptr + tl.load(i_ptr + at)))\n"});
  auto spec = parse_launch_text(R"({"kernel": "gather", "file": "kernel.py", "grid": [6], "args": {
    "i_ptr": {"tensor": "int32", "shape": [128], "init": {"randint": [0, 1000, 1]}},
    "x_ptr": {"tensor": "float32", "shape": [1000], "init": "empty"},
    "y_ptr": {"tensor": "float32", "shape": [192], "init": "empty"}}})",
                                std::string(TILESCOPE_SOURCE_DIR) + "/lessons/kernels/vector_add/gather.json");
  if (!spec) FAIL(render(spec.errors()));
  CostOptions o = on_h200();
  o.text = text;
  CostReport r = cost_of_launch(*spec, o);
  CHECK(r.traffic.stopped == 2);
  bool told = false;
  for (const std::string& note : r.notes) told |= note.find("2 programs faulted") != std::string::npos;
  CHECK(told);
  CHECK(r.dram_written.mean == 512);
  CHECK(nonsense(r).empty());
}

TEST_CASE("the same seeds give the same numbers") {
  LaunchSpec spec = lesson("softmax");
  CostReport a = cost_of_launch(spec, on_h200()), b = cost_of_launch(spec, on_h200());
  CHECK(a.dram_read.mean == b.dram_read.mean);
  CHECK(a.l2_hit_rate.mean == b.l2_hit_rate.mean);
  CHECK(a.estimate.total_ms == b.estimate.total_ms);
}

TEST_CASE("every kernel that compiles has a cost without nonsense, on a large and on a small GPU") {
  std::vector<fs::path> files;
  for (const char* folder : {"tests/conformance", "lessons/kernels"})
    for (const auto& entry : fs::directory_iterator(fs::path(TILESCOPE_SOURCE_DIR) / folder))
      if (fs::exists(entry.path() / "launch.json")) files.push_back(entry.path() / "launch.json");
  std::sort(files.begin(), files.end());
  auto laptop = find_gpu("rtx_4050_laptop");
  REQUIRE(laptop.ok());
  int counted = 0;
  for (size_t i = 0; i < files.size(); ++i) {
    auto spec = load_launch_file(files[i].string());
    REQUIRE(spec.ok());
    if (spec->expect_error) continue;
    CostOptions o = on_h200();
    o.seeds = 1;
    if (i % 2 == 1) o.gpu = *laptop;
    o.alternatives = i % 8 == 0;
    auto r = estimate_cost(*spec, o);
    if (!r) {
      CHECK_MESSAGE(r.ok(), files[i].string() << ": " << render(r.errors()));
      continue;
    }
    CHECK_MESSAGE(nonsense(*r).empty(), files[i].string() << ": " << nonsense(*r));
    ++counted;
  }
  CHECK(counted > 140);
}
