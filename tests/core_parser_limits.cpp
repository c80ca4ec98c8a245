// Texts that are too deep, too long, broken or hostile; and the kernels of the conformance cases, whole and mutated.
#include "core/syntax/parser.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/syntax_text.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

Module module_of(const std::string& text) {
  auto m = parse_module(source(text));
  REQUIRE(m.ok());
  return std::move(*m);
}

std::string conformance_folder() {
  for (const char* folder : {"/tests/conformance", "/../shared/conformance"}) {
    std::string path = std::string(TILESCOPE_SOURCE_DIR) + folder;
    if (std::filesystem::exists(path + "/add_1d/kernel.py")) return path;
  }
  return "";
}

std::string repeated(const std::string& part, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += part;
  return out;
}

}  // namespace

TEST_CASE("deep nesting is an error, long chains of one level are not") {
  auto error = [](const std::string& text) { return parse_expression(source(text)).ok() ? "" : expression_text(text); };
  const std::string deep = "error: this expression is nested too deeply (more than 200 levels)";
  CHECK(error(repeated("(", 100000) + "a" + repeated(")", 100000)) == deep);
  CHECK(error(repeated("-", 100000) + "a") == deep);
  CHECK(error(repeated("not ", 100000) + "a") == deep);
  CHECK(error(repeated("[", 100000)) == deep);
  CHECK(error(repeated("{", 100000)) == deep);
  CHECK(error(repeated("f(", 100000)) == deep);
  CHECK(error(repeated("*", 100000)) != "");
  CHECK(error(repeated("a if b else ", 100000) + "c") == deep);
  CHECK(error(repeated("lambda: ", 100000) + "c") == deep);
  CHECK(error(repeated("a**", 100000) + "c") == deep);
  CHECK(error(repeated("a+", 100000) + "a") == deep);
  CHECK(error(repeated("a.", 100000) + "a") == deep);
  CHECK(error("a" + repeated("[0]", 100000)) == deep);
  CHECK(error(repeated("await ", 100000) + "c") == deep);
  CHECK(error(repeated("(", 150) + "a" + repeated(")", 150)) == "");
  CHECK(error(repeated("a and ", 10000) + "a") == "");
  CHECK(error(repeated("a,", 10000)) == "");
}

TEST_CASE("deep blocks and endless elif are errors") {
  std::string nested, elifs = "  if a: pass\n";
  for (int i = 0; i < 1000; ++i) nested += std::string(i + 1, ' ') + "if a:\n";
  for (int i = 0; i < 1000; ++i) elifs += "  elif a: pass\n";
  for (const std::string& body : {nested + std::string(1001, ' ') + "pass\n", elifs}) {
    Module m = module_of("@jit\ndef a(p):\n" + body);
    REQUIRE(m.functions.size() == 1);
    REQUIRE(m.functions[0]->errors.size() == 1);
    CHECK(m.functions[0]->errors[0].message == "blocks are nested too deeply (more than 100 levels)");
  }
}

TEST_CASE("a file beyond the limit of size is refused as a whole") {
  auto m = parse_module(source(std::string(kMaxKernelFileBytes + 1, '#')));
  REQUIRE_FALSE(m.ok());
  CHECK(m.errors()[0].message == "kernel.py: this file is too long for a kernel file: 4194305 bytes, at most 4194304");
}

TEST_CASE("hostile files of every shape end quickly") {
  const size_t n = 300000;
  for (const char* part : {"(",
                           "[",
                           "a=)\n",
                           "$",
                           "\n ",
                           "'",
                           "f'{",
                           "{a}",
                           "@",
                           "def ",
                           "if a:\n",
                           "a;",
                           "a,",
                           "\\",
                           "\r",
                           "(]",
                           "match ",
                           "\xFF",
                           "@jit\ndef f():\n ",
                           "\"\"\"",
                           "}",
                           "x=f'{'",
                           "async ",
                           "import a,"}) {
    CAPTURE(part);
    std::string text;
    while (text.size() < n) text += part;
    for (const char* head : {"", "@jit\ndef f():\n  ", "x = f'''"}) {
      auto m = parse_module(source(head + text));
      CHECK(m.ok());
    }
  }
}

TEST_CASE("every conformance kernel parses without a word") {
  std::string folder = conformance_folder();
  if (folder.empty()) {
    MESSAGE("conformance data not found; nothing parsed");
    return;
  }
  int kernels = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream in(entry.path() / "kernel.py", std::ios::binary);
    if (!in) continue;
    std::stringstream text;
    text << in.rdbuf();
    CAPTURE(entry.path().string());
    Module m = module_of(text.str());
    CHECK(render(m.skipped) == "");
    for (auto& f : m.functions) {
      CHECK(render(f->errors) == "");
      kernels += f->is_jit;
    }
  }
  CHECK(kernels >= 181);
}

TEST_CASE("mutated kernels never crash the parser") {
  std::string text =
      "import triton\n@triton.autotune(configs=[{'B': 1}], key=['n'])\n@triton.jit\ndef k(x, n: tl.constexpr, b=1):\n"
      "    \"\"\"Doc.\"\"\"\n    for i in range(0, n):\n        if i == 0 and x is not None:\n            y = x[:, "
      "None] + 1.5e3\n"
      "        elif n > 2:\n            a, b = f(*x, k=f'{n!r:>{b}}'), [0x1F]\n        else:\n            return "
      "lambda: {1: 2}\n"
      "    tl.store(x + \\\n      n, (y, 1))\n";
  const std::string pieces[] = {"(",
                                ")",
                                "[",
                                "]",
                                "{",
                                "}",
                                "'",
                                "\"\"\"",
                                "\n",
                                "    ",
                                "\t",
                                ":",
                                "=",
                                "f'{",
                                "if ",
                                "else",
                                "\\",
                                "\xFF",
                                std::string(1, '\0'),
                                "0x",
                                "1e",
                                "@",
                                "def ",
                                "lambda ",
                                ",",
                                "*",
                                "#",
                                "\r",
                                "not ",
                                "for ",
                                "in "};
  uint64_t state = 88172645463325252ull;  // xorshift, so that the run is the same everywhere
  auto random = [&](size_t below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<size_t>(state % below);
  };
  size_t errors = 0;
  for (int run = 0; run < 3000; ++run) {
    std::string mutant = text;
    for (size_t edits = 1 + random(6); edits > 0; --edits) {
      size_t at = random(mutant.size());
      switch (random(4)) {
        case 0:
          mutant.erase(at, 1 + random(8));
          break;
        case 1:
          mutant.insert(at, pieces[random(std::size(pieces))]);
          break;
        case 2:
          mutant[at] = static_cast<char>(random(256));
          break;
        default:
          mutant.insert(at, mutant.substr(random(mutant.size()), random(30)));
          break;
      }
      if (mutant.empty()) mutant = "x";
    }
    auto m = parse_module(source(mutant));
    REQUIRE(m.ok());
    for (auto& f : m->functions) {
      errors += f->errors.size();
      REQUIRE(render(f->errors).size() < 1000000);
    }
  }
  CHECK(errors > 1000);  // the mutants do reach the messages
}
