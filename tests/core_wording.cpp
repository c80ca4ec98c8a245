// Texts in two languages: tables whose rows say the same, and the phrase book that finds the Chinese of an English text.
#include <doctest/doctest.h>

#include "core/words.h"

namespace tilescope {
namespace {

TEST_CASE("blanks are filled by name, in each language with its own words") {
  const Wording row{"{who} reads {n}, {who} again {not one}", "{n} 由 {who} 读"};
  const Words w = fill(row, {{"who", Words("it", "它")}, {"n", 3}});
  CHECK(w.english == "it reads 3, it again {not one}");
  CHECK(w.chinese == "3 由 它 读");
  CHECK(blanks_of(row.english) == std::vector<std::string>{"n", "who"});
  CHECK(blanks_of("{} {a b} {Upper} {open").empty());
  CHECK(blanks_of("").empty());
}

TEST_CASE("the Chinese of a text is found by its English; others stay as they are") {
  CHECK(remember(Words("a text of this test", "本测试的文字")) == "a text of this test");
  CHECK(chinese_of("a text of this test") == "本测试的文字");
  CHECK(in_language("a text of this test", false) == "a text of this test");
  CHECK(in_language("a text of this test", true) == "本测试的文字");
  CHECK(!chinese_of("a text that nobody remembered"));
  CHECK(in_language("a text that nobody remembered", true) == "a text that nobody remembered");
  CHECK(words_of("a text of this test").chinese == "本测试的文字");
}

TEST_CASE("the phrase book forgets the oldest texts only") {
  for (int i = 0; i < 25'000; ++i) remember(Words("text " + std::to_string(i), "文字 " + std::to_string(i)));
  CHECK(!chinese_of("text 0"));
  for (int i = 15'000; i < 25'000; ++i) CHECK(chinese_of("text " + std::to_string(i)) == "文字 " + std::to_string(i));
}

TEST_CASE("every row of core's table has both languages with the same blanks") {
  for (const Wording& row : core_wordings()) {
    INFO(std::string(row.english));
    CHECK(!row.english.empty());
    CHECK(!row.chinese.empty());
    CHECK(blanks_of(row.english) == blanks_of(row.chinese));
  }
}

TEST_CASE("a diagnostic in Chinese: its frame, its hint and what has no Chinese") {
  auto file = std::make_shared<SourceFile>(SourceFile{"k.py", "x = y + z\n"});
  Diagnostic d;
  d.message = remember(say(CoreWords::NotDefined, {{"name", "y"}}));
  d.hint = remember(say(CoreWords::DidYouMean, {{"name", "x"}}));
  d.range = {file, 1, 5, 1, 6};
  d.range_label = remember(say(CoreWords::ShapeLabel, {{"shape", "[2]"}}));
  d.labels.push_back({{file, 1, 9, 1, 10}, "there"});
  d.calls = std::make_shared<CallFrame>(CallFrame{"f", {file, 1, 1, 1, 2}, nullptr});
  CHECK(render(d, true) ==
        "k.py:1:5: 错误：`y` 没有定义\n"
        "    1 | x = y + z\n"
        "      |     ^   ^ there\n"
        "      |     形状 [2]\n"
        "   提示：是不是想写 `x`？\n"
        "说明：在 k.py:1:1 调用 `f` 时\n");
  CHECK(render(d).starts_with("k.py:1:5: error: `y` is not defined\n"));
  d.message = "something else";
  CHECK(render(d, true).starts_with("k.py:1:5: 编译错误，编译器的消息：something else\n"));
  d.severity = Diagnostic::Severity::Warning;
  CHECK(render(d, true).starts_with("k.py:1:5: 警告：something else\n"));
  CHECK(render(plain_error("no such file"), true) == "错误：no such file\n");
}

}  // namespace
}  // namespace tilescope
