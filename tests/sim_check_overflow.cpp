// Offsets that wrap in 32 bits: found where they reach an address, also without memory for the tensor; arithmetic that
// is meant to wrap raises nothing.
#include <doctest/doctest.h>

#include "core/launch_file.h"
#include "sim/launch.h"
#include "tests/sim_exec_data.h"

namespace tilescope {
namespace {

using testing::Bench;

bool mentions(const std::string& text, const std::string& part) {
  if (text.find(part) == std::string::npos) MESSAGE("looked for: ", part, "\nin: ", text);
  return text.find(part) != std::string::npos;
}

RunTrace run_checked(const std::string& kernel, std::array<int64_t, 3> grid = {1, 1, 1}) {
  Bench b;
  b.range("x_ptr", DType::Float32, {64});
  b.tensor("out_ptr", DType::Float32, {64});
  b.integer("big", 1 << 16);
  RunOptions o;
  o.check = Checkers::all();
  return b.run(kernel, grid, o);
}

TEST_CASE("an offset that wraps is reported even where it lands inside the tensor") {
  const RunTrace t = run_checked(R"(
def kernel(x_ptr, out_ptr, big):
    offs = tl.arange(0, 64)
    x = tl.load(x_ptr + big * big + offs)
    tl.store(out_ptr + offs, x)
)");
  REQUIRE(t.faults.size() == 1);
  const Fault& f = t.faults[0];
  CHECK(f.kind == FaultKind::OffsetOverflow);
  CHECK(f.range.line == 8);
  CHECK(f.range.column == 25);
  CHECK(mentions(f.message, "`big * big` wraps in 32 bits: it should be 4294967296 and is 0"));
  CHECK(mentions(f.message, "lane 0 of the access goes to offset 0 of `x_ptr` instead of 4294967296"));
  CHECK(mentions(f.hint, ".to(tl.int64)"));
  REQUIRE(f.other.has_value());
  CHECK(f.other->range.line == 8);
}

TEST_CASE("the lane, the loop and the first op that wraps are named, through carried offsets and pointers") {
  const RunTrace carried = run_checked(R"(
def kernel(x_ptr, out_ptr, big):
    offs = tl.arange(0, 64)
    shift = 0
    total = tl.zeros((64,), tl.float32)
    for k in range(0, 3):
        total += tl.load(x_ptr + offs + shift, mask=offs + shift < 64, other=0.0)
        shift += big * 20000
    tl.store(out_ptr + offs, total)
)");
  REQUIRE(carried.faults.size() == 1);
  CHECK(carried.faults[0].kind == FaultKind::OffsetOverflow);
  CHECK(carried.faults[0].range.line == 12);
  CHECK(mentions(carried.faults[0].message, "it should be 2621440000 and is -1673527296"));
  REQUIRE(carried.faults[0].loops.size() == 1);
  CHECK(carried.faults[0].loops[0].iteration == 2);
  const RunTrace pointer = run_checked(R"(
def kernel(x_ptr, out_ptr, big):
    ptrs = x_ptr + tl.arange(0, 64)
    for k in range(0, 2):
        tl.store(out_ptr + tl.arange(0, 64), tl.load(ptrs))
        ptrs += big * big
)");
  REQUIRE(pointer.faults.size() == 1);
  CHECK(pointer.faults[0].range.line == 10);
  CHECK(pointer.faults[0].loops[0].iteration == 1);
  const RunTrace late = run_checked(R"(
def kernel(x_ptr, out_ptr, big):
    row = (tl.arange(0, 64) * big * 1024).to(tl.int64)
    tl.store(out_ptr + tl.arange(0, 64), tl.load(x_ptr + row - row))
    tl.store(out_ptr + row // (1 << 26), 1.0)
)");
  REQUIRE(late.faults.size() == 1);
  CHECK(late.faults[0].other->range.line == 9);
  CHECK(late.faults[0].lane == 32);
}

TEST_CASE("arithmetic that is meant to wrap raises nothing") {
  const RunTrace t = run_checked(R"(
def kernel(x_ptr, out_ptr, big):
    offs = tl.arange(0, 64)
    h = (offs * 0x1E3779B1) ^ (offs * big * big)
    slot = (h >> 3) & 63
    x = tl.load(x_ptr + slot)
    bucket = (offs * 1103515245 + 12345) % 64
    y = tl.load(x_ptr + tl.where(bucket < 0, bucket + 64, bucket))
    r = tl.rand(7, offs)
    back = offs + big * 40000 + big * 40000 - big * 40000 - big * 40000
    z = tl.load(x_ptr + back)
    far = big * 60000 + offs
    w = tl.load(x_ptr + far, mask=offs < 0, other=0.0)
    tl.store(out_ptr + offs, x + y + r + z + w + h)
)");
  CHECK(testing::faults(t) == "");
}

TEST_CASE("a launch that needs more memory than there is can be checked for its addresses") {
  const std::string folder = std::string(TILESCOPE_SOURCE_DIR) + "/lessons/14_clinic/patients/patient_9/";
  auto spec = load_launch_file(folder + "launch.json");
  REQUIRE(spec.ok());
  REQUIRE(exceeds_memory(*spec));
  CHECK_FALSE(prepare_launch(*spec).ok());
  std::vector<std::string> unbacked;
  auto launch = prepare_addresses(*spec, unbacked);
  REQUIRE(launch.ok());
  CHECK(unbacked == std::vector<std::string>{"x_ptr"});
  RunOptions o;
  o.check = Checkers::all();
  o.order = ProgramOrder::Reverse;
  o.first_programs = 2;
  const RunTrace t = execute(*launch, o);
  REQUIRE(t.faults.size() == 1);
  CHECK(t.faults[0].kind == FaultKind::OffsetOverflow);
  CHECK(mentions(t.faults[0].message, "wraps in 32 bits"));
}

}  // namespace
}  // namespace tilescope
