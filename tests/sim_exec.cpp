// Kernels through the executor: control flow, views under stores, special values, atomics, order.
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "sim/launch.h"
#include "tests/sim_exec_data.h"

namespace tilescope {
namespace {

using testing::Bench;
using testing::faults;
using testing::values;
using Numbers = std::vector<double>;

TEST_CASE("masked lanes of a load give other exactly, and stores leave masked elements alone") {
  Bench b;
  b.range("x_ptr", DType::Float32, {10});
  Tensor& out = b.range("out_ptr", DType::Float32, {20});
  CHECK(faults(b.run(R"(
def kernel(x_ptr, out_ptr):
    offs = tl.arange(0, 16)
    x = tl.load(x_ptr + offs, mask=offs < 10, other=-5.0)
    tl.store(out_ptr + 2 + offs, x, mask=offs < 12)
)")) == "");
  CHECK(values(out) == Numbers{0, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, -5, -5, 14, 15, 16, 17, 18, 19});
}

TEST_CASE("a value loaded before a store keeps what it was, though loads are views") {
  Bench b;
  Tensor& x = b.range("x_ptr", DType::Int32, {12});
  CHECK(faults(b.run(R"(
def kernel(x_ptr):
    offs = tl.arange(0, 8)
    old = tl.load(x_ptr + offs)
    tl.store(x_ptr + offs + 1, old)
    tl.store(x_ptr + offs + 2, old + 100)
    tl.store(x_ptr + offs + 4, tl.load(x_ptr + offs) + 1000)
)")) == "");
  // After the first two stores: 0 0 100 101 102 103 104 105 106 107 10 11.
  CHECK(values(x) == Numbers{0, 0, 100, 101, 1000, 1000, 1100, 1101, 1102, 1103, 1104, 1105});
}

TEST_CASE("lanes that share elements read all of them before any is written") {
  Bench b;
  Tensor& x = b.range("x_ptr", DType::Int32, {8});
  CHECK(faults(b.run(R"(
def kernel(x_ptr):
    p = x_ptr + tl.arange(0, 4)[:, None] + tl.arange(0, 4)[None, :]
    tl.store(p, tl.load(p) + 10)
)")) == "");
  CHECK(values(x) == Numbers{10, 11, 12, 13, 14, 15, 16, 7});
}

TEST_CASE("of several lanes that store to one element the last one wins") {
  Bench b;
  Tensor& x = b.tensor("x_ptr", DType::Int32, {4});
  CHECK(faults(b.run("def kernel(x_ptr):\n    i = tl.arange(0, 16)\n    tl.store(x_ptr + i % 4, i)\n")) == "");
  CHECK(values(x) == Numbers{12, 13, 14, 15});
  CHECK(faults(b.run("def kernel(x_ptr):\n    i = tl.arange(0, 16)\n    tl.store(x_ptr + i * 0, i + 1)\n")) == "");
  CHECK(values(x) == Numbers{16, 13, 14, 15});
}

TEST_CASE("loops carry scalars, tiles and pointers, swap them, and may run no iteration") {
  Bench b;
  Tensor& x = b.range("x_ptr", DType::Int32, {64});
  b.integer("n", 5);
  CHECK(faults(b.run(R"(
def kernel(x_ptr, n):
    offs = tl.arange(0, 8)
    a = offs
    b = offs * 10
    p = x_ptr
    for i in range(n):
        c = a + i
        a = b
        b = c
        tl.store(p + offs, a)
        p += 8
    for i in range(n, 0):
        a = a * 0
    for i in range(n, -1, -2):
        b += i
    tl.store(x_ptr + 40 + offs, a)
    tl.store(x_ptr + 48 + offs, b)
)")) == "");
  for (int k = 0; k < 8; ++k) {
    int a = k, c = 10 * k;
    for (int i = 0; i < 5; ++i) {
      const int next = a + i;
      a = c;
      c = next;
      CHECK(read_int64(DType::Int32, x.element(8 * i + k)) == a);
    }
    CHECK(read_int64(DType::Int32, x.element(40 + k)) == a);
    CHECK(read_int64(DType::Int32, x.element(48 + k)) == c + 5 + 3 + 1);
  }
}

TEST_CASE("while and nested if see the values of their iteration") {
  Bench b;
  Tensor& x = b.tensor("x_ptr", DType::Int32, {4});
  CHECK(faults(b.run(R"(
def kernel(x_ptr):
    n = tl.program_id(0) + 5
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
            if n > 20:
                steps += 100
        steps += 1
    tl.store(x_ptr + tl.program_id(0), steps)
)", {4, 1, 1})) == "");
  for (int pid = 0; pid < 4; ++pid) {
    int n = pid + 5, steps = 0;
    for (; n != 1; ++steps) {
      if (n % 2 == 0) n /= 2;
      else if ((n = 3 * n + 1) > 20) steps += 100;
    }
    CHECK(read_int64(DType::Int32, x.element(pid)) == steps);
  }
}

TEST_CASE("special values pass through loads, arithmetic, reductions and stores") {
  Bench b;
  Tensor& x = b.tensor("x_ptr", DType::Float32, {8});
  Tensor& out = b.tensor("out_ptr", DType::Float32, {40});
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const float in[8] = {0.0f, -0.0f, inf, -inf, nan, 1e-45f, 3.4e38f, -1.0f};
  std::memcpy(x.storage.data(), in, sizeof in);
  CHECK(faults(b.run(R"(
def kernel(x_ptr, out_ptr):
    offs = tl.arange(0, 8)
    x = tl.load(x_ptr + offs)
    tl.store(out_ptr + offs, x)
    tl.store(out_ptr + 8 + offs, x * 2.0)
    tl.store(out_ptr + 16 + offs, 1.0 / x)
    tl.store(out_ptr + 24 + offs, tl.maximum(x, 0.0))
    tl.store(out_ptr + 32, tl.max(x, axis=0))
    tl.store(out_ptr + 33, tl.sum(tl.where(offs < 2, x, -0.0), axis=0))
)")) == "");
  const auto* o = reinterpret_cast<const float*>(out.storage.data());
  for (int k = 0; k < 8; ++k) {
    uint32_t want, got;
    std::memcpy(&want, &in[k], 4);
    std::memcpy(&got, &o[k], 4);
    CHECK(want == got);
    if (k == 4) continue;
    CHECK(o[8 + k] == in[k] * 2.0f);
    CHECK(o[16 + k] == 1.0f / in[k]);
  }
  CHECK(std::isnan(o[12]));
  CHECK(!std::signbit(o[24 + 1]));  // max(-0, +0) is +0
  CHECK(o[24 + 4] == 0.0f);         // a NaN loses
  CHECK(o[32] == inf);
  CHECK(o[33] == 0.0f);
}

TEST_CASE("negative and zero strides, transposed views and gaps read and write the right elements") {
  Bench b;
  Tensor& x = b.tensor("x_ptr", DType::Int32, {4, 8}, {-16, 2});
  for (int64_t i = 0; i < x.storage_elements(); ++i) write_int64(DType::Int32, x.element(i), i);
  Tensor& out = b.tensor("out_ptr", DType::Int32, {8, 4});
  CHECK(faults(b.run(R"(
def kernel(x_ptr, out_ptr):
    r = tl.arange(0, 4)
    c = tl.arange(0, 8)
    x = tl.load(x_ptr - r[:, None] * 16 + c[None, :] * 2)
    tl.store(out_ptr + c[:, None] * 4 + r[None, :], tl.trans(x))
)")) == "");
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 8; ++c)
      CHECK(read_int64(DType::Int32, out.element(c * 4 + r)) == read_int64(DType::Int32, x.element(x.origin - 16 * r + 2 * c)));
}

TEST_CASE("atomics whose result does not depend on the order run in parallel and add up") {
  for (int threads : {1, 4}) {
    Bench b;
    Tensor& x = b.tensor("x_ptr", DType::Int32, {8});
    RunOptions o;
    o.threads = threads;
    const RunTrace t = b.run("def kernel(x_ptr):\n    i = tl.arange(0, 32)\n    tl.atomic_add(x_ptr + i % 8, i)\n", {3000, 1, 1}, o);
    CHECK(faults(t) == "");
    CHECK(t.notes.empty());
    for (int k = 0; k < 8; ++k) CHECK(read_int64(DType::Int32, x.element(k)) == 3000 * (4 * k + 48));
  }
}

TEST_CASE("an atomic whose old value is used makes the programs run in order, and a note says so") {
  Bench b;
  Tensor& x = b.tensor("x_ptr", DType::Int32, {1});
  Tensor& out = b.tensor("out_ptr", DType::Int32, {500});
  const char* text = "def kernel(x_ptr, out_ptr):\n    ticket = tl.atomic_add(x_ptr, 1)\n    tl.store(out_ptr + tl.program_id(0), ticket)\n";
  RunOptions o;
  o.threads = 4;
  const RunTrace t = b.run(text, {500, 1, 1}, o);
  CHECK(faults(t) == "");
  REQUIRE(t.notes.size() == 1);
  CHECK(t.notes[0].find("depends on order") == 0);
  for (int k = 0; k < 500; ++k) CHECK(read_int64(DType::Int32, out.element(k)) == k);
  CHECK(read_int64(DType::Int32, x.element(0)) == 500);
}

TEST_CASE("a user's combine function reduces and scans in tree order, also with tuples") {
  Bench b;
  Tensor& x = b.range("x_ptr", DType::Int32, {8});
  Tensor& out = b.tensor("out_ptr", DType::Int32, {16});
  // Not commutative: keeps the left operand's high part and the right one's low digit.
  CHECK(faults(b.run(R"(
def left_digits(a, b):
    return a * 10 + b % 10

@triton.jit
def kernel(x_ptr, out_ptr):
    x = tl.load(x_ptr + tl.arange(0, 8))
    tl.store(out_ptr, tl.reduce(x, 0, left_digits))
    tl.store(out_ptr + 8 + tl.arange(0, 8), tl.associative_scan(x, 0, left_digits))
)")) == "");
  CHECK(read_int64(DType::Int32, x.element(1)) == 1);
  auto f = [](int a, int c) { return a * 10 + c % 10; };
  const int root = f(f(f(0, 1), f(2, 3)), f(f(4, 5), f(6, 7)));
  CHECK(read_int64(DType::Int32, out.element(0)) == root);
  CHECK(read_int64(DType::Int32, out.element(15)) == root);
  CHECK(read_int64(DType::Int32, out.element(9)) == f(0, 1));
  CHECK(read_int64(DType::Int32, out.element(10)) == f(f(0, 1), 2));
}

TEST_CASE("device_print lines come in program order and stop at the limit") {
  for (int threads : {1, 3}) {
    Bench b;
    b.range("x_ptr", DType::Int32, {4});
    RunOptions o;
    o.threads = threads;
    o.limits.max_printed = 6;
    const RunTrace t = b.run("def kernel(x_ptr):\n    tl.device_print(\"x\", tl.load(x_ptr + tl.arange(0, 4)))\n", {50, 1, 1}, o);
    CHECK(faults(t) == "");
    REQUIRE(t.printed.size() == 6);
    CHECK(t.printed[0] == "pid (0, 0, 0) idx (0) x: 0");
    CHECK(t.printed[5] == "pid (1, 0, 0) idx (1) x: 1");
    CHECK(t.notes.size() == 1);
  }
}

TEST_CASE("progress reaches the end, and false stops the launch") {
  Bench b;
  b.tensor("x_ptr", DType::Int32, {1 << 16});
  const char* text = "def kernel(x_ptr):\n    tl.store(x_ptr + tl.program_id(0), 1)\n";
  int64_t last = 0;
  RunOptions o;
  o.progress = [&](int64_t done, int64_t total) {
    CHECK(done > last);
    CHECK(total == 1 << 16);
    last = done;
    return true;
  };
  b.run(text, {1 << 16, 1, 1}, o);
  CHECK(last == 1 << 16);
  o.progress = [](int64_t, int64_t) { return false; };
  o.threads = 1;
  const RunTrace t = b.run("def kernel(x_ptr):\n    for i in range(2000):\n        tl.store(x_ptr + tl.program_id(0), i)\n", {1 << 16, 1, 1}, o);
  REQUIRE(t.notes.size() == 1);
  CHECK(t.notes[0].find("stopped after") == 0);
}

TEST_CASE("any program order, number of threads and form of tiles gives the same bytes on the conformance kernels") {
  namespace fs = std::filesystem;
  const fs::path root(TILESCOPE_SOURCE_DIR);
  fs::path folder = root / "tests" / "conformance";
  if (!fs::exists(folder)) folder = root / ".." / "shared" / "conformance";
  if (!fs::exists(folder)) folder = root / ".." / ".." / "shared" / "conformance";
  if (!fs::exists(folder)) return;
  int kernels = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string path = (entry.path() / "launch.json").string();
    if (!fs::exists(path)) continue;
    Expected<LaunchSpec> spec = load_launch_file(path);
    if (!spec || spec->expect_error) continue;
    std::string first;
    for (int form = 0; form < 5; ++form) {
      Expected<Launch> launch = prepare_launch(*spec);
      if (!launch) break;
      RunOptions o;
      o.threads = form % 3 + 1;
      o.order = form == 1 ? ProgramOrder::Reverse : form == 2 ? ProgramOrder::Shuffled : ProgramOrder::RowMajor;
      o.closed_forms = form != 3;
      const RunTrace t = execute(*launch, o);
      const bool ordered = !t.notes.empty() && t.notes[0].find("depends on order") == 0;
      if (ordered && o.order != ProgramOrder::RowMajor) continue;
      std::string bytes = faults(t);
      for (const Tensor& x : launch->tensors) bytes.append(reinterpret_cast<const char*>(x.storage.data()), x.storage.size());
      if (form == 0) first = bytes, ++kernels;
      CAPTURE(path);
      CAPTURE(form);
      CHECK(bytes == first);
    }
  }
  CHECK(kernels > 100);
}

}  // namespace
}  // namespace tilescope
