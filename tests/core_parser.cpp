// Trees of kernels. Host code is in core_parser_host.cpp, limits in core_parser_limits.cpp, messages in core_parser_messages.cpp.
#include "core/syntax/parser.h"

#include <doctest/doctest.h>

#include <cmath>

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
