// Statements of a function's body, and going on after an error in one of them.
#include "core/syntax/parser_state.h"

namespace tilescope {
namespace {

struct AugmentedOp {
  std::string_view text;
  SynOp op;
};
constexpr AugmentedOp kAugmented[] = {
    {"+=", SynOp::Add},  {"-=", SynOp::Sub},    {"*=", SynOp::Mul},    {"/=", SynOp::Div},   {"//=", SynOp::FloorDiv},
    {"%=", SynOp::Mod},  {"@=", SynOp::MatMul}, {"&=", SynOp::BitAnd}, {"|=", SynOp::BitOr}, {"^=", SynOp::BitXor},
    {">>=", SynOp::Shr}, {"<<=", SynOp::Shl},   {"**=", SynOp::Pow},
};

/// Puts a counter back when a statement ends, also by an error.
class Restore {
 public:
  explicit Restore(int& counter) : counter_(counter), value_(counter) {}
  ~Restore() { counter_ = value_; }
  Restore(const Restore&) = delete;
  Restore& operator=(const Restore&) = delete;

 private:
  int& counter_;
  int value_;
};

std::string describe_target(const Expr& e) {
  switch (e.kind) {
    case Expr::Kind::Call:
      return "a call";
    case Expr::Kind::Compare:
      return "a comparison";
    case Expr::Kind::Int:
    case Expr::Kind::Float:
      return "a number";
    case Expr::Kind::Str:
    case Expr::Kind::FString:
      return "a string";
    case Expr::Kind::Bool:
      return e.integer != 0 ? "True" : "False";
    case Expr::Kind::None:
      return "None";
    case Expr::Kind::IfExp:
      return "a conditional expression";
    case Expr::Kind::Unsupported:
      return "a " + e.text;
    default:
      return "an expression";
  }
}

}  // namespace

Stmt* Parser::make_stmt(Stmt::Kind kind, size_t first_token) {
  if (arena_.stmts.size() >= kMaxAstNodes) {
    fail(range_of(now()), "this file is too large: more than " + std::to_string(kMaxAstNodes) + " statements");
  }
  Stmt& s = arena_.stmts.emplace_back();
  s.kind = kind;
  s.range = range_from(first_token);
  return &s;
}

/// What follows the colon of a header: a block, or statements on the same line.
void Parser::block(std::vector<Stmt*>& out, std::string_view owner, const SourceRange& header) {
  if (!at_kind(TokenKind::Newline)) {
    simple_line(out);
    return;
  }
  advance();
  if (!at_kind(TokenKind::Indent)) {
    refuse_error_token();
    fail(header, "expected an indented block after this `" + std::string(owner) + "`",
         "indent the lines that belong to it, or write `pass`");
  }
  enter_block(header);
  Restore depth(block_depth_);
  ++block_depth_;
  advance();
  statements_until_dedent(out);
}

void Parser::enter_block(const SourceRange& header) const {
  if (block_depth_ < kMaxBlockDepth) return;
  Diagnostic d;
  d.range = header;
  d.message = "blocks are nested too deeply (more than " + std::to_string(kMaxBlockDepth) + " levels)";
  d.hint = "every `elif` counts as a level";
  throw SyntaxError{std::move(d), true};
}

void Parser::statements_until_dedent(std::vector<Stmt*>& out) {
  while (at_ < stop_ && !at_kind(TokenKind::Dedent) && !at_kind(TokenKind::End)) {
    size_t first = at_;
    try {
      statement(out);
    } catch (SyntaxError& e) {
      record(e);
      recover(first);
    }
  }
  if (at_ < stop_ && at_kind(TokenKind::Dedent)) advance();
}

void Parser::record(SyntaxError& e) {
  errors_->push_back(std::move(e.diagnostic));
  if (e.fatal || errors_->size() >= kMaxErrorsPerFunction) at_ = stop_;
}

/// After an error in the statement that began at `first`: to the next statement, past the block that hangs on this one.
void Parser::recover(size_t first) {
  if (at_ >= stop_) return;
  bool line_done = at_ > first && before().kind == TokenKind::Newline;
  if (!line_done && !at_kind(TokenKind::Indent)) to_line_end();
  skip_block();
  while (at("elif") || at("else") || at("except") || at("finally")) {
    to_line_end();
    skip_block();
  }
}

void Parser::to_line_end() {
  while (!at_kind(TokenKind::Newline) && !at_kind(TokenKind::End)) advance();
  if (at_kind(TokenKind::Newline)) advance();
}

void Parser::skip_block() {
  if (!at_kind(TokenKind::Indent)) return;
  int depth = 0;
  do {
    if (at_kind(TokenKind::Indent)) ++depth;
    if (at_kind(TokenKind::Dedent)) --depth;
    advance();
  } while (depth > 0 && !at_kind(TokenKind::End));
}

void Parser::statement(std::vector<Stmt*>& out) {
  refuse_error_token();
  if (at_kind(TokenKind::Indent)) {
    Token t = ahead();
    fail(range_of(t), "this line is indented more than the statement before it",
         "start it in the same column, or put a header such as `if ...:` before it");
  }
  if (at("if")) {
    out.push_back(if_statement());
  } else if (at("for")) {
    out.push_back(for_statement());
  } else if (at("while")) {
    out.push_back(while_statement());
  } else if (at("elif") || at("else")) {
    fail(range_of(now()), "`" + std::string(text(now())) + "` has no `if` before it",
         "start it in the column of its `if`, right after the block of the `if`");
  } else if (at("except") || at("finally")) {
    fail(range_of(now()), "`" + std::string(text(now())) + "` has no `try` before it");
  } else if (std::string_view what = unsupported_compound(); !what.empty()) {
    out.push_back(unsupported_statement(std::string(what)));
  } else {
    simple_line(out);
  }
}

std::string_view Parser::unsupported_compound() const {
  if (at("try") || at("with") || at("class") || at("async")) return text(now());
  if (at("def") || at("@")) return "nested function";
  return at_match_statement() ? "match" : "";
}

/// `match` is an ordinary name unless its line ends in a colon with a block below.
bool Parser::at_match_statement() const {
  if (!at_kind(TokenKind::Name) || text(now()) != "match") return false;
  const Token& next = ahead();
  if (is(next, "=") || is(next, ".") || is(next, ",") || is(next, ":") || next.kind == TokenKind::Newline) return false;
  size_t i = at_;
  while (tokens_[i].kind != TokenKind::Newline && tokens_[i].kind != TokenKind::End) ++i;
  return tokens_[i].kind == TokenKind::Newline && is(tokens_[i - 1], ":") && tokens_[i + 1].kind == TokenKind::Indent;
}

/// Steps over a compound statement that kernels cannot use, with everything that belongs to it.
Stmt* Parser::unsupported_statement(std::string what) {
  size_t first = at_;
  while (!at_kind(TokenKind::Newline) && !at_kind(TokenKind::End)) advance();
  Stmt* s = make_stmt(Stmt::Kind::Unsupported, first);
  s->text = std::move(what);
  bool decorated = is(tokens_[first], "@"), tries = is(tokens_[first], "try");
  to_line_end();
  while (decorated && at("@")) to_line_end();
  if (decorated && (at("def") || at("async") || at("class"))) to_line_end();
  skip_block();
  while (tries && (at("except") || at("else") || at("finally"))) {
    to_line_end();
    skip_block();
  }
  return s;
}

Expr* Parser::condition(std::string_view owner) {
  Expr* test = named_expression();
  if (at("=")) {
    fail(range_of(now()), "`=` assigns a value, but `" + std::string(owner) + "` needs a condition",
         "write `==` to compare");
  }
  return test;
}

void Parser::colon(std::string_view place) {
  if (!accept(":")) fail_here("`:` after " + std::string(place));
}

Stmt* Parser::if_statement() {
  Restore depth(block_depth_);
  Stmt* whole = nullptr;
  Stmt* last = nullptr;
  do {
    size_t first = at_;
    std::string owner(text(now()));
    Stmt* s = make_stmt(Stmt::Kind::If, first);
    advance();
    s->value = condition(owner);
    colon("the " + owner + " condition");
    s->range = range_from(first);
    if (last != nullptr) {
      enter_block(s->range);
      ++block_depth_;
      s->is_elif = true;
      last->orelse.push_back(s);
    } else {
      whole = s;
    }
    last = s;
    block(s->body, owner, s->range);
  } while (at_ < stop_ && at("elif"));
  else_block(last);
  return whole;
}

void Parser::else_block(Stmt* s) {
  if (at_ >= stop_ || !at("else")) return;
  size_t first = at_;
  advance();
  if (at("if")) fail(range_from(first), "`else if` is not Python", "write `elif`");
  colon("`else`");
  block(s->orelse, "else", range_from(first));
}

Stmt* Parser::for_statement() {
  size_t first = at_;
  Stmt* s = make_stmt(Stmt::Kind::For, first);
  advance();
  Expr* target = loop_target();
  check_target(target);
  s->targets.push_back(target);
  if (at("=")) fail(range_of(now()), "a `for` loop has no `=`", "write `for i in range(start, end, step):`");
  if (!accept("in")) fail_here("`in` after the loop variable");
  s->value = star_expressions();
  colon("the for loop's range");
  s->range = range_from(first);
  block(s->body, "for", s->range);
  else_block(s);
  return s;
}

/// `i` or `a, b`, where `in` is no operator.
Expr* Parser::loop_target() {
  size_t first = at_;
  auto item = [&] {
    if (!at("*")) return binary(1);
    size_t star = at_;
    Expr* e = make(Expr::Kind::Starred, star);
    advance();
    e->items.push_back(binary(1));
    return finish(e, star);
  };
  Expr* e = item();
  if (!at(",")) return e;
  Expr* tuple = make(Expr::Kind::Tuple, first);
  tuple->items.push_back(e);
  while (accept(",") && !at("in")) tuple->items.push_back(item());
  return finish(tuple, first);
}

Stmt* Parser::while_statement() {
  size_t first = at_;
  Stmt* s = make_stmt(Stmt::Kind::While, first);
  advance();
  s->value = condition("while");
  colon("the while condition");
  s->range = range_from(first);
  block(s->body, "while", s->range);
  else_block(s);
  return s;
}

/// Statements up to the end of the line.
void Parser::simple_line(std::vector<Stmt*>& out) {
  do {
    out.push_back(simple_statement());
  } while (accept(";") && !at_kind(TokenKind::Newline) && !at_kind(TokenKind::End));
  if (at_kind(TokenKind::Newline)) {
    advance();
  } else if (!at_kind(TokenKind::End)) {
    fail_end_of_statement();
  }
}

bool Parser::at_statement_end() const { return at_kind(TokenKind::Newline) || at_kind(TokenKind::End) || at(";"); }

Stmt* Parser::simple_statement() {
  size_t first = at_;
  auto word = [&](Stmt::Kind kind) {
    advance();
    return make_stmt(kind, first);
  };
  if (!at_kind(TokenKind::Keyword)) return assignment_or_expression();
  if (at("pass")) return word(Stmt::Kind::Pass);
  if (at("break")) return word(Stmt::Kind::Break);
  if (at("continue")) return word(Stmt::Kind::Continue);
  if (at("return")) {
    Stmt* s = word(Stmt::Kind::Return);
    if (!at_statement_end()) s->value = star_expressions();
    s->range = range_from(first);
    return s;
  }
  if (at("assert")) {
    Stmt* s = word(Stmt::Kind::Assert);
    s->value = condition("assert");
    if (accept(",")) s->message = expression();
    s->range = range_from(first);
    return s;
  }
  if (at("raise") || at("del") || at("global") || at("nonlocal") || at("import") || at("from")) {
    std::string what(at("from") ? "import" : text(now()));
    while (!at_statement_end()) advance();
    Stmt* s = make_stmt(Stmt::Kind::Unsupported, first);
    s->text = std::move(what);
    return s;
  }
  return assignment_or_expression();
}

Stmt* Parser::assignment_or_expression() {
  size_t first = at_;
  Expr* e = star_expressions();
  bool plain = e->kind == Expr::Kind::Name || e->kind == Expr::Kind::Attribute || e->kind == Expr::Kind::Subscript;
  if (plain && at(":") && ahead().kind != TokenKind::Newline) return annotated(e, first);
  for (const AugmentedOp& a : kAugmented) {
    if (!at(a.text)) continue;
    if (!plain) fail(e->range, "`" + std::string(a.text) + "` needs one name before it, not " + describe_target(*e));
    advance();
    Stmt* s = make_stmt(Stmt::Kind::AugAssign, first);
    s->op = a.op;
    s->targets.push_back(e);
    s->value = star_expressions();
    s->range = range_from(first);
    return s;
  }
  Stmt* s = make_stmt(at("=") ? Stmt::Kind::Assign : Stmt::Kind::ExprStmt, first);
  while (at("=")) {
    check_target(e);
    s->targets.push_back(e);
    advance();
    e = star_expressions();
  }
  s->value = e;
  s->range = range_from(first);
  return s;
}

Stmt* Parser::annotated(Expr* target, size_t first) {
  advance();
  Stmt* s = make_stmt(Stmt::Kind::AnnAssign, first);
  s->targets.push_back(target);
  s->annotation = expression();
  if (accept("=")) s->value = star_expressions();
  s->range = range_from(first);
  return s;
}

void Parser::check_target(const Expr* e) const {
  switch (e->kind) {
    case Expr::Kind::Name:
    case Expr::Kind::Attribute:
    case Expr::Kind::Subscript:
      return;
    case Expr::Kind::Starred:
      return check_target(e->items[0]);
    case Expr::Kind::Tuple:
    case Expr::Kind::List:
      for (const Expr* item : e->items) check_target(item);
      return;
    default:
      break;
  }
  std::string hint = "only names, and tuples of names, can stand before `=`";
  if (e->kind == Expr::Kind::Compare) hint = "write `==` to compare";
  if (e->kind == Expr::Kind::Call) hint = "to write to memory use `tl.store(pointer, value)`";
  fail(e->range, "cannot assign to " + describe_target(*e), hint);
}

}  // namespace tilescope
