// Opening a lesson: what its pages name must exist.
#include <doctest/doctest.h>
#ifndef TILESCOPE_NO_WINDOW

#include <set>

#include "core/syntax/lexer.h"
#include "lessons/words.h"
#include "visualizer/model/words.h"
#include "window_run.h"

using namespace window_run;
using namespace tilescope;

namespace {

/// A lesson of vector add with one page.
std::string lesson(const Folder& folder, const std::string& page) {
  const fs::path at = folder.path() / "01_try";
  fs::copy(fs::path(kernel("vector_add")).parent_path(), at, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  write((at / "lesson.json").string(), R"({"title": {"en": "Try", "zh": "试试"}, "launch": "launch.json", "pages": [{}, )" + page + "]}");
  for (const char* text : {"lesson.en.md", "lesson.zh.md"}) write((at / text).string(), "one\n---\ntwo\n");
  return at.string();
}

/// Chinese characters between double quotes.
std::set<uint32_t> chinese_in_strings(const std::string& file) {
  const std::string text = read(file);
  std::set<uint32_t> out;
  bool inside = false;
  for (size_t at = 0; at < text.size();) {
    uint32_t code = 0;
    const int bytes = std::max(1, utf8_sequence(text, at, &code));
    if (text[at] == '"' && (at == 0 || text[at - 1] != '\\')) inside = !inside;
    if (inside && code >= 0x4e00 && code < 0xa000) out.insert(code);
    at += static_cast<size_t>(bytes);
  }
  return out;
}

Result open(const Folder& folder, const std::string& page, const std::string& options = "") {
  return run(folder, "view " + quoted(lesson(folder, page)) + " --shot a.png --size 900x600 " + options);
}

}  // namespace

TEST_CASE("the window has a glyph for every character of what is said about an exercise") {
  const std::string& spoken = model::spoken_texts();
  for (const Wording& row : lessons::lesson_wordings()) CHECK_MESSAGE(spoken.find(row.chinese) != std::string::npos, std::string(row.chinese));
  CHECK(spoken.find("台机器的内存") != std::string::npos);
}

TEST_CASE("what is said in Chinese stands in tables, from which the fonts take their characters") {
  for (const char* folder : {"lessons", "visualizer/model"})
    for (const auto& e : fs::directory_iterator(fs::path(TILESCOPE_SOURCE_DIR) / folder)) {
      if (e.path().extension() != ".cpp") continue;
      CAPTURE(e.path().string());
      const std::set<uint32_t> inline_text = chinese_in_strings(e.path().string());
      CHECK(inline_text.empty());
    }
}

TEST_CASE("a lesson whose pages name a panel, a program or a line that is not there is refused, with the place") {
  if (!can_draw()) return;
  const Folder folder;
  Result r = open(folder, R"({"panel": "memroy"})");
  CHECK(r.status == 2);
  CHECK(r.output.find("lesson.json: pages[1].panel: there is no panel \"memroy\"") != std::string::npos);
  CHECK(r.output.find("did you mean \"memory\"?") != std::string::npos);
  r = open(folder, R"({"line": "z = tl.load"})");
  CHECK(r.status == 2);
  CHECK(r.output.find("pages[1].line: no line of kernel.py begins with \"z = tl.load\"") != std::string::npos);
  r = open(folder, R"({"program": [4]})");
  CHECK(r.status == 2);
  CHECK(r.output.find("pages[1].program: program (4, 0, 0) is not in the grid of 4 x 1 x 1") != std::string::npos);
  r = open(folder, R"({"withhold_diagnosis": true})");
  CHECK(r.output.find("pages[1].withhold_diagnosis: there is no question whose answer could end it") != std::string::npos);
  CHECK(open(folder, R"({"program": [3], "line": "x = tl.load", "panel": "threads"})").status == 0);
}

TEST_CASE("a page beyond the last is an error that says how many there are") {
  if (!can_draw()) return;
  const Folder folder;
  const Result r = open(folder, "{}", "--page 3");
  CHECK(r.status == 2);
  CHECK(r.output.find("--page 3: this lesson has 2 pages") != std::string::npos);
  CHECK(open(folder, "{}", "--page 2").status == 0);
}

TEST_CASE("a folder of lessons is not opened but lists them") {
  if (!can_draw()) return;
  const Folder folder;
  lesson(folder, "{}");
  const Result r = run(folder, "view . --shot a.png");
  CHECK(r.status == 2);
  CHECK(r.output.find("a folder of lessons: 01_try") != std::string::npos);
  fs::create_directory(folder.path() / "empty");
  CHECK(run(folder, "view empty --shot a.png").output.find("a folder without a lesson") != std::string::npos);
}

TEST_CASE("a picture of a kernel that faults is made, and the exit status tells of the fault") {
  if (!can_draw()) return;
  const Folder folder;
  write(folder.file("k.py"), "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef k(x):\n    tl.store(x + tl.arange(0, 64), 1.0)\n");
  write(folder.file("k.json"), R"({"kernel": "k", "file": "k.py", "grid": [1], "args": {"x": {"tensor": "float32", "shape": [40], "init": "zeros"}}})");
  const Result r = run(folder, "view k.json --shot a.png");
  CHECK(r.status == 3);
  CHECK(r.output.find("out of bounds") != std::string::npos);
  CHECK(fs::exists(folder.path() / "a.png"));
}

TEST_CASE("a page whose launch cannot be read says so and shows nothing of the page before as its own") {
  if (!can_draw()) return;
  const Folder folder;
  const fs::path clinic = folder.path() / "14_clinic";
  fs::copy(fs::path(TILESCOPE_SOURCE_DIR) / "lessons" / "14_clinic", clinic, fs::copy_options::recursive);
  // The state takes the place of the launch of page 2: a file that is no launch.
  const std::string script = "wait\nframes 2\nstate " + (clinic / "patients/patient_1/launch.json").string() +
                             "\nclick lesson.next\nframes 3\nwait\nstate there.json\nclick lesson.back\nframes 3\nwait\nstate back.json\n";
  write((folder.path() / "script.txt").string(), script);
  run(folder, "view " + quoted(clinic.string()) + " --page 1 --size 1280x720 --script script.txt");
  const Json there = Json::parse(read((folder.path() / "there.json").string())), back = Json::parse(read((folder.path() / "back.json").string()));
  CHECK(there.at("lesson").at("page") == 2);
  CHECK(there.at("lesson").at("refused") == true);
  CHECK(there.at("lesson").at("withheld") == false);
  CHECK(back.at("lesson").at("refused") == false);
}

TEST_CASE("a failed check leads to its place where it has one, and nowhere where it has none") {
  if (!can_draw()) return;
  const Folder folder;
  fs::create_directories(folder.path() / "answers");
  std::string text = read(std::string(TILESCOPE_SOURCE_DIR) + "/lessons/05_reduction/solution.py");
  const auto checked = [&](const std::string& answer) {
    write((folder.path() / "answers/05_reduction.py").string(), answer);
    write((folder.path() / "script.txt").string(), "wait\nframes 2\nclick lesson.check\nwait\nframes 3\nstate checked.json\n");
    run(folder, "view " + quoted(std::string(TILESCOPE_SOURCE_DIR) + "/lessons/05_reduction") + " --page 7 --settings " + quoted((folder.path() / "window.json").string()) + " --size 1280x720 --script script.txt");
    return Json::parse(read((folder.path() / "checked.json").string())).at("lesson");
  };
  const std::string largest = "tl.max(x, axis=0)", fill = "-float(\"inf\")";
  std::string other_name = text, other_fill = text;
  other_name.replace(text.find(largest), largest.size(), "-tl.min(-x, axis=0)");
  other_fill.replace(text.find(fill), fill.size(), "0.0");
  const Json nowhere = checked(other_name), somewhere = checked(other_fill);
  CHECK(nowhere.at("check") == "failed");
  CHECK(nowhere.at("failure_leads") == false);
  CHECK(somewhere.at("check") == "failed");
  CHECK(somewhere.at("failure_leads") == true);
}
#endif
