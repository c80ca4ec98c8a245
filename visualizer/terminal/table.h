// Text tables and numbers as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope::terminal {

/// "1,234,567"
std::string with_commas(uint64_t n);
/// "3 programs", "1 program"
std::string counted(uint64_t n, std::string_view noun);
/// "3 times", "twice", "once"
std::string times_text(uint64_t n);
/// "70 x 50", "scalar"
std::string shape_text(const std::vector<int64_t>& shape);
/// At most `width` columns, cut with "..." between characters of UTF-8.
std::string shortened(std::string_view text, size_t width);

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

}  // namespace tilescope::terminal
