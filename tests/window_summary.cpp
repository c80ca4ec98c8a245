// One-line summaries of variables, and which of their lanes count.
#include "visualizer/model/provenance.h"
#include "visualizer/model/summary.h"
#include "visualizer/model/tile_view.h"
#include "window_session.h"

namespace tilescope::model {
namespace {

/// "64..95 | 26 beyond M = 70".
std::string in_words(const Summary& s) {
  std::string value;
  switch (s.form) {
    case Summary::Form::NotComputed: return "not computed";
    case Summary::Form::Scalar: case Summary::Form::Run: value = s.text; break;
    case Summary::Form::Same: value = "all " + s.text; break;
    case Summary::Form::Span: value = s.low + " to " + s.high; break;
    case Summary::Form::On: value = std::to_string(s.on) + " on"; break;
    case Summary::Form::Reach: value = std::to_string(s.on) + " reach " + s.name; break;
    case Summary::Form::Pointers: value = "from " + s.text; break;
  }
  const std::string n = std::to_string(s.off);
  switch (s.why_off) {
    case Summary::Off::Nothing: return value;
    case Summary::Off::AllOn: return value + " | all on";
    case Summary::Off::False: return value + " | " + n + " off";
    case Summary::Off::Masked: return value + " | " + n + " masked, " + s.other;
    case Summary::Off::Undefined: return value + " | " + n + " undefined";
    case Summary::Off::Beyond: return value + " | " + n + " beyond " + s.name + " = " + s.bound;
    case Summary::Off::Below: return value + " | " + n + " below " + s.name + " = " + s.bound;
    case Summary::Off::Outside: return value + " | " + n + " outside " + s.name;
    case Summary::Off::OutOfBounds: return value + " | " + n + " out of bounds of " + s.name;
  }
  return value;
}

std::string summary(const Scene& s, const std::string& name) {
  const Variable* v = find_item(s, name);
  REQUIRE_MESSAGE(v != nullptr, name);
  return in_words(summary_of(s, *v));
}

std::unique_ptr<Controller> at(const std::string& lesson, ProgramIndex program, size_t line_step) {
  auto c = opened_lesson(lesson);
  c->select_program(program);
  settle(*c);
  c->go_to_line_step(line_step);
  return c;
}

}  // namespace

TEST_CASE("matmul's last row of programs, second dot: indices with their bounds, loads with their masks, what reaches C") {
  const auto c = at("matmul", {2, 0, 0}, 12);
  const auto s = c->scene();
  CHECK(summary(*s, "rows") == "64..95 | 26 beyond M = 70");
  CHECK(summary(*s, "cols") == "0..31 | all on");
  CHECK(summary(*s, "ks") == "32..63 | 14 beyond K = 50");
  CHECK(summary(*s, "k") == "32");
  CHECK(summary(*s, "a") == "108 on | 916 masked, 0");
  CHECK(summary(*s, "b") == "576 on | 448 masked, 0");
  CHECK(summary(*s, "acc") == "192 reach c_ptr | 832 outside c_ptr");
  CHECK(summary_of(*s, *s->find_variable("a")).share_on() == doctest::Approx(108.0 / 1024));
}

TEST_CASE("before it is computed a variable says so") {
  const auto c = at("matmul", {0, 0, 0}, 1);
  const auto s = c->scene();
  CHECK(summary(*s, "acc") == "not computed");
  CHECK(summary(*s, "rows") == "0..31 | all on");
}

TEST_CASE("vector add's last program: a mask, loads without other, and the sum that is stored without a name") {
  const auto c = at("vector_add", {3, 0, 0}, 5);
  const auto s = c->scene();
  CHECK(summary(*s, "pid") == "3");
  CHECK(summary(*s, "offsets") == "768..1023 | 24 beyond n = 1000");
  CHECK(summary(*s, "mask") == "232 on | 24 off");
  CHECK(summary(*s, "x") == "232 on | 24 undefined");
  CHECK(summary(*s, "x + y") == "232 reach out_ptr | 24 outside out_ptr");
  REQUIRE(current_item(*s) != nullptr);
  CHECK(current_item(*s)->name == "x + y");
  const VariableLanes& lanes = lanes_of(*s, *s->find_variable("mask"));
  CHECK(lanes.lo == std::vector<int64_t>{0});
  CHECK(lanes.hi == std::vector<int64_t>{232});
}

TEST_CASE("softmax: masked lanes are minus infinity, what is derived from them does not reach y") {
  const auto c = at("softmax", {0, 0, 0}, 7);
  const auto s = c->scene();
  CHECK(summary(*s, "cols") == "0..1023 | 24 beyond N = 1000");
  CHECK(summary(*s, "numerator") == "1000 reach y_ptr | 24 outside y_ptr");
  CHECK(summary(*s, "row") == "0");
}

TEST_CASE("pointer tiles name the element of their first lane") {
  const auto c = at("grouped_matmul", {0, 0, 0}, 13);
  const auto s = c->scene();
  CHECK(summary(*s, "a_tile") == "from a_ptr[0, 0]");
  CHECK(short_type(s->find_variable("a_tile")->type) == "*fp16[32, 32]");
}

TEST_CASE("types are written as people say them") {
  CHECK(short_type(Type::scalar(DType::Int32)) == "int32");
  CHECK(short_type(Type::tile(DType::Float16, {32, 64})) == "fp16[32, 64]");
  CHECK(short_type(Type::tile(DType::BFloat16, {8})) == "bf16[8]");
  CHECK(short_type(Type::tile(DType::Float8E4NV, {8})) == "fp8e4nv[8]");
}

TEST_CASE("special values: NaN, infinities, 64-bit integers and small floats keep their text") {
  const auto c = opened_kernel(
      R"({"kernel": "k", "grid": [1], "args": {"x_ptr": {"tensor": "float32", "shape": [4], "init": {"values": [1.5, -2, 0, 3]}},
          "out_ptr": {"tensor": "float32", "shape": [4], "init": "empty"}}})",
      R"(
@triton.jit
def k(x_ptr, out_ptr):
    i = tl.arange(0, 4)
    x = tl.load(x_ptr + i)
    bad = tl.log(x)
    far = i.to(tl.int64) * 4611686018427387904
    tiny = x.to(tl.float8e5)
    every = tl.full((4,), 7, tl.int32)
    tl.store(out_ptr + i, x)
)");
  REQUIRE(c->scene()->ready);
  c->go_to_end();
  const auto s = c->scene();
  const ProgramValues& values = *program_values(*s);
  const auto text = [&](const char* name, int64_t lane) { return values.lane_text(*s->find_variable(name)->record, lane); };
  CHECK(text("bad", 1) == "NaN");
  CHECK(text("bad", 2) == "\u2212inf");
  CHECK(text("far", 1) == "4611686018427387904");
  CHECK(text("far", 2) == "\u22129223372036854775808");
  CHECK(text("tiny", 0) == "1.5");
  CHECK(summary(*s, "every") == "all 7");
  CHECK(summary(*s, "bad") == "\u2212inf to 1.099");
  const TileStatistics& n = statistics_of(*s, *s->find_variable("bad"));
  CHECK(n.nan == 1);
  CHECK(n.infinite == 1);
  CHECK(n.finite == 2);
}

TEST_CASE("a colour scale stays the same over all steps of a program") {
  const auto c = at("matmul", {0, 0, 0}, 7);
  const double first = statistics_of(*c->scene(), *c->scene()->find_variable("acc")).reach;
  c->go_to_line_step(12);
  CHECK(statistics_of(*c->scene(), *c->scene()->find_variable("acc")).reach == first);
  const TileStatistics& n = statistics_of(*c->scene(), *c->scene()->find_variable("acc"));
  CHECK(n.largest <= first);
  CHECK(n.scale == ValueScale::Signed);
  CHECK(statistics_of(*c->scene(), *c->scene()->find_variable("rows")).scale == ValueScale::Plain);
}

TEST_CASE("numbers line up, small ones keep a digit, and nothing is wider than its cell") {
  const NumberStyle tenths = number_style(23.7, false, 5);
  CHECK(format_number(-17.13, tenths) == "\u221217.1");
  CHECK(format_number(0.04, tenths) == "0.04");
  CHECK(format_number(0, tenths) == "0.0");
  CHECK(format_number(0.0000321, tenths) == "3e\u22125");
  // As many digits as there is room for; a fraction is not written as 9e-1 where 0.9 has as much room.
  CHECK(format_number(0.867, number_style(0.9, false, 4)) == "0.9");
  CHECK(format_number(0.867, number_style(0.9, false, 4, false)) == "0.87");
  CHECK(format_number(0.867, number_style(0.9, false, 6)) == "0.867");
  CHECK(format_number(0.00123, number_style(0.002, false, 5)) == "1e\u22123");
  CHECK(format_number(0.00123, number_style(0.002, false, 9)) == "0.00123");
  CHECK(format_number(1.27e-7, number_style(2e-7, false, 8)) == "1.3e\u22127");
  CHECK(number_style(104, true, 5).decimals == 0);
  CHECK(number_style(1e12, true, 5).scientific);
  CHECK(format_number(1e12, number_style(1e12, true, 5)) == "1e12");
  CHECK(short_number(-0.0098641) == "\u22120.009864");
}

TEST_CASE("a load that faults shows what its lanes within bounds would have read, and which lie outside") {
  const auto c = opened_kernel(
      R"({"kernel": "k", "grid": [1], "args": {"x_ptr": {"tensor": "float32", "shape": [6], "init": "arange"},
          "out_ptr": {"tensor": "float32", "shape": [8], "init": "empty"}}})",
      R"(
@triton.jit
def k(x_ptr, out_ptr):
    i = tl.arange(0, 8)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, x)
)");
  REQUIRE(c->scene()->ready);
  c->go_to_end();
  const auto s = c->scene();
  const Variable* x = find_item(*s, "x");
  REQUIRE(x != nullptr);
  REQUIRE(x->record != nullptr);
  CHECK(x->now);
  CHECK(lane_number(*x->record, 5) == 5);
  const VariableLanes& lanes = lanes_of(*s, *x);
  CHECK(lanes.on == 6);
  CHECK(lanes.out_of_bounds == 2);
  CHECK(lanes.use[6] == LaneUse::OutOfBounds);
  CHECK(summary(*s, "x") == "6 on | 2 out of bounds of x_ptr");
  const Provenance p = explain_faulted(*program_values(*s), *x, 7);
  CHECK(p.state == LaneState::OutOfBounds);
  CHECK(p.element == "x[7]");
  CHECK(p.place.offset == 7);
  CHECK(p.text.empty());
  CHECK(explain_faulted(*program_values(*s), *x, 8).kind == Provenance::Kind::NotComputed);
}

TEST_CASE("statistics of a load that faults leave out what was not read, and take `other` where lanes are masked") {
  const auto c = opened_kernel(
      R"({"kernel": "k", "grid": [1], "args": {"x_ptr": {"tensor": "float32", "shape": [6], "init": "arange"},
          "out_ptr": {"tensor": "float32", "shape": [8], "init": "empty"}}})",
      R"(
@triton.jit
def k(x_ptr, out_ptr):
    i = tl.arange(0, 8)
    x = tl.load(x_ptr + i, mask=i != 0, other=-1.5)
    tl.store(out_ptr + i, x)
)");
  REQUIRE(c->scene()->ready);
  c->go_to_end();
  const auto s = c->scene();
  const Variable* x = find_item(*s, "x");
  REQUIRE(x != nullptr);
  REQUIRE(x->record != nullptr);
  CHECK(lane_number(*x->record, 0) == -1.5);
  CHECK(lane_poisoned(*x->record, 6));
  const TileStatistics& n = statistics_of(*s, *x);
  CHECK(n.finite == 6);
  CHECK(n.low == -1.5);
  CHECK(n.high == 5);
}

TEST_CASE("a hovered tensor element lights the lanes that were read from it or will be written to it") {
  const auto c = at("matmul", {2, 0, 0}, 12);
  const auto s = c->scene();
  CHECK(lanes_of_element(*s, *s->find_variable("a"), {Element::Of::Tensor, "a_ptr", {65, 45}}) == std::vector<int64_t>{32 + 13});
  CHECK(lanes_of_element(*s, *s->find_variable("acc"), {Element::Of::Tensor, "c_ptr", {65, 2}}) == std::vector<int64_t>{34});
  CHECK(lanes_of_element(*s, *s->find_variable("acc"), {Element::Of::Tensor, "a_ptr", {65, 2}}).empty());
  CHECK(lanes_of_element(*s, *s->find_variable("acc"), {Element::Of::Variable, "acc", {1, 2}}) == std::vector<int64_t>{34});
  CHECK(lanes_of_element(*s, *s->find_variable("acc"), {Element::Of::Variable, "acc", {1, 99}}).empty());
}

TEST_CASE("masked lanes that are undefined are known to be the same lanes") {
  auto c = opened_lesson("vector_add");
  c->select_program({3, 0, 0});
  settle(*c);
  c->go_to_end();
  const auto s = c->scene();
  const Variable* x = find_item(*s, "x");
  REQUIRE(x != nullptr);
  CHECK(lanes_of(*s, *x).off == 24);
  CHECK(off_lanes_are_the_undefined(*x, lanes_of(*s, *x)));
  auto m = opened_lesson("matmul");  // its loads give 0 where they are masked
  m->select_program({2, 0, 0});
  settle(*m);
  m->go_to_end();
  const auto t = m->scene();
  const Variable* a = find_item(*t, "a");
  REQUIRE(a != nullptr);
  CHECK_FALSE(off_lanes_are_the_undefined(*a, lanes_of(*t, *a)));
}

}  // namespace tilescope::model
