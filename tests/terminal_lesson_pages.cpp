// Pages of lessons in a terminal: what they ask a reader to do can be done there, and what they speak of is printed.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "lessons/catalogue.h"
#include "tests/temporary_folder.h"
#include "tests/terminal_calls.h"
#include "visualizer/model/argument_controls.h"
#include "visualizer/terminal/command.h"
#include "visualizer/terminal/lesson_numbers.h"

using namespace tilescope;
using namespace tilescope::terminal_calls;
namespace fs = std::filesystem;

namespace {

const std::string kLessons = std::string(TILESCOPE_SOURCE_DIR) + "/lessons";

/// The command with the lessons of the sources and a home of its own, so that no test reads what a person keeps.
Result command(const std::vector<std::string>& args) {
  const TemporaryFolder home;
  setenv("XDG_CONFIG_HOME", home.path.c_str(), 1);
  setenv("TILESCOPE_LESSONS", kLessons.c_str(), 1);
  Result r = tilescope_command(args);
  unsetenv("XDG_CONFIG_HOME");
  unsetenv("TILESCOPE_LESSONS");
  return r;
}

Result lesson(std::vector<std::string> args) {
  args.insert(args.begin(), "lesson");
  return command(args);
}

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

/// The pages of a lesson that is printed whole.
std::vector<std::string> pages_of(const std::string& printed) {
  std::vector<std::string> out(1);
  std::istringstream in(printed);
  for (std::string line; std::getline(in, line);) {
    if (line.size() > 60 && line.find_first_not_of('-') == std::string::npos) out.emplace_back();
    else out.back() += line + "\n";
  }
  return out;
}

/// Line numbers that a text speaks of: "line 10", "Line 13", "lines 7 and 8" gives 7.
std::vector<int> lines_named(const std::string& text) {
  std::vector<int> out;
  for (const std::string word : {"ine ", "ines "})
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
      if (std::isdigit(static_cast<unsigned char>(text[at + word.size()])) != 0) out.push_back(std::stoi(text.substr(at + word.size())));
  return out;
}

bool prints_line(const std::string& page, int n) {
  std::istringstream in(page);
  for (std::string line; std::getline(in, line);) {
    const size_t bar = line.find(" |"), digit = line.find_first_of("0123456789");
    if (bar != std::string::npos && bar < 8 && digit < bar && std::stoi(line.substr(digit)) == n) return true;
  }
  return false;
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> out;
  for (std::string w; in >> w;) out.push_back(w);
  return out;
}

/// Replaces the first `from` after `after`.
std::string changed(std::string text, const std::string& after, const std::string& from, const std::string& to) {
  const size_t at = text.find(from, text.find(after));
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("a page that names a line of the kernel prints that line, and every drawing's line is printed") {
  for (const lessons::CatalogueEntry& e : lessons::list_lessons(kLessons)) {
    const std::vector<std::string> pages = pages_of(lesson({e.folder}).out);
    REQUIRE(pages.size() > 4);
    for (size_t i = 0; i < pages.size(); ++i)
      for (int n : lines_named(pages[i])) {
        INFO(e.name, " page ", i + 1, " line ", n);
        CHECK(prints_line(pages[i], n));
      }
  }
}

TEST_CASE("a page of a terminal that asks to change the kernel says with which commands") {
  for (const auto& [folder, page] : std::vector<std::pair<std::string, size_t>>{{"03_masks", 4}, {"03_masks", 5}, {"07_softmax", 4}, {"09_addresses", 6}})
    for (const std::string language : {"en", "zh"}) {
      INFO(folder, " ", page, " ", language);
      const std::string text = lesson({kLessons + "/" + folder, "--page", std::to_string(page), "--lang", language}).out;
      const std::string command = "    tilescope lesson " + std::to_string(std::stoi(folder)) + " --page " + std::to_string(page);
      CHECK(mentions(text, command + " --start my.py"));
      CHECK(mentions(text, command + " --with my.py"));
    }
}

TEST_CASE("the other numbers that a page proposes are others than those it shows, and the page takes them") {
  size_t proposed = 0;
  for (const lessons::CatalogueEntry& e : lessons::list_lessons(kLessons)) {
    const std::vector<std::string> pages = pages_of(lesson({e.folder}).out);
    for (size_t i = 0; i < pages.size(); ++i) {
      const std::string mark = "Other numbers: tilescope ";
      const size_t at = pages[i].find(mark + "lesson");
      if (at == std::string::npos) continue;
      ++proposed;
      const std::vector<std::string> args = words_of(pages[i].substr(at + mark.size(), pages[i].find('\n', at) - at - mark.size()));
      CAPTURE(pages[i].substr(at, 80));
      const Result other = command(args);
      CHECK(other.status == terminal::kFine);
      // The numbers that it shows then are these, so it proposes others again.
      for (size_t a = 5; a < args.size(); a += 2) CHECK(other.out.find(" " + args[a] + " ") == std::string::npos);
    }
  }
  CHECK(proposed > 30);
}

TEST_CASE("numbers to try are read from the page's text; near ones bring no fault") {
  using Values = std::vector<int64_t>;
  CHECK(terminal::values_named("Decide; then set BLOCK to 128. Set n to 900, too.", "BLOCK") == Values{128});
  CHECK(terminal::values_named("Set BLOCK_M and BLOCK_N to 32.", "BLOCK_M") == Values{32});
  CHECK(terminal::values_named("Set BLOCK_M and BLOCK_N to 32.", "BLOCK") == Values{});
  CHECK(terminal::values_named("n to nothing, n", "n") == Values{});
  CHECK(mentions(lesson({"1", "--page", "3"}).out, "--page 3 --arg BLOCK=128 --arg n=900\n"));
  CHECK(mentions(lesson({"14", "--page", "3"}).out, "--page 3 --arg N=45\n"));  // M stays as it is
  // 2 x 4 fits; strides of 8 would leave the matrix.
  CHECK(mentions(lesson({"9", "--page", "5"}).out, "--page 5 --arg stride_m=2 --arg stride_k=2\n"));
}

TEST_CASE("a page's kernel is written, changed and shown with what comes of it") {
  const TemporaryFolder folder;
  const std::string mine = folder.file("my.py");
  CHECK(lesson({"3", "--page", "4", "--start", mine}).status == terminal::kFine);
  CHECK(read(mine) == read(kLessons + "/03_masks/kernel.py"));
  CHECK(mentions(lesson({"3", "--page", "4", "--with", mine}).out, "out_ptr: all 1000 elements are right.\n"));
  const std::string own = read(mine);
  folder.write("my.py", changed(own, "y = tl.load", ", mask=mask, other=0.0", ""));
  const Result outside = lesson({"3", "--page", "4", "--with", mine});
  CHECK(outside.status == terminal::kFine);
  CHECK(mentions(outside.out, "! outside: 24"));
  CHECK(mentions(outside.out, "my.py:11:9: error: load out of bounds of `y_ptr`"));
  CHECK(outside.out.find("are right") == std::string::npos);
  CHECK(outside.out.find("Answer:") == std::string::npos);

  folder.write("my.py", changed(changed(own, "x = ", "0.0", "7.0"), "y = ", "0.0", "7.0"));
  CHECK(mentions(lesson({"3", "--page", "5", "--with", mine, "--lang", "zh"}).out, "out_ptr：1000 个元素全都对。\n"));

  folder.write("my.py", changed(read(kLessons + "/07_softmax/kernel.py"), "x = ", "-float(\"inf\")", "0.0"));
  CHECK(mentions(lesson({"7", "--page", "4", "--with", mine}).out, "y_ptr: 15 of 15 elements are wrong."));

  const std::string rows = read(kLessons + "/09_addresses/kernel.py");
  folder.write("my.py", changed(changed(rows, "a = tl.load", "rows[:, None]", "rows[None, :]"), "a = tl.load", "ks[None, :]", "ks[:, None]"));
  const std::string refused = lesson({"9", "--page", "6", "--with", mine, "--arg", "BLOCK_M=4"}).out;
  CHECK(mentions(refused, "my.py:13:13: error: cannot broadcast these shapes"));
  CHECK(refused.find("Tile:") == std::string::npos);  // nothing was run
  CHECK(mentions(refused, "\n      |                     shape [2, 4]\n"));
}

TEST_CASE("--with is refused where it has no meaning, with what to do instead") {
  CHECK(mentions(lesson({"3", "--with", "my.py"}).err, "which page?"));
  CHECK(mentions(lesson({"3", "--page", "8", "--with", "my.py"}).err, "--exercise FILE.py checks an answer"));
  CHECK(mentions(lesson({"3", "--page", "4", "--with", "/no/such/my.py"}).err, "my.py"));
  CHECK(lesson({"3", "--page", "4", "--with", "my.py", "--hint", "1"}).status == terminal::kUsage);
  CHECK(mentions(lesson({"3", "--page", "99", "--with", "my.py"}).err, "the lesson has 8 pages"));
  CHECK(mentions(lesson({"--with", "my.py"}).err, "which lesson?"));
}

TEST_CASE("the file to start from is shown as --start writes it, comments and all") {
  for (const lessons::CatalogueEntry& e : lessons::list_lessons(kLessons)) {
    CAPTURE(e.name);
    const std::string printed = lesson({e.folder}).out;
    const size_t at = printed.find("The file to start from:\n\n");
    REQUIRE(at != std::string::npos);
    std::istringstream in(printed.substr(at + 25));
    std::string shown;
    for (std::string line; std::getline(in, line);) {
      REQUIRE(line.size() >= 7);
      shown += line.substr(7) + " ";  // a long comment stands on a line of its own
    }
    CHECK(words_of(shown) == words_of(read(e.folder + "/exercise.py")));
  }
}
