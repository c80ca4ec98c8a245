// Where the parts of formulas go: nothing lies on anything else, nothing is lost, and nothing is wider than allowed.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "visualizer/model/formula_layout.h"

using namespace tilescope;
using namespace tilescope::model;
using Mark = FormulaMark;

namespace {

size_t characters(std::string_view s) {
  return static_cast<size_t>(std::count_if(s.begin(), s.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

/// A face whose characters are all as wide: 9 and 8 pixels.
FormulaType type() {
  FormulaType out;
  out.width = [](std::string_view s, bool small) { return static_cast<float>(characters(s)) * (small ? 8.0f : 9.0f); };
  return out;
}

std::string same(const std::string& s) { return s == "{{n}}" ? "1,000" : s; }

lessons::FormulaNode read(const std::string& text) {
  Expected<lessons::FormulaNode> f = lessons::parse_formula(text);
  REQUIRE_MESSAGE(f.ok(), text);
  return std::move(*f);
}

FormulaLayout layout(const std::string& text, float width = 1e6f) { return layout_formula(read(text), same, type(), width); }

const Mark& mark(const FormulaLayout& f, const std::string& text) {
  for (const Mark& m : f.marks)
    if (m.text == text) return m;
  FAIL("no mark " << text);
  return f.marks.front();
}

bool overlap(const Mark& a, const Mark& b) {
  constexpr float kTouch = 0.01f;
  return a.x + a.w > b.x + kTouch && b.x + b.w > a.x + kTouch && a.y + a.h > b.y + kTouch && b.y + b.h > a.y + kTouch;
}

void check_sound(const FormulaLayout& f, float width) {
  CHECK(f.width <= width + 0.01f);
  CHECK((f.baseline > 0 && f.baseline < f.height));
  for (size_t i = 0; i < f.marks.size(); ++i) {
    const Mark& m = f.marks[i];
    INFO(m.text << " at " << m.x << ", " << m.y);
    CHECK((m.x >= -0.01f && m.y >= -0.01f && m.x + m.w <= f.width + 0.01f && m.y + m.h <= f.height + 0.01f));
    for (size_t k = i + 1; k < f.marks.size(); ++k) CHECK_MESSAGE(!overlap(m, f.marks[k]), f.marks[k].text);
  }
}

const std::vector<std::string> kFormulas = {
    "C_{i,j} = \\sum_{k=0}^{K-1} A_{i,k} \\cdot B_{k,j}",
    "y_i = \\frac{\\exp(x_i - m)}{\\sum_j \\exp(x_j - m)}, m = \\max_j x_j",
    "programs = \\left\\lceil \\frac{n}{BLOCK} \\right\\rceil = \\lceil {{n}} / 256 \\rceil",
    "\\frac{x - \\frac{a}{b}}{\\sqrt{v^2 + \\frac{1}{e_1^2}}} \\le \\infty",
    "\\begin{bmatrix} 1 & 2 & \\ldots \\\\ x_{i}^{2} & \\frac{a}{b} & -3 \\end{bmatrix} \\times \\begin{pmatrix} 1 \\\\ 2 \\\\ 3 \\end{pmatrix} = \\begin{bmatrix} 14 & 0 \\end{bmatrix}",
    "\\left(\\frac{\\sum_{k=1}^{n} x_k}{n}\\right)_{i,j}^{2} + [0, n) \\cdot \\text{bytes per row}",
    "a_{b_{c_{d}}}^{e^{f^{g}}} - \\prod_{i=1}^{100000} i!",
};

}  // namespace

TEST_CASE("no part of a formula lies on another one, and all lie inside its box, at every width") {
  for (const std::string& text : kFormulas)
    for (float width : {1e6f, 600.0f, 328.0f, 200.0f, 90.0f, 30.0f}) {
      INFO(text << " in " << width);
      check_sound(layout(text, width), width);
      for (const FormulaLayout& part : layout_formula_parts(read(text), same, type(), width)) check_sound(part, width);
    }
}

TEST_CASE("a formula loses nothing when it is broken into rows or written as text") {
  const auto letters = [](const FormulaLayout& f) {
    std::multiset<std::string> out;
    for (const Mark& m : f.marks)
      if (m.kind == Mark::Kind::Text) out.insert(m.text);
    return out;
  };
  const std::string sum = kFormulas[0];
  const FormulaLayout wide = layout(sum), narrow = layout(sum, 120);
  CHECK(letters(wide) == letters(narrow));
  CHECK(narrow.height > 1.5f * wide.height);
  std::string text;
  for (const Mark& m : layout(sum, 40).marks) text += m.text;
  CHECK(text == lessons::formula_line(read(sum), same));
}

TEST_CASE("indices are small and beside their base; limits stand above and below, in a line of text beside") {
  const FormulaLayout f = layout("x_{i}^{n} + \\sum_{k} k");
  const Mark &x = mark(f, "x"), &i = mark(f, "i"), &n = mark(f, "n");
  CHECK((i.small && n.small && !x.small));
  CHECK((i.x >= x.x + x.w && i.x == n.x && i.y + i.h > x.y + x.h && n.y < x.y && n.y + n.h <= i.y));
  const auto sum = std::find_if(f.marks.begin(), f.marks.end(), [](const Mark& m) { return m.kind == Mark::Kind::Sum; });
  REQUIRE(sum != f.marks.end());
  const auto limit = std::find_if(f.marks.begin(), f.marks.end(), [](const Mark& m) { return m.text == "k" && m.small; });
  REQUIRE(limit != f.marks.end());
  CHECK(limit->y >= sum->y + sum->h);
  CHECK(std::abs(limit->x + limit->w / 2 - (sum->x + sum->w / 2)) < 0.6f);
  for (const FormulaLayout& part : layout_formula_parts(read("\\sum_{k} k"), same, type(), 300))
    CHECK(std::none_of(part.marks.begin(), part.marks.end(), [](const Mark& m) { return m.kind == Mark::Kind::Sum; }));
}

TEST_CASE("a fraction's parts stand above and below its bar, and brackets are as tall as what they hold") {
  const FormulaLayout f = layout("( \\frac{a}{b} )");
  const auto bar = std::find_if(f.marks.begin(), f.marks.end(), [](const Mark& m) { return m.kind == Mark::Kind::Rule; });
  REQUIRE(bar != f.marks.end());
  const Mark &a = mark(f, "a"), &b = mark(f, "b"), &open = mark(f, "("), &close = mark(f, ")");
  CHECK((a.y + a.h <= bar->y && bar->y + bar->h <= b.y));
  CHECK((open.kind == Mark::Kind::Bracket && open.y <= a.y && open.y + open.h >= b.y + b.h));
  CHECK((open.x + open.w <= a.x && b.x + b.w <= close.x));
  // Live numbers are filled in; letters alone have brackets of the face.
  CHECK(mark(layout("(n)"), "(").kind == Mark::Kind::Text);
  CHECK(mark(layout("\\lceil {{n}} \\rceil"), "1,000").w == 45);
}
