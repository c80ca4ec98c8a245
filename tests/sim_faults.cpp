// What the executor reports, and what it does not.
#include <doctest/doctest.h>

#include "tests/sim_exec_data.h"

namespace tilescope {
namespace {

using testing::Bench;
using testing::faults;

constexpr const char* kAdd = R"(
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs)
    tl.store(out_ptr + offs, x, mask=offs < n)
)";

TEST_CASE("an unmasked tail is reported with line, caret, program, lane, tensor, offset and size") {
  Bench b;
  b.range("x_ptr", DType::Float32, {1000});
  b.range("y_ptr", DType::Float32, {1000});
  b.tensor("out_ptr", DType::Float32, {1000});
  b.integer("n", 1000);
  b.integer("BLOCK", 256);
  const RunTrace t = b.run(kAdd, {4, 1, 1});
  REQUIRE(t.faults.size() == 1);
  const Fault& f = t.faults[0];
  CHECK(f.kind == FaultKind::OutOfBounds);
  CHECK(f.range.line == 8);
  CHECK(f.range.column == 9);
  CHECK(f.program == ProgramIndex{3, 0, 0});
  CHECK(f.lane == 232);
  CHECK(f.lane_index == std::vector<int64_t>{232});
  CHECK(f.tensor == "x_ptr");
  CHECK(f.offset == 1000);
  CHECK(f.size == 1000);
  CHECK(f.count == 24);
  CHECK(f.message == "load out of bounds of `x_ptr`: lane 232 reads element 1000 of 1000");
  CHECK(f.hint == "this load has no mask for offsets >= 1000: an unmasked tail of 24 lanes");
}

TEST_CASE("a tile that lies outside as a whole is told from one with a tail") {
  Bench b;
  b.range("x_ptr", DType::Float32, {1000});
  b.range("y_ptr", DType::Float32, {4096});
  b.tensor("out_ptr", DType::Float32, {4096});
  b.integer("n", 1000);
  b.integer("BLOCK", 256);
  const RunTrace tail = b.run(kAdd, {7, 1, 1});
  REQUIRE(tail.faults.size() == 1);
  CHECK(tail.faults[0].count == 24 + 3 * 256);
  CHECK(tail.faults[0].hint == "this load has no mask for offsets >= 1000: an unmasked tail of 24 lanes");
  const RunTrace whole = b.run(R"(
def kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = 1024 + tl.arange(0, BLOCK)
    tl.store(out_ptr + offs, tl.load(x_ptr + offs))
)",
                               {1, 1, 1});
  REQUIRE(whole.faults.size() == 1);
  CHECK(whole.faults[0].hint.find("the whole tile lies outside") != std::string::npos);
}

TEST_CASE("a fault names the row and column, the missing mask and the loop iteration") {
  Bench b;
  b.range("x_ptr", DType::Float32, {70, 50});
  b.tensor("out_ptr", DType::Float32, {32, 32});
  const RunTrace t = b.run(R"(
def kernel(x_ptr, out_ptr):
    rows = tl.arange(0, 32)
    cols = tl.arange(0, 32)
    acc = tl.zeros((32, 32), tl.float32)
    for k in range(0, 96, 32):
        acc += tl.load(x_ptr + (k + rows)[:, None] * 50 + cols[None, :])
    tl.store(out_ptr + rows[:, None] * 32 + cols[None, :], acc)
)");
  REQUIRE(t.faults.size() == 1);
  const Fault& f = t.faults[0];
  CHECK(f.lane_index == std::vector<int64_t>{6, 0});
  CHECK(f.element == std::vector<int64_t>{70, 0});
  CHECK(f.hint == "this load has no mask for rows >= 70: an unmasked tail of 832 lanes");
  REQUIRE(f.loops.size() == 1);
  CHECK(f.loops[0].iteration == 2);
  CHECK(f.loops[0].value == 64);
  CHECK(f.loops[0].variable == "k");
  CHECK(f.message.find("(row 70, column 0 of shape [70, 50])") != std::string::npos);
  CHECK(f.message.find("in iteration 2 (k = 64)") != std::string::npos);
}

TEST_CASE("a mask that lets lanes through is told from a missing mask") {
  Bench b;
  b.range("x_ptr", DType::Float32, {100});
  const RunTrace t = b.run(R"(
def kernel(x_ptr):
    offs = tl.arange(0, 128)
    tl.store(x_ptr + offs, 1.0, mask=offs <= 100)
)");
  REQUIRE(t.faults.size() == 1);
  CHECK(t.faults[0].message == "store out of bounds of `x_ptr`: lane 100 writes element 100 of 100");
  CHECK(t.faults[0].hint == "the mask of this store lets offsets >= 100 through");
}

TEST_CASE("reads before the first element and of made-up addresses are faults") {
  Bench b;
  b.range("x_ptr", DType::Int64, {8});
  const RunTrace before = b.run("def kernel(x_ptr):\n    tl.store(x_ptr, tl.load(x_ptr - 1))\n");
  REQUIRE(before.faults.size() == 1);
  CHECK(before.faults[0].offset == -1);
  CHECK(before.faults[0].hint.find("below the tensor's first element") != std::string::npos);
  const RunTrace made_up = b.run("def kernel(x_ptr):\n    p = tl.load(x_ptr + 3).to(tl.pointer_type(tl.int64))\n    tl.store(p, 1)\n");
  REQUIRE(made_up.faults.size() == 1);
  CHECK(made_up.faults[0].kind == FaultKind::BadAddress);
}

TEST_CASE("a strided view's range is its reachable elements") {
  Bench b;
  b.tensor("x_ptr", DType::Float32, {4, 3}, {8, 1});
  const char* text = R"(
def kernel(x_ptr, W: tl.constexpr):
    rows = tl.arange(0, 4)
    cols = tl.arange(0, 4)
    tl.store(x_ptr + rows[:, None] * 8 + cols[None, :], 1.0, mask=(cols < W)[None, :] & (rows < 4)[:, None])
)";
  b.integer("W", 3);
  CHECK(faults(b.run(text)) == "");
  Bench c;
  c.tensor("x_ptr", DType::Float32, {4, 3}, {8, 1});
  c.integer("W", 4);
  const RunTrace t = c.run(text);
  REQUIRE(t.faults.size() == 1);
  CHECK(t.faults[0].offset == 3);
  CHECK(t.faults[0].count == 4);
  CHECK(t.faults[0].hint == "the mask of this store lets columns >= 3 through");
}

TEST_CASE("masked-off lanes may point anywhere") {
  Bench b;
  b.range("x_ptr", DType::Float32, {10});
  CHECK(faults(b.run(R"(
def kernel(x_ptr):
    offs = tl.arange(0, 16)
    far = tl.where(offs < 10, offs, 1000000000)
    x = tl.load(x_ptr + far, mask=offs < 10, other=0.0)
    tl.store(x_ptr + far, x + 1, mask=offs < 10)
)")) == "");
}

TEST_CASE("a wrapped 32-bit offset is named as the cause") {
  Bench scalar;
  scalar.range("x_ptr", DType::Int8, {64});
  scalar.integer("stride", 300000000);
  const RunTrace row = scalar.run("def kernel(x_ptr, stride):\n    tl.store(x_ptr + tl.program_id(0) * stride * 8, 1)\n", {2, 1, 1});
  REQUIRE(row.faults.size() == 1);
  CHECK(row.faults[0].offset == static_cast<int32_t>(2400000000u));
  CHECK(row.faults[0].hint.find("32-bit integer wrapped") != std::string::npos);
  Bench b;
  b.range("x_ptr", DType::Int8, {64});
  b.integer("stride", 300000000);
  const RunTrace t = b.run(R"(
def kernel(x_ptr, stride):
    offs = tl.arange(0, 16) * stride
    tl.store(x_ptr + offs, 1)
)");
  REQUIRE(t.faults.size() == 1);
  CHECK(t.faults[0].hint.find("32-bit integer wrapped") != std::string::npos);
}

TEST_CASE("a masked-off lane without other is a fault only where it is used") {
  RunOptions strict;
  strict.check.uninitialised = true;
  const char* same_mask = R"(
def kernel(x_ptr, out_ptr):
    offs = tl.arange(0, 16)
    x = tl.load(x_ptr + offs, mask=offs < 10)
    tl.store(out_ptr + offs, x * 2, mask=offs < 10)
)";
  const char* chosen = R"(
def kernel(x_ptr, out_ptr):
    offs = tl.arange(0, 16)
    x = tl.load(x_ptr + offs, mask=offs < 10)
    tl.store(out_ptr + offs, tl.where(offs < 10, x, 0.0))
)";
  const char* used = R"(
def kernel(x_ptr, out_ptr):
    offs = tl.arange(0, 16)
    x = tl.load(x_ptr + offs, mask=offs < 10)
    tl.store(out_ptr + offs, x)
)";
  const char* summed = R"(
def kernel(x_ptr, out_ptr):
    offs = tl.arange(0, 16)
    x = tl.load(x_ptr + offs, mask=offs < 10)
    tl.store(out_ptr, tl.sum(x, axis=0))
)";
  for (const char* text : {same_mask, chosen, used, summed}) {
    Bench b;
    b.range("x_ptr", DType::Float32, {10});
    b.tensor("out_ptr", DType::Float32, {16});
    const RunTrace t = b.run(text, {1, 1, 1}, strict);
    CAPTURE(text);
    CHECK(t.faults.empty() == (text == same_mask || text == chosen));
    if (text == used) {
      REQUIRE(t.faults.size() == 1);
      CHECK(t.faults[0].kind == FaultKind::PoisonedUse);
      CHECK(t.faults[0].lane == 10);
      CHECK(t.faults[0].count == 6);
      CHECK(t.faults[0].hint == "give the load an `other`, or use the same mask here");
    }
    Bench lenient;
    lenient.range("x_ptr", DType::Float32, {10});
    lenient.tensor("out_ptr", DType::Float32, {16});
    CHECK(faults(lenient.run(text)) == "");
  }
}

TEST_CASE("uninitialised elements are followed through loads and stores") {
  RunOptions strict;
  strict.check.uninitialised = true;
  const char* copy = R"(
def kernel(x_ptr, out_ptr):
    offs = tl.arange(0, 16)
    tl.store(x_ptr + offs, 1.0, mask=offs < 8)
    x = tl.load(x_ptr + offs, mask=offs < N, other=0.0)
    tl.store(out_ptr + offs, x)
)";
  for (int n : {8, 9}) {
    Bench b;
    b.tensor("x_ptr", DType::Float32, {16}).uninitialised = true;
    b.tensor("out_ptr", DType::Float32, {16});
    std::string text = copy;
    text.replace(text.find("< N"), 3, "< " + std::to_string(n));
    const RunTrace t = b.run(text, {1, 1, 1}, strict);
    CAPTURE(n);
    CHECK(t.faults.empty() == (n == 8));
    if (n == 9) {
      CHECK(t.faults[0].kind == FaultKind::UninitialisedRead);
      CHECK(t.faults[0].lane == 8);
    }
  }
  // As an address it is a fault in every mode.
  Bench b;
  b.tensor("x_ptr", DType::Int32, {16}).uninitialised = true;
  const RunTrace t = b.run("def kernel(x_ptr):\n    tl.store(x_ptr + tl.load(x_ptr), 1)\n");
  REQUIRE(t.faults.size() == 1);
  CHECK(t.faults[0].message.find("the address is undefined") == 0);
}

TEST_CASE("loops that do not end, steps of zero and asserts stop the program") {
  RunOptions options;
  options.limits.max_steps_per_program = 10000;
  Bench b;
  b.range("x_ptr", DType::Int32, {4});
  b.integer("zero", 0);
  const RunTrace endless = b.run("def kernel(x_ptr, zero):\n    while tl.load(x_ptr + 1) == 1:\n        zero += 1\n    tl.store(x_ptr, zero)\n", {8, 1, 1}, options);
  REQUIRE(endless.faults.size() == 1);
  CHECK(endless.faults[0].kind == FaultKind::Limit);
  CHECK(endless.faults[0].program == ProgramIndex{0, 0, 0});
  CHECK(endless.faults[0].hint.find("does it wait for another program?") != std::string::npos);
  const RunTrace step = b.run("def kernel(x_ptr, zero):\n    for i in range(0, 4, zero):\n        tl.store(x_ptr, i)\n", {1, 1, 1}, options);
  REQUIRE(step.faults.size() == 1);
  CHECK(step.faults[0].kind == FaultKind::ZeroStep);
}

TEST_CASE("faults are the same for any number of threads and any order") {
  std::string first;
  for (int threads : {1, 2, 5})
    for (ProgramOrder order : {ProgramOrder::RowMajor, ProgramOrder::Reverse, ProgramOrder::Shuffled}) {
      Bench b;
      b.range("x_ptr", DType::Float32, {1000});
      b.range("y_ptr", DType::Float32, {1000});
      b.tensor("out_ptr", DType::Float32, {1000});
      b.integer("n", 1000);
      b.integer("BLOCK", 16);
      RunOptions o;
      o.threads = threads;
      o.order = order;
      const RunTrace t = b.run(kAdd, {5000, 1, 1}, o);
      REQUIRE(t.faults.size() == 1);
      const Fault& f = t.faults[0];
      const std::string text = f.message + std::to_string(f.program[0]) + " " + std::to_string(f.count) + b.bytes();
      if (first.empty()) first = text;
      CHECK(text == first);
      CHECK(f.program[0] == 62);
      CHECK(f.count == 8 + (5000 - 63) * 16);
    }
}

TEST_CASE("programs that fault leave nothing behind: tile memory does not run out") {
  Bench b;
  b.range("x_ptr", DType::Float32, {1000});
  RunOptions o;
  o.threads = 1;
  // Each program holds 2 MiB of flags and tiles when it faults; the pool's limit is 1 GiB.
  const RunTrace t = b.run(R"(
def kernel(x_ptr):
    offs = tl.arange(0, 131072)
    x = tl.load(x_ptr + offs, mask=offs < 1000, other=0.0) + 1.0
    tl.store(x_ptr + offs, x, mask=offs % 3000 < 1500)
)", {2000, 1, 1}, o);
  REQUIRE(t.faults.size() == 1);
  CHECK(t.faults[0].kind == FaultKind::OutOfBounds);
  CHECK(t.faults[0].lane == 1000);
}

TEST_CASE("a kernel whose tiles take too much memory is stopped") {
  Bench b;
  b.tensor("x_ptr", DType::Float64, {1});
  std::string text = "def kernel(x_ptr):\n    offs = tl.arange(0, 1048576)\n    p = x_ptr + offs * 0\n";
  for (int k = 0; k < 140; ++k) text += "    a" + std::to_string(k) + " = tl.load(p + offs % " + std::to_string(k + 2) + " * 0, mask=offs < 1) * 2\n";
  text += "    s = a0\n";
  for (int k = 139; k > 0; --k) text += "    s = s + a" + std::to_string(k) + "\n";
  text += "    tl.store(p, s, mask=offs < 1)\n";
  RunOptions o;
  o.threads = 1;
  const RunTrace t = b.run(text, {3, 1, 1}, o);
  REQUIRE(t.faults.size() == 1);
  CHECK(t.faults[0].kind == FaultKind::Limit);
  CHECK(t.faults[0].message.find("1 GiB") != std::string::npos);
}

TEST_CASE("a grid outside the limits is refused") {
  Bench b;
  b.range("x_ptr", DType::Float32, {4});
  for (std::array<int64_t, 3> grid : {std::array<int64_t, 3>{0, 1, 1}, std::array<int64_t, 3>{int64_t{1} << 31, 2, 1},
                                      std::array<int64_t, 3>{-1, 1, 1}, std::array<int64_t, 3>{int64_t{1} << 40, int64_t{1} << 40, int64_t{1} << 40}}) {
    const RunTrace t = b.run("def kernel(x_ptr):\n    tl.store(x_ptr, 1.0)\n", grid);
    REQUIRE(t.faults.size() == 1);
    CHECK(t.faults[0].kind == FaultKind::Limit);
  }
}

}  // namespace
}  // namespace tilescope
