// Walks over IR text, character by character, for core/read.cpp only.
#pragma once

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "core/diagnostic.h"

namespace tilescope::read_detail {

/// The first error ends the reading; it never leaves this file.
struct Failure {
  Diagnostic diagnostic;
};

inline bool is_name_byte(char c) {
  const auto u = static_cast<unsigned char>(c);
  return u >= 0x80 || u == '_' || (u >= '0' && u <= '9') || (u >= 'a' && u <= 'z') || (u >= 'A' && u <= 'Z');
}
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Walks over the characters and knows the line and column.
class Cursor {
 public:
  explicit Cursor(SourcePtr file) : file_(std::move(file)), text_(file_->text) {}

  const SourcePtr& file() const { return file_; }
  size_t offset() const { return at_; }
  /// The next character, without moving; 0 at the end.
  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool at_end() const { return at_ >= text_.size(); }
  char next() {
    const char c = text_[at_++];
    if (c == '\n') {
      ++line_;
      line_start_ = at_;
    }
    return c;
  }

  void skip_blanks() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\r') next();
  }
  /// Blanks, line ends and // comments.
  void skip_space() {
    for (;;) {
      skip_blanks();
      if (peek() == '/' && peek(1) == '/') {
        while (!at_end() && peek() != '\n') next();
      } else if (peek() == '\n') {
        next();
      } else {
        return;
      }
    }
  }

  [[noreturn]] void fail(std::string message, std::string hint = {}) const {
    const int column = static_cast<int>(at_ - line_start_) + 1;
    fail_at({file_, line_, column, line_, column + 1}, std::move(message), std::move(hint));
  }
  [[noreturn]] static void fail_at(SourceRange range, std::string message, std::string hint = {}) {
    Diagnostic d;
    d.message = std::move(message);
    d.range = std::move(range);
    d.hint = std::move(hint);
    throw Failure{std::move(d)};
  }
  /// From a remembered start on the same line to here.
  SourceRange range_from(size_t start) const {
    const size_t begin = std::max(start, line_start_);
    return {file_, line_, static_cast<int>(begin - line_start_) + 1, line_, static_cast<int>(at_ - line_start_) + 1};
  }

  bool accept(char c) {
    skip_blanks();
    if (peek() != c) return false;
    next();
    return true;
  }
  void expect(char c, const char* where) {
    if (!accept(c)) fail(std::string("expected '") + c + "' " + where);
  }
  bool accept_word(std::string_view word) {
    skip_blanks();
    for (size_t i = 0; i < word.size(); ++i)
      if (peek(i) != word[i]) return false;
    if (is_name_byte(peek(word.size()))) return false;
    for (size_t i = 0; i < word.size(); ++i) next();
    return true;
  }
  void expect_word(std::string_view word, const char* where) {
    if (!accept_word(word)) fail("expected `" + std::string(word) + "` " + where);
  }

  std::string_view name(const char* what) {
    skip_blanks();
    const size_t start = at_;
    while (is_name_byte(peek())) next();
    if (at_ == start) fail(std::string("expected ") + what);
    return text_.substr(start, at_ - start);
  }
  std::string_view until(bool (*stop)(char)) {
    skip_blanks();
    const size_t start = at_;
    while (!at_end() && !stop(peek())) next();
    return text_.substr(start, at_ - start);
  }

  int64_t integer(const char* what) {
    skip_blanks();
    int64_t value = 0;
    const char* begin = text_.data() + at_;
    const auto r = std::from_chars(begin, text_.data() + text_.size(), value);
    if (r.ec == std::errc::result_out_of_range) fail(std::string(what) + " does not fit into 64 bits");
    if (r.ec != std::errc()) fail(std::string("expected ") + what);
    at_ += static_cast<size_t>(r.ptr - begin);
    return value;
  }
  int64_t integer_in(int64_t low, int64_t high, const char* what) {
    const size_t start = (skip_blanks(), at_);
    const int64_t value = integer(what);
    if (value < low || value > high)
      fail_at(range_from(start), std::string(what) + " is from " + std::to_string(low) + " to " + std::to_string(high));
    return value;
  }

  std::string quoted(const char* what) {
    skip_blanks();
    if (peek() != '"') fail(std::string("expected ") + what + " in quotes");
    next();
    std::string out;
    for (;;) {
      if (at_end() || peek() == '\n') fail("the quotes are not closed");
      const char c = next();
      if (c == '"') return out;
      out += c == '\\' ? escape() : c;
    }
  }

 private:
  char escape() {
    if (at_end()) fail("the quotes are not closed");
    const char c = next();
    if (c == 'n') return '\n';
    if (c == '"' || c == '\\') return c;
    if (c != 'x') fail("unknown escape");
    int value = 0;
    for (int i = 0; i < 2; ++i) {
      const char h = peek();
      const int digit = is_digit(h) ? h - '0' : h >= 'a' && h <= 'f' ? h - 'a' + 10 : -1;
      if (digit < 0) fail("\\x takes two hexadecimal digits");
      value = value * 16 + digit;
      next();
    }
    return static_cast<char>(value);
  }

  SourcePtr file_;
  std::string_view text_;
  size_t at_ = 0, line_start_ = 0;
  int line_ = 1;
};

}  // namespace tilescope::read_detail
