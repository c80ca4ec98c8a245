// Every file in tests/errors is refused with one error, and the expected one stands beside the bad line:
//   x = a + b  # error 9: cannot broadcast
// 9 is the column of the caret; the text is a part of the message.
#include <doctest/doctest.h>

#include <algorithm>
#include <optional>

#include "tests/core_lower_kernel.h"

namespace tilescope::test {
namespace {

struct ExpectedError {
  int line = 0, column = 0;
  std::string fragment;
};

std::optional<ExpectedError> expected_error(const std::string& text) {
  std::istringstream lines(text);
  ExpectedError e;
  for (std::string line; std::getline(lines, line);) {
    ++e.line;
    const size_t at = line.find("# error ");
    if (at == std::string::npos) continue;
    const size_t colon = line.find(": ", at);
    e.column = std::stoi(line.substr(at + 8, colon - at - 8));
    e.fragment = line.substr(colon + 2);
    return e;
  }
  return std::nullopt;
}

TEST_CASE("each kernel in tests/errors is refused with the error that stands beside its bad line") {
  const auto files = kernel_files("errors");
  REQUIRE(files.size() >= 90);
  for (const auto& path : files) {
    const std::string text = read_text(path);
    CAPTURE(path.filename().string());
    const auto expected = expected_error(text);
    REQUIRE(expected);
    const auto compiled = compile_kernel(request_for(text, path.filename().string()));
    CHECK_FALSE(compiled.ok());
    if (compiled.ok()) continue;
    const Diagnostic& d = compiled.errors().front();
    const std::string shown = render(d);
    CAPTURE(shown);
    CHECK(d.range.line == expected->line);
    CHECK(d.range.column == expected->column);
    CHECK(d.message.find(expected->fragment) != std::string::npos);
  }
}

TEST_CASE("the error for a swapped [:, None] shows both shapes and says how to write the row") {
  const auto compiled =
      compile_kernel(request_for("# args: x=*f32 K=64\n"
                                 "import triton\nimport triton.language as tl\n"
                                 "@triton.jit\n"
                                 "def kernel(x, K):\n"
                                 "    rows = tl.arange(0, 32)\n"
                                 "    ks = tl.arange(0, 64)\n"
                                 "    offsets = rows[:, None] * K + ks[:, None]\n"
                                 "    tl.store(x + offsets, 1.0)\n"));
  REQUIRE_FALSE(compiled.ok());
  CHECK(
      render(compiled.errors()) ==
      "kernel.py:8:15: error: cannot broadcast [32, 1] with [64, 1]: axis 0 is 32 against 64\n"
      "    8 |     offsets = rows[:, None] * K + ks[:, None]\n"
      "      |               ^^^^^^^^^^^^^^^^^   ^^^^^^^^^^^ shape [64, 1]\n"
      "      |               shape [32, 1]\n"
      "   hint: both are columns; a tile of addresses needs one index as a column, x[:, None], and the other as a row, "
      "x[None, :]\n");
}

TEST_CASE("an error in a helper names the chain of calls that led to it") {
  const auto compiled =
      compile_kernel(request_for("# args: x=*f32\n"
                                 "import triton\nimport triton.language as tl\n"
                                 "@triton.jit\ndef inner(a):\n    return a & 1.5\n"
                                 "@triton.jit\ndef outer(a):\n    return inner(a) + 1\n"
                                 "@triton.jit\ndef kernel(x):\n    tl.store(x, outer(tl.load(x)))\n"));
  REQUIRE_FALSE(compiled.ok());
  const std::string text = render(compiled.errors());
  CHECK(text.find("kernel.py:6:12: error: `&` works on integers only") == 0);
  CHECK(text.find("note: in call to `inner` at kernel.py:9:12") != std::string::npos);
  CHECK(text.find("note: in call to `outer` at kernel.py:12:17") != std::string::npos);
}

TEST_CASE("an error inside the embedded library is shown at the user's call") {
  const auto compiled = compile_kernel(
      request_for("# args: x=*f32\n"
                  "import triton\nimport triton.language as tl\n"
                  "@triton.jit\ndef kernel(x):\n    tl.store(x, tl.sum(tl.softmax(tl.arange(0, 8))))\n"));
  REQUIRE_FALSE(compiled.ok());
  CHECK(compiled.errors().front().range.line == 6);
}

}  // namespace
}  // namespace tilescope::test
