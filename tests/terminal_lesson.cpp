// `tilescope lesson`: what it prints, its exit statuses, and that broken folders and answers end in clear messages.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "lessons/catalogue.h"
#include "visualizer/model/lesson_progress.h"
#include "tests/terminal_lesson_calls.h"
#include "visualizer/terminal/command.h"
#include "visualizer/terminal/lesson_command.h"
#include "visualizer/terminal/lesson_text.h"
#include "visualizer/terminal/lesson_walk.h"

using namespace tilescope;
using namespace tilescope::terminal_calls;

TEST_CASE("lesson lists the lessons in both languages, with how far one has come") {
  Home home;
  Result r = lesson({});
  CHECK(r.status == terminal::kFine);
  CHECK(mentions(r.out, " 1  Programs\n"));
  CHECK(mentions(r.out, " 3  Masks\n"));
  CHECK(mentions(lesson({"--lang", "zh"}).out, "偏移：我的元素在哪里"));
  CHECK(lesson({"1", "--exercise", kLessons + "/01_programs/solution.py"}).status == terminal::kFine);
  CHECK(mentions(lesson({}).out, " 1  Programs   [exercise passed]\n"));
}

TEST_CASE("a lesson is printed whole, with live numbers and drawings, where nobody can answer") {
  Home home;
  const Result r = lesson({"3"});
  CHECK(r.status == terminal::kFine);
  CHECK(r.err.empty());
  CHECK(mentions(r.out, "4 programs of 256 lanes have 1024 lanes together."));
  CHECK(mentions(r.out, "program 3, line 10: x = tl.load(x_ptr + offsets, mask=mask, other=0.0)"));
  CHECK(mentions(r.out, "    192 |########################################........................|  960..1023"));
  CHECK(mentions(r.out, "  # on: 232   . off: 24"));
  CHECK(mentions(r.out, "Answer: 2) 124"));
  CHECK(mentions(r.out, "It still takes cdiv(900, 256) = 4 programs, with 1024 lanes together. 900 of them have a"));
  CHECK(mentions(r.out, "Other numbers: tilescope lesson 3 --page 2 --arg n=900\n"));
  CHECK(r.out.find("{{") == std::string::npos);
  CHECK(lesson({"03_masks"}).out == r.out);
  CHECK(lesson({"masks"}).out == r.out);
  CHECK(lesson({kLessons + "/03_masks"}).out == r.out);
  const Result zh = lesson({"3", "--lang", "zh"});
  CHECK(mentions(zh.out, "  # 开：232   . 关：24"));
  CHECK(mentions(zh.out, "答案：2) 124"));
  const Result matmul = lesson({"8"});
  CHECK(mentions(matmul.out, "     32 |................####|"));
  CHECK(mentions(lesson({"9", "--page", "3"}).out, "  offsets in a_ptr\n          8       9\n         12      13\n"));
  CHECK(mentions(lesson({"1", "--page", "1"}).out, "  program |   >0<    |    1     |    2     |    3     |"));
}

TEST_CASE("a terminal prints the kernel with the page's line marked, and says nothing of the window's keys") {
  Home home;
  const Result first = lesson({"3", "--page", "1"});
  CHECK(mentions(first.out, "    1 | import triton\n"));
  CHECK(mentions(first.out, ">   8 |     offsets = pid * BLOCK + tl.arange(0, BLOCK)\n"));
  const Result all = lesson({"3"});
  // The whole kernel once; then only what is around the line, when it is another one.
  const size_t exercise = all.out.find("The file to start from:");
  REQUIRE(exercise != std::string::npos);
  CHECK(all.out.find("import triton\n") == all.out.rfind("import triton\n", exercise));
  CHECK(mentions(all.out, "\n    8 |     offsets = pid * BLOCK + tl.arange(0, BLOCK)\n>   9 |     mask = offsets < n\n"));
  for (int n = 1; n <= 12; ++n) {
    CAPTURE(n);
    const std::string text = lesson({std::to_string(n)}).out;
    for (const char* words : {"slider", "arrow key", "Click", "click", "PageDown", "Ctrl", "beside this", "at the top", "hatched"}) CHECK_MESSAGE(text.find(words) == std::string::npos, words);
    const std::string chinese = lesson({std::to_string(n), "--lang", "zh"}).out;
    for (const char* words : {"滑块", "方向键", "顶部", "点“", "PageDown", "Ctrl", "斜线"}) CHECK_MESSAGE(chinese.find(words) == std::string::npos, words);
  }
  CHECK(mentions(lesson({"4", "--page", "6"}).out, "  lanes on: 232, off: 24\n"));
}

TEST_CASE("q leaves a lesson at a question too") {
  Home home;
  const Expected<lessons::Lesson> l = lessons::load_lesson(kLessons + "/03_masks");
  REQUIRE(l.ok());
  terminal::Walk w;
  w.first = 1, w.end = l->pages.size(), w.ask = true;
  size_t shown = 0;
  w.read = [&](size_t) { ++shown; };
  std::istringstream in("q\n\n\n");
  std::ostringstream out, err;
  CHECK(terminal::walk_lesson(*l, w, in, out, err) == terminal::kFine);
  CHECK(shown == 1);
  CHECK(out.str().find("Answer:") == std::string::npos);
}

TEST_CASE("every lesson prints in both languages within the width") {
  Home home;
  for (const lessons::CatalogueEntry& e : lessons::list_lessons(kLessons)) {
    for (const char* language : {"en", "zh"}) {
      CAPTURE(e.name);
      const Result r = lesson({e.name, "--lang", language});
      CHECK(r.status == terminal::kFine);
      CHECK(r.out.find("{{") == std::string::npos);
      std::istringstream in(r.out);
      for (std::string line; std::getline(in, line);) CHECK_MESSAGE(terminal::display_width(line) <= 100, line);
    }
  }
}

TEST_CASE("the K loop and the threads of an access are drawn, under the names that the texts use") {
  Home home;
  const std::string loop = lesson({"8", "--page", "4"}).out;
  CHECK(mentions(loop, "K loop: program (1, 0), line 17: acc += tl.dot(a, b)\n"));
  CHECK(mentions(loop, "  round 2 of 2: A[32..63, 32..63] x B[32..63, 0..31] -> C[32..63, 0..31]\n"));
  CHECK(mentions(loop, "    A            C\n    |........|  |............|\n"));
  CHECK(mentions(loop, "    |::::####|  |####........|\n"));
  CHECK(mentions(lesson({"10", "--page", "2"}).out, "  lanes that are off: "));
  const std::string threads = lesson({"4", "--page", "6"}).out;
  CHECK(mentions(threads, "Threads: program 3, line 11: x = tl.load"));
  CHECK(mentions(threads, "  128 threads hold 2 elements each"));
  CHECK(mentions(threads, "  warp 0, thread   1: elements 2 3\n"));
  CHECK(mentions(lesson({"4", "--page", "6", "--lang", "zh"}).out, "  128 个线程，每个拿着 2 个元素"));
}

TEST_CASE("a person is asked before the answer is shown, and may go back and leave") {
  Home home;
  const Expected<lessons::Lesson> l = lessons::load_lesson(kLessons + "/01_programs");
  REQUIRE(l.ok());
  std::vector<size_t> pages;
  terminal::Walk w;
  w.first = 1, w.end = l->pages.size(), w.ask = true;
  w.read = [&](size_t page) { pages.push_back(page); };
  std::istringstream in("\n1\nx\n99\n3\nb\nb\n\nq\n");
  std::ostringstream out, err;
  CHECK(terminal::walk_lesson(*l, w, in, out, err) == terminal::kFine);
  // Page 2, on to 3: a wrong guess, two that are none, the right one; back to 2, which is the first; on; the end of the input.
  CHECK(pages == std::vector<size_t>{1, 2, 1, 1, 2});
  CHECK(mentions(out.str(), "Not this one. Try again."));
  CHECK(mentions(out.str(), "Right.\n"));
  CHECK(out.str().find("Answer:") == std::string::npos);
}

TEST_CASE("a number typed at a prompt runs the launch again; one that cannot be is refused and changes nothing") {
  const Expected<lessons::Lesson> l = lessons::load_lesson(kLessons + "/03_masks");
  REQUIRE(l.ok());
  const auto walked = [&](const std::string& typed) {
    terminal::Walk w;
    w.first = 1, w.end = 3, w.ask = true, w.name = "3";
    std::vector<size_t> pages;
    w.read = [&](size_t page) { pages.push_back(page); };
    std::istringstream in(typed);
    std::ostringstream out, err;
    CHECK(terminal::walk_lesson(*l, w, in, out, err) == terminal::kFine);
    return std::pair(out.str(), pages);
  };
  const auto [out, pages] = walked("n=900\n2\nBLOCK=100\nnothing=1\nn=x\nx_ptr=1\n\nn=800\nq\n");
  CHECK(mentions(out, "Numbers to change: n=1000. Type one with another value, for instance n=900\n"));
  CHECK(mentions(out, "Numbers to change: n=900. Type one with another value, for instance n=1000"));
  CHECK(mentions(out, "132 lanes are on and 124 are off"));       // at the question, before it is answered
  CHECK(mentions(out, "power of two"));                           // BLOCK = 100 does not compile
  CHECK(mentions(out, "The number stays as it was."));
  CHECK(mentions(out, "There is no such number. There are: n=900 BLOCK=256"));
  CHECK(mentions(out, "1000 lanes are on and 24 off"));           // the next page begins with the lesson's own numbers
  CHECK(mentions(out, "800 lanes are on and 224 off"));
  CHECK(pages == std::vector<size_t>{1, 2, 2});
}

TEST_CASE("a number of 0 typed on one page leaves nothing behind on the next ones") {
  const Expected<lessons::Lesson> l = lessons::load_lesson(kLessons + "/06_stability");
  REQUIRE(l.ok());
  // The drawing of the last page that is shown.
  const auto drawing = [&](size_t first, const std::string& typed) {
    terminal::Walk w;
    w.first = first, w.end = l->pages.size(), w.ask = true, w.name = "6";
    std::istringstream in(typed);
    std::ostringstream out, err;
    CHECK(terminal::walk_lesson(*l, w, in, out, err) == terminal::kFine);
    const std::string printed = out.str();
    const size_t at = printed.rfind("\nTile:");
    REQUIRE(at != std::string::npos);
    return printed.substr(at, printed.find("\n\n", at + 1) - at);
  };
  const std::string four = drawing(3, "q\n"), five = drawing(4, "q\n");
  CHECK(mentions(four, "lanes in brackets are off: 1, on: 3"));
  CHECK(drawing(2, "N=0\n\n\nq\n") == four);
  CHECK(drawing(3, "N=0\n\n\nq\n") == five);
  CHECK(drawing(2, "N=2\nN=0\nBLOCK=3\n\n\nq\n") == four);
  CHECK(drawing(2, "N=0\nBLOCK=8\n\n\nN=0\n\n\nq\n") == five);
}

TEST_CASE("what is no guess is answered with what can be typed, in both languages") {
  Home home;
  const Expected<lessons::Lesson> l = lessons::load_lesson(kLessons + "/03_masks");
  REQUIRE(l.ok());
  for (const auto& [language, words] : {std::pair<size_t, std::string>{lessons::kEnglish, "That is no guess. Type a number from 1 to 4, or nothing"}, {lessons::kChinese, "可以输入：1 到 4 的一个数"}})
    for (const std::string typed : {"9", "one", "b", "0", "-1", "2x", "99999999999"}) {
      CAPTURE(typed);
      terminal::Walk w;
      w.language = language, w.first = 1, w.end = 2, w.ask = true;
      int answers = 0;
      w.answered = [&](size_t, int) { ++answers; };
      std::istringstream in(typed + "\nq\n");
      std::ostringstream out, err;
      CHECK(terminal::walk_lesson(*l, w, in, out, err) == terminal::kFine);
      CHECK(mentions(out.str(), words));
      CHECK(answers == 0);
    }
}

TEST_CASE("the page of the exercise shows the file to start from, and at the end the next lesson is named") {
  Home home;
  const Result r = lesson({"2", "--page", "7"});
  CHECK(mentions(r.out, "The file to start from:\n\n    1 | import triton\n"));
  CHECK(mentions(r.out, "def transpose_kernel("));
  CHECK(r.out.find("add_kernel") == std::string::npos);
  CHECK(mentions(lesson({"2", "--page", "7", "--lang", "zh"}).out, "初始文件：\n\n    1 | import triton\n"));

  const Expected<lessons::Lesson> l = lessons::load_lesson(kLessons + "/02_offsets");
  REQUIRE(l.ok());
  terminal::Walk w;
  w.first = 6, w.end = 7, w.ask = true, w.next = "3";
  std::istringstream in("\n");
  std::ostringstream out, err;
  CHECK(terminal::walk_lesson(*l, w, in, out, err) == terminal::kFine);
  CHECK(mentions(out.str(), "The next lesson: tilescope lesson 3\n"));
}

TEST_CASE("a file checked against a whole lesson's exercise is told of the pages with exercises of their own") {
  Home home;
  const std::string patient = kLessons + "/14_clinic/patients/patient_1/repaired.py";
  CHECK(mentions(lesson({"14", "--exercise", patient}).out, "With --page N it is that of a page: 2, 3, 4, 5, 6, 7, 8, 9, 10\n"));
  CHECK(lesson({"14", "--page", "2", "--exercise", patient}).status == terminal::kFine);
  CHECK(lesson({"1", "--exercise", kLessons + "/01_programs/exercise.py"}).out.find("--page") == std::string::npos);
}

TEST_CASE("an answer passes with status 0; a wrong one ends with 1, a fault with 3, one that does not compile with 2") {
  Home home;
  const std::string folder = kLessons + "/01_programs/";
  Result r = lesson({"1", "--exercise", folder + "solution.py"});
  CHECK(r.status == terminal::kFine);
  CHECK(mentions(r.out, "Passed, on all 5 launches:\n  n = 1024, BLOCK = 256\n"));
  CHECK(mentions(lesson({"1", "--exercise", folder + "solution.py", "--lang", "zh"}).out, "通过。5 组都对"));
  r = lesson({"1", "--exercise", folder + "mistakes/doubles.py"});
  CHECK(r.status == terminal::kDifferent);
  CHECK(mentions(r.out, "A hint: tilescope lesson 1 --hint 1"));
  r = lesson({"1", "--exercise", folder + "mistakes/no_mask.py"});
  CHECK(r.status == terminal::kFault);
  CHECK(mentions(r.out, "program 3, line 10: x = tl.load(x_ptr + offsets)"));
  CHECK(mentions(r.out, "no_mask.py:10:"));
  r = lesson({"1", "--exercise", home.write("broken.py", "import triton\n@triton.jit\ndef square_kernel(:\n")});
  CHECK(r.status == terminal::kUsage);
  CHECK(mentions(r.out, "a kernel that compiles"));
  r = lesson({"1", "--exercise", home.file("none.py")});
  CHECK(r.status == terminal::kUsage);
  CHECK(mentions(r.err, "none.py"));
}

TEST_CASE("the file to start from is written once and never over another") {
  Home home;
  const std::string mine = home.file("my.py");
  CHECK(lesson({"2", "--start", mine}).status == terminal::kFine);
  CHECK(read(mine) == read(kLessons + "/02_offsets/exercise.py"));
  std::ofstream(mine) << "mine";
  const Result r = lesson({"2", "--start", mine});
  CHECK(r.status == terminal::kUsage);
  CHECK(mentions(r.err, "is there already"));
  CHECK(read(mine) == "mine");
  CHECK(lesson({"2", "--start", home.file("no/such/folder/my.py")}).status == terminal::kUsage);
}

TEST_CASE("hints and a solution are printed") {
  Home home;
  CHECK(mentions(lesson({"1", "--hint", "1"}).out, "Program 0 is right already."));
  CHECK(mentions(lesson({"1", "--hint", "3", "--lang", "zh"}).out, "    pid = tl.program_id(0)\n"));
  CHECK(lesson({"1", "--solution"}).out == read(kLessons + "/01_programs/solution.py"));
  CHECK(lesson({"1", "--hint", "4"}).status == terminal::kUsage);
}

TEST_CASE("a watched file is checked again when it changes") {
  Home home;
  const Expected<lessons::Lesson> l = lessons::load_lesson(kLessons + "/01_programs");
  REQUIRE(l.ok());
  const std::string mine = home.write("my.py", read(l->exercise->start_path));
  std::ostringstream out, err;
  int asked = 0;
  std::vector<int> statuses;
  const auto go_on = [&](int status) {
    if (statuses.empty() || statuses.back() != status) statuses.push_back(status);
    if (++asked == 1) {
      home.write("my.py", read(l->exercise->solution_path));
      fs::last_write_time(mine, fs::last_write_time(mine) + std::chrono::seconds(2));
    }
    return status != terminal::kFine && asked < 20;
  };
  CHECK(terminal::watch_exercise(*l->exercise, mine, 0, go_on, out, err) == terminal::kFine);
  CHECK(statuses == std::vector<int>{terminal::kDifferent, terminal::kFine});
  CHECK(terminal::watch_exercise(*l->exercise, home.file("none.py"), 0, go_on, out, err) == terminal::kUsage);
}

TEST_CASE("bad usage is refused with what to do instead") {
  Home home;
  CHECK(mentions(lesson({"99"}).err, "there is no lesson \"99\""));
  CHECK(mentions(lesson({"mask"}).err, "did you mean masks?"));
  CHECK(mentions(lesson({"--hint", "1"}).err, "which lesson?"));
  std::ostringstream out, err;
  CHECK(terminal::tilescope_main({"view", "99"}, out, err) == terminal::kUsage);
  CHECK(mentions(err.str(), "there is no lesson \"99\""));
  CHECK(mentions(lesson({"1", "--watch"}).err, "--watch goes with --exercise"));
  CHECK(mentions(lesson({"1", "--hint", "1", "--solution"}).err, "at a time"));
  CHECK(mentions(lesson({"1", "--page", "100"}).err, "the lesson has"));
  CHECK(mentions(lesson({kLessons + "/kernels/softmax", "--hint", "1"}).err, "has no exercise"));
  setenv("TILESCOPE_LESSONS", home.path.c_str(), 1);
  const Result r = lesson({});
  CHECK(r.status == terminal::kUsage);
  CHECK(mentions(r.err, "there are no lessons in"));
}

TEST_CASE("--arg changes numbers of the launch, and the text follows") {
  Home home;
  const Result r = lesson({"3", "--page", "3", "--arg", "n=900"});
  CHECK(r.status == terminal::kFine);
  CHECK(mentions(r.out, "Over all programs, 900 lanes are on and 124 off, and those that are on request 3600"));
  CHECK(mentions(r.out, "  # on: 132   . off: 124"));
  // Fewer programs than the page's: the last one is shown.
  CHECK(mentions(lesson({"3", "--page", "3", "--arg", "n=100"}).out, "program 0, line 10"));
  CHECK(mentions(lesson({"12", "--page", "4", "--arg", "M=128", "--arg", "GROUP_M=3"}).out, "  height = 2"));
  CHECK(mentions(lesson({"3", "--arg", "m=9"}).err, "--arg m=9: the lesson has no such number"));
  CHECK(mentions(lesson({"3", "--arg", "m=9"}).err, "numbers of this lesson: n BLOCK"));
  CHECK(lesson({"3", "--arg", "x_ptr=f32[4]=zeros"}).status == terminal::kUsage);
  CHECK(lesson({"3", "--arg", "n"}).status == terminal::kUsage);
  CHECK(lesson({"3", "--arg", "BLOCK=3"}).status == terminal::kUsage);
  CHECK(lesson({"3", "--arg", "n=9", "--hint", "1"}).status == terminal::kUsage);
  CHECK(lesson({"--arg", "n=9"}).status == terminal::kUsage);
}

TEST_CASE("what the pages promise of other numbers is so") {
  Home home;
  const auto with = [](std::vector<std::string> args) { return lesson(std::move(args)).out; };
  const auto healthy = [](const std::string& out) { return out.find("elements are wrong") == std::string::npos && out.find("What Tilescope says") == std::string::npos && out.find("Answer:") != std::string::npos; };
  CHECK(healthy(with({"14", "--page", "2", "--arg", "n=1024"})));
  CHECK(healthy(with({"14", "--page", "3", "--arg", "N=45"})));
  CHECK(healthy(with({"14", "--page", "7", "--arg", "N=40"})));
  CHECK(healthy(with({"14", "--page", "8", "--arg", "K=64"})));
  CHECK(healthy(with({"14", "--page", "9", "--arg", "M=32", "--arg", "N=32"})));
  for (const char* page : {"2", "3", "4", "5", "7", "8", "9"}) CHECK_FALSE(healthy(with({"14", "--page", page})));
  CHECK(mentions(with({"1", "--page", "3", "--arg", "BLOCK=128"}), "cdiv(n, BLOCK) = ⌈n / BLOCK⌉ = 8\n"));
  CHECK(mentions(with({"4", "--page", "2", "--arg", "BLOCK=512"}), "grid: 2 programs"));
  CHECK(mentions(with({"5", "--page", "3", "--arg", "BLOCK=16"}), "in 4 rounds"));
  CHECK(mentions(with({"8", "--page", "2", "--arg", "N=96"}), "columns only 32 exist"));
  CHECK(mentions(with({"8", "--page", "7", "--arg", "BLOCK_N=64"}), "once by each column of tiles: 2 times here"));
  CHECK(mentions(with({"10", "--page", "1", "--arg", "M=64", "--arg", "K=64"}), "2 rows of tiles reach 0 rows too far"));
  CHECK(mentions(lesson({"10", "--page", "7", "--arg", "BLOCK_K=8"}).err, "16"));
  CHECK(mentions(with({"11", "--page", "2", "--arg", "BLOCK_M=1", "--arg", "BLOCK_N=1"}), "With tiles of 1 x 1 it comes to 64."));
  CHECK(mentions(with({"11", "--page", "3", "--arg", "BLOCK_N=32"}), "So A is read 2 times and B 4 times"));
  CHECK(mentions(with({"11", "--page", "3", "--arg", "BLOCK_M=1", "--arg", "BLOCK_N=1"}), "So A is read 64 times and B 64 times"));
  CHECK(mentions(with({"9", "--page", "5", "--arg", "stride_m=1", "--arg", "stride_k=4"}), "  offsets in a_ptr\n         10      14\n         11      15\n"));
  CHECK(mentions(with({"12", "--page", "2", "--arg", "GROUP_M=3"}), "its first 9 programs load 1536 numbers of A and 1536 of"));
}

TEST_CASE("--check says what is wrong with a lesson, or that nothing is") {
  Home home;
  Result r = lesson({"--check", "1"});
  CHECK(r.status == terminal::kFine);
  CHECK(r.out == "01_programs: nothing is wrong (7 pages, 2 questions, 1 exercise, 9 planted mistakes)\n");
  fs::copy(kLessons + "/01_programs", home.path / "01_mine", fs::copy_options::recursive);
  std::string text = read(home.file("01_mine/lesson.json"));
  text.replace(text.find("\"memory\""), 8, "\"memroy\"");
  home.write("01_mine/lesson.json", text);
  r = lesson({"--check", home.file("01_mine")});
  CHECK(r.status == terminal::kUsage);
  CHECK(r.out == "01_mine: 1 problem\n");
  CHECK(mentions(r.err, "01_mine/lesson.json: pages[3].panel: there is no panel \"memroy\""));
  fs::copy(kLessons + "/02_offsets", home.path / "02_right", fs::copy_options::recursive);
  setenv("TILESCOPE_LESSONS", home.path.c_str(), 1);
  r = lesson({"--check"});
  CHECK(r.status == terminal::kUsage);
  CHECK(mentions(r.out, "01_mine: 1 problem\n02_right: nothing is wrong"));
  CHECK(lesson({"--check", "none"}).status == terminal::kUsage);
  CHECK(lesson({"--check", "2", "--hint", "1"}).status == terminal::kUsage);
}

TEST_CASE("a broken lesson folder is told of and the others are listed") {
  Home home;
  home.write("01_bad/lesson.json", "{");
  home.write("02_good/lesson.json", R"({"title": {"en": "Good", "zh": "好"}, "launch": "launch.json", "pages": [{}]})");
  home.write("02_good/lesson.en.md", "# a");
  home.write("02_good/lesson.zh.md", "# b");
  setenv("TILESCOPE_LESSONS", home.path.c_str(), 1);
  Result r = lesson({});
  CHECK(r.status == terminal::kUsage);
  CHECK(mentions(r.err, "01_bad/lesson.json: not JSON"));
  CHECK(mentions(r.out, " 2  Good"));
  r = lesson({"2"});
  CHECK(r.status == terminal::kUsage);
  CHECK(mentions(r.err, "launch.json"));
}

TEST_CASE("progress that cannot be read counts as none, and what is kept is read again") {
  Home home;
  using model::Progress;
  const std::string path = home.file("sub/lessons.json");
  CHECK(model::load_progress(path).empty());
  const Progress p{{"01_programs", {3, true}}, {"x", {0, false}}};
  CHECK_FALSE(model::save_progress(path, p));
  CHECK(model::load_progress(path) == p);
  const Progress told{{"told", {2, false, {{2, 1}}, {3}, {2, 4}}}};
  CHECK_FALSE(model::save_progress(home.file("told.json"), told));
  CHECK(model::load_progress(home.file("told.json")) == told);
  for (const char* text : {"", "[1]", "{\"a\": 1}", "{\"a\""}) {
    home.write("sub/lessons.json", text);
    CHECK(model::load_progress(path).empty());
  }
  home.write("sub/lessons.json", R"({"a": {"page": -1, "passed": 1}, "b": {"page": 1e99}, "c": {"page": 99999999999}})");
  CHECK(model::load_progress(path) == Progress{{"a", {0, false}}, {"b", {0, false}}, {"c", {1000, false}}});
}

TEST_CASE("text is wrapped to the width, Chinese by two columns and with no closing mark at a line's start") {
  using terminal::wrap_text;
  CHECK(wrap_text("one two three", 7) == std::vector<std::string>{"one two", "three"});
  CHECK(wrap_text("abcdefgh", 3) == std::vector<std::string>{"abc", "def", "gh"});
  CHECK(wrap_text("", 5) == std::vector<std::string>{""});
  // A list in brackets stays together, whatever stands around it.
  CHECK(wrap_text("what is [3, 4] here", 12) == std::vector<std::string>{"what is", "[3, 4] here"});
  CHECK(wrap_text("算出 [−2, −1] 的和", 12) == std::vector<std::string>{"算出", "[−2, −1] 的", "和"});
  CHECK(wrap_text("program (1, 0)", 11) == std::vector<std::string>{"program", "(1, 0)"});
  CHECK(wrap_text("a (b (c, d", 8) == std::vector<std::string>{"a (b (c,", "d"});
  CHECK(wrap_text("a\nb", 5) == std::vector<std::string>{"a", "b"});
  CHECK(wrap_text("一二三，四", 6) == std::vector<std::string>{"一二", "三，四"});
  CHECK(wrap_text("用 `BLOCK` 个", 10) == std::vector<std::string>{"用 `BLOCK`", "个"});
  CHECK(terminal::display_width("a中·") == 4);
  for (const std::string& line : wrap_text(std::string("\xff\xfe broken \xe4\xb8", 12), 4)) CHECK(terminal::display_width(line) <= 4);
}

TEST_CASE("choices of a question and its answer speak of the lesson's own numbers, whatever --arg says") {
  Home home;
  const Result r = lesson({"1", "--page", "3", "--arg", "n=100"});
  CHECK(r.status == terminal::kFine);
  CHECK(mentions(r.out, "  1) 2\n  2) 4\n  3) 8\n  4) 128\n"));
  CHECK(mentions(r.out, "Answer: 3) 8\n"));
}

TEST_CASE("a lesson elsewhere that has the name of one of Tilescope's own is not passed with it") {
  Home home;
  fs::create_directories(home.file("other"));
  fs::copy(kLessons + "/01_programs", home.file("other/01_programs"), fs::copy_options::recursive);
  CHECK(lesson({home.file("other/01_programs"), "--exercise", kLessons + "/01_programs/solution.py"}).status == terminal::kFine);
  CHECK_FALSE(mentions(lesson({}).out, "[exercise passed]"));
  setenv("TILESCOPE_LESSONS", home.file("other").c_str(), 1);
  CHECK(mentions(lesson({}).out, " 1  Programs   [exercise passed]\n"));
}
