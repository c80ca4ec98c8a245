// Colours of C++ that builds a kernel: words, strings, comments, and the library's functions that touch memory.
#include <algorithm>
#include <array>
#include <cctype>

#include "visualizer/model/highlight.h"

namespace tilescope::model {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || static_cast<unsigned char>(c) >= 0x80; }

bool is_keyword(std::string_view word) {
  static constexpr std::array<std::string_view, 30> kWords = {
      "auto",   "bool",   "break",   "case",   "char",    "class", "const",  "constexpr", "continue", "double",
      "else",   "false",  "float",   "for",    "if",      "int",   "long",   "namespace", "return",   "short",
      "static", "struct", "template", "true",  "typename", "using", "void",  "while",     "unsigned", "int64_t"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

/// Behind the string or character that starts at `at`.
size_t end_of_quote(std::string_view line, size_t at) {
  const char quote = line[at];
  for (++at; at < line.size() && line[at] != quote; ++at)
    if (line[at] == '\\') ++at;
  return std::min(at + 1, line.size());
}

}  // namespace

std::vector<TextSpan> highlight_cpp_line(std::string_view line, const KnownNames& names) {
  std::vector<TextSpan> spans;
  const auto add = [&](size_t begin, size_t end, TextRole role) {
    spans.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end), role});
  };
  for (size_t at = 0; at < line.size();) {
    const char c = line[at];
    size_t end = at + 1;
    if (c == ' ' || c == '\t') {
      at = end;
      continue;
    }
    if (line.substr(at, 2) == "//") {
      add(at, line.size(), TextRole::Comment);
      break;
    }
    if (c == '"' || c == '\'') {
      end = end_of_quote(line, at);
      add(at, end, TextRole::String);
    } else if (is_word(c)) {
      while (end < line.size() && is_word(line[end])) ++end;
      const std::string_view word = line.substr(at, end - at);
      const bool called = end < line.size() && line[end] == '(';
      const TextRole role = called ? role_of_function(word) : TextRole::Name;
      add(at, end, role != TextRole::Name ? role : is_keyword(word) ? TextRole::Word : names.constexprs.contains(word) ? TextRole::Constexpr : TextRole::Name);
    } else {
      add(at, end, TextRole::Word);
    }
    at = end;
  }
  return spans;
}

}  // namespace tilescope::model
