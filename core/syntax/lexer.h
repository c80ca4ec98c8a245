// Python text to tokens. Logical lines end in Newline, blocks are wrapped in Indent and Dedent (always balanced), and
// whatever is no token of Python becomes a token of kind Error: only the parser knows whether anybody needs that text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.h"

namespace tilescope {

enum class TokenKind : uint8_t {
  End,
  Newline,
  Indent,
  Dedent,
  Name,
  Keyword,
  Int,
  Float,
  Imaginary,
  String,
  Op,
  Error,
};

enum class LexError : int32_t {
  None,
  UnterminatedString,
  UnterminatedTripleString,
  BadCharacter,
  LookalikeCharacter,
  NulByte,
  BadUtf8,
  AfterBackslash,
  LeadingZero,
  BadNumber,
  BadDedent,
  MixedTabs,
};

/// Offsets count bytes of the file, lines and columns count from 1.
struct Token {
  TokenKind kind = TokenKind::End;
  bool first_on_line = false;  ///< nothing but blanks stands before it on its line
  uint32_t begin = 0, end = 0;
  int32_t line = 1, column = 1, end_line = 1, end_column = 1;
  int32_t mate = -1;  ///< a bracket's partner as a token index, -1 when it has none
  LexError error = LexError::None;
};

/// A part of a file to read. The whole file starts at line 1; a replacement field of an f-string is read as if inside
/// brackets: without Newline, Indent and Dedent.
struct LexRegion {
  size_t begin = 0, end = 0;
  int line = 1;
  size_t line_start = 0;  ///< offset of the first byte of that line
  bool inside_brackets = false;
};

/// Never fails; the last token is End. A bracket that is open when a line starts with `def`, `class` or `@` in column 1
/// ends there without a partner, so that a missing bracket does not hide the rest of the file.
std::vector<Token> lex(const SourceFile& file);
std::vector<Token> lex(const SourceFile& file, const LexRegion& region);

/// The message for a token of kind Error.
Diagnostic lex_diagnostic(const SourcePtr& file, const Token& token);

/// Length of the UTF-8 sequence at `at`, 0 when it is not valid; the code point goes to `code`.
int utf8_sequence(std::string_view text, size_t at, uint32_t* code);
void append_utf8(std::string& out, uint32_t code);

/// The text of Python that a similar-looking character stands for (a full-width bracket, a typographic quote), or null.
const char* lookalike_ascii(uint32_t code);

/// Whether a string literal starts here; `length` gets the count of its prefix letters, such as 2 for rb"...".
bool string_prefix_length(std::string_view text, size_t at, size_t* length);

}  // namespace tilescope
