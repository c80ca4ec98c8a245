// Every conformance kernel, recorded: the same memory as a run, the same lanes and requests as its counters, and values
// that agree with memory.
#include <map>
#include <random>

#include "tests/sim_record_data.h"

namespace tilescope {
namespace {

using testing::Recordable;
using testing::recordable;
using testing::same;
using testing::same_bytes;
namespace fs = std::filesystem;

constexpr int64_t kMostPrograms = 8;
constexpr uint64_t kMostSteps = 3000;

const Op& op_of(const ProgramRecording& r, uint64_t step) {
  return *r.ops()[static_cast<size_t>(r.trace().steps[step].op)];
}

// A loaded lane holds what memory holds; a stored lane is there afterwards.
void check_against_memory(ProgramRecording& r) {
  for (const AccessSummary& a : r.trace().accesses) {
    if (a.tensor < 0 || a.duplicates > 0 || (a.reads && a.writes)) continue;
    const auto data = r.step(a.step);
    REQUIRE(data->access);
    const AccessLanes& lanes = *data->access;
    std::shared_ptr<const StepData> from = data;
    ValueId value = kNoValue;
    if (a.reads) {
      if (data->results.empty()) continue;  // it faulted
      value = data->results[0].value;
    } else {
      value = op_of(r, a.step).operands[1];
      const int64_t defined = r.last_definition(value, a.step);
      if (defined < 0) continue;  // a parameter
      from = r.step(static_cast<uint64_t>(defined));
    }
    const ValueRecord* record = nullptr;
    for (const ValueRecord& v : from->results)
      if (v.value == value) record = &v;
    REQUIRE(record != nullptr);
    const Tensor& t = r.memory(a.tensor, a.step + (a.writes ? 1 : 0));
    const auto bytes = static_cast<size_t>(dtype_bytes(t.dtype));
    if (record->data.size() != lanes.offsets.size() * bytes) continue;  // a pointer to another type
    bool equal = true;
    for (size_t l = 0; l < lanes.offsets.size(); ++l) {
      if (lanes.states[l] != LaneState::On) continue;
      const std::byte* p = t.element(t.origin + lanes.offsets[l]);
      if (t.dtype == DType::Int1)
        equal = equal && (*p != std::byte{0}) == (record->data[l] != std::byte{0});
      else
        equal = equal && std::equal(p, p + bytes, record->data.data() + l * bytes);
    }
    CHECK(equal);
  }
}

// The same steps with next to no memory for checkpoints, asked for in a random order and backward.
void check_order_of_asking(const Recordable& c, ProgramRecording& r) {
  RecordOptions tight;
  tight.memory_limit = r.bytes();
  const auto other = c.record(tight);
  const uint64_t steps = other->trace().steps.size();
  if (other->trace().truncated.empty()) CHECK(steps == r.trace().steps.size());
  std::mt19937_64 random(1);
  bool equal = true;
  for (int n = 0; n < 4; ++n) {
    const uint64_t s = random() % steps;
    equal = equal && same(*other->step(s), *r.step(s));
  }
  for (uint64_t s = steps; s-- > steps / 4 * 3;) equal = equal && same(*other->step(s), *r.step(s));
  CHECK(equal);
}

struct Sums {
  uint64_t on = 0, masked = 0, requests = 0, sectors = 0;
  friend bool operator==(const Sums&, const Sums&) = default;
};

void check_case(const LaunchSpec& spec) {
  Expected<Launch> whole = prepare_launch(spec);
  REQUIRE(whole.ok());
  const int64_t programs = whole->grid[0] * whole->grid[1] * whole->grid[2];
  if (programs > kMostPrograms) return;
  RunOptions options;
  options.threads = 1;
  const RunTrace totals = execute(*whole, options);
  Recordable c = recordable(spec, nullptr, {});
  std::map<std::pair<int, int>, Sums> by_place, expected;
  for (const LineReport& l : totals.lines) {
    Sums& s = expected[{l.line, l.column}];
    s.on += l.counters.lanes_active, s.masked += l.counters.lanes_masked, s.requests += l.counters.requests,
        s.sectors += l.counters.sectors;
  }
  for (int64_t p = 0; p < programs; ++p) {
    c.program = {p % whole->grid[0], p / whole->grid[0] % whole->grid[1], p / whole->grid[0] / whole->grid[1]};
    const auto r = c.record();
    CHECK(r->trace().truncated.empty());
    const uint64_t steps = r->trace().steps.size();
    for (const AccessSummary& a : r->trace().accesses) {
      const Op& op = op_of(*r, a.step);
      Sums& s = by_place[{op.loc->range.line, op.loc->range.column}];
      s.on += a.on, s.masked += a.masked, s.requests += a.requests, s.sectors += a.sectors;
    }
    if (p == 0 && steps <= kMostSteps) {
      check_against_memory(*r);
      check_order_of_asking(c, *r);
    }
    auto after = std::make_shared<std::vector<Tensor>>();
    for (size_t t = 0; t < c.before->size(); ++t) after->push_back(r->memory(static_cast<int>(t), steps));
    c.before = after;
  }
  for (size_t t = 0; t < c.before->size(); ++t) CHECK(same_bytes((*c.before)[t], whole->tensors[t]));
  if (!totals.faults.empty()) return;
  for (const auto& [place, sums] : expected) {
    CAPTURE(place.first);
    CHECK(sums.on == by_place[place].on);
    CHECK(sums.masked == by_place[place].masked);
    CHECK(sums.requests == by_place[place].requests);
    CHECK(sums.sectors == by_place[place].sectors);
  }
}

TEST_CASE("every conformance kernel's recording agrees with its run") {
  int checked = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(TILESCOPE_SOURCE_DIR) / "tests" / "conformance")) {
    if (!fs::exists(entry.path() / "launch.json")) continue;
    const Expected<LaunchSpec> spec = load_launch_file((entry.path() / "launch.json").string());
    REQUIRE(spec.ok());
    if (spec->expect_error || !compile_launch(*spec, false).ok()) continue;
    CAPTURE(entry.path().filename().string());
    check_case(*spec);
    ++checked;
  }
  CHECK(checked >= 100);
  for (const char* name : {"vector_add", "matmul", "grouped_matmul"}) {
    const Expected<LaunchSpec> spec = load_launch_file(testing::lesson(name).string());
    REQUIRE(spec.ok());
    check_case(*spec);
  }
}

}  // namespace
}  // namespace tilescope
