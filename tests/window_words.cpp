// What the window says about faults and errors, in its language.
#include <doctest/doctest.h>

#include "core/words.h"
#include "visualizer/model/messages.h"
#include "visualizer/model/words.h"

namespace tilescope::model {
namespace {

TEST_CASE("every row of the model's table has both languages with the same blanks") {
  for (const Wording& row : model_wordings()) {
    INFO(std::string(row.english));
    CHECK(!row.chinese.empty());
    CHECK(blanks_of(row.english) == blanks_of(row.chinese));
  }
}

TEST_CASE("an error that is in English only is introduced to a Chinese reader") {
  CHECK(error_in_language("what nobody translated", 7, true) == "第 7 行编译错误。编译器的消息：what nobody translated");
  CHECK(error_in_language("what nobody translated", 0, true) == "编译器的消息：what nobody translated");
  CHECK(error_in_language("what nobody translated", 7, false) == "what nobody translated");
  const std::string known = remember(say(CoreWords::NotDefined, {{"name", "y"}}));
  CHECK(error_in_language(known, 7, true) == "`y` 没有定义");
}

TEST_CASE("the messages of a fault have their Chinese beside them") {
  Published run;
  auto totals = std::make_shared<Totals>();
  Fault f;
  f.message = "a fault";
  f.tensor = "x_ptr";
  f.offset = 40, f.size = 32, f.lane = 3;
  f.loops.push_back({1, "k", 32, 1});
  totals->trace.faults.push_back(f);
  run.totals = totals;
  const std::vector<Message> all = messages_of(run);
  REQUIRE(all.size() == 1);
  REQUIRE(all[0].details.size() == 2);
  CHECK(all[0].details[0] == "program 0, lane 3, x_ptr + 40 of 32");
  CHECK(in_language(all[0].details[0], true) == "program 0，lane 3，x_ptr + 40（共 32 个元素）");
  CHECK(in_language(all[0].details[1], true) == "k = 32，第 2 次迭代");
}

}  // namespace
}  // namespace tilescope::model
