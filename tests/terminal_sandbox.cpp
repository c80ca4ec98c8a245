// `tilescope sandbox`: kernels without host code, pasted or named, with answers typed.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/launch_file.h"
#include "tests/temporary_folder.h"
#include "tests/terminal_calls.h"
#include "visualizer/terminal/sandbox_command.h"

using namespace tilescope;
using namespace tilescope::terminal_calls;
namespace fs = std::filesystem;

namespace {

const std::string kKernels = std::string(TILESCOPE_SOURCE_DIR) + "/lessons/kernels/";

const std::string kAdd =
    "import triton\nimport triton.language as tl\n@triton.jit\ndef add(x_ptr, y_ptr, n, BLOCK: tl.constexpr):\n"
    "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n    m = i < n\n    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=m) + 1, mask=m)\n";

Result sandbox(const std::vector<std::string>& options, const std::string& typed) {
  std::vector<std::string> args{"sandbox", "--no-window"};
  args.insert(args.end(), options.begin(), options.end());
  std::ostringstream out, err;
  std::istringstream in(typed);
  const auto command = terminal::parse_command(args, out, err);
  if (const int* status = std::get_if<int>(&command)) return {*status, out.str(), err.str()};
  const int status = terminal::run_sandbox(std::get<terminal::Command>(command), in, out, err);
  return {status, out.str(), err.str()};
}

TEST_CASE("sandbox guesses the arguments of a kernel, says why, and checks it") {
  const Result r = sandbox({"--yes", kKernels + "grouped_matmul/kernel.py"}, "");
  CHECK(r.status == 0);
  CHECK(mentions(r.out, "argument"));
  CHECK(mentions(r.out, "a stride, row major"));
  CHECK(mentions(r.out, "shape by the names of its strides"));
  CHECK(mentions(r.out, "No fault found"));
}

TEST_CASE("warps and stages that no GPU takes are refused before anything is tried") {
  CHECK(sandbox({"--yes", "--num-warps", "3"}, kAdd).status == 2);
  CHECK(sandbox({"--yes", "--num-stages", "-5"}, kAdd).status == 2);
  CHECK(sandbox({"--yes", "--num-warps", "8"}, kAdd).status == 0);
}

TEST_CASE("a pasted kernel runs") {
  const Result r = sandbox({"--yes"}, kAdd);
  CHECK(r.status == 0);
  CHECK(mentions(r.out, "f32[1000]=randn(1)"));
  CHECK(sandbox({"--yes"}, " \n").status == 2);
}

TEST_CASE("a pasted kernel's file has a name that nobody can guess, and is gone when the command ends") {
  const TemporaryFolder folder, elsewhere;
  // What the first names once were, made into a link by somebody else.
  fs::create_symlink(elsewhere.file("victim.txt"), folder.file("tilescope-sandbox-1.py"));
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  setenv("TMPDIR", folder.path.c_str(), 1);
  const Result r = sandbox({"--yes"}, kAdd);
  if (before == nullptr) unsetenv("TMPDIR");
  else setenv("TMPDIR", kept.c_str(), 1);
  CHECK(r.status == terminal::kFine);
  CHECK(mentions(r.out, "tilescope-sandbox-"));
  CHECK(fs::is_empty(elsewhere.path));
  CHECK(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()) == 1);
}

TEST_CASE("answers replace guesses: wrong ones are asked again with the reason, shapes follow sizes") {
  const TemporaryFolder f;
  std::ofstream(f.file("k.py")) << kAdd;
  const Result r = sandbox({"--ask", f.file("k.py")}, "seventy\n70\n\nf16[70]=ones\n\n");
  CHECK(r.status == 0);
  CHECK(mentions(r.out, "n [1000]: "));
  CHECK(mentions(r.out, "\"seventy\" is not a number"));
  CHECK(mentions(r.out, "BLOCK [32]: "));
  CHECK(mentions(r.out, "x_ptr [f32[70]=randn(1)]: "));
  CHECK(mentions(r.out, "f16[70]=ones"));
  CHECK(mentions(r.out, "grid 3 programs"));
}

TEST_CASE("an answer that the kernel cannot take is refused at once") {
  const TemporaryFolder f;
  std::ofstream(f.file("k.py")) << kAdd;
  const Result r = sandbox({"--ask", f.file("k.py")}, "\n33\n64\n");
  CHECK(r.status == 0);
  CHECK(mentions(r.out, "power of"));
  CHECK(mentions(r.out, "grid 16 programs"));
}

TEST_CASE("--arg and --grid set values before anything is guessed; an argument that does not exist is refused") {
  const Result r = sandbox({"--yes", "--arg", "n=100", "--arg", "BLOCK=16", kKernels + "vector_add/kernel.py"}, "");
  CHECK(r.status == 0);
  CHECK(mentions(r.out, "f32[100]=randn(1)"));
  CHECK(mentions(r.out, "grid 7 programs"));
  CHECK(mentions(sandbox({"--yes", "--arg", "m=1", kKernels + "vector_add/kernel.py"}, "").err, "has no parameter `m`"));
}

TEST_CASE("a grid that nothing tells is asked for, with the guess filled in; a bad answer is asked again") {
  const TemporaryFolder f;
  const std::string kernel = f.write("k.py", "import triton\nimport triton.language as tl\n@triton.jit\ndef k(x):\n    tl.store(x + tl.program_id(0), 1.0)\n");
  const Result r = sandbox({"--ask", kernel}, "many,\n5\n\n");
  CHECK(r.status == 0);
  CHECK(mentions(r.out, "nothing tells it along some axis"));
  CHECK(mentions(r.out, "grid [2]: "));
  CHECK(mentions(r.out, "grid 5 programs"));
  CHECK(mentions(r.out, "x [f32[5]=empty]: "));
  CHECK(sandbox({"--ask", "--grid", "3", kernel}, "\n").out.find("grid [") == std::string::npos);
}

TEST_CASE("--config shows the values of that config") {
  const TemporaryFolder f;
  const std::string kernel = f.write("k.py", "import triton\nimport triton.language as tl\n"
      "@triton.autotune(configs=[triton.Config({'BLOCK': 32}), triton.Config({'BLOCK': 128})], key=[])\n" + kAdd.substr(kAdd.find("@triton.jit")));
  const Result r = sandbox({"--yes", "--config", "2", kernel}, "");
  CHECK(r.status == 0);
  CHECK(mentions(r.out, "BLOCK     128"));
  CHECK(mentions(r.out, "grid 8 programs"));
  CHECK(sandbox({"--yes", "--config", "3", kernel}, "").status == 2);
}

TEST_CASE("--launch writes a launch file that runs, and overwrites nothing") {
  const TemporaryFolder f;
  const Result r = sandbox({"--yes", "--launch", f.file("found.json")}, kAdd);
  CHECK(r.status == 0);
  REQUIRE(fs::exists(f.file("found.json")));
  CHECK(fs::exists(f.file("found.py")));
  CHECK(tilescope_command({"check", f.file("found.json"), "--quiet"}).status == 0);
  const Result again = sandbox({"--yes", "--launch", f.file("found.json")}, kAdd);
  CHECK(again.status == 2);
  CHECK(mentions(again.err, "nothing is overwritten"));
}

TEST_CASE("a kernel with a feature that is missing says so with its place and stops") {
  const TemporaryFolder f;
  std::ofstream(f.file("k.py")) << "import triton\nimport triton.language as tl\n@triton.jit\ndef k(x, n):\n    tl.inline_asm_elementwise('x', 'y', [n], dtype=tl.int32, is_pure=True, pack=1)\n";
  const Result r = sandbox({"--yes", f.file("k.py")}, "");
  CHECK(r.status == 2);
  CHECK(mentions(r.err, "inline_asm_elementwise"));
  CHECK(mentions(r.err, "k.py:5:"));
}

}  // namespace
