// The Threads panel under the mouse.
#include <doctest/doctest.h>

#include "window_run.h"

using namespace window_run;

namespace {

Json state_after(const Folder& folder, const std::string& launch, const std::string& script, const std::string& options = "--panel threads --program 2,0 --step 11") {
  const Result r = play(folder, launch, "wait\n" + script, options);
  INFO(r.output);
  REQUIRE(r.status == 0);
  return r.state;
}

std::string written(const Folder& folder, const std::string& body, const std::string& launch) {
  write(folder.file("k.py"), "import triton\nimport triton.language as tl\n\n\n@triton.jit\n" + body);
  write(folder.file("k.json"), launch);
  return folder.file("k.json");
}

}  // namespace

TEST_CASE("an element or a lane of Threads under the mouse is hovered for all panels") {
  if (!can_draw()) return;
  const Folder folder;
  // Program (2, 0), second iteration: the tile is a_ptr[64..95, 32..63], of which 6 x 18 elements are on.
  const Json on = state_after(folder, kernel("matmul"), "move threads.tile 0.01 0.01\n")["state"]["hover"];
  CHECK(on["tensor"] == "a_ptr");
  CHECK(on["index"] == Json({64, 32}));
  const Json off = state_after(folder, kernel("matmul"), "move threads.tile 0.99 0.99\n")["state"]["hover"];
  CHECK(off["variable"] == "a");
  CHECK(off["index"] == Json({31, 31}));
  const Json lane = state_after(folder, kernel("matmul"), "click threads.warp.1\nmove threads.lane.5\n")["state"]["hover"];
  CHECK(lane["index"] == Json({65, 37}));
  const Json next = state_after(folder, kernel("matmul"), "click threads.warp.1\nclick threads.instruction.more\nmove threads.lane.5\n")["state"]["hover"];
  CHECK(next["index"] == Json({69, 37}));
}

TEST_CASE("a click on an element chooses the warp and the instruction that access it") {
  if (!can_draw()) return;
  const Folder folder;
  // Row 5 of the tile belongs to warp 1, its second instruction.
  const Json hover = state_after(folder, kernel("matmul"), "click threads.tile 0.01 0.172\nmove threads.lane.3\n")["state"]["hover"];
  CHECK(hover["index"] == Json({69, 35}));
}

TEST_CASE("a step that touches no memory leads to the accesses before and after it") {
  if (!can_draw()) return;
  const Folder folder;
  const std::string dot = "--panel threads --program 2,0 --step 13";
  CHECK(state_after(folder, kernel("matmul"), "click threads.last\n", dot)["line"] == 15);
  CHECK(state_after(folder, kernel("matmul"), "click threads.next\n", dot)["line"] == 18);
  CHECK_FALSE(state_after(folder, kernel("matmul"), "", "--panel threads --step 1")["places"].contains("threads.last"));
}

TEST_CASE("both accesses of a line, slices of a tile and parts of a large one can be chosen") {
  if (!can_draw()) return;
  const Folder folder;
  const std::string two = written(folder, "def k(x, y):\n    i = tl.arange(0, 64)\n    v = tl.load(x + i) + tl.load(y + i)\n",
                                  R"({"kernel": "k", "file": "k.py", "grid": [1], "args": {"x": {"tensor": "float32", "shape": [64], "init": "zeros"}, "y": {"tensor": "float32", "shape": [64], "init": "zeros"}}})");
  const std::string options = "--panel threads --step 2";
  CHECK(state_after(folder, two, "move threads.lane.7\n", options)["state"]["hover"]["tensor"] == "y");
  CHECK(state_after(folder, two, "click threads.access.0\nmove threads.lane.7\n", options)["state"]["hover"]["tensor"] == "x");

  const std::string cube = written(folder, "def k(x):\n    i = tl.arange(0, 4)\n    j = tl.arange(0, 32)\n    v = tl.load(x + i[:, None, None] * 1024 + j[None, :, None] * 32 + j[None, None, :])\n",
                                   R"({"kernel": "k", "file": "k.py", "grid": [1], "args": {"x": {"tensor": "float32", "shape": [4, 32, 32], "init": "zeros"}}})");
  CHECK(state_after(folder, cube, "click threads.slice.more\nmove threads.tile 0.01 0.01\n", "--panel threads --step 3")["state"]["hover"]["index"] == Json({1, 0, 0}));

  const std::string large = written(folder, "def k(x):\n    i = tl.arange(0, 512)\n    v = tl.load(x + i[:, None] * 512 + i[None, :])\n",
                                    R"({"kernel": "k", "file": "k.py", "grid": [1], "args": {"x": {"tensor": "float32", "shape": [512, 512], "init": "zeros"}}})");
  const Json moved = state_after(folder, large, "wheel threads.tile -2\nmove threads.tile 0.001 0.001\n", options)["state"]["hover"]["index"];
  CHECK(moved[0].get<int>() > 0);
  CHECK(moved[1] == 0);
  CHECK(state_after(folder, large, "wheel threads.tile 9\nmove threads.tile 0.001 0.001\n", options)["state"]["hover"]["index"][0] == 0);
}

TEST_CASE("scalars, atomics, copies, gathers and accesses out of bounds all have a picture, in any size") {
  if (!can_draw()) return;
  const Folder folder;
  const std::string odd = written(folder,
                                  "def k(x, h):\n    s = tl.load(x + 3)\n    i = tl.arange(0, 64)\n    v = tl.load(x + (i * 7) % 64, mask=i % 3 == 0, other=0.0)\n"
                                  "    tl.atomic_add(h + i % 8, v)\n    tl.store(x + tl.arange(0, 16), s)\n    tl.store(x + i, v, mask=i < 0)\n    tl.store(h + i, v)\n",
                                  R"({"kernel": "k", "file": "k.py", "grid": [1], "num_warps": 8, "args": {"x": {"tensor": "float32", "shape": [64], "init": "zeros"}, "h": {"tensor": "float32", "shape": [40], "init": "zeros"}}})");
  std::string script = "key Home\n";
  for (const char* step : {"s", "i", "v", "atomic", "store s", "store nothing", "store v"})
    script += std::string(*step == 'i' ? "" : "click threads.warp.7\nmove threads.lane.31\nmove threads.tile\nshot a.png\nresize 900x600\nresize 1600x900\n") + "key Right\n";
  const Json end = state_after(folder, odd, script, "--panel threads");
  CHECK(end["faults"] == 1);
  CHECK(end["places"].contains("threads.lane.31"));
}
