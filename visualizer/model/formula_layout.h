// Where the parts of a formula go: letters and lines in boxes. No screen: widths of text come from the caller.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/formula.h"

namespace tilescope::model {

/// The two sizes of letters, [0] for the line and [1] for indices. Nothing is smaller than the second.
struct FormulaType {
  std::function<float(std::string_view text, bool small)> width;
  float height[2] = {16, 13};    ///< of a line of text
  float baseline[2] = {12, 10};  ///< from its top
  float unit = 1;                ///< a pixel at scale 1
};

struct FormulaMark {
  enum class Kind : uint8_t {
    Text,     ///< `text`, from the box's top left
    Rule,     ///< a line as thick as the box is high
    Root,     ///< the sign, with its bar along the top of the box
    Bracket,  ///< `text`, as tall as the box
    Sum,      ///< Σ as large as the box
    Product,  ///< Π
  };
  Kind kind = Kind::Text;
  float x = 0, y = 0, w = 0, h = 0;
  std::string text;
  bool small = false;
};

struct FormulaLayout {
  float width = 0, height = 0;
  float baseline = 0;      ///< of the first row, from the top
  float space_before = 0;  ///< for parts of a formula inside a text: before this part, unless it starts a line
  std::vector<FormulaMark> marks;
};

using FormulaFill = std::function<std::string(const std::string&)>;

/// A formula in a line of its own, at most `width` wide: sums have their limits above and below. Too long a row is broken
/// before an operator; what still does not fit is laid out small, and then as its line of text, broken anywhere.
FormulaLayout layout_formula(const lessons::FormulaNode& node, const FormulaFill& fill, const FormulaType& type, float width);

/// A formula inside a text: parts between which a line may end, each at most `width` wide.
std::vector<FormulaLayout> layout_formula_parts(const lessons::FormulaNode& node, const FormulaFill& fill, const FormulaType& type, float width);

}  // namespace tilescope::model
