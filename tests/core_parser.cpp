// Trees, host code, and the kernels of the conformance cases. Messages are in core_parser_messages.cpp.
#include "core/syntax/parser.h"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/syntax_text.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

Module module_of(const std::string& text) {
  auto m = parse_module(source(text));
  REQUIRE(m.ok());
  return std::move(*m);
}

/// The body of a kernel with these lines, which must have no errors.
std::string body_text(const std::string& lines) {
  Module m = module_of("@triton.jit\ndef k():\n" + lines);
  REQUIRE(m.functions.size() == 1);
  CHECK(render(m.functions[0]->errors) == "");
  return text_of(m.functions[0]->body);
}

std::string range_text(const SourceRange& r) {
  return std::to_string(r.line) + ":" + std::to_string(r.column) + "-" + std::to_string(r.end_line) + ":" +
         std::to_string(r.end_column);
}

std::string conformance_folder() {
  for (const char* folder : {"/tests/conformance", "/../shared/conformance"}) {
    std::string path = std::string(TILESCOPE_SOURCE_DIR) + folder;
    if (std::filesystem::exists(path + "/add_1d/kernel.py")) return path;
  }
  return "";
}

std::string repeated(const std::string& part, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += part;
  return out;
}

}  // namespace

TEST_CASE("operators bind as in Python") {
  CHECK(expression_text("a + b * c - d") == "(- (+ a (* b c)) d)");
  CHECK(expression_text("a | b ^ c & d << e + f") == "(| a (^ b (& c (<< d (+ e f)))))");
  CHECK(expression_text("-a ** -b ** c") == "(- (** a (- (** b c))))");
  CHECK(expression_text("a // b % c @ d / e") == "(/ (@ (% (// a b) c) d) e)");
  CHECK(expression_text("not a and b or c and not d") == "(or (and (not a) b) (and c (not d)))");
  CHECK(expression_text("a and b and c") == "(and a b c)");
  CHECK(expression_text("a & b == c") == "(compare (& a b) == c)");
  CHECK(expression_text("0 < a <= b") == "(compare 0 < a <= b)");
  CHECK(expression_text("(0 < a) <= b") == "(compare (compare 0 < a) <= b)");
  CHECK(expression_text("a is not None and b not in c") == "(and (compare a is not None) (compare b not in c))");
  CHECK(expression_text("a if b else c if d else e") == "(if b a (if d c e))");
  CHECK(expression_text("~a + +b") == "(+ (~ a) (+ b))");
}

TEST_CASE("calls, subscripts and attributes chain") {
  CHECK(expression_text("tl.load(p + i, mask=m, other=0.0)") == "(call tl.load (+ p i) mask=m other=float:0.000000)");
  CHECK(expression_text("f(*a, b, *c, k=1, **d)") == "(call f *a b *c k=1 **d)");
  CHECK(expression_text("x[:, None]") == "(index x (slice _ _ _) None)");
  CHECK(expression_text("x[1:2:3, ::2, ..., a]") == "(index x (slice 1 2 3) (slice _ _ 2) ... a)");
  CHECK(expression_text("x[(a, b)]") == "(index x (tuple a b))");
  CHECK(expression_text("x.to(tl.float32)[0].y") == "(index (call x.to tl.float32) 0).y");
  CHECK(expression_text("f(a,)") == "(call f a)");
}

TEST_CASE("tuples, lists and brackets") {
  CHECK(expression_text("()") == "(tuple)");
  CHECK(expression_text("(a,)") == "(tuple a)");
  CHECK(expression_text("a, b") == "(tuple a b)");
  CHECK(expression_text("((a))") == "a");
  CHECK(expression_text("[a, (b, c), [],]") == "(list a (tuple b c) (list))");
  CHECK(expression_text("cdiv(N,\n BLOCK)") == "(call cdiv N BLOCK)");
}

TEST_CASE("literals keep their values") {
  CHECK(expression_text("0xFF + 0o17 + 0b11 + 1_000") == "(+ (+ (+ 255 15) 3) 1000)");
  CHECK(expression_text("18446744073709551615") == "18446744073709551615");
  CHECK(expression_text("18446744073709551616") == "too-big");
  CHECK(expression_text("True, False, None, ...") == "(tuple True False None ...)");
  auto real = [](const char* text) { return parse_expression(source(text))->root->real; };
  CHECK(real("1e-6") == 1e-6);
  CHECK(real("1_0.5e1_0") == 10.5e10);
  CHECK(real("1e999") == INFINITY);
  CHECK(real("0.00001e400") == INFINITY);
  CHECK(real("1e-999") == 0.0);
  CHECK(real("5e-324") == 5e-324);
}

TEST_CASE("strings are decoded and adjacent ones joined") {
  CHECK(expression_text(R"('a\n\x41\u00e9\101\q' "b" r'\n')") == "'a\nA\u00e9A\\qb\\n'");
  CHECK(expression_text("'''a\r\nb'''") == "'a\nb'");
  CHECK(expression_text("b'x'") == "<bytes literal>");
  CHECK(expression_text(R"(f"a{x}b{y!r:>{w}}{{z}}" "c")") == "(f 'a' {x|} 'b' {y|!r:>{w}} '{z}c')");
  CHECK(expression_text(R"(f"{a + b[0] != c}{d['k']}{e=}")") ==
        "(f {(compare (+ a (index b 0)) != c)|} {(index d 'k')|} 'e=' {e|})");
  CHECK(expression_text("f'plain'") == "(f 'plain')");
}

TEST_CASE("the ranges of f-string fields are those in the file") {
  auto e = parse_expression(source("x + f'''a\n{ b.c }'''"));
  REQUIRE(e.ok());
  const Expr* field = e->root->items[1]->items[1];
  CHECK(range_text(field->range) == "2:1-2:8");
  CHECK(range_text(field->items[0]->range) == "2:3-2:6");
}

TEST_CASE("Python that kernels cannot use becomes named nodes") {
  CHECK(expression_text("lambda x, y=1: x") == "<lambda x>");
  CHECK(expression_text("{a: 1, **b}") == "<dict a 1 _ b>");
  CHECK(expression_text("{a, b}") == "<set a b>");
  CHECK(expression_text("[x for x in y]") == "<list comprehension x>");
  CHECK(expression_text("sum(x for x in y)") == "(call sum <generator expression x>)");
  CHECK(expression_text("{k: v for k in y}") == "<dict comprehension>");
  CHECK(expression_text("(a := 1)") == "<:= (assignment expression) a 1>");
  CHECK(expression_text("3j") == "<complex number>");
  CHECK(body_text("  try:\n    a\n  except E:\n    b\n  finally:\n    c\n  x = 1\n") == "<try>; x = 1");
  CHECK(body_text("  @d\n  def f():\n    a\n  class C: pass\n  with a as b:\n    c\n") ==
        "<nested function>; <class>; <with>");
  CHECK(
      body_text(
          "  raise E('x')\n  del a\n  global b\n  import c; from d import (e,\n f)\n  match a:\n    case 1: pass\n") ==
      "<raise>; <del>; <global>; <import>; <import>; <match>");
}

TEST_CASE("statements") {
  CHECK(body_text("  a = b = c, d = 1, 2\n") == "a b (tuple c d) = (tuple 1 2)");
  CHECK(body_text("  (a, *b), c = x\n") == "(tuple (tuple a *b) c) = x");
  CHECK(body_text("  a: tl.constexpr = 1; b: int\n") == "a : tl.constexpr = 1; b : int = _");
  CHECK(body_text("  a += 1; p //= 2; q **= r; m <<= 1\n") == "a += 1; p //= 2; q **= r; m <<= 1");
  CHECK(body_text("  return\n  return a, b\n") == "return _; return (tuple a b)");
  CHECK(body_text("  assert a, 'm'\n  pass\n  break\n  continue\n") == "assert a 'm'; pass; break; continue");
  CHECK(body_text("  match = 1\n  match[0]\n") == "match = 1; (index match 0)");
  CHECK(body_text("  \"\"\"Docstring.\"\"\"\n  f(a)\n") == "(call f a)");
}

TEST_CASE("compound statements and their one-line forms") {
  CHECK(body_text("  if a:\n    b\n  elif c:\n    d\n  else:\n    e\n") == "if a {b} else {if c {d} else {e}}");
  CHECK(body_text("  if a: b; c\n  else: d\n") == "if a {b; c} else {d}");
  CHECK(body_text("  for i in range(0, n, B):\n    s += i\n  else:\n    t\n") ==
        "for i in (call range 0 n B) {s += i} else {t}");
  CHECK(body_text("  for i, (a, b) in x: pass\n") == "for (tuple i (tuple a b)) in x {pass}");
  CHECK(body_text("  while i < n and m:\n    i += 1\n") == "while (and (compare i < n) m) {i += 1}");
}

TEST_CASE("ranges are exact") {
  Module m = module_of("@triton.jit\ndef k(a,\n      b: tl.constexpr = 3):\n    if a == b:\n        x = (a + b) * 2\n");
  const FunctionDef& f = *m.functions[0];
  CHECK(range_text(f.range) == "2:1-3:28");
  CHECK(range_text(f.name_range) == "2:5-2:6");
  CHECK(range_text(f.params[1].range) == "3:7-3:8");
  const Stmt* branch = f.body[0];
  CHECK(range_text(branch->range) == "4:5-4:15");
  CHECK(range_text(branch->value->range) == "4:8-4:14");
  const Stmt* assign = branch->body[0];
  CHECK(range_text(assign->range) == "5:9-5:24");
  CHECK(range_text(assign->value->range) == "5:13-5:24");
  CHECK(range_text(assign->value->items[0]->range) == "5:14-5:19");
}

TEST_CASE("parameters of every kind") {
  Module m = module_of("@jit\ndef k(a, /, b: tl.constexpr, c=1, *args, d, e: int = 2, **rest) -> None: pass\n");
  const FunctionDef& f = *m.functions[0];
  CHECK(render(f.errors) == "");
  REQUIRE(f.params.size() == 7);
  using Kind = FunctionParam::Kind;
  const Kind kinds[] = {Kind::PositionalOnly, Kind::Normal,      Kind::Normal, Kind::VarArgs,
                        Kind::KeywordOnly,    Kind::KeywordOnly, Kind::KwArgs};
  for (size_t i = 0; i < 7; ++i) CHECK(f.params[i].kind == kinds[i]);
  CHECK(text_of(f.params[1].annotation) == "tl.constexpr");
  CHECK(text_of(f.params[2].default_value) == "1");
  CHECK(text_of(f.returns) == "None");
}

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

TEST_CASE("deep nesting is an error, long chains of one level are not") {
  auto error = [](const std::string& text) { return parse_expression(source(text)).ok() ? "" : expression_text(text); };
  const std::string deep = "error: this expression is nested too deeply (more than 200 levels)";
  CHECK(error(repeated("(", 100000) + "a" + repeated(")", 100000)) == deep);
  CHECK(error(repeated("-", 100000) + "a") == deep);
  CHECK(error(repeated("not ", 100000) + "a") == deep);
  CHECK(error(repeated("[", 100000)) == deep);
  CHECK(error(repeated("{", 100000)) == deep);
  CHECK(error(repeated("f(", 100000)) == deep);
  CHECK(error(repeated("*", 100000)) != "");
  CHECK(error(repeated("a if b else ", 100000) + "c") == deep);
  CHECK(error(repeated("lambda: ", 100000) + "c") == deep);
  CHECK(error(repeated("a**", 100000) + "c") == deep);
  CHECK(error(repeated("a+", 100000) + "a") == deep);
  CHECK(error(repeated("a.", 100000) + "a") == deep);
  CHECK(error("a" + repeated("[0]", 100000)) == deep);
  CHECK(error(repeated("await ", 100000) + "c") == deep);
  CHECK(error(repeated("(", 150) + "a" + repeated(")", 150)) == "");
  CHECK(error(repeated("a and ", 10000) + "a") == "");
  CHECK(error(repeated("a,", 10000)) == "");
}

TEST_CASE("deep blocks and endless elif are errors") {
  std::string nested, elifs = "  if a: pass\n";
  for (int i = 0; i < 1000; ++i) nested += std::string(i + 1, ' ') + "if a:\n";
  for (int i = 0; i < 1000; ++i) elifs += "  elif a: pass\n";
  for (const std::string& body : {nested + std::string(1001, ' ') + "pass\n", elifs}) {
    Module m = module_of("@jit\ndef a(p):\n" + body);
    REQUIRE(m.functions.size() == 1);
    REQUIRE(m.functions[0]->errors.size() == 1);
    CHECK(m.functions[0]->errors[0].message == "blocks are nested too deeply (more than 100 levels)");
  }
}

TEST_CASE("a file beyond the limit of size is refused as a whole") {
  auto m = parse_module(source(std::string(kMaxKernelFileBytes + 1, '#')));
  REQUIRE_FALSE(m.ok());
  CHECK(m.errors()[0].message == "kernel.py: this file is too long for a kernel file: 4194305 bytes, at most 4194304");
}

TEST_CASE("hostile files of every shape end quickly") {
  const size_t n = 300000;
  for (const char* part : {"(",
                           "[",
                           "a=)\n",
                           "$",
                           "\n ",
                           "'",
                           "f'{",
                           "{a}",
                           "@",
                           "def ",
                           "if a:\n",
                           "a;",
                           "a,",
                           "\\",
                           "\r",
                           "(]",
                           "match ",
                           "\xFF",
                           "@jit\ndef f():\n ",
                           "\"\"\"",
                           "}",
                           "x=f'{'",
                           "async ",
                           "import a,"}) {
    CAPTURE(part);
    std::string text;
    while (text.size() < n) text += part;
    for (const char* head : {"", "@jit\ndef f():\n  ", "x = f'''"}) {
      auto m = parse_module(source(head + text));
      CHECK(m.ok());
    }
  }
}

TEST_CASE("every conformance kernel parses without a word") {
  std::string folder = conformance_folder();
  if (folder.empty()) {
    MESSAGE("conformance data not found; nothing parsed");
    return;
  }
  int kernels = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream in(entry.path() / "kernel.py", std::ios::binary);
    if (!in) continue;
    std::stringstream text;
    text << in.rdbuf();
    CAPTURE(entry.path().string());
    Module m = module_of(text.str());
    CHECK(render(m.skipped) == "");
    for (auto& f : m.functions) {
      CHECK(render(f->errors) == "");
      kernels += f->is_jit;
    }
  }
  CHECK(kernels >= 181);
}

TEST_CASE("mutated kernels never crash the parser") {
  std::string text =
      "import triton\n@triton.autotune(configs=[{'B': 1}], key=['n'])\n@triton.jit\ndef k(x, n: tl.constexpr, b=1):\n"
      "    \"\"\"Doc.\"\"\"\n    for i in range(0, n):\n        if i == 0 and x is not None:\n            y = x[:, "
      "None] + 1.5e3\n"
      "        elif n > 2:\n            a, b = f(*x, k=f'{n!r:>{b}}'), [0x1F]\n        else:\n            return "
      "lambda: {1: 2}\n"
      "    tl.store(x + \\\n      n, (y, 1))\n";
  const std::string pieces[] = {"(",
                                ")",
                                "[",
                                "]",
                                "{",
                                "}",
                                "'",
                                "\"\"\"",
                                "\n",
                                "    ",
                                "\t",
                                ":",
                                "=",
                                "f'{",
                                "if ",
                                "else",
                                "\\",
                                "\xFF",
                                std::string(1, '\0'),
                                "0x",
                                "1e",
                                "@",
                                "def ",
                                "lambda ",
                                ",",
                                "*",
                                "#",
                                "\r",
                                "not ",
                                "for ",
                                "in "};
  uint64_t state = 88172645463325252ull;  // xorshift, so that the run is the same everywhere
  auto random = [&](size_t below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<size_t>(state % below);
  };
  size_t errors = 0;
  for (int run = 0; run < 3000; ++run) {
    std::string mutant = text;
    for (size_t edits = 1 + random(6); edits > 0; --edits) {
      size_t at = random(mutant.size());
      switch (random(4)) {
        case 0:
          mutant.erase(at, 1 + random(8));
          break;
        case 1:
          mutant.insert(at, pieces[random(std::size(pieces))]);
          break;
        case 2:
          mutant[at] = static_cast<char>(random(256));
          break;
        default:
          mutant.insert(at, mutant.substr(random(mutant.size()), random(30)));
          break;
      }
      if (mutant.empty()) mutant = "x";
    }
    auto m = parse_module(source(mutant));
    REQUIRE(m.ok());
    for (auto& f : m->functions) {
      errors += f->errors.size();
      REQUIRE(render(f->errors).size() < 1000000);
    }
  }
  CHECK(errors > 1000);  // the mutants do reach the messages
}
