// Questions of lessons in the window, by script: answers are kept between starts, and what is asked is not given away.
#include <doctest/doctest.h>
#ifndef TILESCOPE_NO_WINDOW

#include <filesystem>

#include "lessons/catalogue.h"
#include "window_run.h"

using namespace window_run;

namespace {

/// With settings in the folder: progress is kept there.
Result at_lesson(const Folder& folder, const std::string& lesson, const std::string& script, const std::string& options) {
  return play(folder, std::string(TILESCOPE_SOURCE_DIR) + "/lessons/" + lesson, script, "--size 1280x720 --settings " + quoted(folder.file("window.json")) + " " + options, 300);
}

std::string differs(const Result& r, const Json& expected) {
  if (r.status != 0) return "status " + std::to_string(r.status) + ": " + r.output;
  return missing(expected, r.state);
}

}  // namespace

TEST_CASE("an answer is there when the lesson is opened again, and the question can be answered again") {
  if (!can_draw()) return;
  const Folder folder;
  // On page 3 of lesson 1 the third choice is right.
  Result r = at_lesson(folder, "01_programs", "wait\nclick lesson.choice.0\nframes 2\n", "--page 3");
  CHECK(differs(r, {{"lesson", {{"choice", 0}, {"right", false}, {"progress", {{"01_programs", {{"page", 3}, {"answers", {{"3", 0}}}}}}}}}}) == "");
  CHECK(Json::parse(read(folder.file("lessons.json"))).at("01_programs") == Json({{"page", 3}, {"passed", false}, {"answers", {{"3", 0}}}}));
  r = at_lesson(folder, "01_programs", "wait\nstate kept.json\nwheel lesson.text -40\nframes 2\nclick lesson.choice.2\nframes 2\n", "");
  const Json kept = Json::parse(read(folder.file("kept.json")));
  CHECK(missing({{"lesson", {{"page", 3}, {"choice", 0}}}}, kept) == "");
  CHECK(kept.at("places").contains("lesson.again"));
  CHECK(differs(r, {{"lesson", {{"choice", 2}, {"right", true}}}}) == "");
  // A right answer stays until the reader wants to answer again, and is kept until there is another one.
  const std::string again = "wait\nwheel lesson.text -40\nframes 2\nclick lesson.choice.1\nframes 1\nstate right.json\nclick lesson.again\nframes 2\nstate again.json\n";
  r = at_lesson(folder, "01_programs", again + "click lesson.choice.1\nframes 2\n", "--page 3");
  CHECK(missing({{"lesson", {{"choice", 2}, {"right", true}}}}, Json::parse(read(folder.file("right.json")))) == "");
  CHECK(missing({{"lesson", {{"choice", -1}, {"progress", {{"01_programs", {{"answers", {{"3", 2}}}}}}}}}}, Json::parse(read(folder.file("again.json")))) == "");
  CHECK(differs(r, {{"lesson", {{"choice", 1}, {"right", false}, {"progress", {{"01_programs", {{"answers", {{"3", 1}}}}}}}}}}) == "");
  // An answer to a question that has fewer choices now means nothing.
  write(folder.file("lessons.json"), R"({"01_programs": {"page": 3, "passed": false, "answers": {"3": 50, "90": 1}}})");
  CHECK(differs(at_lesson(folder, "01_programs", "wait\n", ""), {{"lesson", {{"page", 3}, {"choice", -1}}}}) == "");
}

TEST_CASE("what is wrong with a patient is not said before the question was answered, or somebody asked to see it") {
  if (!can_draw()) return;
  const Folder folder;
  std::string script = "wait\n";
  for (int page = 2; page <= 10; ++page)
    script += "state before" + std::to_string(page) + ".json\nclick tab.messages\nframes 2\nstate said" + std::to_string(page) + ".json\nclick tab.lesson\nframes 2\nclick lesson.choice.1\nframes 2\nstate after" +
              std::to_string(page) + ".json\nclick lesson.page." + std::to_string(page + 1) + "\nframes 2\nwait\n";
  const Result r = play(folder, std::string(TILESCOPE_SOURCE_DIR) + "/lessons/14_clinic", script, "--size 1600x900 --page 2", 300);
  int named = 0;
  for (int page = 2; page <= 10; ++page) {
    CAPTURE(page);
    const auto state = [&](const std::string& name) { return Json::parse(read(folder.file(name + std::to_string(page) + ".json"))); };
    const Json before = state("before"), said = state("said"), after = state("after");
    CHECK(before["lesson"]["withheld"] == true);
    CHECK(after["lesson"]["withheld"] == false);
    const bool broken = !before["errors"].empty(), faults = before["faults"] > 0;
    const auto names = [](const Json& places) {
      int n = 0;
      for (const auto& [name, at] : places.items()) n += name.starts_with("source.message") || name == "notice.go" || name == "topbar.faults";
      return n;
    };
    // A compile error is a symptom: it is shown, but not what the compiler advises.
    CHECK(before["places"].contains("notice.diagnosis") == (broken || faults));
    if (faults) CHECK(names(before["places"]) == 0);
    if (faults) CHECK(names(after["places"]) >= 2);
    named += faults;
  }
  CHECK(named >= 3);
  // The key for the next fault does not lead there; who wants to see, or has changed the kernel, is told.
  const auto one = [&](const std::string& script) { return play(folder, std::string(TILESCOPE_SOURCE_DIR) + "/lessons/14_clinic", "wait\n" + script, "--size 1600x900 --page 2", 60).state; };
  const Json key = one("key F\nframes 2\n");
  CHECK(key["message"].get<std::string>().starts_with("Something is wrong"));
  CHECK(one("click notice.diagnosis\nframes 2\n")["lesson"]["withheld"] == false);
  CHECK(one("click source.line.1\nkey Home\ntype #\nframes 3\nwait\nframes 2\n")["lesson"]["withheld"] == false);
}

TEST_CASE("a question's numbers stay those of the launch as it was opened when a slider moves") {
  if (!can_draw()) return;
  const Folder folder;
  const Result r = at_lesson(folder, "01_programs", "wait\nframes 1\nclick argument.n\ntype 100\nkey Enter\nwait\nframes 2\nwait\nwheel lesson.text -40\nframes 2\nclick lesson.choice.2\nframes 2\n", "--page 3");
  CHECK(differs(r, {{"arguments", {{"n", "100"}}}, {"lesson", {{"right", true}}}}) == "");
  REQUIRE(r.status == 0);
  CHECK(r.state["lesson"]["choices"] == Json({"2", "4", "8", "128"}));
}

TEST_CASE("two lessons with one name keep their answers and progress apart") {
  if (!can_draw()) return;
  const Folder folder;
  const std::string lessons = std::string(TILESCOPE_SOURCE_DIR) + "/lessons", other = folder.file("other/01_programs");
  std::filesystem::create_directories(folder.file("other"));
  std::filesystem::copy(lessons + "/02_offsets", other, std::filesystem::copy_options::recursive);
  const std::string write_one = "wait\nclick source.line.1\nkey Home\ntype #1\nframes 3\nkey Ctrl+S\nframes 2\n";
  const Result mine = at_lesson(folder, "01_programs", write_one, "--page 7");
  const Result theirs = play(folder, other, "wait\n" + write_one, "--size 1280x720 --settings " + quoted(folder.file("window.json")) + " --page 7", 300);
  REQUIRE(mine.status == 0);
  REQUIRE(theirs.status == 0);
  const std::string kept = tilescope::lessons::kept_name(other);
  CHECK(kept != "01_programs");
  CHECK(kept == tilescope::lessons::kept_name(other + "/"));
  CHECK(tilescope::lessons::kept_name(lessons + "/01_programs") == "01_programs");
  CHECK(read(folder.file("answers/01_programs.py")).find("square_kernel") != std::string::npos);
  CHECK(read(folder.file("answers/" + kept + ".py")).find("transpose_kernel") != std::string::npos);
  const Json progress = Json::parse(read(folder.file("lessons.json")));
  CHECK(progress.contains("01_programs"));
  CHECK(progress.contains(kept));
}

#endif
