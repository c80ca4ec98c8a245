// The window as a person uses it: scripted mouse and keys, then the state as JSON.
#include <doctest/doctest.h>

#include "window_run.h"

using namespace window_run;

namespace {

/// Plays a script on a kernel and compares part of the state.
Json check_state(const std::string& launch, const std::string& script, const Json& expected, const std::string& options = "") {
  const Folder folder;
  const Result r = play(folder, launch, script, options);
  INFO(r.output);
  REQUIRE(r.status == 0);
  CHECK(missing(expected, r.state) == "");
  return r.state;
}

}  // namespace

TEST_CASE("keys step by line, by op, by iteration and to both ends") {
  if (!can_draw()) return;
  check_state(kernel("matmul"), "key Right\nkey Right\nkey Right\n", {{"ready", true}, {"line", 11}, {"line_step", 3}, {"steps", 14}});
  check_state(kernel("matmul"), "key End\nkey Left\n", {{"line_step", 12}});
  check_state(kernel("matmul"), "key Shift+Right\nkey Shift+Right\n", {{"line_step", 8}, {"section", 2}});
  check_state(kernel("matmul"), "key End\nkey Home\n", {{"line_step", 0}, {"line", 8}});
  const Json by_op = check_state(kernel("matmul"), "key 1\nkey .\n", {{"state", {{"unit", "op"}}}});
  CHECK(by_op["state"]["step"].get<int>() > 0);
}

TEST_CASE("the scrubber's cells, track and wheel move the step") {
  if (!can_draw()) return;
  check_state(kernel("matmul"), "click scrubber.cell.10\n", {{"line_step", 10}, {"section", 2}});
  check_state(kernel("matmul"), "click scrubber.cell.2\ndrag scrubber.cell.2 300 0\n", {{"section", 1}});
  check_state(kernel("matmul"), "wheel scrubber.steps -1\nwheel scrubber.steps -1\nwheel scrubber.steps 1\n", {{"line_step", 1}});
  check_state(kernel("grouped_matmul"), "click scrubber.track 0.999 0.5\n", {{"line_step", 50}});
  check_state(kernel("matmul"), "click scrubber.unit.2\nclick scrubber.forward\n", {{"line_step", 3}, {"state", {{"unit", "iteration"}}}});
  check_state(kernel("matmul"), "click scrubber.end\n", {{"line_step", 13}});
}

TEST_CASE("play runs to the end and stops there; the speed is set by keys and slider") {
  if (!can_draw()) return;
  check_state(kernel("vector_add"), "drag scrubber.speed 400 0\nkey Space\nframes 120\n", {{"line_step", 5}, {"state", {{"playing", false}, {"speed", 10.0}}}});
  check_state(kernel("vector_add"), "key B\nkey Home\nkey End\nkey B\nkey Space\nframes 20\n", {{"state", {{"playing", true}}}});
}

TEST_CASE("page keys walk through the programs") {
  if (!can_draw()) return;
  check_state(kernel("vector_add"), "key PageDown\nwait\nkey PageDown\nwait\nkey PageUp\nwait\n", {{"state", {{"program", {1, 0, 0}}}}});
}

TEST_CASE("a slider compiles and runs again; one that does not compile leaves the last good run") {
  if (!can_draw()) return;
  check_state(kernel("matmul"), "click slider.BLOCK_M 0.26 0.5\nwait\n",
              {{"arguments", {{"BLOCK_M", "16"}}}, {"stale", false}, {"errors", Json::array()}, {"ready", true}});
  const Json broken = check_state(kernel("matmul"), "key Right\nclick slider.BLOCK_K 0.02 0.5\nwait\n",
                                  {{"arguments", {{"BLOCK_K", "8"}}}, {"stale", true}, {"ready", true}, {"line_step", 1}, {"steps", 14}});
  REQUIRE(broken["errors"].size() == 1);
  CHECK(broken["errors"][0].get<std::string>().find("at least 16") != std::string::npos);
  CHECK(broken["places"].contains("notice"));
  const Json repaired = check_state(kernel("matmul"), "click slider.BLOCK_K 0.02 0.5\nwait\nclick slider.BLOCK_K 0.26 0.5\nwait\n",
                                    {{"arguments", {{"BLOCK_K", "16"}}}, {"stale", false}, {"errors", Json::array()}, {"steps", 24}});
  CHECK_FALSE(repaired["places"].contains("notice"));
}

TEST_CASE("a size is typed; what is no number is refused in its place") {
  if (!can_draw()) return;
  check_state(kernel("matmul"), "click argument.M\ntype 96\nkey Enter\nwait\n", {{"arguments", {{"M", "96"}}}, {"keyboard", ""}, {"ready", true}});
  check_state(kernel("matmul"), "click argument.M\ntype 9x\nkey Enter\nwait\n", {{"arguments", {{"M", "70"}}}, {"keyboard", "argument.M"}});
  check_state(kernel("matmul"), "click argument.M\ntype 9x\nkey Enter\nkey Backspace\ntype 0\nkey Enter\nwait\n", {{"arguments", {{"M", "90"}}}});
  check_state(kernel("matmul"), "click argument.M\ntype 5\nkey Escape\n", {{"arguments", {{"M", "70"}}}, {"keyboard", ""}});
  check_state(kernel("matmul"), "click argument.N\nkey Up\nkey Up\nkey Enter\nwait\n", {{"arguments", {{"N", "47"}}}});
  check_state(kernel("matmul"), "wheel argument.K -1\nwait\n", {{"arguments", {{"K", "49"}}}});
  check_state(kernel("matmul"), "drag argument.M -60 0\nwait\n", {{"arguments", {{"M", "60"}}}});
  check_state(kernel("matmul"), "drag argument.M -3000 0\nwait\n", {{"arguments", {{"M", "1"}}}, {"ready", true}});
}

TEST_CASE("an error that is typed leaves the last good run until it is repaired") {
  if (!can_draw()) return;
  const std::string error = "click source.line.10 0.5 0.3\nkey End\ntype (\nframes 60\nwait\n";
  const Json broken = check_state(kernel("vector_add"), error, {{"stale", true}, {"ready", true}, {"steps", 6}});
  CHECK(broken["errors"].size() > 0);
  check_state(kernel("vector_add"), error + "key Backspace\nframes 60\nwait\n", {{"stale", false}, {"errors", Json::array()}, {"steps", 6}});
}

TEST_CASE("what has no room in the top bar is in the menu beside it") {
  if (!can_draw()) return;
  check_state(kernel("grouped_matmul"), "click argument.GROUP_M.more\nwait\n", {{"arguments", {{"GROUP_M", "4"}}}});
  check_state(kernel("grouped_matmul"), "click topbar.more\nclick argument.stride_cm\ntype 192\nkey Enter\nwait\nkey Escape\n",
              {{"arguments", {{"stride_cm", "192"}}}, {"popup", 0}});
}

TEST_CASE("panels are hidden and shown again, and the layout is reset") {
  if (!can_draw()) return;
  const Json hidden = check_state(kernel("matmul"), "click topbar.panels\nclick menu.panel.grid\nclick menu.panel.tile\nkey Escape\n", {{"popup", 0}});
  CHECK_FALSE(hidden["places"].contains("panel.grid"));
  CHECK_FALSE(hidden["places"].contains("panel.tile"));
  CHECK(hidden["places"].contains("panel.source"));
  const Json back = check_state(kernel("matmul"), "drag splitter.left 120 0\nclick topbar.panels\nclick menu.panel.grid\nclick menu.reset\nkey Escape\n", {{"popup", 0}});
  CHECK(back["places"].contains("panel.grid"));
  CHECK(back["places"]["panel.source"][2] == 448.0);
}

TEST_CASE("tabs, splitters, theme, language, zoom and size") {
  if (!can_draw()) return;
  const Json tab = check_state(kernel("matmul"), "click tab.memory\n", {{"state", {{"front_tab", {{"centre", "memory"}}}}}});
  CHECK(tab["places"].contains("panel.memory"));
  check_state(kernel("matmul"), "key Tab\n", {{"state", {{"front_tab", {{"centre", "memory"}}}}}});
  const Json wide = check_state(kernel("matmul"), "drag splitter.left 100 0\n", Json::object());
  CHECK(wide["places"]["panel.source"][2] == 548.0);
  const Json restored = check_state(kernel("matmul"), "drag splitter.left 100 0\ndouble splitter.left\n", Json::object());
  CHECK(restored["places"]["panel.source"][2] == 448.0);
  check_state(kernel("matmul"), "key T\nkey L\nkey Ctrl+=\n", {{"state", {{"theme", "light"}, {"language", "zh"}}}, {"zoom", 1.125}});
  check_state(kernel("matmul"), "key Ctrl+=\nkey Ctrl+=\nkey Ctrl+0\n", {{"zoom", 1.0}});
  check_state(kernel("matmul"), "resize 1280x720\n", {{"size", {1280.0, 720.0}}});
}

TEST_CASE("the help opens over everything and closes again") {
  if (!can_draw()) return;
  const Json open = check_state(kernel("matmul"), "key ?\n", {{"state", {{"help", true}}}});
  CHECK(open["places"].contains("help.close"));
  check_state(kernel("matmul"), "key ?\nclick help.close 0.02 0.5\n", {{"state", {{"help", false}}}});
  check_state(kernel("matmul"), "key ?\nkey Escape\n", {{"state", {{"help", false}}}});
}

TEST_CASE("a tile is copied as text and saved as .npy, never over another file") {
  if (!can_draw()) return;
  const Folder folder;
  const Result r = play(folder, kernel("matmul"), "key Right\nkey C\nkey N\nkey N\n");
  INFO(r.output);
  REQUIRE(r.status == 0);
  std::string cols;
  for (int i = 0; i < 32; ++i) cols += (i > 0 ? "\t" : "") + std::to_string(i);
  CHECK(r.state["copied"] == cols + "\n");
  const std::string npy = read(folder.file("cols-program-0-0-step-2.npy"));
  CHECK(npy.starts_with("\x93NUMPY"));
  CHECK(npy.size() == 128 + 32 * 4);
  CHECK(fs::exists(folder.file("cols-program-0-0-step-2-2.npy")));
}

TEST_CASE("P saves a picture beside those that are there") {
  if (!can_draw()) return;
  const Folder folder;
  const Result r = play(folder, kernel("vector_add"), "key P\nkey P\n", "--size 640x400");
  INFO(r.output);
  REQUIRE(r.status == 0);
  CHECK(read(folder.file("tilescope.png")).starts_with("\x89PNG"));
  CHECK(fs::exists(folder.file("tilescope-2.png")));
}

TEST_CASE("settings are kept between starts where a file is named") {
  if (!can_draw()) return;
  const Folder folder;
  REQUIRE(play(folder, kernel("matmul"), "key T\nclick tab.memory\ndrag splitter.right -80 0\n", "--settings kept/window.json --size 1500x900").status == 0);
  const Result again = play(folder, kernel("matmul"), "", "--settings kept/window.json");
  CHECK(missing({{"state", {{"theme", "light"}, {"front_tab", {{"centre", "memory"}}}}}, {"size", {1500.0, 900.0}}}, again.state) == "");
  const Result fresh = play(folder, kernel("matmul"), "");
  CHECK(missing({{"state", {{"theme", "dark"}}}, {"size", {1600.0, 900.0}}}, fresh.state) == "");
  write(folder.file("kept/window.json"), "{ broken");
  const Result broken = play(folder, kernel("matmul"), "", "--settings kept/window.json");
  CHECK(broken.status == 0);
  CHECK(broken.output.find("kept/window.json.broken") != std::string::npos);
}

TEST_CASE("faults show as a bar and a chip that leads from one to the next") {
  if (!can_draw()) return;
  const Folder folder;
  write(folder.file("kernel.py"),
        "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef add(x_ptr, out_ptr, n, BLOCK: tl.constexpr):\n"
        "    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n    x = tl.load(x_ptr + offsets)\n"
        "    tl.store(out_ptr + offsets, x, mask=offsets < n)\n");
  write(folder.file("launch.json"),
        R"json({"kernel": "add", "grid": ["cdiv(n, BLOCK)"], "args": {"x_ptr": {"tensor": "float32", "shape": [100], "init": "arange"},
            "out_ptr": {"tensor": "float32", "shape": [100]}, "n": 100, "BLOCK": 64}})json");
  const Result clean = play(folder, folder.file("launch.json"), "");
  INFO(clean.output);
  CHECK(missing({{"faults", 1}, {"state", {{"program", {0, 0, 0}}}}}, clean.state) == "");
  CHECK_FALSE(clean.state["places"].contains("notice"));
  const Result there = play(folder, folder.file("launch.json"), "click topbar.faults\nwait\n");
  CHECK(missing({{"line", 8}, {"state", {{"program", {1, 0, 0}}}}}, there.state) == "");
  CHECK(there.state["places"].contains("notice"));
  const Result key = play(folder, folder.file("launch.json"), "key F\nwait\nkey Home\nclick notice.go\n");
  CHECK(missing({{"line", 8}, {"state", {{"program", {1, 0, 0}}}}}, key.state) == "");
}

TEST_CASE("a run without faults whose results are wrong says so, and the chip leads to the messages") {
  if (!can_draw()) return;
  const Folder folder;
  write(folder.file("kernel.py"),
        "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef twice(x_ptr, out_ptr, n, BLOCK: tl.constexpr):\n"
        "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n    x = tl.load(x_ptr + i, mask=i < n)\n"
        "    tl.store(out_ptr + i, x + 1, mask=i < n)\n");
  const auto launch = [&](const char* expected) {
    write(folder.file("launch.json"),
          std::string(R"json({"kernel": "twice", "grid": ["cdiv(n, BLOCK)"], "args": {"x_ptr": {"tensor": "float32", "shape": [100], "init": "arange"},
            "out_ptr": {"tensor": "float32", "shape": [100]}, "n": 100, "BLOCK": 64}, "outputs": {"out_ptr": )json") + expected + "}}");
    return folder.file("launch.json");
  };
  const Result wrong = play(folder, launch(R"({"reference": "copy", "inputs": ["x_ptr"]})"), "click topbar.wrong_outputs\nwait\n");
  INFO(wrong.output);
  CHECK(missing({{"faults", 0}}, wrong.state) == "");
  CHECK(wrong.state["places"].contains("topbar.wrong_outputs"));
  CHECK_FALSE(wrong.state["places"].contains("topbar.faults"));
  CHECK(wrong.state["state"]["front_tab"].dump().find("messages") != std::string::npos);
  write(folder.file("kernel.py"), read(folder.file("kernel.py")).replace(read(folder.file("kernel.py")).find("x + 1"), 5, "x    "));
  const Result right = play(folder, launch(R"({"reference": "copy", "inputs": ["x_ptr"]})"), "");
  CHECK(right.state["places"].contains("topbar.faults"));
  CHECK_FALSE(right.state["places"].contains("topbar.wrong_outputs"));
}

TEST_CASE("a script that names no place, or no command, is refused with its line") {
  if (!can_draw()) return;
  const Folder folder;
  const Result place = play(folder, kernel("matmul"), "key Right\nclick nowhere\n");
  CHECK(place.status == 2);
  CHECK(place.output.find("script line 2: there is no place \"nowhere\"") != std::string::npos);
  const Result verb = play(folder, kernel("matmul"), "jump\n");
  CHECK(verb.status == 2);
  CHECK(verb.output.find("unknown command \"jump\"") != std::string::npos);
}
