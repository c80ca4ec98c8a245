#include "core/dsl/cpp_text.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "core/compile.h"

namespace tilescope::dsl {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80) != 0; }

bool is_identifier(std::string_view s) { return !s.empty() && is_word(s[0]) && !(s[0] >= '0' && s[0] <= '9'); }

bool opens(std::string_view s) { return s == "(" || s == "[" || s == "{"; }
bool closes(std::string_view s) { return s == ")" || s == "]" || s == "}"; }

/// Operators of several characters that must not be read as `=`, `<` ...
constexpr std::string_view kLong[] = {"<<=", ">>=", "<=>", "...", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=",
                                      "%=",  "&=",  "|=",  "^=",  "&&", "||", "::", "->", "++", "--", "<<"};

/// Length of the literal in quotes that starts at `at`.
size_t quoted_length(std::string_view text, size_t at) {
  const char quote = text[at];
  size_t end = at + 1;
  while (end < text.size() && text[end] != quote && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size()) - at;
}

/// Length of the raw string whose quote is at `at`.
size_t raw_length(std::string_view text, size_t at) {
  const size_t open = text.find('(', at);
  if (open == std::string_view::npos) return text.size() - at;
  const std::string close = ")" + std::string(text.substr(at + 1, open - at - 1)) + "\"";
  const size_t end = text.find(close, open);
  return (end == std::string_view::npos ? text.size() : end + close.size()) - at;
}

/// Length of the comment, preprocessor line or space at `at`; 0 when there is none.
size_t skipped_length(std::string_view text, size_t at, bool line_start) {
  if (std::isspace(static_cast<unsigned char>(text[at]))) return 1;
  size_t end = std::string_view::npos;
  if (text.substr(at, 2) == "//" || (text[at] == '#' && line_start)) {
    end = text.find('\n', at);
    while (end != std::string_view::npos && end > at && text[end - 1] == '\\') end = text.find('\n', end + 1);
  } else if (text.substr(at, 2) == "/*") {
    end = text.find("*/", at + 2);
    if (end != std::string_view::npos) end += 2;
  } else {
    return 0;
  }
  return (end == std::string_view::npos ? text.size() : end) - at;
}

size_t token_length(std::string_view text, size_t at) {
  if (text[at] == '"' || text[at] == '\'') return quoted_length(text, at);
  if (is_word(text[at])) {
    size_t end = at;
    const bool number = !is_identifier(text.substr(at, 1));
    while (end < text.size() && (is_word(text[end]) || (number && (text[end] == '.' || text[end] == '\'')))) ++end;
    const bool raw = end < text.size() && text[end] == '"' && text[end - 1] == 'R';
    return raw ? end - at + raw_length(text, end) : end - at;
  }
  for (std::string_view op : kLong)
    if (text.substr(at, op.size()) == op) return op.size();
  return 1;
}

/// The file as the compiler named it. A relative name counts from the folder where the compiler ran, which is often
/// that of the program or above it.
SourcePtr find_source(const std::string& path) {
  namespace fs = std::filesystem;
  if (Expected<SourcePtr> read = read_source(path)) return *read;
  std::error_code error;
  fs::path folder = fs::path(path).is_relative() ? fs::read_symlink("/proc/self/exe", error).parent_path() : fs::path();
  for (int up = 0; up < 4 && !error && folder.has_relative_path(); ++up, folder = folder.parent_path())
    if (Expected<SourcePtr> read = read_source((folder / path).lexically_normal().string())) return *read;
  auto empty = std::make_shared<SourceFile>();
  empty->path = path;
  return empty;
}

}  // namespace

CppText::CppText(const std::string& path) : file_(find_source(path)) { tokenize(); }

CppText::CppText(SourcePtr file) : file_(std::move(file)) { tokenize(); }

void CppText::tokenize() {
  const std::string_view text = file_->text;
  int line = 1;
  size_t line_begin = 0;
  bool line_start = true;
  for (size_t at = 0; at < text.size();) {
    const size_t skipped = skipped_length(text, at, line_start);
    const size_t length = skipped != 0 ? skipped : token_length(text, at);
    if (skipped == 0) {
      tokens_.push_back({text.substr(at, length), line, static_cast<int>(at - line_begin) + 1});
      line_start = false;
    }
    for (size_t i = at; i < at + length; ++i) {
      if (text[i] != '\n') continue;
      ++line;
      line_begin = i + 1;
      line_start = true;
    }
    at += length;
  }
}

SourceRange CppText::whole_line(int line) const {
  line = std::max(line, 1);
  return {file_, line, 1, line, static_cast<int>(file_->line(line).size()) + 1};
}

/// From the start of one token to the end of another, neither of them over several lines.
SourceRange CppText::span(int first, int last) const {
  const Token &a = tokens_[static_cast<size_t>(first)], &b = tokens_[static_cast<size_t>(last)];
  return {file_, a.line, a.column, b.line, b.column + static_cast<int>(b.text.size())};
}

SourceRange CppText::expression(int line, int column) const {
  const int at = token_at(line, column);
  if (at < 0 || tokens_[static_cast<size_t>(at)].line != line) return whole_line(line);
  const auto text = [&](int i) { return tokens_[static_cast<size_t>(i)].text; };
  int first = at, last = at;
  if (text(at) == "(") {
    // A call: its name in front, its arguments behind.
    while (first > 0 && tokens_[static_cast<size_t>(first) - 1].line == line &&
           (is_identifier(text(first - 1)) || text(first - 1) == "::"))
      --first;
    for (int i = at, depth = 0; i < static_cast<int>(tokens_.size()); ++i) {
      depth += opens(text(i)) ? 1 : closes(text(i)) ? -1 : 0;
      if (depth == 0) {
        last = i;
        break;
      }
    }
    return span(first, last);
  }
  // An operator: back to what the expression stands in, as far as this line goes.
  int depth = closes(text(at)) ? 1 : 0;
  while (first > 0 && tokens_[static_cast<size_t>(first) - 1].line == line) {
    const std::string_view t = text(first - 1);
    if (depth == 0 && (t == "=" || t == "," || t == ";" || t == ":" || t == "?" || t == "return" || opens(t))) break;
    if (depth == 0 && t == "}") break;
    if (depth == 0 && t.size() == 2 && t[1] == '=' && std::string_view("+-*/%&|^").find(t[0]) != std::string_view::npos)
      break;
    depth += closes(t) ? 1 : opens(t) ? -1 : 0;
    --first;
  }
  // A parenthesis that was opened on an earlier line is no start.
  return span(first, last);
}

int CppText::token_at(int line, int column) const {
  const auto after = std::partition_point(tokens_.begin(), tokens_.end(), [&](const Token& t) {
    return t.line < line || (t.line == line && t.column <= column);
  });
  return static_cast<int>(after - tokens_.begin()) - 1;
}

/// Walks back to the token after the `;`, `{` or `}` that ends what stands before. Braces of a lambda or an initialiser
/// that closed within the statement are skipped; so are the semicolons in the parentheses of a `for`.
int CppText::statement_start(int at) const {
  int closed = 0;
  for (int i = at; i >= 0; --i) {
    const std::string_view t = tokens_[static_cast<size_t>(i)].text;
    if (t == "}" && closed == 0) {
      // A brace that ends a block before the statement, unless the expression goes on behind it.
      const std::string_view next =
          static_cast<size_t>(i) + 1 < tokens_.size() ? tokens_[static_cast<size_t>(i) + 1].text : "";
      const bool goes_on =
          i != at && (closes(next) || next == "," || next == "." || next == ";" ||
                      (!is_word(next.empty() ? ' ' : next[0]) && next != "*" && next != "&" && next != "(" &&
                       next != "[" && next != "{" && next != "~" && next != "::" && next != "++" && next != "--"));
      if (i != at && !goes_on) return i + 1;
    }
    if (closes(t)) {
      ++closed;
    } else if (opens(t)) {
      if (closed > 0)
        --closed;
      else if (t == "{")
        return i + 1;
    } else if (t == ";" && closed == 0) {
      return i + 1;
    }
  }
  return 0;
}

SourceRange CppText::statement(int line, int column) const {
  const int at = token_at(line, column);
  if (at < 0 || tokens_[static_cast<size_t>(at)].line != line) return whole_line(line);
  const Token& first = tokens_[static_cast<size_t>(statement_start(at))];
  int depth = 0;
  size_t last = static_cast<size_t>(at);
  for (size_t i = static_cast<size_t>(statement_start(at)); i < tokens_.size(); ++i) {
    const std::string_view t = tokens_[i].text;
    if (t == "{" && depth == 0 && i > static_cast<size_t>(at)) break;  // the header of a compound statement
    if (opens(t)) ++depth;
    if (closes(t) && --depth < 0) break;
    last = i;
    if (t == ";" && depth == 0) break;
  }
  const Token& end = tokens_[std::max(last, static_cast<size_t>(at))];
  const int newlines = static_cast<int>(std::count(end.text.begin(), end.text.end(), '\n'));
  if (newlines != 0) return whole_line(line);
  return {file_, first.line, first.column, end.line, end.column + static_cast<int>(end.text.size())};
}

std::vector<std::string> CppText::targets(int line, int column) const {
  const int at = token_at(line, column);
  if (at < 0 || tokens_[static_cast<size_t>(at)].line != line) return {};
  const auto text = [&](int i) { return tokens_[static_cast<size_t>(i)].text; };
  int start = statement_start(at), depth = 0;
  const bool is_for = text(start) == "for" && start + 1 < at;
  if (is_for) start += 2;
  std::vector<std::string> names;
  bool plain = true;  ///< only words of a declaration so far
  for (int i = start; i <= at; ++i) {
    const std::string_view t = text(i);
    if (closes(t)) --depth;
    if (depth < 0) return {};
    const bool takes = t == "=" || (is_for && t == ":") || t == "+=" || t == "-=" || t == "*=" || t == "/=";
    if (depth == 0 && takes && i > start) {
      names.clear();
      if (!plain) return {};
      if (is_identifier(text(i - 1))) names = {std::string(text(i - 1))};
      for (int k = i - 2; text(i - 1) == "]" && k > start && text(k) != "["; --k)
        if (is_identifier(text(k))) names.insert(names.begin(), std::string(text(k)));
    } else if (depth == 0 && t == "," && !names.empty()) {
      plain = true;  // the next declarator
    } else if (depth == 0 && names.empty() && !is_identifier(t) && !closes(t) && !opens(t) && t != "::" && t != "&" &&
               t != "&&" && t != "<" && t != ">") {
      plain = false;
    }
    // A call's parenthesis belongs to the call, which is not deeper than its name.
    if (opens(t) && i != at) ++depth;
  }
  return depth == 0 ? names : std::vector<std::string>{};
}

}  // namespace tilescope::dsl
