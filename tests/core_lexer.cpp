#include "core/syntax/lexer.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

using namespace tilescope;

namespace {

SourcePtr source(std::string text) {
  auto file = std::make_shared<SourceFile>();
  file->path = "kernel.py";
  file->text = std::move(text);
  return file;
}

/// Token texts with blanks between; layout tokens as words in angle brackets.
std::string tokens(const std::string& text) {
  SourcePtr file = source(text);
  std::string out;
  for (const Token& t : lex(*file)) {
    if (!out.empty()) out += ' ';
    switch (t.kind) {
      case TokenKind::End:
        out += "<end>";
        break;
      case TokenKind::Newline:
        out += "<nl>";
        break;
      case TokenKind::Indent:
        out += "<in>";
        break;
      case TokenKind::Dedent:
        out += "<out>";
        break;
      case TokenKind::Error:
        out += "<error>";
        break;
      default:
        out += file->text.substr(t.begin, t.end - t.begin);
    }
  }
  return out;
}

std::string first_error(const std::string& text) {
  SourcePtr file = source(text);
  for (const Token& t : lex(*file)) {
    if (t.kind == TokenKind::Error) return lex_diagnostic(file, t).message;
  }
  return "";
}

}  // namespace

TEST_CASE("blocks become Indent and Dedent, blank and comment lines do not count") {
  CHECK(tokens("if a:\n    b\n\n      # deep comment\n    c\nd\n") ==
        "if a : <nl> <in> b <nl> c <nl> <out> d <nl> <end>");
  CHECK(tokens("if a:\n  if b:\n    c") == "if a : <nl> <in> if b : <nl> <in> c <nl> <out> <out> <end>");
  CHECK(tokens("") == "<end>");
  CHECK(tokens("\n\n# only a comment") == "<end>");
}

TEST_CASE("a tab goes to the next multiple of eight, mixing that depends on it is an error") {
  CHECK(tokens("if a:\n\tb\n\tc\n") == "if a : <nl> <in> b <nl> c <nl> <out> <end>");
  CHECK(first_error("if a:\n\tb\n        c\n") == "tabs and spaces are mixed in the indentation");
  CHECK(first_error("if a:\n    b\n  c\n") == "this line's indentation matches no block around it");
}

TEST_CASE("lines continue inside brackets and after a backslash") {
  CHECK(tokens("f(a,\n  b\n)\nc") == "f ( a , b ) <nl> c <nl> <end>");
  CHECK(tokens("a + \\\n  b\n") == "a + b <nl> <end>");
  CHECK(tokens("a + \\\r\n  b\r\n") == "a + b <nl> <end>");
  CHECK(first_error("a \\ b") == "a backslash continues a line only when nothing follows it");
}

TEST_CASE("an open bracket ends where the next function of the file begins") {
  CHECK(tokens("f(a\n@jit\ndef g(): pass\n") == "f ( a <nl> @ jit <nl> def g ( ) : pass <nl> <end>");
  CHECK(tokens("f(a\n  def g\n)") == "f ( a def g ) <nl> <end>");
}

TEST_CASE("operators are the longest that fit") {
  CHECK(tokens("a//=b**c<<=d->e:=f...g!=h@=i") == "a //= b ** c <<= d -> e := f ... g != h @= i <nl> <end>");
  CHECK(tokens("a<=b>=c==d>>e&f|g^~h") == "a <= b >= c == d >> e & f | g ^ ~ h <nl> <end>");
}

TEST_CASE("numbers in every radix, with underscores, points and exponents") {
  CHECK(tokens("0x_Ff 0o17 0b1_0 1_000 00 1. .5 1.e5 2E-3 1e+9 3j") ==
        "0x_Ff 0o17 0b1_0 1_000 00 1. .5 1.e5 2E-3 1e+9 3j <nl> <end>");
  CHECK(tokens("1if x else 2") == "1 if x else 2 <nl> <end>");
  CHECK(tokens("x[1:2]") == "x [ 1 : 2 ] <nl> <end>");
  for (const char* bad : {"0x", "0b2", "1__0", "1_", "12abc", "0o8", "1e5x", "0x1g"}) {
    CAPTURE(bad);
    CHECK(first_error(bad) == "`" + std::string(bad) + "` is not a number");
  }
  CHECK(first_error("012") == "a decimal number cannot start with 0");
}

TEST_CASE("strings with all prefixes and both kinds of quotes") {
  CHECK(tokens("'a' \"b\" r'\\n' rb'c' Rb'd' bR'e' f'{x}' u'g' '''a\n'b'\n''' \"\"\"q\"\"\"") ==
        "'a' \"b\" r'\\n' rb'c' Rb'd' bR'e' f'{x}' u'g' '''a\n'b'\n''' \"\"\"q\"\"\" <nl> <end>");
  CHECK(tokens("'a\\'b'") == "'a\\'b' <nl> <end>");
  CHECK(tokens("'a\\\nb'") == "'a\\\nb' <nl> <end>");
  CHECK(tokens("bu'x'") == "bu 'x' <nl> <end>");
  CHECK(first_error("x = 'abc\ny") == "this string has no closing quote on its line");
  CHECK(first_error("'''abc\ny") == "this triple-quoted string is never closed");
}

TEST_CASE("CRLF, a byte order mark and names outside ASCII") {
  CHECK(tokens("\xEF\xBB\xBFif a:\r\n    b\r\n") == "if a : <nl> <in> b <nl> <out> <end>");
  CHECK(tokens("größe = 块") == "größe = 块 <nl> <end>");
}

TEST_CASE("bytes that no Python text has are named") {
  CHECK(first_error(std::string("a\0b", 3)) == "NUL byte in the text: is this a kernel file?");
  CHECK(first_error("a = \xFF") == "byte 0xff is not valid UTF-8");
  CHECK(first_error("a = '\xFF'") == "this string is not valid UTF-8");
  CHECK(first_error("a = \x01") == "control character 0x01 in the text");
  CHECK(first_error("a = $") == "`$` is no part of Python");
  CHECK(first_error("f（a)") == "`（` is not Python's `(`");
  CHECK(first_error("a\xC2\xA0= 1") == "this blank is not the plain space character");
}

TEST_CASE("brackets know their partners, and a wrong closer pairs with none") {
  std::vector<Token> t = lex(*source("f(a[0])"));
  CHECK(t[1].mate == 6);
  CHECK(t[6].mate == 1);
  CHECK(t[3].mate == 5);
  t = lex(*source("(a]"));
  CHECK(t[0].mate == -1);
  CHECK(t[2].mate == -1);
  t = lex(*source("(a[b)"));
  CHECK(t[0].mate == 4);
  CHECK(t[2].mate == -1);
}

TEST_CASE("positions count lines and bytes from one") {
  std::vector<Token> t = lex(*source("a = 1\n  \xC3\xA9 '''x\ny'''\n"));
  CHECK(t[2].line == 1);
  CHECK(t[2].column == 5);
  REQUIRE(t[4].kind == TokenKind::Indent);
  CHECK(t[5].column == 3);
  CHECK(t[5].end_column == 5);
  CHECK(t[6].line == 2);
  CHECK(t[6].column == 6);
  CHECK(t[6].end_line == 3);
  CHECK(t[6].end_column == 5);
}
