// Statements of host code that bind names: imports, assignments, and those whose value only the running host code knows.
#include <algorithm>
#include <utility>

#include "core/syntax/parser_state.h"

namespace tilescope {
namespace {

bool is_assignment(std::string_view op) {
  return op.ends_with('=') && op != "==" && op != "!=" && op != "<=" && op != ">=" && op != ":=";
}

}  // namespace

/// The token behind the simple statement at `first`: a `;`, the line's end, or the colon of a header.
size_t Parser::statement_end(size_t first) const {
  size_t i = first;
  for (; tokens_[i].kind != TokenKind::Newline && tokens_[i].kind != TokenKind::End && !is(tokens_[i], ";"); ++i)
    if (tokens_[i].kind == TokenKind::Op && tokens_[i].mate > static_cast<int32_t>(i)) i = static_cast<size_t>(tokens_[i].mate);
  return i;
}

/// One line of simple statements with `;` between; returns whether the first is an import or an assignment. Ends behind the line.
bool Parser::definition_line() {
  bool first_defines = false, first = true;
  if (at_kind(TokenKind::Newline) || at_kind(TokenKind::End)) {
    to_line_end();
    return false;
  }
  do {
    const size_t begin = at_;
    const bool defines = definition_item();
    if (first && !defines) {
      const size_t end = std::exchange(at_, begin);
      note_broken_line();
      at_ = end;
    }
    first_defines = first ? defines : first_defines;
    first = false;
  } while (accept(";") && !at_kind(TokenKind::Newline) && !at_kind(TokenKind::End));
  to_line_end();
  return first_defines;
}

/// One simple statement; ends behind it.
bool Parser::definition_item() {
  const size_t first = at_, stop = statement_end(first);
  const size_t assign = last_assignment(first, stop);
  const bool import = at("import") || at("from");
  const bool plain = at_kind(TokenKind::Name) && (is(ahead(), "=") || is(ahead(), ":") || is(ahead(), ","));
  bool read = true;
  if (import || plain) {
    const size_t failures = failures_;
    host_item([&] { import ? import_item() : assignment_item(); });
    read = failures_ == failures;
  } else if (assign != 0) {
    read = quiet_item([&] { assignment_item(); });
  }
  if (!read && assign != 0) bind_targets(first, assign);
  bind_walruses(first, stop);
  if (is(tokens_[first], "del")) bind_targets(first + 1, stop);
  at_ = stop;
  return import || plain || assign != 0;
}

/// As host_item, for lines that may well be beyond the parser: without a note.
bool Parser::quiet_item(const std::function<void()>& read) {
  const size_t first = at_, exprs = arena_.exprs.size(), stmts = arena_.stmts.size();
  try {
    read();
    return true;
  } catch (SyntaxError&) {
    while (arena_.exprs.size() > exprs) arena_.exprs.pop_back();
    while (arena_.stmts.size() > stmts) arena_.stmts.pop_back();
    at_ = first;
    return false;
  }
}

/// The last `=` or `+=` outside of brackets; 0 when there is none.
size_t Parser::last_assignment(size_t first, size_t stop) const {
  size_t last = 0;
  for (size_t i = first; i < stop; ++i) {
    const Token& t = tokens_[i];
    if (t.kind == TokenKind::Keyword && text(t) == "lambda") return last;  // its defaults are no assignments
    if (t.kind != TokenKind::Op) continue;
    if (t.mate > static_cast<int32_t>(i)) i = static_cast<size_t>(t.mate);
    else if (i > first && is_assignment(text(t))) last = i;
  }
  return last;
}

/// Names among the targets of an assignment, a loop, `as` or `del`, whose values only host code knows: `a` and `b` of `a, (b, c.d), e[i] =`.
void Parser::bind_targets(size_t first, size_t stop) {
  bool annotation = false;
  for (size_t i = first; i < stop; ++i) {
    const Token& t = tokens_[i];
    const bool follows = i > first && (tokens_[i - 1].kind == TokenKind::Name || is(tokens_[i - 1], ")") || is(tokens_[i - 1], "]"));
    annotation = (annotation || is(t, ":")) && !is(t, "=");
    if (t.kind == TokenKind::Op && t.mate > static_cast<int32_t>(i) && (follows || is(t, "{"))) {
      i = static_cast<size_t>(t.mate);  // arguments, an index
    } else if (t.kind == TokenKind::Name && !annotation && !(i > first && is(tokens_[i - 1], "."))) {
      const Token& next = tokens_[i + 1];
      if (!is(next, ".") && !is(next, "(") && !is(next, "[")) bind_by_host_code(i);
    }
  }
}

void Parser::bind_walruses(size_t first, size_t stop) {
  for (size_t i = first; i < stop; ++i)
    if (tokens_[i].kind == TokenKind::Name && is(tokens_[i + 1], ":=")) bind_by_host_code(i);
}

/// What the header of a block binds: `for a, b in x`, `with f() as a, g() as (b, c)`.
void Parser::bind_in_header() {
  const size_t first = at_, stop = statement_end(first);
  bind_walruses(first, stop);
  if (at("for")) {
    size_t in = first + 1;
    while (in < stop && !is(tokens_[in], "in")) ++in;
    bind_targets(first + 1, in);
  }
  if (!at("with")) return;
  for (size_t i = first + 1; i < stop; ++i) {
    if (!is(tokens_[i], "as")) continue;
    const Token& next = tokens_[i + 1];
    const bool group = next.kind == TokenKind::Op && next.mate > static_cast<int32_t>(i);
    bind_targets(i + 1, group ? static_cast<size_t>(next.mate) : i + 2);
  }
}

/// A value that only the running host code knows.
Expr* Parser::host_value(const SourceRange& range) {
  Expr& e = arena_.exprs.emplace_back();
  e.kind = Expr::Kind::Unsupported;
  e.text = kHostValue;
  e.range = range;
  return &e;
}

void Parser::bind_by_host_code(size_t token) {
  const SourceRange range = range_of(tokens_[token]);
  module_->assigns.push_back({std::string(text(tokens_[token])), nullptr, host_value(range), range, blocks_.empty() ? -1 : blocks_.back(), scope_});
}

/// `A = 1`, `A: int = 1`, `A = B = 1`, `A, B = 1, 2`, `A *= 2`.
void Parser::assignment_item() {
  const size_t first = at_;
  const Stmt* s = simple_statement();
  if (!at_statement_end()) fail_end_of_statement();
  std::vector<ModuleAssign> found;
  if (s->value != nullptr && s->kind == Stmt::Kind::AugAssign) {
    Expr* value = nullptr;  // `+=` of anything but a number may change a list under its other names, too
    if (s->value->kind == Expr::Kind::Int || s->value->kind == Expr::Kind::Float) {
      value = make(Expr::Kind::BinOp, first);
      value->op = s->op;
      value->items = {s->targets[0], s->value};
      finish(value, first);
    }
    bind_target(*s, s->targets[0], value, found);
  } else if (s->value != nullptr) {
    for (const Expr* target : s->targets) bind_target(*s, target, s->value, found);
  }
  const int in_class = module_->scopes[static_cast<size_t>(scope_)].class_index;
  if (in_class >= 0 && s->kind == Stmt::Kind::AnnAssign && s->targets[0]->kind == Expr::Kind::Name)
    module_->classes[static_cast<size_t>(in_class)].fields.push_back({s->targets[0]->text, s->value});
  for (ModuleAssign& a : found) module_->assigns.push_back(std::move(a));
}

/// `value` is null when only host code knows it.
void Parser::bind_target(const Stmt& s, const Expr* target, Expr* value, std::vector<ModuleAssign>& out) {
  using K = Expr::Kind;
  const auto is_sequence = [](const Expr* e) { return e->kind == K::Tuple || e->kind == K::List; };
  const auto is_starred = [](const Expr* e) { return e->kind == K::Starred; };
  if (target->kind == K::Starred) return bind_target(s, target->items[0], nullptr, out);
  if (target->kind == K::Name)
    out.push_back({target->text, s.annotation, value != nullptr ? value : host_value(s.range), s.range, blocks_.empty() ? -1 : blocks_.back(), scope_});
  if (!is_sequence(target)) return;
  const bool pairs = value != nullptr && is_sequence(value) && target->items.size() == value->items.size() &&
                     std::none_of(target->items.begin(), target->items.end(), is_starred) &&
                     std::none_of(value->items.begin(), value->items.end(), is_starred);
  for (size_t i = 0; i < target->items.size(); ++i) bind_target(s, target->items[i], pairs ? value->items[i] : nullptr, out);
}

}  // namespace tilescope
