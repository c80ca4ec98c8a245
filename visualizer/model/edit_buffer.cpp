#include "visualizer/model/edit_buffer.h"

#include <algorithm>

#include "core/syntax/lexer.h"

namespace tilescope::model {
namespace {

using Join = TextDocument::Join;

/// How far up Enter looks for the line where an open bracket began.
constexpr size_t kBracketLines = 200;

bool is_mark(uint32_t code) {
  return (code >= 0x300 && code < 0x370) || (code >= 0x1AB0 && code < 0x1B00) || (code >= 0x20D0 && code < 0x2100) ||
         (code >= 0xFE00 && code < 0xFE10) || (code >= 0xFE20 && code < 0xFE30) || code == 0x200D || (code >= 0xE0100 && code < 0xE01F0);
}

enum class CharClass : uint8_t { Blank, Word, Other };
CharClass class_of(char c) {
  if (c == ' ' || c == '\t') return CharClass::Blank;
  const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
  return word ? CharClass::Word : CharClass::Other;
}

size_t indent_bytes(std::string_view line) { return std::min(line.find_first_not_of(" \t"), line.size()); }

/// Columns that leading blanks take; a tab goes to the next multiple of eight, as for the lexer.
size_t indent_columns(std::string_view blanks) {
  size_t columns = 0;
  for (char c : blanks) columns = c == '\t' ? (columns / 8 + 1) * 8 : columns + 1;
  return columns;
}

/// Brackets of one line, strings and comments left out: closers without an opener, openers without a closer.
struct Brackets {
  int closers = 0;
  std::vector<uint32_t> openers;  ///< their columns
  uint32_t code_end = 0;          ///< end of the last token
  std::string first_word;
  char last = 0;                  ///< last character of code
};
Brackets brackets_of(std::string_view line) {
  Brackets out;
  SourceFile file{"", std::string(line)};
  for (const Token& t : lex(file, LexRegion{0, file.text.size(), 1, 0, true})) {
    if (t.kind == TokenKind::End) break;
    if (out.code_end == 0) out.first_word = file.text.substr(t.begin, t.end - t.begin);
    out.code_end = t.end;
    out.last = file.text[t.end - 1];
    if (t.kind != TokenKind::Op || t.end - t.begin != 1) continue;
    const char c = file.text[t.begin];
    if (c == '(' || c == '[' || c == '{') {
      out.openers.push_back(t.begin);
    } else if (c == ')' || c == ']' || c == '}') {
      if (out.openers.empty()) ++out.closers;
      else out.openers.pop_back();
    }
  }
  return out;
}

std::string with_line_ends(std::string_view text, std::string_view line_end) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r') {
      out += line_end;
      if (i + 1 < text.size() && text[i + 1] == '\n') ++i;
    } else if (text[i] == '\n') {
      out += line_end;
    } else if (text[i] != '\0') {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

size_t next_character(std::string_view line, size_t column) {
  if (column >= line.size()) return line.size();
  uint32_t code = 0;
  size_t at = column + static_cast<size_t>(std::max(utf8_sequence(line, column, &code), 1));
  while (at < line.size()) {
    const int length = utf8_sequence(line, at, &code);
    if (length < 2 || !is_mark(code)) break;
    at += static_cast<size_t>(length);
  }
  return std::min(at, line.size());
}

size_t previous_character(std::string_view line, size_t column) {
  column = std::min(column, line.size());
  while (column > 0) {
    size_t at = column - 1;
    uint32_t code = 0;
    for (size_t back = 1; back <= 4 && back <= column; ++back) {
      if (utf8_sequence(line, column - back, &code) == static_cast<int>(back)) {
        at = column - back;
        break;
      }
    }
    utf8_sequence(line, at, &code);
    column = at;
    if (static_cast<unsigned char>(line[at]) < 0x80 || !is_mark(code)) break;
  }
  return column;
}

std::pair<size_t, size_t> word_around(std::string_view line, size_t column) {
  if (line.empty()) return {0, 0};
  size_t at = std::min(column, line.size() - 1);
  if (column > 0 && class_of(line[at]) != CharClass::Word && class_of(line[column - 1]) == CharClass::Word) at = column - 1;
  const CharClass c = class_of(line[at]);
  size_t begin = at, end = at + 1;
  while (begin > 0 && class_of(line[begin - 1]) == c) --begin;
  while (end < line.size() && class_of(line[end]) == c) ++end;
  return {begin, end};
}

void EditBuffer::place(TextPosition p, bool select) {
  selection_.cursor = document_.clamp(p);
  if (!select) selection_.anchor = selection_.cursor;
  document_.break_join();
}

void EditBuffer::move(CursorMove move, bool select) {
  TextPosition p = selection_.cursor;
  const std::string_view line = document_.line(p.line);
  const auto word_left = [](std::string_view text, size_t at) {
    while (at > 0 && class_of(text[at - 1]) == CharClass::Blank) --at;
    if (at == 0) return at;
    const CharClass c = class_of(text[at - 1]);
    while (at > 0 && class_of(text[at - 1]) == c) --at;
    return at;
  };
  const auto word_right = [](std::string_view text, size_t at) {
    if (at >= text.size()) return at;
    const CharClass c = class_of(text[at]);
    while (c != CharClass::Blank && at < text.size() && class_of(text[at]) == c) ++at;
    while (at < text.size() && class_of(text[at]) == CharClass::Blank) ++at;
    return at;
  };
  const auto to_line_before = [&] { if (p.line > 0) --p.line, p.column = document_.line(p.line).size(); };
  const auto to_line_after = [&] { if (p.line + 1 < document_.lines()) ++p.line, p.column = 0; };
  switch (move) {
    case CursorMove::Left:
      if (!select && !selection_.empty()) p = selection_.begin();
      else if (p.column > 0) p.column = previous_character(line, p.column);
      else to_line_before();
      break;
    case CursorMove::Right:
      if (!select && !selection_.empty()) p = selection_.end();
      else if (p.column < line.size()) p.column = next_character(line, p.column);
      else to_line_after();
      break;
    case CursorMove::WordLeft:
      if (p.column > 0) p.column = word_left(line, p.column);
      else to_line_before();
      break;
    case CursorMove::WordRight:
      if (p.column < line.size()) p.column = word_right(line, p.column);
      else to_line_after();
      break;
    case CursorMove::LineStart:
      p.column = p.column == indent_bytes(line) ? 0 : indent_bytes(line);
      break;
    case CursorMove::LineEnd: p.column = line.size(); break;
    case CursorMove::TextStart: p = {}; break;
    case CursorMove::TextEnd: p = document_.end(); break;
  }
  place(p, select);
}

void EditBuffer::select_word(TextPosition p) {
  p = document_.clamp(p);
  const auto [begin, end] = word_around(document_.line(p.line), p.column);
  selection_ = {{p.line, begin}, {p.line, end}};
  document_.break_join();
}

void EditBuffer::select_line(size_t line) {
  selection_ = {document_.clamp({line, 0}), line + 1 < document_.lines() ? TextPosition{line + 1, 0} : document_.end()};
  document_.break_join();
}

void EditBuffer::select_all() {
  selection_ = {{}, document_.end()};
  document_.break_join();
}

void EditBuffer::replace_selection(std::string_view with, Join join) {
  const TextPosition after = document_.replace(selection_.begin(), selection_.end(), with, selection_, join);
  selection_ = {after, after};
}

void EditBuffer::type(std::string_view text) {
  if (text.empty()) return;
  const bool had_selection = !selection_.empty();
  if (had_selection) document_.break_join();
  replace_selection(text, had_selection ? Join::Never : Join::Typing);
  if (text.find_first_of(" \t\n") != std::string_view::npos) document_.break_join();  // undo goes word by word
}

void EditBuffer::paste(std::string_view text) { replace_selection(with_line_ends(text, document_.line_end()), Join::Never); }

std::string EditBuffer::new_line_indent() const {
  const TextPosition p = selection_.begin();
  const std::string_view line = document_.line(p.line);
  std::string indent(line.substr(0, std::min(indent_bytes(line), p.column)));
  const Brackets here = brackets_of(line.substr(0, p.column));
  if (!here.openers.empty()) {  // inside a bracket: under what follows it, or one stop deeper when nothing does
    const uint32_t open = here.openers.back();
    if (open + 1 < here.code_end && indent.find('\t') == std::string::npos) return std::string(open + 1, ' ');
    return indent + std::string(kIndent, ' ');
  }
  int depth = here.closers;
  for (size_t n = p.line; depth > 0 && n > 0 && p.line - n < kBracketLines;) {  // back to where the statement began
    --n;
    const Brackets above = brackets_of(document_.line(n));
    depth += above.closers - static_cast<int>(above.openers.size());
    if (depth <= 0) indent = document_.line(n).substr(0, indent_bytes(document_.line(n)));
  }
  const std::string_view unit = !indent.empty() && indent.back() == '\t' ? "\t" : "    ";
  if (here.last == ':') return indent.append(unit);
  const bool leaves = here.first_word == "return" || here.first_word == "pass" || here.first_word == "break" || here.first_word == "continue";
  if (leaves && indent.size() >= unit.size() && indent.ends_with(unit)) indent.resize(indent.size() - unit.size());
  return indent;
}

void EditBuffer::enter() {
  std::string text(document_.line_end());
  text += new_line_indent();
  replace_selection(text, Join::Never);
}

void EditBuffer::backspace() {
  if (!selection_.empty()) return replace_selection({}, Join::Never);
  const Selection before = selection_;
  TextPosition p = selection_.cursor;
  const std::string_view line = document_.line(p.line);
  if (p.column > 0 && p.column <= indent_bytes(line) && line[p.column - 1] == ' ') {
    const size_t columns = indent_columns(line.substr(0, p.column));
    size_t remove = columns % kIndent == 0 ? kIndent : columns % kIndent;
    while (remove > 0 && p.column > 0 && line[p.column - 1] == ' ') --remove, --p.column;
  } else if (p.column > 0) {
    p.column = previous_character(line, p.column);
  } else if (p.line > 0) {
    --p.line;
    p.column = document_.line(p.line).size();
  }
  const TextPosition after = document_.replace(p, before.cursor, {}, before, Join::Erasing);
  selection_ = {after, after};
}

void EditBuffer::erase() {
  if (!selection_.empty()) return replace_selection({}, Join::Never);
  const TextPosition p = selection_.cursor;
  const std::string_view line = document_.line(p.line);
  TextPosition end{p.line, next_character(line, p.column)};
  if (p.column == line.size() && p.line + 1 < document_.lines()) end = {p.line + 1, 0};
  const TextPosition after = document_.replace(p, end, {}, selection_, Join::Erasing);
  selection_ = {after, after};
}

void EditBuffer::erase_word_left() {
  const Selection before = selection_;
  if (selection_.empty()) move(CursorMove::WordLeft, true);
  const TextPosition after = document_.replace(selection_.begin(), selection_.end(), {}, before);
  selection_ = {after, after};
}

void EditBuffer::erase_word_right() {
  const Selection before = selection_;
  if (selection_.empty()) move(CursorMove::WordRight, true);
  const TextPosition after = document_.replace(selection_.begin(), selection_.end(), {}, before);
  selection_ = {after, after};
}

void EditBuffer::shift_lines(bool right) {
  const size_t first = selection_.begin().line;
  size_t last = selection_.end().line;
  if (last > first && selection_.end().column == 0) --last;  // the selection stops before that line
  Selection after = selection_;
  document_.begin_group(selection_);
  for (size_t n = first; n <= last; ++n) {
    const std::string_view line = document_.line(n);
    const auto shift = [&](TextPosition& p, std::ptrdiff_t by) {
      if (p.line != n || (by > 0 && p.column == 0 && !after.empty())) return;
      p.column = by < 0 && p.column < static_cast<size_t>(-by) ? 0 : p.column + static_cast<size_t>(by);
    };
    if (right) {
      if (line.empty()) continue;
      const std::string unit = line[0] == '\t' ? "\t" : std::string(kIndent, ' ');
      document_.replace({n, 0}, {n, 0}, unit, selection_);
      shift(after.anchor, static_cast<std::ptrdiff_t>(unit.size())), shift(after.cursor, static_cast<std::ptrdiff_t>(unit.size()));
    } else {
      size_t bytes = 0;
      if (!line.empty() && line[0] == '\t') bytes = 1;
      else while (bytes < kIndent && bytes < line.size() && line[bytes] == ' ') ++bytes;
      if (bytes == 0) continue;
      document_.replace({n, 0}, {n, bytes}, {}, selection_);
      shift(after.anchor, -static_cast<std::ptrdiff_t>(bytes)), shift(after.cursor, -static_cast<std::ptrdiff_t>(bytes));
    }
  }
  document_.end_group(after);
  selection_ = {document_.clamp(after.anchor), document_.clamp(after.cursor)};
}

void EditBuffer::indent() {
  if (selection_.begin().line != selection_.end().line) return shift_lines(true);
  const TextPosition p = selection_.begin();
  const std::string_view line = document_.line(p.line);
  if (!line.empty() && line[0] == '\t' && p.column <= indent_bytes(line)) return replace_selection("\t", Join::Never);
  const size_t columns = indent_columns(line.substr(0, std::min(p.column, indent_bytes(line)))) + p.column - std::min(p.column, indent_bytes(line));
  replace_selection(std::string(kIndent - columns % kIndent, ' '), Join::Never);
}

void EditBuffer::unindent() { shift_lines(false); }

std::string EditBuffer::copy() const {
  if (!selection_.empty()) return document_.slice(selection_.begin(), selection_.end());
  std::string line(document_.line(selection_.cursor.line));
  return line += document_.line_end();
}

std::string EditBuffer::cut() {
  std::string text = copy();
  const Selection before = selection_;
  if (selection_.empty()) select_line(selection_.cursor.line);
  const TextPosition after = document_.replace(selection_.begin(), selection_.end(), {}, before);
  selection_ = {after, after};
  return text;
}

void EditBuffer::replace_all(std::string_view text) {
  const std::string old = document_.text();
  size_t head = 0;
  while (head < old.size() && head < text.size() && old[head] == text[head]) ++head;
  size_t tail = 0;
  while (tail < old.size() - head && tail < text.size() - head && old[old.size() - 1 - tail] == text[text.size() - 1 - tail]) ++tail;
  // Whole lines only: positions exist at every line's start, but not between CR and LF.
  while (head > 0 && old[head - 1] != '\n') --head;
  while (tail > 0 && old[old.size() - tail - 1] != '\n') --tail;
  if (tail > 0 && text.size() > tail && text[text.size() - tail - 1] != '\n') tail = 0;
  if (head == old.size() && head == text.size()) return;
  document_.break_join();
  document_.replace(document_.position_of(head), document_.position_of(old.size() - tail), text.substr(head, text.size() - tail - head), selection_);
  document_.break_join();
  selection_ = {document_.clamp(selection_.anchor), document_.clamp(selection_.cursor)};
}

bool EditBuffer::undo() {
  if (!document_.can_undo()) return false;
  const Selection s = document_.undo();
  selection_ = {document_.clamp(s.anchor), document_.clamp(s.cursor)};
  return true;
}

bool EditBuffer::redo() {
  if (!document_.can_redo()) return false;
  const Selection s = document_.redo();
  selection_ = {document_.clamp(s.anchor), document_.clamp(s.cursor)};
  return true;
}

}  // namespace tilescope::model
