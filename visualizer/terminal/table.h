// Text tables and running text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "visualizer/report/text.h"

namespace tilescope::terminal {

using report::counted;
using report::shape_text;
using report::shortened;
using report::times_text;
using report::with_commas;

/// Columns are as wide as their widest cell.
class Table {
 public:
  enum class Align { Left, Right };
  struct Column {
    std::string title;
    Align align;
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }
  /// Each line is indented by two blanks; trailing blanks are left out.
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Words of a text on lines of at most `columns`, each after `indent` blanks; the second and later ones two deeper.
std::string wrapped(const std::string& text, int columns, size_t indent);

}  // namespace tilescope::terminal
