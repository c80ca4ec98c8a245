#include "visualizer/terminal/table.h"

#include <algorithm>

#include "visualizer/terminal/lesson_text.h"

namespace tilescope::terminal {
namespace {

void append_row(std::string& out, const std::vector<std::string>& cells, const std::vector<Table::Column>& columns,
                const std::vector<size_t>& widths) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    std::string blanks(widths[i] - display_width(cells[i]), ' ');
    line += "  " + (columns[i].align == Table::Align::Right ? blanks + cells[i] : cells[i] + blanks);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + "\n";
}

}  // namespace

std::string Table::text() const {
  std::vector<size_t> widths;
  std::vector<std::string> titles;
  for (const Column& c : columns_) {
    titles.push_back(c.title);
    widths.push_back(display_width(c.title));
  }
  for (const auto& row : rows_)
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  std::string out;
  append_row(out, titles, columns_, widths);
  for (const auto& row : rows_) append_row(out, row, columns_, widths);
  return out;
}

std::string wrapped(const std::string& text, int columns, size_t indent) {
  std::string out, line(indent, ' ');
  bool fresh = true;
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find(' ', at);
    if (end == std::string::npos) end = text.size();
    const std::string word = text.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    if (!fresh && display_width(line) + 1 + display_width(word) > static_cast<size_t>(columns)) {
      out += line + "\n";
      line.assign(indent + 2, ' ');
      fresh = true;
    }
    line += (fresh ? "" : " ") + word;
    fresh = false;
  }
  return out + line + "\n";
}

}  // namespace tilescope::terminal
