// Traffic of launches, found from their addresses alone: equal to the counters of a run.
#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <set>

#include "core/verify.h"
#include "sim/cost/traffic.h"
#include "tests/sim_record_data.h"

namespace tilescope {
namespace {

using cost::AccessRows;
using cost::account;
using cost::LaunchTraffic;
using cost::OpTraffic;
using cost::TrafficSource;
namespace fs = std::filesystem;

std::unique_ptr<TrafficSource> open(const LaunchSpec& spec, SourcePtr source = nullptr, int lanes = 2) {
  auto s = TrafficSource::open(spec, lanes, std::move(source));
  if (!s) FAIL(render(s.errors()));
  return std::move(*s);
}
LaunchSpec load(const fs::path& file) {
  auto spec = load_launch_file(file.string());
  if (!spec) FAIL(render(spec.errors()));
  return *spec;
}
LaunchSpec lesson_with(const std::string& name, const std::vector<std::pair<std::string, int64_t>>& values) {
  LaunchSpec spec = load(testing::lesson(name));
  for (const auto& [arg, value] : values)
    for (LaunchArg& a : spec.args)
      if (a.name == arg) a.value = value;
  return spec;
}

AccessCounters sum(AccessCounters a, const AccessCounters& b) {
  a.times += b.times;
  a.lanes_active += b.lanes_active;
  a.requests += b.requests;
  a.sectors += b.sectors;
  a.bytes += b.bytes;
  return a;
}
bool same(const OpTraffic& t, const AccessCounters& c) {
  const bool equal = t.times == c.times && t.lanes == c.lanes_active && t.requests == c.requests && t.sectors == c.sectors &&
                     t.asked_bytes == c.bytes;
  if (!equal)
    MESSAGE("times ", t.times, " ", c.times, ", lanes ", t.lanes, " ", c.lanes_active, ", requests ", t.requests, " ", c.requests,
            ", sectors ", t.sectors, " ", c.sectors, ", bytes ", t.asked_bytes, " ", c.bytes);
  return equal;
}

/// Distinct bytes and tiles, byte by byte.
void check_distinct(TrafficSource& source, const LaunchTraffic& t) {
  using Bytes = std::set<uint64_t>;
  using Tile = std::vector<std::array<uint64_t, 4>>;
  struct Counted {
    Bytes bytes;
    std::set<Tile> tiles;
    uint64_t program_bytes = 0;
  };
  std::vector<Counted> ops(t.ops.size()), loads(t.loads.size()), stores(t.stores.size());
  std::vector<AccessRows> rows;
  for (int64_t p = 0; p < t.programs; ++p) {
    source.program(p, 0, rows);
    std::map<Counted*, Bytes> here;
    std::map<Counted*, Tile> open;
    for (const AccessRows& r : rows) {
      Counted& op = ops[static_cast<size_t>(r.op)];
      Counted& tensor = (source.ops()[static_cast<size_t>(r.op)].stores ? stores : loads)[static_cast<size_t>(r.tensor)];
      for (Counted* c : {&op, &tensor}) {
        if (r.first && !open[c].empty()) c->tiles.insert(std::exchange(open[c], {}));
        if (r.rows != 0) open[c].push_back({r.start, r.bytes, r.rows, r.rows == 1 ? 0 : static_cast<uint64_t>(r.stride)});
        for (uint64_t row = 0; row < r.rows; ++row)
          for (uint64_t b = 0; b < r.bytes; ++b) here[c].insert(r.start + row * static_cast<uint64_t>(r.stride) + b);
      }
    }
    for (auto& [c, bytes] : here) {
      c->program_bytes += bytes.size();
      c->bytes.merge(bytes);
    }
    for (auto& [c, tile] : open)
      if (!tile.empty()) c->tiles.insert(tile);
  }
  const auto compare = [](const std::vector<Counted>& counted, const std::vector<OpTraffic>& traffic) {
    for (size_t i = 0; i < counted.size(); ++i) {
      std::set<uint64_t> sectors;
      for (uint64_t b : counted[i].bytes) sectors.insert(b / 32);
      CHECK(traffic[i].distinct_bytes == counted[i].bytes.size());
      CHECK(traffic[i].distinct_sectors == sectors.size());
      CHECK(traffic[i].program_bytes == counted[i].program_bytes);
      CHECK(traffic[i].tiles == counted[i].tiles.size());
    }
  };
  compare(ops, t.ops);
  compare(loads, t.loads);
  compare(stores, t.stores);
}

/// The traffic equals what the run counted.
void check_against_run(const LaunchSpec& spec) {
  auto launch = prepare_launch(spec);
  if (!launch) FAIL(render(launch.errors()));
  const RunTrace trace = execute(*launch, {});
  REQUIRE(trace.faults.empty());
  const auto source = open(spec);
  CHECK(verify(source->sliced()).empty());
  const LaunchTraffic t = account(*source);
  CHECK(t.programs == trace.programs);
  CHECK(t.stopped == 0);
  REQUIRE(t.ops.size() == trace.lines.size());
  for (size_t i = 0; i < t.ops.size(); ++i) {
    CHECK(same(t.ops[i], trace.lines[i].counters));
    CHECK(source->ops()[i].line == trace.lines[i].line);
    CHECK(source->ops()[i].mnemonic == trace.lines[i].op);
  }
  REQUIRE(t.loads.size() == trace.tensors.size());
  for (size_t i = 0; i < t.loads.size(); ++i) {
    const TensorReport& r = trace.tensors[i];
    CHECK(source->tensors()[i].name == r.name);
    CHECK(same(t.loads[i], r.loads));
    CHECK(same(t.stores[i], sum(r.stores, r.atomics)));
    CHECK(t.loads[i].distinct_sectors == r.distinct_sectors_loaded);
    CHECK(t.stores[i].distinct_sectors == r.distinct_sectors_stored);
    uint64_t elements = 0;
    for (auto [times, n] : r.reuse.histogram) elements += n;
    CHECK(t.loads[i].distinct_bytes == elements * static_cast<uint64_t>(dtype_bytes(r.dtype)));
    CHECK(std::max(t.loads[i].distinct_bytes, t.stores[i].distinct_bytes) <= r.distinct_bytes);
    CHECK(t.loads[i].distinct_bytes + t.stores[i].distinct_bytes >= r.distinct_bytes);
    CHECK(t.loads[i].program_bytes >= t.loads[i].distinct_bytes);
    CHECK(t.loads[i].program_bytes <= t.loads[i].asked_bytes);
  }
  constexpr double kSmall = 1 << 15;
  if (t.tiled_bytes <= kSmall) check_distinct(*source, t);
}

}  // namespace

TEST_CASE("the traffic of every conformance kernel is what its run counts") {
  int compared = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(TILESCOPE_SOURCE_DIR) / "tests/conformance")) {
    const fs::path file = entry.path() / "launch.json";
    if (!fs::exists(file)) continue;
    const LaunchSpec spec = load(file);
    if (spec.expect_error) continue;
    CAPTURE(entry.path().filename().string());
    check_against_run(spec);
    ++compared;
  }
  CHECK(compared > 80);
}

TEST_CASE("the traffic of the lessons' kernels is what their runs count") {
  for (const char* name : {"vector_add", "softmax", "matmul", "grouped_matmul"}) {
    CAPTURE(name);
    check_against_run(load(testing::lesson(name)));
  }
}

TEST_CASE("vector add of 1000: 500 sectors loaded, 250 stored, of 4000 bytes each") {
  const auto source = open(load(testing::lesson("vector_add")));
  const LaunchTraffic t = account(*source);
  CHECK(t.loads[0].sectors + t.loads[1].sectors == 500);
  CHECK(t.stores[2].sectors == 250);
  CHECK(t.loads[0].distinct_sectors == 125);
  CHECK(t.loads[0].distinct_bytes == 4000);
  CHECK(t.work.flops[static_cast<int>(cost::WorkUnit::Fp32)] == 4 * 256);
  CHECK(t.naive_bytes == 12000);
  CHECK(t.ideal_bytes == 12000);
}

TEST_CASE("masked matmul 70 x 45 x 50: 550 requests and 1311 sectors loaded, 140 and 341 stored") {
  LaunchSpec spec = lesson_with("matmul", {{"M", 70}, {"N", 50}, {"K", 45}});
  for (LaunchArg& a : spec.args)
    if (auto* t = std::get_if<TensorSpec>(&a.value)) {
      t->dtype = DType::Float16;
      t->layout = TensorLayout::contiguous(a.name == "a_ptr" ? std::vector<int64_t>{70, 45}
                                           : a.name == "b_ptr" ? std::vector<int64_t>{45, 50}
                                                               : std::vector<int64_t>{70, 50});
    }
  const LaunchTraffic t = account(*open(spec));
  CHECK(t.loads[0].requests + t.loads[1].requests == 550);
  CHECK(t.loads[0].sectors + t.loads[1].sectors == 1311);
  CHECK(t.stores[2].requests == 140);
  CHECK(t.stores[2].sectors == 341);
}

namespace {

/// lessons/kernels/matmul with other sizes; tensors are never allocated.
LaunchSpec matmul(int64_t size, int64_t block_m, int64_t block_n, int64_t block_k, DType dtype) {
  LaunchSpec spec =
      lesson_with("matmul", {{"M", size}, {"N", size}, {"K", size}, {"BLOCK_M", block_m}, {"BLOCK_N", block_n}, {"BLOCK_K", block_k}});
  for (LaunchArg& a : spec.args)
    if (auto* t = std::get_if<TensorSpec>(&a.value)) t->dtype = dtype, t->layout = TensorLayout::contiguous({size, size});
  return spec;
}
LaunchSpec grouped(int64_t size, int64_t block, int64_t block_k, int64_t group) {
  LaunchSpec spec = lesson_with(
      "grouped_matmul", {{"M", size}, {"N", size}, {"K", size}, {"stride_am", size}, {"stride_ak", 1}, {"stride_bk", size}, {"stride_bn", 1},
                         {"stride_cm", size}, {"BLOCK_M", block}, {"BLOCK_N", block}, {"BLOCK_K", block_k}, {"GROUP_M", group}});
  for (LaunchArg& a : spec.args)
    if (auto* t = std::get_if<TensorSpec>(&a.value)) t->layout = TensorLayout::contiguous({size, size});
  return spec;
}
constexpr double kMiB = 1 << 20, kGiB = 1 << 30;

}  // namespace

TEST_CASE("fp32 matmul 4096^3: 512 GiB naive, 4 GiB in tiles of 128, 128 MiB when every byte is loaded once") {
  const LaunchTraffic t = account(*open(matmul(4096, 128, 128, 64, DType::Float32)));
  CHECK(t.naive_loads == 512 * kGiB);
  CHECK(t.tiled_loads == 4 * kGiB);
  CHECK(t.ideal_loads == 128 * kMiB);
  CHECK(t.ideal_bytes == 192 * kMiB);
  CHECK(t.work.dot_multiply_adds == 4096.0 * 4096 * 4096);
  CHECK(t.work.flops[static_cast<int>(cost::WorkUnit::TensorTf32)] == 2 * 4096.0 * 4096 * 4096);
  // A tile of A is loaded by the 32 programs of its row.
  CHECK(t.ops[0].tiles == 32 * 64);
  CHECK(t.ops[0].times == 32 * t.ops[0].tiles);
  CHECK(t.loads[0].program_bytes == t.loads[0].asked_bytes);
  CHECK(t.loads[0].program_bytes == 32 * t.loads[0].distinct_bytes);
}

TEST_CASE("9 x 9 tiles: the first nine programs load 90 tiles row by row, 54 in groups of three rows") {
  for (const auto& [group, tiles] : {std::pair<int64_t, size_t>{1, 90}, {3, 54}}) {
    const auto source = open(grouped(288, 32, 32, group));
    const auto uses = cost::tiles_of(*source, {0, 1, 2, 3, 4, 5, 6, 7, 8});
    size_t loaded = 0;
    std::set<std::pair<std::vector<int64_t>, int>> boxes;
    for (const cost::TileUse& u : uses) {
      if (!source->ops()[static_cast<size_t>(u.op)].loads) continue;
      ++loaded;
      REQUIRE(u.box.lo.size() == 2);
      CHECK(u.box.hi[0] - u.box.lo[0] == 32);
      CHECK(u.box.hi[1] - u.box.lo[1] == 32);
      boxes.insert({u.box.lo, u.op});
    }
    CHECK(loaded == tiles);
    CHECK(boxes.size() == tiles);
  }
}

TEST_CASE("the programs of an fp16 8192^3 matmul run without its 384 MiB of tensors, in rectangles") {
  const auto source = open(grouped(8192, 128, 64, 8));
  std::vector<AccessRows> rows;
  REQUIRE(source->program(4095, 1, rows));
  REQUIRE(rows.size() == 2 * 128 + 1);
  CHECK(rows[0].tensor == 0);
  CHECK(rows[0].rows == 128);
  CHECK(rows[0].bytes == 128);
  CHECK(rows[0].stride == 16384);
  CHECK(rows[0].start == source->tensors()[0].end - 128 * 16384);
  CHECK(rows[1].rows == 64);
  CHECK(rows[1].bytes == 256);
  CHECK(rows[1].first);
  CHECK(rows[2].flops_before == 2.0f * 128 * 128 * 64);
  CHECK(rows.back().tensor == 2);
  CHECK(source->dominant_unit() == cost::WorkUnit::TensorFp16);
  CHECK(source->ops()[0].feeds_dot);
  CHECK(source->ops()[1].feeds_dot);
}
}  // namespace tilescope
