// Lessons are data: every one of the project's must load, and what it names must exist.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "core/compile.h"
#include "lessons/lesson.h"
#include "lessons/lesson_check.h"
#include "lessons/numbers.h"

namespace fs = std::filesystem;
using namespace tilescope;
using namespace tilescope::lessons;

namespace {

std::vector<std::string> lesson_folders() {
  std::vector<std::string> out;
  for (const auto& e : fs::recursive_directory_iterator(fs::path(TILESCOPE_SOURCE_DIR) / "lessons"))
    if (e.is_directory() && is_lesson(e.path().string())) out.push_back(e.path().string());
  return out;
}

/// The window's panels.
std::vector<std::string> panels() {
  return {
#define TILESCOPE_PANEL(id, title, cell) #id,
#include "visualizer/window/panels/panels.def"
  };
}

/// Columns of a monospaced face; characters beyond ASCII count two.
size_t columns(const std::string& text) {
  size_t n = 0;
  for (unsigned char c : text) n += c < 0x80 ? 1 : c >= 0xc0 ? 2 : 0;
  return n;
}

/// A folder with one lesson made of these files, removed at the end.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("tilescope_lesson_" + std::to_string(::getpid()));
  Folder(const std::string& json, const std::string& en, const std::string& zh) {
    fs::create_directories(path);
    std::ofstream(path / "lesson.json") << json;
    std::ofstream(path / "lesson.en.md") << en;
    std::ofstream(path / "lesson.zh.md") << zh;
  }
  ~Folder() { fs::remove_all(path); }
};

std::string problem_of(const std::string& json, const std::string& en = "# a", const std::string& zh = "# b") {
  Folder f(json, en, zh);
  const Expected<Lesson> lesson = load_lesson(f.path.string());
  return lesson ? "" : render(lesson.errors());
}

}  // namespace

TEST_CASE("nothing is wrong with any lesson: what it names is there, its numbers are computed, its exercises work") {
  const std::vector<std::string> folders = lesson_folders();
  CHECK(folders.size() >= 18);
  for (const std::string& folder : folders) {
    CAPTURE(folder);
    const std::vector<Diagnostic> problems = check_lesson(folder, panels());
    CHECK_MESSAGE(problems.empty(), render(problems));
  }
}

TEST_CASE("a question has choices that fit one line of the window, and an explanation of 20 to 110 words") {
  for (const std::string& folder : lesson_folders()) {
    CAPTURE(folder);
    const Expected<Lesson> lesson = load_lesson(folder);
    REQUIRE(lesson.ok());
    for (size_t i = 0; i < lesson->pages.size(); ++i) {
      CAPTURE(i);
      const Page& p = lesson->pages[i];
      for (size_t l = 0; l < kLanguages.size(); ++l) {
        CHECK(p.why[l].empty() == p.choices[l].empty());
        for (const std::string& choice : p.choices[l]) CHECK_MESSAGE((choice.find("{{") != std::string::npos || columns(choice) <= 34), choice);
        if (p.why[l].empty()) continue;
        const size_t length = length_of(p.why[l], l);
        CHECK_MESSAGE((l == kEnglish ? length >= 20 && length <= 110 : length >= 40 && length <= 200), length);
      }
    }
  }
}

TEST_CASE("each of the fourteen lessons has numbers to change") {
  for (const std::string& folder : lesson_folders()) {
    if (folder.find("kernels") != std::string::npos) continue;
    const Expected<Lesson> lesson = load_lesson(folder);
    REQUIRE(lesson.ok());
    CHECK_MESSAGE(std::any_of(lesson->pages.begin(), lesson->pages.end(), [](const Page& p) { return !p.sliders.empty(); }), folder);
  }
}

TEST_CASE("numbers in a lesson's text are those of the run") {
  const Expected<LaunchSpec> spec = load_launch_file(std::string(TILESCOPE_SOURCE_DIR) + "/lessons/kernels/vector_add/launch.json");
  REQUIRE(spec.ok());
  Expected<Launch> launch = prepare_launch(*spec);
  REQUIRE(launch.ok());
  RunOptions options;
  options.maps = true;
  const RunTrace totals = execute(*launch, options);
  const auto number = [&](std::string_view name) { return number_of(name, *launch, totals, launch->tensors).value_or("none"); };
  CHECK(number("programs") == "4");
  CHECK(number("grid x") == "4");
  CHECK(number("value BLOCK") == "256");
  CHECK(number("lanes_on x_ptr") == "1000");
  CHECK(number("= n * n") == "1,000,000");
  CHECK(number("lanes_off x_ptr") == "24");
  CHECK(number("sectors x_ptr") == "250");
  CHECK(number("reuse x_ptr max") == "1");
  CHECK(number("shape out_ptr") == "1000");
  CHECK(number("lanes_on x_ptr of 3") == "232");
  CHECK(number("lanes_off x_ptr of last") == "24");
  CHECK(number("lanes_off x_ptr of 0") == "0");
  CHECK(number("first x_ptr of 3") == "768");
  CHECK(number("element x_ptr 999") != "none");
  CHECK(number("element x_ptr 1000") == "–");
  CHECK(number("last out_ptr of 1") == "511");
  CHECK(number("first x_ptr of 4") == "–");
  CHECK(number("= cdiv(n, BLOCK) * BLOCK - n") == "24");
  CHECK(number("= num_warps * 32 * programs") == "512");
  CHECK(number("= -n - 1000") == "−2000");
  for (const char* wrong : {"", "value", "value nothing", "grid w", "lanes_on", "lanes_on q", "reuse x_ptr", "nothing x_ptr", "first x_ptr of", "first x_ptr of -1", "first x_ptr of 1x", "sectors x_ptr of 1", "first q of 1", "=", "= n /", "= q", "= n // 0", "element", "element q 0", "element x_ptr", "element x_ptr 0 0", "element x_ptr -1", "element x_ptr 1x"}) CHECK(number(wrong) == "none");
  CHECK(fill_numbers("{{programs}} of {{what}} {{open", number) == "4 of none {{open");
}

TEST_CASE("a broken lesson folder is refused with the file and the place") {
  const std::string head = R"({"title": {"en": "a", "zh": "b"}, "launch": "launch.json", "pages": )";
  CHECK(problem_of(head + "[{}]}").empty());
  CHECK(problem_of("{").find("lesson.json: not JSON") != std::string::npos);
  CHECK(problem_of("[]").find("expected an object") != std::string::npos);
  CHECK(problem_of(R"({"title": {"en": "a"}, "launch": "x", "pages": [{}]})").find("title: \"zh\" is missing") != std::string::npos);
  CHECK(problem_of(head + "[]}").find("pages: expected 1 to 100 pages") != std::string::npos);
  CHECK(problem_of(head + R"([{"programm": [1]}]})").find("pages[0]: \"programm\" is not an entry of it") != std::string::npos);
  CHECK(problem_of(head + R"([{"program": [-1]}]})").find("pages[0].program") != std::string::npos);
  CHECK(problem_of(head + R"([{"choices": ["1", "2"]}]})").find("both \"choices\" and \"answer\"") != std::string::npos);
  CHECK(problem_of(head + R"([{"choices": ["1", "2"], "answer": 2}]})").find("pages[0].answer") != std::string::npos);
  CHECK(problem_of(head + R"([{"choices": ["1", "2", "1"], "answer": 0}]})").find("pages[0].choices: two choices are equal") != std::string::npos);
  CHECK(problem_of(head + R"([{"choices": {"en": ["1", "2"], "zh": ["1", "2", "3"]}, "answer": 0}]})").find("different numbers of choices") != std::string::npos);
  CHECK(problem_of(head + "[{}]}", "# a\n---\n# b").find("lesson.en.md: has 2 pages, lesson.json has 1") != std::string::npos);
}

TEST_CASE("what stands behind @answer is the explanation, and a page without a question has none") {
  const std::string head = R"({"title": {"en": "a", "zh": "b"}, "launch": "launch.json", "pages": )";
  const std::string asks = head + R"([{}, {"choices": ["1", "2"], "answer": 1}]})";
  {
    Folder f(asks, "one\n---\n# Two\nWhy?\n@answer\nBecause\n@window of this.\n@terminal of that.\n", "一\n---\n二？\n@answer\n因为\n");
    const Expected<Lesson> l = load_lesson(f.path.string());
    REQUIRE_MESSAGE(l.ok(), render(l.ok() ? std::vector<Diagnostic>{} : l.errors()));
    CHECK(l->pages[0].why[0].empty());
    CHECK(l->pages[1].text[0].size() == 2);
    REQUIRE(l->pages[1].why[0].size() == 1);
    CHECK(l->pages[1].why[0][0].spans[0].text == "Because of this.");
    CHECK(l->pages[1].terminal_why[0][0].spans[0].text == "Because of that.");
    CHECK(l->pages[1].why[1][0].spans[0].text == "因为");
  }
  CHECK(problem_of(asks, "one\n---\ntwo", "一\n---\n二\n@answer\n因为").find("lesson.en.md: page 2: asks a question, but explains no answer") != std::string::npos);
  CHECK(problem_of(asks, "one\n@answer\nwhy\n---\ntwo", "一\n---\n二").find("lesson.en.md: page 1: explains an answer, but lesson.json asks nothing") != std::string::npos);
  CHECK(problem_of(asks, "one\n---\ntwo\n@answer\na\n@answer\nb", "一\n---\n二").find("lesson.en.md: page 2: has two lines \"@answer\"") != std::string::npos);
  CHECK(problem_of(asks, "one\n---\ntwo\n@answer\na", "一\n---\n二\n@answer\n").find("lesson.zh.md: page 2: nothing stands behind \"@answer\"") != std::string::npos);
}

TEST_CASE("a page's own launch and its sliders are read, and refused where there are no such files and numbers") {
  const std::string launch = std::string(TILESCOPE_SOURCE_DIR) + "/lessons/01_programs/launch.json";
  const auto json = [&](const std::string& page) {
    return R"({"title": {"en": "a", "zh": "b"}, "launch": ")" + launch + R"(", "pages": [)" + page + "]}";
  };
  {
    Folder f(json(R"({"sliders": ["n", "BLOCK"], "launch": ")" + launch + "\"}"), "# a", "# b");
    const Expected<Lesson> l = load_lesson(f.path.string());
    REQUIRE_MESSAGE(l.ok(), render(l.ok() ? std::vector<Diagnostic>{} : l.errors()));
    CHECK(l->pages[0].sliders == std::vector<std::string>{"n", "BLOCK"});
    CHECK(l->pages[0].launch_path == launch);
  }
  const auto says = [](const std::string& problem, const std::string& part) {
    if (problem.find(part) == std::string::npos) MESSAGE("looked for: ", part, "\nin: ", problem);
    return problem.find(part) != std::string::npos;
  };
  CHECK(says(problem_of(json(R"({"sliders": ["m"]})")), "lesson.json: pages[0].sliders: \"m\" is not an argument of the launch"));
  CHECK(says(problem_of(json(R"({"sliders": ["m"]})")), "numbers of the launch: n BLOCK"));
  CHECK(says(problem_of(json(R"({"sliders": ["x_ptr"]})")), "pages[0].sliders: \"x_ptr\" is not a number"));
  CHECK(says(problem_of(json(R"({"sliders": "n"})")), "pages[0].sliders: expected 1 to 8 texts"));
  CHECK(says(problem_of(json(R"({"sliders": []})")), "pages[0].sliders: expected 1 to 8 texts"));
  CHECK(says(problem_of(json(R"({"launch": "none.json"})")), "lesson.json: pages[0].launch: "));
  CHECK(says(problem_of(json(R"({"launch": "none.json"})")), "none.json"));
  CHECK(says(problem_of(json(R"({"launch": 3})")), "pages[0].launch: expected a text"));
}

TEST_CASE("a lesson with a broken formula is refused with its place in the text") {
  const std::string json = R"({"title": {"en": "a", "zh": "b"}, "launch": "launch.json", "pages": [{}, {}]})";
  CHECK(problem_of(json, "# a\n---\n# b\n", "# a\n---\nx $y$\n").empty());
  const std::string problem = problem_of(json, "# a\n---\n# b\nOf $x_1 + \\foo$ it is\n", "# a\n---\n# b");
  CHECK(problem.find("lesson.en.md:4:11: error: \"\\foo\" is not a command of formulas") != std::string::npos);
  CHECK(problem.find("Of $x_1 + \\foo$ it is") != std::string::npos);
}

TEST_CASE("marked lines of a page are for the window or for a terminal alone") {
  const std::string page = "Both.\n@window Click.\n@terminal Type.\n@triton.jit\nEnd @window here.\n";
  CHECK(text_for(page, "window") == "Both.\nClick.\n@triton.jit\nEnd @window here.\n");
  CHECK(text_for(page, "terminal") == "Both.\nType.\n@triton.jit\nEnd @window here.\n");
}

TEST_CASE("lesson text becomes headings, paragraphs with code and emphasis, items and code blocks") {
  const std::vector<TextBlock> b = parse_markdown("# Title\nA `tile` is **one** thing\nnot two.\n\n1. first\n2. second\n   - inner\n\n```\na\nb\n```\n");
  using Kind = TextBlock::Kind;
  REQUIRE(b.size() == 6);
  CHECK((b[0].kind == Kind::Heading && b[0].level == 1 && b[0].spans[0].text == "Title"));
  CHECK(b[1].spans == std::vector<Span>{{"A ", false, false}, {"tile", true, false}, {" is ", false, false}, {"one", false, true}, {" thing not two.", false, false}});
  CHECK((b[2].kind == Kind::Item && b[2].number == 1 && b[2].level == 1));
  CHECK((b[3].number == 2 && b[3].spans[0].text == "second"));
  CHECK((b[4].level == 2 && b[4].number == 0 && b[4].spans[0].text == "inner"));
  CHECK((b[5].kind == Kind::Code && b[5].spans[0].text == "a\nb"));
  // Between Chinese characters a line end is nothing.
  CHECK(parse_markdown("中文\n两行")[0].spans[0].text == "中文两行");
}
