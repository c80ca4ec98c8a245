// Formulas of lesson texts: the part of LaTeX's math that lessons use, read into a tree.
//
//   names, numbers           x, BLOCK, A1, 2.5; a name may have several letters; \_ inside one is an underscore
//   + - * / = < > , ; : ! |  and \le \ge \ne \approx \cdot \times \div \pm \to \in \bmod
//   ( ) [ ]                  and \lceil \rceil \lfloor \rfloor \lbrace \rbrace: in pairs, as tall as what they hold;
//                            [ may be closed by ), for a half-open range
//   x_i  x_{i,j}  x^{2n}     sub- and superscripts: a name, a number or a group
//   \frac{a}{b}  \sqrt{a}
//   \sum \prod \max \min     with _ and ^: below and above, in a line of its own
//   \exp \log \ln \tanh ...  functions; \text{words}
//   \ldots \vdots \infty \partial, Greek letters in lower case, \Delta \Sigma
//   \begin{bmatrix} a & b \\ c & d \end{bmatrix}   also pmatrix
//   {{name}}                 a number of the run, filled in when the formula is drawn
//
// \left and \right may stand before a bracket and mean nothing: brackets grow by themselves.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.h"

namespace tilescope::lessons {

struct FormulaNode {
  enum class Kind : uint8_t {
    Row,       ///< children side by side
    Symbol,    ///< `text`: a name, a number, a sign without room around it, or words
    Function,  ///< `text`: a name like exp, with a little room before what follows, unless that is a bracket
    Operator,  ///< `text`: a sign with room on both sides
    Comma,     ///< `text`: a sign with room behind it
    Live,      ///< `text`: {{name}}, as written
    Fraction,  ///< child 0 over child 1
    Root,      ///< of child 0
    Scripts,   ///< child 0 with child 1 as subscript and child 2 as superscript; empty rows are none
    Limits,    ///< `text` with child 0 below and child 1 above; empty rows are none
    Fence,     ///< child 0 between brackets `text` and `close`
    Matrix,    ///< children row by row, `columns` in each, between brackets `text` and `close`
  };
  Kind kind = Kind::Row;
  std::string text, close;
  int columns = 0;
  std::vector<FormulaNode> children;

  bool empty() const { return kind == Kind::Row && children.empty(); }
};

/// Reads a formula, without the dollar signs around it. Errors point into the formula as a text of its own, whose path
/// is "formula". No formula of more than 2000 bytes, and none nested more than 24 deep.
Expected<FormulaNode> parse_formula(std::string_view text);

/// The room between two neighbours of a row: none, a word's, or that around an operator.
enum class FormulaGap : uint8_t { None, Word, Operator };
FormulaGap gap_between(const FormulaNode& left, const FormulaNode& right);

/// As one line of plain text: C[i, j] = Σ[k = 0 … K − 1] A[i, k] · B[k, j]. `fill` fills the live numbers in.
std::string formula_line(const FormulaNode& node, const std::function<std::string(const std::string&)>& fill);

}  // namespace tilescope::lessons
