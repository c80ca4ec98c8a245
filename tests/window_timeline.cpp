// The recorded steps as a person counts them: statements, loop iterations and their labels.
#include "window_session.h"

namespace tilescope::model {
namespace {

std::string text_of(const std::string& lesson) { return timeline_text(*opened_lesson(lesson)->scene()); }

}  // namespace

TEST_CASE("a vector add is six statements, its loads and its store named") {
  CHECK(text_of("vector_add") == "-: pid, offsets, mask, load x, load y, store\n");
}

TEST_CASE("softmax shows its reductions under the names that they are given") {
  CHECK(text_of("softmax") == "-: row, cols, mask, load x, x, numerator, denominator, store\n");
}

TEST_CASE("a matmul has a section for each iteration, named by the tile of indices it walks") {
  CHECK(text_of("matmul") ==
        "-: rows, cols, acc\n"
        "iteration 1  ks 0..31: k, ks, load a, load b, dot\n"
        "iteration 2  ks 32..63: k, ks, load a, load b, dot\n"
        "-: store\n");
}

TEST_CASE("a loop whose body has no such tile is named by its variable") {
  CHECK(text_of("grouped_matmul") ==
        "-: pid, tiles_m, tiles_n, in_group, first_m, group_m, tile_m, tile_n, rows, cols, ks, a_tile, b_tile, acc\n"
        "iteration 1  k 0: k, left, load a, load b, dot, a_tile, b_tile\n"
        "iteration 2  k 1: k, left, load a, load b, dot, a_tile, b_tile\n"
        "iteration 3  k 2: k, left, load a, load b, dot, a_tile, b_tile\n"
        "iteration 4  k 3: k, left, load a, load b, dot, a_tile, b_tile\n"
        "iteration 5  k 4: k, left, load a, load b, dot, a_tile, b_tile\n"
        "-: c_tile, store\n");
}

TEST_CASE("a program that is stopped by the limit of steps has its first steps only, and the scene says so") {
  RecordOptions few = careful_options();
  few.max_steps = 60;
  auto c = opened(lesson_launch("matmul"), few);
  REQUIRE(c->scene()->ready);
  CHECK(c->scene()->trace->steps.size() == 60);
  CHECK(c->scene()->cut_short());
  CHECK_FALSE(opened_lesson("matmul")->scene()->cut_short());
}

}  // namespace tilescope::model
