// Stop, another launch and closing the window do not wait for what is running. Each launch here would take minutes: a
// test that ends has shown it.
#include <chrono>
#include <thread>

#include "visualizer/model/session.h"
#include "window_session.h"

namespace tilescope::model {
namespace {

const char* kLaunch = R"({"kernel": "k", "grid": [4], "num_warps": 4, "args": {
  "x": {"tensor": "float16", "shape": [1024, 1024], "init": "ones"}, "n": 1000000}})";

/// 10^15 multiply-adds.
const char* kDots =
    "@triton.jit\n"
    "def k(x, n):\n"
    "    r = tl.arange(0, 1024)\n"
    "    p = x + r[:, None] * 1024 + r[None, :]\n"
    "    a = tl.load(p)\n"
    "    acc = tl.zeros([1024, 1024], tl.float32)\n"
    "    for i in range(n):\n"
    "        acc += tl.dot(a, a)\n"
    "    tl.store(p, acc)\n";

/// As many statements as the compiler takes, each of them a tile that everything before it goes into.
const char* kUnrolled =
    "@triton.jit\n"
    "def k(x, n):\n"
    "    r = tl.arange(0, 1024)\n"
    "    a = tl.load(x + r)\n"
    "    for i in tl.static_range(40000):\n"
    "        a = a * 1.5 + i\n"
    "    tl.store(x + r, a)\n";

std::unique_ptr<Session> session_with(const std::string& kernel) {
  auto text = std::make_shared<SourceFile>();
  text->path = "kernel.py";
  text->text = "import triton\nimport triton.language as tl\n" + kernel;
  auto session = std::make_unique<Session>(launch_of(kLaunch));
  session->open(launch_of(kLaunch), text);
  return session;
}

/// Waits until the session does `work`, so that this is what is stopped.
void wait_for(const Session& session, Work work) {
  for (int i = 0; i < 2000; ++i) {
    const Published p = session.published();
    if (p.busy && p.work == work) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  FAIL("the session never came to this work: ", render(session.published().errors));
}

}  // namespace

TEST_CASE("closing the window does not wait for the dots of a program that is recorded") {
  auto session = session_with(kDots);
  wait_for(*session, Work::Recording);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // now it is inside a dot
  session.reset();
  CHECK(session == nullptr);
}

TEST_CASE("closing the window does not wait for a kernel that is being compiled") {
  auto session = session_with(kUnrolled);
  wait_for(*session, Work::Compiling);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  session.reset();
  CHECK(session == nullptr);
}

TEST_CASE("stop ends a program that is recorded, and the session goes on with what is asked next") {
  auto session = session_with(kDots);
  wait_for(*session, Work::Recording);
  session->cancel();
  REQUIRE(session->wait(60));
  Published p = session->published();
  CHECK(p.launch == nullptr);
  CHECK(p.recorded == nullptr);
  CHECK(p.errors.empty());
  session->set_text("import triton\nimport triton.language as tl\n@triton.jit\ndef k(x, n):\n    tl.store(x, 2.0)\n");
  REQUIRE(session->wait(60));
  p = session->published();
  REQUIRE(p.recorded != nullptr);
  CHECK(p.totals != nullptr);
  CHECK(p.errors.empty());
}

TEST_CASE("another program that is selected does not wait for the one that is recorded") {
  auto session = session_with(
      "@triton.jit\n"
      "def k(x, n):\n"
      "    r = tl.arange(0, 1024)\n"
      "    a = tl.load(x + r[:, None] * 1024 + r[None, :])\n"
      "    times = tl.where(tl.program_id(0) == 0, n, 0)\n"
      "    for i in range(times):\n"
      "        a = tl.dot(a, a).to(tl.float16)\n"
      "    tl.store(x + r[:, None] * 1024 + r[None, :], a)\n");
  wait_for(*session, Work::Recording);
  session->select_program({2, 0, 0});
  REQUIRE(session->wait(60, false));
  const Published p = session->published();
  REQUIRE(p.recorded != nullptr);
  CHECK(p.recorded->recording->trace().program == ProgramIndex{2, 0, 0});
  CHECK(p.recorded->provisional);
  session->cancel();  // the whole launch, which still runs program 0
  CHECK(session->wait(60));
}

}  // namespace tilescope::model
