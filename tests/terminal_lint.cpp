// `tilescope lint` as people and programs call it.

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "temporary_folder.h"
#include "terminal_calls.h"

using namespace tilescope;
using terminal_calls::mentions;
using terminal_calls::Result;
using terminal_calls::tilescope_command;
namespace fs = std::filesystem;

namespace {

const std::string kFolder = TILESCOPE_SOURCE_DIR "/tests/data/lint";

const std::string kHead = "import triton\nimport triton.language as tl\n\n\n";

nlohmann::json lint_json(const std::string& path) {
  const Result r = tilescope_command({"lint", path, "--json"});
  CHECK(r.err.empty());
  return nlohmann::json::parse(r.out);
}

TEST_CASE("numbers in the causes of a ranking are N, and lists are [...], so that equal causes are one") {
  const TemporaryFolder folder;
  const std::string kernel = "@triton.jit\ndef k{}(x):\n    tl.store(x + tl.arange(0, 8), tl.reshape(tl.zeros([8], tl.float32), [{}, 2]))\n";
  std::string text = "import triton\nimport triton.language as tl\n";
  for (const char* n : {"2", "8"}) {
    std::string one = kernel;
    for (size_t at; (at = one.find("{}")) != std::string::npos;) one.replace(at, 2, n);
    text += one;
  }
  folder.write("k.py", text);
  const Result r = tilescope_command({"lint", folder.path.string(), "--quiet"});
  CHECK(mentions(r.out, "    2  cannot reshape [...] to [...]"));
  CHECK(r.out.find('#') == std::string::npos);
}

}  // namespace

TEST_CASE("lint counts the kernels of a folder by verdict and follows imports between its files") {
  const nlohmann::json j = lint_json(kFolder);
  CHECK(j["kernels"] == 6);
  CHECK(j["fine"] == 3);
  CHECK(j["missing"] == 1);
  CHECK(j["wrong"] == 1);
  CHECK(j["cannot_tell"] == 1);
  REQUIRE(j["missing_features"].size() == 1);
  CHECK(j["missing_features"][0]["feature"] == "tl.extra.cuda.globaltimer()");
  CHECK(j["missing_features"][0]["example"]["line"] == 10);
  for (const auto& f : j["files"])
    if (f["path"] == kFolder + "/sums.py") CHECK(f["helpers"] == nlohmann::json::array({"total"}));
}

TEST_CASE("lint names the place of what is missing, under a caret, and the number of fine kernels") {
  const Result r = tilescope_command({"lint", kFolder + "/newer.py"});
  CHECK(r.status == 1);
  CHECK(mentions(r.out, "stamp       missing: tl.extra.cuda.globaltimer()"));
  CHECK(mentions(r.out, "newer.py:10:40: "));
  CHECK(mentions(r.out, "^^^"));
  CHECK(mentions(r.out, "early_end   wrong: `break`"));
  CHECK(mentions(r.out, "particular  cannot tell: static assertion"));
  CHECK(mentions(r.out, "0 of 3 kernels fine (0.0%); 1 missing something, 1 wrong, 1 cannot be told."));
}

TEST_CASE("lint ends with 0 when every kernel is fine and says little with --quiet") {
  const Result r = tilescope_command({"lint", kFolder + "/elementwise.py", "--quiet"});
  CHECK(r.status == 0);
  CHECK(mentions(r.out, "2 of 2 kernels fine (100.0%)."));
  CHECK(r.out.find("scale_rows") == std::string::npos);
}

TEST_CASE("lint reads a folder that contains itself once, and says which files it skips and why") {
  const TemporaryFolder folder;
  folder.write("copy.py", kHead + "@triton.jit\ndef copy(x, y):\n    tl.store(y, tl.load(x))\n");
  folder.write("latin.py", "# jit \xe9t\xe9\n");
  folder.write("nothing.py", "print('no kernels here')\n");
  folder.write("half.py", kHead + "@triton.jit\ndef half(x, y:\n    tl.store(y, tl.load(x))\n");
  fs::create_directory_symlink(folder.path, folder.path / "again");
  const nlohmann::json j = lint_json(folder.path.string());
  CHECK(j["files_seen"] == 4);
  CHECK(j["fine"] == 1);
  bool skipped = false;
  for (const auto& f : j["files"]) skipped |= f.value("skipped", "") == "it is not UTF-8 text";
  CHECK(skipped);
  CHECK(tilescope_command({"lint", folder.path.string()}).status == 1);
}

TEST_CASE("kernels of other languages that have a jit of their own are left out") {
  const TemporaryFolder folder;
  folder.write("other.py", "import numba\nfrom cutlass import cute\n\n\n@numba.jit\ndef f(x):\n    x[0] = 1\n\n\n@cute.jit\ndef g(x):\n    x[0] = 1\n");
  CHECK(lint_json(folder.path.string())["kernels"] == 0);
}

TEST_CASE("a kernel whose name is a variable of another one is no helper, and what host code may define is not called wrong") {
  const TemporaryFolder folder;
  folder.write("names.py", kHead + "@triton.jit\ndef k(x):\n    tl.store(x, NOPE)\n\n\n@triton.jit\ndef other(x):\n    for k in range(4):\n        tl.store(x + k, k)\n");
  const nlohmann::json j = lint_json(folder.path.string());
  CHECK(j["kernels"] == 2);
  CHECK(j["fine"] == 1);
  CHECK(j["cannot_tell"] == 1);
}

TEST_CASE("lint does not end with 0 when it did not look at everything, or found no kernel") {
  const std::string copy = kHead + "@triton.jit\ndef copy(x, y):\n    tl.store(y, tl.load(x))\n";
  const auto status = [](const TemporaryFolder& f) { return tilescope_command({"lint", f.path.string()}).status; };
  const TemporaryFolder fine, skipped, empty, other;
  fine.write("copy.py", copy);
  CHECK(status(fine) == terminal::kFine);
  skipped.write("copy.py", copy);
  skipped.write("latin.py", "# jit \xe9t\xe9\n");
  CHECK(status(skipped) == terminal::kDifferent);
  CHECK(status(empty) == terminal::kUsage);
  other.write("host.py", "print('no kernels here')\n");
  const Result r = tilescope_command({"lint", other.path.string()});
  CHECK(r.status == terminal::kUsage);
  CHECK(mentions(r.err, "there is no kernel in it"));
  CHECK(mentions(tilescope_command({"lint", "--help"}).out, "1 one is not, a file was skipped"));
}

TEST_CASE("lint of a path that is not there is bad usage") {
  const Result r = tilescope_command({"lint", "/nowhere/at/all.py"});
  CHECK(r.status == 2);
  CHECK(mentions(r.err, "cannot read /nowhere/at/all.py"));
  CHECK(tilescope_command({"lint"}).status == 2);
}

TEST_CASE("lint calls a certain error of constants wrong, and says which autotune configs it did not read") {
  const TemporaryFolder f;
  f.write("k.py", "import triton\nimport triton.language as tl\nfrom elsewhere import configs\n"
                  "@triton.jit\ndef constant(x):\n    tl.store(x + tl.arange(0, 100), 1.0)\n"
                  "@triton.jit\ndef open_length(x, N: tl.constexpr, EXACT: tl.constexpr):\n    if EXACT:\n        tl.store(x + tl.arange(0, 100), 1.0)\n"
                  "@triton.autotune(configs=configs(), key=['n'])\n@triton.jit\ndef tuned(x, n, B: tl.constexpr):\n"
                  "    at = tl.arange(0, B)\n    tl.store(x + at, 1.0, mask=at < n)\n");
  const Result r = tilescope_command({"lint", (f.path / "k.py").string()});
  CAPTURE(r.out);
  CHECK(mentions(r.out, "constant     wrong: the length of tl.arange must be a power of two, not N"));
  CHECK(mentions(r.out, "open_length  fine"));
  CHECK(mentions(r.out, "tuned        fine, with guesses in place of its autotune configs:"));
  CHECK(mentions(r.out, "1 kernel has autotune configs that cannot be read"));
}
