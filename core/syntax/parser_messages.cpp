// What to say when a token does not fit: what was expected, what was found, and the mistake that is likely behind it.
#include "core/syntax/parser_state.h"

namespace tilescope {
namespace {

/// At most 40 bytes, not cut inside a character.
std::string shortened(std::string_view text) {
  constexpr size_t kMost = 40;
  if (text.size() <= kMost) return std::string(text);
  size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "...";
}

bool is_closer(std::string_view t) { return t == ")" || t == "]" || t == "}"; }

constexpr std::string_view kCompareHint = "`=` assigns; write `==` to compare";
constexpr std::string_view kNotHint = "write `not x` for a scalar, or `~x` for a tile of booleans";
constexpr std::string_view kTernaryHint = "Python has no `?:`; write `a if test else b`";
constexpr std::string_view kBraceHint =
    "Python has no braces around blocks: end the line with `:` and indent the block";

}  // namespace

void Parser::fail(const SourceRange& range, std::string message, std::string hint) const {
  Diagnostic d;
  d.range = range;
  d.message = std::move(message);
  d.hint = std::move(hint);
  throw SyntaxError{std::move(d)};
}

void Parser::fail_nesting() const {
  fail(range_of(now()), "this expression is nested too deeply (more than " + std::to_string(kMaxExprDepth) + " levels)",
       "compute parts of it in statements of their own");
}

void Parser::refuse_error_token() const {
  if (!at_kind(TokenKind::Error)) return;
  LexError e = now().error;
  bool fatal = e == LexError::BadDedent || e == LexError::MixedTabs || e == LexError::UnterminatedTripleString;
  throw SyntaxError{lex_diagnostic(source_, now()), fatal};
}

std::string Parser::describe(const Token& t) const {
  switch (t.kind) {
    case TokenKind::End:
      return "the end of the text";
    case TokenKind::Newline:
      return "the end of the line";
    case TokenKind::Indent:
      return "an indented line";
    case TokenKind::Dedent:
      return "the end of the block";
    case TokenKind::String:
      return "a string";
    case TokenKind::Keyword:
      return "the keyword `" + std::string(text(t)) + "`";
    default:
      return "`" + shortened(text(t)) + "`";
  }
}

/// The innermost bracket of this statement that has no partner and stands before the current token; SIZE_MAX if none.
size_t Parser::unclosed_bracket() const {
  for (size_t i = at_; i-- > 0;) {
    const Token& t = tokens_[i];
    if (t.kind == TokenKind::Newline || t.kind == TokenKind::Indent || t.kind == TokenKind::Dedent) break;
    if (t.kind == TokenKind::Op && t.mate < 0 && (is(t, "(") || is(t, "[") || is(t, "{"))) return i;
  }
  return SIZE_MAX;
}

/// At the end of a line or at the start of a new one inside an open bracket, the bracket is the mistake.
void Parser::blame_unclosed_bracket() const {
  bool line_ended = at_kind(TokenKind::Newline) || at_kind(TokenKind::End) || now().first_on_line;
  size_t opener = line_ended ? unclosed_bracket() : SIZE_MAX;
  if (opener == SIZE_MAX) return;
  const Token& t = tokens_[opener];
  std::string closer = is(t, "(") ? ")" : is(t, "[") ? "]" : "}";
  fail(range_of(t), "this `" + std::string(text(t)) + "` is never closed", "add the missing `" + closer + "`");
}

void Parser::fail_here(std::string_view expected) const {
  refuse_error_token();
  blame_unclosed_bracket();
  std::string hint;
  if (at("?")) hint = kTernaryHint;
  if (at("{")) hint = kBraceHint;
  fail(range_of(now()), "expected " + std::string(expected) + ", found " + describe(now()), hint);
}

void Parser::fail_operand() const {
  refuse_error_token();
  blame_unclosed_bracket();
  const Token& t = now();
  bool touches = at_ > 0 && before().end == t.begin && before().kind == TokenKind::Op;
  std::string_view last = touches ? text(before()) : std::string_view();
  SourceRange both = at_ > 0 ? range_from(at_ - 1) : range_of(t);
  both.end_line = t.end_line;
  both.end_column = t.end_column;
  if (at("!")) fail(range_of(t), "Python has no operator `!`", std::string(kNotHint));
  if (at("?")) fail(range_of(t), "Python has no operator `?`", std::string(kTernaryHint));
  if (at("&") && last == "&")
    fail(both, "Python has no operator `&&`", "write `and` between scalars, or `&` between tiles of booleans");
  if (at("|") && last == "|")
    fail(both, "Python has no operator `||`", "write `or` between scalars, or `|` between tiles of booleans");
  if (at("=") && (last == "==" || last == "!="))
    fail(both, "Python has no operator `" + std::string(last) + "=`", "write `" + std::string(last) + "`");
  if ((at(">") || at("<")) && last == "=")
    fail(both, "Python has no operator `=" + std::string(text(t)) + "`", "write `" + std::string(text(t)) + "=`");
  if (at(">") && last == "<") fail(both, "Python has no operator `<>`", "write `!=`");
  if ((last == "+" || last == "-") && at_ > 1 && tokens_[at_ - 2].end == before().begin &&
      text(tokens_[at_ - 2]) == last) {
    std::string twice = std::string(last) + std::string(last);
    SourceRange range = range_from(at_ - 2);
    fail(range, "Python has no operator `" + twice + "`", "write `i " + std::string(last) + "= 1`");
  }
  if ((at("//") || at("/")) && t.first_on_line)
    fail(range_of(t), "a line cannot start with `" + std::string(text(t)) + "`", "a comment starts with `#`");
  if (is_closer(text(t)) && t.kind == TokenKind::Op && t.mate < 0) fail_unmatched();
  std::string hint;
  if (t.kind == TokenKind::Keyword)
    hint = "`" + std::string(text(t)) + "` is a word of the language and cannot name a value";
  if (at("=")) hint = kCompareHint;
  fail(range_of(t), "expected an expression, found " + describe(t), hint);
}

void Parser::fail_unmatched() const {
  fail(range_of(now()), "`" + std::string(text(now())) + "` has no opening bracket before it",
       "delete it, or add the bracket that it closes");
}

void Parser::fail_end_of_statement() const {
  refuse_error_token();
  blame_unclosed_bracket();
  const Token& t = now();
  if (t.kind == TokenKind::Op && is_closer(text(t)) && t.mate < 0) fail_unmatched();
  if (at("!")) fail_operand();
  std::string_view last = text(before());
  std::string hint = "an operator or a comma is missing, or this belongs on a line of its own";
  if (at("=")) hint = kCompareHint;
  if (at("?")) hint = kTernaryHint;
  if (at("{")) hint = kBraceHint;
  if (at(":")) hint = "a `:` ends the header of `if`, `for`, `while` or `def`";
  if (last == "elseif" || last == "elsif") hint = "write `elif`";
  if (last == "print") hint = "write `print(...)` with brackets";
  if (last == "switch") hint = "Python has no `switch`: use `if` and `elif`";
  fail(range_of(t), "expected the end of the statement, found " + describe(t), hint);
}

void Parser::fail_in_bracket(size_t opener) const {
  refuse_error_token();
  const Token& open = tokens_[opener];
  std::string bracket(text(open));
  std::string closer = bracket == "(" ? ")" : bracket == "[" ? "]" : "}";
  if (open.mate < 0) blame_unclosed_bracket();
  Diagnostic d;
  d.range = range_of(now());
  d.labels.push_back({range_of(open), "opened here"});
  if (now().kind == TokenKind::Op && is_closer(text(now()))) {
    d.message = "`" + std::string(text(now())) + "` does not close `" + bracket + "`";
    d.hint = "write `" + closer + "`, or close the bracket in between first";
  } else {
    d.message = "expected `,` or `" + closer + "`, found " + describe(now());
    if (now().first_on_line) {
      d.hint = "a comma is missing at the end of the line above";
    } else if (opener > 0 && is(tokens_[opener - 1], "for")) {
      d.hint = "a loop reads `for i in range(start, end, step):`";
    } else if (at("=")) {
      d.hint = kCompareHint;
    } else if (at("?")) {
      d.hint = kTernaryHint;
    } else if (starts_expression()) {
      d.hint = "a comma or an operator is missing before it";
    }
  }
  throw SyntaxError{std::move(d)};
}

}  // namespace tilescope
