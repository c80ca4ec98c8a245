// The text of a C++ file, as far as places and names of variables in it are needed: where the statement around a place
// begins and ends, and which variables it declares or assigns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.h"

namespace tilescope::dsl {

class CppText {
 public:
  /// Reads the file; when that fails, the text is empty and places in it are lines alone.
  explicit CppText(const std::string& path);
  explicit CppText(SourcePtr file);

  const SourcePtr& file() const { return file_; }
  /// The expression whose place the compiler gives as its operator, its last token, or the parenthesis of its call;
  /// what of it stands on that line or after. The whole line when the text does not tell.
  SourceRange expression(int line, int column) const;
  /// The statement that contains the place, from its first token to its last; the line when there is none.
  SourceRange statement(int line, int column) const;
  /// The variables that take the value computed at this place: one for `auto x = ...` and `x = ...`, the loop variable
  /// of a range-based for, several for `auto [a, b] = ...`. Empty when the place is only a part of the value, as within
  /// the parentheses of a call.
  std::vector<std::string> targets(int line, int column) const;

 private:
  struct Token {
    std::string_view text;
    int line, column;
  };
  void tokenize();
  /// The last token that begins at the place or before; -1 when there is none.
  int token_at(int line, int column) const;
  int statement_start(int at) const;
  SourceRange whole_line(int line) const;
  SourceRange span(int first, int last) const;

  SourcePtr file_;
  std::vector<Token> tokens_;
};

}  // namespace tilescope::dsl
