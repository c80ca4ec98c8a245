// The Memory and Grid panels under the mouse.
#include <doctest/doctest.h>

#include "window_run.h"

using namespace window_run;

namespace {

Json state_after(const std::string& launch, const std::string& script, const std::string& options = "") {
  const Folder folder;
  const Result r = play(folder, launch, script, options);
  INFO(r.output);
  REQUIRE(r.status == 0);
  return r.state;
}

}  // namespace

TEST_CASE("the element under the mouse in Memory is hovered for all panels, at any zoom") {
  if (!can_draw()) return;
  const std::string matmul = "--panel memory --program 2,0 --step 11";
  Json hover = state_after(kernel("matmul"), "wait\nmove memory.matrix.a_ptr 0.5 0.4\n", matmul)["state"]["hover"];
  CHECK(hover["tensor"] == "a_ptr");
  REQUIRE(hover["index"].size() == 2);
  const Json at = hover["index"];
  // The wheel zooms round the cursor: what lies under it stays.
  hover = state_after(kernel("matmul"), "wait\nwheel memory.matrix.a_ptr 6\n", matmul)["state"]["hover"];
  const Json before = state_after(kernel("matmul"), "wait\nmove memory.matrix.a_ptr\n", matmul)["state"]["hover"];
  CHECK(hover == before);
  // A drag moves the elements along with the mouse; a double click fits the picture again.
  const Json fitted = state_after(kernel("matmul"), "wait\nwheel memory.matrix.a_ptr 9\ndrag memory.matrix.a_ptr 90 60\ndouble memory.matrix.a_ptr\nmove memory.matrix.a_ptr 0.5 0.4\n", matmul);
  CHECK(fitted["state"]["hover"]["index"] == at);
  CHECK(fitted["state"]["shown_tensor"].is_null());
}

TEST_CASE("a tab of Memory shows a tensor whatever the line; the first follows the step again") {
  if (!can_draw()) return;
  const std::string options = "--panel memory --program 2,0 --step 11";
  const Json c = state_after(kernel("matmul"), "wait\nclick memory.tensor.c_ptr\n", options);
  CHECK(c["state"]["shown_tensor"] == "c_ptr");
  CHECK(c["places"].contains("memory.matrix.c_ptr"));
  const Json follows = state_after(kernel("matmul"), "wait\nclick memory.tensor.c_ptr\nclick memory.follow\n", options);
  CHECK(follows["places"].contains("memory.matrix.a_ptr"));
  const Json line = state_after(kernel("matmul"), "wait\nclick memory.shape.2\nmove memory.line.a_ptr 0.5 0.2\n", options);
  CHECK_FALSE(line["places"].contains("memory.matrix.a_ptr"));
  CHECK(line["state"]["hover"]["tensor"] == "a_ptr");
}

TEST_CASE("vectors: elements, parts and the whole line can be pointed at") {
  if (!can_draw()) return;
  const std::string options = "--panel memory --program 3 --step 4";
  const Json hover = state_after(kernel("vector_add"), "wait\nmove memory.elements 0.04 0.2\n", options)["state"]["hover"];
  CHECK(hover["tensor"] == "x_ptr");
  CHECK(hover["index"][0].get<int>() >= 980);
  CHECK(state_after(kernel("vector_add"), "wait\nmove memory.lines 0.001 0.9\n", options)["state"]["hover"]["index"][0] == 768);
  CHECK(state_after(kernel("vector_add"), "wait\nmove memory.overview 0.0005 0.1\n", options)["state"]["hover"]["index"][0] == 0);
}

TEST_CASE("a click in Grid selects the program, in both arrangements") {
  if (!can_draw()) return;
  CHECK(state_after(kernel("matmul"), "wait\nclick grid.program.4\nwait\n")["state"]["program"] == Json({1, 1, 0}));
  CHECK(state_after(kernel("grouped_matmul"), "wait\nclick grid.program.20\nwait\n")["state"]["program"] == Json({20, 0, 0}));
  CHECK(state_after(kernel("grouped_matmul"), "wait\nclick grid.by.0\nclick grid.program.20\nwait\n")["state"]["program"] == Json({20, 0, 0}));
  // A drag pans a zoomed grid and selects nothing.
  CHECK(state_after(kernel("softmax"), "wait\nwheel grid.canvas 8\ndrag grid.canvas 30 10\nwait\n")["state"]["program"] == Json({0, 0, 0}));
}
