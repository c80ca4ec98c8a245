// Formulas of lesson texts: read, refused with the place, and as a line of plain text.
#include <doctest/doctest.h>

#include <random>

#include "lessons/formula.h"
#include "lessons/markdown.h"

using namespace tilescope;
using namespace tilescope::lessons;

namespace {

std::string line(const std::string& text) {
  const Expected<FormulaNode> f = parse_formula(text);
  if (!f) return "error: " + f.errors()[0].message;
  return formula_line(*f, [](const std::string& s) { return s == "{{value N}}" ? "1,024" : s; });
}

/// "column: message" of a formula that is refused.
std::string problem(const std::string& text) {
  const Expected<FormulaNode> f = parse_formula(text);
  if (f) return "";
  const Diagnostic& d = f.errors()[0];
  return std::to_string(d.range.line) + ":" + std::to_string(d.range.column) + " " + d.message;
}

std::string repeated(const std::string& s, int n) {
  std::string out;
  for (int i = 0; i < n; ++i) out += s;
  return out;
}

}  // namespace

TEST_CASE("a formula reads as one line of text") {
  CHECK(line("C_{i,j} = \\sum_{k=0}^{K-1} A_{i,k} \\cdot B_{k,j}") == "C[i, j] = Σ[k = 0 … K − 1] A[i, k] · B[k, j]");
  CHECK(line("y_i = \\frac{\\exp(x_i - m)}{\\sum_j \\exp(x_j - m)}") == "y[i] = exp(x[i] − m) / (Σ[j] exp(x[j] − m))");
  CHECK(line("programs = \\lceil N / BLOCK \\rceil") == "programs = ⌈N / BLOCK⌉");
  CHECK(line("m = \\max_j x_j") == "m = max[j] x[j]");
  CHECK(line("\\max(a, b) \\le \\infty") == "max(a, b) ≤ ∞");
  CHECK(line("\\sqrt{v + 10^{-6}}") == "√(v + 10^(−6))");
  CHECK(line("\\frac{a+b}{2}") == "(a + b) / 2");
  CHECK(line("0 \\le i < {{value N}}") == "0 ≤ i < 1,024");
  CHECK(line("[0, n)") == "[0, n)");
  CHECK(line("\\begin{bmatrix} a & b \\\\ c & -d \\end{bmatrix}") == "[a, b; c, −d]");
  CHECK(line("x_0 + x_1 + \\ldots") == "x[0] + x[1] + …");
  CHECK(line("-x - (-1) * y") == "−x − (−1) · y");
  CHECK(line("\\text{lane } i \\text{ is on}") == "lane i is on");
  CHECK(line("BLOCK\\_M \\times 2") == "BLOCK_M × 2");
  CHECK(line("\\left(a\\right)^2 \\div 2.5") == "(a)^2 ÷ 2.5");
  CHECK(line("\\log_2 n") == "log[2] n");
}

TEST_CASE("a broken formula is refused with the place") {
  CHECK(problem("") == "1:1 the formula is empty");
  CHECK(problem("a + \\foo") == "1:5 \"\\foo\" is not a command of formulas");
  CHECK(problem("\\frac{a}b") == "1:9 expected { after \\frac{...}");
  CHECK(problem("\\frac{a}{}") == "1:1 a part of this fraction is empty");
  CHECK(problem("(a + b") == "1:1 this bracket is not closed");
  CHECK(problem("(a]") == "1:3 this bracket does not close \"(\"");
  CHECK(problem("a)") == "1:2 \")\" closes nothing here");
  CHECK(problem("x_") == "1:3 expected a name, a number or { after _ or ^");
  CHECK(problem("x_1_2") == "1:4 a second index of the same kind");
  CHECK(problem("_1") == "1:1 a formula has no \"_\"");
  CHECK(problem("a =\nb ^{c") == "2:4 this { is not closed");
  CHECK(problem("a 的") == "1:3 a formula has no \"的\"");
  CHECK(problem("\\text{a") == "1:1 this \\text{ is not closed");
  CHECK(problem("\\begin{bmatrix} a & b \\\\ c \\end{bmatrix}") == "1:28 this row of the matrix has 1 entries, the first has 2");
  CHECK(problem("\\begin{bmatrix} a") == "1:1 this matrix has no \\end");
  CHECK(problem("\\begin{cases} a \\end{cases}") == "1:7 expected {bmatrix} or {pmatrix} after \\begin");
  CHECK(problem(repeated("(", 40) + repeated(")", 40)).find("nested more than 24 deep") != std::string::npos);
  CHECK(problem(repeated("x", 3000)).find("more than 2000 bytes") != std::string::npos);
}

TEST_CASE("no text at all makes the reader of formulas crash, and what it reads can be written as a line") {
  const std::vector<std::string> parts = {"\\frac", "{", "}", "_", "^", "x", "12", "\\sum", "(", ")", "[", "]", "\\lceil", "\\rceil", "\\begin{bmatrix}", "&", "\\\\",
                                          "\\end{bmatrix}", "\\sqrt", "\\text{", "{{n}}", "{{", "\\", "-", "=", ",", " ", "\n", "的", "\xff", "\\left", "\\le"};
  std::mt19937 random(7);
  int read = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (int n = static_cast<int>(random() % 12) + 1; n > 0; --n) text += parts[random() % parts.size()];
    const Expected<FormulaNode> f = parse_formula(text);
    if (!f) {
      CHECK_FALSE(f.errors()[0].message.empty());
      continue;
    }
    ++read;
    CHECK_FALSE(formula_line(*f, [](const std::string& s) { return s; }).empty());
  }
  CHECK(read > 500);
}

TEST_CASE("formulas stand in the text as spans, or as blocks of their own; a broken one is reported") {
  using Kind = TextBlock::Kind;
  const std::vector<TextBlock> b = parse_markdown("Each $x_i$ counts:\n$$\\sum_i x_i * y_i$$\nIn code `$x$` nothing.\n");
  REQUIRE(b.size() == 3);
  REQUIRE(b[0].spans.size() == 3);
  CHECK(b[0].spans[1].text == "x_i");
  REQUIRE(b[0].spans[1].formula != nullptr);
  CHECK(b[0].spans[1].formula->children[0].kind == FormulaNode::Kind::Scripts);
  CHECK(b[1].kind == Kind::Formula);
  CHECK(b[1].spans[0].text == "\\sum_i x_i * y_i");
  CHECK((b[2].kind == Kind::Paragraph && b[2].spans[1].text == "$x$" && b[2].spans[1].code && b[2].spans[1].formula == nullptr));

  std::vector<Diagnostic> problems;
  const std::vector<TextBlock> broken = parse_markdown("A $\\frac{1}$ b", &problems);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].range.column == 9);
  CHECK((broken[0].spans[1].code && broken[0].spans[1].text == "\\frac{1}"));
}

TEST_CASE("bold text may end or begin at a bracket between Chinese characters") {
  const auto bold = [](const std::string& text) {
    std::string out;
    for (const TextBlock& b : parse_markdown(text))
      for (const Span& s : b.spans) out += s.strong ? "<" + s.text + ">" : s.code ? "`" + s.text + "`" : s.text;
    return out;
  };
  CHECK(bold("这是**网格（grid）**的意思") == "这是<网格（grid）>的意思");
  CHECK(bold("这是**（网格）**") == "这是<（网格）>");
  CHECK(bold("先**“一”**，后**二。**再来") == "先<“一”>，后<二。>再来");
  CHECK(bold("program **(1, 0)**的**`x`**值") == "program <(1, 0)>的<x>值");
  CHECK(bold("说，**甲**，**乙**。") == "说，<甲>，<乙>。");
  // As before: English, code, and a lone **.
  CHECK(bold("a **b** c ** d `x **` e") == "a <b> c ** d `x **` e");
  CHECK(bold("`（**` 与 `**）`") == "`（**` 与 `**）`");
  CHECK(bold("乘方写作 x\\*\\*（y）") == "乘方写作 x**（y）");
}
