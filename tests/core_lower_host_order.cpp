// Names of the file that host code binds more than once: a kernel sees the value they have when it runs, or an error.
#include <doctest/doctest.h>

#include "core/print.h"
#include "tests/core_lower_kernel.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

Expected<CompiledKernel> compile_text(const std::string& before) {
  return compile_kernel(request_for("# args: p=*i32\nimport triton\nimport triton.language as tl\n" + before +
                                    "@triton.jit\ndef kernel(p):\n    tl.store(p, N)\n"));
}

/// The number that the kernel stores for N, or why it does not compile.
std::string value(const std::string& before) {
  const auto k = compile_text(before);
  if (!k.ok()) return k.errors()[0].message;
  const std::string ir = print(k->function);
  const size_t at = ir.find("constant ");
  return at == std::string::npos ? ir : ir.substr(at + 9, ir.find_first_of(" \n", at + 9) - at - 9);
}

std::string changed(int line) { return "the global `N` has no value that a kernel can use: host code changes it at line " + std::to_string(line); }

TEST_CASE("a global has the value of the names above it, not of those below") {
  CHECK(value("SIZE = 4\nN: tl.constexpr = SIZE\nSIZE = 8\n") == "4");
  CHECK(value("SIZE = 4\ndef f():\n    return SIZE\nN: tl.constexpr = f()\nSIZE = 8\n") == "4");
  CHECK(value("N: tl.constexpr = 3; N = N + 4\n") == "7");
  CHECK(value("N: tl.constexpr = LATER\nLATER = 8\n").ends_with("`LATER` is not defined"));
}

TEST_CASE("a condition that asks the name that it changes is decided by the value before") {
  CHECK(value("N: tl.constexpr = 128\nif N > 64:\n    N: tl.constexpr = 64\n") == "64");
  CHECK(value("N: tl.constexpr = 32\nif N > 64:\n    N: tl.constexpr = 64\n") == "32");
  CHECK(value("N: tl.constexpr = 32\nif N < 16:\n    N = 16\nelif N < 64:\n    N = 64\nelse:\n    N = 1\n") == "64");
}

TEST_CASE("augmented assignments count, and what only running host code knows is refused by its line") {
  CHECK(value("N: tl.constexpr = 16\nN *= 2\nN += 1\n") == "33");
  CHECK(value("N: tl.constexpr = 3\n(N, V) = (7, 8)\n") == "7");
  CHECK(value("N: tl.constexpr = 3\n[V, N] = 8, 9\n") == "9");
  const std::string start = "N: tl.constexpr = 3\n";
  for (const char* change : {"for N in (tl.constexpr(5),):\n    pass\n", "N, S = make()\n", "with open('x') as N:\n    pass\n", "with f(), g() as (a, N): pass\n",
                             "print(N := 5)\n", "if (N := 5) > 3:\n    pass\n", "a, (b, *N) = make()\n", "del N\n", "N += make()\n", "x = 1; N, y = f()\n",
                             "N = 1 if 2\n"}) {
    CAPTURE(change);
    CHECK(value(start + change) == changed(5));
  }
  CHECK(value(start + "M, S = make()\nfor i in range(3): x[N] = f(N)[N]\nfoo.N = 3\nf(N=4)\nx = lambda N=3: 1\n") == "3");
}

TEST_CASE("a definition in a loop of host code may hold: the note says which one is taken") {
  const auto k = compile_text("N: tl.constexpr = 1\nwhile True:\n    N = tl.constexpr(2)\n    break\n");
  REQUIRE(k.ok());
  bool said = false;
  for (const Diagnostic& d : k->notes) said = said || d.message.starts_with("host code decides which `N` there is: taken as defined at line ");
  CHECK(said);
}

TEST_CASE("statements behind a semicolon are read as those on lines of their own") {
  const auto k = compile_kernel(request_for("# args: p=*i32\nimport triton; import triton.language as tl; X: tl.constexpr = 5\n"
                                            "import os; N: tl.constexpr = X\nif X: pass; N = 9\nfoo(); M = N\n"
                                            "@triton.jit\ndef kernel(p):\n    tl.store(p, M)\n"));
  const std::string errors = k.ok() ? "" : render(k.errors());
  REQUIRE_MESSAGE(k.ok(), errors);
  CHECK(print(k->function).find("constant 9") != std::string::npos);
}

}  // namespace

TEST_CASE("a list that host code changes in place is refused with the line that does it") {
  const auto sum = [](const std::string& rest) {
    const auto k = compile_kernel(request_for("# args: p=*i32\nimport triton\nimport triton.language as tl\nN = [3, 4]\n" + rest +
                                              "@triton.jit\ndef kernel(p):\n    tl.store(p, len(N))\n"));
    return k.ok() ? std::string("fine") : k.errors()[0].message;
  };
  for (const char* change : {"N.append(5)\n", "N[0] = 5\n", "if FLAG:\n    N.extend([5])\n", "N.sort()\n"}) {
    CAPTURE(change);
    const int line = std::string(change).starts_with("if") ? 6 : 5;
    CHECK(sum(change) == changed(line));
  }
  CHECK(sum("M = N[0]\nprint(N)\ndef f():\n    N = []\n    N.append(5)\nclass A:\n    def g(self):\n        N = []\n        N.append(1)\n") == "fine");
}

TEST_CASE("a plain number that only a constexpr is made of is no fault; one that the kernel reads is named") {
  const auto refused = [](const std::string& before, const std::string& read) {
    const auto k = compile_kernel(request_for("# args: p=*i64\nimport triton\nimport triton.language as tl\n" + before +
                                              "@triton.jit\ndef kernel(p):\n    tl.store(p, " + read + ")\n"));
    REQUIRE(k.ok());
    return std::any_of(k->notes.begin(), k->notes.end(), [](const Diagnostic& d) { return d.message.starts_with("Triton refuses the plain global `V`"); });
  };
  CHECK_FALSE(refused("V = 2**62\nD = tl.constexpr(V)\n", "D"));
  CHECK(refused("V = 2**62\nD = tl.constexpr(V)\n", "D + V"));
  CHECK(refused("V = 4\n@triton.constexpr_function\ndef f():\n    return V\n", "f() + V"));
  CHECK_FALSE(refused("V = 4\n@triton.constexpr_function\ndef f():\n    return V\n", "f()"));
}

TEST_CASE("a function that host code makes a constexpr function can be called in a kernel") {
  const std::string f = "def N(x):\n    return 2 * x\n";
  const auto call = [&](const std::string& between) {
    const auto k = compile_kernel(request_for("# args: p=*i32\nimport triton\nimport triton.language as tl\n" + f + between +
                                              "@triton.jit\ndef kernel(p):\n    tl.store(p, N(4))\n"));
    return k.ok() ? print(k->function) : k.errors()[0].message;
  };
  CHECK(call("N = triton.constexpr_function(N)\n").find("constant 8") != std::string::npos);
  CHECK(call("if triton.__version__ >= '3.5.0':\n    N = triton.constexpr_function(N)\n").find("constant 8") != std::string::npos);
  CHECK(call("").starts_with("`N` is host code"));
  CHECK(call("N = triton.constexpr_function(3)\n").find("needs a function") != std::string::npos);
}
