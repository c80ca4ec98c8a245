// A learner's way through an exercise in the window, by script.
#include <doctest/doctest.h>
#ifndef TILESCOPE_NO_WINDOW

#include "lessons/catalogue.h"
#include "lessons/lesson.h"
#include "window_run.h"

using namespace window_run;

namespace {

std::string folder_of(const std::string& lesson) { return std::string(TILESCOPE_SOURCE_DIR) + "/lessons/" + lesson; }

/// Replaces what is written by a file.
std::string write_answer(const std::string& file) { return "wait\nclick panel.source 0.5 0.2\nkey Ctrl+A\npaste " + file + "\nframes 3\nwait\n"; }

/// On the last page, with settings in the folder: progress and answers are kept there.
Result at_exercise(const Folder& folder, const std::string& lesson, const std::string& script, const std::string& options = "--page 99") {
  std::string page = options;
  if (page == "--page 99") page = "--page " + std::to_string(tilescope::lessons::load_lesson(folder_of(lesson)).value().pages.size());
  return play(folder, folder_of(lesson), script, "--size 1280x720 --settings " + quoted(folder.file("window.json")) + " " + page, 300);
}

std::string differs(const Result& r, const Json& expected) {
  if (r.status != 0) return "status " + std::to_string(r.status) + ": " + r.output;
  return missing(expected, r.state);
}

}  // namespace

TEST_CASE("a learner writes a wrong answer, sees where it fails, writes a right one, and goes on to the next lesson") {
  if (!can_draw()) return;
  const Folder folder;
  const std::string lesson = folder_of("01_programs");
  const std::string start = read(lesson + "/exercise.py");
  // One mistake: the mask is forgotten.
  Result r = at_exercise(folder, "01_programs", write_answer(lesson + "/mistakes/no_mask.py") + "click lesson.check\nwait\n");
  CHECK(differs(r, {{"lesson", {{"check", "failed"}, {"old", false}, {"launch", {{"exercise", true}, {"number", 0}}},
                                {"failure", {{"kind", "fault"}, {"launch", 1}, {"line", 10}, {"program", {3, 0, 0}}, {"label", "n = 1000, BLOCK = 256"}}},
                                {"answer", folder.file("answers/01_programs.py")}}}}) == "");
  CHECK(read(folder.file("answers/01_programs.py")) == read(lesson + "/mistakes/no_mask.py"));
  // Opened again, the answer is there. A click leads to the launch, the program and the line that failed.
  r = at_exercise(folder, "01_programs", "wait\nclick lesson.check\nwait\nclick lesson.failure\nframes 2\nwait\n");
  CHECK(differs(r, {{"line", 10}, {"faults", 1}, {"arguments", {{"n", "1000"}, {"BLOCK", "256"}}}, {"state", {{"program", {3, 0, 0}}, {"front_tab", {{"centre", "source"}}}}},
                    {"lesson", {{"launch", {{"number", 1}}}, {"progress", {{"01_programs", {{"page", 7}, {"passed", false}}}}}}}}) == "");
  // The right answer passes; editing and checking stay at that launch.
  r = at_exercise(folder, "01_programs", "wait\nclick lesson.check\nwait\nclick lesson.failure\nframes 2\nwait\n" + write_answer(lesson + "/solution.py") +
                                             "state between.json\nclick lesson.check\nwait\n");
  CHECK(missing({{"lesson", {{"check", "failed"}, {"old", true}}}, {"errors", Json::array()}, {"faults", 0}}, Json::parse(read(folder.file("between.json")))) == "");
  CHECK(differs(r, {{"lesson", {{"check", "passed"}, {"old", false}, {"solution", true}, {"launch", {{"number", 1}}}, {"progress", {{"01_programs", {{"passed", true}}}}}}}}) == "");
  CHECK(Json::parse(read(folder.file("lessons.json"))).at("01_programs") == Json({{"page", 7}, {"passed", true}}));
  // The next lesson opens in the same window; the answer is as it was left, and the lesson's own file was never written.
  r = at_exercise(folder, "01_programs", "wait\nclick lesson.next_lesson\nframes 2\nwait\n");
  CHECK(differs(r, {{"lesson", {{"name", "02_offsets"}, {"page", 1}, {"check", "none"}, {"launch", {{"exercise", false}}}}}, {"errors", Json::array()}}) == "");
  CHECK(read(folder.file("answers/01_programs.py")) == read(lesson + "/solution.py"));
  CHECK(read(lesson + "/exercise.py") == start);
}

TEST_CASE("a failure of every lesson's first mistake can be opened") {
  if (!can_draw()) return;
  const Folder folder;
  std::string script;
  std::vector<std::string> names;
  for (const tilescope::lessons::CatalogueEntry& e : tilescope::lessons::list_lessons(std::string(TILESCOPE_SOURCE_DIR) + "/lessons")) {
    const auto lesson = tilescope::lessons::load_lesson(e.folder);
    if (!lesson->exercise || lesson->exercise->mistakes.empty()) continue;
    names.push_back(e.name);
    script += "click lesson.title\nframes 1\nclick lesson.open." + e.name + "\nframes 1\nclick lesson.page." + std::to_string(lesson->pages.size()) + "\nframes 1\n" +
              write_answer(lesson->exercise->mistakes[0].path) + "click lesson.check\nwait\nclick lesson.failure\nframes 1\nwait\nframes 2\nstate " + e.name + ".json\nclick tab.memory\nframes 2\nstate " + e.name + ".memory.json\nclick tab.grid\nframes 2\n";
  }
  const Result r = at_exercise(folder, "01_programs", "wait\n" + script, "--page 1");
  REQUIRE_MESSAGE(r.status == 0, r.output);
  int marked = 0;
  for (const std::string& name : names) {
    CAPTURE(name);
    const Json state = Json::parse(read(folder.file(name + ".json")));
    CHECK(state.at("lesson").at("name") == name);
    CHECK(state.at("lesson").at("check") == "failed");
    const Json& failure = state.at("lesson").at("failure");
    if (failure.at("kind") == "compile") continue;
    CHECK(state.at("errors") == Json::array());
    if (failure.at("label") != "") CHECK(state.at("lesson").at("launch").at("number") == failure.at("launch"));
    if (!failure.at("program").is_null()) CHECK(state.at("state").at("program") == failure.at("program"));
    if (failure.at("line") != 0) CHECK(state.at("line") == failure.at("line"));
    if (failure.at("label") == "") continue;
    // Source says it under the statement, Memory marks the element.
    CHECK(state.at("lesson").at("failure_opened") == true);
    const auto says = [](const Json& places) {
      for (const auto& [place, at] : places.items())
        if (place.starts_with("source.message.")) return true;
      return false;
    };
    if (failure.at("line") != 0) CHECK(says(state.at("places")));
    if (!failure.contains("tensor")) continue;
    const Json memory = Json::parse(read(folder.file(name + ".memory.json")));
    CHECK(memory.at("places").contains("memory.failure." + failure.at("tensor").get<std::string>()));
    ++marked;
  }
  CHECK(marked >= 6);
  CHECK(names.size() >= 13);
}

TEST_CASE("a check can be stopped, the text may change meanwhile, and the window closes while it runs") {
  if (!can_draw()) return;
  const Folder folder;
  const auto slow = [](int iterations) {
    return "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef square_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):\n    s = tl.arange(0, 32768) * 1.0\n"
           "    for i in range(" + std::to_string(iterations) + "):\n        s += tl.exp(tl.sin(s))\n    tl.store(out_ptr, tl.sum(s))\n";
  };
  write(folder.file("slow.py"), slow(2000));
  write(folder.file("slower_than_a_frame.py"), slow(30));
  const auto checking = [](const std::string& file) { return "wait\nclick panel.source 0.5 0.2\nkey Ctrl+A\npaste " + file + "\nclick lesson.check\nframes 1\nstate running.json\n"; };
  const std::string begin = checking("slow.py");
  Result r = at_exercise(folder, "01_programs", begin + "click lesson.stop\nframes 2\n");
  CHECK(missing({{"lesson", {{"check", "running"}, {"checking", 1}}}}, Json::parse(read(folder.file("running.json")))) == "");
  CHECK(differs(r, {{"lesson", {{"check", "stopped"}, {"old", false}}}}) == "");
  r = at_exercise(folder, "01_programs", begin);
  CHECK(differs(r, {{"lesson", {{"check", "running"}}}}) == "");
  r = at_exercise(folder, "01_programs", checking("slower_than_a_frame.py") + write_answer(folder_of("01_programs") + "/solution.py"));
  CHECK(differs(r, {{"lesson", {{"check", "failed"}, {"old", true}}}}) == "");
  r = at_exercise(folder, "01_programs", begin + "click lesson.title\nframes 2\nclick lesson.open.03_masks\nframes 3\nwait\n");
  CHECK(differs(r, {{"lesson", {{"name", "03_masks"}, {"check", "none"}}}}) == "");
}

TEST_CASE("an answer whose file cannot be written is kept beside it, the window says so, and it is there again") {
  if (!can_draw()) return;
  const Folder folder;
  fs::create_directories(folder.file("answers/01_programs.py"));
  const std::string aside = folder.file("01_programs.kept.py"), write_one = "wait\nclick source.line.1\nkey Home\ntype #1\nframes 3\n";
  Result r = at_exercise(folder, "01_programs", write_one + "wait\nframes 15\n");
  CHECK(r.state.at("lesson").at("answer_problem").get<std::string>().find("Your text is kept in " + aside) != std::string::npos);
  CHECK(r.state.at("places").contains("notice"));
  CHECK(read(aside).starts_with("#1"));
  r = at_exercise(folder, "01_programs", write_one);
  CHECK(read(aside).starts_with("#1#1"));
  CHECK(r.output.find(aside) != std::string::npos);  // said once more at the end
  CHECK(fs::is_directory(folder.file("answers/01_programs.py")));
}

TEST_CASE("while somebody writes, a click on a value goes to the text; pasting elsewhere says where to click") {
  if (!can_draw()) return;
  const Folder folder;
  const std::string value = "wait\nclick source.line.1\nframes 2\nclick source.value.offsets.7\ntype XX\nframes 3\n";
  Result r = at_exercise(folder, "01_programs", value);
  CHECK(r.state.at("state").at("pinned_variable").is_null());
  const std::string text = read(folder.file("answers/01_programs.py"));
  CHECK(text.find("give each its ownXX\n") != std::string::npos);
  const Folder other;
  write(other.file("some.py"), "x = 1\n");
  r = at_exercise(other, "01_programs", "wait\npaste some.py\nframes 2\n");
  CHECK(r.state.at("message") == "To paste, click into the text in Source first.");
  CHECK_FALSE(fs::exists(other.file("answers/01_programs.py")));
}

TEST_CASE("hints come one at a time; the solution may be seen after the third, and is put in place only when asked for") {
  if (!can_draw()) return;
  const Folder folder;
  const std::string hints = "wait\nclick lesson.hint\nclick lesson.hint\nstate two.json\nclick lesson.hint\nframes 2\nclick lesson.solution\nframes 3\n";
  Result r = at_exercise(folder, "01_programs", hints + "state shown.json\nclick solution.close\n");
  CHECK(missing({{"lesson", {{"hints", 2}, {"solution", false}}}}, Json::parse(read(folder.file("two.json")))) == "");
  CHECK(Json::parse(read(folder.file("shown.json"))).at("places").contains("solution.use"));
  CHECK(differs(r, {{"popup", 0}, {"lesson", {{"hints", 3}, {"solution", true}}}}) == "");
  CHECK_FALSE(fs::exists(folder.file("answers/01_programs.py")));
  r = at_exercise(folder, "01_programs", hints + "click solution.use\nframes 3\nwait\nclick lesson.check\nwait\n");
  CHECK(differs(r, {{"lesson", {{"check", "passed"}}}}) == "");
  CHECK(read(folder.file("answers/01_programs.py")) == read(folder_of("01_programs") + "/solution.py"));
}

TEST_CASE("resetting asks first, and can be undone") {
  if (!can_draw()) return;
  const Folder folder;
  const std::string mine = "wait\nclick source.line.1\nkey Ctrl+A\ntype mine\nframes 3\n";
  Result r = at_exercise(folder, "01_programs", mine + "click lesson.reset\nframes 2\nclick reset.no\nframes 3\n");
  CHECK(differs(r, {{"popup", 0}}) == "");
  CHECK(read(folder.file("answers/01_programs.py")) == "mine");
  at_exercise(folder, "01_programs", "wait\nclick lesson.reset\nframes 2\nclick reset.yes\nframes 3\n");
  CHECK(read(folder.file("answers/01_programs.py")) == read(folder_of("01_programs") + "/exercise.py"));
  at_exercise(folder, "01_programs", mine + "click lesson.reset\nframes 2\nclick reset.yes\nframes 3\nclick source.line.1\nkey Ctrl+Z\nframes 3\n");
  CHECK(read(folder.file("answers/01_programs.py")) == "mine");
}

TEST_CASE("going back from the exercise shows the lesson's launch with its edits, and the answer stays") {
  if (!can_draw()) return;
  const Folder folder;
  const std::string script =
      "wait\nclick tab.source\nframes 3\nclick source.line.1\nkey Home\ntype # mine\nkey Enter\nframes 3\nclick tab.lesson\nframes 3\nclick lesson.page.7\nframes 3\nwait\n"
      "click source.line.1\nkey Home\ntype # answer\nkey Enter\nframes 3\nclick lesson.back\nframes 3\nwait\nclick tab.source\nframes 3\nstate lesson.json\n"
      "click tab.lesson\nframes 3\nclick lesson.page.7\nframes 3\nwait\nkey Ctrl+S\nframes 2\n";
  const Result r = at_exercise(folder, "01_programs", script, "--page 1");
  const Json back = Json::parse(read(folder.file("lesson.json")));
  CHECK(missing({{"lesson", {{"page", 6}, {"launch", {{"exercise", false}}}}}, {"state", {{"program", {0, 0, 0}}}}}, back) == "");
  CHECK(back.at("places").contains("source.line.14"));  // one more than the file has
  CHECK(differs(r, {{"lesson", {{"page", 7}, {"launch", {{"exercise", true}}}}}, {"message", "saved " + folder.file("answers/01_programs.py")}}) == "");
  CHECK(read(folder.file("answers/01_programs.py")).starts_with("# answer\n"));
}

TEST_CASE("a lesson opens where one was, unless a page is named or it was passed; others are marked in the list") {
  if (!can_draw()) return;
  const Folder folder;
  write(folder.file("lessons.json"), R"({"01_programs": {"page": 3, "passed": false}, "02_offsets": {"page": 6, "passed": true}})");
  Result r = at_exercise(folder, "01_programs", "wait\nclick lesson.title\nframes 2\n", "");
  CHECK(differs(r, {{"lesson", {{"page", 3}, {"progress", {{"02_offsets", {{"passed", true}}}}}}}}) == "");
  CHECK(r.state.at("places").contains("lesson.open.14_clinic"));
  r = at_exercise(folder, "01_programs", "wait\nclick lesson.next\nframes 2\n", "--page 1");
  CHECK(differs(r, {{"lesson", {{"page", 2}}}}) == "");
  CHECK(Json::parse(read(folder.file("lessons.json"))).at("01_programs").at("page") == 3);
  CHECK(differs(at_exercise(folder, "02_offsets", "wait\n", ""), {{"lesson", {{"page", 1}}}}) == "");
  // Without settings nothing is read or written.
  r = play(folder, folder_of("01_programs"), "wait\nclick lesson.page.7\nframes 2\nwait\nclick source.line.1\ntype #\nframes 3\nwait\n");
  CHECK(differs(r, {{"lesson", {{"answer", ""}, {"progress", {{"02_offsets", {{"passed", false}}}}}}}}) == "");
}

TEST_CASE("an edited kernel of a lesson is saved as a copy; the lesson keeps its own") {
  if (!can_draw()) return;
  const Folder folder;
  const std::string own = read(folder_of("01_programs") + "/kernel.py");
  const Result r = at_exercise(folder, "01_programs", "wait\nclick tab.source\nframes 3\nclick source.line.1\nkey Home\ntype # mine\nkey Enter\nframes 3\nkey Ctrl+S\nframes 2\n", "--page 1");
  CHECK(differs(r, {{"message", "saved 01_programs.py"}}) == "");
  CHECK(read(folder.file("01_programs.py")) == "# mine\n" + own);
  CHECK(read(folder_of("01_programs") + "/kernel.py") == own);
}

TEST_CASE("a patient that was mended stays so between starts; a failure's launch is left with its page") {
  if (!can_draw()) return;
  const Folder folder;
  const std::string patient = folder_of("14_clinic") + "/patients/patient_2";
  Result r = at_exercise(folder, "14_clinic", "wait\nclick lesson.check\nwait\nframes 3\nclick lesson.failure\nframes 3\nwait\nstate there.json\nclick lesson.next\nframes 3\nclick lesson.back\nframes 3\nwait\n", "--page 3");
  INFO(r.output);
  CHECK(Json::parse(read(folder.file("there.json")))["lesson"]["launch"]["number"] != "own");
  CHECK(differs(r, {{"lesson", {{"page", 3}, {"launch", {{"number", "own"}}}}}}) == "");
  r = at_exercise(folder, "14_clinic", write_answer(patient + "/repaired.py") + "click lesson.check\nwait\nframes 3\n", "--page 3");
  CHECK(differs(r, {{"lesson", {{"check", "passed"}}}}) == "");
  CHECK(Json::parse(read(folder.file("lessons.json"))).at("14_clinic").at("passed_pages") == Json({3}));
  r = at_exercise(folder, "14_clinic", "wait\n", "--page 3");
  CHECK(differs(r, {{"lesson", {{"check", "none"}, {"solution", true}}}}) == "");
}
#endif
