// What the parser finds around kernels: host code, imports, constants; and errors that stay with their kernel.
#include "core/syntax/parser.h"

#include <doctest/doctest.h>


#include "tests/syntax_text.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

Module module_of(const std::string& text) {
  auto m = parse_module(source(text));
  REQUIRE(m.ok());
  return std::move(*m);
}

std::string repeated(const std::string& part, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += part;
  return out;
}

}  // namespace

TEST_CASE("a kernel is a function with a decorator that ends in jit, wherever it stands") {
  Module m = module_of(R"(
from triton import jit as tjit
@triton.jit
def a(): pass
@jit
def b(): pass
@triton.jit(do_not_specialize=['n'])
def c(): pass
@triton.runtime.jit.jit
def d(): pass
@triton.autotune(configs=[triton.Config({'B': 128}, num_warps=4) for w in (1, 2)], key=['n'])
@triton.heuristics({'E': lambda args: args['n'] % args['B'] == 0})
@triton.jit
def e(): pass
@tjit
def f(): pass
if True:
    @libentry()
    @triton.jit
    def g(): pass
def host(): pass
@functools.cache
def cached(): pass
class C:
    @triton.jit
    def method(): pass
)");
  std::string names;
  for (auto& f : m.functions) names += f->name + (f->is_jit ? "! " : " ");
  CHECK(names == "a! b! c! d! e! f! g! host cached method! ");
  CHECK(m.scopes[static_cast<size_t>(m.find_function("method")->scope)].name == "C");
  CHECK(m.find_function("g")->block == 0);
  CHECK(m.find_function("a")->block == -1);
  CHECK(m.find_function("e")->decorators.size() == 3);
  CHECK(text_of(m.find_function("e")->decorators[1]) ==
        "(call triton.heuristics <dict 'E' <lambda (compare (% (index args 'n') (index args 'B')) == 0)>>)");
  REQUIRE(m.classes.size() == 1);
  CHECK(m.classes[0].name == "C");
}

TEST_CASE("kernels inside functions, classes and conditions are found, with the constants around them") {
  Module m = module_of(R"(
import triton, numba
from cutlass import cute
def make(n):
    WIDTH = 64
    if n > 3:
        @triton.jit
        def one(x):
            WIDTH = 5
    else:
        from other import helper
        class Inner(Base):
            size: int = 4
            @staticmethod
            @triton.jit
            def two(x): pass
    return one
def plain():
    IGNORED = 1
    def three(): pass
@numba.jit
def four(): pass
@cute.jit
def five(): pass
@triton.jit
def six():
    SEVEN = 7
)");
  std::string names, assigns;
  for (auto& f : m.functions)
    names += m.scopes[static_cast<size_t>(f->scope)].name + "." + f->name + (f->is_jit ? "! " : " ");
  CHECK(names == ".make make.one! Inner.two! .plain .four .five .six! ");
  for (auto& a : m.assigns) assigns += m.scopes[static_cast<size_t>(a.scope)].name + "." + a.name + " ";
  CHECK(assigns == "make.WIDTH Inner.size ");
  REQUIRE(m.classes.size() == 1);
  CHECK(m.classes[0].fields.size() == 1);
  CHECK(m.scopes[static_cast<size_t>(m.classes[0].inside)].parent == m.classes[0].scope);
  CHECK(m.find_function("two")->scope == m.classes[0].inside);
  CHECK(m.imports.back().scope == m.classes[0].scope);
}

TEST_CASE("imports and constants of the file are found") {
  Module m = module_of(R"(
import triton, triton.language as tl
import a.b.c
from x.y import (p as q, r,)
from . import z
from w import *
A = 1
B: tl.constexpr = 2
C = D = 3
E, F = 4, 5
G = tl.constexpr(6); H = 7
if A:
    I = 8
x.y = 9
)");
  std::string imports, assigns;
  for (auto& i : m.imports) imports += i.module + "," + i.name + "," + i.alias + " ";
  CHECK(imports == "triton,,triton triton.language,,tl a,,a x.y,p,q x.y,r,r .,z,z w,*, ");
  for (auto& a : m.assigns) assigns += a.name + "=" + text_of(a.value) + (a.block >= 0 ? "? " : " ");
  CHECK(assigns == "A=1 B=2 C=3 D=3 E=4 F=5 G=(call tl.constexpr 6) H=7 I=8? ");
}

TEST_CASE("host code never causes an error") {
  Module m = module_of(R"(
print "python two"
x = = 3
y = (1, 2
@triton.jit
def first(p):
    pass
def host(:
    broken broken
    if x
        y
for i in range(3):
    @triton.jit
    def hidden(): pass
async def coroutine():
    await x
z = 'unterminated
   odd indentation
 odder
w = $%^&
class Broken(:
    def f(
@broken broken
@triton.jit
def second(p): return p
)");
  std::string names;
  for (auto& f : m.functions) {
    if (f->is_jit) names += f->name + " " + render(f->errors);
  }
  CHECK(names == "first second ");
  CHECK(m.find_function("host")->errors.size() == 1);
  CHECK_FALSE(m.skipped.empty());
  for (const Diagnostic& d : m.skipped) CHECK(d.severity == Diagnostic::Severity::Warning);
}

TEST_CASE("errors in one kernel leave the others alone") {
  Module m = module_of(
      "@jit\ndef a(p):\n    x = (p\n    y = 1\n\n@jit\ndef b(p):\n    return p\n\n@jit\ndef c(p:\n    pass\n@jit\ndef "
      "d(): pass\n");
  REQUIRE(m.functions.size() == 4);
  CHECK(m.functions[0]->errors.size() == 1);
  CHECK(m.functions[1]->errors.empty());
  CHECK(m.functions[2]->errors.size() == 1);
  CHECK(m.functions[3]->errors.empty());
}

TEST_CASE("several errors of one kernel are all found, up to a limit") {
  Module m = module_of(
      "@jit\ndef a(p):\n    x = )\n    y = 1\n    if p\n        z = $\n    else:\n        pass\n    w = = 2\n");
  CHECK(m.functions[0]->errors.size() == 3);
  m = module_of("@jit\ndef a(p):\n" + repeated("    x = )\n", 1000));
  CHECK(m.functions[0]->errors.size() == 20);
}
