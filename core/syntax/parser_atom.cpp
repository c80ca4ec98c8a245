// Names, literals, brackets, calls and subscripts.
#include <algorithm>
#include <charconv>
#include <limits>
#include <set>

#include "core/syntax/parser_state.h"

namespace tilescope {
namespace {

std::string without_underscores(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c != '_') out += c;
  }
  return out;
}

/// Whether a float literal too large or small for double is huge: the sign of its decimal exponent.
bool is_huge(std::string_view text) {
  size_t e = text.find_first_of("eE");
  std::string_view digits = text.substr(0, e);
  long exponent = 0;
  if (e != std::string_view::npos) {
    std::string_view rest = text.substr(e + 1);
    bool negative = rest[0] == '-';
    if (negative || rest[0] == '+') rest.remove_prefix(1);
    for (char c : rest) {
      if (exponent < 100'000'000) exponent = exponent * 10 + (c - '0');
    }
    if (negative) exponent = -exponent;
  }
  size_t point = std::min(digits.find('.'), digits.size());
  size_t leading = digits.find_first_not_of("0.");
  if (leading == std::string_view::npos) return false;
  return static_cast<long>(point) - static_cast<long>(leading) + exponent > 0;
}

std::string spelling_of(const Keyword& k) { return k.name.empty() ? "**" : k.name + "="; }

double float_value(std::string_view text) {
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  (void)end;
  if (error == std::errc::result_out_of_range) return is_huge(text) ? std::numeric_limits<double>::infinity() : 0.0;
  return value;
}

}  // namespace

bool Parser::starts_expression() const {
  switch (now().kind) {
    case TokenKind::Name:
    case TokenKind::Int:
    case TokenKind::Float:
    case TokenKind::Imaginary:
    case TokenKind::String:
    case TokenKind::Error:
      return true;
    case TokenKind::Op:
      return at("(") || at("[") || at("{") || at("-") || at("+") || at("~") || at("...") || at("!");
    case TokenKind::Keyword:
      return at("None") || at("True") || at("False") || at("not") || at("lambda") || at("await") || at("yield");
    default:
      return false;
  }
}

Expr* Parser::postfix() {
  size_t first = at_;
  Expr* e = atom();
  while (at_kind(TokenKind::Op)) {
    if (at("(")) {
      e = call(e, first);
    } else if (at("[")) {
      e = subscript(e, first);
    } else if (at(".")) {
      advance();
      if (!at_kind(TokenKind::Name)) fail_here("a name after `.`");
      Expr* attribute = make(Expr::Kind::Attribute, first);
      attribute->base = e;
      attribute->text = text(now());
      advance();
      e = finish(attribute, first);
    } else {
      break;
    }
  }
  return e;
}

Expr* Parser::atom() {
  refuse_error_token();
  size_t first = at_;
  auto leaf = [&](Expr::Kind kind) {
    Expr* e = make(kind, first);
    advance();
    return finish(e, first);
  };
  switch (now().kind) {
    case TokenKind::Name: {
      Expr* e = leaf(Expr::Kind::Name);
      e->text = text(tokens_[first]);
      return e;
    }
    case TokenKind::Int:
    case TokenKind::Float:
      return number();
    case TokenKind::Imaginary: {
      Expr* e = leaf(Expr::Kind::Unsupported);
      e->text = "complex number";
      return e;
    }
    case TokenKind::String:
      return strings();
    default:
      break;
  }
  if (at("None")) return leaf(Expr::Kind::None);
  if (at("...")) return leaf(Expr::Kind::Ellipsis);
  if (at("True") || at("False")) {
    uint64_t value = at("True");
    Expr* e = leaf(Expr::Kind::Bool);
    e->integer = value;
    return e;
  }
  if (at("(")) return parenthesised();
  if (at("[")) return list_display();
  if (at("{")) return brace_display();
  if (at("await") || at("yield")) {
    Nested guard(*this);
    Expr* e = unsupported(std::string(text(now())), first);
    bool yields = at("yield");
    advance();
    if (yields) accept("from");
    if (starts_expression()) e->items.push_back(yields ? star_expressions() : postfix());
    return finish(e, first);
  }
  fail_operand();
}

Expr* Parser::number() {
  size_t first = at_;
  std::string digits = without_underscores(text(now()));
  bool integer = at_kind(TokenKind::Int);
  Expr* e = make(integer ? Expr::Kind::Int : Expr::Kind::Float, first);
  advance();
  if (!integer) {
    e->real = float_value(digits);
    return finish(e, first);
  }
  int radix = 10;
  std::string_view body = digits;
  if (digits.size() > 1 && digits[0] == '0' && (digits[1] | 0x20) >= 'a') {
    char letter = static_cast<char>(digits[1] | 0x20);
    radix = letter == 'x' ? 16 : letter == 'o' ? 8 : 2;
    body.remove_prefix(2);
  }
  auto [end, error] = std::from_chars(body.data(), body.data() + body.size(), e->integer, radix);
  (void)end;
  e->too_big = error == std::errc::result_out_of_range;
  return finish(e, first);
}

void Parser::close_bracket(size_t opener) {
  std::string_view open = text(tokens_[opener]);
  if (!accept(open == "(" ? ")" : open == "[" ? "]" : "}")) fail_in_bracket(opener);
}

Expr* Parser::comprehension(std::string_view what, size_t opener, size_t first) {
  int32_t mate = tokens_[opener].mate;
  if (mate < 0) fail_in_bracket(opener);
  at_ = static_cast<size_t>(mate);
  advance();
  Expr* e = unsupported(std::string(what), first);
  return finish(e, first);
}

/// `for x in y`, `if c` behind the element of a comprehension.
void Parser::comprehension_clauses(Expr& e) {
  const size_t first = at_;
  while (at("for") || at("if")) {
    Keyword clause{std::string(text(now())), range_of(now()), nullptr};
    advance();
    if (clause.name == "if") {
      clause.value = disjunction();
    } else {
      clause.value = make(Expr::Kind::Tuple, at_);
      clause.value->items.push_back(loop_target());
      if (!accept("in")) fail_here("`in`");
      clause.value->items.push_back(disjunction());
      finish(clause.value, first);
    }
    e.keywords.push_back(std::move(clause));
  }
}

/// At the `for` after the element. What cannot be read is stepped over like other comprehensions.
Expr* Parser::list_comprehension(const Expr* list, size_t first) {
  const size_t clauses = at_;
  Expr* e = unsupported("list comprehension", first);
  try {
    e->items.push_back(list->items.at(0));
    comprehension_clauses(*e);
    if (list->items.size() == 1 && accept("]")) return finish(e, first);
  } catch (const SyntaxError&) {
  }
  at_ = clauses;
  return comprehension("list comprehension", first, first);
}

/// The same for the only argument of a call, which ends before the call's own bracket.
Expr* Parser::lone_generator(Expr* element, size_t opener) {
  const int32_t mate = tokens_[opener].mate;
  if (mate < 0) fail_in_bracket(opener);
  const size_t clauses = at_;
  Expr* e = unsupported("generator expression", opener + 1);
  at_ = clauses;
  try {
    e->items.push_back(element);
    comprehension_clauses(*e);
  } catch (const SyntaxError&) {
    at_ = clauses;
  }
  if (at_ == static_cast<size_t>(mate)) return finish(e, opener + 1);
  at_ = static_cast<size_t>(mate);
  return unsupported("generator expression", opener + 1);
}

Expr* Parser::starred() {
  size_t first = at_;
  Nested guard(*this);
  Expr* e = make(Expr::Kind::Starred, first);
  advance();
  e->items.push_back(disjunction());
  return finish(e, first);
}

/// A parenthesised expression, a tuple or a generator.
Expr* Parser::parenthesised() {
  size_t first = at_;
  advance();
  if (accept(")")) return finish(make(Expr::Kind::Tuple, first), first);
  Expr* e = at("*") ? starred() : named_expression();
  if (at_comprehension()) return comprehension("generator expression", first, first);
  if (!at(",")) {
    if (e->kind == Expr::Kind::Starred) fail(e->range, "a starred value needs a tuple around it", "write `(*x,)`");
    close_bracket(first);
    e->parenthesised = true;
    return e;
  }
  Expr* tuple = make(Expr::Kind::Tuple, first);
  tuple->parenthesised = true;
  tuple->items.push_back(e);
  while (accept(",")) {
    if (at(")")) break;
    tuple->items.push_back(at("*") ? starred() : named_expression());
  }
  close_bracket(first);
  return finish(tuple, first);
}

Expr* Parser::list_display() {
  size_t first = at_;
  advance();
  Expr* list = make(Expr::Kind::List, first);
  while (!at("]")) {
    list->items.push_back(at("*") ? starred() : named_expression());
    if (at_comprehension()) return list_comprehension(list, first);
    if (!accept(",")) break;
  }
  close_bracket(first);
  return finish(list, first);
}

/// A dict (items: key, value, key, value ...; a null key before the value of `**value`) or a set.
Expr* Parser::brace_display() {
  size_t first = at_;
  advance();
  Expr* e = unsupported("dict", first);
  bool is_set = false;
  while (!at("}")) {
    if (accept("**")) {
      e->items.push_back(nullptr);
      e->items.push_back(disjunction());
    } else {
      e->items.push_back(at("*") ? starred() : named_expression());
      is_set = is_set || !at(":");
      if (accept(":")) e->items.push_back(expression());
    }
    if (at_comprehension()) return comprehension(is_set ? "set comprehension" : "dict comprehension", first, first);
    if (!accept(",")) break;
  }
  close_bracket(first);
  if (is_set) e->text = "set";
  return finish(e, first);
}

Expr* Parser::call(Expr* callee, size_t first) {
  size_t opener = at_;
  Expr* e = make(Expr::Kind::Call, first);
  e->base = callee;
  advance();
  std::set<std::string> names;
  while (!at(")")) {
    size_t keywords_before = e->keywords.size();
    call_argument(e, opener);
    if (e->keywords.size() > keywords_before && !e->keywords.back().name.empty() &&
        !names.insert(e->keywords.back().name).second) {
      fail(e->keywords.back().name_range, "the argument `" + e->keywords.back().name + "` is given twice");
    }
    if (!accept(",")) break;
  }
  close_bracket(opener);
  return finish(e, first);
}

void Parser::call_argument(Expr* call, size_t opener) {
  if (at("*")) {
    call->items.push_back(starred());
    return;
  }
  if (accept("**")) {
    call->keywords.push_back({"", {}, expression()});
    return;
  }
  if (at_kind(TokenKind::Name) && is(ahead(), "=")) {
    Keyword k{std::string(text(now())), range_of(now()), nullptr};
    advance();
    advance();
    k.value = expression();
    call->keywords.push_back(std::move(k));
    return;
  }
  Expr* e = named_expression();
  if (at_comprehension()) e = lone_generator(e, opener);
  if (at("=")) {
    fail(e->range, "only a plain name can stand before `=` in a call", "write `==` to compare");
  }
  if (!call->keywords.empty()) {
    fail(e->range, "a positional argument follows the keyword argument `" + spelling_of(call->keywords.back()) + "`",
         "move it before the keyword arguments, or give it its name");
  }
  call->items.push_back(e);
}

Expr* Parser::subscript(Expr* base, size_t first) {
  size_t opener = at_;
  Expr* e = make(Expr::Kind::Subscript, first);
  e->base = base;
  advance();
  if (at("]")) fail(range_of(now()), "empty subscript", "write an index, such as `[:, None]` or `[0]`");
  while (!at("]")) {
    e->items.push_back(subscript_item());
    if (!accept(",")) break;
  }
  close_bracket(opener);
  return finish(e, first);
}

Expr* Parser::subscript_item() {
  size_t first = at_;
  if (at("*")) return starred();
  Expr* lower = at(":") ? nullptr : named_expression();
  if (!at(":")) return lower;
  Expr* slice = make(Expr::Kind::Slice, first);
  auto bound = [&]() -> Expr* { return at(":") || at(",") || at("]") ? nullptr : expression(); };
  slice->items = {lower, nullptr, nullptr};
  advance();
  slice->items[1] = bound();
  if (accept(":")) slice->items[2] = bound();
  return finish(slice, first);
}

}  // namespace tilescope
