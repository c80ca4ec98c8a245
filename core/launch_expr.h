// Grid entries: integers, or expressions over the launch's scalar arguments such as "cdiv(N, BLOCK_SIZE)".
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/diagnostic.h"

namespace tilescope {

/// An expression in postfix order; evaluation needs no recursion.
struct GridExpr {
  enum class Op { Number, Name, Neg, Add, Sub, Mul, FloorDiv, Mod, CDiv, Min, Max, NextPow2 };
  struct Step {
    Op op;
    int64_t number = 0;  ///< Number
    std::string name;    ///< Name
    int column = 1;      ///< in text, from 1
    int operands = 2;    ///< Min, Max
  };
  std::string text;  ///< as written
  std::vector<Step> steps;

  static GridExpr constant(int64_t value);
};

/// Grammar: integers, names, + - * // %, parentheses, cdiv(a, b), min(...), max(...), next_power_of_2(a). "triton.cdiv"
/// and "tl.cdiv" are accepted too. `place` names the entry in messages ("grid[0]").
Expected<GridExpr> parse_grid_expr(const std::string& text, const std::string& place);

/// Looks a scalar argument up; nothing when there is no integer of that name.
using GridLookup = std::function<std::optional<int64_t>(const std::string&)>;

/// // and % round towards minus infinity, as in Python. Overflow and division by zero are errors.
Expected<int64_t> evaluate(const GridExpr& expr, const GridLookup& lookup, const std::string& place);

}  // namespace tilescope
