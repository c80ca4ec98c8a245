#include "core/host_changes.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace tilescope::host {
namespace {

constexpr size_t kMaxStatement = 2000;  ///< bytes of a statement that are looked at

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (c & 0x80) != 0; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string_view without_blanks(std::string_view s) {
  const size_t first = s.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view{} : s.substr(first);
}

/// The place of the next whole word `name` from `at` on.
size_t next_word(std::string_view text, const std::string& name, size_t at) {
  for (at = text.find(name, at); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const bool begins = at == 0 || (!in_word(text[at - 1]) && text[at - 1] != '.');
    if (begins && (at + name.size() == text.size() || !in_word(text[at + name.size()]))) return at;
  }
  return at;
}

std::string_view first_word(std::string_view line) {
  line = without_blanks(line);
  size_t n = 0;
  while (n < line.size() && in_word(line[n])) ++n;
  return line.substr(0, n);
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) { return std::find(words.begin(), words.end(), word) != words.end(); }

/// `=` or `+=`, not `==`.
bool assigns(std::string_view rest) {
  rest = without_blanks(rest);
  size_t n = 0;
  while (n < rest.size() && n < 3 && std::string_view("+-*/%&|^@<>").find(rest[n]) != std::string_view::npos) ++n;
  return n < rest.size() && rest[n] == '=' && (n + 1 == rest.size() || rest[n + 1] != '=') && !(n == 1 && (rest[0] == '<' || rest[0] == '>'));
}

/// What stands behind the name at the beginning of a statement.
bool changes_by(std::string_view rest) {
  rest = without_blanks(rest);
  while (!rest.empty() && (rest[0] == '[' || rest[0] == '.')) {
    size_t n = 1;
    rest = rest.substr(0, std::min(rest.size(), kMaxStatement));
    if (rest[0] == '.') {
      while (n < rest.size() && in_word(rest[n])) ++n;
      if (n < rest.size() && rest[n] == '(') return true;
    } else {
      int depth = 1;
      for (; n < rest.size() && depth > 0; ++n) depth += (rest[n] == '[') - (rest[n] == ']');
      if (depth > 0) return true;
    }
    rest = without_blanks(rest.substr(n));
    if (assigns(rest)) return true;
  }
  return false;
}

}  // namespace

namespace {

bool line_changes(std::string_view line, const std::string& name) {
  size_t at = next_word(line, name, 0);
  if (at == std::string_view::npos) return false;
  const std::string_view word = first_word(line);
  if (word == "del" || word == "global") return true;
  const bool header = is_one_of(word, {"if", "elif", "else", "for", "while", "with", "try", "except", "finally", "def"});
  for (; at != std::string_view::npos; at = next_word(line, name, at + 1)) {
    const std::string_view rest = line.substr(at + name.size());
    if (without_blanks(rest).starts_with(":=")) return true;
    size_t end = at;
    while (end > 0 && is_blank(line[end - 1])) --end;
    const bool begins = end == 0 || line[end - 1] == ';' || (header && line[end - 1] == ':');
    if (begins && changes_by(rest)) return true;
  }
  return false;
}

/// Whether the line at the file's level begins with a call that may change what it is given.
bool begins_call(std::string_view line) {
  size_t n = 0;
  while (n < line.size() && (in_word(line[n]) || line[n] == '.')) ++n;
  const std::string_view callee = line.substr(0, n);
  const bool harmless = callee.empty() || callee.starts_with("logg") || callee.starts_with("warnings.") ||
                        is_one_of(callee, {"print", "if", "elif", "for", "while", "with", "assert", "return", "def", "class", "except", "del"});
  return !harmless && without_blanks(line.substr(n)).starts_with("(");
}

}  // namespace

bool changes_name(const std::string& text, const std::string& name) {
  for (std::string_view rest = text; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    if (line_changes(rest.substr(0, end), name)) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

int line_that_changes(const std::string& text, const std::string& name, int after) {
  bool inside = false;  // of a function or class
  int number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    ++number;
    if (!line.empty() && std::string_view(" \t)]}#\r").find(line[0]) == std::string_view::npos)
      inside = is_one_of(first_word(line), {"def", "class", "async"});
    if (!inside && number > after && line_changes(line, name)) return number;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return 0;
}

bool hands_name_on(const std::string& text, const std::string& name) {
  bool in_call = false;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    if (!line.empty() && std::string_view(" \t)]}#\r").find(line[0]) == std::string_view::npos) in_call = begins_call(line);
    if (in_call && next_word(line, name, 0) != std::string_view::npos) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

}  // namespace tilescope::host
