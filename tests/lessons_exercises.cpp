// Every exercise of every lesson: its solution passes, its planted mistakes fail with their messages.
#include <doctest/doctest.h>

#include <algorithm>
#include <ctime>
#include <filesystem>

#include "core/compile.h"
#include "lessons/exercise.h"
#include "lessons/lesson.h"

namespace fs = std::filesystem;
using namespace tilescope;
using namespace tilescope::lessons;

namespace {

SourcePtr text_of(const std::string& path) {
  Expected<SourcePtr> source = read_source(path);
  REQUIRE(source.ok());
  return *source;
}

SourcePtr made(const std::string& text) { return std::make_shared<const SourceFile>(SourceFile{"my.py", text}); }

Lesson lesson(const std::string& name) {
  Expected<Lesson> l = load_lesson(std::string(TILESCOPE_SOURCE_DIR) + "/lessons/" + name);
  REQUIRE_MESSAGE(l.ok(), (l.ok() ? "" : render(l.errors())));
  return std::move(*l);
}

/// The English message of the first failure, "passed" when there is none.
std::string outcome(const Exercise& e, const SourcePtr& text) {
  const CheckResult r = check_exercise(e, text);
  return r.failure ? in_words(*r.failure, e, kEnglish) : r.passed() ? "passed" : "stopped";
}

bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::vector<std::string> lessons_with_exercise() {
  std::vector<std::string> out;
  for (const auto& e : fs::directory_iterator(fs::path(TILESCOPE_SOURCE_DIR) / "lessons"))
    if (e.is_directory() && is_lesson(e.path().string())) out.push_back(e.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

/// The learner's kernel of lesson 1 with this body.
std::string answer(const std::string& body) {
  return "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef square_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):\n" + body;
}

}  // namespace

// That solutions pass and planted mistakes fail with their messages is part of check_lesson(): tests/lessons_texts.cpp.
TEST_CASE("every exercise has five planted mistakes or more, and its failures are told in both languages") {
  for (const std::string& name : lessons_with_exercise()) {
    CAPTURE(name);
    const Lesson l = lesson(name);
    REQUIRE(l.exercise.has_value());
    const Exercise& e = *l.exercise;
    CHECK(e.mistakes.size() >= 5);
    const CheckResult r = check_exercise(e, text_of(e.start_path));
    REQUIRE(r.failure);
    CHECK(mentions(in_words(*r.failure, e, kEnglish), "Not yet"));
    CHECK(mentions(in_words(*r.failure, e, kChinese), "还没通过"));
  }
}

TEST_CASE("every lesson's exercise is tried on sizes that are divisible and not, smaller than a block, and on one element") {
  for (const std::string& name : lessons_with_exercise()) {
    CAPTURE(name);
    const Lesson l = lesson(name);
    bool one = false;
    for (const ExerciseLaunch& launch : l.exercise->launches)
      for (const LaunchArg& a : launch.spec.args)
        if (const auto* t = std::get_if<TensorSpec>(&a.value)) one |= t->layout.elements() == 1;
    CHECK(one);
    CHECK(l.exercise->launches.size() >= 4);
  }
}

TEST_CASE("a failure says which launch, program and line, what was expected there and what was found") {
  const Lesson l = lesson("01_programs");
  const Exercise& e = *l.exercise;
  const std::string place = "    pid = tl.program_id(0)\n    offsets = pid * BLOCK + tl.arange(0, BLOCK)\n";
  const SourcePtr unmasked = made(answer(place + "    x = tl.load(x_ptr + offsets)\n    tl.store(out_ptr + offsets, x * x, mask=offsets < n)\n"));
  const CheckResult r = check_exercise(e, unmasked);
  REQUIRE(r.failure);
  CHECK(r.launches == 1);  // 1024 numbers in 256s need no mask
  CHECK(r.failure->label == "n = 1000, BLOCK = 256");
  CHECK(*r.failure->program == ProgramIndex{3, 0, 0});
  CHECK(r.failure->line == 9);
  CHECK(in_words(*r.failure, e, kEnglish) ==
        "Not yet: with n = 1000, BLOCK = 256 (launch 2 of 5)\n"
        "  program 3, line 9: x = tl.load(x_ptr + offsets)\n"
        "  expected: lanes that are on stay inside `x_ptr`: elements 0 to 999\n"
        "  found:    lane 232 goes to element 1000, outside `x_ptr`; 24 such accesses in all\n");
  CHECK(in_words(*r.failure, e, kChinese) ==
        "还没通过：n = 1000, BLOCK = 256（第 2 组，共 5 组）\n"
        "  program 3，第 9 行：x = tl.load(x_ptr + offsets)\n"
        "  应当：开着的 lane 都落在 `x_ptr` 之内：元素 0 到 999\n"
        "  实际：lane 232 访问了元素 1000，在 `x_ptr` 之外；这样的访问一共 24 次\n");
  CHECK(!r.failure->details.empty());

  const CheckResult wrong = check_exercise(e, made(answer(place + "    m = offsets < n\n    x = tl.load(x_ptr + offsets, mask=m)\n    tl.store(out_ptr + offsets, x + pid, mask=m)\n")));
  REQUIRE(wrong.failure);
  CHECK(wrong.failure->kind == Failure::Kind::Value);
  CHECK(*wrong.failure->program == ProgramIndex{0, 0, 0});
  CHECK(wrong.failure->line == 11);
}

TEST_CASE("a missing element, a second load and an access outside a matrix are told with program, line and place") {
  const auto told = [](const char* name, const char* mistake, size_t language) {
    const Lesson l = lesson(name);
    const CheckResult r = check_exercise(*l.exercise, text_of(std::string(TILESCOPE_SOURCE_DIR) + "/lessons/" + name + "/mistakes/" + mistake));
    return r.failure ? in_words(*r.failure, *l.exercise, language) : "passed";
  };
  CHECK(mentions(told("01_programs", "block_forgotten.py", kEnglish), "  program 3, line 11: tl.store(out_ptr + offsets, x * x, mask=mask)\n"));
  CHECK(mentions(told("01_programs", "block_forgotten.py", kEnglish),
                 "element 259 is stored by no program; 765 of 1024 elements are missing; the nearest that is stored is element 258, by program 3\n"));
  CHECK(mentions(told("01_programs", "block_forgotten.py", kChinese), "没有 program 写回元素 259；1024 个元素中缺 765 个；离它最近、已经写回的是元素 258（program 3）\n"));
  CHECK(mentions(told("07_softmax", "loads_twice.py", kEnglish), "row 0, column 0 is loaded twice, in lines "));
  CHECK(mentions(told("08_matmul", "no_mask_along_k.py", kEnglish), "lane [18, 0] goes to element 850, outside `b_ptr`; 238 such accesses in all\n"));
  CHECK(mentions(told("05_reduction", "last_column_left_out.py", kEnglish), "found:    4 lanes are off, 4 too many\n"));
}

TEST_CASE("two programs that write one element are told of in both languages, although the values come out right") {
  const Lesson l = lesson("03_masks");
  const Exercise& e = *l.exercise;
  const CheckResult r = check_exercise(e, text_of(std::string(TILESCOPE_SOURCE_DIR) + "/lessons/03_masks/mistakes/flat_mask.py"));
  REQUIRE(r.failure);
  CHECK(r.failure->kind == Failure::Kind::Fault);
  CHECK(mentions(in_words(*r.failure, e, kEnglish), "expected: each element of `out_ptr` has one program that writes it"));
  CHECK(mentions(in_words(*r.failure, e, kChinese), "实际：第 1 行第 0 列：program (0, 3) 写，program (1, 0) 也写"));
}

TEST_CASE("a wrong fill is named as the likely cause of wrong values") {
  const Lesson l = lesson("05_reduction");
  const CheckResult r = check_exercise(*l.exercise, text_of(std::string(TILESCOPE_SOURCE_DIR) + "/lessons/05_reduction/mistakes/fill_zero.py"));
  REQUIRE(r.failure);
  CHECK(r.failure->kind == Failure::Kind::Value);
  REQUIRE(!r.failure->details.empty());
  CHECK(mentions(render(r.failure->details), "other"));
}

TEST_CASE("kernels that cannot be run end in a failure, not in a crash or a hang") {
  const Lesson l = lesson("01_programs");
  const Exercise& e = *l.exercise;
  CHECK(mentions(outcome(e, made("")), "a kernel that compiles"));
  CHECK(mentions(outcome(e, made("x = (((((\n")), "a kernel that compiles"));
  CHECK(mentions(outcome(e, made(answer("    tl.store(x_ptr + tl.arange(0, 3), 0)\n"))), "a kernel that compiles"));
  CHECK(mentions(outcome(e, made("import triton\n@triton.jit\ndef other_kernel(x_ptr):\n    pass\n")), "a kernel that compiles"));
  CHECK(mentions(outcome(e, made(answer("    while n > 0:\n        n = n + 0\n"))), "a program that comes to its end"));
  CHECK(mentions(outcome(e, made(answer("    pass\n"))), "element 0 is stored by no program; 1024 of 1024 elements are missing\n"));
  CHECK(mentions(outcome(e, made(answer("    tl.store(out_ptr - 1, 0.0)\n"))), "found:"));
  CHECK(mentions(outcome(e, made(std::string("\0\xff\xfe", 3))), "a kernel that compiles"));
}

TEST_CASE("a check can be stopped") {
  const Lesson l = lesson("01_programs");
  int asked = 0;
  const CheckResult r = check_exercise(*l.exercise, text_of(l.exercise->solution_path), [&] { return ++asked < 3; });
  CHECK(r.stopped);
  CHECK_FALSE(r.passed());
}

TEST_CASE("names that a kernel must and must not use are looked for in its code, not in comments and strings") {
  Lesson l = lesson("01_programs");
  Exercise& e = *l.exercise;
  const SourcePtr solution = text_of(e.solution_path);
  e.use = {"tl.program_id"};
  e.avoid = {"tl.softmax", "program_id", "load"};
  CHECK(outcome(e, solution) == "passed");
  CHECK(outcome(e, made("# tl.softmax\n" + solution->text + "\n\"tl.softmax\"\n")) == "passed");
  e.avoid = {"tl.arange"};
  CHECK(mentions(outcome(e, solution), "line 8: offsets = "));
  e.avoid = {};
  e.use = {"tl.num_programs"};
  CHECK(mentions(outcome(e, made("# tl.num_programs\n" + solution->text)), "tl.num_programs is nowhere in the text"));
}

TEST_CASE("a line of a long text is found in one walk") {
  std::string text;
  for (int i = 0; i < 300'000; ++i) text += "\n";
  text += "    x = 1\r\n\ty = 2";
  const SourceFile file{"long.py", text};
  const std::clock_t began = std::clock();
  CHECK(find_line(file, "x = 1") == 300'001);
  CHECK(find_line(file, "y =") == 300'002);
  CHECK(find_line(file, "z") == 0);
  CHECK(find_line(file, "") == 1);
  CHECK(find_line({"empty.py", ""}, "x") == 0);
  CHECK(static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC < 1.0);
}

TEST_CASE("a loop that ends early is told of in the words of its own text") {
  const Lesson l = lesson("14_clinic");
  const std::string early = text_of(std::string(TILESCOPE_SOURCE_DIR) + "/lessons/14_clinic/mistakes/k_loop_stops_early.py")->text, old = "range(0, K // BLOCK_K)";
  REQUIRE(mentions(early, old));
  const auto hints = [&](const std::string& before, const std::string& range) {
    std::string text = early;
    text.replace(text.find(old), old.size(), range);
    text.insert(text.find("    for step"), before);
    const CheckResult r = check_exercise(*l.exercise, made(text));
    return r.failure ? render(r.failure->details) : "passed";
  };
  const std::string written = "K elements in steps of BLOCK_K take tl.cdiv(K, BLOCK_K) rounds; K // BLOCK_K leaves out the last, partial one", any = "a loop over n elements in steps of b takes tl.cdiv(n, b) rounds";
  CHECK(mentions(hints("", old), written));
  CHECK(mentions(hints("    depth = K\n", "range(depth//BLOCK_K)"), "depth // BLOCK_K leaves out the last"));
  for (const auto& [before, range] : {std::pair{"    rounds = K // BLOCK_K\n", "range(0, rounds)"}, {"", "range(0, tl.cdiv(K, BLOCK_K) - 1)"}, {"", "range(0, (K + 0) // BLOCK_K)"}}) {
    const std::string told = hints(before, range);
    CAPTURE(range);
    CHECK(mentions(told, any));
    CHECK_FALSE(mentions(told, "K // BLOCK_K leaves"));
  }
}

TEST_CASE("names that a kernel must and must not use are found under every import, assignment and as methods") {
  Lesson l = lesson("06_stability");
  Exercise& e = *l.exercise;
  const std::string solution = text_of(e.solution_path)->text;
  const auto with = [&](const std::string& imports, const std::string& module) {
    std::string text = solution;
    const std::string old = "import triton.language as tl";
    text.replace(text.find(old), old.size(), imports);
    for (size_t at = 0; !module.empty() && (at = text.find("tl.", at)) != std::string::npos; at += module.size()) text.replace(at, 3, module);
    return made(text);
  };
  e.avoid = {};
  e.use = {"tl.max"};
  CHECK(outcome(e, with("import triton.language as tl", "")) == "passed");
  CHECK(outcome(e, with("import triton.language as L", "L.")) == "passed");
  CHECK(outcome(e, with("from triton import language", "language.")) == "passed");
  CHECK(outcome(e, with("import triton.language", "triton.language.")) == "passed");
  CHECK(outcome(e, with("import triton.language as L\ntl = L", "")) == "passed");
  CHECK(outcome(e, with("import triton.language as tl\nfrom triton.language import max as m", "")) == "passed");
  e.use = {};
  e.avoid = {"tl.max"};
  for (const char* imports : {"import triton.language as L", "from triton import language as L"}) CHECK(mentions(outcome(e, with(imports, "L.")), "tl.max is used here"));
  std::string method = solution;
  const size_t at = method.find("tl.max("), comma = method.find(',', at);
  REQUIRE(at != std::string::npos);
  method = method.substr(0, at) + "(" + method.substr(at + 7, comma - at - 7) + ").max(" + method.substr(comma + 1);
  CAPTURE(method);
  CHECK(mentions(outcome(e, made(method)), "tl.max is used here"));
  e.avoid = {};
  e.use = {"tl.max"};
  CHECK(outcome(e, made(method)) == "passed");
  // Host code beside the kernel is not the kernel.
  e.use = {"tl.softmax"};
  CHECK(mentions(outcome(e, made(solution + "\n\ndef check(x):\n    return x.softmax(0)\n")), "tl.softmax is nowhere in the text"));
}

TEST_CASE("a launch that is too large for values is judged as the small ones are, where its stores say what they write") {
  const Lesson l = lesson("14_clinic");
  Exercise e;
  for (const Page& p : l.pages)
    for (const ExerciseLaunch& x : p.exercise ? p.exercise->launches : std::vector<ExerciseLaunch>{})
      if (x.addresses_only) e.launches = {x};
  REQUIRE(e.launches.size() == 1);
  // Smaller than it is in the lesson, and still only checked on its addresses: looking for races takes seconds there.
  for (LaunchArg& a : e.launches[0].spec.args)
    if (auto* t = std::get_if<TensorSpec>(&a.value)) t->layout = TensorLayout::contiguous({40, int64_t{1} << 16});
    else if (a.name == "M") a.value = int64_t{40};
  const auto with = [](const std::string& body) {
    return made("import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef scale_rows(x_ptr, M, N, BLOCK: tl.constexpr):\n    row = tl.program_id(0)\n" + body);
  };
  CHECK(outcome(e, with("    tl.store(x_ptr, 1.0)\n")) == "passed");
  CHECK(mentions(outcome(e, with("    tl.store(x_ptr, row)\n")), "one program that writes it"));
  // Loads give 0 here, so that these only seem to write one value.
  CHECK(mentions(outcome(e, with("    tl.store(x_ptr, tl.load(x_ptr + row + 1))\n")), "one program that writes it"));
  CHECK(mentions(outcome(e, with("    s = 0.0\n    for i in range(0, 2):\n        s += tl.load(x_ptr + row + 1 + i)\n    tl.store(x_ptr, s)\n")), "one program that writes it"));
  CHECK(mentions(outcome(e, with("    v = 1.0\n    if tl.load(x_ptr + row + 1) > 0:\n        v = 2.0\n    tl.store(x_ptr, v)\n")), "one program that writes it"));
}
