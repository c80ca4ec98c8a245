// Parameters that a kernel uses as tensor descriptors are found, with blocks that fit.
#include <doctest/doctest.h>

#include "core/guess.h"
#include "core/launch_text.h"

using namespace tilescope;

namespace {

GuessedLaunch guess(const std::string& body) {
  auto file = std::make_shared<SourceFile>();
  file->path = "guess.py";
  file->text = "import triton\nimport triton.language as tl\n\n\n" + body;
  auto g = guess_launch(file, "");
  if (!g) FAIL(render(g.errors()));
  return *g;
}

std::string shown(const GuessedLaunch& g, const std::string& name) {
  for (const GuessedArg& a : g.args)
    if (a.name == name) return arg_text(a.value);
  return "no argument " + name;
}

}  // namespace

TEST_CASE("a descriptor's block has the extents in steps of which the kernel walks") {
  const GuessedLaunch g = guess(
      "@triton.jit\n"
      "def matmul(a_desc, b_desc, c_desc, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):\n"
      "    pid = tl.program_id(0)\n"
      "    across = tl.cdiv(N, BLOCK_N)\n"
      "    m = (pid // across) * BLOCK_M\n"
      "    n = (pid % across) * BLOCK_N\n"
      "    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)\n"
      "    for k in range(0, K, BLOCK_K):\n"
      "        total = tl.dot(a_desc.load([m, k]), b_desc.load([k, n]), total)\n"
      "    c_desc.store([m, n], total.to(c_desc.dtype))\n");
  CHECK(shown(g, "a_desc") == "f32[64,64]:block(BLOCK_M,BLOCK_K)=randn(1)");
  CHECK(shown(g, "b_desc") == "f32[64,64]:block(BLOCK_K,BLOCK_N)=randn(1)");
  CHECK(shown(g, "c_desc").find(":block(BLOCK_M,BLOCK_N)") != std::string::npos);
}

TEST_CASE("blocks that nothing names are found by trying, and integers stay integers") {
  const GuessedLaunch g = guess(
      "@triton.jit\n"
      "def add(x_desc, y_desc, row):\n"
      "    x = x_desc.load([row, 0])\n"
      "    y_desc.store([row, 0], x + tl.zeros((64, 32), x.dtype))\n");
  CHECK(shown(g, "x_desc").find(":block(") != std::string::npos);
  CHECK(shown(g, "y_desc").find(":block(64,32)") != std::string::npos);
  CHECK(shown(g, "row") == "64");
}

TEST_CASE("a descriptor that rows are gathered from has blocks of one row") {
  const GuessedLaunch g = guess(
      "@triton.jit\n"
      "def take(x_desc, rows_ptr, y_ptr):\n"
      "    rows = tl.load(rows_ptr + tl.arange(0, 8))\n"
      "    x = x_desc.gather(rows, 0)\n"
      "    tl.store(y_ptr + tl.arange(0, 8)[:, None] * 32 + tl.arange(0, 32)[None, :], x)\n");
  CHECK(shown(g, "x_desc").find(":block(1,32)") != std::string::npos);
}
