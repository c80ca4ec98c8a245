// The K loop as a picture: which loop, which tiles, where they lie, and the accumulator.
#include <cmath>

#include "visualizer/model/kloop.h"
#include "window_session.h"

namespace tilescope::model {
namespace {

std::string range_text(const KAxisView& a) {
  std::string out = a.name;
  for (const Span& s : runs_of(a.index)) out += (out == a.name ? " " : ", ") + std::to_string(s.lo) + ".." + std::to_string(s.hi - 1);
  out += ", " + std::to_string(a.inside()) + " inside";
  if (!a.size_name.empty()) out += " " + a.size_name;
  return out + " = " + std::to_string(a.size);
}

std::string axes_text(const KLoop& l) {
  return range_text(l.axis(KAxis::M)) + "; " + range_text(l.axis(KAxis::N)) + "; " + range_text(l.axis(KAxis::K));
}

/// "A x_ptr 70x50 (192 on, 832 masked)"
std::string matrix_text(const KMatrix& m) {
  const char* from = m.source == KMatrix::Source::Tensor ? " " : m.source == KMatrix::Source::Value ? " value " : " nothing ";
  std::string out = std::string(1, m.letter) + from + m.name + " " + std::to_string(m.rows) + "x" + std::to_string(m.cols) + " (" + std::to_string(m.on) +
                    " on, " + std::to_string(m.masked) + " masked)";
  if (m.transposed) out += " transposed";
  if (m.column_major) out += " column-major";
  return out;
}

std::string tiles_text(const KAxisView& a) {
  std::string out;
  for (const Span& s : a.tiles) out += (out.empty() ? "" : " ") + std::to_string(s.lo) + ".." + std::to_string(s.hi - 1);
  return out;
}

/// The scene after the last op of the n-th line step (from 1), or of the first one with that label at or after it.
std::shared_ptr<const Scene> at_step(Controller& c, size_t n) {
  c.go_to_line_step(n - 1);
  return c.scene();
}
std::shared_ptr<const Scene> at_label(Controller& c, const std::string& label, int occurrence = 1) {
  const std::shared_ptr<const Scene> s = c.scene();
  for (size_t i = 0; i < s->timeline->lines.size(); ++i)
    if (s->timeline->lines[i].label == label && --occurrence == 0) return at_step(c, i + 1);
  FAIL("no line step called " << label);
  return s;
}

void select(Controller& c, ProgramIndex program) {
  c.select_program(program);
  settle(c);
}

/// Every lane that is on lies where the recorded offsets say, and holds that element.
void check_places(const Scene& scene, const KMatrix& m, int64_t step, bool swapped = false) {
  REQUIRE(step >= 0);
  const auto data = scene.run.recorded->recording->step(static_cast<uint64_t>(step));
  REQUIRE(data->access.has_value());
  const auto rows = static_cast<int64_t>(m.row_index.size()), cols = static_cast<int64_t>(m.col_index.size());
  int64_t wrong = 0, on = 0;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < cols; ++c) {
      const auto lane = static_cast<size_t>(swapped ? c * rows + r : r * cols + c);
      const int64_t offset = m.base + m.row_index[static_cast<size_t>(r)] * m.row_stride + m.col_index[static_cast<size_t>(c)] * m.col_stride;
      wrong += offset != data->access->offsets[lane];
      if (data->access->states[lane] != LaneState::On) continue;
      ++on;
      wrong += m.row_index[static_cast<size_t>(r)] >= m.rows || m.col_index[static_cast<size_t>(c)] >= m.cols;
    }
  CHECK(wrong == 0);
  CHECK(on == static_cast<int64_t>(m.on));
}

constexpr const char* kMatmulLaunch =
    R"({"kernel": "k", "grid": [2, 1], "args": {"a": {"tensor": "float16", "shape": [%A], "init": {"randn": 1}},
        "b": {"tensor": "float16", "shape": [%B], "init": {"randn": 2}}, "c": {"tensor": "float32", "shape": [%C], "init": "empty"},
        "M": 40, "N": 24, "K": 50, "BM": 32, "BN": 32, "BK": 32}})";

std::string launch_with(std::string a, std::string b, std::string c) {
  std::string out = kMatmulLaunch;
  for (auto [mark, text] : {std::pair<const char*, std::string*>{"%A", &a}, {"%B", &b}, {"%C", &c}}) out.replace(out.find(mark), 2, *text);
  return out;
}

std::string kernel_with(const std::string& load_a, const std::string& a) {
  return "@triton.jit\n"
         "def k(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):\n"
         "    rows = tl.program_id(0) * BM + tl.arange(0, BM)\n"
         "    cols = tl.arange(0, BN)\n"
         "    acc = tl.zeros((BM, BN), dtype=tl.float32)\n"
         "    for k0 in range(0, K, BK):\n"
         "        ks = k0 + tl.arange(0, BK)\n"
         "        x = " + load_a + "\n"
         "        y = tl.load(b + ks[:, None] * N + cols[None, :], mask=(ks[:, None] < K) & (cols[None, :] < N), other=0.0)\n"
         "        acc = tl.dot(" + a + ", y, acc)\n"
         "    tl.store(c + rows[:, None] * N + cols[None, :], acc, mask=(rows[:, None] < M) & (cols[None, :] < N))\n";
}

constexpr const char* kPlainA = "tl.load(a + rows[:, None] * K + ks[None, :], mask=(rows[:, None] < M) & (ks[None, :] < K), other=0.0)";

}  // namespace

TEST_CASE("program (0, 0) of the matmul reads whole tiles in its first round and half tiles in its second") {
  auto c = opened_lesson("matmul");
  KLoop l = make_kloop(*at_label(*c, "dot", 1));
  REQUIRE(l.kind == KLoop::Kind::Product);
  CHECK(l.phase == KLoop::Phase::Inside);
  CHECK(l.iteration == 0);
  CHECK(l.iterations == 2);
  CHECK(axes_text(l) == "rows 0..31, 32 inside M = 70; cols 0..31, 32 inside N = 45; ks 0..31, 32 inside K = 50");
  CHECK(matrix_text(l.a) == "A a_ptr 70x50 (1024 on, 0 masked)");
  CHECK(matrix_text(l.b) == "B b_ptr 50x45 (1024 on, 0 masked)");
  CHECK(matrix_text(l.c) == "C c_ptr 70x45 (1024 on, 0 masked)");
  CHECK(tiles_text(l.axis(KAxis::K)) == "0..31 32..63");
  CHECK(l.axis(KAxis::K).moves);
  CHECK_FALSE(l.axis(KAxis::M).moves);
  CHECK(l.axis(KAxis::M).extent == 96);
  CHECK(l.axis(KAxis::K).extent == 64);
  l = make_kloop(*at_label(*c, "dot", 2));
  CHECK(l.iteration == 1);
  CHECK(axes_text(l) == "rows 0..31, 32 inside M = 70; cols 0..31, 32 inside N = 45; ks 32..63, 18 inside K = 50");
  CHECK(matrix_text(l.a) == "A a_ptr 70x50 (576 on, 448 masked)");
  CHECK(matrix_text(l.b) == "B b_ptr 50x45 (576 on, 448 masked)");
}

TEST_CASE("program (2, 0) has six live rows, in A, in C and in the accumulator") {
  auto c = opened_lesson("matmul");
  select(*c, {2, 0, 0});
  const auto scene = at_label(*c, "dot", 2);
  const KLoop l = make_kloop(*scene);
  CHECK(axes_text(l) == "rows 64..95, 6 inside M = 70; cols 0..31, 32 inside N = 45; ks 32..63, 18 inside K = 50");
  CHECK(l.acc.live_rows == 6);
  CHECK(l.acc.live_cols == 32);
  CHECK(matrix_text(l.c) == "C c_ptr 70x45 (192 on, 832 masked)");
  REQUIRE(l.c.off.size() == 1);
  CHECK(l.c.off[0].row == 6);
  CHECK(l.c.off[0].row_end == 32);
  check_places(*scene, l.a, l.a.steps[1]);
  check_places(*scene, l.b, l.b.steps[1]);
  check_places(*scene, l.c, l.c.steps[1]);
  // The rows of programs (0, 0) and (1, 0) are there already, the columns of (2, 1) are not.
  const Tensor& t = *scene->tensors[static_cast<size_t>(l.c.tensor)].tensor;
  CHECK(l.c.written(t, 0, 0));
  CHECK(l.c.written(t, 63, 31));
  CHECK_FALSE(l.c.written(t, 64, 32));
}

TEST_CASE("the accumulator before and after a dot are the recorded bits, and their difference is what the dot added") {
  auto c = opened_lesson("matmul");
  KLoop l = make_kloop(*at_label(*c, "load b", 1));
  CHECK(l.acc.has_before);
  CHECK_FALSE(l.acc.has_after);
  CHECK_FALSE(l.computed);
  CHECK(l.a.done);
  CHECK_FALSE(l.a.now);
  CHECK(l.b.now);
  CHECK_FALSE(l.c.done);
  l = make_kloop(*at_label(*c, "dot", 1));
  REQUIRE(l.acc.has_after);
  CHECK(l.acc.carried);
  const std::vector<double> first = l.acc.after;
  for (double v : l.acc.before) CHECK_FALSE(v != 0);
  const auto scene = at_label(*c, "dot", 2);
  l = make_kloop(*scene);
  CHECK(l.acc.before == first);
  CHECK(l.computing);
  // Element [1, 2] against the sums over the memory of A and B.
  const Tensor &a = *scene->tensors[0].tensor, &b = *scene->tensors[1].tensor;
  double change = 0, reach = 0;
  for (int64_t k = 32; k < 50; ++k) change += *l.a.value(a, 1, k) * *l.b.value(b, k, 2);
  CHECK(l.acc.change[34] == doctest::Approx(change).epsilon(1e-4));
  CHECK(l.acc.before[34] + l.acc.change[34] == l.acc.after[34]);
  for (double v : l.acc.after) reach = std::max(reach, std::fabs(v));
  CHECK(l.acc.reach >= reach);
}

TEST_CASE("before the loop the first tiles are known, after it the store has filled C") {
  auto c = opened_lesson("matmul");
  KLoop l = make_kloop(*at_step(*c, 1));
  CHECK(l.phase == KLoop::Phase::Before);
  CHECK(l.iteration == 0);
  CHECK_FALSE(l.a.done);
  CHECK_FALSE(l.acc.has_after);
  CHECK(axes_text(l) == "rows 0..31, 32 inside M = 70; cols 0..31, 32 inside N = 45; ks 0..31, 32 inside K = 50");
  const auto scene = at_label(*c, "store");
  l = make_kloop(*scene);
  CHECK(l.phase == KLoop::Phase::After);
  CHECK(l.iteration == 1);
  CHECK(l.c.now);
  CHECK(*l.c.value(*scene->tensors[2].tensor, 1, 2) == l.acc.after[34]);
}

TEST_CASE("strided operands whose pointers walk come out as the matrices that they are") {
  auto c = opened_lesson("grouped_matmul");
  select(*c, {5, 0, 0});
  const auto scene = at_label(*c, "dot", 5);
  const KLoop l = make_kloop(*scene);
  CHECK(axes_text(l) == "rows 64..95, 32 inside M = 250; cols 32..63, 32 inside N = 190;  128..159, 2 inside K = 130");  // `k` counts iterations
  CHECK(matrix_text(l.a) == "A a_ptr 250x130 (64 on, 960 masked)");
  CHECK(matrix_text(l.b) == "B b_ptr 130x190 (64 on, 960 masked) column-major");
  CHECK(matrix_text(l.c) == "C c_ptr 250x190 (1024 on, 0 masked)");
  CHECK(tiles_text(l.axis(KAxis::K)) == "0..31 32..63 64..95 96..127 128..159");
  check_places(*scene, l.a, l.a.steps[4]);
  check_places(*scene, l.b, l.b.steps[4]);
}

TEST_CASE("an A that is stored transposed is drawn with its rows down, however it is loaded") {
  SUBCASE("loaded as it lies and transposed in registers") {
    auto c = opened_kernel(launch_with("50, 40", "50, 24", "40, 24"),
                           kernel_with("tl.load(a + ks[:, None] * M + rows[None, :], mask=(ks[:, None] < K) & (rows[None, :] < M), other=0.0)", "tl.trans(x)"));
    select(*c, {1, 0, 0});
    const auto scene = at_label(*c, "dot", 2);
    const KLoop l = make_kloop(*scene);
    CHECK(axes_text(l) == "rows 32..63, 8 inside M = 40; cols 0..31, 24 inside N = 24; ks 32..63, 18 inside K = 50");
    CHECK(matrix_text(l.a) == "A a 40x50 (144 on, 880 masked) transposed column-major");
    CHECK(l.a.variable == "x");
    check_places(*scene, l.a, l.a.steps[1], true);
    const Tensor& t = *scene->tensors[0].tensor;
    CHECK(l.a.element(t, 39, 44) == std::vector<int64_t>{44, 39});
  }
  SUBCASE("loaded across its rows") {
    auto c = opened_kernel(launch_with("50, 40", "50, 24", "40, 24"),
                           kernel_with("tl.load(a + rows[:, None] + ks[None, :] * M, mask=(rows[:, None] < M) & (ks[None, :] < K), other=0.0)", "x"));
    const auto scene = at_label(*c, "dot", 2);
    const KLoop l = make_kloop(*scene);
    CHECK(matrix_text(l.a) == "A a 40x50 (576 on, 448 masked) transposed column-major");
    check_places(*scene, l.a, l.a.steps[1]);
  }
}

TEST_CASE("vectors used as matrices take their rows from the addresses") {
  auto c = opened_kernel(launch_with("2000", "1200", "960"), kernel_with(kPlainA, "x"));
  select(*c, {1, 0, 0});
  const auto scene = at_label(*c, "dot", 2);
  const KLoop l = make_kloop(*scene);
  CHECK(axes_text(l) == "rows 32..63, 8 inside M = 40; cols 0..31, 24 inside N = 24; ks 32..63, 18 inside K = 50");
  CHECK(matrix_text(l.a) == "A a 40x50 (144 on, 880 masked)");
  CHECK(tiles_text(l.axis(KAxis::K)) == "0..31 32..63");
  check_places(*scene, l.a, l.a.steps[1]);
  CHECK(l.a.element(*scene->tensors[0].tensor, 33, 7) == std::vector<int64_t>{33 * 50 + 7});
}

TEST_CASE("one matrix of a batch is shown, and its elements keep their whole index") {
  auto c = opened_kernel(launch_with("2, 40, 50", "50, 24", "2, 40, 24"),
                         "@triton.jit\n"
                         "def k(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):\n"
                         "    batch = tl.program_id(0)\n"
                         "    rows = tl.arange(0, BM)\n"
                         "    cols = tl.arange(0, BN)\n"
                         "    acc = tl.zeros((BM, BN), dtype=tl.float32)\n"
                         "    for k0 in range(0, K, BK):\n"
                         "        ks = k0 + tl.arange(0, BK)\n"
                         "        x = tl.load(a + batch * M * K + rows[:, None] * K + ks[None, :], mask=ks[None, :] < K, other=0.0)\n"
                         "        y = tl.load(b + ks[:, None] * N + cols[None, :], mask=(ks[:, None] < K) & (cols[None, :] < N), other=0.0)\n"
                         "        acc = tl.dot(x, y, acc)\n"
                         "    tl.store(c + batch * M * N + rows[:, None] * N + cols[None, :], acc, mask=cols[None, :] < N)\n");
  select(*c, {1, 0, 0});
  const auto scene = at_label(*c, "dot", 2);
  const KLoop l = make_kloop(*scene);
  CHECK(axes_text(l) == "rows 0..31, 32 inside M = 40; cols 0..31, 24 inside N = 24; ks 32..63, 18 inside K = 50");
  CHECK(matrix_text(l.a) == "A a 40x50 (576 on, 448 masked)");
  CHECK(l.a.element(*scene->tensors[0].tensor, 3, 7) == std::vector<int64_t>{1, 3, 7});
  const auto place = find_place(l, *scene, {Element::Of::Tensor, "a", {1, 3, 7}});
  REQUIRE(place.has_value());
  CHECK(place->letter == 'A');
  CHECK(place->row == 3);
  CHECK(place->col == 7);
  CHECK_FALSE(find_place(l, *scene, {Element::Of::Tensor, "a", {0, 3, 7}}).has_value());
}

TEST_CASE("rows that wrap round are two runs of the matrix") {
  auto c = opened_kernel(launch_with("40, 50", "50, 24", "40, 24"),
                         "@triton.jit\n"
                         "def k(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):\n"
                         "    rm = (tl.program_id(0) * BM + tl.arange(0, BM)) % M\n"
                         "    rows = tl.program_id(0) * BM + tl.arange(0, BM)\n"
                         "    cols = tl.arange(0, BN)\n"
                         "    acc = tl.zeros((BM, BN), dtype=tl.float32)\n"
                         "    for k0 in range(0, K, BK):\n"
                         "        ks = k0 + tl.arange(0, BK)\n"
                         "        x = tl.load(a + rm[:, None] * K + ks[None, :], mask=ks[None, :] < K, other=0.0)\n"
                         "        y = tl.load(b + ks[:, None] * N + cols[None, :], mask=(ks[:, None] < K) & (cols[None, :] < N), other=0.0)\n"
                         "        acc = tl.dot(x, y, acc)\n"
                         "    tl.store(c + rows[:, None] * N + cols[None, :], acc, mask=(rows[:, None] < M) & (cols[None, :] < N))\n");
  select(*c, {1, 0, 0});
  const auto scene = at_label(*c, "dot", 1);
  const KLoop l = make_kloop(*scene);
  CHECK(range_text(l.axis(KAxis::M)) == "rm 32..39, 0..23, 32 inside M = 40");
  CHECK(matrix_text(l.a) == "A a 40x50 (1024 on, 0 masked)");
  CHECK(matrix_text(l.c) == "C c 40x24 (192 on, 832 masked)");
  check_places(*scene, l.a, l.a.steps[0]);
}

TEST_CASE("a tile that walks with the wrong stride has its own columns without the kernel's name, and runs over the end of a row") {
  auto c = opened_kernel(launch_with("40, 50", "50, 24", "40, 24"),
                         "@triton.jit\n"
                         "def k(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):\n"
                         "    rows = tl.program_id(0) * BM + tl.arange(0, BM)\n"
                         "    cols = tl.arange(0, BN)\n"
                         "    ks = tl.arange(0, BK)\n"
                         "    pa = a + rows[:, None] * K + ks[None, :]\n"
                         "    pb = b + ks[:, None] * N + cols[None, :]\n"
                         "    acc = tl.zeros((BM, BN), dtype=tl.float32)\n"
                         "    for k in range(0, K, BK):\n"
                         "        x = tl.load(pa, mask=(rows[:, None] < M) & (ks[None, :] < K - k), other=0.0)\n"
                         "        y = tl.load(pb, mask=(ks[:, None] < K - k) & (cols[None, :] < N), other=0.0)\n"
                         "        acc = tl.dot(x, y, acc)\n"
                         "        pa += BK\n"
                         "        pb += BK\n"
                         "    tl.store(c + rows[:, None] * N + cols[None, :], acc, mask=(rows[:, None] < M) & (cols[None, :] < N))\n");
  KLoop l = make_kloop(*at_label(*c, "dot", 1));
  CHECK(axes_text(l) == "rows 0..31, 32 inside M = 40; cols 0..31, 24 inside N = 24; ks 0..31, 32 inside K = 50");
  CHECK(l.b.row_name == "ks");
  CHECK(l.b.col_name == "cols");
  CHECK_FALSE(l.b.runs_over);
  const auto scene = at_label(*c, "dot", 2);
  l = make_kloop(*scene);
  // Element 32 of rows of 24 is [1, 8]; `k` is the loop's variable (32), so it names no axis.
  CHECK(matrix_text(l.b) == "B b 50x24 (432 on, 592 masked)");
  CHECK(l.b.row_index.front() == 1);
  CHECK(l.b.col_index.front() == 8);
  CHECK(l.b.row_name.empty());
  CHECK(l.b.col_name.empty());
  CHECK(l.a.col_name.empty());
  CHECK(l.axis(KAxis::K).name.empty());
  CHECK(l.a.row_name == "rows");
  CHECK(l.c.col_name == "cols");
  CHECK(l.b.runs_over);
  CHECK(l.b.element(*scene->tensors[1].tensor, 1, 24) == std::vector<int64_t>{2, 0});
}

TEST_CASE("a tile that is wholly masked beyond the last column keeps the kernel's columns") {
  auto c = opened_kernel(launch_with("40, 50", "50, 24", "40, 24"),
                         "@triton.jit\n"
                         "def k(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):\n"
                         "    rows = tl.program_id(0) * BM + tl.arange(0, BM)\n"
                         "    cols = tl.program_id(0) * BN + tl.arange(0, BN)\n"
                         "    acc = tl.zeros((BM, BN), dtype=tl.float32)\n"
                         "    for k0 in range(0, K, BK):\n"
                         "        ks = k0 + tl.arange(0, BK)\n"
                         "        x = tl.load(a + rows[:, None] * K + ks[None, :], mask=(rows[:, None] < M) & (ks[None, :] < K), other=0.0)\n"
                         "        y = tl.load(b + ks[:, None] * N + cols[None, :], mask=(ks[:, None] < K) & (cols[None, :] < N), other=0.0)\n"
                         "        acc = tl.dot(x, y, acc)\n"
                         "    tl.store(c + rows[:, None] * N + cols[None, :], acc, mask=(rows[:, None] < M) & (cols[None, :] < N))\n");
  select(*c, {1, 0, 0});
  const KLoop l = make_kloop(*at_label(*c, "dot", 1));
  CHECK(axes_text(l) == "rows 32..63, 8 inside M = 40; cols 32..63, 0 inside N = 24; ks 0..31, 32 inside K = 50");
  for (const KMatrix* m : {&l.b, &l.c}) {
    CHECK(m->col_name == "cols");
    CHECK(m->col_index.front() == 32);
    CHECK(m->cols == 24);
    CHECK_FALSE(m->runs_over);
    CHECK_FALSE(m->wrapped);
  }
}

TEST_CASE("a kernel without a loop is one iteration, also when K is shorter than its tile") {
  auto c = opened_kernel(R"({"kernel": "k", "grid": [1], "args": {"a": {"tensor": "float16", "shape": [16, 10], "init": {"randn": 1}},
      "b": {"tensor": "float16", "shape": [10, 16], "init": {"randn": 2}}, "c": {"tensor": "float32", "shape": [16, 16], "init": "empty"}, "K": 10, "BK": 16}})",
                         "@triton.jit\n"
                         "def k(a, b, c, K, BK: tl.constexpr):\n"
                         "    i = tl.arange(0, 16)\n"
                         "    ks = tl.arange(0, BK)\n"
                         "    x = tl.load(a + i[:, None] * K + ks[None, :], mask=ks[None, :] < K, other=0.0)\n"
                         "    y = tl.load(b + ks[:, None] * 16 + i[None, :], mask=ks[:, None] < K, other=0.0)\n"
                         "    out = tl.dot(x, y)\n"
                         "    tl.store(c + i[:, None] * 16 + i[None, :], out)\n");
  const KLoop l = make_kloop(*at_label(*c, "dot"));
  REQUIRE(l.kind == KLoop::Kind::Product);
  CHECK_FALSE(l.in_loop);
  CHECK(l.iterations == 1);
  CHECK_FALSE(l.acc.carried);
  CHECK(range_text(l.axis(KAxis::K)) == "ks 0..15, 10 inside K = 10");
  CHECK(l.axis(KAxis::K).extent == 16);
  CHECK(matrix_text(l.a) == "A a 16x10 (160 on, 96 masked)");
  CHECK(l.sites[0].label == "out = x \u00b7 y");
}

TEST_CASE("an unrolled loop counts its dots as iterations") {
  auto c = opened_kernel(launch_with("40, 64", "64, 32", "40, 32"),
                         "@triton.jit\n"
                         "def k(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):\n"
                         "    rows = tl.arange(0, BM)\n"
                         "    acc = tl.zeros((BM, BN), dtype=tl.float32)\n"
                         "    for i in tl.static_range(2):\n"
                         "        ks = i * BK + tl.arange(0, BK)\n"
                         "        x = tl.load(a + rows[:, None] * 64 + ks[None, :])\n"
                         "        y = tl.load(b + ks[:, None] * 32 + rows[None, :])\n"
                         "        acc = tl.dot(x, y, acc)\n"
                         "    tl.store(c + rows[:, None] * 32 + rows[None, :], acc)\n");
  CHECK(make_kloop(*at_label(*c, "dot", 1)).iteration == 0);
  const KLoop l = make_kloop(*at_label(*c, "dot", 2));
  CHECK(l.iterations == 2);
  CHECK(l.iteration == 1);
  CHECK(tiles_text(l.axis(KAxis::K)) == "0..31 32..63");
  CHECK(matrix_text(l.c) == "C c 40x32 (1024 on, 0 masked)");
}

TEST_CASE("the two dots of attention are two pictures; the scores are never in memory") {
  auto c = opened_kernel(R"({"kernel": "k", "grid": [2], "args": {"q": {"tensor": "float16", "shape": [32, 16], "init": {"randn": 1}},
      "kk": {"tensor": "float16", "shape": [48, 16], "init": {"randn": 2}}, "v": {"tensor": "float16", "shape": [48, 16], "init": {"randn": 3}},
      "o": {"tensor": "float32", "shape": [32, 16], "init": "empty"}, "S": 48}})",
                         "@triton.jit\n"
                         "def k(q, kk, v, o, S):\n"
                         "    rows = tl.program_id(0) * 16 + tl.arange(0, 16)\n"
                         "    d = tl.arange(0, 16)\n"
                         "    qt = tl.load(q + rows[:, None] * 16 + d[None, :])\n"
                         "    m = tl.full((16,), -float('inf'), tl.float32)\n"
                         "    l = tl.zeros((16,), tl.float32)\n"
                         "    acc = tl.zeros((16, 16), tl.float32)\n"
                         "    for s0 in range(0, S, 16):\n"
                         "        s = s0 + tl.arange(0, 16)\n"
                         "        kt = tl.load(kk + s[None, :] * 16 + d[:, None])\n"
                         "        qk = tl.dot(qt, kt)\n"
                         "        m_new = tl.maximum(m, tl.max(qk, 1))\n"
                         "        p = tl.exp(qk - m_new[:, None])\n"
                         "        alpha = tl.exp(m - m_new)\n"
                         "        l = l * alpha + tl.sum(p, 1)\n"
                         "        vt = tl.load(v + s[:, None] * 16 + d[None, :])\n"
                         "        acc = acc * alpha[:, None]\n"
                         "        acc = tl.dot(p.to(tl.float16), vt, acc)\n"
                         "        m = m_new\n"
                         "    tl.store(o + rows[:, None] * 16 + d[None, :], acc / l[:, None])\n");
  select(*c, {1, 0, 0});
  const auto scene = at_label(*c, "dot", 3);  // the first one of the second iteration
  KLoop l = make_kloop(*scene);
  REQUIRE(l.sites.size() == 2);
  CHECK(l.sites[0].label == "qk = qt \u00b7 kt");
  CHECK(l.sites[1].label == "acc += p \u00b7 vt");
  CHECK(l.site == 0);
  CHECK(l.iteration == 1);
  CHECK(l.iterations == 3);
  // Scores: K is the head's dimension and stays; the columns walk along the sequence.
  CHECK(tiles_text(l.axis(KAxis::N)) == "0..15 16..31 32..47");
  CHECK_FALSE(l.axis(KAxis::K).moves);
  CHECK(matrix_text(l.a) == "A q 32x16 (256 on, 0 masked)");
  CHECK(matrix_text(l.b) == "B kk 16x48 (256 on, 0 masked) transposed column-major");
  CHECK(l.c.source == KMatrix::Source::Value);
  CHECK(l.c.name == "qk");
  CHECK_FALSE(l.acc.carried);
  l = make_kloop(*scene, 1);
  CHECK(l.site == 1);
  CHECK(l.a.source == KMatrix::Source::Value);
  CHECK(l.a.name == "p");
  CHECK(l.axis(KAxis::K).tiles[1] == Span{16, 32});
  CHECK(matrix_text(l.c) == "C o 32x16 (256 on, 0 masked)");
  CHECK(l.acc.carried);
  CHECK_FALSE(l.acc.has_after);
  l = make_kloop(*at_label(*c, "dot", 4));
  CHECK(l.site == 1);
  CHECK(l.acc.has_after);
  // After the loop the product that reaches memory is shown.
  CHECK(make_kloop(*at_label(*c, "store")).site == 1);
}

TEST_CASE("a fault in a load is shown in its iteration, with the lanes beyond the matrix, although the dot never ran") {
  auto c = opened_kernel(launch_with("50, 40", "50, 24", "40, 24"),
                         kernel_with("tl.load(a + ks[:, None] * M + rows[None, :], mask=rows[None, :] < M, other=0.0)", "tl.trans(x)"));
  c->go_to_end();
  const auto scene = c->scene();
  REQUIRE_FALSE(scene->trace->faults.empty());
  const KLoop l = make_kloop(*scene);
  REQUIRE(l.kind == KLoop::Kind::Product);
  CHECK(l.iteration == 1);
  CHECK(l.iterations == 2);
  CHECK(l.a.out_of_bounds == 14 * 32);
  CHECK(range_text(l.axis(KAxis::K)) == "ks 32..63, 18 inside K = 50");
  // B was not loaded any more: its tile lies where A's does, dashed.
  CHECK_FALSE(l.b.done);
  CHECK(l.b.steps.back() == -1);
  CHECK(l.b.row_index.front() == 32);
  CHECK(l.acc.has_before);
  CHECK_FALSE(l.acc.has_after);
  CHECK(l.c.source == KMatrix::Source::Value);
  CHECK(l.c.unreached);
}

TEST_CASE("a loop that walks a row in pieces has no product, and says what it walks") {
  auto c = opened_kernel(R"({"kernel": "k", "grid": [1], "args": {"x": {"tensor": "float32", "shape": [100], "init": {"randn": 1}},
      "y": {"tensor": "float32", "shape": [1], "init": "empty"}, "n": 100}})",
                         "@triton.jit\n"
                         "def k(x, y, n):\n"
                         "    m = -float('inf')\n"
                         "    for i in range(0, n, 32):\n"
                         "        at = i + tl.arange(0, 32)\n"
                         "        v = tl.load(x + at, mask=at < n, other=-float('inf'))\n"
                         "        m = tl.maximum(m, tl.max(v, 0))\n"
                         "    tl.store(y, m)\n");
  const KLoop l = make_kloop(*at_label(*c, "load v", 3));
  CHECK(l.kind == KLoop::Kind::Chunks);
  CHECK(l.iteration == 2);
  CHECK(l.iterations == 4);
  CHECK(l.tensors == std::vector<std::string>{"x"});
  CHECK(l.loop_line == 6);
}

TEST_CASE("a kernel with neither loop nor dot has no picture") {
  auto c = opened_lesson("vector_add");
  CHECK(make_kloop(*c->scene()).kind == KLoop::Kind::NoLoop);
}

TEST_CASE("an element that another panel points at is found in the picture, and back") {
  auto c = opened_lesson("matmul");
  select(*c, {2, 0, 0});
  const auto scene = at_label(*c, "dot", 2);
  const KLoop l = make_kloop(*scene);
  auto place = find_place(l, *scene, {Element::Of::Variable, "acc", {1, 2}});
  REQUIRE(place.has_value());
  CHECK(place->letter == 'C');
  CHECK(place->row == 65);
  CHECK(place->col == 2);
  CHECK(element_at(l, *scene, *place) == Element{Element::Of::Variable, "acc", {1, 2}});
  place = find_place(l, *scene, {Element::Of::Variable, "b", {3, 4}});
  REQUIRE(place.has_value());
  CHECK(place->letter == 'B');
  CHECK(place->row == 35);
  CHECK(element_at(l, *scene, *place) == Element{Element::Of::Tensor, "b_ptr", {35, 4}});
  CHECK_FALSE(find_place(l, *scene, {Element::Of::Variable, "acc", {40, 2}}).has_value());
  CHECK_FALSE(find_place(l, *scene, {Element::Of::Tensor, "a_ptr", {-1, 2}}).has_value());
  CHECK_FALSE(element_at(l, *scene, {'A', 3, 60}));
}

TEST_CASE("the picture of a batched dot knows the batch whose first matrix it shows") {
  auto spec = load_launch_file(std::string(TILESCOPE_SOURCE_DIR) + "/tests/conformance/dot_batched_3d/launch.json");
  REQUIRE(spec.ok());
  auto c = opened(std::move(*spec));
  c->go_to_end();
  const KLoop l = make_kloop(*c->scene());
  REQUIRE(l.kind == KLoop::Kind::Product);
  REQUIRE(l.batch.size() == 1);
  CHECK(l.batch[0] > 1);
  CHECK(make_kloop(*opened_lesson("matmul")->scene()).batch.empty());
}

}  // namespace tilescope::model
