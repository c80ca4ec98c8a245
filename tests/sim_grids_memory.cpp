// Loads, stores, atomics, control flow, printing and assertions in grids of several programs with data of their own.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "tests/property/grids.h"

namespace tilescope::testing {
namespace {

/// The kernel's line that numbers the programs of a grid row by row.
const std::string kPid =
    "    pid = tl.program_id(0) + tl.num_programs(0) * (tl.program_id(1) + tl.num_programs(1) * tl.program_id(2))\n";

Numbers counted(int64_t n, std::function<double(int64_t)> f) {
  Numbers out;
  for (int64_t i = 0; i < n; ++i) out.push_back(f(i));
  return out;
}

RunOptions shuffled() {
  RunOptions o;
  o.order = ProgramOrder::Shuffled;
  o.shuffle_seed = 11;
  o.check.uninitialised = true;
  return o;
}

void program_numbers(OpSet& ops) {
  GridLaunch g(ops);
  Tensor& y = g.tensor("y_ptr", DType::Int32, {24, 6});
  CHECK(fault_text(g.run("def kernel(y_ptr):\n" + kPid + R"(    p = y_ptr + pid * 6
    for axis in tl.static_range(3):
        tl.store(p + axis, tl.program_id(axis))
        tl.store(p + 3 + axis, tl.num_programs(axis))
)",
                         {4, 3, 2}, shuffled())) == "");
  CHECK(values_of(y) == counted(24 * 6, [](int64_t k) -> double {
          const int64_t pid = k / 6, sizes[] = {4, 3, 2}, ids[] = {pid % 4, pid / 4 % 3, pid / 12};
          return static_cast<double>(k % 6 < 3 ? ids[k % 6] : sizes[k % 3]);
        }));
}

/// A tiled transpose of a 10 x 7 matrix with masks on both sides.
void masked_tiles(OpSet& ops) {
  GridLaunch g(ops);
  g.tensor("x_ptr", DType::Float16, {10, 7}, counted(70, [](int64_t k) { return static_cast<double>(k); }));
  Tensor& y = g.tensor("y_ptr", DType::Float16, {7, 10}, Numbers(70, -1));
  CHECK(fault_text(g.run(R"(def kernel(x_ptr, y_ptr):
    rows = tl.program_id(1) * 4 + tl.arange(0, 4)
    cols = tl.program_id(0) * 4 + tl.arange(0, 4)
    inside = (rows < 10)[:, None] & (cols < 7)[None, :]
    x = tl.load(x_ptr + rows[:, None] * 7 + cols[None, :], mask=inside, other=0.0)
    tl.store(y_ptr + cols[:, None] * 10 + rows[None, :], tl.trans(x), mask=tl.trans(inside))
)",
                         {2, 3, 1}, shuffled())) == "");
  CHECK(values_of(y) == counted(70, [](int64_t k) { return static_cast<double>(k % 10 * 7 + k / 10); }));
}

/// Rows through a table of their numbers, and of pointers made of integers.
void indirect(OpSet& ops) {
  GridLaunch g(ops);
  g.tensor("x_ptr", DType::Int64, {8, 4}, counted(32, [](int64_t k) { return static_cast<double>(k * k); }));
  g.tensor("at_ptr", DType::Int32, {6}, {5, 0, 7, 2, 2, 1});
  Tensor& y = g.tensor("y_ptr", DType::Int64, {6, 4});
  CHECK(fault_text(g.run("def kernel(x_ptr, at_ptr, y_ptr):\n" + kPid + R"(    i = tl.arange(0, 4)
    row = tl.load(at_ptr + pid)
    address = (x_ptr + row * 4).to(tl.int64) + i * 8
    tl.store(y_ptr + pid * 4 + i, tl.load(address.to(tl.pointer_type(tl.int64))))
)",
                         {6, 1, 1}, shuffled())) == "");
  const int64_t at[] = {5, 0, 7, 2, 2, 1};
  CHECK(values_of(y) == counted(24, [&](int64_t k) {
          const int64_t from = at[k / 4] * 4 + k % 4;
          return static_cast<double>(from * from);
        }));
}

// ---- atomics
// --------------------------------------------------------------------------------------------------------------

/// Twelve programs of eight lanes update eight elements; every update of an element commutes.
void commuting_atomics(OpSet& ops) {
  const std::map<std::string, std::function<int64_t(int64_t, int64_t)>> kinds = {
      {"add", [](int64_t a, int64_t b) { return a + b; }},
      {"max", [](int64_t a, int64_t b) { return std::max(a, b); }},
      {"min", [](int64_t a, int64_t b) { return std::min(a, b); }},
      {"and", [](int64_t a, int64_t b) { return a & b; }},
      {"or", [](int64_t a, int64_t b) { return a | b; }},
      {"xor", [](int64_t a, int64_t b) { return a ^ b; }}};
  for (DType t : {DType::Int32, DType::UInt32, DType::Int64, DType::UInt64})
    for (const auto& [kind, f] : kinds) {
      GridLaunch g(ops);
      Tensor& y = g.tensor("y_ptr", t, {8}, Numbers(8, 21));
      CHECK(fault_text(g.run("def kernel(y_ptr):\n" + kPid +
                                 "    i = tl.arange(0, 8)\n    v = (pid * 7 + i * 3) % 64\n    tl.atomic_" + kind +
                                 "(y_ptr + i, v, mask=v % 5 != 0)\n",
                             {3, 2, 2}, shuffled())) == "");
      CAPTURE(kind);
      CAPTURE(std::string(dtype_name(t)));
      CHECK(values_of(y) == counted(8, [&](int64_t i) {
              int64_t e = 21;
              for (int64_t pid = 0; pid < 12; ++pid)
                if (const int64_t v = (pid * 7 + i * 3) % 64; v % 5 != 0) e = f(e, v);
              return static_cast<double>(e);
            }));
    }
}

void float_atomics(OpSet& ops) {
  for (DType t : {DType::Float16, DType::BFloat16, DType::Float32, DType::Float64}) {
    GridLaunch g(ops);
    Tensor& y = g.tensor("y_ptr", t, {4});
    CHECK(fault_text(g.run("def kernel(y_ptr):\n" + kPid +
                               "    i = tl.arange(0, 4)\n    tl.atomic_add(y_ptr + i, (pid - i) * 0.5)\n",
                           {5, 1, 1}, {})) == "");
    CHECK(values_of(y) == counted(4, [](int64_t i) { return static_cast<double>(10 - 5 * i) / 2; }));
  }
  for (DType t : {DType::Float32, DType::Float64}) {
    GridLaunch g(ops);
    Tensor& y = g.tensor("y_ptr", t, {2}, {-100, 100});
    CHECK(fault_text(g.run(
              "def kernel(y_ptr):\n" + kPid +
                  "    v = (pid * 5 % 7 - 3) * 0.5\n    tl.atomic_max(y_ptr, v)\n    tl.atomic_min(y_ptr + 1, v)\n",
              {7, 1, 1}, {})) == "");
    CHECK(values_of(y) == Numbers{1.5, -1.5});
  }
}

/// Old values are given in the order of the programs, whatever the number of threads.
void old_values(OpSet& ops) {
  GridLaunch g(ops);
  Tensor& count = g.tensor("count_ptr", DType::Int32, {2}, {100, -1});
  Tensor& y = g.tensor("y_ptr", DType::Int32, {6, 3}, Numbers(18, -5));
  RunOptions options;
  options.threads = 2;
  const RunTrace t = g.run(
      "def kernel(count_ptr, y_ptr):\n" + kPid + R"(    tl.store(y_ptr + pid * 3, tl.atomic_add(count_ptr, pid + 1))
    tl.store(y_ptr + pid * 3 + 1, tl.atomic_xchg(count_ptr + 1, pid))
    old = tl.atomic_cas(count_ptr + 1, pid, pid * 10)
    tl.store(y_ptr + pid * 3 + 2, old)
)",
      {3, 2, 1}, options);
  CHECK(fault_text(t) == "");
  CHECK(values_of(y) == counted(18, [](int64_t k) -> double {
          const int64_t pid = k / 3;
          if (k % 3 == 0) return static_cast<double>(100 + pid * (pid + 1) / 2);
          return static_cast<double>(k % 3 == 2 ? pid : pid == 0 ? -1 : (pid - 1) * 10);
        }));
  CHECK(values_of(count) == Numbers{121, 50});
  const bool noted = std::any_of(t.notes.begin(), t.notes.end(),
                                 [](const std::string& n) { return n.find("order") != std::string::npos; });
  CHECK(noted);
}

// ---- control flow
// -----------------------------------------------------------------------------------------------------------

int64_t collatz_steps(int64_t n) {
  int64_t steps = 0;
  for (; n != 1; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
  return steps;
}

void loops_and_branches(OpSet& ops) {
  GridLaunch g(ops);
  Tensor& y = g.tensor("y_ptr", DType::Int32, {12, 4}, Numbers(48, -1));
  CHECK(fault_text(g.run("def kernel(y_ptr):\n" + kPid + R"(    total = 0
    for k in range(pid % 5, pid + 3, 2):
        total += k * pid
    down = tl.zeros((2,), tl.int32)
    for k in range(pid, 0, -1):
        if k % 3 == 0:
            down += k
        else:
            down = down * 2 % 1000
    n = pid + 1
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    tl.store(y_ptr + pid * 4, total)
    tl.store(y_ptr + pid * 4 + 1 + tl.arange(0, 2), down)
    if pid % 4 == 1:
        return
    tl.store(y_ptr + pid * 4 + 3, steps)
)",
                         {3, 2, 2}, shuffled())) == "");
  CHECK(values_of(y) == counted(48, [](int64_t k) -> double {
          const int64_t pid = k / 4;
          int64_t total = 0, down = 0;
          for (int64_t j = pid % 5; j < pid + 3; j += 2) total += j * pid;
          for (int64_t j = pid; j > 0; --j) down = j % 3 == 0 ? down + j : down * 2 % 1000;
          if (k % 4 == 3) return static_cast<double>(pid % 4 == 1 ? -1 : collatz_steps(pid + 1));
          return static_cast<double>(k % 4 == 0 ? total : down);
        }));
}

/// A matrix product in a K loop with carried pointers, masked on all three axes.
void k_loop(OpSet& ops) {
  constexpr int64_t M = 20, N = 18, K = 37;
  GridLaunch g(ops);
  const auto a = counted(M * K, [](int64_t i) { return static_cast<double>(i * 7 % 11 - 5); }),
             b = counted(K * N, [](int64_t i) { return static_cast<double>(i * 5 % 13 - 6); });
  g.tensor("a_ptr", DType::Float16, {M, K}, a);
  g.tensor("b_ptr", DType::Float16, {K, N}, b);
  Tensor& c = g.tensor("c_ptr", DType::Float32, {M, N});
  g.integer("M", M);
  g.integer("N", N);
  g.integer("K", K);
  CHECK(fault_text(g.run(R"(def kernel(a_ptr, b_ptr, c_ptr, M, N, K):
    rows = tl.program_id(0) * 16 + tl.arange(0, 16)
    cols = tl.program_id(1) * 16 + tl.arange(0, 16)
    ks = tl.arange(0, 16)
    a = a_ptr + rows[:, None] * K + ks[None, :]
    b = b_ptr + ks[:, None] * N + cols[None, :]
    acc = tl.zeros((16, 16), tl.float32)
    for k in range(0, K, 16):
        x = tl.load(a, mask=(rows < M)[:, None] & (k + ks < K)[None, :], other=0.0)
        y = tl.load(b, mask=(k + ks < K)[:, None] & (cols < N)[None, :], other=0.0)
        acc += tl.dot(x, y)
        a += 16
        b += 16 * N
    tl.store(c_ptr + rows[:, None] * N + cols[None, :], acc, mask=(rows < M)[:, None] & (cols < N)[None, :])
)",
                         {2, 2, 1}, shuffled())) == "");
  CHECK(values_of(c) == counted(M * N, [&](int64_t i) {
          double sum = 0;
          for (int64_t k = 0; k < K; ++k)
            sum += a[static_cast<size_t>(i / N * K + k)] * b[static_cast<size_t>(k * N + i % N)];
          return sum;
        }));
}

}  // namespace

void memory_grids(OpSet& ops) {
  program_numbers(ops);
  masked_tiles(ops);
  indirect(ops);
  commuting_atomics(ops);
  float_atomics(ops);
  old_values(ops);
}

void control_grids(OpSet& ops) {
  loops_and_branches(ops);
  k_loop(ops);
}

void debug_grids(OpSet& ops) {
  GridLaunch printing(ops);
  const RunTrace printed =
      printing.run("def kernel():\n" + kPid + "    if pid % 2 == 0:\n        tl.device_print(\"twice\", pid * 2)\n",
                   {2, 2, 1}, shuffled());
  CHECK(printed.printed == std::vector<std::string>{"pid (0, 0, 0) idx () twice: 0", "pid (0, 1, 0) idx () twice: 4"});

  GridLaunch asserting(ops);
  Tensor& y = asserting.tensor("y_ptr", DType::Int32, {4}, Numbers(4, -1));
  const RunTrace t =
      asserting.run("def kernel(y_ptr):\n" + kPid +
                        "    i = tl.arange(0, 4)\n    tl.device_assert(pid * 4 + i != 9, \"nine\")\n    "
                        "tl.device_assert(i < 2, \"masked\", mask=i == 0)\n    tl.store(y_ptr + pid, pid)\n",
                    {4, 1, 1}, shuffled());
  REQUIRE(t.faults.size() == 1);
  CHECK(t.faults[0].kind == FaultKind::AssertFailed);
  CHECK(t.faults[0].program == ProgramIndex{2, 0, 0});
  CHECK(t.faults[0].lane == 1);
  CHECK(t.faults[0].message.find("nine") != std::string::npos);
  CHECK(values_of(y) == Numbers{0, 1, -1, 3});  // the others go on
}

TEST_CASE("loads, stores and atomics work in every program of a grid") {
  OpSet ops;
  memory_grids(ops);
  CHECK(ops.count(OpCode::AtomicCas) == 1);
}

TEST_CASE("loops and branches run as often as each program's own data say") {
  OpSet ops;
  control_grids(ops);
  CHECK(ops.count(OpCode::While) == 1);
}

TEST_CASE("programs print in program order, and an assertion stops its own program only") {
  OpSet ops;
  debug_grids(ops);
  CHECK(ops.count(OpCode::Assert) == 1);
}

}  // namespace tilescope::testing
