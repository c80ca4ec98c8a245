// lessons/README.md holds a whole lesson: taken out of it, it must be right.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <unistd.h>

#include "lessons/catalogue.h"
#include "lessons/lesson.h"
#include "lessons/lesson_check.h"

namespace fs = std::filesystem;
using namespace tilescope;
using namespace tilescope::lessons;

namespace {

std::string readme() {
  std::ifstream in(fs::path(TILESCOPE_SOURCE_DIR) / "lessons/README.md");
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Files of the example: a line "**name**", then a fenced block.
std::map<std::string, std::string> example_files(const std::string& text) {
  std::map<std::string, std::string> out;
  std::istringstream in(text);
  std::string name;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```") && !name.empty()) {
      if (inside) name.clear();
      inside = !inside;
    } else if (inside) {
      out[name] += line + "\n";
    } else if (line.starts_with("**") && line.ends_with("**") && line.find(' ') == std::string::npos) {
      name = line.substr(2, line.size() - 4);
    }
  }
  return out;
}

std::vector<std::string> panels() {
  return {
#define TILESCOPE_PANEL(id, title, cell) #id,
#include "visualizer/window/panels/panels.def"
  };
}

}  // namespace

TEST_CASE("the lesson in lessons/README.md is a whole one, and nothing is wrong with it") {
  const std::map<std::string, std::string> files = example_files(readme());
  CHECK(files.size() == 11);
  const fs::path folder = fs::temp_directory_path() / ("tilescope_readme_" + std::to_string(::getpid())) / "15_halves";
  for (const auto& [name, text] : files) {
    fs::create_directories((folder / name).parent_path());
    std::ofstream(folder / name) << text;
  }
  const std::vector<Diagnostic> problems = check_lesson(folder.string(), panels());
  CHECK_MESSAGE(problems.empty(), render(problems));
  // No file is there without need: each one that is taken away is missed.
  for (const auto& [name, text] : files) {
    fs::remove(folder / name);
    CHECK_MESSAGE(!check_lesson(folder.string(), panels()).empty(), name);
    std::ofstream(folder / name) << text;
  }
  fs::remove_all(folder.parent_path());
}

TEST_CASE("lessons/README.md names every panel of the window") {
  const std::string text = readme();
  for (const std::string& p : panels()) CHECK_MESSAGE((text.find(" " + p + ",") != std::string::npos || text.find(", " + p + " |") != std::string::npos), p);
}

TEST_CASE("every fact from A to N has its pages, and they are in the lessons under the titles that lessons/README.md gives") {
  std::istringstream in(readme());
  std::map<char, size_t> rows;
  for (std::string line; std::getline(in, line);) {
    // | A: what | lesson, page | title |
    if (line.size() < 5 || !line.starts_with("| ") || line[2] < 'A' || line[2] > 'N' || line[3] != ':') continue;
    CAPTURE(line);
    ++rows[line[2]];
    const size_t place = line.find(" | ") + 3, title = line.find(" | ", place) + 3, end = line.rfind(" |");
    REQUIRE((place > 3 && title > place && end > title));
    const std::string lesson_number = line.substr(place, line.find(',', place) - place);
    const size_t page = std::stoul(line.substr(line.find(',', place) + 1));
    const Expected<CatalogueEntry> entry = find_lesson(lesson_number, std::string(TILESCOPE_SOURCE_DIR) + "/lessons");
    REQUIRE(entry.ok());
    const Expected<Lesson> lesson = load_lesson(entry->folder);
    REQUIRE(lesson.ok());
    REQUIRE((page >= 1 && page <= lesson->pages.size()));
    const std::vector<TextBlock>& blocks = lesson->pages[page - 1].text[kEnglish];
    REQUIRE((!blocks.empty() && blocks[0].kind == TextBlock::Kind::Heading));
    std::string heading;
    for (const Span& s : blocks[0].spans) heading += s.text;
    CHECK(heading == line.substr(title, end - title));
  }
  for (char letter = 'A'; letter <= 'N'; ++letter) CHECK_MESSAGE(rows[letter] >= 4, letter);
  CHECK(rows['N'] == 9);
}
