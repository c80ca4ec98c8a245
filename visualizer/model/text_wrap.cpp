#include "visualizer/model/text_wrap.h"

#include <algorithm>

#include "core/syntax/lexer.h"

namespace tilescope::model {

size_t character_bytes(std::string_view s, size_t i) {
  size_t n = 1;
  while (i + n < s.size() && (static_cast<unsigned char>(s[i + n]) & 0xC0) == 0x80) ++n;
  return n;
}

namespace {

bool is_wide(uint32_t code) { return code >= 0x2E80 && code < 0xFFE0; }
/// Punctuation that may not start a row.
bool closes(uint32_t code) {
  switch (code) {
    case 0x3001: case 0x3002: case 0x300B: case 0x300D: case 0x300F: case 0x3011: case 0x3015:  // 、。》」』】〕
    case 0xFF01: case 0xFF09: case 0xFF0C: case 0xFF1A: case 0xFF1B: case 0xFF1F: return true;  // ！），：；？
    default: return false;
  }
}

struct Break {
  size_t at = 0;  ///< 0: none
  float x = 0;
  int subscripts = 0;  ///< open ones
};

/// Whether a row may end just before byte `at`.
bool may_break(std::string_view line, size_t at) {
  const char before = line[at - 1], after = line[at];
  if (after == ' ' || after == '\t') return false;  // blanks stay at the row's end
  if (before == ' ' || before == '\t') return true;
  if (before == ',' && after != ')') return true;
  uint32_t code = 0;
  if (static_cast<unsigned char>(after) >= 0x80) return utf8_sequence(line, at, &code) > 0 && is_wide(code) && !closes(code);
  return static_cast<unsigned char>(before) >= 0x80 && (static_cast<unsigned char>(before) & 0xC0) == 0x80 && after != ',' && after != '.' && after != ')' &&
         at >= 3 && utf8_sequence(line, at - 3, &code) == 3 && is_wide(code);
}

}  // namespace

float CharWidths::width_at(std::string_view line, size_t at, float x, size_t* length) const {
  const auto c = static_cast<unsigned char>(line[at]);
  *length = 1;
  if (c == '\t') {
    const float stop = 8 * ascii_;
    return (static_cast<float>(static_cast<int>((x + ascii_ / 2) / stop)) + 1) * stop - x;
  }
  if (c < 0x80) return ascii_;
  uint32_t code = 0;
  const int bytes = utf8_sequence(line, at, &code);
  if (bytes == 0) return ascii_;
  *length = static_cast<size_t>(bytes);
  const auto [found, fresh] = known_.try_emplace(code, 0.f);
  if (fresh) found->second = other_(code);
  return found->second;
}

bool CharWidths::refresh() {
  bool other = false;
  for (auto& [code, width] : known_) {
    const float now = other_(code);
    other |= now != width;
    width = now;
  }
  return other;
}

std::vector<WrappedRow> wrap_line(std::string_view line, float full_width, const CharWidths& widths, size_t comment, float first_less) {
  std::vector<WrappedRow> rows;
  WrappedRow row;
  full_width = std::max(full_width, 4 * widths.ascii());
  float width = std::max(full_width - first_less, 4 * widths.ascii());
  const bool short_ascii = static_cast<float>(line.size()) * widths.ascii() <= width &&
                           std::none_of(line.begin(), line.end(), [](char c) { return c == '\t' || static_cast<unsigned char>(c) >= 0x80; });
  if (short_ascii) {
    rows.push_back({0, static_cast<uint32_t>(line.size()), 0, static_cast<float>(line.size()) * widths.ascii()});
    return rows;
  }
  float x = 0, indent = 0;             // x: from the line's left edge, for the character at `at`
  Break best, bracket, inside;         // places to break in this row: at blanks, behind an opening bracket, inside a subscript
  bool in_indent = true, ink = false;  // ink: something but blanks on this row
  int subscripts = 0;
  const auto finish_row = [&](size_t end, float end_x) {
    row.end = static_cast<uint32_t>(end);
    row.width = end_x - row.x;
    rows.push_back(row);
    width = full_width;
    // What is far to the right already (arguments under their bracket) goes no deeper.
    const float deeper = std::min(indent < width / 3 ? indent + 4 * widths.ascii() : indent, width / 2);
    row = {static_cast<uint32_t>(end), 0, deeper, 0};
    best = bracket = inside = {};
    ink = false;
  };
  for (size_t at = 0; at < line.size();) {
    const char c = line[at];
    const bool blank = c == ' ' || c == '\t';
    if (in_indent && !blank) in_indent = false, indent = x;
    if (at == comment && ink) {  // the whole comment on a row of its own, if that helps
      float end = x;
      for (size_t i = at, length = 1; i < line.size() && end <= width; i += length) end += widths.width_at(line, i, end, &length);
      if (end > width) {
        finish_row(at, x);
        x = row.x;
      }
    }
    if (ink && at > row.begin && may_break(line, at)) (subscripts > 0 && at < comment ? inside : best) = {at, x, subscripts};
    if (ink && at > row.begin && line[at - 1] == '(' && c != ')' && at < comment) bracket = {at, x, subscripts};
    size_t length = 1;
    const float w = widths.width_at(line, at, x, &length);
    if (x + w > width + 0.5f && c != ' ' && at > row.begin) {  // a blank may hang over the edge
      const auto poor = [&](const Break& b) { return b.at == 0 || b.x - row.x < (width - row.x) / 3; };
      const Break& second = bracket.at > 0 ? bracket : inside.at > 0 ? inside : best;
      if (const Break b = poor(best) && second.at > best.at ? second : best; b.at > 0) {
        finish_row(b.at, b.x);
        at = b.at, subscripts = b.subscripts;
        x = row.x;
      } else {
        finish_row(at, x);
        x = row.x;
      }
      continue;  // the same characters again, on the new row
    }
    if (c == '[') ++subscripts;
    if (c == ']' && subscripts > 0) --subscripts;
    ink |= !blank;
    x += w;
    at += length;
  }
  row.end = static_cast<uint32_t>(line.size());
  row.width = x - row.x;
  rows.push_back(row);
  return rows;
}

float offset_in_row(std::string_view line, const WrappedRow& row, size_t column, const CharWidths& widths) {
  float x = row.x;
  for (size_t at = row.begin, length = 1; at < std::min<size_t>(column, row.end); at += length) x += widths.width_at(line, at, x, &length);
  return x - row.x;
}

size_t column_at(std::string_view line, const WrappedRow& row, float offset, const CharWidths& widths) {
  float x = row.x;
  size_t last = row.begin;  // the end of a broken row is the start of the next one, so stay before the last character
  for (size_t at = row.begin, length = 1; at < row.end; at += length) {
    const float w = widths.width_at(line, at, x, &length);
    if (row.x + offset < x + w / 2) return at;
    x += w;
    last = at;
  }
  return row.end < line.size() ? last : row.end;
}

size_t row_of(const std::vector<WrappedRow>& rows, size_t column) {
  size_t row = 0;
  while (row + 1 < rows.size() && column >= rows[row + 1].begin) ++row;
  return row;
}

}  // namespace tilescope::model
