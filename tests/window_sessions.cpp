// Sessions: edits, sliders, whole launches, cancelling, and what they publish.
#include "window_session.h"

#include <chrono>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>

namespace tilescope::model {
namespace {

std::string lesson_text(const std::string& name) {
  std::ifstream in(std::string(TILESCOPE_SOURCE_DIR) + "/lessons/kernels/" + name + "/kernel.py");
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

const Tensor& tensor_of(const Published& p, const std::string& name) {
  const Tensor* t = p.launch->find_tensor(name);
  REQUIRE(t != nullptr);
  return *t;
}

}  // namespace

TEST_CASE("a session publishes the launch, a recording and, once everything has run, the totals") {
  for (const char* lesson : {"vector_add", "softmax", "matmul", "grouped_matmul"}) {
    CAPTURE(lesson);
    Session session(lesson_launch(lesson));
    REQUIRE(session.wait());
    const Published p = session.published();
    REQUIRE(p.launch != nullptr);
    REQUIRE(p.recorded != nullptr);
    REQUIRE(p.totals != nullptr);
    CHECK(!p.busy);
    CHECK(!p.stale);
    CHECK(p.errors.empty());
    CHECK(p.notes.empty());
    CHECK(p.text->text == lesson_text(lesson));
    CHECK(p.totals->trace.faults.empty());
    CHECK(p.totals->trace.programs == p.launch->grid[0] * p.launch->grid[1]);
    REQUIRE(p.totals->outputs.size() == 1);
    CHECK(p.totals->outputs[0].equal);
    CHECK(!p.recorded->provisional);
    CHECK(p.recorded->recording->trace().faults.empty());
  }
}

TEST_CASE("every program that is selected is recorded with the memory that it finds") {
  Session session(lesson_launch("vector_add"));
  for (int64_t program : {3, 1, 0, 2}) {
    session.select_program({program, 0, 0});
    REQUIRE(session.wait());
    const Published p = session.published();
    CHECK(p.recorded->recording->trace().program == ProgramIndex{program, 0, 0});
    CHECK(!p.recorded->provisional);
    const auto before = p.recorded->recording->memory(2, 0).element(0);
    const bool written = std::memcmp(before, p.totals->tensors[2].element(0), 4) == 0;
    CHECK(written == (program > 0));
  }
}

TEST_CASE("a program that is selected before the launch has run is shown at once, as provisional") {
  Session session(lesson_launch("grouped_matmul"));
  session.select_program({5, 0, 0});
  bool provisional_seen = false, final_seen = false;
  while (!final_seen) {
    const Published p = session.published();
    if (p.recorded != nullptr && p.recorded->recording->trace().program == ProgramIndex{5, 0, 0}) {
      provisional_seen |= p.recorded->provisional;
      final_seen = !p.recorded->provisional;
      CHECK((p.recorded->provisional || p.totals != nullptr));
    }
    if (!p.busy) CHECK(final_seen);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  REQUIRE(session.wait());
}

TEST_CASE("the errors of a kernel that does not compile stay, whatever program is asked for meanwhile") {
  // Long enough that the program is asked for while it is compiled.
  std::string text = "import triton\nimport triton.language as tl\n@triton.jit\ndef k(x_ptr):\n    a = 1\n    i = tl.arange(0, 16)\n";
  for (int line = 0; line < 20000; ++line) text += "    i = i + 1\n";
  text += "    nothing_known(i)\n";
  Session session(launch_of(R"({"kernel": "k", "file": "no_such_kernel.py", "grid": [4], "args": {"x_ptr": {"tensor": "float32", "shape": [4]}}})"));
  REQUIRE(session.wait(60));
  session.set_text(text);
  for (int k = 0; k < 5; ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    session.select_program({k % 4, 0, 0});
  }
  REQUIRE(session.wait(60));
  const std::vector<Diagnostic> errors = session.published().errors;
  REQUIRE_FALSE(errors.empty());
  CHECK_MESSAGE(errors[0].message.find("nothing_known") != std::string::npos, errors[0].message);
}

TEST_CASE("an edit with an error keeps the last good run; the edit that mends it recovers") {
  Session session(lesson_launch("matmul"));
  REQUIRE(session.wait());
  const Published good = session.published();
  const std::string text = lesson_text("matmul");
  session.set_text(replaced(text, "ks[None, :] < K)", "ks[None, :] < "));
  CHECK(session.published().stale);
  REQUIRE(session.wait());
  Published p = session.published();
  CHECK(p.stale);
  REQUIRE(!p.errors.empty());
  CHECK(p.errors[0].range.line == 14);
  CHECK(p.launch == good.launch);
  CHECK(p.recorded == good.recorded);
  CHECK(p.totals == good.totals);

  // Another program of the last good run can still be looked at.
  session.select_program({1, 1, 0});
  REQUIRE(session.wait());
  p = session.published();
  CHECK(p.stale);
  CHECK(!p.errors.empty());
  CHECK(p.recorded->recording->trace().program == ProgramIndex{1, 1, 0});

  session.set_text(text);
  REQUIRE(session.wait());
  p = session.published();
  CHECK(!p.stale);
  CHECK(p.errors.empty());
  CHECK(p.launch != good.launch);
  CHECK(p.recorded->recording->trace().program == ProgramIndex{1, 1, 0});
  CHECK(p.totals->outputs[0].equal);
}

TEST_CASE("an edit that changes what is computed shows in the comparison") {
  Session session(lesson_launch("vector_add"));
  session.set_text(replaced(lesson_text("vector_add"), "x + y", "x - y"));
  REQUIRE(session.wait());
  CHECK(!session.published().totals->outputs[0].equal);
}

TEST_CASE("a config gives values and the grid; a slider makes one explicit until another config is chosen") {
  Expected<LaunchSpec> spec = load_launch_file(std::string(TILESCOPE_SOURCE_DIR) + "/tests/data/autotuned/launch.json");
  REQUIRE(spec);
  Session session(*spec);
  REQUIRE(session.wait());
  CHECK(session.published().launch->grid == std::array<int64_t, 3>{3, 4, 1});
  CHECK(session.published().launch->spec.config == 0);
  session.set_config(3);
  REQUIRE(session.wait());
  CHECK(session.published().launch->grid == std::array<int64_t, 3>{2, 2, 1});
  CHECK(session.published().launch->spec.num_warps == 4);
  session.set_argument("BLOCK_N", int64_t{16});
  REQUIRE(session.wait());
  CHECK(session.published().launch->grid == std::array<int64_t, 3>{2, 4, 1});
  CHECK(session.spec().find("BLOCK_N") != nullptr);
  session.set_config(1);
  REQUIRE(session.wait());
  CHECK(session.published().launch->grid == std::array<int64_t, 3>{3, 2, 1});
  CHECK(session.spec().find("BLOCK_N") == nullptr);
  CHECK(session.published().totals->outputs[0].equal);
}

TEST_CASE("a tensor that is typed takes the old one's place") {
  Session session(lesson_launch("vector_add"));
  TensorSpec ones;
  ones.layout = TensorLayout::contiguous({1000});
  ones.init.kind = Init::Kind::Ones;
  session.set_argument("x_ptr", ones);
  REQUIRE(session.wait());
  const Published p = session.published();
  const Tensor& x = tensor_of(p, "x_ptr");
  CHECK(format_element(x.dtype, x.element(x.origin + 5)) == "1");
}

TEST_CASE("a slider changes a constexpr: the grid follows and the selected program stays inside it") {
  Session session(lesson_launch("vector_add"));
  session.select_program({3, 0, 0});
  session.set_argument("BLOCK", int64_t{512});
  REQUIRE(session.wait());
  const Published p = session.published();
  CHECK(p.launch->grid == std::array<int64_t, 3>{2, 1, 1});
  CHECK(p.recorded->recording->trace().program == ProgramIndex{1, 0, 0});
  CHECK(session.program() == ProgramIndex{1, 0, 0});
  CHECK(tensor_of(p, "x_ptr").elements() == 1000);
  CHECK(p.totals->outputs[0].equal);
  session.set_argument("BLOCK", int64_t{100});  // no power of two
  REQUIRE(session.wait());
  CHECK(session.published().stale);
  CHECK(!session.published().errors.empty());
  CHECK(session.published().launch == p.launch);
}

TEST_CASE("a slider changes a size: the tensors that have it follow, with the same first values") {
  Session session(lesson_launch("matmul"));
  session.set_argument("N", int64_t{64});
  REQUIRE(session.wait());
  const Published p = session.published();
  CHECK(p.errors.empty());
  CHECK(p.notes.empty());
  CHECK(tensor_of(p, "a_ptr").layout.shape == std::vector<int64_t>{70, 50});
  CHECK(tensor_of(p, "b_ptr").layout.shape == std::vector<int64_t>{50, 64});
  CHECK(tensor_of(p, "c_ptr").layout.shape == std::vector<int64_t>{70, 64});
  CHECK(p.launch->grid == std::array<int64_t, 3>{3, 2, 1});
  CHECK(p.totals->outputs[0].equal);
}

TEST_CASE("strides follow a size: those of contiguous tensors, and the arguments that pass them") {
  Session session(lesson_launch("grouped_matmul"));
  session.set_argument("N", int64_t{200});
  REQUIRE(session.wait());
  Published p = session.published();
  CHECK(p.errors.empty());
  CHECK(tensor_of(p, "b_ptr").layout.shape == std::vector<int64_t>{130, 200});
  CHECK(tensor_of(p, "b_ptr").layout.strides == std::vector<int64_t>{1, 144});
  CHECK(tensor_of(p, "c_ptr").layout.strides == std::vector<int64_t>{200, 1});
  CHECK(std::get<int64_t>(session.spec().find("stride_cm")->value) == 200);
  CHECK(p.totals->trace.faults.empty());
  CHECK(p.totals->outputs[0].equal);
  session.set_argument("K", int64_t{150});  // beyond the strides 136 and 144
  REQUIRE(session.wait());
  p = session.published();
  REQUIRE(p.notes.size() >= 2);
  CHECK(p.notes[0] == "a_ptr keeps its shape: its strides leave no room for more");
  CHECK(tensor_of(p, "a_ptr").layout.shape == std::vector<int64_t>{250, 130});
}

TEST_CASE("a tensor does not follow when two sizes could be meant; in a matmul M, N and K tell which") {
  LaunchSpec spec = lesson_launch("matmul");
  for (LaunchArg& a : spec.args) {
    if (auto* t = std::get_if<TensorSpec>(&a.value)) t->layout = TensorLayout::contiguous({64, 64});
    if (a.name.size() == 1) a.value = int64_t{64};
  }
  {
    Session session(spec);
    session.set_argument("K", int64_t{96});
    REQUIRE(session.wait());
    const Published p = session.published();
    CHECK(p.notes.empty());
    CHECK(tensor_of(p, "a_ptr").layout.shape == std::vector<int64_t>{64, 96});
    CHECK(tensor_of(p, "b_ptr").layout.shape == std::vector<int64_t>{96, 64});
    CHECK(tensor_of(p, "c_ptr").layout.shape == std::vector<int64_t>{64, 64});
    CHECK(p.totals->outputs[0].equal);
  }
  spec.outputs.clear();
  Session session(spec);
  session.set_argument("K", int64_t{40});
  REQUIRE(session.wait());
  const Published p = session.published();
  REQUIRE(!p.notes.empty());
  CHECK(p.notes[0] == "a_ptr keeps its shape: M and N both were 64");
  CHECK(tensor_of(p, "a_ptr").layout.shape == std::vector<int64_t>{64, 64});
}

TEST_CASE("arguments that do not exist, or of a kind that does not fit, do no harm") {
  Session session(lesson_launch("vector_add"));
  session.set_argument("nothing", int64_t{1});
  session.set_argument("x_ptr", int64_t{1});
  session.set_argument("n", TensorSpec{});
  session.set_argument("n", std::string("many"));
  REQUIRE(session.wait());
  CHECK(!session.published().errors.empty());
  session.set_argument("n", int64_t{-5});
  REQUIRE(session.wait());
  session.set_argument("n", int64_t{1} << 62);
  REQUIRE(session.wait());
  session.set_argument("n", 2.5);
  REQUIRE(session.wait());
  session.set_argument("n", int64_t{1000});
  REQUIRE(session.wait());
  CHECK(session.published().errors.empty());
  CHECK(!session.published().stale);
}

TEST_CASE("a launch that cannot be opened publishes the reason") {
  LaunchSpec spec = lesson_launch("vector_add");
  spec.kernel_path = "/nowhere/kernel.py";
  Session session(spec);
  REQUIRE(session.wait());
  Published p = session.published();
  CHECK(p.launch == nullptr);
  REQUIRE(p.errors.size() == 1);
  CHECK(p.errors[0].message.find("/nowhere/kernel.py") != std::string::npos);
  CHECK(!make_scene(p, {}).ready);
  session.set_text(lesson_text("vector_add"));
  REQUIRE(session.wait());
  CHECK(session.published().recorded != nullptr);
}

TEST_CASE("a kernel that must be refused shows its error") {
  auto c = opened_kernel(R"({"kernel": "kernel", "file": "kernel.py", "grid": [1], "expect_error": "cannot broadcast",
    "args": {"x_ptr": {"tensor": "float32", "shape": [64], "init": "arange"}}})",
                         "@triton.jit\ndef kernel(x_ptr):\n    a = tl.arange(0, 16) + tl.arange(0, 32)\n    tl.store(x_ptr, a)\n");
  const auto s = c->scene();
  CHECK(!s->ready);
  REQUIRE(s->run.errors.size() == 1);
  CHECK(s->run.errors[0].range.line == 5);
}

TEST_CASE("undefined values that are stored and results that depend on the order of programs are faults") {
  const char* launch = R"({"kernel": "kernel", "file": "kernel.py", "grid": [2],
    "args": {"x_ptr": {"tensor": "int32", "shape": [8], "init": "arange"}}})";
  auto undefined = opened_kernel(launch, "@triton.jit\ndef kernel(x_ptr):\n"
                                         "    o = tl.arange(0, 16)\n"
                                         "    x = tl.load(x_ptr + o, mask=o < 4)\n"
                                         "    tl.store(x_ptr + o, x, mask=o < 8)\n");
  auto faults = undefined->scene()->run.totals->trace.faults;
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].kind == FaultKind::PoisonedUse);
  CHECK(undefined->scene()->trace->faults.size() == 1);
  auto race = opened_kernel(launch, "@triton.jit\ndef kernel(x_ptr):\n    tl.store(x_ptr, tl.program_id(0) + 5)\n");
  faults = race->scene()->run.totals->trace.faults;
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].kind == FaultKind::Race);
  CHECK(faults[0].program == ProgramIndex{1, 0, 0});
  race->go_to_fault(0);
  settle(*race);  // the program is recorded first
  CHECK(race->scene()->ready);
  CHECK(race->state().shown_tensor == "x_ptr");
}

TEST_CASE("cancelling stops a long launch and keeps what was published; later requests work") {
  LaunchSpec spec = lesson_launch("vector_add");
  for (LaunchArg& a : spec.args) {
    if (auto* t = std::get_if<TensorSpec>(&a.value)) {
      t->layout = TensorLayout::contiguous({1 << 22});
      if (t->init.kind == Init::Kind::Randn) t->init.kind = Init::Kind::Zeros;
    } else if (a.name == "n") {
      a.value = int64_t{1 << 22};
    } else {
      a.value = int64_t{16};
    }
  }
  Session session(spec);
  while (session.published().recorded == nullptr && session.published().errors.empty())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  session.cancel();
  REQUIRE(session.wait(5));
  Published p = session.published();
  CHECK(!p.busy);
  CHECK(p.totals == nullptr);
  CHECK(p.recorded != nullptr);
  session.select_program({7, 0, 0});
  REQUIRE(session.wait(5));
  p = session.published();
  CHECK(p.recorded->recording->trace().program == ProgramIndex{7, 0, 0});
  CHECK(p.recorded->provisional);
}

TEST_CASE("edits one after the other: only the last one counts") {
  Session session(lesson_launch("matmul"));
  const std::string text = lesson_text("matmul");
  for (int i = 0; i < 30; ++i) session.set_text(text + "# " + std::string(static_cast<size_t>(i), 'x') + "\n");
  session.set_argument("BLOCK_M", int64_t{16});
  REQUIRE(session.wait());
  const Published p = session.published();
  CHECK(p.text->text.ends_with(std::string(29, 'x') + "\n"));
  CHECK(p.launch->kernel.function.source == p.text);
  CHECK(p.launch->grid[0] == 5);
  CHECK(p.totals->outputs[0].equal);
}

TEST_CASE("a grid of 65,536 programs opens, and its last program shows what the others left") {
  auto c = opened_kernel(R"({"kernel": "kernel", "file": "kernel.py", "grid": [256, 128, 2],
    "args": {"x_ptr": {"tensor": "int32", "shape": [65536], "init": "zeros"}}})",
                         "@triton.jit\ndef kernel(x_ptr):\n"
                         "    p = tl.program_id(0) + 256 * (tl.program_id(1) + 128 * tl.program_id(2))\n"
                         "    tl.store(x_ptr + p, p)\n");
  c->select_program({255, 127, 1});
  settle(*c);
  c->go_to_start();
  const auto s = c->scene();
  REQUIRE(s->run.totals != nullptr);
  CHECK(s->run.totals->trace.programs == 65536);
  CHECK(s->run.totals->trace.footprints.size() == 65536);
  const Tensor& x = *s->find_tensor("x_ptr")->tensor;
  CHECK(read_int64(DType::Int32, x.element(65534)) == 65534);
  CHECK(read_int64(DType::Int32, x.element(65535)) == 0);
}

TEST_CASE("a recording that reaches its limit of steps says so and can be looked at") {
  RecordOptions options;
  options.max_steps = 1000;
  auto c = std::make_unique<Controller>(std::make_unique<Session>(launch_of(R"({"kernel": "kernel", "file": "kernel.py",
    "grid": [1], "args": {"x_ptr": {"tensor": "float32", "shape": [4], "init": "zeros"}, "n": 100000}})"),
                                                                  options));
  c->session().set_text("import triton\nimport triton.language as tl\n@triton.jit\ndef kernel(x_ptr, n):\n    s = 0.0\n"
                        "    for i in range(n):\n        s += i\n    tl.store(x_ptr, s)\n");
  settle(*c);
  REQUIRE(c->scene()->ready);
  CHECK(!c->scene()->trace->truncated.empty());
  c->go_to_end();
  CHECK(c->scene()->loops.size() == 1);
}

TEST_CASE("another launch takes the place of the one that is shown, and nothing of the old one stays") {
  auto c = opened_lesson("matmul");
  c->go_to_end();
  c->toggle_breakpoint(13);
  c->state().pinned_variable = "acc";
  const LaunchSpec other = lesson_launch("vector_add");
  auto text = read_source(other.kernel_path);
  REQUIRE(text.ok());
  c->open(other, *text, {2, 0, 0});
  CHECK(c->scene()->run.text == *text);
  settle(*c);
  const auto scene = c->scene();
  REQUIRE(scene->ready);
  CHECK(scene->function->name == "add_kernel");
  CHECK(scene->program == ProgramIndex{2, 0, 0});
  CHECK(scene->run.totals != nullptr);
  CHECK(!scene->run.stale);
  CHECK(c->state().breakpoints.empty());
  CHECK(c->state().pinned_variable.empty());
  CHECK(scene->line_step == 0);

  // While the old one is still at work, and to a text that does not compile.
  c->open(lesson_launch("matmul"), *read_source(lesson_launch("matmul").kernel_path));
  auto broken = std::make_shared<SourceFile>();
  broken->path = other.kernel_path;
  broken->text = "def";
  c->open(other, broken);
  settle(*c);
  CHECK(!c->scene()->ready);
  CHECK(!c->scene()->run.errors.empty());
}

}  // namespace tilescope::model
