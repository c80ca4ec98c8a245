// Broken exercises are refused with the file and the place, whatever the JSON holds.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include "lessons/lesson.h"

namespace fs = std::filesystem;
using namespace tilescope;
using namespace tilescope::lessons;
using nlohmann::json;

namespace {

/// A copy of lesson 1 that a test breaks; removed at the end.
struct Broken {
  fs::path path = fs::temp_directory_path() / ("tilescope_exercise_" + std::to_string(::getpid()));
  json j;
  Broken() {
    fs::remove_all(path);
    fs::copy(fs::path(TILESCOPE_SOURCE_DIR) / "lessons/01_programs", path, fs::copy_options::recursive);
    std::ifstream in(path / "lesson.json");
    j = json::parse(in);
  }
  ~Broken() { fs::remove_all(path); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path / name, std::ios::binary) << text; }
  /// What loading says; empty when it loads.
  std::string problem() const {
    write("lesson.json", j.dump());
    const Expected<Lesson> l = load_lesson(path.string());
    return l ? "" : render(l.errors());
  }
  json& exercise() { return j["exercise"]; }
};

/// Breaks the entry "exercise" and says what loading says then.
template <class Break>
std::string after(Break break_it) {
  Broken b;
  break_it(b);
  return b.problem();
}

bool mentions(const std::string& text, const std::string& part) {
  const bool found = text.find(part) != std::string::npos;
  if (!found) MESSAGE("looked for: ", part, "\nin: ", text);
  return found;
}

}  // namespace

TEST_CASE("files that an exercise lacks are named") {
  CHECK(after([](Broken&) {}).empty());
  for (const char* file : {"exercise.py", "solution.py", "exercise.json", "hints.en.md", "hints.zh.md", "mistakes/doubles.py"}) {
    CAPTURE(file);
    CHECK(mentions(after([&](Broken& b) { fs::remove(b.path / file); }), file));
    CHECK(mentions(after([&](Broken& b) {
            fs::remove(b.path / file);
            fs::create_directory(b.path / file);
          }),
          file));
  }
  CHECK(mentions(after([](Broken& b) { b.write("mistakes/more.py", ""); }), "says nothing about mistakes/more.py"));
  CHECK(mentions(after([](Broken& b) { b.write("hints.en.md", "one\n---\ntwo\n"); }), "hints.en.md: has 2 hints, expected 3"));
  CHECK(mentions(after([](Broken& b) { b.write("hints.zh.md", "one\n---\n---\nthree"); }), "hints.zh.md: hint 2 is empty"));
}

TEST_CASE("entries of an exercise are checked, and the place is named") {
  struct Case {
    const char *at, *value, *says;
  };
  for (const Case& c : {
           Case{"", "[]", "exercise: expected an object"},
           {"", "{}", "exercise: \"launch\" is missing"},
           {"/hint", "1", "exercise: \"hint\" is not an entry of it"},
           {"/launch", "1", "exercise.launch: expected a text"},
           {"/launch", "\"none.json\"", "exercise.launch: "},
           {"/launch", "\"lesson.json\"", "exercise.launch: "},
           {"/sizes", "[]", "exercise.sizes: expected an object"},
           {"/sizes/q", "[\"n\"]", "exercise.sizes: the launch has no tensor \"q\""},
           {"/sizes/x_ptr", "[]", "exercise.sizes.x_ptr: expected 1 to 8 texts"},
           {"/sizes/x_ptr", "[1]", "exercise.sizes.x_ptr[0]: expected a text"},
           {"/sizes/x_ptr", "[\"n +\"]", "exercise.sizes.x_ptr: "},
           {"/sizes/x_ptr", "[\"m\"]", "exercise.launches[0]: "},
           {"/sizes/x_ptr", "[\"n // 0\"]", "exercise.launches[0]: "},
           {"/sizes/x_ptr", "[\"0 - n\"]", "exercise.launches[0]: "},
           {"/sizes/x_ptr", "[\"n * 1000000\"]", "exercise.launches[0]: x_ptr is larger than an exercise's tensor may be"},
           {"/launches", "{}", "exercise.launches: expected 1 to 20 launches"},
           {"/launches", "[]", "exercise.launches: expected 1 to 20 launches"},
           {"/launches/1", "7", "exercise.launches[1]: expected an object"},
           {"/launches/1/q", "7", "exercise.launches[1]: the launch has no argument \"q\""},
           {"/launches/1/n", "\"7\"", "exercise.launches[1].n: expected a whole number"},
           {"/launches/1/n", "1e30", "exercise.launches[1].n: expected a whole number"},
           {"/launches/1/n", "18446744073709551615", "exercise.launches[1].n: expected a whole number"},
           {"/launches/1/n", "0", "exercise.launches[1]: "},
           {"/launches/1/BLOCK", "0", "exercise.launches[1]: "},
           {"/launches/1/seed", "-1", "exercise.launches[1].seed: expected a whole number"},
           {"/launches/1/x_ptr", "3", "exercise.launches[1].x_ptr: a launch sets integers, and tensors by a text"},
           {"/launches/1/x_ptr", "\"fulll(3)\"", "exercise.launches[1].x_ptr: "},
           {"/launches/1/x_ptr", "\"values(1,2)\"", "exercise.launches[1].x_ptr: "},
           {"/launches/1/x_ptr", "\"npy(/dev/zero)\"", "exercise.launches[1]: "},
           {"/rules", "[]", "exercise.rules: expected an object"},
           {"/rules/q", "{}", "exercise.rules: the launch has no tensor \"q\""},
           {"/rules/x_ptr/reuse", "1", "exercise.rules.x_ptr: \"reuse\" is not an entry of it"},
           {"/rules/x_ptr/loads", "-1", "exercise.rules.x_ptr.loads: expected a whole number"},
           {"/rules/out_ptr/stores", "true", "exercise.rules.out_ptr.stores: expected a whole number"},
           {"/rules/x_ptr/lanes_off", "[3]", "exercise.rules.x_ptr.lanes_off: expected a whole number"},
           {"/rules/x_ptr/lanes_off", "\"m - 1\"", "exercise.rules.x_ptr.lanes_off: "},
           {"/rules/x_ptr/loads", "\"n - 5\"", "exercise.rules.x_ptr.loads: is -4 with n = 1, BLOCK = 64"},
           {"/rules/x_ptr/together", "{}", "exercise.rules.x_ptr.together: \"programs\" is missing"},
           {"/rules/x_ptr/together", "{\"programs\": 1, \"elements\": \"q\"}", "exercise.rules.x_ptr.together.elements: "},
           {"/use", "\"tl.sum\"", "exercise.use: expected 0 to 20 texts"},
           {"/avoid", "[1]", "exercise.avoid[0]: expected a text"},
           {"/mistakes", "[]", "exercise.mistakes: expected an object"},
           {"/mistakes/none", "\"x\"", "mistakes/none.py: no such file"},
           {"/mistakes/doubles", "\"\"", "exercise.mistakes.doubles: expected a part of the message"},
           {"/mistakes/doubles", "7", "exercise.mistakes.doubles: expected a text"},
       }) {
    CAPTURE(c.at);
    CAPTURE(c.value);
    const std::string said = after([&](Broken& b) { b.j[json::json_pointer(std::string("/exercise") + c.at)] = json::parse(c.value); });
    CHECK(mentions(said, "lesson.json: "));
    CHECK(mentions(said, c.says));
  }
  CHECK(mentions(after([](Broken& b) { b.exercise()["mistakes"]["../solution"] = "x"; }), "a name is made of small letters, digits and _"));
}

TEST_CASE("hostile JSON ends in an error") {
  const auto said = [](const std::string& text) {
    Broken b;
    b.write("lesson.json", text);
    const Expected<Lesson> l = load_lesson(b.path.string());
    return l ? std::string() : render(l.errors());
  };
  CHECK(mentions(said(std::string(200'000, '[')), "not JSON"));
  CHECK(mentions(said(std::string(100'000, '[') + std::string(100'000, ']')), "expected an object"));
  CHECK(mentions(said("{\"title\": \"" + std::string(2'000'000, 'a') + "\"}"), "lesson.json is larger than 1 MiB"));
  CHECK(mentions(said(std::string("\0\xff\xfe", 3)), "not JSON"));
  CHECK(mentions(said("{\"\\ud800\": 1}"), "not JSON"));
  CHECK(mentions(said(""), "not JSON"));
}

TEST_CASE("JSON that was damaged at random loads or ends in errors that name the file") {
  Broken b;
  b.j["pages"][0]["exercise"] = b.exercise();
  b.j["pages"][0]["sliders"] = {"n"};
  const json whole = b.j;
  REQUIRE(b.problem().empty());
  const std::vector<json> odd{nullptr, true, -1, 0, 3, 1e300, uint64_t{1} << 63, "", "n", "../x", "{{", json::array(), json::object(), json::array({1, "a"}), std::string(5000, 'a'), "values(1)", "n // 0"};
  const json places = whole.flatten();
  std::vector<std::string> paths;
  for (const auto& [path, value] : places.items())
    for (std::string p = path; !p.empty(); p.erase(p.rfind('/'))) paths.push_back(p);
  uint32_t state = 1;
  const auto random = [&](size_t n) {
    state = state * 1664525u + 1013904223u;
    return static_cast<size_t>(state >> 8) % n;
  };
  size_t refused = 0;
  for (int i = 0; i < 250; ++i) {
    b.j = whole;
    for (size_t k = 0; k <= random(2); ++k) {
      const std::string& path = paths[random(paths.size())];
      try {
        b.j.at(json::json_pointer(path)) = odd[random(odd.size())];
      } catch (const json::exception&) {
        // The first damage took the second one's place away.
      }
    }
    const std::string said = b.problem();
    refused += !said.empty();
    if (!said.empty()) CHECK(mentions(said, "tilescope_exercise_"));
  }
  CHECK(refused > 150);
}
