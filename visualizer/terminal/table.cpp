#include "visualizer/terminal/table.h"

#include <algorithm>

namespace tilescope::terminal {
namespace {

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

size_t width_of(std::string_view text) { return std::count_if(text.begin(), text.end(), starts_character); }

void append_row(std::string& out, const std::vector<std::string>& cells, const std::vector<Table::Column>& columns,
                const std::vector<size_t>& widths) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    std::string blanks(widths[i] - width_of(cells[i]), ' ');
    line += "  " + (columns[i].align == Table::Align::Right ? blanks + cells[i] : cells[i] + blanks);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + "\n";
}

}  // namespace

std::string with_commas(uint64_t n) {
  std::string digits = std::to_string(n);
  for (size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string counted(uint64_t n, std::string_view noun) {
  return with_commas(n) + " " + std::string(noun) + (n == 1 ? "" : "s");
}

std::string times_text(uint64_t n) { return n == 1 ? "once" : n == 2 ? "twice" : with_commas(n) + " times"; }

std::string shape_text(const std::vector<int64_t>& shape) {
  if (shape.empty()) return "scalar";
  std::string out;
  for (size_t i = 0; i < shape.size(); ++i) out += (i ? " x " : "") + std::to_string(shape[i]);
  return out;
}

std::string shortened(std::string_view text, size_t width) {
  if (width_of(text) <= width) return std::string(text);
  size_t end = 0, columns = 0;
  for (; end < text.size(); ++end)
    if (starts_character(text[end]) && ++columns > width - 3) break;
  return std::string(text.substr(0, end)) + "...";
}

std::string Table::text() const {
  std::vector<size_t> widths;
  std::vector<std::string> titles;
  for (const Column& c : columns_) {
    titles.push_back(c.title);
    widths.push_back(width_of(c.title));
  }
  for (const auto& row : rows_)
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  std::string out;
  append_row(out, titles, columns_, widths);
  for (const auto& row : rows_) append_row(out, row, columns_, widths);
  return out;
}

}  // namespace tilescope::terminal
