// Scenes: what the panels draw for one step of one program.
#include <chrono>
#include <thread>

#include "window_session.h"

#include "visualizer/model/values.h"

namespace tilescope::model {
namespace {

std::vector<std::string> names_of(const Scene& s) {
  std::vector<std::string> out;
  for (const Variable& v : s.variables) out.push_back(v.name);
  return out;
}

std::string first_lane(const Scene& s, const std::string& name) {
  const Variable* v = s.find_variable(name);
  REQUIRE(v != nullptr);
  REQUIRE(v->record != nullptr);
  return program_values(s)->lane_text(*v->record, 0);
}

/// The matmul at program (2, 0, 0), stepped to the dot of its second iteration.
std::unique_ptr<Controller> matmul_at_second_dot() {
  auto c = opened_lesson("matmul");
  c->select_program({2, 0, 0});
  settle(*c);
  c->go_to_line_step(12);
  return c;
}

}  // namespace

TEST_CASE("the scene of matmul's last row of programs at the dot of iteration 2") {
  const auto c = matmul_at_second_dot();
  const auto s = c->scene();
  REQUIRE(s->ready);
  CHECK(!s->run.recorded->provisional);
  CHECK(s->program == ProgramIndex{2, 0, 0});
  CHECK(s->line == 17);
  CHECK(s->timeline->lines[s->line_step].label == "dot");
  CHECK(s->timeline->lines[s->line_step].kind == StepKind::Dot);
  CHECK(s->timeline->sections[s->section].detail == "ks 32..63");
  REQUIRE(s->loops.size() == 1);
  CHECK(s->loops[0].variable == "k");
  CHECK(s->loops[0].value == 32);
  CHECK(s->loops[0].iteration == 1);
  CHECK(names_of(*s) == std::vector<std::string>{"rows", "cols", "acc", "k", "ks", "a", "b"});
  CHECK(first_lane(*s, "rows") == "64");
  CHECK(first_lane(*s, "cols") == "0");
  CHECK(first_lane(*s, "ks") == "32");
  CHECK(s->find_variable("acc")->now);
  CHECK(!s->find_variable("a")->now);
  const Variable* a = s->find_variable("a");
  REQUIRE(a->access != nullptr);
  REQUIRE(a->lanes != nullptr);
  CHECK(a->access->on == 6 * 18);  // rows 64..69, columns 32..49
  CHECK(a->access->masked == 1024 - 6 * 18);
  CHECK(s->accesses.empty());  // the dot touches no memory
  REQUIRE(s->tensors.size() == 3);
  CHECK(s->find_tensor("a_ptr")->loaded);
  CHECK(!s->find_tensor("a_ptr")->stored);
  CHECK(s->find_tensor("c_ptr")->stored);
  CHECK(s->find_tensor("a_ptr")->low < 0);
  CHECK(s->find_tensor("c_ptr")->high > 5);  // known once the launch has run
  CHECK(s->find_variable("nothing") == nullptr);
}

TEST_CASE("the load of this line step lists its lanes; a variable that comes later has no value yet") {
  const auto c = matmul_at_second_dot();
  c->go_to_line_step(5);
  const auto s = c->scene();
  REQUIRE(s->accesses.size() == 1);
  CHECK(s->accesses[0].variable == "a");
  CHECK(s->accesses[0].summary->on == 6 * 32);
  REQUIRE(s->accesses[0].lanes != nullptr);
  CHECK(s->accesses[0].lanes->states.size() == 1024);
  CHECK(s->accesses[0].type == Type::tile(DType::Float16, {32, 32}));
  CHECK(s->find_variable("a")->now);
  CHECK(s->find_variable("b")->record == nullptr);
  CHECK(s->find_variable("b")->type == Type::tile(DType::Float16, {32, 32}));
  CHECK(first_lane(*s, "acc") == "0");
}

TEST_CASE("a load that is converted at once still leads to its lanes") {
  auto c = opened_kernel(R"({"kernel": "kernel", "file": "kernel.py", "grid": [1],
    "args": {"x_ptr": {"tensor": "float16", "shape": [10], "init": "arange"}}})",
                         "@triton.jit\ndef kernel(x_ptr):\n"
                         "    o = tl.arange(0, 16)\n"
                         "    x = tl.load(x_ptr + o, mask=o < 10, other=0).to(tl.float32)\n"
                         "    tl.store(x_ptr + o, x.to(tl.float16), mask=o < 10)\n");
  c->go_to_line_step(1);
  auto s = c->scene();
  REQUIRE(s->accesses.size() == 1);
  CHECK(s->accesses[0].variable == "x");
  const Variable* x = s->find_variable("x");
  REQUIRE(x != nullptr);
  REQUIRE(x->access != nullptr);
  CHECK(x->access->on == 10);
  CHECK(x->lanes->states.size() == 16);
  c->go_to_end();
  s = c->scene();
  REQUIRE(s->accesses.size() == 1);
  CHECK(s->accesses[0].variable == "x");
}

TEST_CASE("stepping forwards and backwards gives identical scenes") {
  for (const char* lesson : {"vector_add", "softmax", "matmul", "grouped_matmul"}) {
    auto c = opened_lesson(lesson);
    std::vector<std::string> forwards;
    c->go_to_start();
    for (size_t i = 0; i < c->scene()->timeline->lines.size(); ++i) {
      forwards.push_back(to_json(*c->scene()));
      c->move(StepUnit::Line, 1);
    }
    for (size_t i = forwards.size(); i-- > 0;) {
      c->go_to_line_step(i);
      CHECK(to_json(*c->scene()) == forwards[i]);
    }
  }
}

TEST_CASE("memory shows what was stored up to this step, also in a kernel that works in place") {
  auto c = opened_kernel(R"({"kernel": "kernel", "file": "kernel.py", "grid": [3],
    "args": {"x_ptr": {"tensor": "int32", "shape": [4], "init": "arange"}}})",
                         "@triton.jit\ndef kernel(x_ptr):\n"
                         "    o = tl.arange(0, 4)\n"
                         "    x = tl.load(x_ptr + o)\n"
                         "    tl.store(x_ptr + o, x + 10)\n"
                         "    y = tl.load(x_ptr + o)\n"
                         "    tl.store(x_ptr + o, y * 2)\n");
  const auto element = [&](int64_t i) { return read_int64(DType::Int32, c->scene()->find_tensor("x_ptr")->tensor->element(i)); };
  c->go_to_line_step(1);
  CHECK(element(1) == 1);
  c->go_to_line_step(2);
  CHECK(element(1) == 11);
  c->go_to_end();
  CHECK(element(1) == 22);
  c->go_to_line_step(2);
  CHECK(element(1) == 11);
  c->go_to_start();
  CHECK(element(1) == 1);
  // The next program begins with what this one left.
  c->select_program({2, 0, 0});
  settle(*c);
  CHECK(!c->scene()->run.recorded->provisional);
  c->go_to_start();
  CHECK(element(1) == (((1 + 10) * 2) + 10) * 2);
}

TEST_CASE("variables of a helper are shown while the step is inside it") {
  auto c = opened_kernel(R"({"kernel": "kernel", "file": "kernel.py", "grid": [1],
    "args": {"x_ptr": {"tensor": "float32", "shape": [4], "init": "arange"}}})",
                         "@triton.jit\ndef twice(v):\n    w = v * 2\n    u = w + v\n    return u + 1\n"
                         "@triton.jit\ndef kernel(x_ptr):\n"
                         "    v = tl.load(x_ptr)\n"
                         "    y = twice(v) * 2\n"
                         "    tl.store(x_ptr, y)\n");
  c->go_to_line_step(1);
  CHECK(names_of(*c->scene()) == std::vector<std::string>{"v", "y"});
  bool inside = false;
  for (uint64_t i = 0; i < c->scene()->trace->steps.size(); ++i) {
    c->go_to_step(i);
    inside |= c->scene()->find_variable("twice.w") != nullptr;
  }
  CHECK(inside);
}

TEST_CASE("a variable that a helper returned under another name has its own name") {
  auto c = opened_kernel(R"({"kernel": "kernel", "file": "kernel.py", "grid": [1],
    "args": {"x_ptr": {"tensor": "float32", "shape": [4], "init": "arange"}}})",
                         "@triton.jit\ndef twice(v):\n    w = v * 2\n    return w\n"
                         "@triton.jit\ndef kernel(x_ptr):\n"
                         "    v = tl.load(x_ptr)\n"
                         "    y = twice(v)\n"
                         "    tl.store(x_ptr, y)\n");
  c->go_to_end();
  CHECK(names_of(*c->scene()) == std::vector<std::string>{"v", "y"});
}

TEST_CASE("scenes of a 4096 x 4096 matmul are made well under 50 ms") {
  LaunchSpec spec = lesson_launch("matmul");
  for (LaunchArg& a : spec.args) {
    if (auto* t = std::get_if<TensorSpec>(&a.value)) {
      t->layout = TensorLayout::contiguous({4096, 4096});
      t->init.kind = Init::Kind::Zeros;
    } else if (a.name.size() == 1) {
      a.value = int64_t{4096};
    } else {
      a.value = int64_t{64};
    }
  }
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  Controller c(std::make_unique<Session>(spec));
  while (!c.scene()->ready) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  const double opened = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  double worst = 0, sum = 0;
  int count = 0;
  const auto time = [&](auto&& move) {
    move();
    const auto start = Clock::now();
    REQUIRE(c.scene()->ready);
    const double ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    worst = std::max(worst, ms), sum += ms, ++count;
  };
  for (int i = 0; i < 40; ++i) time([&] { c.move(StepUnit::Line, 1); });
  for (int i = 0; i < 20; ++i) time([&] { c.move(StepUnit::Iteration, 1); });
  time([&] { c.go_to_end(); });
  for (int i = 0; i < 20; ++i) time([&] { c.move(StepUnit::Line, -1); });
  time([&] { c.go_to_start(); });
  MESSAGE("4096^3 matmul: opened in " << opened << " ms, " << c.scene()->trace->steps.size() << " steps; a scene takes "
                                      << sum / count << " ms on average, " << worst << " ms at worst");
  c.session().cancel();
  CHECK(sum / count < 50);
}

}  // namespace tilescope::model
