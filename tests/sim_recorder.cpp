// Counters through whole launches: lanes, bytes, requests, sectors, distinct bytes and reuse.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "tests/sim_exec_data.h"

namespace tilescope {
namespace {

using testing::Bench;
using testing::text_of;
using Histogram = std::map<uint64_t, uint64_t>;

const TensorReport& report_of(const RunTrace& trace, const std::string& name) {
  for (const TensorReport& t : trace.tensors)
    if (t.name == name) return t;
  FAIL("no tensor ", name, "; faults: ", testing::faults(trace));
  return trace.tensors.front();
}

constexpr const char* kAdd = R"(def add(x_ptr, y_ptr, o_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.load(y_ptr + offs, mask=mask)
    tl.store(o_ptr + offs, x + y, mask=mask)
)";

constexpr const char* kMatmul =
    R"(def mm(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        ks = k + tl.arange(0, BK)
        a = tl.load(a_ptr + rows[:, None] * K + ks[None, :], mask=(rows[:, None] < M) & (ks[None, :] < K), other=0.0)
        b = tl.load(b_ptr + ks[:, None] * N + cols[None, :], mask=(ks[:, None] < K) & (cols[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + rows[:, None] * N + cols[None, :], acc.to(tl.float16), mask=(rows[:, None] < M) & (cols[None, :] < N))
)";

RunTrace run_matmul(int64_t m, int64_t n, int64_t k, int64_t block, const RunOptions& options = {}) {
  Bench b;
  b.tensor("a_ptr", DType::Float16, {m, k});
  b.tensor("b_ptr", DType::Float16, {k, n});
  b.tensor("c_ptr", DType::Float16, {m, n});
  b.integer("M", m);
  b.integer("N", n);
  b.integer("K", k);
  for (const char* name : {"BM", "BN", "BK"}) b.integer(name, block);
  return b.run(kMatmul, {(m + block - 1) / block, (n + block - 1) / block, 1}, options);
}

RunTrace run_add(int64_t n, int64_t block, int64_t programs, const RunOptions& options = {}) {
  Bench b;
  for (const char* name : {"x_ptr", "y_ptr", "o_ptr"}) b.tensor(name, DType::Float32, {n});
  b.integer("n", n);
  b.integer("BLOCK", block);
  return b.run(kAdd, {programs, 1, 1}, options);
}

}  // namespace

TEST_CASE("vector add of 1000 in blocks of 256: the requests and sectors that an H200 counted") {
  const RunTrace trace = run_add(1000, 256, 4);
  for (const char* name : {"x_ptr", "y_ptr"}) {
    const TensorReport& t = report_of(trace, name);
    CHECK(text_of(t.loads) == "4 4 1000 24 4000 32 250 ");
    CHECK(t.stores.times == 0);
    CHECK(t.distinct_bytes == 4000);
    CHECK(t.reuse.histogram == Histogram{{1, 1000}});
    CHECK(t.reuse.max == 1);
    CHECK(t.reuse.mean == 1.0);
  }
  const TensorReport& o = report_of(trace, "o_ptr");
  CHECK(text_of(o.stores) == "4 4 1000 24 4000 32 250 ");
  CHECK(o.distinct_bytes == 4000);
  CHECK(o.reuse.histogram.empty());
  REQUIRE(trace.lines.size() == 3);
  CHECK(trace.lines[0].tensor == "x_ptr");
  CHECK(trace.lines[0].line + 2 == trace.lines[2].line);
  CHECK(trace.lines[2].op == "store");
}

TEST_CASE(
    "matmul 70 x 45 x 50 in masked 32-tiles: the requests and sectors that an H200 counted, and the reuse of A and B") {
  const RunTrace trace = run_matmul(70, 50, 45, 32);
  const TensorReport &a = report_of(trace, "a_ptr"), &b = report_of(trace, "b_ptr"), &c = report_of(trace, "c_ptr");
  CHECK(a.loads.requests + b.loads.requests == 550);
  CHECK(a.loads.sectors + b.loads.sectors == 1311);
  CHECK(c.stores.requests == 140);
  CHECK(c.stores.sectors == 341);
  // A once for each of the two column blocks, B once for each of the three row blocks.
  CHECK(a.reuse.histogram == Histogram{{2, 70 * 45}});
  CHECK(b.reuse.histogram == Histogram{{3, 45 * 50}});
  CHECK(a.loads.lanes_active == 2 * 70 * 45);
  CHECK(a.loads.lanes_active + a.loads.lanes_masked == 6 * 2 * 32 * 32);
  CHECK(a.loads.times == 12);
  CHECK(a.loads.programs == 6);
  CHECK(c.distinct_bytes == 70 * 50 * 2);
}

TEST_CASE("row softmax 128 x 1000: the requests and sectors that an H200 counted") {
  Bench b;
  b.tensor("x_ptr", DType::Float32, {128, 1000});
  b.tensor("y_ptr", DType::Float32, {128, 1000});
  b.integer("stride", 1000);
  b.integer("N", 1000);
  b.integer("BLOCK", 1024);
  const RunTrace trace = b.run(R"(def softmax(y_ptr, x_ptr, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + cols, mask=cols < N, other=-float("inf"))
    z = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * stride + cols, z / tl.sum(z, axis=0), mask=cols < N)
)",
                               {128, 1, 1});
  CHECK(text_of(report_of(trace, "x_ptr").loads) == "128 128 128000 3072 512000 4096 16000 ");
  CHECK(text_of(report_of(trace, "y_ptr").stores) == "128 128 128000 3072 512000 4096 16000 ");
}

TEST_CASE("aligned 32-tiles of a 256^3 fp16 matmul: 4 requests and 64 sectors a tile, as an H200 counted for 2048^3") {
  Bench b;
  b.tensor("a_ptr", DType::Float16, {256, 256});
  b.tensor("b_ptr", DType::Float16, {256, 256});
  b.tensor("c_ptr", DType::Float16, {256, 256});
  b.integer("N", 256);
  const RunTrace trace = b.run(R"(def mm(a_ptr, b_ptr, c_ptr, N):
    rows = tl.program_id(0) * 32 + tl.arange(0, 32)
    cols = tl.program_id(1) * 32 + tl.arange(0, 32)
    acc = tl.zeros((32, 32), dtype=tl.float32)
    for k in range(0, N, 32):
        ks = k + tl.arange(0, 32)
        acc = tl.dot(tl.load(a_ptr + rows[:, None] * N + ks[None, :]), tl.load(b_ptr + ks[:, None] * N + cols[None, :]), acc)
    tl.store(c_ptr + rows[:, None] * N + cols[None, :], acc.to(tl.float16))
)",
                               {8, 8, 1});
  const TensorReport &a = report_of(trace, "a_ptr"), &bt = report_of(trace, "b_ptr"), &c = report_of(trace, "c_ptr");
  CHECK(a.loads.requests == 4 * 64 * 8);
  CHECK(bt.loads.sectors == 64 * 64 * 8);
  CHECK(c.stores.requests == 4 * 64);
  CHECK(c.stores.sectors == 64 * 64);
  CHECK(a.reuse.histogram == Histogram{{8, 65536}});
  CHECK(bt.reuse.histogram == Histogram{{8, 65536}});
}

TEST_CASE("the report is the same for any number of threads, any order of programs, and without closed forms") {
  std::vector<RunOptions> ways(6);
  ways[1].threads = 1;
  ways[2].threads = 3;
  ways[3].order = ProgramOrder::Reverse;
  ways[4].order = ProgramOrder::Shuffled;
  ways[4].shuffle_seed = 5;
  ways[4].threads = 2;
  ways[5].closed_forms = false;
  for (const RunOptions& way : ways) {
    CHECK(text_of(run_matmul(150, 90, 70, 16, way)) == text_of(run_matmul(150, 90, 70, 16)));
    CHECK(text_of(run_add(100000, 128, 900, way)) == text_of(run_add(100000, 128, 900)));
  }
}

TEST_CASE("a program whose lanes are all masked off counts as a program with masked lanes of that tensor") {
  const RunTrace trace = run_add(1000, 256, 6);
  CHECK(text_of(report_of(trace, "x_ptr").loads) == "6 6 1000 536 4000 32 250 ");
  CHECK(text_of(report_of(trace, "o_ptr").stores) == "6 6 1000 536 4000 32 250 ");
  const RunTrace none = run_add(0, 256, 2);
  CHECK(text_of(report_of(none, "o_ptr").stores) == "2 2 0 512 0 0 0 ");
  CHECK(none.lines[2].tensor == "o_ptr");
  CHECK(report_of(none, "o_ptr").distinct_bytes == 0);
}

TEST_CASE("two loads of one tensor in a program: times add up, programs do not") {
  Bench b;
  b.tensor("x_ptr", DType::Float32, {64});
  b.tensor("o_ptr", DType::Float32, {64});
  const RunTrace trace = b.run(R"(def twice(x_ptr, o_ptr):
    i = tl.program_id(0) * 16 + tl.arange(0, 16)
    first = tl.load(x_ptr + i)
    second = tl.load(x_ptr + 63 - i)
    tl.store(o_ptr + i, first + second)
)",
                               {4, 1, 1});
  const TensorReport& x = report_of(trace, "x_ptr");
  CHECK(x.loads.programs == 4);
  CHECK(x.loads.times == 8);
  CHECK(x.reuse.histogram == Histogram{{2, 64}});
}

TEST_CASE("a stencil: the middle is loaded three times, the ends less often") {
  Bench b;
  b.tensor("x_ptr", DType::Float32, {1000});
  b.tensor("o_ptr", DType::Float32, {1000});
  const RunTrace trace = b.run(R"(def stencil(x_ptr, o_ptr):
    i = tl.program_id(0) * 64 + tl.arange(0, 64)
    left = tl.load(x_ptr + i - 1, mask=(i > 0) & (i < 1000), other=0.0)
    here = tl.load(x_ptr + i, mask=i < 1000, other=0.0)
    right = tl.load(x_ptr + i + 1, mask=i < 999, other=0.0)
    tl.store(o_ptr + i, left + here + right, mask=i < 1000)
)",
                               {16, 1, 1});
  const TensorReport& x = report_of(trace, "x_ptr");
  CHECK(x.reuse.histogram == Histogram{{2, 2}, {3, 998}});
  CHECK(x.reuse.max == 3);
  CHECK(x.reuse.mean == doctest::Approx(2998.0 / 1000));
}

TEST_CASE("strided, falling and broadcast addresses count each element that lanes touched") {
  Bench b;
  b.tensor("x_ptr", DType::Float32, {256});
  b.tensor("y_ptr", DType::Float32, {64});
  b.tensor("z_ptr", DType::Float32, {64});
  b.tensor("o_ptr", DType::Float32, {16, 64});
  const RunTrace trace = b.run(R"(def strided(x_ptr, y_ptr, z_ptr, o_ptr):
    i = tl.arange(0, 64)
    row = tl.arange(0, 16)
    x = tl.load(x_ptr + i * 4)
    y = tl.load(y_ptr + 63 - i)
    z = tl.load(z_ptr + row[:, None] * 0 + i[None, :])
    tl.store(o_ptr + row[:, None] * 64 + i[None, :], x[None, :] + y[None, :] + z)
)",
                               {1, 1, 1});
  const TensorReport &x = report_of(trace, "x_ptr"), &y = report_of(trace, "y_ptr"), &z = report_of(trace, "z_ptr");
  CHECK(x.reuse.histogram == Histogram{{1, 64}});
  CHECK(x.distinct_bytes == 256);
  CHECK(x.loads.sectors == 2 * 64 / 2);  // a sector holds two of them; warps 2 and 3 hold copies
  CHECK(y.reuse.histogram == Histogram{{1, 64}});
  CHECK(y.loads.sectors == 2 * 8);
  CHECK(z.reuse.histogram == Histogram{{16, 64}});
  CHECK(z.loads.lanes_active == 1024);
}

TEST_CASE("a gather counts the elements that its indices name, whatever the mask") {
  std::mt19937 random(9);
  Bench b;
  Tensor& index = b.tensor("i_ptr", DType::Int32, {4096});
  b.tensor("x_ptr", DType::Float32, {500});
  b.tensor("o_ptr", DType::Float32, {4096});
  std::vector<uint64_t> times(500, 0);
  uint64_t on = 0;
  for (int64_t i = 0; i < 4096; ++i) {
    const int64_t v = static_cast<int64_t>(random() % 600) - 50;
    write_int64(DType::Int32, index.element(i), v);
    if (v < 0 || v >= 500) continue;
    ++times[static_cast<size_t>(v)];
    ++on;
  }
  const RunTrace trace = b.run(R"(def gather(i_ptr, x_ptr, o_ptr):
    offs = tl.program_id(0) * 256 + tl.arange(0, 256)
    i = tl.load(i_ptr + offs)
    tl.store(o_ptr + offs, tl.load(x_ptr + i, mask=(i >= 0) & (i < 500), other=0.0))
)",
                               {16, 1, 1});
  Histogram expected;
  uint64_t elements = 0;
  for (uint64_t t : times)
    if (t != 0) ++expected[t], ++elements;
  const TensorReport& x = report_of(trace, "x_ptr");
  CHECK(x.reuse.histogram == expected);
  CHECK(x.reuse.mean == doctest::Approx(static_cast<double>(on) / static_cast<double>(elements)));
  CHECK(x.distinct_bytes == 4 * elements);
  CHECK(x.loads.lanes_active == on);
  CHECK(x.loads.lanes_masked == 4096 - on);
  CHECK(x.loads.requests <= 16 * 8);
}

TEST_CASE("atomics have counters of their own and touch bytes, but are no loads") {
  Bench b;
  b.tensor("x_ptr", DType::Int32, {128});
  b.tensor("h_ptr", DType::Int32, {8});
  const RunTrace trace = b.run(R"(def histogram(x_ptr, h_ptr):
    offs = tl.program_id(0) * 32 + tl.arange(0, 32)
    x = tl.load(x_ptr + offs)
    tl.atomic_add(h_ptr + offs % 4, x + 1, mask=offs % 32 < 24)
)",
                               {4, 1, 1});
  const TensorReport& h = report_of(trace, "h_ptr");
  CHECK(h.atomics.programs == 4);
  CHECK(h.atomics.times == 4);
  CHECK(h.atomics.lanes_active == 96);
  CHECK(h.atomics.lanes_masked == 32);
  CHECK(h.atomics.requests == 4);  // the first warp only: the others hold copies
  CHECK(h.atomics.sectors == 4);
  CHECK(h.loads.times == 0);
  CHECK(h.stores.times == 0);
  CHECK(h.distinct_bytes == 16);
  CHECK(h.reuse.histogram.empty());
}

TEST_CASE("a scalar load is one element, asked for by every warp") {
  Bench b;
  b.tensor("x_ptr", DType::Float32, {8});
  b.tensor("o_ptr", DType::Float32, {8});
  const RunTrace trace = b.run(R"(def scalar(x_ptr, o_ptr):
    for i in range(8):
        tl.store(o_ptr + i, tl.load(x_ptr + i))
)",
                               {3, 1, 1});
  CHECK(text_of(report_of(trace, "x_ptr").loads) == "3 24 24 0 96 96 96 ");
  CHECK(text_of(report_of(trace, "o_ptr").stores) == "3 24 24 0 96 24 24 ");
  CHECK(report_of(trace, "x_ptr").reuse.histogram == Histogram{{3, 8}});
}

TEST_CASE("a kernel that works in place: bytes loaded and stored count once") {
  Bench b;
  b.tensor("x_ptr", DType::Float32, {100});
  const RunTrace trace = b.run(R"(def in_place(x_ptr):
    i = tl.arange(0, 64)
    x = tl.load(x_ptr + i)
    tl.store(x_ptr + 36 + i, x)
)",
                               {1, 1, 1});
  const TensorReport& x = report_of(trace, "x_ptr");
  CHECK(x.distinct_bytes == 400);
  CHECK(x.reuse.histogram == Histogram{{1, 64}});
}

TEST_CASE("a tile of pointers into two tensors: each gets its lanes, and the line says so") {
  Bench b;
  b.tensor("x_ptr", DType::Float32, {32});
  b.tensor("y_ptr", DType::Float32, {32});
  b.tensor("o_ptr", DType::Float32, {32});
  const RunTrace trace = b.run(R"(def both(x_ptr, y_ptr, o_ptr):
    i = tl.arange(0, 32)
    tl.store(o_ptr + i, tl.load(tl.where(i < 20, x_ptr + i, y_ptr + i), mask=i < 30))
)",
                               {1, 1, 1});
  CHECK(testing::faults(trace) == "");
  CHECK(text_of(report_of(trace, "x_ptr").loads) == "1 1 20 2 80 4 12 ");
  CHECK(text_of(report_of(trace, "y_ptr").loads) == "1 1 10 0 40 4 8 ");
  CHECK(trace.lines[0].tensor == "several");
  CHECK(text_of(trace.lines[0].counters) == "1 1 30 2 120 4 20 ");
}

TEST_CASE("transposed and three-dimensional tiles count their elements exactly") {
  Bench b;
  b.tensor("x_ptr", DType::Float32, {64, 48});
  b.tensor("y_ptr", DType::Int8, {4, 8, 16, 40});
  b.tensor("o_ptr", DType::Float32, {64, 64});
  b.tensor("p_ptr", DType::Int8, {4, 8, 16});
  const RunTrace trace = b.run(R"(def cubes(x_ptr, y_ptr, o_ptr, p_ptr):
    r = tl.arange(0, 64)
    c = tl.arange(0, 64)
    x = tl.load(x_ptr + c[:, None] + r[None, :] * 48, mask=c[:, None] < 48, other=0.0)
    tl.store(o_ptr + r[:, None] * 64 + c[None, :], x)
    i = tl.arange(0, 4)[:, None, None]
    j = tl.arange(0, 8)[None, :, None]
    k = tl.arange(0, 16)[None, None, :]
    for step in range(5):
        y = tl.load(y_ptr + i * 5120 + j * 640 + k * 40 + step * 8)
        tl.store(p_ptr + i * 128 + j * 16 + k, y)
)",
                               {1, 1, 1});
  CHECK(testing::faults(trace) == "");
  CHECK(report_of(trace, "x_ptr").reuse.histogram == Histogram{{1, 64 * 48}});
  CHECK(report_of(trace, "y_ptr").reuse.histogram == Histogram{{1, 512 * 5}});
  CHECK(report_of(trace, "y_ptr").distinct_bytes == 512 * 5);
  CHECK(report_of(trace, "p_ptr").distinct_bytes == 512);
  CHECK(report_of(trace, "p_ptr").stores.lanes_active == 512 * 5);
}

TEST_CASE("lanes outside all tensors count as lanes, but touch nothing") {
  Bench b;
  b.tensor("x_ptr", DType::Float32, {40});
  b.tensor("o_ptr", DType::Float32, {64});
  RunOptions unchecked;
  unchecked.check.bounds = false;
  const RunTrace trace = b.run(R"(def past_the_end(x_ptr, o_ptr):
    i = tl.arange(0, 64)
    tl.store(o_ptr + i, tl.load(x_ptr + i - 8), mask=i < 4)
)",
                               {1, 1, 1}, unchecked);
  const TensorReport& x = report_of(trace, "x_ptr");
  CHECK(x.loads.lanes_active == 64);
  CHECK(x.distinct_bytes == 160);
  CHECK(x.reuse.histogram == Histogram{{1, 40}});
}

TEST_CASE("without recording there are tensors, but no lines and no counts") {
  RunOptions off;
  off.record = RecordLevel::None;
  const RunTrace trace = run_add(1000, 256, 4, off);
  CHECK(trace.lines.empty());
  CHECK(report_of(trace, "x_ptr").loads.times == 0);
}

}  // namespace tilescope
