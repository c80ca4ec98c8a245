// The list of everything that a launch has to say.
#include "tests/window_session.h"
#include "visualizer/model/messages.h"

using namespace tilescope;
using namespace tilescope::model;

namespace {
const char* const kOneTensor = R"({"kernel": "k", "grid": [2], "args": {"x_ptr": {"tensor": "float32", "shape": [100], "init": "ones"},
                                   "y_ptr": {"tensor": "float32", "shape": [128], "init": "empty"}},
                                   "outputs": {"y_ptr": {"full": 3}}})";
}  // namespace

TEST_CASE("matmul's only message is that its output equals the reference") {
  auto c = opened_lesson("matmul");
  const Published run = c->session().published();
  const std::vector<Message> all = messages_of(run);
  REQUIRE(all.size() == 1);
  CHECK(all[0].kind == Message::Kind::OutputEqual);
  REQUIRE(all[0].output == 0);
  CHECK(run.totals->outputs[0].tensor == "c_ptr");
}

TEST_CASE("faults come with place, program, lane and element, before the outputs that differ") {
  auto c = opened_kernel(kOneTensor,
                         "@triton.jit\ndef k(x_ptr, y_ptr):\n    i = tl.program_id(0) * 64 + tl.arange(0, 64)\n"
                         "    x = tl.load(x_ptr + i)\n    tl.store(y_ptr + i, x)\n");
  const std::vector<Message> all = messages_of(c->session().published());
  REQUIRE(all.size() >= 1);
  CHECK(all[0].kind == Message::Kind::Fault);
  CHECK(all[0].line == 6);
  CHECK(all[0].place == "kernel.py:6:9");
  REQUIRE(all[0].fault == 0);
  REQUIRE_FALSE(all[0].details.empty());
  CHECK(all[0].details[0] == "program 1, lane 36, x_ptr + 100 of 100");
  for (size_t i = 1; i < all.size(); ++i) CHECK(all[i - 1].kind <= all[i].kind);
}

TEST_CASE("compile errors are first, with their line, and the last good run's messages stay") {
  auto c = opened_lesson("softmax");
  std::string text = c->session().published().text->text;
  text.replace(text.find("tl.exp(x)"), 9, "tl.exq(x)");
  c->edit(text);
  settle(*c);
  const std::vector<Message> all = messages_of(c->session().published());
  REQUIRE(all.size() >= 1);
  CHECK(all[0].kind == Message::Kind::Error);
  CHECK(all[0].line == 12);
  CHECK(all[0].text.find("exq") != std::string::npos);
}

TEST_CASE("programs are named by as many axes as the grid has") {
  CHECK(program_text({3, 0, 0}, {8, 1, 1}) == "3");
  CHECK(program_text({2, 1, 0}, {8, 2, 1}) == "(2, 1)");
  CHECK(program_text({2, 0, 1}, {8, 1, 2}) == "(2, 0, 1)");
}
