// What to tell the user about text that is no token.
#include <string>

#include "core/syntax/lexer.h"

namespace tilescope {
namespace {

/// Characters that look like Python's but are not, as a Chinese keyboard or a word processor makes them.
struct Lookalike {
  uint32_t code;
  const char* ascii;
};
constexpr Lookalike kLookalikes[] = {
    {0xFF08, "("},  {0xFF09, ")"}, {0xFF0C, ","},  {0x3001, ","},   {0xFF1A, ":"},  {0xFF1B, ";"},   {0xFF1D, "="},
    {0xFF0B, "+"},  {0xFF0D, "-"}, {0x2212, "-"},  {0x2013, "-"},   {0x2014, "-"},  {0x00D7, "*"},   {0xFF0A, "*"},
    {0x00F7, "/"},  {0xFF0F, "/"}, {0x2264, "<="}, {0x2265, ">="},  {0x2260, "!="}, {0xFF1C, "<"},   {0xFF1E, ">"},
    {0x3010, "["},  {0x3011, "]"}, {0xFF3B, "["},  {0xFF3D, "]"},   {0xFF5B, "{"},  {0xFF5D, "}"},   {0x201C, "\""},
    {0x201D, "\""}, {0x2018, "'"}, {0x2019, "'"},  {0x3002, "."},   {0xFF0E, "."},  {0xFF01, "not"}, {0x00A0, " "},
    {0x3000, " "},  {0x200B, ""},  {0xFEFF, ""},   {0x2026, "..."}, {0xFF05, "%"},  {0xFF06, "&"},   {0xFF5C, "|"},
};

std::string hex_byte(unsigned char c) {
  constexpr char digits[] = "0123456789abcdef";
  return {'0', 'x', digits[c >> 4], digits[c & 15]};
}

}  // namespace

const char* lookalike_ascii(uint32_t code) {
  if (code < 0x80) return nullptr;
  for (const Lookalike& l : kLookalikes) {
    if (l.code == code) return l.ascii;
  }
  return nullptr;
}

Diagnostic lex_diagnostic(const SourcePtr& file, const Token& t) {
  Diagnostic d;
  d.range = {file, t.line, t.column, t.end_line, t.end_column};
  std::string_view text = std::string_view(file->text).substr(t.begin, t.end - t.begin);
  switch (t.error) {
    case LexError::None:
      d.message = "unexpected text";
      break;
    case LexError::UnterminatedString:
      d.message = "this string has no closing quote on its line";
      d.hint = "close it before the line ends, or use triple quotes for text of several lines";
      break;
    case LexError::UnterminatedTripleString:
      d.message = "this triple-quoted string is never closed";
      d.hint = "the file ends inside it: add the closing triple quotes";
      break;
    case LexError::BadCharacter:
      d.message = static_cast<unsigned char>(text[0]) < 0x20 ? "control character " + hex_byte(text[0]) + " in the text"
                                                             : "`" + std::string(text) + "` is no part of Python";
      break;
    case LexError::LookalikeCharacter: {
      uint32_t code = 0;
      utf8_sequence(text, 0, &code);
      const char* known = lookalike_ascii(code);
      std::string ascii(known != nullptr ? known : "");
      d.message = ascii == " "    ? "this blank is not the plain space character"
                  : ascii.empty() ? "invisible character in the text"
                                  : "`" + std::string(text) + "` is not Python's `" + ascii + "`";
      d.hint = ascii == " " ? "replace it with a space" : ascii.empty() ? "delete it" : "write `" + ascii + "`";
      break;
    }
    case LexError::NulByte:
      d.message = "NUL byte in the text: is this a kernel file?";
      break;
    case LexError::BadUtf8:
      d.message =
          text.size() == 1 ? "byte " + hex_byte(text[0]) + " is not valid UTF-8" : "this string is not valid UTF-8";
      d.hint = "save the file as UTF-8";
      break;
    case LexError::AfterBackslash:
      d.message = "a backslash continues a line only when nothing follows it";
      d.hint = "delete what follows the backslash (also blanks), or delete the backslash";
      break;
    case LexError::LeadingZero:
      d.message = "a decimal number cannot start with 0";
      d.hint = "write 0o for an octal number, or drop the zeros";
      break;
    case LexError::BadNumber:
      d.message = "`" + std::string(text.substr(0, 40)) + "` is not a number";
      d.hint = "numbers look like 12, 1_000, 0xff, 0b101, 1.5, 2e-3; names cannot start with a digit";
      break;
    case LexError::BadDedent:
      d.message = "this line's indentation matches no block around it";
      d.hint = "start it exactly under a line of the block that it belongs to";
      break;
    case LexError::MixedTabs:
      d.message = "tabs and spaces are mixed in the indentation";
      d.hint = "indent with spaces only";
      break;
  }
  return d;
}

}  // namespace tilescope
