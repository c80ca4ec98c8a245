#include "visualizer/model/highlight.h"

#include <algorithm>
#include <array>

#include "core/syntax/lexer.h"
#include "visualizer/model/text_document.h"

namespace tilescope::model {
namespace {

constexpr size_t kLongest = 64 * 1024;

bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

template <size_t N>
bool one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Where the triple-quoted string that is open at byte `at` ends (behind its quotes), or npos.
size_t end_of_string(std::string_view line, size_t at, char quote) {
  for (; at < line.size(); ++at) {
    if (line[at] == '\\') ++at;
    else if (line[at] == quote && line.substr(at, 3) == std::string(3, quote)) return at + 3;
  }
  return std::string_view::npos;
}

/// The tokens of one line on its own; the text before `begin` belongs to a string from above.
struct LineTokens {
  SourceFile file;
  std::vector<Token> tokens;
  std::string_view text(const Token& t) const { return std::string_view(file.text).substr(t.begin, t.end - t.begin); }
};
LineTokens tokens_of(std::string_view line, size_t begin) {
  LineTokens out{{"", std::string(line)}, {}};
  out.tokens = lex(out.file, LexRegion{begin, out.file.text.size(), 1, 0, true});
  out.tokens.pop_back();  // End
  return out;
}

/// A name and what is reached from it by dots: tokens [first, last]. False when token `first` starts none.
bool dotted_name(const LineTokens& line, size_t first, size_t* last) {
  const auto& tokens = line.tokens;
  if (tokens[first].kind != TokenKind::Name) return false;
  *last = first;
  while (*last + 2 < tokens.size() && line.text(tokens[*last + 1]) == "." && tokens[*last + 2].kind == TokenKind::Name) *last += 2;
  return true;
}

/// Adds `NAME` of every `NAME: tl.constexpr` and `NAME = tl.constexpr(...)` to names.
void find_constexprs(std::string_view line, std::set<std::string, std::less<>>& names) {
  const LineTokens t = tokens_of(line, 0);
  for (size_t i = 0; i + 2 < t.tokens.size(); ++i) {
    size_t last = 0;
    const std::string_view between = t.text(t.tokens[i + 1]);
    if (t.tokens[i].kind != TokenKind::Name || (between != ":" && between != "=") || !dotted_name(t, i + 2, &last)) continue;
    if (t.text(t.tokens[last]) == "constexpr") names.emplace(t.text(t.tokens[i]));
  }
}

/// `import triton.language as X`, `from triton import language as X`.
void find_modules(std::string_view line, std::set<std::string, std::less<>>& names) {
  const LineTokens t = tokens_of(line, 0);
  if (t.tokens.size() < 4 || line.find("triton") == std::string_view::npos) return;
  for (size_t i = 1; i + 2 < t.tokens.size(); ++i) {
    if (t.text(t.tokens[i + 1]) == "as" && t.tokens[i + 2].kind == TokenKind::Name) names.emplace(t.text(t.tokens[i + 2]));
  }
}

}  // namespace

TextRole role_of_function(std::string_view name) {
  static constexpr std::array<std::string_view, 4> kLoads = {"load", "load_tensor_descriptor", "gather_rows", "async_copy"};
  static constexpr std::array<std::string_view, 2> kStores = {"store", "store_tensor_descriptor"};
  static constexpr std::array<std::string_view, 2> kDots = {"dot", "dot_scaled"};
  static constexpr std::array<std::string_view, 15> kReductions = {"sum",    "max",     "min",     "argmax",           "argmin", "xor_sum", "reduce_or", "reduce",
                                                                   "cumsum", "cumprod", "softmax", "associative_scan", "sort",   "topk",    "histogram"};
  if (one_of(name, kLoads)) return TextRole::Load;
  if (one_of(name, kStores) || name.starts_with("atomic_")) return TextRole::Store;
  if (one_of(name, kDots)) return TextRole::Dot;
  if (one_of(name, kReductions)) return TextRole::Reduce;
  return TextRole::Name;
}

LineStart after_line(std::string_view line, LineStart start) {
  size_t at = 0;
  if (start.quote != 0) {
    at = end_of_string(line, 0, start.quote);
    if (at == std::string_view::npos) return start;
  }
  while ((at = line.find_first_of("\"'#", at)) != std::string_view::npos) {
    const char c = line[at];
    if (c == '#') return {};
    if (line.substr(at, 3) == std::string(3, c)) {
      at = end_of_string(line, at + 3, c);
      if (at == std::string_view::npos) return {c};
      continue;
    }
    for (++at; at < line.size() && line[at] != c; ++at) {
      if (line[at] == '\\') ++at;
    }
    if (at >= line.size()) return {};
    ++at;
  }
  return {};
}

KnownNames known_names(const TextDocument& document) {
  KnownNames names;
  names.modules = {"tl", "triton", "libdevice"};
  for (size_t n = 0; n < document.lines(); ++n) {
    const std::string_view line = document.line(n);
    if (line.size() > kLongest) continue;
    if (line.starts_with("import") || line.starts_with("from")) find_modules(line, names.modules);
    if (line.find("constexpr") != std::string_view::npos) find_constexprs(line, names.constexprs);
  }
  return names;
}

std::vector<TextSpan> highlight_line(std::string_view line, LineStart start, const KnownNames& names) {
  std::vector<TextSpan> spans;
  const auto size = static_cast<uint32_t>(line.size());
  if (line.empty()) return spans;
  if (line.size() > kLongest) return {{0, size, TextRole::Name}};
  if (names.cpp) return highlight_cpp_line(line, names);
  size_t begin = 0;
  if (start.quote != 0) {
    begin = std::min(end_of_string(line, 0, start.quote), line.size());
    spans.push_back({0, static_cast<uint32_t>(begin), TextRole::String});
  }
  const LineTokens t = tokens_of(line, begin);
  for (size_t i = 0; i < t.tokens.size(); ++i) {
    const Token& token = t.tokens[i];
    TextSpan span{token.begin, token.end, TextRole::Word};
    size_t last = i;
    switch (token.kind) {
      case TokenKind::Int: case TokenKind::Float: case TokenKind::Imaginary: span.role = TextRole::Name; break;
      case TokenKind::String: span.role = TextRole::String; break;
      case TokenKind::Error: {
        const bool open = token.error == LexError::UnterminatedTripleString;
        span.role = open ? TextRole::String : TextRole::Broken;
        break;
      }
      case TokenKind::Name: {
        const bool attribute = i > 0 && t.text(t.tokens[i - 1]) == ".";
        const bool decorator = i > 0 && t.text(t.tokens[i - 1]) == "@";
        dotted_name(t, i, &last);
        const bool library = names.modules.contains(t.text(token));
        if (decorator || (library && last > i)) {
          const TextRole role = decorator ? TextRole::Name : role_of_function(t.text(t.tokens[last]));
          span.end = t.tokens[last].end;
          span.role = role == TextRole::Name ? TextRole::Word : role;
        } else {
          last = i;
          const bool called = i + 1 < t.tokens.size() && t.text(t.tokens[i + 1]) == "(";
          if (attribute) span.role = called ? role_of_function(t.text(token)) : TextRole::Name;
          else span.role = library ? TextRole::Word : names.constexprs.contains(t.text(token)) ? TextRole::Constexpr : TextRole::Name;
          if (attribute && span.role == TextRole::Name) span.role = TextRole::Word;
        }
        break;
      }
      default: break;
    }
    spans.push_back(span);
    i = last;
  }
  const size_t code_end = spans.empty() ? begin : spans.back().end;
  const size_t comment = line.find('#', code_end);
  if (comment != std::string_view::npos) spans.push_back({static_cast<uint32_t>(comment), size, TextRole::Comment});
  return spans;
}

size_t comment_start(std::string_view line, LineStart start) {
  if (line.size() > kLongest || line.find('#') == std::string_view::npos) return std::string_view::npos;
  const std::vector<TextSpan> spans = highlight_line(line, start, {});
  return !spans.empty() && spans.back().role == TextRole::Comment ? spans.back().begin : std::string_view::npos;
}

std::string_view name_at(std::string_view line, LineStart start, size_t column) {
  if (column >= line.size() || line.size() > kLongest || !is_word_char(line[column])) return {};
  size_t begin = 0;
  if (start.quote != 0) begin = std::min(end_of_string(line, 0, start.quote), line.size());
  const LineTokens t = tokens_of(line, begin);
  for (size_t i = 0; i < t.tokens.size(); ++i) {
    const Token& token = t.tokens[i];
    if (column < token.begin || column >= token.end) continue;
    if (token.kind != TokenKind::Name || (i > 0 && t.text(t.tokens[i - 1]) == ".")) return {};
    return line.substr(token.begin, token.end - token.begin);
  }
  return {};
}

}  // namespace tilescope::model
