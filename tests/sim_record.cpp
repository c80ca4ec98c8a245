// The full recording of a program: same values as a run, in any order of asking.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "sim/record.h"

using namespace tilescope;
namespace fs = std::filesystem;

namespace {

/// A launch compiled for recording, and memory as it is when `program` starts.
struct Case {
  Launch launch;
  std::shared_ptr<const std::vector<Tensor>> before;
};

Case prepare(const fs::path& file, ProgramIndex program) {
  Expected<LaunchSpec> spec = load_launch_file(file.string());
  REQUIRE(spec.ok());
  Expected<Launch> launch = prepare_launch(*spec);
  REQUIRE(launch.ok());
  Expected<CompiledKernel> kernel = compile_for_recording(*spec);
  REQUIRE(kernel.ok());
  launch->kernel = std::move(*kernel);
  Case c{std::move(*launch), nullptr};
  c.before = tensors_before(c.launch, program, nullptr, nullptr);
  return c;
}

std::shared_ptr<ProgramRecording> record(const Case& c, ProgramIndex program, const RecordOptions& options = {}) {
  auto recording = ProgramRecording::make(c.launch, c.before, program, options);
  REQUIRE(recording.ok());
  return std::move(*recording);
}

fs::path lesson(const std::string& name) { return fs::path(TILESCOPE_SOURCE_DIR) / "lessons/kernels" / name / "launch.json"; }

bool same(const StepData& a, const StepData& b) {
  if (a.results.size() != b.results.size() || a.access.has_value() != b.access.has_value()) return false;
  for (size_t k = 0; k < a.results.size(); ++k)
    if (a.results[k].value != b.results[k].value || a.results[k].data != b.results[k].data || a.results[k].poison != b.results[k].poison) return false;
  return !a.access || (a.access->tensor == b.access->tensor && a.access->offsets == b.access->offsets && a.access->states == b.access->states);
}

bool same_bytes(const Tensor& a, const Tensor& b) {
  return a.storage.size() == b.storage.size() && std::equal(a.storage.data(), a.storage.data() + a.storage.size(), b.storage.data());
}

}  // namespace

TEST_CASE("recording the programs of a launch one after the other gives the memory of a run") {
  for (const char* name : {"vector_add", "softmax", "matmul", "grouped_matmul"}) {
    CAPTURE(name);
    Expected<LaunchSpec> spec = load_launch_file(lesson(name).string());
    REQUIRE(spec.ok());
    Expected<Launch> whole = prepare_launch(*spec);
    REQUIRE(whole.ok());
    execute(*whole, {});
    Case c = prepare(lesson(name), {});
    const int64_t programs = c.launch.grid[0] * c.launch.grid[1] * c.launch.grid[2];
    for (int64_t p = 0; p < programs; ++p) {
      auto r = record(c, {p % c.launch.grid[0], p / c.launch.grid[0], 0});
      CHECK(r->trace().truncated.empty());
      CHECK(r->trace().faults.empty());
      auto after = std::make_shared<std::vector<Tensor>>();
      for (size_t t = 0; t < c.before->size(); ++t) after->push_back(r->memory(static_cast<int>(t), r->trace().steps.size()));
      c.before = after;
    }
    for (size_t t = 0; t < c.before->size(); ++t) CHECK(same_bytes((*c.before)[t], whole->tensors[t]));
  }
}

TEST_CASE("the values of a step do not depend on the order of asking, nor on the memory that may be used") {
  for (const char* name : {"vector_add", "softmax", "matmul", "grouped_matmul"}) {
    CAPTURE(name);
    const Case c = prepare(lesson(name), {});
    auto straight = record(c, {});
    RecordOptions tight;
    tight.memory_limit = 2 * straight->bytes();
    auto other = record(c, {}, tight);
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
