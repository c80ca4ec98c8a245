// Traffic of kernels whose addresses depend on values in memory, of faulting programs, and of launches too large to run.
#include <doctest/doctest.h>

#include "sim/cost/account_program.h"
#include "sim/cost/traffic.h"
#include "tests/sim_record_data.h"

namespace tilescope {
namespace {

using cost::account;
using cost::AccessRows;
using cost::LaunchTraffic;
using cost::TrafficSource;
using testing::kernel_source;
using testing::spec_from_text;

std::unique_ptr<TrafficSource> open(const std::string& text, const std::string& launch, int lanes = 2) {
  auto s = TrafficSource::open(spec_from_text(launch), lanes, kernel_source(text));
  if (!s) FAIL(render(s.errors()));
  return std::move(*s);
}

RunTrace run_of(const std::string& text, const std::string& launch) {
  const LaunchSpec spec = spec_from_text(launch);
  auto kernel = compile_kernel(compile_request(spec, kernel_source(text)));
  if (!kernel) FAIL(render(kernel.errors()));
  auto tensors = make_tensors(spec);
  REQUIRE(tensors.ok());
  auto bound = bind_launch(spec, std::move(*kernel), std::move(*tensors));
  REQUIRE(bound.ok());
  return execute(*bound, {});
}

void check_equal(const LaunchTraffic& t, const RunTrace& trace) {
  REQUIRE(t.ops.size() == trace.lines.size());
  for (size_t i = 0; i < t.ops.size(); ++i) {
    const AccessCounters& c = trace.lines[i].counters;
    CHECK(t.ops[i].times == c.times);
    CHECK(t.ops[i].lanes == c.lanes_active);
    CHECK(t.ops[i].requests == c.requests);
    CHECK(t.ops[i].sectors == c.sectors);
  }
  for (size_t i = 0; i < t.loads.size(); ++i) {
    CHECK(t.loads[i].requests == trace.tensors[i].loads.requests);
    CHECK(t.loads[i].sectors == trace.tensors[i].loads.sectors);
    CHECK(t.loads[i].distinct_sectors == trace.tensors[i].distinct_sectors_loaded);
    CHECK(t.stores[i].distinct_sectors == trace.tensors[i].distinct_sectors_stored);
  }
}

/// Traffic and run agree; programs may be asked for in any order and again.
std::unique_ptr<TrafficSource> check(const std::string& text, const std::string& launch) {
  auto source = open(text, launch);
  const RunTrace trace = run_of(text, launch);
  REQUIRE(trace.faults.empty());
  for (int again = 0; again < 2; ++again) {
    const LaunchTraffic t = account(*source);
    CHECK(t.stopped == 0);
    check_equal(t, trace);
  }
  return source;
}

std::string tensor(const std::string& name, const std::string& dtype, const std::string& shape, const std::string& init) {
  return "\"" + name + R"(": {"tensor": ")" + dtype + R"(", "shape": )" + shape + R"(, "init": )" + init + "}, ";
}

}  // namespace

TEST_CASE("a gather reads its indices and logs joined rows of what it loads through them") {
  const std::string text = R"(def kernel(i_ptr, x_ptr, y_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    rows = tl.load(i_ptr + at)
    cols = tl.arange(0, 16)
    x = tl.load(x_ptr + rows[:, None] * 64 + cols[None, :])
    tl.store(y_ptr + at[:, None] * 16 + cols[None, :], tl.exp(x))
)";
  const std::string launch = R"("grid": [2], "args": {)" + tensor("i_ptr", "int32", "[8]", R"({"values": [5, 1, 2, 9, 30, 0, 30, 7]})") +
                             tensor("x_ptr", "float32", "[32, 64]", "\"empty\"") + tensor("y_ptr", "float32", "[8, 16]", "\"empty\"") +
                             R"("BLOCK": 4})";
  const auto source = check(text, launch);
  std::vector<AccessRows> rows;
  REQUIRE(source->program(0, 0, rows));
  // The indices; rows 5, then 1 and 2, then 9 of x; four rows of y in one piece.
  REQUIRE(rows.size() == 5);
  const uint64_t x = source->tensors()[1].begin;
  CHECK(rows[0].tensor == 0);
  CHECK(rows[0].bytes == 16);
  CHECK(rows[1].start == x + 5 * 256);
  CHECK(rows[1].bytes == 64);
  CHECK(rows[1].rows == 1);
  CHECK(rows[1].first);
  CHECK(rows[1].lanes == 64);
  CHECK(rows[2].start == x + 256);
  CHECK(rows[2].rows == 2);
  CHECK(rows[2].stride == 256);
  CHECK(!rows[2].first);
  CHECK(rows[2].requests == 0);
  CHECK(rows[3].start == x + 9 * 256);
  CHECK(rows[4].bytes == 256);
  const LaunchTraffic t = account(*source);
  CHECK(t.loads[1].distinct_bytes == 7 * 64);
  CHECK(t.loads[1].program_bytes == 7 * 64);  // the second program loads row 30 twice
  CHECK(t.loads[1].asked_bytes == 8 * 64);
  CHECK(source->notes().empty());
}

TEST_CASE("a while loop on loaded values walks a list in memory") {
  const std::string text = R"(def kernel(next_ptr, x_ptr, y_ptr):
    at = tl.program_id(0)
    s = 0.0
    while at >= 0:
        s += tl.load(x_ptr + at)
        at = tl.load(next_ptr + at)
    tl.store(y_ptr + tl.program_id(0), s)
)";
  const auto source = check(text, R"("grid": [3], "args": {)" + tensor("next_ptr", "int32", "[6]", R"({"values": [3, 4, -1, 5, 2, -1]})") +
                                      tensor("x_ptr", "float32", "[6]", "\"ones\"") + R"("y_ptr": {"tensor": "float32", "shape": [3], "init": "empty"}})");
  std::vector<AccessRows> rows;
  REQUIRE(source->program(1, 0, rows));  // 1, 4, 2
  CHECK(rows.size() == 7);
  source->program(2, 0, rows);
  CHECK(rows.size() == 3);
}

TEST_CASE("pages of a cache are found through a table, and masks that depend on values are exact") {
  check(R"(def kernel(table_ptr, len_ptr, k_ptr, o_ptr, PAGE: tl.constexpr, D: tl.constexpr):
    b = tl.program_id(0)
    n = tl.load(len_ptr + b)
    acc = tl.zeros((D,), dtype=tl.float32)
    for p in range(0, tl.cdiv(n, PAGE)):
        page = tl.load(table_ptr + b * 4 + p)
        rows = tl.arange(0, PAGE)
        k = tl.load(k_ptr + (page * PAGE + rows)[:, None] * D + tl.arange(0, D)[None, :], mask=(p * PAGE + rows < n)[:, None], other=0.0)
        acc += tl.sum(k, axis=0)
    tl.store(o_ptr + b * D + tl.arange(0, D), acc)
)",
        R"("grid": [3], "args": {)" + tensor("table_ptr", "int64", "[3, 4]", R"({"values": [7, 3, 1, 0, 2, 2, 0, 0, 4, 5, 6, 7]})") +
            tensor("len_ptr", "int32", "[3]", R"({"values": [37, 20, 64]})") + tensor("k_ptr", "float16", "[128, 32]", "\"zeros\"") +
            tensor("o_ptr", "float32", "[3, 32]", "\"empty\"") + R"("PAGE": 16, "D": 32})");
}

TEST_CASE("programs that take tickets run in order, once each, however often they are asked for") {
  const std::string text = R"(def kernel(ticket_ptr, x_ptr, y_ptr):
    t = tl.atomic_add(ticket_ptr, 1)
    while t < 10:
        tl.store(y_ptr + t, tl.load(x_ptr + t) + 1)
        t = tl.atomic_add(ticket_ptr, 2)
)";
  const auto source = check(text, R"("grid": [4], "args": {)" + tensor("ticket_ptr", "int32", "[1]", "\"zeros\"") +
                                      tensor("x_ptr", "float32", "[10]", "\"ones\"") + R"("y_ptr": {"tensor": "float32", "shape": [10], "init": "empty"}})");
  CHECK(source->lanes() == 1);
  REQUIRE(source->notes().size() == 1);
  CHECK(source->notes()[0].find("one after the other") != std::string::npos);
  std::vector<AccessRows> last, first, again;
  source->program(3, 0, last);
  source->program(0, 0, first);
  source->program(3, 0, again);
  CHECK(last.size() == again.size());
  CHECK(first.size() > last.size());
}

TEST_CASE("what a program stores and loads back decides its addresses") {
  check(R"(def kernel(i_ptr, x_ptr, y_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(i_ptr + at, (at * 7) % 32)
    back = tl.load(i_ptr + at)
    tl.store(y_ptr + at, tl.load(x_ptr + back))
)",
        R"("grid": [2], "args": {)" + tensor("i_ptr", "int32", "[32]", "\"empty\"") + tensor("x_ptr", "float32", "[32]", "\"ones\"") +
            tensor("y_ptr", "float32", "[32]", "\"empty\"") + R"("BLOCK": 16})");
}

TEST_CASE("a tile of pointers into two tensors counts for both, and its requests once") {
  check(R"(def kernel(x_ptr, y_ptr, o_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    p = tl.where(at % 2 == 0, x_ptr + at, y_ptr + at)
    tl.store(o_ptr + at, tl.load(p))
)",
        R"("grid": [1], "args": {)" + tensor("x_ptr", "float32", "[64]", "\"ones\"") + tensor("y_ptr", "float32", "[64]", "\"ones\"") +
            tensor("o_ptr", "float32", "[64]", "\"empty\"") + R"("BLOCK": 64})");
}

TEST_CASE("a program that faults returns false with what it did until there; the others count") {
  const std::string text = R"(def kernel(x_ptr, y_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + at, tl.load(x_ptr + at))
)";
  const auto source = open(text, R"("grid": [3], "args": {)" + tensor("x_ptr", "float32", "[48]", "\"empty\"") +
                                     tensor("y_ptr", "float32", "[32]", "\"empty\"") + R"("BLOCK": 16})");
  std::vector<AccessRows> rows;
  CHECK(source->program(1, 0, rows));
  CHECK(rows.size() == 2);
  CHECK(!source->program(2, 0, rows));
  CHECK(rows.size() == 1);
  const LaunchTraffic t = account(*source);
  CHECK(t.programs == 3);
  CHECK(t.stopped == 1);
  CHECK(t.loads[0].times == 3);
  CHECK(t.stores[1].times == 2);
}

TEST_CASE("tensors of 100 GB take no memory; a tensor whose values are needed must fit") {
  const std::string add = R"(def kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=at < n), mask=at < n)
)";
  const std::string sizes = R"x("grid": ["cdiv(n, BLOCK)"], "args": {)x" + tensor("x_ptr", "float32", "[25000000000]", "{\"randn\": 1}") +
                            tensor("y_ptr", "float32", "[25000000000]", "\"empty\"") + R"("n": 25000000000, "BLOCK": 1024})";
  const auto source = open(add, sizes);
  const int64_t last = source->grid()[0] - 1;
  std::vector<AccessRows> rows;
  REQUIRE(source->program(last, 0, rows));
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].start + rows[0].bytes == source->tensors()[0].end);
  CHECK(rows[0].lanes == 25000000000 - last * 1024);
  const LaunchTraffic t = account(*source, 1000);
  CHECK(t.programs == 1000);
  CHECK(t.loads[0].distinct_bytes == 4096000);
  const auto refused = TrafficSource::open(
      spec_from_text(R"("grid": [1], "args": {)" + tensor("x_ptr", "int64", "[25000000000]", "\"zeros\"") +
                     tensor("y_ptr", "float32", "[4]", "\"empty\"") + R"("n": 5, "BLOCK": 4})"),
      1, kernel_source("def kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):\n    tl.store(y_ptr + tl.load(x_ptr + n), 1.0)\n"));
  REQUIRE(!refused);
  CHECK(refused.errors()[0].message.find("args.x_ptr") == 0);
  CHECK(refused.errors()[0].message.find("takes more memory than the limit") != std::string::npos);
}

TEST_CASE("a loop without end stops at the limit of steps, and programs after it do not run") {
  const auto source = open(R"(def kernel(x_ptr, y_ptr, n):
    i = tl.program_id(0)
    while i >= 0:
        i = i * 0
    tl.store(y_ptr, 1.0)
)",
                           R"("grid": [3], "args": {)" + tensor("x_ptr", "float32", "[4]", "\"empty\"") + tensor("y_ptr", "float32", "[4]", "\"empty\"") + R"("n": 4})");
  std::vector<AccessRows> rows;
  CHECK(!source->program(1, 0, rows));
  CHECK(!source->program(2, 0, rows));
  CHECK(rows.empty());
  REQUIRE(!source->notes().empty());
  CHECK(source->notes()[0].find("program 1 reached the limit of steps") != std::string::npos);
}

TEST_CASE("arithmetic is that of the whole kernel: dots by unit, elementwise and reductions as fp32, by executed region") {
  const std::string text = R"(def kernel(q_ptr, k_ptr, o_ptr, n):
    r = tl.arange(0, 16)
    c = tl.arange(0, 32)
    q = tl.load(q_ptr + r[:, None] * 32 + c[None, :])
    acc = tl.zeros((16, 16), dtype=tl.float32)
    for i in range(0, n):
        k = tl.load(k_ptr + i * 512 + c[:, None] * 16 + r[None, :])
        s = tl.dot(q, k)
        if i % 2 == 0:
            acc += tl.exp(s)
        if i == 3:
            tl.store(o_ptr + r[:, None] * 16 + r[None, :], acc * 2.0)
    tl.store(o_ptr + r, tl.sum(acc, axis=1))
)";
  const auto source = open(text, R"("grid": [2], "args": {)" + tensor("q_ptr", "bfloat16", "[16, 32]", "\"empty\"") +
                                     tensor("k_ptr", "bfloat16", "[5, 32, 16]", "\"empty\"") + tensor("o_ptr", "float32", "[16, 16]", "\"empty\"") +
                                     R"("n": 5})");
  const LaunchTraffic t = account(*source);
  CHECK(t.work.flops[static_cast<int>(cost::WorkUnit::TensorBf16)] == 2 * 5 * 2.0 * 16 * 16 * 32);
  CHECK(t.work.dot_multiply_adds == 2 * 5 * 16.0 * 16 * 32);
  // Each turn: exp and + are counted in every turn, since the branch that holds them is sliced away; * 2 once; the sum.
  CHECK(t.work.flops[static_cast<int>(cost::WorkUnit::Fp32)] == 2 * (5 * 2 * 256.0 + 256 + 16 * 15));
  REQUIRE(source->notes().size() == 1);
  CHECK(source->notes()[0].find("longer side") != std::string::npos);
  CHECK(source->ops()[0].feeds_dot);
  CHECK(source->ops()[1].feeds_dot);
  CHECK(t.naive_loads == 2 * 5 * 16.0 * 16 * 32 * 4);
  // Counted again when programs run again.
  CHECK(account(*source).work.total() == t.work.total());
}

TEST_CASE("the counts of an account depend neither on lanes nor on progress, and it stops when asked") {
  const std::string text = R"(def kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at // 3) + tl.load(x_ptr + at)
    tl.store(y_ptr + at, x)
)";
  const std::string launch = R"("grid": [64], "args": {)" + tensor("x_ptr", "float32", "[2048]", "\"empty\"") +
                             tensor("y_ptr", "float32", "[2048]", "\"empty\"") + R"("n": 5, "BLOCK": 32})";
  const LaunchTraffic one = account(*open(text, launch, 1));
  const LaunchTraffic many = account(*open(text, launch, 4), -1, [](int64_t, int64_t) { return true; });
  for (size_t i = 0; i < one.ops.size(); ++i) {
    CHECK(one.ops[i].program_bytes == many.ops[i].program_bytes);
    CHECK(one.ops[i].distinct_bytes == many.ops[i].distinct_bytes);
    CHECK(one.ops[i].tiles == many.ops[i].tiles);
  }
  CHECK(one.loads[0].program_bytes == many.loads[0].program_bytes);
  // Both loads of a program together: the first program's overlap.
  CHECK(one.loads[0].program_bytes < one.ops[0].program_bytes + one.ops[1].program_bytes);
  CHECK(one.loads[0].distinct_bytes == 2048 * 4);
  const LaunchTraffic stopped = account(*open(text, launch, 1), -1, [](int64_t done, int64_t) { return done < 16; });
  CHECK(stopped.programs == 16);
}

TEST_CASE("tiles are counted exactly up to two million, then to within 1% in bounded memory") {
  cost::TileHashes hashes, some;
  const auto add = [](cost::TileHashes& to, uint64_t n) {
    AccessRows r;
    r.start = n * 4096;
    r.bytes = 128;
    to.add(r, true);
  };
  for (uint64_t n = 0; n < 100'000; ++n) add(some, n % 70'000);
  some.close();
  CHECK(some.set().size() == 70'000);
  for (uint64_t n = 0; n < 2'600'000; ++n) add(hashes, n);
  hashes.close();
  hashes.set().take(some.set());
  CHECK(static_cast<double>(hashes.set().size()) == doctest::Approx(2.6e6).epsilon(0.01));
}

}  // namespace tilescope
