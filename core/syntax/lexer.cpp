#include "core/syntax/lexer.h"

#include <algorithm>
#include <array>
#include <string>

namespace tilescope {
namespace {

constexpr std::array<std::string_view, 35> kKeywords = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};

/// Longer ones before their own beginnings.
constexpr std::string_view kLongOps[] = {"**=", "//=", ">>=", "<<=", "...", "!=", "==", "<=", ">=", "->", "+=", "-=",
                                         "*=",  "/=",  "%=",  "&=",  "|=",  "^=", "@=", "**", "//", "<<", ">>", ":="};
constexpr std::string_view kSingleOps = "+-*/%@&|^~<>()[]{},:.;=!?";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool is_name_char(char c) { return is_name_start(c) || is_digit(c); }
bool is_keyword(std::string_view word) {
  return std::find(kKeywords.begin(), kKeywords.end(), word) != kKeywords.end();
}
char opener_of(char closer) { return closer == ')' ? '(' : closer == ']' ? '[' : '{'; }
size_t bracket_index(char opener) { return opener == '(' ? 0 : opener == '[' ? 1 : 2; }

class Lexer {
 public:
  Lexer(const SourceFile& file, const LexRegion& region)
      : text_(std::string_view(file.text).substr(0, region.end)),
        at_(region.begin),
        line_(region.line),
        line_start_(region.line_start),
        nested_(region.inside_brackets) {}

  std::vector<Token> run() {
    if (!nested_ && text_.substr(0, 3) == "\xEF\xBB\xBF") at_ = 3;
    bool line_begins = !nested_;
    while (true) {
      if (line_begins) {
        line_begins = false;
        first_ = true;
        if (brackets_.empty()) {
          indentation();
        } else if (top_level_item_starts()) {
          newline_token();
          brackets_.clear();
          open_counts_ = {};
          indentation();
        }
      }
      skip_blanks();
      if (at_ >= text_.size()) break;
      char c = text_[at_];
      if (c == '\n' || c == '\r') {
        if (!nested_ && brackets_.empty()) newline_token();
        next_line();
        line_begins = !nested_;
      } else {
        token(c);
        first_ = false;
      }
    }
    finish();
    return std::move(tokens_);
  }

 private:
  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  int column(size_t offset) const { return static_cast<int>(offset - line_start_) + 1; }

  /// Steps over one line end, also in the middle of a string. A lone CR ends a line for Python, but messages count LF.
  void next_line() {
    at_ += text_[at_] == '\r' && peek(1) == '\n' ? 2 : 1;
    if (text_[at_ - 1] != '\n') return;
    ++line_;
    line_start_ = at_;
  }

  Token& add(TokenKind kind, size_t begin, int line, int begin_column) {
    Token t;
    t.kind = kind;
    t.first_on_line = first_;
    t.begin = static_cast<uint32_t>(begin);
    t.end = static_cast<uint32_t>(at_);
    t.line = line;
    t.column = begin_column;
    t.end_line = line_;
    t.end_column = column(at_);
    tokens_.push_back(t);
    return tokens_.back();
  }
  Token& add(TokenKind kind, size_t begin) { return add(kind, begin, line_, column(begin)); }
  void add_error(LexError error, size_t begin) { add(TokenKind::Error, begin).error = error; }

  void newline_token() {
    bool needed = !tokens_.empty() && tokens_.back().kind != TokenKind::Newline &&
                  tokens_.back().kind != TokenKind::Indent && tokens_.back().kind != TokenKind::Dedent;
    if (needed) add(TokenKind::Newline, at_);
  }

  void skip_blanks() {
    while (at_ < text_.size()) {
      char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\f') {
        ++at_;
      } else if (c == '#') {
        while (at_ < text_.size() && text_[at_] != '\n' && text_[at_] != '\r') ++at_;
      } else if (c == '\\' && (peek(1) == '\n' || peek(1) == '\r')) {
        ++at_;
        next_line();
      } else {
        return;
      }
    }
  }

  /// Reads the blanks that begin a logical line; empty and comment lines do not count.
  void indentation() {
    int width = 0, width_with_tab_1 = 0;
    for (; at_ < text_.size(); ++at_) {
      char c = text_[at_];
      if (c == ' ') {
        ++width, ++width_with_tab_1;
      } else if (c == '\t') {
        width = (width / 8 + 1) * 8, ++width_with_tab_1;
      } else if (c == '\f') {
        width = width_with_tab_1 = 0;
      } else {
        break;
      }
    }
    char c = peek();
    if (at_ >= text_.size() || c == '\n' || c == '\r' || c == '#') return;
    if (width > indents_.back().width) {
      bool mixed = width_with_tab_1 <= indents_.back().width_with_tab_1;
      indents_.push_back({width, width_with_tab_1});
      add(TokenKind::Indent, at_);
      if (mixed) add_error(LexError::MixedTabs, line_start_);
      return;
    }
    while (width < indents_.back().width) {
      indents_.pop_back();
      add(TokenKind::Dedent, at_);
    }
    if (width != indents_.back().width) {
      add_error(LexError::BadDedent, line_start_);
    } else if (width_with_tab_1 != indents_.back().width_with_tab_1) {
      add_error(LexError::MixedTabs, line_start_);
    }
  }

  /// Inside an open bracket at the start of a line: text that can only be a new item of the file?
  bool top_level_item_starts() const {
    auto word = [&](std::string_view w) {
      return text_.substr(at_, w.size()) == w && (peek(w.size()) == ' ' || peek(w.size()) == '\t');
    };
    return word("def") || word("class") || word("async") || (peek() == '@' && is_name_start(peek(1)));
  }

  void token(char c) {
    size_t letters = 0;
    if (string_prefix_length(text_, at_, &letters)) return string(letters);
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    if (is_name_start(c)) return name();
    size_t begin = at_;
    if (c == '\\') {
      ++at_;
      return add_error(LexError::AfterBackslash, begin);
    }
    for (std::string_view op : kLongOps) {
      if (text_.substr(at_, op.size()) != op) continue;
      at_ += op.size();
      add(TokenKind::Op, begin);
      return;
    }
    ++at_;
    if (c == '\0') return add_error(LexError::NulByte, begin);
    if (kSingleOps.find(c) == std::string_view::npos) return add_error(LexError::BadCharacter, begin);
    add(TokenKind::Op, begin);
    bracket(c);
  }

  void bracket(char c) {
    int32_t self = static_cast<int32_t>(tokens_.size()) - 1;
    if (c == '(' || c == '[' || c == '{') {
      brackets_.push_back({c, self});
      ++open_counts_[bracket_index(c)];
    } else if (c == ')' || c == ']' || c == '}') {
      char opener = opener_of(c);
      if (open_counts_[bracket_index(opener)] == 0) return;
      Bracket b;
      do {  // an opener in between stays without a partner
        b = brackets_.back();
        brackets_.pop_back();
        --open_counts_[bracket_index(b.opener)];
      } while (b.opener != opener);
      tokens_[self].mate = b.token;
      tokens_[b.token].mate = self;
    }
  }

  void string(size_t letters) {
    size_t begin = at_;
    int line = line_, begin_column = column(at_);
    at_ += letters;
    char quote = text_[at_];
    bool triple = peek(1) == quote && peek(2) == quote;
    at_ += triple ? 3 : 1;
    bool valid = true;
    while (at_ < text_.size()) {
      char c = text_[at_];
      if (c == quote && (!triple || (peek(1) == quote && peek(2) == quote))) {
        at_ += triple ? 3 : 1;
        Token& t = add(TokenKind::String, begin, line, begin_column);
        if (!valid) t.kind = TokenKind::Error, t.error = LexError::BadUtf8;
        return;
      }
      if (c == '\n' || c == '\r') {
        if (!triple) break;
        next_line();
      } else if (c == '\\' && at_ + 1 < text_.size()) {
        ++at_;
        if (text_[at_] == '\n' || text_[at_] == '\r') {
          next_line();
        } else {
          valid = string_byte() && valid;
        }
      } else {
        valid = string_byte() && valid;
      }
    }
    add(TokenKind::Error, begin, line, begin_column).error =
        triple ? LexError::UnterminatedTripleString : LexError::UnterminatedString;
  }

  /// Steps over one character of a string; false when its bytes are no UTF-8.
  bool string_byte() {
    uint32_t code;
    int length = utf8_sequence(text_, at_, &code);
    at_ += std::max(length, 1);
    return length > 0;
  }

  void name() {
    size_t begin = at_;
    while (at_ < text_.size() && is_name_char(text_[at_])) {
      uint32_t code = 0;
      int length = utf8_sequence(text_, at_, &code);
      if (length == 0 || lookalike_ascii(code) != nullptr) break;
      at_ += length;
    }
    if (at_ > begin) {
      add(is_keyword(text_.substr(begin, at_ - begin)) ? TokenKind::Keyword : TokenKind::Name, begin);
      return;
    }
    uint32_t code = 0;
    int length = utf8_sequence(text_, at_, &code);
    at_ += std::max(length, 1);
    add_error(length == 0 ? LexError::BadUtf8 : LexError::LookalikeCharacter, begin);
  }

  /// Digits with single underscores between them; false when there are none or an underscore stands wrong.
  bool digits(bool (*is)(char)) {
    if (!is(peek())) return false;
    while (true) {
      while (is(peek())) ++at_;
      if (peek() != '_') return true;
      ++at_;
      if (!is(peek())) return false;
    }
  }

  void number() {
    size_t begin = at_;
    TokenKind kind = TokenKind::Int;
    bool good = true;
    char radix = peek() == '0' ? static_cast<char>(peek(1) | 0x20) : '\0';
    if (radix == 'x' || radix == 'o' || radix == 'b') {
      at_ += 2;
      if (peek() == '_') ++at_;
      good = radix == 'x'   ? digits([](char c) { return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f'); })
             : radix == 'o' ? digits([](char c) { return c >= '0' && c <= '7'; })
                            : digits([](char c) { return c == '0' || c == '1'; });
    } else {
      good = decimal(&kind);
      std::string_view whole = text_.substr(begin, at_ - begin);
      if (good && kind == TokenKind::Int && whole[0] == '0' && whole.find_first_not_of("0_") != whole.npos) {
        return add_error(LexError::LeadingZero, begin);
      }
    }
    if (!good || (is_name_char(peek()) && !operator_word_follows())) {
      while (is_name_char(peek())) ++at_;
      return add_error(LexError::BadNumber, begin);
    }
    add(kind, begin);
  }

  bool decimal(TokenKind* kind) {
    bool good = peek() == '.' || digits(is_digit);
    if (good && peek() == '.') {
      *kind = TokenKind::Float;
      ++at_;
      if (is_digit(peek())) good = digits(is_digit);
    }
    bool sign = peek(1) == '+' || peek(1) == '-';
    if (good && (peek() == 'e' || peek() == 'E') && is_digit(peek(sign ? 2 : 1))) {
      *kind = TokenKind::Float;
      at_ += sign ? 2 : 1;
      good = digits(is_digit);
    }
    if (good && (peek() == 'j' || peek() == 'J')) {
      *kind = TokenKind::Imaginary;
      ++at_;
    }
    return good;
  }

  /// Python allows `1if x else 2`.
  bool operator_word_follows() const {
    size_t end = at_;
    while (end < text_.size() && end - at_ < 8 && is_name_char(text_[end])) ++end;
    std::string_view word = text_.substr(at_, end - at_);
    return word == "if" || word == "else" || word == "and" || word == "or" || word == "in" || word == "is" ||
           word == "not" || word == "for";
  }

  void finish() {
    at_ = std::min(at_, text_.size());
    first_ = false;
    if (!nested_) newline_token();
    for (; indents_.size() > 1; indents_.pop_back()) add(TokenKind::Dedent, at_);
    add(TokenKind::End, at_);
  }

  struct Bracket {
    char opener;
    int32_t token;
  };
  struct IndentLevel {
    int width, width_with_tab_1;
  };

  std::string_view text_;
  size_t at_;
  int line_;
  size_t line_start_;
  bool nested_;
  bool first_ = true;
  std::vector<Token> tokens_;
  std::vector<Bracket> brackets_;
  std::array<int, 3> open_counts_ = {};
  std::vector<IndentLevel> indents_ = {{0, 0}};
};

}  // namespace

int utf8_sequence(std::string_view text, size_t at, uint32_t* code) {
  auto byte = [&](size_t i) { return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u; };
  uint32_t lead = byte(0);
  *code = lead;
  if (lead < 0x80) return 1;
  int length = lead >= 0xF0 && lead <= 0xF4 ? 4 : lead >= 0xE0 && lead < 0xF0 ? 3 : lead >= 0xC2 && lead < 0xE0 ? 2 : 0;
  if (length == 0) return 0;
  uint32_t value = lead & (0x7Fu >> length);
  for (int i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    value = value << 6 | (byte(i) & 0x3F);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kLeast[length] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) return 0;
  *code = value;
  return length;
}

void append_utf8(std::string& out, uint32_t code) {
  auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    tail(6), tail(0);
  } else {
    out += static_cast<char>(0xF0 | (code >> 18));
    tail(12), tail(6), tail(0);
  }
}

bool string_prefix_length(std::string_view text, size_t at, size_t* length) {
  size_t n = 0;
  while (n < 3 && at + n < text.size() && std::string_view("rRbBfFuU").find(text[at + n]) != std::string_view::npos)
    ++n;
  if (n > 2 || at + n >= text.size() || (text[at + n] != '"' && text[at + n] != '\'')) return false;
  if (n == 2) {  // br, rb, fr, rf in any case
    char a = text[at] | 0x20, b = text[at + 1] | 0x20;
    if ((a == 'r') == (b == 'r') || a == 'u' || b == 'u') return false;
  }
  *length = n;
  return true;
}

std::vector<Token> lex(const SourceFile& file) { return lex(file, LexRegion{0, file.text.size(), 1, 0, false}); }

std::vector<Token> lex(const SourceFile& file, const LexRegion& region) { return Lexer(file, region).run(); }

}  // namespace tilescope
