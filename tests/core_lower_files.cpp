// Kernels that need more than one function of one file: helpers of other files, closures, named tuples.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "core/print.h"
#include "tests/core_lower_kernel.h"

namespace tilescope::test {
namespace {

namespace fs = std::filesystem;

/// A folder with files in it that is gone when the test ends.
class Folder {
 public:
  explicit Folder(const std::string& name) : path_(fs::temp_directory_path() / name) { fs::remove_all(path_); }
  ~Folder() { fs::remove_all(path_); }
  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((path_ / file).parent_path());
    std::ofstream(path_ / file) << text;
  }
  /// The kernel of one of its files, compiled.
  Expected<CompiledKernel> compile(const std::string& file) const {
    const std::string path = (path_ / file).string();
    return compile_kernel(request_for(read_text(path), path));
  }

 private:
  fs::path path_;
};

const std::string kHead = "# args: x=*f32\nimport triton\nimport triton.language as tl\n";

std::string text_of(const Expected<CompiledKernel>& k) { return k.ok() ? print(k->function) : render(k.errors()); }

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Expected<CompiledKernel> compile(const std::string& text) { return compile_kernel(request_for(kHead + text)); }

TEST_CASE("helpers and constants come from files beside the kernel's and from the packages around it") {
  const Folder folder("tilescope_imports");
  const std::string jit = "import triton\nimport triton.language as tl\n";
  folder.write("pkg/__init__.py", "from .tools import *\n");
  folder.write("pkg/tools.py", jit + "LIMIT = tl.constexpr(3.0)\n@triton.jit\ndef twice(v):\n    return v + v\n");
  folder.write("pkg/ops/__init__.py", "");
  folder.write("pkg/ops/inner.py", jit + "@triton.jit\ndef clip(v, limit: tl.constexpr):\n    return tl.minimum(v, limit)\n");
  const std::string body =
      "@triton.jit\ndef kernel(x):\n    tl.store(x, ops.inner.clip(twice(tl.load(x)), LIMIT))\n";
  folder.write("pkg/kernels/relative.py", kHead + "from ..tools import LIMIT, twice\nfrom .. import ops\n" + body);
  folder.write("pkg/kernels/__init__.py", "");
  folder.write("pkg/kernels/absolute.py", kHead + "from pkg import LIMIT, twice\nimport pkg.ops as ops\n" + body);
  folder.write("pkg/kernels/broken.py", kHead + "from pkg.tools import nothing\n" +
                                            "@triton.jit\ndef kernel(x):\n    tl.store(x, nothing(1.0))\n");
  const std::string relative = text_of(folder.compile("pkg/kernels/relative.py"));
  CHECK(has(relative, "min"));
  CHECK(has(relative, "3.0"));
  CHECK(text_of(folder.compile("pkg/kernels/absolute.py")) == relative);
  CHECK(has(text_of(folder.compile("pkg/kernels/broken.py")), "tools.py, which defines no `nothing`"));
}

TEST_CASE("a misspelt import is found where it stands, whichever of the two names the kernel uses") {
  const Folder folder("tilescope_misspelt");
  folder.write("helpers.py", "import triton\nimport triton.language as tl\n@triton.jit\ndef row_mean(x):\n    return tl.sum(x, 0)\n");
  for (const char* used : {"row_mean", "row_meen"}) {
    CAPTURE(used);
    folder.write("k.py", kHead + "from helpers import row_meen\n@triton.jit\ndef kernel(x):\n    tl.store(x, " + used + "(tl.load(x + tl.arange(0, 4))))\n");
    const auto compiled = folder.compile("k.py");
    REQUIRE_FALSE(compiled.ok());
    const Diagnostic& d = compiled.errors()[0];
    CHECK(has(d.message, "helpers.py, which defines no `row_meen`"));
    CHECK(has(d.hint, "did you mean `row_mean`?"));
    if (std::string(used) == "row_mean") CHECK(d.range.file->line(d.range.line) == "from helpers import row_meen");
  }
}

TEST_CASE("files that import from each other, or themselves, end in an error and not in a hang") {
  const Folder folder("tilescope_cycles");
  folder.write("a.py", "from b import value\n");
  folder.write("b.py", "from a import value\n");
  folder.write("c.py", "from c import *\nfrom a import *\n");
  const std::string body = "@triton.jit\ndef kernel(x):\n    tl.store(x, value)\n";
  folder.write("k.py", kHead + "from a import value\n" + body);
  folder.write("s.py", kHead + "from c import *\n" + body);
  CHECK_FALSE(folder.compile("k.py").ok());
  CHECK_FALSE(folder.compile("s.py").ok());
}

TEST_CASE("an error inside another file shows its line there and the call that led to it") {
  const Folder folder("tilescope_import_error");
  folder.write("helper.py", "import triton\nimport triton.language as tl\n@triton.jit\ndef f(v):\n    return v + None\n");
  folder.write("k.py", kHead + "from helper import f\n@triton.jit\ndef kernel(x):\n    tl.store(x, f(tl.load(x)))\n");
  const std::string error = text_of(folder.compile("k.py"));
  CHECK(has(error, "helper.py:5"));
  CHECK(has(error, "k.py:7"));
}

TEST_CASE("ops of another file's helper are placed at the call in the kernel's file") {
  const Folder folder("tilescope_import_places");
  folder.write("helper.py", "import triton\nimport triton.language as tl\n\n\n\n\n@triton.jit\ndef f(v):\n    return v * 3.0\n");
  folder.write("k.py", kHead + "from helper import f\n@triton.jit\ndef kernel(x):\n    tl.store(x, f(tl.load(x)))\n");
  const auto k = folder.compile("k.py");
  REQUIRE_MESSAGE(k.ok(), text_of(k));
  walk(k->function.body, [&](const Op& op) {
    if (op.loc == nullptr) return;
    CHECK(op.loc->range.file == k->function.source);
    CHECK(op.loc->range.line <= 7);
  });
}

TEST_CASE("Triton and libdevice are known under the names that packages hand them on") {
  const auto k = compile_kernel(request_for(
      "# args: x=*f32\nfrom mypackage.compat import tl, triton, tldevice\nfrom triton.language.extra.cuda import libdevice\n"
      "@triton.jit\ndef kernel(x):\n    tl.store(x, tldevice.tanh(libdevice.rsqrt(tl.load(x))))\n"));
  CHECK_MESSAGE(k.ok(), text_of(k));
}

TEST_CASE("a kernel made by a host function sees the constants around it") {
  const auto k = compile(
      "WIDTH: tl.constexpr = 4\ndef make(n):\n    WIDTH = tl.constexpr(8)\n    @triton.jit\n    def kernel(x):\n"
      "        tl.store(x + tl.arange(0, WIDTH), 1.0)\n    return kernel\n");
  CHECK_MESSAGE(has(text_of(k), "tile<8xptr<f32>>"), text_of(k));
}

TEST_CASE("a named tuple is made by position, by name and from defaults, and joins under a run-time if") {
  const auto k = compile(
      "from typing import NamedTuple\nclass Pair(NamedTuple):\n    a: tl.tensor\n    b: tl.constexpr = 16\n"
      "@triton.jit\ndef make(v):\n    return Pair(v, b=32)\n@triton.jit\ndef kernel(x):\n    v = tl.load(x)\n    p = Pair(v)\n"
      "    tl.static_assert(Pair(v).b == 16 and Pair(v)[1] == 16 and len(p) == 2)\n    v += make(v).b\n"
      "    if v > 0:\n        p = Pair(v + 1.0)\n    a, b = p\n    tl.store(x, a * p.a + b)\n");
  CHECK_MESSAGE(k.ok(), text_of(k));
}

TEST_CASE("helpers take *args, and calls spread tuples") {
  const auto k = compile(
      "@triton.jit\ndef total(first, *rest, scale=2.0):\n    s = first * scale\n    for i in tl.static_range(len(rest)):\n"
      "        s += rest[i]\n    return s\n"
      "@triton.jit\ndef kernel(x):\n    v = tl.load(x)\n    t = (v, v + 1.0)\n    tl.static_assert(len(t) == 2)\n"
      "    tl.store(x, total(v) + total(v, v, v, scale=3.0) + total(*t))\n");
  CHECK_MESSAGE(k.ok(), text_of(k));
}

TEST_CASE("constants of a file may come from torch.finfo, host functions and .value") {
  const auto k = compile(
      "import torch\nBIG = tl.constexpr(torch.finfo(torch.float16).max)\nLOW = tl.constexpr(torch.iinfo(torch.int8).min)\n"
      "E4: tl.constexpr = torch.finfo(torch.float8_e4m3fn).max\n"
      "def choose():\n    return tl.exp\nfunction = choose()\n@triton.jit\ndef kernel(x):\n"
      "    tl.static_assert(BIG == 65504.0 and LOW == -128 and E4 == 448.0)\n"
      "    tl.static_assert(x.dtype.element_ty.value == tl.float32)\n    tl.store(x, function(tl.load(x)))\n");
  CHECK_MESSAGE(k.ok(), text_of(k));
}

TEST_CASE("a dotted import leads to its file, with and without a package around it, under the importing file's own name too") {
  const Folder folder("tilescope_dotted");
  folder.write("nsp/kernels.py", "import triton\nimport triton.language as tl\n@triton.jit\ndef f(v):\n    return v * 3.0\n");
  folder.write("ops/__init__.py", "");
  folder.write("ops/kernels.py", "import triton\nimport triton.language as tl\n@triton.jit\ndef f(v):\n    return v * 3.0\n");
  const auto stored = [](const std::string& call) { return "@triton.jit\ndef kernel(x):\n    tl.store(x, " + call + "(tl.load(x)))\n"; };
  folder.write("other.py", kHead + "import nsp.kernels\n" + stored("nsp.kernels.f"));
  folder.write("nsp.py", kHead + "import nsp.kernels\n" + stored("nsp.kernels.f"));
  folder.write("alias.py", kHead + "import ops.kernels as ops\n" + stored("ops.f"));
  for (const char* file : {"other.py", "nsp.py", "alias.py"}) {
    CAPTURE(file);
    CHECK(has(text_of(folder.compile(file)), "3.0"));
  }
}

}  // namespace
}  // namespace tilescope::test
