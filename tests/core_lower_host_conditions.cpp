// Which of several definitions of a name a kernel sees when host code chooses among them.
#include <doctest/doctest.h>

#include <ctime>

#include "core/print.h"
#include "tests/core_lower_kernel.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

Expected<CompiledKernel> compile_text(const std::string& args, const std::string& text) {
  return compile_kernel(request_for("# args: " + args + "\nimport triton\nimport triton.language as tl\n" + text));
}

/// The IR of a kernel with these arguments; `params` is its parameter list, `before` the text of the file above it.
std::string ir_of(const std::string& args, const std::string& params, const std::string& body, const std::string& before) {
  const auto k = compile_text(args, before + "@triton.jit\ndef kernel(" + params + "):\n" + body);
  const std::string errors = k.ok() ? "" : render(k.errors());
  REQUIRE_MESSAGE(k.ok(), errors);
  return print(k->function);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// What a kernel that stores `f(a number)` computes with: the file's text before it defines `f`.
std::string ir_with(const std::string& before) {
  return ir_of("p=*f32", "p", "    x = tl.load(p + tl.arange(0, 8))\n    tl.store(p + tl.arange(0, 8), f(x))\n", before);
}

const std::string kChoice = "    f = tl.exp\nelse:\n    f = tl.sin\n";
bool takes_first(const std::string& test) {
  const std::string ir = ir_with("import os\nfrom packaging import version\nfrom typing import TYPE_CHECKING\n" + test + "\n" + kChoice);
  CHECK(has(ir, "= exp") != has(ir, "= sin"));
  return has(ir, "= exp");
}

}  // namespace

TEST_CASE("the else of a try whose import leads nowhere is not taken for certain") {
  CHECK(has(ir_with("try:\n    import no_such_module_anywhere\nexcept ImportError:\n    f = tl.exp\nelse:\n    f = tl.sin\n"), "= exp"));
}

TEST_CASE("a condition on what the language has chooses the definition that Triton would") {
  CHECK(takes_first("if hasattr(tl, 'gather'):"));
  CHECK(takes_first("if hasattr(triton.language, 'make_tensor_descriptor'):"));
  CHECK_FALSE(takes_first("if hasattr(tl, 'no_such_name'):"));
  CHECK_FALSE(takes_first("if not hasattr(tl.math, 'exp2'):"));
  CHECK_FALSE(takes_first("if hasattr(triton.language, '_experimental_descriptor_load'):"));
}

TEST_CASE("a statement behind the colon of a condition belongs to it") {
  CHECK(has(ir_with("if hasattr(tl, 'gather'): f = tl.exp\nelse: f = tl.sin\n"), "= exp"));
  CHECK(has(ir_with("if hasattr(tl, 'no_such_name'): f = tl.exp\nelse: f = tl.sin\n"), "= sin"));
  CHECK(has(ir_with("try: import no_such_module_anywhere\nexcept ImportError: f = tl.sin\n"), "= sin"));
}

TEST_CASE("a condition on the release of Triton holds for the one that is simulated, by numbers and not by letters") {
  CHECK(takes_first("if version.parse(triton.__version__) >= version.parse('3.2.0'):"));
  CHECK(takes_first("if version.parse(triton.__version__) < version.Version('3.10'):"));
  CHECK_FALSE(takes_first("if version.parse(triton.__version__) < version.parse('3.5.1rc1'):"));
  CHECK(takes_first("if version.parse(triton.__version__).major == 3:"));
  CHECK(takes_first("if triton.__version__ >= '3.1':"));
}

TEST_CASE("type checkers do not run here, and no environment variable is set") {
  CHECK_FALSE(takes_first("if TYPE_CHECKING:"));
  CHECK_FALSE(takes_first("if os.environ.get('FAST', '0') == '1':"));
  CHECK_FALSE(takes_first("if os.getenv('FAST'):"));
}

TEST_CASE("conditions are followed through constants of the file, `elif` and blocks in blocks") {
  const std::string ir = ir_with(
      "NEW = hasattr(tl, 'gather')\nif not NEW:\n    f = tl.cos\nelif NEW and hasattr(tl, 'nothing'):\n    f = tl.sin\n"
      "elif NEW:\n    if NEW:\n        f = tl.exp\n    else:\n        f = tl.log\nelse:\n    f = tl.sqrt\n");
  CHECK(has(ir, "= exp"));
}

TEST_CASE("an import that leads somewhere keeps its fallback out; one that does not leaves it in") {
  const std::string known = ir_with("try:\n    from triton.language.math import exp as f\nexcept ImportError:\n    f = None\n");
  CHECK(has(known, "= exp"));
  const std::string unknown = ir_with("try:\n    from vendor.fast import exp as f\nexcept ImportError:\n    f = tl.sin\n");
  CHECK(has(unknown, "= sin"));
  const std::string language = ir_of("p=*f32", "p", "    tl.store(p, 1.0)\n",
                                     "try:\n    import triton\n    import triton.language as tl\nexcept ImportError:\n    tl = None\n");
  CHECK(has(language, "store"));
  const std::string attribute = ir_with("try:\n    f = tl.no_such_function\nexcept AttributeError:\n    f = tl.sin\n");
  CHECK(has(attribute, "= sin"));
}

TEST_CASE("what only the host can tell gives the first definition that has a value and is not None") {
  CHECK(takes_first("if the_gpu_is_new():"));
  CHECK(has(ir_with("f = None\nif the_gpu_is_new():\n    f = tl.sin\n"), "= sin"));
  CHECK(has(ir_with("if the_gpu_is_new():\n    f = a_host_function()\nelse:\n    f = tl.sin\n"), "= sin"));
  CHECK(has(ir_with("f = tl.exp\nf = tl.sin\n"), "= sin"));
  CHECK(has(ir_with("f = 3\nfrom triton.language.math import sin as f\n"), "= sin"));
}

TEST_CASE("a condition that needs what it chooses, and one without an end, are errors at most") {
  CHECK(has(ir_with("if f:\n    f = tl.exp\nelse:\n    f = tl.sin\n"), "= exp"));
  CHECK(has(ir_with("if A:\n    A = tl.constexpr(1)\nif A:\n    f = tl.exp\n"), "= exp"));
  std::string chain = "if unknown(0):\n    f = tl.exp\n";
  for (int i = 1; i < 500; ++i) chain += "elif unknown(" + std::to_string(i) + "):\n    f = tl.sin\n";
  CHECK(has(ir_with(chain), "= exp"));
  const std::string prints = ir_with("if tl.device_print('x'):\n    f = tl.exp\nelse:\n    f = tl.sin\n");
  CHECK(has(prints, "= sin"));
  CHECK_FALSE(has(prints, "print"));  // a condition of the file leaves nothing in the kernel
}

TEST_CASE("a kernel has no hasattr of its own") {
  const auto k = compile_text("p=*f32", "@triton.jit\ndef kernel(p):\n    if hasattr(tl, 'exp'):\n        tl.store(p, 1.0)\n");
  CHECK_FALSE(k.ok());
}

TEST_CASE("thousands of elifs that host code decides are looked at once, and the one that holds is found among them") {
  const auto chain = [](const std::string& first, const std::string& middle, const std::string& last) {
    std::string text = first;
    for (int i = 1; i < 12'000; ++i)
      text += "elif " + (i == 6'000 ? middle : "unknown(" + std::to_string(i) + ")") + ":\n    f = " + (i == 6'000 ? "tl.cos" : "tl.sin") + "\n";
    return text + last;
  };
  const std::string exp = "if False:\n    f = tl.exp\n", els = "else:\n    f = tl.exp\n";
  const std::clock_t start = std::clock();
  CHECK(has(ir_with(chain("if True:\n    f = tl.exp\n", "unknown()", "")), "= exp"));
  CHECK(has(ir_with(chain(exp, "unknown()", els)), "= sin"));       // the first that may hold
  CHECK(has(ir_with(chain(exp, "True", els)), "= sin"));
  CHECK(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC < 10);
  // Conditions that are known: nothing behind the one that holds.
  std::string known = "N = 3000\nif N == 0:\n    f = tl.exp\n";
  for (int i = 1; i < 4'000; ++i) known += "elif N == " + std::to_string(i) + ":\n    f = " + (i == 3'000 ? "tl.cos" : "tl.sin") + "\n";
  CHECK(has(ir_with(known + els), "= cos"));
}
