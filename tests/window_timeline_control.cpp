// Timelines of kernels with nested loops, branches, helpers and unrolled loops.
#include "window_session.h"

namespace tilescope::model {
namespace {

/// One program, n = 3, x_ptr of 16 numbers.
std::string text_of(const std::string& kernel) {
  auto c = opened_kernel(R"({"kernel": "kernel", "file": "kernel.py", "grid": [1],
    "args": {"x_ptr": {"tensor": "float32", "shape": [16], "init": "arange"}, "n": 3}})",
                         kernel);
  const auto s = c->scene();
  REQUIRE_MESSAGE(s->run.errors.empty(), render(s->run.errors));
  REQUIRE(s->ready);
  // Every op-step belongs to exactly one line step, in order.
  uint64_t next = 0;
  for (const LineStep& l : s->timeline->lines) {
    CHECK(l.first == next);
    CHECK(l.last >= l.first);
    next = l.last + 1;
  }
  CHECK(next == s->trace->steps.size());
  for (uint64_t i = 0; i < next; ++i) {
    const LineStep& l = s->timeline->lines[s->timeline->line_of(i)];
    CHECK((l.first <= i && i <= l.last));
  }
  return timeline_text(*s);
}

}  // namespace

TEST_CASE("nested loops give sections in the order in which they run") {
  CHECK(text_of("@triton.jit\ndef kernel(x_ptr, n):\n"
                "    s = 0.0\n"
                "    for i in range(2):\n"
                "        a = i * 2\n"
                "        for j in range(0, n, 2):\n"
                "            s += tl.load(x_ptr + a + j)\n"
                "        s = s * 2\n"
                "    tl.store(x_ptr, s)\n") ==
        "-: s\n"
        "iteration 1  i 0: i, a\n"
        "iteration 1  j 0: j, load s\n"
        "iteration 2  j 2: j, load s\n"
        "iteration 1  i 0: s\n"
        "iteration 2  i 1: i, a\n"
        "iteration 1  j 0: j, load s\n"
        "iteration 2  j 2: j, load s\n"
        "iteration 2  i 1: s\n"
        "-: store\n");
}

TEST_CASE("an inner loop at the end of an outer one") {
  CHECK(text_of("@triton.jit\ndef kernel(x_ptr, n):\n"
                "    s = 0.0\n"
                "    for i in range(2):\n"
                "        for j in range(0, n, 2):\n"
                "            s += tl.load(x_ptr + i + j)\n"
                "    tl.store(x_ptr, s)\n") ==
        "-: s\n"
        "iteration 1  i 0: i\n"
        "iteration 1  j 0: j, load s\n"
        "iteration 2  j 2: j, load s\n"
        "iteration 2  i 1: i\n"
        "iteration 1  j 0: j, load s\n"
        "iteration 2  j 2: j, load s\n"
        "-: store\n");
}

TEST_CASE("branches and while loops are named by their keyword") {
  CHECK(text_of("@triton.jit\ndef kernel(x_ptr, n):\n"
                "    s = 0.0\n"
                "    i = n\n"
                "    while i > 0:\n"
                "        if i > 1:\n"
                "            s += 2.0\n"
                "        else:\n"
                "            s -= 1.0\n"
                "        i -= 1\n"
                "    if n > 100:\n"
                "        s = 0.0\n"
                "    tl.store(x_ptr, s)\n") ==
        "-: s\n"
        "iteration 1  : while, if, s, i\n"
        "iteration 2  : while, if, s, i\n"
        "iteration 3  : while, if, s, i\n"
        "-: while, if, store\n");
}

TEST_CASE("the statements of a helper belong to the call") {
  CHECK(text_of("@triton.jit\ndef twice(v):\n    w = v * 2\n    return w + v\n"
                "@triton.jit\ndef total(p, n):\n    s = 0.0\n    for i in range(n):\n        s += tl.load(p + i)\n    return s\n"
                "@triton.jit\ndef kernel(x_ptr, n):\n"
                "    y = twice(tl.load(x_ptr)) + 1\n"
                "    t = total(x_ptr, n)\n"
                "    tl.store(x_ptr, y + t)\n") ==
        "-: load y, t\n"
        "iteration 1  i 0: load t\n"
        "iteration 2  i 1: load t\n"
        "iteration 3  i 2: load t\n"
        "-: store\n");
}

TEST_CASE("an unrolled loop repeats its statements; several stores name their tensors; reductions and atomics have names") {
  CHECK(text_of("@triton.jit\ndef kernel(x_ptr, n):\n"
                "    o = tl.arange(0, 4)\n"
                "    s = 0.0\n"
                "    for i in tl.static_range(3):\n"
                "        s += tl.sum(tl.load(x_ptr + o + i))\n"
                "    tl.store(x_ptr, tl.max(o).to(tl.float32))\n"
                "    tl.store(x_ptr + 1, s)\n"
                "    old = tl.atomic_add(x_ptr + 2, 1.0)\n"
                "    tl.device_print('old', old)\n"
                "    a, b = o + 1, o * 2\n"
                "    tl.store(x_ptr + a, b)\n") ==
        "-: o, s, load s, load s, load s, store x_ptr, store x_ptr, atomic add, device_print, a, b, store x_ptr\n");
}

TEST_CASE("a loop that runs no iteration is one step of its line") {
  CHECK(text_of("@triton.jit\ndef kernel(x_ptr, n):\n"
                "    s = 0.0\n"
                "    for i in range(n, 0):\n"
                "        s += 1.0\n"
                "    tl.store(x_ptr, s)\n") ==
        "-: s, i, store\n");
}

TEST_CASE("a kernel that does nothing has a scene that is not ready, and no error") {
  auto c = opened_kernel(R"({"kernel": "kernel", "file": "kernel.py", "grid": [2], "args": {"n": 3}})",
                         "@triton.jit\ndef kernel(n):\n    pass\n");
  const auto s = c->scene();
  CHECK(!s->ready);
  CHECK(s->run.launch != nullptr);
  CHECK(s->run.errors.empty());
  for (StepUnit unit : {StepUnit::Op, StepUnit::Line, StepUnit::Iteration, StepUnit::Program}) c->move(unit, 1);
  c->toggle_play();
  c->advance(1);
  c->go_to_line(3);
  c->go_to_fault(0);
  CHECK(!c->scene()->ready);
}

}  // namespace tilescope::model
