#include "visualizer/terminal/lesson_text.h"

#include <algorithm>

#include "core/syntax/lexer.h"

namespace tilescope::terminal {
namespace {

struct Character {
  std::string_view bytes;
  uint32_t code = 0;
  size_t width = 1;
};

bool is_wide(uint32_t c) {
  return (c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf) || (c >= 0xac00 && c <= 0xd7a3) || (c >= 0xf900 && c <= 0xfaff) || (c >= 0xfe30 && c <= 0xfe6f) ||
         (c >= 0xff00 && c <= 0xff60) || (c >= 0xffe0 && c <= 0xffe6) || (c >= 0x1f300 && c <= 0x1faff) || (c >= 0x20000 && c <= 0x3fffd);
}

/// A line must not begin with these.
bool is_closing(uint32_t c) {
  static constexpr std::u32string_view marks = U"，。、；：？！）》」』】”’…";
  return marks.find(static_cast<char32_t>(c)) != std::u32string_view::npos;
}

std::vector<Character> characters(std::string_view text) {
  std::vector<Character> out;
  for (size_t at = 0; at < text.size();) {
    Character c;
    const int length = std::max(1, utf8_sequence(text, at, &c.code));
    c.bytes = text.substr(at, static_cast<size_t>(length));
    c.width = is_wide(c.code) ? 2 : 1;
    out.push_back(c);
    at += static_cast<size_t>(length);
  }
  return out;
}

/// Stretches that are not broken: words, and Chinese characters with the closing marks behind them.
struct Piece {
  std::string text;
  size_t width = 0;
  bool blank_before = false;
};

std::vector<Piece> pieces_of(std::string_view text) {
  std::vector<Piece> out;
  bool blank = false, open = false;
  for (const Character& c : characters(text)) {
    if (c.bytes == " ") {
      blank = true, open = false;
      continue;
    }
    const bool joins = !out.empty() && !blank && (is_closing(c.code) || (c.width == 1 && open));
    if (!joins) out.push_back({"", 0, blank});
    out.back().text += c.bytes;
    out.back().width += c.width;
    // Behind a Chinese character anything may begin a line; an opening bracket keeps what follows.
    // A list in brackets came with blanks that hold it together; in the end they are blanks.
    if (c.bytes == lessons::kFixedBlank) out.back().text.replace(out.back().text.size() - c.bytes.size(), c.bytes.size(), " ");
    open = c.width == 1 || c.bytes == "（" || c.bytes == "“" || c.bytes == "《";
    blank = false;
  }
  return out;
}

void indent(std::string& out, const std::vector<std::string>& lines, const std::string& first, const std::string& rest) {
  for (size_t i = 0; i < lines.size(); ++i) out += (i == 0 ? first : rest) + lines[i] + "\n";
}

std::string plain(const lessons::TextBlock& b, const std::function<std::string(const std::string&)>& fill) {
  std::string out;
  for (const lessons::Span& s : b.spans) out += s.formula != nullptr ? lessons::formula_line(*s.formula, fill) : s.code ? "`" + fill(s.text) + "`" : fill(s.text);
  return out;
}

}  // namespace

size_t display_width(std::string_view text) {
  size_t n = 0;
  for (const Character& c : characters(text)) n += c.width;
  return n;
}

std::vector<std::string> wrap_text(std::string_view text, size_t width) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines.emplace_back();
    size_t used = 0;
    for (const Piece& p : pieces_of(lessons::with_lists_kept_together(text.substr(begin, end - begin)))) {
      const size_t blank = p.blank_before && used > 0 ? 1 : 0;
      if (used > 0 && used + blank + p.width > width) lines.emplace_back(), used = 0;
      else if (blank) lines.back() += ' ', ++used;
      for (const Character& c : characters(p.text)) {
        if (used > 0 && used + c.width > width) lines.emplace_back(), used = 0;
        lines.back() += c.bytes;
        used += c.width;
      }
    }
    begin = end + 1;
  }
  return lines;
}

std::string page_text(const std::vector<lessons::TextBlock>& blocks, const std::function<std::string(const std::string&)>& fill, size_t width) {
  using Kind = lessons::TextBlock::Kind;
  std::string out;
  Kind before = Kind::Heading;
  for (size_t i = 0; i < blocks.size(); ++i) {
    const lessons::TextBlock& b = blocks[i];
    if (i > 0 && !(b.kind == Kind::Item && before == Kind::Item)) out += "\n";
    switch (b.kind) {
      case Kind::Heading: {
        const std::string text = plain(b, fill);
        indent(out, wrap_text(text, width), "", "");
        out += std::string(std::min(display_width(text), width), b.level == 1 ? '=' : '-') + "\n";
        break;
      }
      case Kind::Paragraph: indent(out, wrap_text(plain(b, fill), width), "", ""); break;
      case Kind::Item: {
        const std::string mark = b.number > 0 ? std::to_string(b.number) + ". " : "- ";
        const std::string left(static_cast<size_t>(2 * std::max(0, b.level - 1)), ' ');
        const size_t taken = left.size() + mark.size();
        indent(out, wrap_text(plain(b, fill), width > taken + 10 ? width - taken : 10), left + mark, left + std::string(mark.size(), ' '));
        break;
      }
      case Kind::Formula: indent(out, wrap_text(plain(b, fill), width > 18 ? width - 8 : 10), "    ", "        "); break;
      case Kind::Code: {
        const std::string text = b.spans.empty() ? "" : fill(b.spans[0].text);
        for (size_t at = 0; at <= text.size();) {
          const size_t end = std::min(text.find('\n', at), text.size());
          out += "    " + text.substr(at, end - at) + "\n";
          at = end + 1;
        }
        break;
      }
    }
    before = b.kind;
  }
  return out;
}

}  // namespace tilescope::terminal
