// Reductions and scans as trees: which op, which row, and partial results whose root is the recorded result.
#include <cmath>
#include <cstring>

#include "visualizer/model/reduction.h"
#include "window_session.h"

namespace tilescope::model {
namespace {

std::shared_ptr<const Scene> at_label(Controller& c, const std::string& label) {
  const std::shared_ptr<const Scene> s = c.scene();
  for (size_t i = 0; i < s->timeline->lines.size(); ++i)
    if (s->timeline->lines[i].label == label) {
      c.go_to_line_step(i);
      return c.scene();
    }
  FAIL("no line step called " << label);
  return s;
}

float as_float(uint64_t bits) {
  const auto word = static_cast<uint32_t>(bits);
  float x;
  std::memcpy(&x, &word, 4);
  return x;
}

/// A kernel with one tile x[R, C] of a dtype, loaded from integers in -8 .. 7, and `body` that makes `y` of it.
std::unique_ptr<Controller> opened_tile(const std::string& dtype, int rows, int cols, const std::string& body) {
  const std::string shape = "[" + std::to_string(rows) + ", " + std::to_string(cols) + "]";
  return opened_kernel(R"({"kernel": "k", "grid": [1], "args": {"a": {"tensor": ")" + dtype + R"(", "shape": )" + shape +
                           R"(, "init": {"randint": [-8, 8, 5]}}, "R": )" + std::to_string(rows) + R"(, "C": )" + std::to_string(cols) + R"(, "n": 5}})",
                       "@triton.jit\n"
                       "def pair(a, b):\n"
                       "    return a * 2 + b\n"
                       "@triton.jit\n"
                       "def mean_of(m, n, m2, n2):\n"
                       "    return (m * n + m2 * n2) / (n + n2), n + n2\n"
                       "@triton.jit\n"
                       "def k(a, n, R: tl.constexpr, C: tl.constexpr):\n"
                       "    at = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]\n"
                       "    x = tl.load(a + at)\n" +
                           body);
}

/// Every row of the reduction that makes `y`, its last level against the recording.
int64_t rows_equal(const Scene& scene) {
  int64_t rows = make_reduction(scene).rows, equal = 0;
  for (int64_t row = 0; row < rows; ++row) {
    const Reduction r = make_reduction(scene, -1, row);
    REQUIRE(r.kind == Reduction::Kind::Shown);
    equal += r.equal;
  }
  return equal;
}

}  // namespace

TEST_CASE("softmax's max and sum are trees of ten levels whose roots are the recorded bits") {
  auto c = opened_lesson("softmax");
  for (int64_t program : {0, 7, 127}) {
    c->select_program({program, 0, 0});
    settle(*c);
    Reduction r = make_reduction(*at_label(*c, "x"));
    REQUIRE(r.kind == Reduction::Kind::Shown);
    CHECK(r.combine == "max");
    CHECK(r.operand == "x");
    CHECK(r.levels.size() == 11);
    CHECK(r.equal);
    CHECK(r.now);
    r = make_reduction(*at_label(*c, "denominator"));
    CHECK(r.combine == "sum");
    CHECK(r.operand == "numerator");
    CHECK(r.result == "denominator");
    CHECK(r.equal);
    // The same sum, written out.
    std::vector<float> level;
    for (const LaneBits& b : r.levels[0].lanes) level.push_back(as_float(b[0]));
    while (level.size() > 1) {
      for (size_t i = 0; i < level.size() / 2; ++i) level[i] = level[2 * i] + level[2 * i + 1];
      level.resize(level.size() / 2);
    }
    CHECK(level[0] == as_float(r.levels.back().lanes[0][0]));
  }
}

TEST_CASE("padding lanes are told apart, and whether they change the result") {
  auto c = opened_lesson("softmax");
  Reduction r = make_reduction(*at_label(*c, "x"));
  CHECK(r.masked_lanes == 24);
  CHECK(r.masked[999] == 0);
  CHECK(r.masked[1000] == 1);
  CHECK(r.masked_value == "\u2212inf");
  CHECK(r.masked_neutral);
  r = make_reduction(*at_label(*c, "denominator"));
  CHECK(r.masked_lanes == 24);
  CHECK(r.masked_value == "0");
  CHECK(r.masked_neutral);
  // A max that is padded with 0 is wrong for rows of negative numbers.
  auto wrong = opened_kernel(R"({"kernel": "k", "grid": [1], "args": {"a": {"tensor": "float32", "shape": [6], "init": {"full": -3}}, "n": 6}})",
                             "@triton.jit\ndef k(a, n):\n    i = tl.arange(0, 8)\n    x = tl.load(a + i, mask=i < n, other=0.0)\n    y = tl.max(x, 0)\n");
  r = make_reduction(*at_label(*wrong, "y"));
  CHECK(r.masked_lanes == 2);
  CHECK(r.masked_value == "0");
  CHECK_FALSE(r.masked_neutral);
  CHECK(r.value(3, 0) == 0);
}

TEST_CASE("lanes are padding only when no other data got into them") {
  const auto reduction = [](const std::string& body) {
    auto c = opened_kernel(R"({"kernel": "k", "grid": [1], "args": {"a": {"tensor": "float32", "shape": [11], "init": {"full": 1}}, "n": 11}})",
                           "@triton.jit\ndef k(a, n):\n    i = tl.arange(0, 8)\n" + body);
    c->go_to_end();
    return make_reduction(*c->scene());
  };
  // The last iteration masks five lanes off that hold the first iteration's data.
  Reduction r = reduction("    acc = tl.zeros((8,), tl.float32)\n"
                          "    for off in range(0, n, 8):\n"
                          "        acc += tl.load(a + off + i, mask=off + i < n, other=0.0)\n"
                          "    y = tl.sum(acc, 0)\n");
  CHECK(r.kind == Reduction::Kind::Shown);
  CHECK(r.masked_lanes == 0);
  // Two loads: a lane is padding where both are masked off.
  r = reduction("    x = tl.load(a + i, mask=i < 6, other=0.0) + tl.load(a + i, mask=i < 3, other=0.0)\n    y = tl.sum(x, 0)\n");
  CHECK(r.masked_lanes == 2);
  CHECK(r.masked_neutral);
  // A mean is subtracted from the padding too, and where() repairs it.
  const std::string mean = "    x = tl.load(a + i, mask=i < 6, other=0.0)\n    m = tl.sum(x, 0) / 6\n";
  r = reduction(mean + "    d = x - m\n    y = tl.sum(d * d, 0)\n");
  CHECK(r.masked_lanes == 2);
  CHECK(r.masked_value == "1");
  CHECK_FALSE(r.masked_neutral);
  r = reduction(mean + "    d = tl.where(i < 6, x - m, 0.0)\n    y = tl.sum(d * d, 0)\n");
  CHECK(r.masked_lanes == 2);
  CHECK(r.masked_neutral);
  // Rows of a tile: what is the same in the whole row is no data of single lanes.
  r = reduction("    at = tl.arange(0, 2)[:, None] * 8 + i[None, :]\n    x = tl.load(a + at, mask=at < 11, other=-float('inf'))\n"
                "    e = tl.exp(x - tl.max(x, 1)[:, None])\n    y = tl.sum(e, 1)\n");
  CHECK(r.masked_lanes == 0);
}

TEST_CASE("the largest value is followed down to the lane that it came from") {
  auto c = opened_lesson("softmax");
  const Reduction r = make_reduction(*at_label(*c, "x"));
  REQUIRE(r.winner.size() == r.levels.size());
  CHECK(r.winner.back() == 0);
  for (size_t l = 0; l < r.levels.size(); ++l) CHECK(r.value(l, r.winner[l]) == r.value(r.levels.size() - 1, 0));
  for (size_t l = 1; l < r.levels.size(); ++l) CHECK(r.winner[l - 1] / 2 == r.winner[l]);
}

TEST_CASE("a reduction that has not run yet shows its lanes only when they are known") {
  auto c = opened_lesson("softmax");
  Reduction r = make_reduction(*at_label(*c, "cols"));
  CHECK(r.kind == Reduction::Kind::Shown);
  CHECK_FALSE(r.known);
  CHECK_FALSE(r.done);
  r = make_reduction(*at_label(*c, "load x"));
  CHECK(r.known);
  CHECK_FALSE(r.done);
  // After its line the last one that ran stays in view.
  r = make_reduction(*at_label(*c, "numerator"));
  CHECK(r.site == 0);
  CHECK(r.done);
  CHECK_FALSE(r.now);
  REQUIRE(r.sites.size() == 2);
  CHECK(r.sites[0].label == "max(x)");
  CHECK(r.sites[1].label == "sum(numerator)");
  CHECK(make_reduction(*at_label(*c, "store")).site == 1);
}

TEST_CASE("rows of both axes of a tile, of every combine and several dtypes, end in the recorded bits") {
  struct Of {
    const char *dtype, *call;
  };
  for (const Of& of : {Of{"float32", "tl.sum(x, 0)"}, Of{"float32", "tl.sum(x, 1)"}, Of{"float16", "tl.min(x, 1)"}, Of{"float16", "tl.sum(x, 0)"},
                       Of{"int32", "tl.xor_sum(x, 1)"}, Of{"int8", "tl.max(x, 0)"}, Of{"int32", "tl.sum(x, 1)"}, Of{"bfloat16", "tl.max(x, 1)"},
                       Of{"int32", "tl.reduce(x, 1, pair)"}, Of{"float32", "tl.reduce(x, 0, pair)"}}) {
    CAPTURE(of.dtype);
    CAPTURE(of.call);
    auto c = opened_tile(of.dtype, 4, 8, "    y = " + std::string(of.call) + "\n");
    const auto scene = at_label(*c, "y");
    const int64_t rows = std::string(of.call).find("0") != std::string::npos ? 8 : 4;
    CHECK(make_reduction(*scene).rows == rows);
    CHECK(rows_equal(*scene) == rows);
  }
}

TEST_CASE("an argmax carries its index along, ties going to the lower one") {
  auto c = opened_tile("int32", 4, 8, "    y = tl.argmax(x // 4, 1)\n");
  const auto scene = at_label(*c, "y");
  CHECK(rows_equal(*scene) == 4);
  const Reduction r = make_reduction(*scene, -1, 2);
  int64_t best = 0;
  for (int64_t i = 1; i < 8; ++i)
    if (r.value(0, i) > r.value(0, best)) best = i;
  CHECK(r.index(3, 0) == best);
  CHECK(r.result == "y");
  CHECK(r.winner[0] == best);
  CHECK(r.row_index == std::vector<int64_t>{2, 0});
  CHECK(operand_index(r, best) == std::vector<int64_t>{2, best});
}

TEST_CASE("a combine function of pairs is evaluated as the simulator does") {
  auto c = opened_tile("float32", 4, 8, "    y, count = tl.reduce((x, x * 0 + 1), 1, mean_of)\n");
  const auto scene = c->scene();
  c->go_to_end();
  CHECK(rows_equal(*c->scene()) == 4);
  const Reduction r = make_reduction(*c->scene());
  CHECK(as_float(r.levels.back().lanes[0][1]) == 8);
  CHECK(r.combine == "user");
}

TEST_CASE("scans keep their length and end in the recorded lanes, from both ends") {
  for (const char* call : {"tl.cumsum(x, 1)", "tl.cumsum(x, 0)", "tl.cumsum(x, 1, reverse=True)", "tl.cumprod(x, 1)", "tl.associative_scan(x, 1, pair)"}) {
    CAPTURE(call);
    auto c = opened_tile("float32", 4, 8, "    y = " + std::string(call) + "\n");
    const auto scene = at_label(*c, "y");
    const Reduction r = make_reduction(*scene);
    CHECK(r.scan);
    CHECK(r.levels.size() == (r.length == 8 ? 4u : 3u));
    CHECK(r.levels.back().lanes.size() == static_cast<size_t>(r.length));
    CHECK(rows_equal(*scene) == r.rows);
  }
}

TEST_CASE("a row beyond the tile is the last row, and a site that does not exist is chosen anew") {
  auto c = opened_tile("int32", 4, 8, "    y = tl.sum(x, 1)\n");
  const auto scene = at_label(*c, "y");
  CHECK(make_reduction(*scene, -1, 99).row == 3);
  CHECK(make_reduction(*scene, -1, -5).row == 0);
  CHECK(make_reduction(*scene, 12).site == 0);
}

TEST_CASE("a kernel without reductions says so") {
  auto c = opened_lesson("vector_add");
  CHECK(make_reduction(*c->scene()).kind == Reduction::Kind::Nothing);
  CHECK(make_reduction(Scene{}).kind == Reduction::Kind::NotReady);
}

}  // namespace tilescope::model
