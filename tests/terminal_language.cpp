// The reference of the kernel language: its examples are run, and core/LANGUAGE.md is what the program writes.
#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "core/ir.h"
#include "core/language_reference.h"
#include "tests/terminal_calls.h"
#include "visualizer/terminal/language_example.h"
#include "visualizer/terminal/language_reference.h"

using namespace tilescope;
using namespace tilescope::terminal;

namespace {

/// Whether an example does what it says: a value, a refusal or a fault. Else what is wrong, for the message.
std::string problem_of(const LanguageExample& e, const std::string& name) {
  auto r = run_example(e, name);
  if (!r) return r.errors().front().message;
  if (e.refused) {
    if (!r->refusal) return "was expected to be refused";
    return r->refusal->message.find(e.message) == std::string::npos && r->refusal->hint.find(e.message) == std::string::npos
               ? "is refused otherwise: " + r->refusal->message
               : "";
  }
  if (r->refusal) return "is refused: " + r->refusal->message;
  if (e.faults != !r->faults.empty()) return e.faults ? "was expected to fault" : "faults: " + r->faults.front();
  if (e.faults && r->faults.front().find(e.message) == std::string::npos) return "faults otherwise: " + r->faults.front();
  return "";
}

LanguageExample one_line(const std::string& line) {
  LanguageExample e;
  e.lines = {line};
  return e;
}

std::string value_of(const std::string& line) {
  auto r = run_example(one_line(line));
  REQUIRE(r.ok());
  return r->values.empty() ? "" : r->values.front().value;
}

}  // namespace

TEST_CASE("every example of a function runs and shows what it says") {
  for (const LanguageFunction& f : language_functions())
    if (!f.refused)
      for (const std::string& name : f.names) {
        const std::string problem = problem_of(f.example, name);
        CHECK_MESSAGE(problem.empty(), "the example of " << name << " " << problem);
      }
}

TEST_CASE("every example of a construct runs, is refused or faults as it says") {
  for (const LanguageSection& s : language_sections())
    for (const LanguageExample& e : s.examples) {
      const std::string problem = problem_of(e, {});
      CHECK_MESSAGE(problem.empty(), s.title << ": `" << e.lines.back() << "` " << problem);
    }
}

TEST_CASE("an example shows values with their dtype and shape, compile-time values and what memory then holds") {
  CHECK(value_of("tl.cumsum(tile([1, 2, 3, 4]))") == "[1, 3, 6, 10]  int32[4]");
  CHECK(value_of("tile([[1, 2], [3, 4]], tl.float16)") == "[[1, 2], [3, 4]]  float16[2, 2]");
  CHECK(value_of("tile([true, false])") == "[true, false]  int1[2]");
  CHECK(value_of("scalar(7) + 1") == "8  int32");
  CHECK(value_of("scalar(0.5) * 3") == "1.5  float32");
  CHECK(value_of("2 ** 70") == "1180591620717411303424");
  CHECK(value_of("(1, tl.float32)") == "(1, fp32)");
  LanguageExample store;
  store.lines = {"p = memory([1, 2, 3])", "tl.store(p + 1, 9)"};
  auto r = run_example(store);
  REQUIRE(r.ok());
  REQUIRE(r->memory.size() == 1);
  CHECK(r->memory[0] == "p then holds [1, 9, 3]  int32[3]");
}

TEST_CASE("an example whose notation is wrong is an error, not a crash") {
  for (const char* line : {"tile([1, 2", "tile(1)", "tile([1, x])", "tile([[1, 2], [3]])", "memory([1], tl.nothing)", "scalar(1"})
    CHECK_FALSE(run_example(one_line(line)).ok());
}

TEST_CASE("every op of the IR has an example in the reference") {
  const std::string text = language_reference();
  const size_t ops = text.find("## Ops of the IR");
  REQUIRE(ops != std::string::npos);
  for (int i = 0; i < op_count(); ++i) {
    const std::string name(op_info(static_cast<OpCode>(i)).name);
    const size_t at = text.find("\n### " + name + "\n", ops);
    REQUIRE_MESSAGE(at != std::string::npos, name);
    const size_t end = std::min(text.find("\n### ", at + 1), text.size());
    CHECK_MESSAGE(text.substr(at, end - at).find("```") != std::string::npos, "no example of the reference holds the op " << name);
  }
}

TEST_CASE("core/LANGUAGE.md is what `tilescope reference --markdown core/LANGUAGE.md` writes") {
  std::ifstream file(TILESCOPE_SOURCE_DIR "/core/LANGUAGE.md", std::ios::binary);
  std::ostringstream kept;
  kept << file.rdbuf();
  const std::string now = language_reference();
  size_t line = 1;
  for (size_t i = 0; i < now.size() && i < kept.str().size() && now[i] == kept.str()[i]; ++i) line += now[i] == '\n';
  const bool equal = kept.str() == now;
  CHECK_MESSAGE(equal, "they differ from line " << line << " on. If that is meant: build/tilescope reference --markdown core/LANGUAGE.md");
}

TEST_CASE("`tilescope reference` lists the language, prints an entry under any of its names, and refuses others") {
  const auto call = [](const std::vector<std::string>& args) {
    std::ostringstream out, err;
    const int status = tilescope_main(args, out, err);
    return std::tuple{status, out.str(), err.str()};
  };
  auto [status, all, none] = call({"reference"});
  CHECK(status == kFine);
  CHECK(all.find("  tl.load(pointer, ") != std::string::npos);
  CHECK(all.find("  ir.scan: ") != std::string::npos);
  for (const char* name : {"tl.sum", "sum", "tl.tensor.sum", "triton.language.sum"}) {
    auto [ok, text, err] = call({"reference", name});
    CHECK(ok == kFine);
    CHECK(text.find("### tl.sum\n") == 0);
  }
  CHECK(std::get<1>(call({"reference", "ir.for"})).find("= for ") != std::string::npos);
  CHECK(std::get<1>(call({"reference", "while"})).find("### while\n") == 0);
  auto [bad, out, err] = call({"reference", "tl.lod"});
  CHECK(bad == kUsage);
  CHECK(out.empty());
  CHECK(err.find("did you mean tl.load?") != std::string::npos);
}
