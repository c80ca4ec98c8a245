// The file level: finds functions, imports and constants, and steps over all other host code.
#include "core/syntax/parser.h"

#include <algorithm>

#include "core/syntax/parser_state.h"

namespace tilescope {

const FunctionDef* Module::find_function(std::string_view name) const {
  for (size_t i = functions.size(); i-- > 0;) {
    if (functions[i]->name == name) return functions[i].get();
  }
  return nullptr;
}

bool is_jit_decorator(const Expr& decorator) {
  const Expr* e = decorator.kind == Expr::Kind::Call ? decorator.base : &decorator;
  return (e->kind == Expr::Kind::Name || e->kind == Expr::Kind::Attribute) && e->text == "jit";
}

bool Parser::is_jit(const Expr& decorator) const {
  if (is_jit_decorator(decorator)) return true;
  const Expr* e = decorator.kind == Expr::Kind::Call ? decorator.base : &decorator;
  return e->kind == Expr::Kind::Name &&
         std::find(jit_aliases_.begin(), jit_aliases_.end(), e->text) != jit_aliases_.end();
}

void Parser::module(Module& m) {
  module_ = &m;
  while (!at_kind(TokenKind::End)) {
    top_level_item();
    if (failures_ <= kMaxErrorsPerFile) continue;
    Diagnostic d;
    d.range = range_of(now());
    d.message = "too many errors: the rest of this file is not read";
    if (m.skipped.size() >= kMaxSkippedNotes) m.skipped.pop_back();
    note(std::move(d));
    return;
  }
}

void Parser::top_level_item() {
  if (at_kind(TokenKind::Newline)) {
    advance();
  } else if (at_kind(TokenKind::Indent)) {  // of an if, try or with
    ++conditional_;
    advance();
  } else if (at_kind(TokenKind::Dedent)) {
    --conditional_;
    advance();
  } else if (at("@") || at("def") || (at("async") && is(ahead(), "def"))) {
    function_item();
  } else if (at("class")) {
    class_item();
  } else if (at("import") || at("from")) {
    host_item([&] { import_item(); });
  } else if (at("if") || at("elif") || at("else") || at("try") || at("except") || at("finally") || at("with")) {
    note_broken_line();
    to_line_end();
  } else if (at_kind(TokenKind::Name) && (is(ahead(), "=") || is(ahead(), ":") || is(ahead(), ","))) {
    host_item([&] { assignment_item(); });
  } else {
    note_broken_line();
    to_line_end();
    skip_block();
  }
}

void Parser::note(Diagnostic d) {
  if (module_->skipped.size() >= kMaxSkippedNotes) return;
  d.severity = Diagnostic::Severity::Warning;
  module_->skipped.push_back(std::move(d));
}

/// Keeps the first broken token or bracket of a host line: it may have swallowed a kernel.
void Parser::note_broken_line() {
  for (size_t i = at_; tokens_[i].kind != TokenKind::Newline && tokens_[i].kind != TokenKind::End; ++i) {
    const Token& t = tokens_[i];
    if (t.kind == TokenKind::Error) return note(lex_diagnostic(source_, t));
    if (t.kind == TokenKind::Op && t.mate < 0 && (is(t, "(") || is(t, "[") || is(t, "{"))) {
      Diagnostic d;
      d.range = range_of(t);
      d.message = "this `" + std::string(text(t)) + "` is never closed";
      return note(std::move(d));
    }
  }
}

/// Reads an item with `read`; one that does not parse leaves nothing behind but a note.
template <class Read>
void Parser::host_item(Read read) {
  size_t first = at_, exprs = arena_.exprs.size(), stmts = arena_.stmts.size();
  try {
    read();
  } catch (SyntaxError& e) {
    ++failures_;
    note(std::move(e.diagnostic));
    while (arena_.exprs.size() > exprs) arena_.exprs.pop_back();
    while (arena_.stmts.size() > stmts) arena_.stmts.pop_back();
  }
  at_ = first;
  to_line_end();
  skip_block();
}

void Parser::function_item() {
  std::vector<Expr*> decorators;
  while (at("@")) {
    host_item([&] {
      advance();
      Expr* e = named_expression();
      if (!at_kind(TokenKind::Newline)) fail_end_of_statement();
      decorators.push_back(e);
    });
  }
  if (at("class")) return class_item();
  bool async = accept("async");
  if (!at("def")) return;  // decorators of nothing
  size_t first = at_;
  to_line_end();
  skip_block();
  stop_ = at_;
  at_ = first;
  auto f = std::make_unique<FunctionDef>();
  for (Expr* d : decorators) f->is_jit = f->is_jit || is_jit(*d);
  f->decorators = std::move(decorators);
  f->conditional = conditional_ > 0;
  function(*f);
  failures_ += f->errors.size();
  if (async) {
    Diagnostic d;
    d.range = range_of(tokens_[first - 1]);
    d.message = "a kernel cannot be `async`";
    f->errors.insert(f->errors.begin(), std::move(d));
  }
  at_ = stop_;
  stop_ = SIZE_MAX;
  // A line that is indented less than the body, but still indented, ends the block for the lexer.
  if (at_kind(TokenKind::Error) && now().error == LexError::BadDedent) {
    f->errors.push_back(lex_diagnostic(source_, now()));
    advance();
  }
  if (!f->name.empty()) module_->functions.push_back(std::move(f));
}

void Parser::class_item() {
  host_item([&] {
    size_t first = at_;
    advance();
    if (!at_kind(TokenKind::Name)) fail_here("a class name");
    ModuleClass c;
    c.name = text(now());
    advance();
    c.range = range_from(first);
    if (at("(")) c.bases = call(make(Expr::Kind::None, first), first)->items;
    module_->classes.push_back(std::move(c));
  });
}

std::string Parser::dotted_name() {
  std::string name;
  while (at(".") || at("...")) {
    name += text(now());
    advance();
  }
  while (at_kind(TokenKind::Name)) {
    name += text(now());
    advance();
    if (!at(".")) break;
    name += ".";
    advance();
  }
  return name;
}

void Parser::import_item() {
  size_t first = at_;
  if (at("from")) return import_from();
  do {
    advance();
    Import i;
    i.module = dotted_name();
    i.alias = i.module.substr(0, i.module.find('.'));
    if (!accept("as")) {
      // binds the first name to the first package
      i.module = i.alias;
    } else {
      i.alias = text(now());
      advance();
    }
    add_import(std::move(i), first);
  } while (at(","));
}

void Parser::import_from() {
  size_t first = at_;
  advance();
  std::string module = dotted_name();
  if (!accept("import")) fail_here("`import`");
  accept("(");
  while (at_kind(TokenKind::Name) || at("*")) {
    Import i;
    i.module = module;
    i.name = text(now());
    if (!at("*")) i.alias = i.name;
    advance();
    if (accept("as")) {
      i.alias = text(now());
      advance();
    }
    if (i.name == "jit" && module.substr(0, 6) == "triton") jit_aliases_.push_back(i.alias);
    add_import(std::move(i), first);
    if (!accept(",")) break;
  }
}

void Parser::add_import(Import i, size_t first) {
  i.range = range_from(first);
  i.conditional = conditional_ > 0;
  module_->imports.push_back(std::move(i));
}

/// `A = 1`, `A: int = 1`, `A = B = 1`, `A, B = 1, 2`, and several of them with `;` between.
void Parser::assignment_item() {
  std::vector<ModuleAssign> found;
  do {
    Stmt* s = simple_statement();
    auto bind = [&](const Expr* target, Expr* value) {
      if (target->kind != Expr::Kind::Name) return;
      found.push_back({target->text, s->annotation, value, s->range, conditional_ > 0});
    };
    if (s->kind != Stmt::Kind::Assign && s->kind != Stmt::Kind::AnnAssign) continue;
    if (s->value == nullptr) continue;
    for (const Expr* target : s->targets) {
      bind(target, s->value);
      bool pairs = target->kind == Expr::Kind::Tuple && s->value->kind == Expr::Kind::Tuple &&
                   target->items.size() == s->value->items.size();
      for (size_t i = 0; pairs && i < target->items.size(); ++i) bind(target->items[i], s->value->items[i]);
    }
  } while (accept(";") && at_kind(TokenKind::Name));
  if (!at_statement_end()) fail_end_of_statement();
  for (ModuleAssign& a : found) module_->assigns.push_back(std::move(a));
}

Expr* Parser::lone_expression() {
  Expr* e = star_expressions();
  if (!at_kind(TokenKind::End)) fail_end_of_statement();
  return e;
}

Expected<Module> parse_module(SourcePtr source) {
  if (source->text.size() > kMaxKernelFileBytes) {
    return plain_error(source->path +
                           ": this file is too long for a kernel file: " + std::to_string(source->text.size()) +
                           " bytes, at most " + std::to_string(kMaxKernelFileBytes),
                       "move the kernels into a file of their own");
  }
  Module m;
  m.source = source;
  m.arena = std::make_unique<AstArena>();
  Parser(source, lex(*source), *m.arena).module(m);
  return m;
}

Expected<ParsedExpr> parse_expression(SourcePtr source) {
  if (source->text.size() > kMaxKernelFileBytes) return plain_error(source->path + ": this expression is too long");
  ParsedExpr p;
  p.source = source;
  p.arena = std::make_unique<AstArena>();
  try {
    std::vector<Token> tokens = lex(*source, LexRegion{0, source->text.size(), 1, 0, true});
    p.root = Parser(source, std::move(tokens), *p.arena).lone_expression();
  } catch (SyntaxError& e) {
    return std::move(e.diagnostic);
  }
  return p;
}

}  // namespace tilescope
