// Exact messages for common mistakes.
#include <doctest/doctest.h>

#include "core/syntax/parser.h"
#include "tests/syntax_text.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

struct Golden {
  const char* lines;  // from line 5 of the file on, inside a kernel
  const char* message;
};

// clang-format off
constexpr Golden kGolden[] = {
  {R"(    if x > 0
        y = 1
)",
   R"(kernel.py:5:13: error: expected `:` after the if condition, found the end of the line
    5 |     if x > 0
      |             ^
)"},
  {R"(    if x = 0:
        y = 1
)",
   R"(kernel.py:5:10: error: `=` assigns a value, but `if` needs a condition
    5 |     if x = 0:
      |          ^
   hint: write `==` to compare
)"},
  {R"(    y = tl.load(p + offs, mask=m
    z = y + 1
)",
   R"(kernel.py:5:16: error: this `(` is never closed
    5 |     y = tl.load(p + offs, mask=m
      |                ^
   hint: add the missing `)`
)"},
  {R"(    y = foo(a b)
)",
   R"(kernel.py:5:15: error: expected `,` or `)`, found `b`
    5 |     y = foo(a b)
      |            ^  ^
      |            opened here
   hint: a comma or an operator is missing before it
)"},
  {R"(    y = foo(a,
            b
            c)
)",
   R"(kernel.py:7:13: error: expected `,` or `)`, found `c`
    5 |     y = foo(a,
      |            ^ opened here
    7 |             c)
      |             ^
   hint: a comma is missing at the end of the line above
)"},
  {R"(    y = foo(a])
)",
   R"(kernel.py:5:14: error: `]` does not close `(`
    5 |     y = foo(a])
      |            ^ ^
      |            opened here
   hint: write `)`, or close the bracket in between first
)"},
  {R"(    y = a + b)
)",
   R"(kernel.py:5:14: error: `)` has no opening bracket before it
    5 |     y = a + b)
      |              ^
   hint: delete it, or add the bracket that it closes
)"},
  {R"(    y = !a
)",
   R"(kernel.py:5:9: error: Python has no operator `!`
    5 |     y = !a
      |         ^
   hint: write `not x` for a scalar, or `~x` for a tile of booleans
)"},
  {R"(    y = a && b
)",
   R"(kernel.py:5:11: error: Python has no operator `&&`
    5 |     y = a && b
      |           ^^
   hint: write `and` between scalars, or `&` between tiles of booleans
)"},
  {R"(    y = a || b
)",
   R"(kernel.py:5:11: error: Python has no operator `||`
    5 |     y = a || b
      |           ^^
   hint: write `or` between scalars, or `|` between tiles of booleans
)"},
  {R"(    i++
)",
   R"(kernel.py:5:6: error: Python has no operator `++`
    5 |     i++
      |      ^^
   hint: write `i += 1`
)"},
  {R"(    y = a ? b : c
)",
   R"(kernel.py:5:11: error: expected the end of the statement, found `?`
    5 |     y = a ? b : c
      |           ^
   hint: Python has no `?:`; write `a if test else b`
)"},
  {R"(    y = 'abc
)",
   R"(kernel.py:5:9: error: this string has no closing quote on its line
    5 |     y = 'abc
      |         ^^^^
   hint: close it before the line ends, or use triple quotes for text of several lines
)"},
  {R"(    y = """abc
)",
   R"(kernel.py:5:9: error: this triple-quoted string is never closed
    5 |     y = """abc
      |         ^^^^^^
   hint: the file ends inside it: add the closing triple quotes
)"},
  {R"(    if x:
    y = 1
)",
   R"(kernel.py:5:5: error: expected an indented block after this `if`
    5 |     if x:
      |     ^^^^^
   hint: indent the lines that belong to it, or write `pass`
)"},
  {R"(    y = 08
)",
   R"(kernel.py:5:9: error: a decimal number cannot start with 0
    5 |     y = 08
      |         ^^
   hint: write 0o for an octal number, or drop the zeros
)"},
  {R"(    else if x:
        y = 1
)",
   R"(kernel.py:5:5: error: `else` has no `if` before it
    5 |     else if x:
      |     ^^^^
   hint: start it in the column of its `if`, right after the block of the `if`
)"},
  {R"(    if x:
        y = 1
    else if z:
        y = 2
)",
   R"(kernel.py:7:5: error: `else if` is not Python
    7 |     else if z:
      |     ^^^^
   hint: write `elif`
)"},
  {R"(    tl.load(p) = 3
)",
   R"(kernel.py:5:5: error: cannot assign to a call
    5 |     tl.load(p) = 3
      |     ^^^^^^^^^^
   hint: to write to memory use `tl.store(pointer, value)`
)"},
  {R"(    foo(a=1, 2)
)",
   R"(kernel.py:5:14: error: a positional argument follows the keyword argument `a=`
    5 |     foo(a=1, 2)
      |              ^
   hint: move it before the keyword arguments, or give it its name
)"},
  {R"(    for (int i = 0; i < n; i++) {
)",
   R"(kernel.py:5:14: error: expected `,` or `)`, found `i`
    5 |     for (int i = 0; i < n; i++) {
      |         ^    ^
      |         opened here
   hint: a loop reads `for i in range(start, end, step):`
)"},
  {R"(    for i range(10):
        pass
)",
   R"(kernel.py:5:11: error: expected `in` after the loop variable, found `range`
    5 |     for i range(10):
      |           ^^^^^
)"},
  {R"(    x = $5
)",
   R"(kernel.py:5:9: error: `$` is no part of Python
    5 |     x = $5
      |         ^
)"},
  {R"(    x = a，b
)",
   R"(kernel.py:5:10: error: `，` is not Python's `,`
    5 |     x = a，b
      |          ^
   hint: write `,`
)"},
  {R"(    y =
)",
   R"(kernel.py:5:8: error: expected an expression, found the end of the line
    5 |     y =
      |        ^
)"},
  {R"(    print "hi"
)",
   R"(kernel.py:5:11: error: expected the end of the statement, found a string
    5 |     print "hi"
      |           ^^^^
   hint: write `print(...)` with brackets
)"},
  {R"(    // comment
)",
   R"(kernel.py:5:5: error: a line cannot start with `//`
    5 |     // comment
      |     ^^
   hint: a comment starts with `#`
)"},
  {R"(    x[]
)",
   R"(kernel.py:5:7: error: empty subscript
    5 |     x[]
      |       ^
   hint: write an index, such as `[:, None]` or `[0]`
)"},
  {R"(    elseif x:
        y = 1
)",
   R"(kernel.py:5:12: error: expected the end of the statement, found `x`
    5 |     elseif x:
      |            ^
   hint: write `elif`
)"},
  {R"(    y = f"{a b}"
)",
   R"(kernel.py:5:14: error: expected the end of the replacement field, found `b`
    5 |     y = f"{a b}"
      |              ^
)"},
  {R"(    1 + 2 = y
)",
   R"(kernel.py:5:5: error: cannot assign to an expression
    5 |     1 + 2 = y
      |     ^^^^^
   hint: only names, and tuples of names, can stand before `=`
)"},
  {R"(    lambda = 3
)",
   R"(kernel.py:5:12: error: expected a parameter name or `:` after `lambda`, found `=`
    5 |     lambda = 3
      |            ^
)"},
  {R"(    y = x if a
)",
   R"(kernel.py:5:15: error: expected `else` and a value after `value if test`, found the end of the line
    5 |     y = x if a
      |               ^
)"},
  {R"(    y = a b
)",
   R"(kernel.py:5:11: error: expected the end of the statement, found `b`
    5 |     y = a b
      |           ^
   hint: an operator or a comma is missing, or this belongs on a line of its own
)"},
  {R"(    x +=
)",
   R"(kernel.py:5:9: error: expected an expression, found the end of the line
    5 |     x +=
      |         ^
)"},
};
// clang-format on

std::string kernel_errors(const std::string& lines) {
  auto m = parse_module(source("import triton\n\n@triton.jit\ndef kernel(p, n):\n" + lines +
                               "    q = 3\n\n@triton.jit\ndef other(p):\n    pass\n"));
  REQUIRE(m.ok());
  REQUIRE(m->functions.size() >= 1);
  return render(m->functions[0]->errors);
}

}  // namespace

TEST_CASE("common mistakes are explained at their place") {
  for (const Golden& g : kGolden) CHECK(kernel_errors(g.lines) == g.message);
}

TEST_CASE("a mistake in the indentation is told once, and the next kernel is still read") {
  for (const char* lines :
       {"      y = 1\n", "    if x:\n            y = 1\n        z = 2\n", "    if x:\n\ty = 1\n        z = 2\n"}) {
    auto m = parse_module(
        source("@jit\ndef kernel(p, n):\n" + std::string(lines) + "    q = 3\n\n@jit\ndef other(p):\n    pass\n"));
    REQUIRE(m->functions.size() == 2);
    CHECK(m->functions[0]->errors.size() == 1);
    CHECK(m->functions[1]->errors.empty());
  }
}

TEST_CASE("mistakes in the header of a kernel") {
  auto message = [](const std::string& header) {
    auto m = parse_module(source("@triton.jit\n" + header + "\n    pass\n"));
    REQUIRE(m->functions.size() == 1);
    REQUIRE(m->functions[0]->errors.size() == 1);
    return m->functions[0]->errors[0].message;
  };
  CHECK(message("def k(a, b)") == "expected `:` after the function header, found the end of the line");
  CHECK(message("def k(a b):") == "expected `,` or `)`, found `b`");
  CHECK(message("def k(a, a):") == "the parameter `a` appears twice");
  CHECK(message("def k(a=1, b):") == "the parameter `b` has no default, but one before it has");
  CHECK(message("def k(a, 1):") == "expected a parameter name, found `1`");
  CHECK(message("def k(a, lambda):") == "expected a parameter name, found the keyword `lambda`");
  CHECK(message("def k:") == "expected `(` after the function name, found `:`");
  CHECK(message("async def k():") == "a kernel cannot be `async`");
}

TEST_CASE("an expression that stands alone reports trailing text") {
  CHECK(expression_text("cdiv(N, B) C") == "error: expected the end of the statement, found `C`");
  CHECK(expression_text("") == "error: expected an expression, found the end of the text");
  CHECK(expression_text("(N") == "error: this `(` is never closed");
}
