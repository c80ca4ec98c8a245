// What host code learns about the machine, and constants that host code makes: of classes, enumerations, texts and lists.
#include <doctest/doctest.h>

#include "core/host_facts.h"
#include "core/print.h"
#include "tests/core_lower_kernel.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

const std::string kBody = "@triton.jit\ndef kernel(p):\n    tl.store(p + tl.arange(0, 8), (tl.arange(0, 8) + N).to(tl.float32))\n";

Expected<CompiledKernel> compile_text(const std::string& before, const std::string& kernel = kBody) {
  return compile_kernel(request_for("# args: p=*f32\nimport os\nimport math\nimport torch\nimport triton\nimport triton.language as tl\n"
                                    "from enum import Enum, auto\n" + before + kernel));
}

/// Whether the kernel sees this number as N, or the errors.
bool is_number(const std::string& before, const std::string& number) {
  const auto k = compile_text(before);
  const std::string errors = k.ok() ? "" : render(k.errors());
  REQUIRE_MESSAGE(k.ok(), errors);
  const std::string ir = print(k->function);
  CAPTURE(ir);
  CAPTURE(before);
  return ir.find(number) != std::string::npos;
}

/// The number that `N` is when the condition holds, else another.
bool holds(const std::string& condition) {
  return is_number("if " + condition + ":\n    N: tl.constexpr = 7771\nelse:\n    N: tl.constexpr = 8882\n", "7771");
}

}  // namespace

TEST_CASE("conditions on the machine hold as on an H200") {
  CHECK(holds("torch.cuda.is_available() and torch.cuda.get_device_capability() >= (9, 0)"));
  CHECK(holds("torch.cuda.get_device_capability(0)[0] == 9"));
  CHECK(holds("torch.version.hip is None and torch.version.cuda is not None"));
  CHECK(holds("'H200' in torch.cuda.get_device_name(0)"));
  CHECK(holds("torch.cuda.get_device_properties(0).multi_processor_count == 132"));
  CHECK(holds("triton.runtime.driver.active.get_current_target().backend == 'cuda'"));
  CHECK(holds("triton.runtime.driver.active.get_current_target().arch in (90, 100)"));
  CHECK_FALSE(holds("torch.version.hip"));
  CHECK_FALSE(holds("torch.cuda.get_device_capability() >= (10, 0)"));
  CHECK_FALSE(holds("int(os.environ.get('FAST', '0')) == 1"));
  CHECK_FALSE(holds("os.environ.get('FAST', 'no').lower() in ('1', 'yes')"));
}

TEST_CASE("functions and names of the file that ask the machine are followed") {
  CHECK(is_number("def is_hip():\n    return triton.runtime.driver.active.get_current_target().backend == 'hip'\n"
                  "N: tl.constexpr = 7771 if is_hip() else 8882\n", "8882"));
  CHECK(is_number("def target():\n    try:\n        return triton.runtime.driver.active.get_current_target()\n    except Exception:\n"
                  "        return None\ndef is_nvidia():\n    return target().backend == 'cuda'\nN: tl.constexpr = 7771 if is_nvidia() else 8882\n", "7771"));
  CHECK(is_number("from somewhere.platforms import current_platform\nN: tl.constexpr = 7771 if current_platform.is_rocm() else 8882\n", "8882"));
  CHECK(is_number("from somewhere.utils import is_gfx95_supported\nN: tl.constexpr = 7771 if is_gfx95_supported else 8882\n", "8882"));
}

TEST_CASE("a name that is taken for a fact about the machine is named in a note") {
  const auto k = compile_text("from somewhere.utils import IS_HIP\nN: tl.constexpr = 3\n", "@triton.jit\ndef kernel(p):\n    if IS_HIP:\n        tl.store(p, 1.0)\n    else:\n        tl.store(p, 2.0)\n");
  REQUIRE(k.ok());
  bool said = false;
  for (const Diagnostic& d : k->notes) said = said || d.message == "`IS_HIP` depends on the machine: taken as on an NVIDIA H200, False";
  CHECK(said);
}

TEST_CASE("a name that can be worked out is not taken for a fact") {
  CHECK(is_number("IS_HIP = True\nN: tl.constexpr = 7771 if IS_HIP else 8882\n", "7771"));
  CHECK(is_number("def is_cuda():\n    return False\nN: tl.constexpr = 7771 if is_cuda() else 8882\n", "8882"));
}

TEST_CASE("constants of classes and members of enumerations are values in a kernel") {
  CHECK(is_number("class Mode(Enum):\n    FAST = 7771\n    SLOW = 2\nN = tl.constexpr(Mode.FAST.value)\n", "7771"));
  CHECK(is_number("class Mode(Enum):\n    A = 7770\n    B = auto()\nN = tl.constexpr(Mode.B.value)\n", "7771"));
  CHECK(is_number("class Limits:\n    LOW = 7000\n    HIGH = LOW + 771\nN = tl.constexpr(Limits.HIGH)\n", "7771"));
  const auto k = compile_text("class Mode(Enum):\n    FAST = 1\nN = tl.constexpr(Mode.SLOW.value)\n");
  REQUIRE_FALSE(k.ok());
  CHECK(render(k.errors()).find("has no attribute `SLOW`") != std::string::npos);
}

TEST_CASE("limits of types, mathematics and powers of two are constants for a kernel") {
  CHECK(is_number("info = torch.finfo(torch.float8_e4m3fn)\nN = tl.constexpr(int(info.max) + 7000)\n", "7448"));
  CHECK(is_number("N = tl.constexpr(torch.iinfo(torch.int16).max)\n", "32767"));
  CHECK(is_number("N = tl.constexpr(triton.next_power_of_2(7000))\n", "8192"));
  CHECK(is_number("N = tl.constexpr(int(math.pi * 1000))\n", "3141"));
  CHECK(is_number("N = tl.constexpr(int(-torch.finfo(torch.float8_e5m2).min) // 16)\n", "3584"));
}

TEST_CASE("lists, loops and texts of host code are worked out") {
  CHECK(is_number("sizes = [7000, 700]\nmore = [x + 771 for x in sizes]\nN = tl.constexpr(more[0])\n", "7771"));
  CHECK(is_number("def digits(n):\n    return ''.join('7' for i in range(n)) + '1'\nN = tl.constexpr(int(digits(3)))\n", "7771"));
  CHECK(is_number("def form(n):\n    out = ''\n    for i in range(n):\n        out += '{x}{0}'.format(1, x=777)\n    return out.replace('1777', '')\n"
                  "N = tl.constexpr(int(form(2)))\n", "7771"));
  CHECK(is_number("PAGE = 128\nN = tl.constexpr(PAGE.bit_length() + 7763)\n", "7771"));
}

TEST_CASE("a kernel that stands under a condition is reached, and so are the imports beside it") {
  const auto k = compile_kernel(request_for("# args: p=*f32\nimport triton\n_kernel = None\ndef make():\n    global _kernel\n    if _kernel is None:\n"
                                            "        import triton.language as tl\n        @triton.jit\n        def kernel(p):\n"
                                            "            tl.store(p + tl.arange(0, 8), 1.0)\n        _kernel = kernel\n    return _kernel\n"));
  const std::string errors = k.ok() ? "" : render(k.errors());
  CHECK_MESSAGE(k.ok(), errors);
}

TEST_CASE("host code that grows without bounds ends in an error") {
  for (const char* text : {"c = [[0] * 10000 for i in range(10000)]\nN = tl.constexpr(len(c))\n",
                           "def f(n):\n    return f(n)\nN = tl.constexpr(f(1).bit_length())\n",
                           "class A:\n    X = A.Y\n    Y = A.X\nN = tl.constexpr(A.X)\n",
                           "s = 'x' * 1\ns = '{0}{0}{0}{0}'.format(s)\nN = tl.constexpr(s.upper())\n",
                           "is_hip = is_hip\nis_cuda = lambda: is_cuda()\nN = tl.constexpr(is_cuda().x)\n"}) {
    CAPTURE(text);
    CHECK_FALSE(compile_text(text).ok());
  }
}

TEST_CASE("every fact about the machine has a value and a reason") {
  for (const char* path : {"torch.version.hip", "torch.cuda.get_device_capability()", "current_platform.is_cuda()"}) {
    const HostFact* fact = find_host_fact(path);
    REQUIRE(fact != nullptr);
    CHECK_FALSE(fact->why.empty());
    CHECK(value_of(*fact).range.valid());
  }
  CHECK(holds_host_facts("torch.cuda"));
  CHECK(holds_host_facts("torch.cuda.is_available"));
  CHECK_FALSE(holds_host_facts("torch.cuda.is_available()"));
  CHECK(find_named_fact("__IS_HIP") != nullptr);
  CHECK(find_named_fact("is_gfx950_supported") != nullptr);
  CHECK(find_named_fact("is_even") == nullptr);
  CHECK(find_named_fact("___") == nullptr);
}
