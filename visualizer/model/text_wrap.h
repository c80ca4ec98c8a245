// Breaks a line of code into rows that fit a width. No screen: widths of characters come from the caller.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tilescope::model {

/// Bytes of the UTF-8 character that starts at s[i]; at least 1.
size_t character_bytes(std::string_view s, size_t i);

/// Widths in pixels of a monospaced face whose characters beyond ASCII may be wider.
class CharWidths {
 public:
  /// `other` gives the width of a code point beyond ASCII; asked once for each.
  CharWidths(float ascii, std::function<float(uint32_t code)> other) : ascii_(ascii), other_(std::move(other)) {}
  float ascii() const { return ascii_; }
  /// Asks for all widths again: true when one is another now (the font got more characters).
  bool refresh();
  /// Width of the character at `at`, when it starts `x` pixels behind the line's start (tabs go to the next multiple of
  /// eight); `length` gets its bytes. A byte that is no UTF-8 is as wide as one character.
  float width_at(std::string_view line, size_t at, float x, size_t* length) const;

 private:
  float ascii_;
  std::function<float(uint32_t)> other_;
  mutable std::unordered_map<uint32_t, float> known_;
};

/// Bytes [begin, end) of a line, drawn from x on.
struct WrappedRow {
  uint32_t begin = 0, end = 0;
  float x = 0, width = 0;
};

/// At least one row; together they hold every byte. Rows after the first are indented one stop deeper than the line. They
/// break behind blanks and commas, else behind an opening bracket, inside a subscript only if nothing else serves, between
/// Chinese characters, or where the width ends. `comment`: where a
/// comment starts (or npos); one that does not fit on its row goes to the next as a whole. `first_less`: by how much the
/// first row is narrower.
std::vector<WrappedRow> wrap_line(std::string_view line, float width, const CharWidths& widths, size_t comment = std::string_view::npos,
                                  float first_less = 0);

/// Pixels between the row's x and the character at byte `column`.
float offset_in_row(std::string_view line, const WrappedRow& row, size_t column, const CharWidths& widths);
/// The byte of the row whose character's edge is nearest to `offset`.
size_t column_at(std::string_view line, const WrappedRow& row, float offset, const CharWidths& widths);
/// The row that holds byte `column`; a place where the line was broken belongs to the row that it starts.
size_t row_of(const std::vector<WrappedRow>& rows, size_t column);

}  // namespace tilescope::model
