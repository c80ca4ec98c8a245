// The controller: moves, breakpoints, faults, and staying at the same place when the run changes.
#include "window_session.h"

#include <limits>
#include <random>

namespace tilescope::model {
namespace {

std::string label_of(Controller& c) {
  const auto s = c.scene();
  return s->timeline->lines[s->line_step].label;
}

/// Iterations around the current step, from 0.
std::vector<int64_t> iterations_of(Controller& c) {
  std::vector<int64_t> out;
  for (const LoopPosition& p : c.scene()->loops) out.push_back(p.iteration);
  return out;
}

}  // namespace

TEST_CASE("the window opens at the first line; moves by op, line and iteration go both ways") {
  auto c = opened_lesson("matmul");
  CHECK(label_of(*c) == "rows");
  c->move(StepUnit::Line, 1);
  CHECK(label_of(*c) == "cols");
  c->move(StepUnit::Line, -1);
  CHECK(label_of(*c) == "rows");
  c->move(StepUnit::Line, -1);
  CHECK(label_of(*c) == "rows");
  const uint64_t at = c->state().step;
  c->move(StepUnit::Op, 1);
  CHECK(c->state().step == at + 1);
  c->move(StepUnit::Line, 1);  // to the end of the line that it is in
  CHECK(label_of(*c) == "cols");
  c->go_to_line(13);
  CHECK(label_of(*c) == "load a");
  CHECK(iterations_of(*c) == std::vector<int64_t>{0});
  c->move(StepUnit::Iteration, 1);
  CHECK(label_of(*c) == "load a");
  CHECK(iterations_of(*c) == std::vector<int64_t>{1});
  c->move(StepUnit::Iteration, 1);
  CHECK(label_of(*c) == "store");
  c->move(StepUnit::Iteration, -1);
  CHECK(label_of(*c) == "dot");
  c->move(StepUnit::Iteration, -1);
  CHECK(label_of(*c) == "dot");
  CHECK(iterations_of(*c) == std::vector<int64_t>{0});
  c->move(StepUnit::Iteration, -1);
  CHECK(label_of(*c) == "acc");
  c->move(StepUnit::Iteration, -1);
  CHECK(label_of(*c) == "rows");
  c->go_to_end();
  CHECK(label_of(*c) == "store");
  c->move(StepUnit::Op, 1);
  c->move(StepUnit::Line, 1);
  c->move(StepUnit::Iteration, 1);
  CHECK(label_of(*c) == "store");
}

TEST_CASE("a click on a line goes to its next run, or to its first") {
  auto c = opened_lesson("matmul");
  c->go_to_line(16);  // second line of the statement
  CHECK(label_of(*c) == "load b");
  CHECK(iterations_of(*c) == std::vector<int64_t>{0});
  c->move(StepUnit::Line, 1);
  c->go_to_line(16);
  CHECK(iterations_of(*c) == std::vector<int64_t>{1});
  c->go_to_end();
  c->go_to_line(8);
  CHECK(label_of(*c) == "rows");
  c->go_to_line(1);
  c->go_to_line(-7);
  CHECK(label_of(*c) == "rows");
}

TEST_CASE("iterations of nested loops: the same statement in the next round of its own loop") {
  auto c = opened_kernel(R"({"kernel": "kernel", "file": "kernel.py", "grid": [1],
    "args": {"x_ptr": {"tensor": "float32", "shape": [16], "init": "arange"}, "n": 3}})",
                         "@triton.jit\ndef kernel(x_ptr, n):\n"
                         "    s = 0.0\n"
                         "    for i in range(3):\n"
                         "        a = i * 2\n"
                         "        for j in range(n):\n"
                         "            s += tl.load(x_ptr + a + j)\n"
                         "        s = s * 2\n"
                         "    tl.store(x_ptr, s)\n");
  c->go_to_line(7);
  CHECK(iterations_of(*c) == std::vector<int64_t>{0});
  c->move(StepUnit::Iteration, 1);
  CHECK(c->scene()->line == 7);
  CHECK(iterations_of(*c) == std::vector<int64_t>{1});
  c->move(StepUnit::Iteration, 1);
  CHECK(iterations_of(*c) == std::vector<int64_t>{2});
  c->move(StepUnit::Iteration, -1);
  c->move(StepUnit::Iteration, -1);
  CHECK(c->scene()->line == 7);
  CHECK(iterations_of(*c) == std::vector<int64_t>{0});
  c->go_to_line(9);
  CHECK(iterations_of(*c) == std::vector<int64_t>{0, 0});
  c->move(StepUnit::Iteration, 1);
  c->move(StepUnit::Iteration, 1);
  CHECK(iterations_of(*c) == std::vector<int64_t>{0, 2});
  c->move(StepUnit::Iteration, 1);
  CHECK(c->scene()->line == 10);
  c->move(StepUnit::Iteration, -1);  // there is no round before the first: back into the inner loop
  CHECK(c->scene()->line == 9);
  CHECK(iterations_of(*c) == std::vector<int64_t>{0, 2});
}

TEST_CASE("programs are walked in the order of the grid, at the same line and iteration") {
  auto c = opened_lesson("matmul");
  c->go_to_line_step(12);
  std::vector<ProgramIndex> seen{c->state().program};
  for (int i = 0; i < 7; ++i) {
    c->move(StepUnit::Program, 1);
    settle(*c);
    CHECK(label_of(*c) == "dot");
    CHECK(iterations_of(*c) == std::vector<int64_t>{1});
    CHECK(c->scene()->program == c->state().program);
    seen.push_back(c->state().program);
  }
  CHECK(seen == std::vector<ProgramIndex>{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0}, {1, 1, 0}, {2, 1, 0}, {2, 1, 0}, {2, 1, 0}});
  c->move(StepUnit::Program, -1);
  CHECK(c->state().program == ProgramIndex{1, 1, 0});
  c->select_program({9, 0, 0});
  c->select_program({0, -1, 0});
  CHECK(c->state().program == ProgramIndex{1, 1, 0});
}

TEST_CASE("breakpoints stop playing and moves by iteration") {
  auto c = opened_lesson("matmul");
  c->toggle_breakpoint(15);
  c->toggle_play();
  for (int i = 0; i < 100 && c->state().playing; ++i) c->advance(0.6);
  CHECK(!c->state().playing);
  CHECK(label_of(*c) == "load b");
  CHECK(iterations_of(*c) == std::vector<int64_t>{0});
  c->go_to_line(17);
  c->move(StepUnit::Iteration, 1);
  CHECK(label_of(*c) == "load b");
  CHECK(iterations_of(*c) == std::vector<int64_t>{1});
  c->toggle_breakpoint(15);
  CHECK(c->state().breakpoints.empty());
  c->toggle_breakpoint(0);
  CHECK(c->state().breakpoints.empty());
}

TEST_CASE("lines of a helper can be gone to, stop the play, and are told while its ops are stepped through") {
  auto c = opened_kernel(R"({"kernel": "kernel", "file": "kernel.py", "grid": [1],
    "args": {"x_ptr": {"tensor": "float32", "shape": [4], "init": "arange"}}})",
                         "@triton.jit\ndef twice(v):\n    w = v * 2\n    u = w + v\n    return u + 1\n"
                         "@triton.jit\ndef kernel(x_ptr):\n"
                         "    v = tl.load(x_ptr)\n"
                         "    y = twice(v) * 2\n"
                         "    z = twice(y)\n"
                         "    tl.store(x_ptr, z)\n");
  CHECK(c->scene()->helper_line == 0);
  c->go_to_line(6);  // u = w + v
  CHECK(c->scene()->line == 11);
  CHECK(c->scene()->helper_line == 6);
  CHECK(c->scene()->find_variable("twice.u") != nullptr);
  c->move(StepUnit::Line, 1);
  CHECK(c->scene()->line == 11);
  CHECK(c->scene()->helper_line == 0);
  c->go_to_line(6);  // the second call's
  CHECK(c->scene()->line == 12);
  CHECK(c->scene()->helper_line == 6);
  c->go_to_start();
  c->toggle_breakpoint(5);
  for (int line : {11, 12}) {
    c->toggle_play();
    for (int i = 0; i < 30 && c->state().playing; ++i) c->advance(0.6);
    CHECK(c->scene()->line == line);
    CHECK(c->scene()->helper_line == 5);
  }
  c->go_to_start();
  c->state().unit = StepUnit::Op;
  c->go_to_start();
  CHECK(c->state().step == 0);
  c->toggle_play();
  for (int i = 0; i < 30 && c->state().playing; ++i) c->advance(0.6);
  CHECK(c->scene()->helper_line == 5);
}

TEST_CASE("playing takes two steps a second at speed 1, stops at the end and starts again from there") {
  auto c = opened_lesson("vector_add");
  c->toggle_play();
  c->advance(0.01);
  CHECK(label_of(*c) == "offsets");
  c->advance(0.25);
  CHECK(label_of(*c) == "offsets");
  c->advance(0.25);
  CHECK(label_of(*c) == "mask");
  c->set_speed(100);
  CHECK(c->state().speed == 10);
  for (int i = 0; i < 100 && c->state().playing; ++i) c->advance(0.05);
  CHECK(!c->state().playing);
  CHECK(label_of(*c) == "store");
  c->toggle_play();
  CHECK(label_of(*c) == "pid");
  c->toggle_play();
  c->set_speed(0);
  CHECK(c->state().speed == doctest::Approx(0.1));
  c->set_speed(std::numeric_limits<double>::quiet_NaN());
  CHECK(c->state().speed == 1);
}

TEST_CASE("playing by program goes through the whole grid") {
  auto c = opened_lesson("vector_add");
  c->state().unit = StepUnit::Program;
  c->toggle_play();
  for (int i = 0; i < 1000 && c->state().playing; ++i) {
    c->advance(0.6);
    REQUIRE(c->session().wait());
  }
  CHECK(!c->state().playing);
  CHECK(c->state().program == ProgramIndex{3, 0, 0});
}

TEST_CASE("after an edit the step stays at its statement, wherever that has moved") {
  auto c = opened_lesson("matmul");
  c->go_to_line_step(12);
  std::string text = c->session().published().text->text;
  const size_t at = text.find("    acc = tl.zeros");
  c->edit(text.substr(0, at) + "    # a remark\n    unused = rows * 2\n" + text.substr(at));
  settle(*c);
  CHECK(label_of(*c) == "dot");
  CHECK(c->scene()->line == 19);
  CHECK(iterations_of(*c) == std::vector<int64_t>{1});
  c->edit("broken(");
  settle(*c);
  CHECK(c->scene()->ready);
  CHECK(c->scene()->run.stale);
  CHECK(c->scene()->line == 19);
  c->move(StepUnit::Line, -1);
  CHECK(label_of(*c) == "load b");
  c->edit(text);
  settle(*c);
  CHECK(!c->scene()->run.stale);
  CHECK(label_of(*c) == "load b");
  CHECK(c->scene()->line == 15);
  // Fewer iterations than before: the last one.
  c->set_argument("BLOCK_K", int64_t{64});
  settle(*c);
  CHECK(label_of(*c) == "load b");
  CHECK(iterations_of(*c) == std::vector<int64_t>{0});
}

TEST_CASE("a fault is found: program, step and lane") {
  auto c = opened_lesson("vector_add");
  std::string text = c->session().published().text->text;
  text.replace(text.find("x_ptr + offsets, mask=mask"), 26, "x_ptr + offsets");
  c->edit(text);
  settle(*c);
  REQUIRE(c->scene()->run.totals->trace.faults.size() == 1);
  c->go_to_fault(0);
  settle(*c);
  auto s = c->scene();
  CHECK(s->program == ProgramIndex{3, 0, 0});
  CHECK(label_of(*c) == "load x");
  CHECK(s->step + 1 == s->trace->steps.size());
  CHECK(c->state().shown_tensor == "x_ptr");
  CHECK(c->state().selected == Element{Element::Of::Variable, "x", {232}});
  REQUIRE(s->find_variable("x") != nullptr);
  CHECK(s->find_variable("x")->record == nullptr);
  REQUIRE(s->trace->faults.size() == 1);
  REQUIRE(s->accesses.size() == 1);
  CHECK(s->accesses[0].summary->out_of_bounds == 24);
  c->go_to_fault(5);
  CHECK(c->state().program == ProgramIndex{3, 0, 0});
}

TEST_CASE("a scene is made anew only when the step, the program or the run changed") {
  auto c = opened_lesson("softmax");
  const auto a = c->scene();
  c->state().hover = {Element::Of::Variable, "x", {3}};
  c->advance(0.1);
  CHECK(c->scene() == a);
  c->move(StepUnit::Line, 1);
  CHECK(c->scene() != a);
}

TEST_CASE("the state is written as JSON") {
  auto c = opened_lesson("vector_add");
  c->toggle_breakpoint(9);
  c->state().hover = {Element::Of::Variable, "x", {3}};
  c->state().hidden["grid"] = true;
  const std::string json = to_json(c->state());
  CHECK(json.find("\"program\": [\n  0,") == std::string::npos);
  CHECK(json.find("\"hidden\": [") != std::string::npos);
  CHECK(json.find("\"variable\": \"x\"") != std::string::npos);
  CHECK(to_json(*c->scene()).find("\"label\": \"pid\"") != std::string::npos);
}

TEST_CASE("a random walk over everything a person can do never crashes and keeps the state consistent") {
  std::mt19937 random(7);
  const auto pick = [&](int n) { return static_cast<int64_t>(random() % static_cast<unsigned>(n)); };
  for (const char* lesson : {"vector_add", "matmul", "grouped_matmul", "softmax"}) {
    CAPTURE(lesson);
    auto c = opened_lesson(lesson);
    const std::string text = c->session().published().text->text;
    std::vector<std::string> names;
    for (const LaunchArg& a : c->session().spec().args) names.push_back(a.name);
    for (int i = 0; i < 400; ++i) {
      switch (pick(16)) {
        case 0: c->select_program({pick(5) - 1, pick(3) - 1, pick(2)}); break;
        case 1: c->go_to_step(random()); break;
        case 2: c->go_to_line_step(static_cast<size_t>(pick(60))); break;
        case 3: c->go_to_line(static_cast<int>(pick(40)) - 3); break;
        case 4: case 5: case 6: c->move(static_cast<StepUnit>(pick(4)), pick(2) == 0 ? 1 : -1); break;
        case 7: c->toggle_play(); break;
        case 8: c->advance(static_cast<double>(pick(100)) / 30); break;
        case 9: c->toggle_breakpoint(static_cast<int>(pick(30))); break;
        case 10: c->go_to_fault(static_cast<size_t>(pick(3))); break;
        case 11:
          if (pick(3) == 0) c->set_argument(names[static_cast<size_t>(pick(static_cast<int>(names.size())))], int64_t{1} << pick(9));
          break;
        case 12: {
          std::string edited = text;
          edited.erase(static_cast<size_t>(pick(static_cast<int>(text.size()))), static_cast<size_t>(pick(20)));
          if (pick(3) == 0) c->edit(pick(2) == 0 ? text : edited);
          break;
        }
        case 13: c->set_speed(static_cast<double>(pick(20))); break;
        case 14: pick(4) == 0 ? c->session().cancel() : c->go_to_end(); break;
        case 15:
          if (pick(4) == 0) REQUIRE(c->session().wait());
          break;
      }
      const auto s = c->scene();
      if (!s->ready) continue;
      REQUIRE(s->step < s->trace->steps.size());
      REQUIRE(s->line_step < s->timeline->lines.size());
      REQUIRE(s->section < s->timeline->sections.size());
      REQUIRE(c->state().step == s->step);
      for (const Variable& v : s->variables) REQUIRE((v.record == nullptr || v.record->type == v.type));
    }
    REQUIRE(c->session().wait());
  }
}

}  // namespace tilescope::model
