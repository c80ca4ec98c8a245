// What a recording says about each step: accesses, boxes, loops, faults, and where it ends early.
#include <map>
#include <set>

#include "tests/sim_record_data.h"

namespace tilescope {
namespace {

using testing::box;
using testing::lesson;
using testing::Recordable;
using testing::recordable;

const Op& op_of(const ProgramRecording& r, const Step& s) { return *r.ops()[static_cast<size_t>(s.op)]; }

/// Steps of ops with this mnemonic.
std::vector<uint64_t> steps_of(const ProgramRecording& r, std::string_view mnemonic) {
  std::vector<uint64_t> out;
  for (uint64_t s = 0; s < r.trace().steps.size(); ++s)
    if (op_of(r, r.trace().steps[s]).info().name == mnemonic) out.push_back(s);
  return out;
}

const AccessSummary& access_of(const ProgramRecording& r, uint64_t step) {
  return r.trace().accesses[static_cast<size_t>(r.trace().steps[step].access)];
}

/// The scalar int32 that a step gave to the variable.
int32_t scalar(ProgramRecording& r, const Function& f, uint64_t step, const std::string& name) {
  const auto data = r.step(step);
  for (const ValueRecord& v : data->results)
    if (f.values[v.value].name == name && v.data.size() == 4) return *reinterpret_cast<const int32_t*>(v.data.data());
  FAIL("the step gives no value to " << name);
  return 0;
}

bool is(const IndexBox& got, const IndexBox& expected) { return got.lo == expected.lo && got.hi == expected.hi; }

// Steps, frames and accesses refer to each other as the format says.
void check_structure(const ProgramTrace& t) {
  bool fits = true;
  for (size_t f = 0; f < t.frames.size(); ++f) {
    const LoopFrame& frame = t.frames[f];
    fits = fits && frame.first_step < frame.last_step && frame.last_step <= t.steps.size();
    fits = fits && t.steps[frame.first_step].phase == StepPhase::Iteration;
    fits = fits && t.steps[frame.first_step].frame == static_cast<int32_t>(f);
    if (frame.parent < 0) continue;
    const LoopFrame& outer = t.frames[static_cast<size_t>(frame.parent)];
    fits = fits && outer.first_step < frame.first_step && frame.last_step <= outer.last_step;
  }
  CHECK(fits);
  size_t next = 0;
  std::vector<int32_t> open;
  for (uint64_t s = 0; s < t.steps.size(); ++s) {
    const Step& step = t.steps[s];
    // The innermost frame around a step is the one that began last of those that have not ended.
    while (!open.empty() && t.frames[static_cast<size_t>(open.back())].last_step <= s) open.pop_back();
    for (; next < t.frames.size() && t.frames[next].first_step <= s; ++next) open.push_back(static_cast<int32_t>(next));
    fits = fits && step.frame == (open.empty() ? -1 : open.back());
    fits = fits && (step.access < 0 || t.accesses[static_cast<size_t>(step.access)].step == s);
  }
  CHECK(fits);
}

TEST_CASE("a matmul's loads tell where their tiles lie, also beside the matrix") {
  const Recordable c = recordable(lesson("matmul"), {2, 0, 0});
  const auto r = c.record();
  const std::vector<uint64_t> loads = steps_of(*r, "load"), stores = steps_of(*r, "store");
  REQUIRE(loads.size() == 4);
  const AccessSummary& a = access_of(*r, loads[2]);
  CHECK(a.tensor == 0);
  CHECK(a.reads);
  CHECK_FALSE(a.writes);
  CHECK(is(a.box, box({64, 32}, {70, 50})));
  CHECK(is(a.whole, box({64, 32}, {96, 64})));
  CHECK(a.on == 6 * 18);
  CHECK(a.masked == 1024 - 6 * 18);
  const AccessSummary& b = access_of(*r, loads[3]);
  CHECK(is(b.box, box({32, 0}, {50, 32})));
  CHECK(is(b.whole, box({32, 0}, {64, 32})));
  REQUIRE(stores.size() == 1);
  CHECK(access_of(*r, stores[0]).writes);
  CHECK(is(access_of(*r, stores[0]).box, box({64, 0}, {70, 32})));
  const LoopFrame& second = r->trace().frames[1];
  CHECK(second.position.variable == "k");
  CHECK(second.position.value == 32);
  CHECK(second.position.iteration == 1);
  CHECK(second.position.line == 11);
  CHECK(second.first_step < loads[2]);
  CHECK(loads[3] < second.last_step);
  check_structure(r->trace());
}

TEST_CASE("the accumulator's value after each iteration is the sum so far") {
  const Recordable c = recordable(lesson("matmul"), {0, 0, 0});
  const auto r = c.record();
  const Function& f = c.launch.kernel.function;
  const std::vector<uint64_t> dots = steps_of(*r, "dot");
  REQUIRE(dots.size() == 2);
  const ValueId acc = op_of(*r, r->trace().steps[dots[0]]).results[0];
  CHECK(f.values[acc].name == "acc");
  CHECK(r->last_definition(acc, dots[0] - 1) == -1);
  CHECK(r->last_definition(acc, dots[1] - 1) == static_cast<int64_t>(dots[0]));
  CHECK(r->last_definition(acc, dots[1]) == static_cast<int64_t>(dots[1]));
  for (int64_t row : {0, 13}) {
    for (int64_t n = 0; n < 2; ++n) {
      double sum = 0;
      for (int64_t k = 0; k < (n == 0 ? 32 : 50); ++k)
        sum += read_double(DType::Float16, (*c.before)[0].element(row * 50 + k)) *
               read_double(DType::Float16, (*c.before)[1].element(k * 45 + 7));
      const auto data = r->step(dots[static_cast<size_t>(n)]);
      REQUIRE(data->results.size() == 1);
      CHECK(read_double(DType::Float32, data->results[0].data.data() + 4 * (row * 32 + 7)) ==
            doctest::Approx(sum).epsilon(1e-5));
    }
  }
  // The loop itself: its variable and accumulator at every start, its result when it is left.
  const std::vector<uint64_t> loop = steps_of(*r, "for");
  REQUIRE(loop.size() == 3);
  CHECK(scalar(*r, f, loop[0], "k") == 0);
  CHECK(scalar(*r, f, loop[1], "k") == 32);
  CHECK(r->trace().steps[loop[2]].phase == StepPhase::Leave);
  CHECK(r->step(loop[2])->results[0].data == r->step(dots[1])->results[0].data);
  CHECK(r->step(loop[1])->results[1].data == r->step(dots[0])->results[0].data);
}

TEST_CASE("a missing mask is a fault: the recording ends with its step and shows the lanes") {
  const Recordable c = recordable(
      R"(def kernel(x_ptr, y_ptr, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    x = tl.load(x_ptr + at)
    tl.store(y_ptr + at, x)
)",
      R"("grid": [4], "args": {"x_ptr": {"tensor": "float32", "shape": [100], "init": {"full": 1}}, "y_ptr": {"tensor": "float32", "shape": [128], "init": "empty"}, "B": 32})",
      {3, 0, 0});
  const auto r = c.record();
  const ProgramTrace& t = r->trace();
  REQUIRE(t.faults.size() == 1);
  CHECK(t.faults[0].kind == FaultKind::OutOfBounds);
  CHECK(t.faults[0].lane == 4);
  CHECK(t.faults[0].count == 28);
  CHECK(t.faults[0].program == ProgramIndex{3, 0, 0});
  CHECK(t.truncated.empty());
  const uint64_t last = t.steps.size() - 1;
  CHECK(op_of(*r, t.steps[last]).info().name == "load");
  CHECK(access_of(*r, last).out_of_bounds == 28);
  CHECK(access_of(*r, last).requests == 0);
  CHECK(is(access_of(*r, last).box, box({96}, {128})));
  for (int again = 0; again < 2; ++again) {
    const auto data = r->step(last);
    CHECK(data->results.empty());
    REQUIRE(data->access);
    CHECK(data->access->tensor == 0);
    CHECK(data->access->offsets[31] == 127);
    CHECK(data->access->states[3] == LaneState::On);
    CHECK(data->access->states[4] == LaneState::OutOfBounds);
    r->step(0);
  }
}

TEST_CASE("a fault inside loops closes their iterations") {
  const Recordable c =
      recordable(R"(def kernel(x_ptr):
    s = 0
    for i in range(3):
        for j in range(4):
            s += tl.load(x_ptr + i * 4 + j)
    tl.store(x_ptr, s)
)",
                 R"("grid": [1], "args": {"x_ptr": {"tensor": "int32", "shape": [10], "init": {"full": 1}}})");
  const auto r = c.record();
  REQUIRE(r->trace().faults.size() == 1);
  CHECK(r->trace().frames.size() == 3 + 4 + 4 + 3);
  CHECK(r->trace().frames.back().position.value == 2);
  check_structure(r->trace());
}

TEST_CASE("iterations of nested loops nest, and loops without iterations are left at once") {
  const Recordable c =
      recordable(R"(def kernel(x_ptr, n):
    s = 0
    for i in range(2):
        for j in range(i):
            s += 10 * i + j
        for j in range(n):
            s += 1000
    tl.store(x_ptr, s)
)",
                 R"("grid": [1], "args": {"x_ptr": {"tensor": "int32", "shape": [4], "init": {"full": 0}}, "n": 3})");
  const auto r = c.record();
  CHECK(r->trace().frames.size() == 2 + 1 + 6);
  check_structure(r->trace());
  const Function& f = c.launch.kernel.function;
  std::vector<std::pair<StepPhase, int32_t>> seen;
  for (uint64_t s : steps_of(*r, "for")) seen.push_back({r->trace().steps[s].phase, scalar(*r, f, s, "s")});
  using P = StepPhase;
  const std::vector<std::pair<StepPhase, int32_t>> expected = {
      {P::Iteration, 0},    {P::Leave, 0},        {P::Iteration, 0},    {P::Iteration, 1000}, {P::Iteration, 2000},
      {P::Leave, 3000},     {P::Iteration, 3000}, {P::Iteration, 3000}, {P::Leave, 3010},     {P::Iteration, 3010},
      {P::Iteration, 4010}, {P::Iteration, 5010}, {P::Leave, 6010},     {P::Leave, 6010}};
  CHECK(seen == expected);
  CHECK(read_int64(DType::Int32, r->memory(0, r->trace().steps.size()).element(0)) == 6010);
}

TEST_CASE("a while loop has its condition in every iteration, the last one with nothing else") {
  const Recordable c =
      recordable(R"(def kernel(x_ptr):
    n = tl.load(x_ptr)
    steps = 0
    while n > 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    tl.store(x_ptr + 1, steps)
)",
                 R"("grid": [1], "args": {"x_ptr": {"tensor": "int32", "shape": [2], "init": {"values": [6, 0]}}})");
  const auto r = c.record();
  const ProgramTrace& t = r->trace();
  CHECK(t.faults.empty());
  CHECK(t.frames.size() == 9);  // 6 3 10 5 16 8 4 2, and 1
  check_structure(t);
  const Function& f = c.launch.kernel.function;
  std::vector<int32_t> values;
  for (uint64_t s : steps_of(*r, "while")) values.push_back(scalar(*r, f, s, "n"));
  CHECK(values == std::vector<int32_t>{6, 3, 10, 5, 16, 8, 4, 2, 1, 1});
  const std::vector<uint64_t> conditions = steps_of(*r, "condition");
  CHECK(conditions.size() == 9);
  CHECK_FALSE(r->step(conditions[0])->results.empty());
  CHECK(r->step(conditions[8])->results.empty());
  CHECK(scalar(*r, f, steps_of(*r, "if")[2], "n") == 5);
  CHECK(read_int64(DType::Int32, r->memory(0, t.steps.size()).element(1)) == 8);
}

TEST_CASE("atomics: old values, duplicates, and memory in both directions") {
  const Recordable c = recordable(
      R"(def kernel(x_ptr, old_ptr, B: tl.constexpr):
    lanes = tl.arange(0, B)
    old = tl.atomic_add(x_ptr + lanes % 4, lanes, mask=lanes < 6)
    tl.store(old_ptr + lanes, old, mask=lanes < 6)
)",
      R"("grid": [1], "args": {"x_ptr": {"tensor": "int32", "shape": [4], "init": {"values": [100, 200, 300, 400]}}, "old_ptr": {"tensor": "int32", "shape": [8], "init": {"full": 0}}, "B": 8})");
  const auto r = c.record();
  const uint64_t atomic = steps_of(*r, "atomic_rmw").at(0);
  const AccessSummary& a = access_of(*r, atomic);
  CHECK(a.reads);
  CHECK(a.writes);
  CHECK(a.on == 6);
  CHECK(a.masked == 2);
  CHECK(a.duplicates == 2);
  auto values = [&](int tensor, uint64_t steps) {
    std::vector<int64_t> out;
    const Tensor& t = r->memory(tensor, steps);
    for (int64_t e = 0; e < t.elements(); ++e) out.push_back(read_int64(t.dtype, t.element(e)));
    return out;
  };
  const std::vector<int64_t> before = {100, 200, 300, 400}, after = {104, 206, 302, 403};
  const uint64_t end = r->trace().steps.size();
  CHECK(values(0, end) == after);
  CHECK(values(1, end) == std::vector<int64_t>{100, 200, 300, 400, 100, 201, 0, 0});
  CHECK(values(0, atomic) == before);
  CHECK(values(0, atomic + 1) == after);
  CHECK(values(1, atomic + 1) == std::vector<int64_t>(8, 0));
  CHECK(values(0, 0) == before);
  const auto data = r->step(atomic);
  CHECK(data->results[0].poison == std::vector<uint8_t>{0, 0, 0, 0, 0, 0, 1, 1});
  CHECK(data->access->states[6] == LaneState::Masked);
}

TEST_CASE("lanes that read what was never written are told apart, and memory knows what earlier programs wrote") {
  const std::string text = R"(def kernel(x_ptr, y_ptr, B: tl.constexpr):
    pid = tl.program_id(0)
    at = tl.arange(0, B)
    x = tl.load(x_ptr + at, mask=at < 4)
    tl.store(x_ptr + at, pid, mask=at < 2 * (pid + 1))
    tl.store(y_ptr + at, x, mask=at < 2 * pid)
)";
  const std::string launch =
      R"("grid": [3], "args": {"x_ptr": {"tensor": "int32", "shape": [8], "init": "empty"}, "y_ptr": {"tensor": "int32", "shape": [8], "init": {"full": -1}}, "B": 8})";
  for (int64_t p = 0; p < 3; ++p) {
    const Recordable c = recordable(text, launch, {p, 0, 0});
    const auto r = c.record();
    CHECK(r->trace().faults.empty());
    const uint64_t load = steps_of(*r, "load").at(0);
    CHECK(access_of(*r, load).uninitialised == static_cast<uint64_t>(4 - 2 * p));
    for (int again = 0; again < 2; ++again) {
      const auto data = r->step(load);
      for (int64_t l = 0; l < 4; ++l)
        CHECK(data->access->states[static_cast<size_t>(l)] == (l < 2 * p ? LaneState::On : LaneState::Uninitialised));
      r->step(r->trace().steps.size() - 1);
    }
  }
}

TEST_CASE("a recording that reaches a limit says which, and what is before stays usable") {
  const Recordable c =
      recordable(R"(def kernel(x_ptr):
    n = 0
    while n >= 0:
        tl.store(x_ptr + n % 64, n)
        n += 1
        n = n % 1000000
)",
                 R"("grid": [1], "args": {"x_ptr": {"tensor": "int32", "shape": [64], "init": {"full": 0}}})");
  RecordOptions few;
  few.max_steps = 5000;
  auto r = c.record(few);
  CHECK(r->trace().steps.size() == 5000);
  CHECK(r->trace().truncated ==
        "recorded the first 5000 steps: the limit of 5000 steps of a recording was reached; a launch with fewer loop "
        "iterations or smaller tiles fits");
  check_structure(r->trace());
  CHECK(r->step(4999) != nullptr);
  RecordOptions small;
  small.memory_limit = 1 << 20;
  r = c.record(small);
  const ProgramTrace& t = r->trace();
  CHECK(t.truncated.find("steps: the 1 MiB limit of a recording was reached") != std::string::npos);
  CHECK(t.steps.size() > 1000);
  CHECK(r->bytes() < (1 << 20) + (1 << 17));
  const std::vector<uint64_t> stores = steps_of(*r, "store");
  const uint64_t last = stores.back();
  const int64_t n = static_cast<int64_t>(stores.size()) - 1;
  CHECK(read_int64(DType::Int32, r->memory(0, last + 1).element(n % 64)) == n);
  CHECK(read_int64(DType::Int32, r->memory(0, last).element(n % 64)) == n - 64);
}

TEST_CASE("somebody may stop a recording") {
  const Recordable c =
      recordable(R"(def kernel(x_ptr):
    s = 0
    for i in range(100000000):
        s += i
    tl.store(x_ptr, s)
)",
                 R"("grid": [1], "args": {"x_ptr": {"tensor": "int32", "shape": [1], "init": {"full": 0}}})");
  RecordOptions options;
  int calls = 0;
  options.progress = [&](uint64_t) { return ++calls < 2; };
  const auto r = c.record(options);
  CHECK(calls == 2);
  CHECK(r->trace().truncated.find("the recording was stopped") != std::string::npos);
  check_structure(r->trace());
}

TEST_CASE("rows beyond a wrapped matrix, falling strides and views of one row have their boxes") {
  const Recordable c = recordable(
      R"(def kernel(x_ptr, y_ptr, B: tl.constexpr):
    lanes = tl.arange(0, B)
    rows = (2 + lanes) % 4
    x = tl.load(x_ptr + rows[:, None] * 8 + lanes[None, :])
    y = tl.load(y_ptr - lanes)
    row = tl.load(x_ptr + 8 + lanes, mask=lanes < 2)
    tl.store(x_ptr + lanes, y)
)",
      R"("grid": [1], "args": {"x_ptr": {"tensor": "int32", "shape": [4, 8], "init": {"full": 1}}, "y_ptr": {"tensor": "int32", "shape": [6], "strides": [-1], "init": {"full": 0}}, "B": 4})");
  const auto r = c.record();
  CHECK(r->trace().faults.empty());
  const std::vector<uint64_t> loads = steps_of(*r, "load");
  CHECK(is(access_of(*r, loads[0]).box, box({0, 0}, {4, 4})));
  CHECK(is(access_of(*r, loads[1]).box, box({0}, {4})));
  CHECK(r->step(loads[1])->access->offsets[3] == -3);
  CHECK(is(access_of(*r, loads[2]).box, box({1, 0}, {2, 2})));
  CHECK(is(access_of(*r, loads[2]).whole, box({1, 0}, {2, 4})));
}

TEST_CASE("a store that reaches another tensor than its pointer's does not change what others hold") {
  const Recordable c = recordable(
      R"(def kernel(x_ptr, y_ptr):
    y = tl.load(y_ptr)
    tl.store(x_ptr + 4398046511104, y + 1)
    z = tl.load(y_ptr)
    tl.store(x_ptr, z)
)",
      R"("grid": [1], "args": {"x_ptr": {"tensor": "int32", "shape": [4], "init": {"full": 1}}, "y_ptr": {"tensor": "int32", "shape": [4], "init": {"full": 5}}})");
  const auto r = c.record();
  CHECK(r->trace().faults.empty());
  CHECK(read_int64(DType::Int32, c.launch.tensors[1].element(0)) == 5);
  const uint64_t steps = r->trace().steps.size();
  CHECK(read_int64(DType::Int32, r->memory(1, steps).element(0)) == 6);
  CHECK(read_int64(DType::Int32, r->memory(0, steps).element(0)) == 6);
  CHECK(read_int64(DType::Int32, r->memory(1, 0).element(0)) == 5);
  CHECK(access_of(*r, steps_of(*r, "store")[0]).tensor == 1);
}

TEST_CASE("a tile of pointers into two tensors has no tensor of its own") {
  const Recordable c = recordable(
      R"(def kernel(x_ptr, y_ptr, B: tl.constexpr):
    lanes = tl.arange(0, B)
    p = tl.where(lanes < 3, x_ptr + lanes, y_ptr + lanes)
    tl.store(p, tl.load(p) + 1)
)",
      R"("grid": [1], "args": {"x_ptr": {"tensor": "int32", "shape": [8], "init": {"full": 1}}, "y_ptr": {"tensor": "int32", "shape": [8], "init": {"full": 5}}, "B": 8})");
  const auto r = c.record();
  const uint64_t store = steps_of(*r, "store").at(0);
  CHECK(access_of(*r, store).tensor == -1);
  CHECK(access_of(*r, store).on == 8);
  CHECK(access_of(*r, store).box.empty());
  REQUIRE(r->trace().changes.size() == 2);
  CHECK(r->trace().changes[0].offsets == std::vector<int64_t>{0, 1, 2});
  CHECK(r->trace().changes[1].offsets == std::vector<int64_t>{3, 4, 5, 6, 7});
  CHECK(r->step(store)->access->offsets[4] == 4);
  CHECK(read_int64(DType::Int32, r->memory(0, store + 1).element(2)) == 2);
  CHECK(read_int64(DType::Int32, r->memory(0, store + 1).element(3)) == 1);
  CHECK(read_int64(DType::Int32, r->memory(1, store + 1).element(3)) == 6);
}

TEST_CASE("all lanes off: an access without requests, with a place") {
  const Recordable c =
      recordable(R"(def kernel(x_ptr, B: tl.constexpr):
    lanes = tl.arange(0, B)
    x = tl.load(x_ptr + 4 + lanes, mask=lanes < 0, other=7)
    tl.store(x_ptr + lanes, x)
)",
                 R"("grid": [1], "args": {"x_ptr": {"tensor": "int32", "shape": [16], "init": {"full": 1}}, "B": 8})");
  const auto r = c.record();
  const AccessSummary& a = access_of(*r, steps_of(*r, "load")[0]);
  CHECK(a.on == 0);
  CHECK(a.masked == 8);
  CHECK(a.tensor == 0);
  CHECK(a.requests == 0);
  CHECK(a.box.empty());
  CHECK(is(a.whole, box({4}, {12})));
}

}  // namespace
}  // namespace tilescope
