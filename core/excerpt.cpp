#include "core/excerpt.h"

#include <algorithm>

namespace tilescope {
namespace {

constexpr std::string_view kCut = "...";

bool continues(std::string_view s, size_t at) { return at < s.size() && (static_cast<unsigned char>(s[at]) & 0xC0) == 0x80; }

/// `count` characters further, or back; malformed text moves at most four bytes a character.
size_t forward(std::string_view s, size_t at, int count) {
  for (; count > 0 && at < s.size(); --count) {
    ++at;
    for (int k = 0; k < 3 && continues(s, at); ++k) ++at;
  }
  return at;
}
size_t back(std::string_view s, size_t at, int count) {
  for (; count > 0 && at > 0; --count) {
    --at;
    for (int k = 0; k < 3 && at > 0 && continues(s, at); ++k) --at;
  }
  return at;
}

}  // namespace

int Excerpt::column(int of_line) const { return std::clamp(of_line, first, last) - first + offset + 1; }

Excerpt excerpt_around(std::string_view line, int begin, int end, int most) {
  size_t from = 0, to = line.size();
  if (forward(line, 0, most) < line.size()) {
    const size_t at = std::min(static_cast<size_t>(std::max(begin - 1, 0)), line.size());
    const size_t behind = std::clamp(static_cast<size_t>(std::max(end - 1, 0)), at, line.size());
    // What is marked, with a quarter of the room before it; near the end of the line more of what is before.
    const size_t start = back(line, at, most / 4);
    to = forward(line, start, most);
    from = to == line.size() ? back(line, to, most) : start;
    if (forward(line, 0, most) >= std::max(behind, size_t{1})) from = 0, to = forward(line, 0, most);
  }
  Excerpt out;
  out.first = static_cast<int>(from) + 1;
  out.last = static_cast<int>(to) + 1;
  if (from > 0) out.text = kCut;
  out.offset = static_cast<int>(out.text.size());
  out.text += line.substr(from, to - from);
  if (to < line.size()) out.text += kCut;
  return out;
}

int end_in_first_line(const SourceRange& r) {
  if (r.end_line == r.line || r.file == nullptr) return r.end_column;
  const size_t last = r.file->line(r.line).find_last_not_of(" \t\r");
  return std::max(last == std::string_view::npos ? 0 : static_cast<int>(last) + 2, r.column + 1);
}

std::string cut_middle(std::string text, size_t most) {
  if (text.size() <= most) return text;
  size_t head = most * 3 / 4, tail = text.size() - most / 4;
  for (int k = 0; k < 3 && head > 0 && continues(text, head); ++k) --head;
  for (int k = 0; k < 3 && continues(text, tail); ++k) ++tail;
  return text.substr(0, head) + " ... " + text.substr(tail);
}

}  // namespace tilescope
