// What the author of a lesson is told: a broken folder ends in the message that names the file and the place.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include "lessons/lesson_check.h"

namespace fs = std::filesystem;
using namespace tilescope;
using namespace tilescope::lessons;
using nlohmann::json;

namespace {

const std::vector<std::string> kPanels{"memory", "tile", "grid"};

/// A lesson of three pages on a copy of lesson 1's kernel and exercise; removed at the end.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("tilescope_check_" + std::to_string(::getpid()));
  json j;
  std::string en = "# One\nThere are {{programs}} programs.\n---\n# Two\nHow many?\n@answer\nSo many: {{value n}}.\n---\n# Three\nYour turn.\n";
  std::string zh = "# 一\n有 {{programs}} 个 program。\n---\n# 二\n多少个？\n@answer\n这么多：{{value n}}。\n---\n# 三\n轮到你了。\n";
  Folder() {
    fs::remove_all(path);
    fs::copy(fs::path(TILESCOPE_SOURCE_DIR) / "lessons/01_programs", path, fs::copy_options::recursive);
    std::ifstream in(path / "lesson.json");
    j = json::parse(in);
    j["pages"] = json::parse(R"([{"program": [3], "line": "x = tl.load", "panel": "memory"}, {"choices": ["1", "{{programs}}"], "answer": 1, "sliders": ["n"]}, {}])");
    // One launch and one mistake are enough here.
    j["exercise"]["launches"] = json::parse(R"([{"n": 1000, "BLOCK": 256}])");
    j["exercise"]["mistakes"] = json::parse(R"({"doubles": "elements differ"})");
    for (const auto& e : fs::directory_iterator(path / "mistakes"))
      if (e.path().filename() != "doubles.py") fs::remove(e.path());
  }
  ~Folder() { fs::remove_all(path); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path / name, std::ios::binary) << text; }
  std::string read(const std::string& name) const {
    std::ifstream in(path / name);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::vector<Diagnostic> problems() const {
    write("lesson.json", j.dump());
    write("lesson.en.md", en);
    write("lesson.zh.md", zh);
    return check_lesson(path.string(), kPanels);
  }
  json& page(size_t i) { return j["pages"][i]; }
};

/// What is said of a lesson that was broken in one place.
template <class Break>
std::string after(Break break_it) {
  Folder f;
  break_it(f);
  return render(f.problems());
}

bool mentions(const std::string& text, const std::string& part) {
  const bool found = text.find(part) != std::string::npos;
  if (!found) MESSAGE("looked for: ", part, "\nin: ", text);
  return found;
}

void replace(std::string& text, const std::string& from, const std::string& to) {
  REQUIRE(text.find(from) != std::string::npos);
  text.replace(text.find(from), from.size(), to);
}

}  // namespace

TEST_CASE("nothing is said of a lesson that is right") { CHECK(after([](Folder&) {}) == ""); }

TEST_CASE("what a page names must be there: panel, program, line, launch") {
  CHECK(mentions(after([](Folder& f) { f.page(0)["panel"] = "memroy"; }), "lesson.json: pages[0].panel: there is no panel \"memroy\""));
  CHECK(mentions(after([](Folder& f) { f.page(0)["panel"] = "memroy"; }), "did you mean \"memory\"? Panels: memory, tile, grid"));
  CHECK(mentions(after([](Folder& f) { f.page(0)["program"] = {4}; }), "pages[0].program: program (4, 0, 0) is not in the grid of 4 x 1 x 1"));
  CHECK(mentions(after([](Folder& f) { f.page(1)["line"] = "z = "; }), "pages[1].line: no line of kernel.py begins with \"z = \""));
  CHECK(mentions(after([](Folder& f) { f.j["launch"] = "none.json"; }), "none.json"));
  CHECK(mentions(after([](Folder& f) { f.write("kernel.py", "import triton\n"); }), "lesson.json: launch: "));
  CHECK(mentions(after([](Folder& f) {
          f.page(0)["launch"] = "own.json";
          f.write("own.json", R"({"kernel": "k", "file": "own.py", "grid": [1], "args": {}})");
          f.write("own.py", "import triton\n@triton.jit\ndef k():\n    x = y\n");
        }),
        "lesson.json: pages[0].launch: "));
}

TEST_CASE("a page's launch that must not compile is refused when it does") {
  const auto broken = [](Folder& f, const char* body) {
    f.j["pages"].push_back({{"launch", "own.json"}});
    f.en += "---\nFour.\n";
    f.zh += "---\n四。\n";
    f.write("own.json", R"({"kernel": "k", "file": "own.py", "grid": [1], "args": {}, "expect_error": "no y"})");
    f.write("own.py", std::string("import triton\n@triton.jit\ndef k():\n    ") + body + "\n");
  };
  CHECK(after([&](Folder& f) { broken(f, "x = y"); }) == "");
  CHECK(mentions(after([&](Folder& f) { broken(f, "x = 1"); }), "pages[3].launch: the kernel compiles, but the launch file expects an error"));
}

TEST_CASE("texts are held against the run and against each other") {
  CHECK(mentions(after([](Folder& f) { replace(f.en, "{{programs}}", "{{program}}"); }), "lesson.en.md: page 1: {{program}}: there is no such number"));
  CHECK(mentions(after([](Folder& f) { replace(f.zh, "{{value n}}", "{{value m}}"); }), "lesson.zh.md: page 2: {{value m}}: there is no such number"));
  CHECK(mentions(after([](Folder& f) { replace(f.en, "{{programs}}", "{{lanes_on x_ptr of 9}}"); }), "page 1: {{lanes_on x_ptr of 9}}: the launch has no such program or element"));
  CHECK(mentions(after([](Folder& f) { f.page(1)["choices"] = {"4", "{{programs}}"}; }), "pages[1].choices: \"4\" and \"{{programs}}\" both come out as \"4\""));
  CHECK(mentions(after([](Folder& f) { replace(f.zh, "轮到你了。", "轮到\n\n你了。"); }), "lesson.zh.md: page 3: has 3 paragraphs, items and code blocks in its text, the English one has 2"));
  CHECK(mentions(after([](Folder& f) { f.zh += "---\n四\n"; }), "lesson.zh.md: has 4 pages, lesson.json has 3"));
  CHECK(mentions(after([](Folder& f) { replace(f.en, "\n@answer\nSo many: {{value n}}.", ""); }), "lesson.en.md: page 2: asks a question, but explains no answer"));
  CHECK(mentions(after([](Folder& f) { replace(f.en, "Your turn.", "Click @window here."); }), "page 3: a mark \"@window\" or \"@terminal\" stands inside a line"));
  std::string long_text, long_chinese;
  for (int i = 0; i < 251; ++i) long_text += "word ";
  for (int i = 0; i < 448; ++i) long_chinese += "字";
  CHECK(mentions(after([&](Folder& f) { replace(f.en, "Your turn.", long_text); }), "lesson.en.md: page 3: has 252 words, at most 250 are read before something moves"));
  CHECK(mentions(after([&](Folder& f) { replace(f.zh, "轮到你了。", long_chinese + "多了"); }), "lesson.zh.md: page 3: has 451 characters, at most 450"));
}

TEST_CASE("everything that is wrong is told, in the order of the pages") {
  const std::string said = after([](Folder& f) {
    f.page(2)["panel"] = "nowhere";
    f.page(0)["line"] = "nothing";
    replace(f.en, "{{value n}}", "{{value q}}");
  });
  const size_t first = said.find("pages[0].line"), second = said.find("page 2: {{value q}}"), third = said.find("pages[2].panel");
  CHECK((first < second && second < third && third != std::string::npos));
  const std::string schema = after([](Folder& f) {
    f.page(0)["pannel"] = "memory";
    f.page(1)["answer"] = 7;
    f.page(2)["sliders"] = {"q"};
    f.j["exercise"]["launch"] = "none.json";
  });
  for (const char* part : {"pages[0]: \"pannel\" is not an entry", "pages[1].answer: expected a whole number", "pages[2].sliders: \"q\" is not an argument", "exercise.launch: "}) CHECK(mentions(schema, part));
}

TEST_CASE("an exercise starts wrong, is solved by its solution and catches its mistakes") {
  const auto copy = [](const char* from, const char* to) { return [=](Folder& f) { f.write(to, f.read(from)); }; };
  CHECK(mentions(after(copy("solution.py", "exercise.py")), "lesson.json: exercise: exercise.py: the file to start from passes already"));
  CHECK(mentions(after(copy("exercise.py", "solution.py")), "exercise: solution.py: the solution does not pass"));
  CHECK(mentions(after(copy("solution.py", "mistakes/doubles.py")), "exercise.mistakes.doubles: mistakes/doubles.py: this mistake passes"));
  CHECK(mentions(after([](Folder& f) { f.j["exercise"]["mistakes"]["doubles"] = "no such words"; }), "mistakes/doubles.py: its message does not hold \"no such words\""));
  CHECK(mentions(after([](Folder& f) { f.write("exercise.py", "import triton\n@triton.jit\ndef square_kernel(:\n"); }), "exercise.py: the file to start from does not compile"));
  CHECK(mentions(after([](Folder& f) {
          json launch = json::parse(f.read("exercise.json"));
          launch["expect_error"] = "it does not compile";
          f.write("exercise.json", launch.dump());
        }),
        "exercise.py: compiles, but the exercise's launch file expects an error"));
}

TEST_CASE("a page may have an exercise of its own, with files of other names") {
  const auto own = [](Folder& f) {
    f.page(2)["exercise"] = f.j["exercise"];
    f.page(2)["exercise"].erase("mistakes");
    for (const auto& [entry, name] : {std::pair{"start", "own/start.py"}, {"solution", "own/right.py"}, {"hints", "own/help"}}) f.page(2)["exercise"][entry] = name;
    fs::create_directories(f.path / "own");
    f.write("own/start.py", f.read("exercise.py"));
    f.write("own/right.py", f.read("solution.py"));
    for (const char* l : {"en", "zh"}) f.write(std::string("own/help.") + l + ".md", f.read(std::string("hints.") + l + ".md"));
  };
  Folder f;
  own(f);
  CHECK(render(f.problems()) == "");
  const Expected<Lesson> l = load_lesson(f.path.string());
  REQUIRE(l.ok());
  CHECK(exercise_of(*l, 0) == nullptr);
  REQUIRE(exercise_of(*l, 2) == &*l->pages[2].exercise);
  CHECK(exercise_of(*l, 2)->start_path == (f.path / "own/start.py").string());
  CHECK(exercise_of(*l, 3) == nullptr);
  f.page(2)["exercise"]["launches"] = json::array();
  CHECK(mentions(render(f.problems()), "lesson.json: pages[2].exercise.launches: expected 1 to 20 launches"));
  CHECK(mentions(after([&](Folder& g) {
          own(g);
          g.write("own/right.py", g.read("exercise.py"));
        }),
        "lesson.json: pages[2].exercise: own/right.py: the solution does not pass"));
}

TEST_CASE("launches too large to compute are checked on their addresses, when the exercise says so") {
  const auto large = [](bool said) {
    return [said](Folder& f) {
      f.j["exercise"]["launches"] = json::parse(R"([{"n": 1000, "BLOCK": 256}, {"n": 4294967296, "BLOCK": 1048576}])");
      f.j["exercise"]["launches"][1]["n"] = 2147483647;
      if (said) f.j["exercise"]["large"] = true;
    };
  };
  CHECK(mentions(after(large(false)), "exercise.launches[1]: x_ptr is larger than an exercise's tensor may be"));
  CHECK(after(large(true)) == "");
  CHECK(mentions(after([](Folder& f) { f.j["exercise"]["large"] = 1; }), "exercise.large: expected true or false"));
}
