// Operators and what binds more loosely: ternaries, lambdas, tuples without brackets.
#include <algorithm>

#include "core/syntax/parser_state.h"

namespace tilescope {
namespace {

struct Operator {
  std::string_view text;
  SynOp op;
  int precedence;
};

constexpr Operator kBinary[] = {
    {"|", SynOp::BitOr, 1}, {"^", SynOp::BitXor, 2}, {"&", SynOp::BitAnd, 3},    {"<<", SynOp::Shl, 4},
    {">>", SynOp::Shr, 4},  {"+", SynOp::Add, 5},    {"-", SynOp::Sub, 5},       {"*", SynOp::Mul, 6},
    {"/", SynOp::Div, 6},   {"%", SynOp::Mod, 6},    {"//", SynOp::FloorDiv, 6}, {"@", SynOp::MatMul, 6},
};

const Operator* find_binary(std::string_view text) {
  for (const Operator& o : kBinary) {
    if (o.text == text) return &o;
  }
  return nullptr;
}

}  // namespace

std::string_view spelling(SynOp op) {
  switch (op) {
    case SynOp::None:
      return "";
    case SynOp::Add:
      return "+";
    case SynOp::Sub:
      return "-";
    case SynOp::Mul:
      return "*";
    case SynOp::Div:
      return "/";
    case SynOp::FloorDiv:
      return "//";
    case SynOp::Mod:
      return "%";
    case SynOp::Pow:
      return "**";
    case SynOp::MatMul:
      return "@";
    case SynOp::BitAnd:
      return "&";
    case SynOp::BitOr:
      return "|";
    case SynOp::BitXor:
      return "^";
    case SynOp::Shl:
      return "<<";
    case SynOp::Shr:
      return ">>";
    case SynOp::Neg:
      return "-";
    case SynOp::Pos:
      return "+";
    case SynOp::Invert:
      return "~";
    case SynOp::Not:
      return "not";
    case SynOp::Eq:
      return "==";
    case SynOp::Ne:
      return "!=";
    case SynOp::Lt:
      return "<";
    case SynOp::Le:
      return "<=";
    case SynOp::Gt:
      return ">";
    case SynOp::Ge:
      return ">=";
    case SynOp::Is:
      return "is";
    case SynOp::IsNot:
      return "is not";
    case SynOp::In:
      return "in";
    case SynOp::NotIn:
      return "not in";
    case SynOp::And:
      return "and";
    case SynOp::Or:
      return "or";
  }
  return "";
}

SourceRange Parser::range_from(size_t first) const {
  const Token& a = tokens_[first];
  const Token& b = tokens_[at_ > first ? at_ - 1 : first];
  return {source_, a.line, a.column, b.end_line, b.end_column};
}

Expr* Parser::make(Expr::Kind kind, size_t first_token) {
  if (arena_.exprs.size() >= kMaxAstNodes) {
    fail(range_of(now()), "this file is too large: more than " + std::to_string(kMaxAstNodes) + " expressions");
  }
  Expr& e = arena_.exprs.emplace_back();
  e.kind = kind;
  e.range = range_from(first_token);
  return &e;
}

Expr* Parser::finish(Expr* e, size_t first_token) {
  e->range = range_from(first_token);
  int below = e->base != nullptr ? e->base->depth : 0;
  for (const Expr* item : e->items) {
    if (item != nullptr) below = std::max(below, item->depth);
  }
  for (const Keyword& k : e->keywords) {
    if (k.value != nullptr) below = std::max(below, k.value->depth);
  }
  e->depth = below + 1;
  if (e->depth > kMaxExprDepth) fail_nesting();
  return e;
}

Expr* Parser::unsupported(std::string what, size_t first_token) {
  Expr* e = make(Expr::Kind::Unsupported, first_token);
  e->text = std::move(what);
  return e;
}

Expr* Parser::star_expressions() {
  size_t first = at_;
  auto item = [&] { return at("*") ? starred() : named_expression(); };
  Expr* e = item();
  if (!at(",")) return e;
  Expr* tuple = make(Expr::Kind::Tuple, first);
  tuple->items.push_back(e);
  while (accept(",")) {
    if (!starts_expression() && !at("*")) break;
    tuple->items.push_back(item());
  }
  return finish(tuple, first);
}

Expr* Parser::named_expression() {
  size_t first = at_;
  Expr* e = expression();
  if (!at(":=")) return e;
  Nested guard(*this);
  advance();
  Expr* value = expression();
  Expr* walrus = unsupported(":= (assignment expression)", first);
  walrus->items = {e, value};
  return finish(walrus, first);
}

Expr* Parser::expression() {
  Nested guard(*this);
  if (at("lambda")) return lambda();
  size_t first = at_;
  Expr* e = disjunction();
  if (!at("if")) return e;
  Expr* ternary = make(Expr::Kind::IfExp, first);
  advance();
  Expr* test = disjunction();
  if (!accept("else")) fail_here("`else` and a value after `value if test`");
  Expr* other = expression();
  ternary->items = {test, e, other};
  return finish(ternary, first);
}

Expr* Parser::lambda() {
  size_t first = at_;
  Expr* e = unsupported("lambda", first);
  advance();
  while (!at(":")) {
    Keyword k;
    if (!accept("*")) accept("**");
    k.name_range = range_of(now());
    if (at_kind(TokenKind::Name)) {
      k.name = text(now());
      advance();
    } else if (!at(",") && !at("/")) {
      fail_here("a parameter name or `:` after `lambda`");
    }
    accept("/");
    if (accept("=")) k.value = expression();
    if (!k.name.empty()) e->keywords.push_back(std::move(k));
    if (!accept(",") && !at(":")) fail_here("`,` or `:` after a parameter of `lambda`");
  }
  advance();
  e->items.push_back(expression());
  return finish(e, first);
}

Expr* Parser::disjunction() {
  size_t first = at_;
  Expr* e = conjunction();
  if (!at("or")) return e;
  Expr* all = make(Expr::Kind::BoolOp, first);
  all->op = SynOp::Or;
  all->items.push_back(e);
  while (accept("or")) all->items.push_back(conjunction());
  return finish(all, first);
}

Expr* Parser::conjunction() {
  size_t first = at_;
  Expr* e = inversion();
  if (!at("and")) return e;
  Expr* all = make(Expr::Kind::BoolOp, first);
  all->op = SynOp::And;
  all->items.push_back(e);
  while (accept("and")) all->items.push_back(inversion());
  return finish(all, first);
}

Expr* Parser::inversion() {
  if (!at("not")) return comparison();
  Nested guard(*this);
  size_t first = at_;
  Expr* e = make(Expr::Kind::UnaryOp, first);
  e->op = SynOp::Not;
  advance();
  e->items.push_back(inversion());
  return finish(e, first);
}

/// Consumes a comparison operator; None when there is none.
SynOp Parser::comparison_operator() {
  constexpr SynOp kSingle[] = {SynOp::Eq, SynOp::Ne, SynOp::Lt, SynOp::Le, SynOp::Gt, SynOp::Ge, SynOp::In};
  for (SynOp op : kSingle) {
    if (accept(spelling(op))) return op;
  }
  if (at("not") && is(ahead(), "in")) {
    advance();
    advance();
    return SynOp::NotIn;
  }
  if (!accept("is")) return SynOp::None;
  return accept("not") ? SynOp::IsNot : SynOp::Is;
}

Expr* Parser::comparison() {
  size_t first = at_;
  Expr* e = binary(1);
  SynOp op = comparison_operator();
  if (op == SynOp::None) return e;
  Expr* compare = make(Expr::Kind::Compare, first);
  compare->items.push_back(e);
  for (; op != SynOp::None; op = comparison_operator()) {
    compare->ops.push_back(op);
    compare->items.push_back(binary(1));
  }
  return finish(compare, first);
}

/// Precedence climbing; all of these operators associate to the left, so a long chain does not recurse.
Expr* Parser::binary(int least_precedence) {
  size_t first = at_;
  Expr* left = unary();
  while (at_kind(TokenKind::Op)) {
    const Operator* o = find_binary(text(now()));
    if (o == nullptr || o->precedence < least_precedence) break;
    advance();
    Expr* right = binary(o->precedence + 1);
    Expr* e = make(Expr::Kind::BinOp, first);
    e->op = o->op;
    e->items = {left, right};
    left = finish(e, first);
  }
  return left;
}

Expr* Parser::unary() {
  size_t first = at_;
  SynOp op = at("-") ? SynOp::Neg : at("+") ? SynOp::Pos : at("~") ? SynOp::Invert : SynOp::None;
  if (op != SynOp::None) {
    Nested guard(*this);
    Expr* e = make(Expr::Kind::UnaryOp, first);
    e->op = op;
    advance();
    e->items.push_back(unary());
    return finish(e, first);
  }
  Expr* base = postfix();
  if (!at("**")) return base;
  Nested guard(*this);
  advance();
  Expr* e = make(Expr::Kind::BinOp, first);
  e->op = SynOp::Pow;
  e->items = {base, unary()};
  return finish(e, first);
}

}  // namespace tilescope
