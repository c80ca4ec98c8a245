#include "visualizer/model/statements_cpp.h"

#include <algorithm>
#include <cctype>

namespace tilescope::model {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The identifier that ends before `end`, blanks aside; empty when something else stands there.
std::string_view word_before(std::string_view text, size_t end) {
  while (end > 0 && text[end - 1] == ' ') --end;
  size_t begin = end;
  while (begin > 0 && is_word(text[begin - 1])) --begin;
  const std::string_view word = text.substr(begin, end - begin);
  return word.empty() || std::isdigit(static_cast<unsigned char>(word[0])) != 0 ? std::string_view() : word;
}

/// Place of an assignment's `=` outside brackets, or npos; `+=` and the like count, `==` does not.
size_t assignment(std::string_view text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      i = std::min(text.find('"', i + 1), text.size());
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      --depth;
    } else if (c == '=' && depth == 0) {
      const bool compares = (i + 1 < text.size() && text[i + 1] == '=') || (i > 0 && (text[i - 1] == '!' || text[i - 1] == '='));
      const bool ordered = i > 0 && (text[i - 1] == '<' || text[i - 1] == '>') && !(i > 1 && text[i - 2] == text[i - 1]);
      if (!compares && !ordered) return i;
      if (compares && i + 1 < text.size() && text[i + 1] == '=') ++i;
    }
  }
  return std::string_view::npos;
}

}  // namespace

void describe_cpp(std::string_view line, Statement& s) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t}"), line.size()));
  line = line.substr(0, line.find("//"));
  if (line.starts_with("for (") || line.starts_with("for(")) {
    const size_t colon = line.find(" : ");
    if (colon == std::string_view::npos) return;
    s.kind = Statement::Kind::For;
    s.name = word_before(line, colon);
    return;
  }
  const size_t call = line.find('(');
  const std::string_view called = call == std::string_view::npos ? std::string_view() : word_before(line, call);
  if (called == "if_" || called == "while_") {
    s.kind = called == "if_" ? Statement::Kind::If : Statement::Kind::While;
    s.name = called.substr(0, called.size() - 1);
    return;
  }
  if (size_t at = assignment(line); at != std::string_view::npos) {
    while (at > 0 && std::string_view("+-*/%&|^<>").find(line[at - 1]) != std::string_view::npos) --at;
    const std::string_view name = word_before(line, at);
    if (name.empty()) return;
    s.kind = Statement::Kind::Assign;
    s.name = name;
    s.one_name = true;
  } else if (!called.empty()) {
    s.kind = Statement::Kind::Call;
    s.name = called;
  }
}

}  // namespace tilescope::model
