// Every page of every lesson, in both languages, in a small window, where the least fits, and in a large light one: what the page
// names is what is shown, and the Lesson panel shows all of its text.
#include <doctest/doctest.h>
#ifndef TILESCOPE_NO_WINDOW

#include <algorithm>

#include "core/compile.h"
#include "core/launch_file.h"
#include "lessons/lesson.h"
#include "window_run.h"

using namespace window_run;
using namespace tilescope;

namespace {

struct View {
  const char *size, *language;
};
constexpr View kViews[] = {{"1280x720", "en"}, {"1280x720", "zh"}, {"1600x900", "zh"}, {"1600x900", "en"}};

std::vector<std::string> lesson_folders() {
  std::vector<std::string> out;
  for (const auto& e : fs::directory_iterator(fs::path(TILESCOPE_SOURCE_DIR) / "lessons"))
    if (e.is_directory() && lessons::is_lesson(e.path().string())) out.push_back(e.path().string());
  std::sort(out.begin(), out.end());
  return out;
}

std::string state_name(size_t page, size_t view) { return "page" + std::to_string(page) + "." + std::to_string(view) + ".json"; }

/// Goes from page to page; on each through all views, so that each kernel runs once.
std::string script_for(size_t pages) {
  std::string out = "wait\n";
  for (size_t p = 0; p < pages; ++p) {
    if (p > 0) out += "click lesson.next\nwait\n";
    out += "state " + state_name(p, 0) + "\nclick topbar.language\nframes 2\nstate " + state_name(p, 1) + "\nresize 1600x900\nclick topbar.theme\nframes 2\nstate " + state_name(p, 2) +
           "\nclick topbar.language\nframes 2\nstate " + state_name(p, 3) + "\nclick topbar.theme\nresize 1280x720\nframes 2\n";
  }
  return out;
}

struct Box {
  double x = 0, y = 0, w = 0, h = 0;
};

Box box_of(const Json& places, const std::string& name) {
  const Json r = places.value(name, Json());
  return r.is_array() ? Box{r[0].get<double>(), r[1].get<double>(), r[2].get<double>(), r[3].get<double>()} : Box{};
}

/// What is wrong with the Lesson panel's text; "" if nothing.
std::string text_problem(const Json& places, const lessons::Page& page) {
  const Box panel = box_of(places, "panel.lesson");
  if (panel.w <= 0 || !places.contains("lesson.text")) return "the Lesson panel is not in front";
  size_t blocks = 0, boxes = 0;
  for (const auto& [name, rect] : places.items()) {
    const Box b = box_of(places, name);
    const bool inside = b.x >= panel.x && b.x + b.w <= panel.x + panel.w + 0.5;
    if (name.starts_with("cut.") && inside && b.y + b.h > panel.y && b.y < panel.y + panel.h) return "cut off: " + name.substr(4);
    // Numbers of a page with a launch of its own: tests/lessons_texts.cpp.
    if (name.starts_with("lesson.unfilled")) {
      if (page.launch_path.empty()) return "not filled in: " + name;
      continue;
    }
    if (!name.starts_with("lesson.")) continue;
    blocks += name.starts_with("lesson.block.");
    boxes += name.starts_with("lesson.choice.");
    if (!inside) return name + " is wider than the panel";
  }
  if (blocks < 2) return "hardly any text";
  return boxes == page.choices[0].size() ? "" : std::to_string(boxes) + " choices are shown";
}

/// What of that which the page names is not shown; "" if nothing.
std::string shown_problem(const lessons::Lesson& lesson, size_t number, const SourceFile& source, const Json& state, const std::string& language) {
  const lessons::Page& page = lesson.pages[number];
  if (state.value("busy", true)) return "still at work";
  if (state["state"]["language"] != language) return "not in this language";
  // An exercise shows its own launch, and its text beside the task.
  if (lessons::exercise_of(lesson, number) != nullptr) return state["places"].contains("panel.source") ? "" : "the text is not in front";
  if (!page.panel.empty() && !state["places"].contains("panel." + page.panel)) return "the panel " + page.panel + " is not in front";
  // The clinic's patients are ill; tests/lessons_exercises.cpp says of what.
  if (!page.launch_path.empty()) return "";
  if (state.value("faults", -1) != 0 || !state["errors"].empty()) return "a fault that the lesson does not speak of";
  if (page.program && state["state"]["program"] != Json(*page.program)) return "another program: " + state["state"]["program"].dump();
  if (!page.line.empty() && state["line"] != lessons::find_line(source, page.line)) return "another line: " + state["line"].dump();
  return "";
}

void walk(const std::string& folder) {
  const Expected<lessons::Lesson> lesson = lessons::load_lesson(folder);
  REQUIRE(lesson.ok());
  const Expected<LaunchSpec> spec = load_launch_file(lesson->launch_path);
  REQUIRE(spec.ok());
  const Expected<SourcePtr> source = read_source(spec->kernel_path);
  REQUIRE(source.ok());
  const Folder at;
  const Result r = play(at, folder, script_for(lesson->pages.size()), "--page 1 --lang en --size 1280x720", 120);
  INFO(folder << ": " << r.output);
  // The last page may open an exercise whose file does not compile, or faults, before it is mended.
  const bool ill = lessons::exercise_of(*lesson, lesson->pages.size() - 1) != nullptr;
  REQUIRE((r.status == 0 || (ill && (r.status == 2 || r.status == 3))));
  for (size_t p = 0; p < lesson->pages.size(); ++p)
    for (size_t v = 0; v < std::size(kViews); ++v) {
      INFO("page " << p + 1 << ", " << kViews[v].language << ", " << kViews[v].size);
      const Json state = Json::parse(read(at.file(state_name(p, v))), nullptr, false);
      REQUIRE(state.is_object());
      CHECK(shown_problem(*lesson, p, **source, state, kViews[v].language) == "");
      CHECK(text_problem(state["places"], lesson->pages[p]) == "");
    }
}

}  // namespace

TEST_CASE("every page of every lesson shows what it names and all of its text, in both languages, in a small window and a large one") {
  if (!can_draw()) return;
  const std::vector<std::string> folders = lesson_folders();
  CHECK(folders.size() >= 14);
  for (const std::string& folder : folders) walk(folder);
}
#endif
