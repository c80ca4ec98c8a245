// String literals: prefixes, escapes, joined literals and f-strings.
#include <algorithm>
#include <cctype>

#include "core/syntax/parser_state.h"

namespace tilescope {
namespace {

/// The parts of a literal's text, as offsets into the file.
struct Literal {
  bool raw = false, bytes = false, formatted = false;
  size_t begin = 0, end = 0;
};

Literal split_literal(std::string_view file, const Token& t) {
  Literal l;
  size_t letters = 0;
  string_prefix_length(file, t.begin, &letters);
  for (char c : file.substr(t.begin, letters)) {
    l.raw = l.raw || (c | 0x20) == 'r';
    l.bytes = l.bytes || (c | 0x20) == 'b';
    l.formatted = l.formatted || (c | 0x20) == 'f';
  }
  size_t quote = t.begin + letters;
  bool triple = t.end - quote >= 6 && file[quote + 1] == file[quote] && file[quote + 2] == file[quote];
  l.begin = quote + (triple ? 3 : 1);
  l.end = t.end - (triple ? 3 : 1);
  return l;
}

/// Value of up to `most` digits at `at`; `at` moves behind them.
uint32_t escape_digits(std::string_view text, size_t* at, size_t end, int most, int radix, int* count) {
  uint32_t value = 0;
  for (*count = 0; *count < most && *at < end; ++*at, ++*count) {
    unsigned char c = static_cast<unsigned char>(text[*at]);
    uint32_t digit = std::isdigit(c) ? c - '0' : std::isxdigit(c) ? (c | 0x20u) - 'a' + 10 : 99;
    if (digit >= static_cast<uint32_t>(radix)) break;
    value = value * radix + digit;
  }
  return value;
}

char simple_escape(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case 'a':
      return '\a';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'v':
      return '\v';
    case '\\':
    case '\'':
    case '"':
      return c;
    default:
      return '\0';
  }
}

/// Finds the end of the replacement field that begins at `begin`, one past its brace. Quotes and brackets nest.
FormatField find_field(std::string_view text, size_t begin, size_t end) {
  FormatField f;
  f.begin = begin;
  size_t at = begin;
  int depth = 0;
  char quote = '\0';
  for (; at < end; ++at) {
    char c = text[at], next = at + 1 < end ? text[at + 1] : '\0';
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (depth > 0 && (c == ')' || c == ']' || c == '}')) {
      --depth;
    } else if (depth == 0 && (c == '}' || c == ':' || (c == '!' && next != '='))) {
      break;
    } else if (c == '!') {
      ++at;  // != is part of the value
    }
  }
  f.value_end = at;
  size_t last = at;
  while (last > begin && (text[last - 1] == ' ' || text[last - 1] == '\t')) --last;
  if (last > begin + 1 && text[last - 1] == '=' &&
      std::string_view("=!<>").find(text[last - 2]) == std::string_view::npos) {
    f.shows_text = true;
    f.value_end = last - 1;
  }
  size_t format = at;
  for (; at < end; ++at) {
    if (text[at] == '{') ++depth;
    if (text[at] == '}' && depth-- == 0) break;
  }
  f.end = at;
  f.closed = at < end;
  if (format < at)
    f.format = text.substr(text[format] == ':' ? format + 1 : format, at - format - (text[format] == ':'));
  return f;
}

}  // namespace

LexRegion Parser::region_at(size_t begin, size_t end) {
  if (line_starts_ == nullptr) {
    auto starts = std::make_shared<std::vector<size_t>>(1, 0);
    for (size_t i = 0; i < source_->text.size(); ++i) {
      if (source_->text[i] == '\n') starts->push_back(i + 1);
    }
    line_starts_ = std::move(starts);
  }
  auto after = std::upper_bound(line_starts_->begin(), line_starts_->end(), begin);
  return {begin, end, static_cast<int>(after - line_starts_->begin()), *(after - 1), true};
}

SourceRange Parser::range_at(size_t begin, size_t end) {
  LexRegion a = region_at(begin, end), b = region_at(end, end);
  return {source_, a.line, static_cast<int>(begin - a.line_start) + 1, b.line,
          static_cast<int>(end - b.line_start) + 1};
}

Expr* Parser::string_part(std::string decoded, size_t token) {
  Expr* e = make(Expr::Kind::Str, token);
  e->text = std::move(decoded);
  return e;
}

/// One literal or several side by side; an FString when any of them has an f. Text between replacement fields is one
/// part, also when it comes from several literals.
Expr* Parser::strings() {
  size_t first = at_;
  std::vector<Expr*> parts;
  bool bytes = false, formatted = false;
  std::string run;
  while (at_kind(TokenKind::String)) {
    Literal l = split_literal(source_->text, now());
    bytes = bytes || l.bytes;
    formatted = formatted || l.formatted;
    if (l.formatted) {
      format_parts(l.begin, l.end, l.raw, run, parts);
    } else if (!l.bytes) {
      run += decode(l.begin, l.end, l.raw);
    }
    advance();
  }
  if (bytes) return finish(unsupported("bytes literal", first), first);
  if (!formatted) return finish(string_part(std::move(run), first), first);
  if (!run.empty()) parts.push_back(string_part(std::move(run), at_ - 1));
  Expr* e = make(Expr::Kind::FString, first);
  e->items = std::move(parts);
  return finish(e, first);
}

std::string Parser::decode(size_t begin, size_t end, bool raw) {
  std::string_view text = source_->text;
  std::string out;
  for (size_t at = begin; at < end;) {
    char c = text[at++];
    if (c == '\r') {
      if (at < end && text[at] == '\n') ++at;
      out += '\n';
      continue;
    }
    if (c != '\\' || raw || at >= end) {
      out += c;
      continue;
    }
    size_t escape = at - 1;
    char kind = text[at++];
    int count = 0;
    if (kind == '\n' || kind == '\r') {
      if (kind == '\r' && at < end && text[at] == '\n') ++at;
    } else if (char plain = simple_escape(kind); plain != '\0') {
      out += plain;
    } else if (kind >= '0' && kind <= '7') {
      --at;
      append_utf8(out, escape_digits(text, &at, end, 3, 8, &count));
    } else if (kind == 'x' || kind == 'u' || kind == 'U') {
      int need = kind == 'x' ? 2 : kind == 'u' ? 4 : 8;
      uint32_t code = escape_digits(text, &at, end, need, 16, &count);
      bool character = code <= 0x10FFFF && (code < 0xD800 || code >= 0xE000);
      if (count != need || !character) {
        fail(range_at(escape, at), "this escape is not a character",
             "write \\xHH, \\uHHHH or \\UHHHHHHHH with that many hexadecimal digits, or \\\\ for a backslash");
      }
      append_utf8(out, code);
    } else if (kind == 'N') {
      fail(range_at(escape, at), "characters by name are not supported", "write \\uHHHH with the character's code");
    } else {
      out += '\\';  // Python keeps an escape that it does not know
      --at;
    }
  }
  return out;
}

/// The text and the replacement fields between `begin` and `end` of an f-string; text after the last field stays in
/// `literal`.
void Parser::format_parts(size_t begin, size_t end, bool raw, std::string& literal, std::vector<Expr*>& parts) {
  std::string_view text = source_->text;
  size_t run = begin;  // text from here on is not decoded yet
  auto take = [&](size_t until) { literal += decode(run, until, raw); };
  for (size_t at = begin; at < end;) {
    char c = text[at], next = at + 1 < end ? text[at + 1] : '\0';
    if (c == '\\' && !raw) {
      at += next == 'N' ? 3 : 2;  // the brace of \N{name} begins no field
    } else if ((c == '{' || c == '}') && next == c) {
      take(at + 1);
      at += 2;
      run = at;
    } else if (c == '}') {
      fail(range_at(at, at + 1), "single `}` in an f-string", "write `}}` for a brace");
    } else if (c == '{') {
      take(at);
      FormatField field = find_field(text, at + 1, end);
      if (!field.closed)
        fail(range_at(at, at + 1), "this `{` of an f-string is never closed", "write `{{` for a brace");
      if (field.shows_text) literal += std::string(text.substr(field.begin, field.value_end - field.begin)) + "=";
      if (!literal.empty()) parts.push_back(string_part(std::move(literal), at_));
      literal.clear();
      parts.push_back(format_value(field));
      at = run = field.end + 1;
    } else {
      ++at;
    }
  }
  if (run < end) take(end);
}

Expr* Parser::format_value(const FormatField& field) {
  Nested guard(*this);
  Parser inner(source_, lex(*source_, region_at(field.begin, field.value_end)), arena_, depth_);
  inner.line_starts_ = line_starts_;
  if (inner.at_kind(TokenKind::End)) {
    fail(range_at(field.begin - 1, field.end + 1), "empty replacement field in an f-string",
         "write a value between the braces, or `{{}}` for braces");
  }
  Expr* value = inner.star_expressions();
  if (!inner.at_kind(TokenKind::End)) inner.fail_here("the end of the replacement field");
  Expr* e = make(Expr::Kind::FormattedValue, at_);
  e->text = field.format;
  e->items.push_back(value);
  finish(e, at_);
  e->range = range_at(field.begin - 1, field.end + 1);
  return e;
}

}  // namespace tilescope
