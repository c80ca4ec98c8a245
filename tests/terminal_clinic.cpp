// The clinic (lesson 14) in a terminal: patients are shown, their diagnosis only after the question.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "lessons/catalogue.h"
#include "lessons/lesson.h"
#include "visualizer/model/lesson_progress.h"
#include "tests/terminal_lesson_calls.h"
#include "visualizer/terminal/command.h"
#include "visualizer/terminal/lesson_command.h"

using namespace tilescope;
using namespace tilescope::terminal_calls;

TEST_CASE("a page with its own launch shows that kernel and what is wrong with it, the cause only after the question") {
  Home home;
  const std::string one = lesson({"14", "--page", "2"}).out;
  CHECK(mentions(one, "   10 |     y = tl.load(y_ptr + offs)\n"));
  CHECK(one.find("Answer: 3) line 10: y has no mask") < one.find("error: load out of bounds of `y_ptr`"));
  CHECK(mentions(one, "In the last program 24 lanes read past the end of"));
  const std::string refused = lesson({"14", "--page", "6", "--lang", "zh"}).out;
  CHECK(mentions(refused, "错误：这些形状不能广播到一起"));
  CHECK(refused.find("[:, None] 和 [None, :]") > refused.find("答案："));  // the checker's hint
  CHECK(mentions(lesson({"14", "--page", "5"}).out, "C[0, 0] is 1027."));
  CHECK(mentions(lesson({"14", "--page", "6", "--arg", "BLOCK_M=32"}).out, "error: load out of bounds of `a_ptr`"));
  CHECK(mentions(lesson({"14", "--page", "7"}).out, "c_ptr: 3500 of 3500 elements are wrong"));
  CHECK(mentions(lesson({"14", "--page", "8", "--arg", "K=64"}).out, "tl.cdiv(K, BLOCK_K)` rounds up, to 2 rounds"));
  CHECK(mentions(lesson({"8", "--page", "5"}).out, "    [1, 2; 5, 6] + [6, 8; 14, 16] = [7, 10; 19, 22]\n"));
}

TEST_CASE("--with says nothing of what ails a patient until the page's question was answered or its answer printed") {
  Home home;
  for (size_t page = 2; page <= 10; ++page) {
    CAPTURE(page);
    const std::string number = std::to_string(page), mine = home.file("p" + number + ".py");
    CHECK(lesson({"14", "--page", number, "--start", mine}).status == terminal::kFine);
    for (const std::string language : {"en", "zh"}) {
      const Result r = lesson({"14", "--page", number, "--with", mine, "--lang", language});
      CHECK(r.status == terminal::kFine);
      CHECK(mentions(r.out, language == "zh" ? "答完这一页的问题再看" : "is held back until you have answered this page's question"));
      CHECK(mentions(r.out, "    tilescope lesson 14 --page " + number + (language == "zh" ? " --lang zh\n" : "\n")));
      for (const char* cause : {"What Tilescope says:", "Tilescope 的报告：", "hint", "never asks for", "从不用 tl.program_id", "out of bounds", "越界", "race", "竞争", "overflow", "溢出"}) CHECK_MESSAGE(r.out.find(cause) == std::string::npos, cause);
    }
  }
  // What the page itself shows is shown here too.
  CHECK(mentions(lesson({"14", "--page", "6", "--with", home.file("p6.py")}).out, "p6.py:13:13: error: cannot broadcast these shapes"));
  CHECK(mentions(lesson({"14", "--page", "7", "--with", home.file("p7.py")}).out, "c_ptr: 3500 of 3500 elements are wrong"));
  const std::string mended = lesson({"14", "--page", "7", "--with", kLessons + "/14_clinic/patients/patient_6/repaired.py"}).out;
  CHECK(mentions(mended, "c_ptr: all 3500 elements are right.\n"));

  CHECK(mentions(lesson({"14", "--page", "9"}).out, "Answer: "));
  const std::string known = lesson({"14", "--page", "9", "--with", home.file("p9.py")}).out;
  CHECK(mentions(known, "What Tilescope says:\n"));
  CHECK(known.find("is held back") == std::string::npos);
  CHECK(mentions(lesson({"14", "--page", "2", "--with", home.file("p2.py")}).out, "is held back"));
  model::Progress kept = model::load_progress(model::default_progress_path());
  model::keep_progress(model::default_progress_path(), kept, "14_clinic", {2, false, {{2, 0}}});
  CHECK(mentions(lesson({"14", "--page", "2", "--with", home.file("p2.py")}).out, "p2.py:10:9: error: load out of bounds of `y_ptr`"));
}

TEST_CASE("each choice is the right one for some of the patients and none for most, and the folders of patients name no diagnosis") {
  const Expected<lessons::Lesson> l = lessons::load_lesson(kLessons + "/14_clinic");
  REQUIRE(l.ok());
  std::vector<size_t> times(4, 0);
  for (size_t page = 1; page <= 9; ++page) {
    const lessons::Page& p = l->pages[page];
    ++times.at(static_cast<size_t>(p.answer));
    CHECK(mentions(p.launch_path, "patients/patient_" + std::to_string(page) + "/"));
    REQUIRE(p.exercise);
    CHECK(mentions(p.exercise->start_path, "patients/patient_" + std::to_string(page) + "/kernel.py"));
  }
  for (size_t n : times) {
    CHECK(n >= 1);
    CHECK(n <= 3);
  }
}

TEST_CASE("each of the nine patients is mended and checked on its own page") {
  Home home;
  const std::string patients = kLessons + "/14_clinic/patients";
  std::vector<std::string> names;
  for (const auto& e : fs::directory_iterator(patients)) names.push_back(e.path().string());
  std::sort(names.begin(), names.end());
  REQUIRE(names.size() == 9);
  for (size_t i = 0; i < names.size(); ++i) {
    CAPTURE(names[i]);
    const std::string page = std::to_string(i + 2);
    const Result ill = lesson({"14", "--page", page, "--exercise", names[i] + "/kernel.py"});
    CHECK(ill.status != terminal::kFine);
    CHECK(mentions(ill.out, "A hint: tilescope lesson 14 --page " + page + " --hint 1"));
    CHECK(lesson({"14", "--page", page, "--exercise", names[i] + "/repaired.py"}).status == terminal::kFine);
    CHECK(lesson({"14", "--page", page, "--solution"}).out == read(names[i] + "/repaired.py"));
    CHECK(lesson({"14", "--page", page, "--hint", "3"}).status == terminal::kFine);
    CHECK(lesson({"14", "--page", page, "--start", home.file("p" + page + ".py")}).status == terminal::kFine);
    CHECK(read(home.file("p" + page + ".py")) == read(names[i] + "/kernel.py"));
  }
  // A patient is not the lesson's exercise.
  CHECK(lesson({}).out.find("[exercise passed]") == std::string::npos);
  CHECK(mentions(lesson({"14", "--page", "1", "--hint", "1"}).err, "page 1 of lesson 14_clinic has no exercise"));
  CHECK(mentions(lesson({"14", "--page", "1", "--hint", "1"}).err, "pages with an exercise of their own: 2, 3, 4"));
  CHECK(lesson({"14", "--page", "12", "--solution"}).out == read(kLessons + "/14_clinic/solution.py"));
}
