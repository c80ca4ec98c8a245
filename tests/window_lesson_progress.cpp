// What is kept of lessons between starts: progress, the learner's answers, and the check beside the window.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "core/compile.h"
#include "lessons/lesson.h"
#include "visualizer/model/exercise_check.h"
#include "visualizer/model/lesson_answer.h"
#include "visualizer/model/lesson_progress.h"
#include "window_run.h"

using namespace tilescope;
using namespace tilescope::model;
using window_run::Folder;
namespace fs = std::filesystem;

namespace {

std::shared_ptr<const lessons::Exercise> exercise_of(const std::string& lesson) {
  auto read = std::make_shared<lessons::Lesson>(lessons::load_lesson(std::string(TILESCOPE_SOURCE_DIR) + "/lessons/" + lesson).value());
  return {read, &*read->exercise};
}

SourcePtr text_of(const std::string& path) { return read_source(path).value(); }

}  // namespace

TEST_CASE("progress is added to what another process wrote meanwhile, and never goes back") {
  const Folder folder;
  const std::string path = folder.file("new/lessons.json");
  Progress mine;
  CHECK_FALSE(keep_progress(path, mine, "01_programs", {3, false, {}}));
  Progress other = load_progress(path);
  CHECK_FALSE(keep_progress(path, other, "02_offsets", {2, true, {}}));
  CHECK_FALSE(keep_progress(path, other, "01_programs", {7, true, {}}));
  CHECK_FALSE(keep_progress(path, mine, "01_programs", {4, false, {}}));
  CHECK(mine == Progress{{"01_programs", {7, true, {}}}, {"02_offsets", {2, true, {}}}});
  CHECK(load_progress(path) == mine);
  Progress nowhere;
  CHECK_FALSE(keep_progress("", nowhere, "01_programs", {1, false, {}}));
  CHECK(nowhere["01_programs"].page == 1);
  CHECK(keep_progress(folder.file("new/lessons.json/x"), mine, "01_programs", {8, false, {}}));
}

TEST_CASE("progress that cannot be read is kept beside the new one") {
  const Folder folder;
  const std::string path = folder.file("lessons.json");
  std::ofstream(path) << "{\"01_programs\":{\"page\":7,";
  Progress mine;
  CHECK_FALSE(keep_progress(path, mine, "02_offsets", {1, false, {}}));
  CHECK(load_progress(path) == mine);
  CHECK(window_run::read(path + ".broken").starts_with("{\"01_programs\""));
}

TEST_CASE("the newest answer to a question is kept, whoever gave it") {
  const Folder folder;
  const std::string path = folder.file("lessons.json");
  Progress mine, theirs;
  CHECK_FALSE(keep_progress(path, mine, "01_programs", {2, false, {{2, 0}}}));
  CHECK_FALSE(keep_progress(path, theirs, "01_programs", {3, false, {{2, 1}, {3, 2}}}));
  CHECK_FALSE(keep_progress(path, mine, "01_programs", {4, false, {{4, 0}}}));
  CHECK(mine == Progress{{"01_programs", {4, false, {{2, 1}, {3, 2}, {4, 0}}}}});
  CHECK(load_progress(path) == mine);
  CHECK_FALSE(keep_progress(path, mine, "01_programs", {1, false, {{3, 0}}}));
  CHECK(load_progress(path)["01_programs"].answers == std::map<size_t, int>{{2, 1}, {3, 0}, {4, 0}});
  CHECK_FALSE(fs::exists(path + ".broken"));
}

TEST_CASE("nothing of an older, newer or damaged file of progress is lost") {
  const Folder folder;
  const std::string path = folder.file("lessons.json");
  // Of a version that knew no answers, and of one that keeps more.
  std::ofstream(path) << R"({"01_programs": {"page": 7, "passed": true}, "02_offsets": {"page": 2, "stars": 3}, "settings": [1]})";
  Progress mine;
  CHECK_FALSE(keep_progress(path, mine, "02_offsets", {1, false, {{1, 1}}}));
  CHECK(window_run::Json::parse(window_run::read(path)) == window_run::Json::parse(
      R"({"01_programs": {"page": 7, "passed": true}, "02_offsets": {"page": 2, "passed": false, "stars": 3, "answers": {"1": 1}}, "settings": [1]})"));
  CHECK_FALSE(fs::exists(path + ".broken"));
  // An entry with something in it that would be written over.
  std::ofstream(path) << R"({"01_programs": {"page": "seven", "answers": {"2": 1, "zwei": 0, "3": -1, "0": 0, "4": 99999}}})";
  CHECK(load_progress(path) == Progress{{"01_programs", {0, false, {{2, 1}}}}});
  Progress other;
  CHECK_FALSE(keep_progress(path, other, "01_programs", {3, false, {}}));
  CHECK(load_progress(path) == Progress{{"01_programs", {3, false, {{2, 1}}}}});
  CHECK(window_run::read(path + ".broken").find("seven") != std::string::npos);
  // A second one does not take the place of the first; neither does one too large to be read.
  std::ofstream(path) << "[]";
  CHECK_FALSE(keep_progress(path, other, "01_programs", {4, false, {}}));
  std::ofstream(path) << std::string(size_t{2} << 20, ' ') << "{}";
  CHECK_FALSE(keep_progress(path, other, "01_programs", {5, false, {}}));
  size_t broken = 0;
  for (const auto& e : fs::directory_iterator(fs::path(path).parent_path())) broken += e.path().filename().string().find("broken") != std::string::npos;
  CHECK(broken == 3);
  CHECK(load_progress(path)["01_programs"].page == 5);
}

TEST_CASE("an answer begins as the start file, is kept in its own file, and never over what somebody else wrote") {
  const Folder folder;
  const std::string start = folder.file("exercise.py"), answers = folder.file("answers");
  window_run::write(start, "start\n");
  Expected<LessonAnswer> a = open_answer(answers, "01_x", start);
  REQUIRE(a.ok());
  CHECK(a->text->text == "start\n");
  CHECK_FALSE(a->file.differs("start\n"));
  CHECK_FALSE(fs::exists(answers));
  CHECK(save_answer(a->file, "mine\n").outcome == KernelFile::Outcome::Saved);
  CHECK(window_run::read(folder.file("answers/01_x.py")) == "mine\n");
  CHECK(window_run::read(start) == "start\n");
  Expected<LessonAnswer> again = open_answer(answers, "01_x", start);
  CHECK(again->text->text == "mine\n");
  CHECK(again->text->path == start);
  window_run::write(folder.file("answers/01_x.py"), "theirs\n");
  CHECK(save_answer(again->file, "newer\n").outcome == KernelFile::Outcome::ChangedOnDisk);
  CHECK(window_run::read(folder.file("answers/01_x.py")) == "theirs\n");

  // Made by somebody else before the first save.
  Expected<LessonAnswer> b = open_answer(answers, "02_y", start);
  window_run::write(folder.file("answers/02_y.py"), "theirs\n");
  CHECK(save_answer(b->file, "mine\n").outcome == KernelFile::Outcome::ChangedOnDisk);
  fs::create_directory(folder.file("answers/03_z.py"));
  Expected<LessonAnswer> c = open_answer(answers, "03_z", start);
  CHECK(save_answer(c->file, "mine\n").outcome == KernelFile::Outcome::Failed);
  CHECK(open_answer("", "01_x", start)->text->text == "start\n");
  CHECK_FALSE(open_answer(answers, "04", folder.file("none.py")).ok());
}

TEST_CASE("the check runs beside the window, tells how far it is, and can be stopped and started again") {
  const std::shared_ptr<const lessons::Exercise> e = exercise_of("01_programs");
  using Phase = ExerciseCheck::Phase;
  ExerciseCheck check;
  CHECK(check.state().phase == Phase::Nothing);
  check.start(e, text_of(e->solution_path));
  REQUIRE(check.wait(30));
  CHECK(check.state().phase == Phase::Passed);
  CHECK(check.state().result->launches == e->launches.size());
  check.start(e, text_of(e->mistakes[0].path));
  check.start(e, text_of(e->start_path));  // the one before is given up
  REQUIRE(check.wait(30));
  CHECK(check.state().phase == Phase::Failed);
  CHECK(check.state().text->text == text_of(e->start_path)->text);
  CHECK_FALSE(check.state().is_old(text_of(e->start_path).get()));
  CHECK(check.state().is_old(text_of(e->solution_path).get()));
  auto endless = std::make_shared<SourceFile>(*text_of(e->start_path));
  endless->text += "    for i in range(1000000):\n        x = x + tl.load(x_ptr)\n    tl.store(out_ptr + offsets, x)\n";
  check.start(e, endless);
  check.cancel();
  CHECK(check.state().phase == Phase::Stopped);
  check.start(e, endless);
  check.forget();
  CHECK(check.state().phase == Phase::Nothing);
  check.start(e, endless);  // and closing does not wait for it
}
