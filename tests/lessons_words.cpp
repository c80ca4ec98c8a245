// The sentences about a checked exercise, in both languages.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>

#include "core/syntax/lexer.h"
#include "lessons/exercise.h"
#include "lessons/words.h"

namespace tilescope::lessons {
namespace {

bool is_chinese(uint32_t c) { return c >= 0x4e00 && c <= 0x9fff; }
bool is_latin(uint32_t c) { return c < 0x80 && std::isalnum(static_cast<int>(c)) != 0; }

/// A Latin letter or a digit that touches a Chinese character; empty: there is none.
std::string run_together(const std::string& text) {
  uint32_t before = ' ';
  size_t before_at = 0;
  for (size_t at = 0; at < text.size();) {
    uint32_t code = 0;
    const size_t bytes = static_cast<size_t>(std::max(1, utf8_sequence(text, at, &code)));
    if ((is_chinese(before) && is_latin(code)) || (is_latin(before) && is_chinese(code))) return text.substr(before_at, at + bytes - before_at);
    before = code;
    before_at = at;
    at += bytes;
  }
  return {};
}

TEST_CASE("every row of the lessons' table has both languages with the same blanks") {
  CHECK(lesson_wordings().size() > 30);
  for (const Wording& row : lesson_wordings()) {
    INFO(std::string(row.english));
    CHECK(!row.chinese.empty());
    CHECK(blanks_of(row.english) == blanks_of(row.chinese));
  }
}

TEST_CASE("in Chinese a number is set off from the characters around it") {
  const auto told = [](LessonWords id, std::initializer_list<Blank> blanks) { return say(id, blanks).chinese; };
  for (const Words& element : {Words("element 0", "元素 0"), Words("row 3, column 50", "第 3 行第 50 列")}) {
    CAPTURE(element.chinese);
    for (const std::string& s : {told(LessonWords::ValueOf, {{"value", std::string("0.5")}, {"element", element}, {"tensor", std::string("out_ptr")}}),
                                 told(LessonWords::StoredByNone, {{"element", element}, {"missing", 3}, {"all", 9}}),
                                 told(LessonWords::NearestStored, {{"element", element}, {"program", std::string("program 2")}}),
                                 told(LessonWords::IsLoaded, {{"element", element}, {"times", times_words(2)}}),
                                 told(LessonWords::IsStored, {{"element", element}, {"times", times_words(3)}}),
                                 told(LessonWords::NeverStored, {{"element", element}}),
                                 told(LessonWords::BothWrite, {{"element", element}, {"p", std::string("program 0")}, {"q", std::string("program 1")}})}) {
      CAPTURE(s);
      CHECK(run_together(s) == "");
    }
  }
  CHECK(run_together("元素 0是") == "0是");
}

TEST_CASE("a failure's pieces are those of its words") {
  Failure f;
  f.label = "n = 7";
  f.launch = 1;
  f.program = ProgramIndex{2, 0, 0};
  f.line = 9;
  f.line_text = "y = x";
  f.expected = {"a", "甲"};
  f.found = {"b", "乙"};
  Exercise e;
  e.launches.resize(3);
  const FailureText t = failure_text(f, e, kChinese);
  CHECK(t.headline == "还没通过：n = 7（第 2 组，共 3 组）");
  CHECK(t.place == "program 2，第 9 行：");
  CHECK(t.code == "y = x");
  CHECK(in_words(f, e, kChinese) == "还没通过：n = 7（第 2 组，共 3 组）\n  program 2，第 9 行：y = x\n  应当：甲\n  实际：乙\n");
  CHECK(in_words(f, e, kEnglish) == "Not yet: with n = 7 (launch 2 of 3)\n  program 2, line 9: y = x\n  expected: a\n  found:    b\n");
  f.line_text.clear();
  CHECK(failure_text(f, e, kEnglish).place == "program 2, line 9");
  f.program.reset(), f.line = 0, f.label.clear();
  CHECK(in_words(f, e, kEnglish) == "Not yet:\n  expected: a\n  found:    b\n");
}

}  // namespace
}  // namespace tilescope::lessons
