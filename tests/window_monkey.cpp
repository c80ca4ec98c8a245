// Whatever is clicked, dragged, turned or typed: the window neither crashes nor hangs. And what is odd opens.
#include <doctest/doctest.h>

#include "window_run.h"

using namespace window_run;

namespace {

/// A copy of a kernel of the lessons, so that nothing can happen to the kernel itself.
std::string copy_kernel(const Folder& folder, const std::string& name) {
  fs::copy(fs::path(kernel(name)).parent_path(), folder.path() / name, fs::copy_options::recursive);
  return folder.file(name + "/launch.json");
}

std::string launch_of(const Folder& folder, const std::string& name, const std::string& text, const std::string& launch) {
  write(folder.file(name + ".py"), "import triton\nimport triton.language as tl\n\n\n@triton.jit\n" + text);
  write(folder.file(name + ".json"), launch);
  return folder.file(name + ".json");
}

}  // namespace

TEST_CASE("random clicks, drags, keys and wheel neither crash nor hang") {
  if (!can_draw()) return;
  struct {
    const char *kernel, *seed, *options;
  } const runs[] = {{"matmul", "1", "--size 1600x900"}, {"grouped_matmul", "2", "--size 1280x720"}, {"softmax", "3", "--size 900x600 --lang zh"}};
  for (const auto& run : runs) {
    const Folder folder;
    const Result r = play(folder, copy_kernel(folder, run.kernel), std::string("monkey ") + run.seed + " 100\nkey Escape\nwait\n", run.options, 240);
    INFO(run.kernel << ": " << r.output);
    // 2 is a kernel that no longer compiles: text was typed into it.
    const bool fine = r.status == 0 || r.status == 2;
    CHECK(fine);
    CHECK(r.state.is_object());
  }
}

TEST_CASE("windows of any size and scale draw") {
  if (!can_draw()) return;
  const Folder folder;
  const Result r = play(folder, kernel("matmul"), "resize 640x400\nshot a.png\nresize 320x240\nresize 8192x600\nresize 700x4000\nresize 1600x900\n", "--scale 2 --size 900x600");
  INFO(r.output);
  CHECK(r.status == 0);
  CHECK(r.state["size"] == Json({1600.0, 900.0}));
  CHECK(play(folder, kernel("grouped_matmul"), "click topbar.panels\nkey Escape\n", "--scale 0.75 --size 640x400").status == 0);
}

TEST_CASE("no panel at all, and each alone") {
  if (!can_draw()) return;
  const Folder folder;
  std::string hide = "click topbar.panels\n";
  for (const char* panel : {"source", "kloop", "memory", "addresses", "reduction", "tile", "grid", "messages"}) hide += std::string("click menu.panel.") + panel + "\n";
  const Result none = play(folder, kernel("matmul"), hide + "key Escape\nkey Right\nkey Tab\n");
  INFO(none.output);
  CHECK(none.status == 0);
  CHECK(none.state["line_step"] == 1);
  CHECK_FALSE(none.state["places"].contains("panel.source"));
  CHECK(play(folder, kernel("matmul"), hide + "click menu.panel.grid\nkey Escape\n").status == 0);
}

TEST_CASE("a kernel that does not compile, or is not there, opens with its message") {
  if (!can_draw()) return;
  const Folder folder;
  const std::string arguments = R"json("args": {"x_ptr": {"tensor": "float32", "shape": [8], "init": "arange"}}})json";
  const Result broken = play(folder, launch_of(folder, "broken", "def f(x_ptr):\n    x = tl.load(x_ptr +\n", R"json({"file": "broken.py", "grid": [1], )json" + arguments), "key Right\nkey End\nkey F\nkey C\nkey Space\nkey PageDown\n");
  INFO(broken.output);
  CHECK(broken.status == 2);
  CHECK(broken.state["ready"] == false);
  CHECK(broken.state["errors"].size() > 0);
  CHECK(broken.state["places"].contains("notice"));
  fs::remove(folder.file("broken.py"));
  const Result gone = play(folder, folder.file("broken.json"), "key Right\n");
  INFO(gone.output);
  CHECK(gone.status == 2);
}

TEST_CASE("a fault in the first step, a kernel without a step, and a scalar kernel open") {
  if (!can_draw()) return;
  const Folder folder;
  const std::string tail = R"json("args": {"x_ptr": {"tensor": "float32", "shape": [8], "init": "arange"}}})json";
  const Result fault = play(folder, launch_of(folder, "fault", "def f(x_ptr):\n    tl.store(x_ptr + 100, tl.load(x_ptr + 50))\n", R"json({"file": "fault.py", "grid": [3], )json" + tail), "key F\nwait\nkey F\nwait\nkey C\nkey N\n");
  INFO(fault.output);
  CHECK(fault.status == 0);
  CHECK(fault.state["places"].contains("notice"));
  const Result empty = play(folder, launch_of(folder, "empty", "def f(x_ptr):\n    pass\n", R"json({"file": "empty.py", "grid": [1], )json" + tail), "key Right\nkey Space\nframes 5\nkey N\n");
  INFO(empty.output);
  CHECK(empty.status == 0);
  const Result scalar = play(folder, launch_of(folder, "scalar", "def f(x_ptr):\n    x = tl.load(x_ptr + tl.program_id(1))\n    tl.store(x_ptr, x * 2)\n", R"json({"file": "scalar.py", "grid": [2, 3, 2], )json" + tail), "key Right\nkey C\nkey PageDown\nwait\n");
  INFO(scalar.output);
  CHECK(scalar.status == 0);
}

TEST_CASE("the loop is recorded as pictures and as one that is animated; nothing is overwritten") {
  if (!can_draw()) return;
  const Folder folder;
  const std::string command = "view " + quoted(kernel("matmul")) + " --size 640x400 --record loop";
  const Result r = run(folder, command);
  INFO(r.output);
  REQUIRE(r.status == 0);
  for (int i = 1; i <= 10; ++i) CHECK(fs::exists(folder.file("loop/frame-0" + std::string(i < 10 ? "0" : "") + std::to_string(i) + ".png")));
  CHECK_FALSE(fs::exists(folder.file("loop/frame-011.png")));
  // The chunks of the animated one, as the specification orders them.
  const std::string png = read(folder.file("loop/loop.png"));
  REQUIRE(png.starts_with("\x89PNG\r\n\x1a\n"));
  const auto u32 = [&](size_t at) {
    uint32_t v = 0;
    for (size_t i = 0; i < 4; ++i) v = v << 8 | static_cast<uint8_t>(png[at + i]);
    return v;
  };
  std::string order;
  uint32_t sequence = 0, frames = 0;
  for (size_t at = 8; at + 12 <= png.size();) {
    const uint32_t size = u32(at);
    const std::string type = png.substr(at + 4, 4);
    REQUIRE(at + 12 + size <= png.size());
    if (type == "acTL") CHECK(u32(at + 8) == 10);
    if (type == "fcTL" || type == "fdAT") CHECK(u32(at + 8) == sequence++);
    if (type == "fcTL") {
      ++frames;
      CHECK(u32(at + 12) + u32(at + 20) <= 640);
      CHECK(u32(at + 16) + u32(at + 24) <= 400);
    }
    if (order.size() < 60) order += type + " ";
    at += 12 + size;
  }
  CHECK(frames == 10);
  CHECK(order.starts_with("IHDR acTL fcTL IDAT fcTL fdAT "));
  CHECK(png.substr(png.size() - 8, 4) == "IEND");
  const Result again = run(folder, command);
  CHECK(again.status == 2);
  CHECK(again.output.find("nothing is overwritten") != std::string::npos);
}
