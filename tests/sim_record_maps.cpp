// Footprints of programs and counts of elements, for maps of the grid and of memory.
#include "sim/program_maps.h"
#include "tests/sim_record_data.h"

namespace tilescope {
namespace {

using testing::box;
using testing::lesson;

RunTrace run_with_maps(Launch& launch, int threads = 0) {
  RunOptions options;
  options.maps = true;
  options.threads = threads;
  return execute(launch, options);
}

Launch prepare(const std::filesystem::path& file) {
  Expected<LaunchSpec> spec = load_launch_file(file.string());
  REQUIRE(spec.ok());
  Expected<Launch> launch = prepare_launch(*spec);
  REQUIRE(launch.ok());
  return std::move(*launch);
}

bool is(const IndexBox& got, const IndexBox& expected) { return got.lo == expected.lo && got.hi == expected.hi; }
bool all_are(const std::vector<uint32_t>& counts, uint32_t value) {
  return std::all_of(counts.begin(), counts.end(), [&](uint32_t c) { return c == value; });
}

TEST_CASE("a vector addition's footprints are its blocks, the last one short") {
  Launch launch = prepare(lesson("vector_add"));
  const RunTrace t = run_with_maps(launch);
  REQUIRE(t.footprints.size() == 4 * 3);
  CHECK(is(t.footprints[1 * 3 + 0].loaded, box({256}, {512})));
  CHECK(t.footprints[1 * 3 + 0].stored.empty());
  CHECK(is(t.footprints[3 * 3 + 1].loaded, box({768}, {1000})));
  CHECK(is(t.footprints[3 * 3 + 2].stored, box({768}, {1000})));
  CHECK(t.footprints[3 * 3 + 2].loaded.empty());
  CHECK(t.footprints[3 * 3 + 2].lanes_on == 232);
  CHECK(t.footprints[3 * 3 + 2].lanes_masked == 24);
  REQUIRE(t.element_counts.size() == 3);
  CHECK(t.element_counts[0].elements_per_count == 1);
  CHECK(t.element_counts[0].loads.size() == 1000);
  CHECK(all_are(t.element_counts[0].loads, 1));
  CHECK(t.element_counts[0].stores.empty());
  CHECK(all_are(t.element_counts[2].stores, 1));
}

TEST_CASE("a matmul loads each element of A once for every tile column of C, each of B for every tile row") {
  Launch launch = prepare(lesson("matmul"));
  const RunTrace t = run_with_maps(launch);
  CHECK(t.element_counts[0].loads.size() == 70 * 50);
  CHECK(all_are(t.element_counts[0].loads, 2));
  CHECK(all_are(t.element_counts[1].loads, 3));
  CHECK(all_are(t.element_counts[2].stores, 1));
  const size_t program = 2 + 3 * 1;
  CHECK(is(t.footprints[program * 3 + 0].loaded, box({64, 0}, {70, 50})));
  CHECK(is(t.footprints[program * 3 + 1].loaded, box({0, 32}, {50, 45})));
  CHECK(is(t.footprints[program * 3 + 2].stored, box({64, 32}, {70, 45})));
  CHECK(t.footprints[program * 3 + 0].lanes_on == 6 * 50);
  CHECK(t.footprints[program * 3 + 0].lanes_masked == 2 * 32 * 32 - 6 * 50);
}

TEST_CASE("a padded and a transposed matrix keep their rows and columns") {
  Launch launch = prepare(lesson("grouped_matmul"));
  const RunTrace t = run_with_maps(launch, 1);
  // Program 0 computes the tile at the origin of C.
  CHECK(is(t.footprints[0].loaded, box({0, 0}, {32, 130})));
  CHECK(is(t.footprints[1].loaded, box({0, 0}, {130, 32})));
  CHECK(is(t.footprints[2].stored, box({0, 0}, {32, 32})));
  CHECK(t.element_counts[0].loads.size() == 249 * 136 + 130);
  CHECK(t.element_counts[0].loads[0] == 6);
  CHECK(t.element_counts[0].loads[130] == 0);  // padding
  CHECK(t.element_counts[0].loads[136] == 6);
}

TEST_CASE("maps do not depend on the number of threads, and programs count along three axes") {
  const std::string text = R"(def kernel(x_ptr, y_ptr, B: tl.constexpr):
    i = tl.program_id(0)
    j = tl.program_id(1)
    k = tl.program_id(2)
    at = (k * tl.num_programs(1) + j) * 8 + i * B + tl.arange(0, B)
    tl.store(y_ptr + at, tl.load(x_ptr + at))
)";
  const LaunchSpec spec = testing::spec_from_text(
      R"("grid": [2, 3, 5], "args": {"x_ptr": {"tensor": "float32", "shape": [5, 3, 8], "init": {"randn": 1}},
    "y_ptr": {"tensor": "float32", "shape": [5, 3, 8], "init": "empty"}, "B": 4})");
  for (int threads : {1, 4}) {
    testing::Recordable r = testing::recordable(spec, testing::kernel_source(text), {});
    const RunTrace t = run_with_maps(r.launch, threads);
    REQUIRE(t.footprints.size() == 30 * 2);
    for (int64_t k = 0; k < 5; ++k)
      for (int64_t j = 0; j < 3; ++j)
        for (int64_t i = 0; i < 2; ++i) {
          const size_t p = static_cast<size_t>(i + 2 * (j + 3 * k));
          CHECK(is(t.footprints[2 * p].loaded, box({k, j, 4 * i}, {k + 1, j + 1, 4 * i + 4})));
          CHECK(is(t.footprints[2 * p + 1].stored, box({k, j, 4 * i}, {k + 1, j + 1, 4 * i + 4})));
        }
    CHECK(all_are(t.element_counts[1].stores, 1));
  }
}

TEST_CASE("lanes without a pattern are found too, and atomics count as stores") {
  const std::string text = R"(def kernel(at_ptr, x_ptr, sum_ptr):
    at = tl.load(at_ptr + tl.arange(0, 8))
    x = tl.load(x_ptr + at)
    tl.atomic_add(sum_ptr + at % 2, x)
)";
  testing::Recordable r = testing::recordable(
      text,
      R"("grid": [1], "args": {"at_ptr": {"tensor": "int32", "shape": [8], "init": {"values": [9, 3, 3, 7, 9, 12, 5, 9]}},
    "x_ptr": {"tensor": "int32", "shape": [4, 4], "init": {"full": 1}}, "sum_ptr": {"tensor": "int32", "shape": [4], "init": {"full": 0}}})");
  const RunTrace t = run_with_maps(r.launch);
  CHECK(is(t.footprints[1].loaded, box({0, 0}, {4, 4})));
  CHECK(t.element_counts[1].loads == std::vector<uint32_t>{0, 0, 0, 2, 0, 1, 0, 1, 0, 3, 0, 0, 1, 0, 0, 0});
  CHECK(is(t.footprints[2].stored, box({0}, {2})));
  CHECK(t.footprints[2].loaded.empty());
  CHECK(t.element_counts[2].stores == std::vector<uint32_t>{1, 7, 0, 0});
  CHECK(t.element_counts[2].loads.empty());
}

TEST_CASE("a large grid's maps stay cheap, and without maps there are none") {
  const std::string text = R"(def kernel(x_ptr, y_ptr, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=at < n, other=0) + 1, mask=at < n)
)";
  testing::Recordable r = testing::recordable(
      text, R"("grid": [65536], "args": {"x_ptr": {"tensor": "int8", "shape": [1048570], "init": {"full": 1}},
    "y_ptr": {"tensor": "int8", "shape": [1048570], "init": "empty"}, "n": 1048570, "B": 16})");
  const RunTrace t = run_with_maps(r.launch);
  REQUIRE(t.footprints.size() == 65536 * 2);
  CHECK(is(t.footprints[2 * 65535].loaded, box({1048560}, {1048570})));
  CHECK(execute(r.launch, {}).footprints.empty());
  CHECK(execute(r.launch, {}).element_counts.empty());
}

TEST_CASE("counts of a huge tensor are kept by groups of elements") {
  CHECK(elements_per_count(int64_t{1} << 25) == 1);
  CHECK(elements_per_count((int64_t{1} << 25) + 1) == 2);
  CHECK(elements_per_count(int64_t{1} << 33) == 256);
  TouchCounts counts(1000, 1000 + 4 * 10, 4);
  counts.add({{1000, 1}, {1004, -1}, {1012, 3}, {1016, -3}, {1036, 2}, {1040, -2}});
  counts.settle();
  CHECK(expand_counts(counts, 4, 1) == std::vector<uint32_t>{1, 0, 0, 3, 0, 0, 0, 0, 0, 2});
  CHECK(expand_counts(counts, 4, 4) == std::vector<uint32_t>{3, 0, 2});
}

}  // namespace
}  // namespace tilescope
