// How messages show source lines: whole where they fit, else the part around the caret.
#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "core/compile.h"
#include "core/diagnostic.h"
#include "core/excerpt.h"

using namespace tilescope;

namespace {

Diagnostic at(const std::string& text, int line, int column, int end) {
  Diagnostic d = plain_error("wrong");
  d.range = {std::make_shared<SourceFile>(SourceFile{"k.py", text}), line, column, line, end};
  return d;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

size_t longest_line(const std::string& text) {
  size_t most = 0;
  for (const std::string& line : lines_of(text)) most = std::max(most, line.size());
  return most;
}

/// The characters above the carets.
std::string marked(const std::string& message) {
  const std::vector<std::string> lines = lines_of(message);
  REQUIRE(lines.size() >= 3);
  std::string out;
  for (size_t i = 0; i < lines[2].size(); ++i)
    if (lines[2][i] == '^') out += lines[1].at(i);
  return out;
}

TEST_CASE("an endless line is cut on both sides of the caret, which stands under what it marks") {
  const std::string endless = std::string(50'000, 'a') + " bad " + std::string(50'000, 'b');
  const std::string message = render(at("x\n" + endless + "\n", 2, 50'002, 50'005));
  CHECK(longest_line(message) < 200);
  CHECK(marked(message) == "bad");
  CHECK(message.find("k.py:2:50002: error: wrong") == 0);
  CHECK(message.find("| ...aaa") != std::string::npos);
  CHECK(message.find("bbb...\n") != std::string::npos);
}

TEST_CASE("carets at the beginning and at the end of an endless line are shown; endless carets are cut") {
  const std::string endless = "first" + std::string(9'990, '-') + "final";
  CHECK(marked(render(at(endless, 1, 1, 6))) == "first");
  CHECK(render(at(endless, 1, 1, 6)).find("| first") != std::string::npos);
  CHECK(marked(render(at(endless, 1, 9'996, 10'001))) == "final");
  CHECK(render(at(endless, 1, 9'996, 10'001)).find("final\n") != std::string::npos);
  CHECK(longest_line(render(at(endless, 1, 1, 10'001))) < 200);
  CHECK(longest_line(render(at(endless, 1, 5'000, 10'001))) < 220);
}

TEST_CASE("a line of 160 characters is shown whole, and cuts fall between characters") {
  std::string umlauts;
  for (int i = 0; i < kExcerptColumns; ++i) umlauts += "ü";
  CHECK(excerpt_around(umlauts, 5, 7).text == umlauts);
  const Excerpt cut = excerpt_around(umlauts + "üüüü", 325, 327);
  CHECK(cut.text.size() == 3 + 2 * kExcerptColumns);
  CHECK(cut.text.starts_with("...ü"));
  const std::string broken(100'000, '\x80');  // no character begins anywhere
  CHECK(excerpt_around(broken, 50'000, 50'001).text.size() < 1000);
}

TEST_CASE("a label far away on the same endless line is drawn at the end of what is shown") {
  Diagnostic d = at(std::string(10'000, 'x'), 1, 100, 101);
  d.labels.push_back({{d.range.file, 1, 9'000, 1, 9'005}, "other"});
  const std::string message = render(d);
  CHECK(longest_line(message) < 220);
  CHECK(message.find("other") != std::string::npos);
}

TEST_CASE("endless names and messages are cut in the middle") {
  const std::string name(100'000, 'n');
  CompileRequest request;
  request.source = std::make_shared<SourceFile>(
      SourceFile{"k.py", "import triton\nimport triton.language as tl\n@triton.jit\ndef k(x):\n    tl.store(x, " + name + ")\n"});
  request.args = {{"x", PointerArg{DType::Float32}}};
  const auto kernel = compile_kernel(request);
  REQUIRE_FALSE(kernel.ok());
  const std::string message = render(kernel.errors());
  CHECK(message.size() < 3 * kMessageBytes);
  CHECK(message.find("nnn ... nnn") != std::string::npos);
  CHECK(cut_middle("short", 10) == "short");
}

}  // namespace

TEST_CASE("of a statement over several lines the first line is marked to its end, without the blanks there") {
  Diagnostic d = at("    tl.store(o + i,  \r\n             x)\n", 1, 5, 15);
  d.range.end_line = 2;
  CHECK(end_in_first_line(d.range) == 20);
  CHECK(lines_of(render(d))[2] == "      |     ^^^^^^^^^^^^^^^");
  d.range.end_line = 1;
  CHECK(end_in_first_line(d.range) == 15);
  d.range = {d.range.file, 1, 20, 2, 3};  // nothing but blanks: one character
  CHECK(end_in_first_line(d.range) == 21);
}
