// The file level: finds functions, imports and constants, and steps over all other host code.
#include "core/syntax/parser.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "core/letters.h"
#include "core/syntax/parser_state.h"

namespace tilescope {

const FunctionDef* Module::find_function(std::string_view name) const {
  const FunctionDef* nested = nullptr;
  for (size_t i = functions.size(); i-- > 0;) {
    if (functions[i]->name != name) continue;
    if (functions[i]->scope == 0) return functions[i].get();
    if (nested == nullptr) nested = functions[i].get();
  }
  return nested;
}

const FunctionDef* Module::find_function(std::string_view name, int scope) const {
  for (size_t i = functions.size(); i-- > 0;)
    if (functions[i]->scope == scope && functions[i]->name == name) return functions[i].get();
  return nullptr;
}

const std::vector<Definition>& Module::definitions_of(const std::string& name) const {
  static const std::vector<Definition> kNone;
  const auto found = definitions.find(name);
  return found == definitions.end() ? kNone : found->second;
}

namespace {

void index_definitions(Module& m) {
  for (const auto& f : m.functions) m.definitions[f->name].push_back({place_of(f->name_range), f->scope, f->block, f.get(), nullptr, nullptr, nullptr});
  for (const ModuleAssign& a : m.assigns) m.definitions[a.name].push_back({place_of(a.range), a.scope, a.block, nullptr, &a, nullptr, nullptr});
  for (const ModuleClass& c : m.classes) m.definitions[c.name].push_back({place_of(c.range), c.scope, -1, nullptr, nullptr, nullptr, &c});
  for (const Import& i : m.imports) m.definitions[i.alias].push_back({place_of(i.range), i.scope, i.block, nullptr, nullptr, &i, nullptr});
  for (auto& [name, all] : m.definitions)
    std::stable_sort(all.begin(), all.end(), [](const Definition& a, const Definition& b) { return a.place < b.place; });
}

}  // namespace

bool is_jit_decorator(const Expr& decorator) {
  const Expr* e = decorator.kind == Expr::Kind::Call ? decorator.base : &decorator;
  return (e->kind == Expr::Kind::Name || e->kind == Expr::Kind::Attribute) && e->text == "jit";
}

bool is_constexpr_param(const FunctionParam& p) {
  const Expr* e = p.annotation;
  if (e == nullptr) return false;
  if (e->kind == Expr::Kind::Subscript) e = e->base;
  return e->text.find("constexpr") != std::string::npos;
}

const Import* Parser::find_import(std::string_view alias) const {
  for (size_t i = module_->imports.size(); i-- > 0;)
    if (module_->imports[i].alias == alias) return &module_->imports[i];
  return nullptr;
}

namespace {

/// The name that a decorator starts with: `triton` of `@triton.jit(noinline=True)`.
const Expr& decorator_root(const Expr& decorator) {
  const Expr* e = &decorator;
  while (e->base != nullptr && (e->kind == Expr::Kind::Call || e->kind == Expr::Kind::Attribute)) e = e->base;
  return *e;
}

/// Other compilers have a `jit` too: an import that neither speaks of Triton nor stays in the package is theirs.
bool may_be_triton(const Import& i) {
  const std::string path = lower_case(i.module + "." + i.name);
  return path.starts_with(".") || path.find("triton") != std::string::npos;
}

}  // namespace

bool Parser::is_jit(const Expr& decorator) const {
  const Expr& root = decorator_root(decorator);
  if (is_jit_decorator(decorator)) {
    const Import* import = root.kind == Expr::Kind::Name ? find_import(root.text) : nullptr;
    return import == nullptr || may_be_triton(*import);
  }
  const Expr* e = decorator.kind == Expr::Kind::Call ? decorator.base : &decorator;
  return e->kind == Expr::Kind::Name &&
         std::find(jit_aliases_.begin(), jit_aliases_.end(), e->text) != jit_aliases_.end();
}

/// Gluon, Triton's lower-level sibling, has decorators and a language of its own.
void Parser::check_dialect(FunctionDef& f) const {
  for (const Expr* d : f.decorators) {
    if (!is_jit(*d)) continue;
    const Expr& root = decorator_root(*d);
    const Import* import = root.kind == Expr::Kind::Name ? find_import(root.text) : nullptr;
    const std::string path = import == nullptr ? root.text : import->module + "." + import->name;
    if (path.find("gluon") == std::string::npos) continue;
    Diagnostic error;
    error.range = d->range;
    error.message = "`" + f.name + "` is a Gluon kernel: Gluon spells out layouts and shared memory, which is another "
                    "language";
    error.hint = "only kernels of triton.language run here";
    f.errors.insert(f.errors.begin(), std::move(error));
    return;
  }
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
  if (block_item()) return;
  if (at("@") || at("def") || (at("async") && is(ahead(), "def"))) return function_item();
  if (at("class")) return class_item();
  definition_line();
  skip_block();
}

/// What all scopes have in common: empty lines, and blocks of if, try, with and loops, whose items are read in turn.
bool Parser::block_item() {
  if (at_kind(TokenKind::Newline)) {
    advance();
  } else if (at_kind(TokenKind::Indent)) {
    if (!next_block_) {
      next_block_ = static_cast<int>(module_->blocks.size());
      module_->blocks.push_back({HostBlock::Kind::Other, nullptr, blocks_.empty() ? -1 : blocks_.back(), -1, scope_});
    }
    blocks_.push_back(*next_block_);
    next_block_.reset();
    advance();
  } else if (at_kind(TokenKind::Dedent)) {
    closed_block_ = blocks_.empty() ? -1 : blocks_.back();
    if (!blocks_.empty()) blocks_.pop_back();
    next_block_.reset();
    advance();
  } else if (at("if") || at("elif") || at("else") || at("try") || at("except") || at("finally") || at("with") ||
             at("for") || at("while")) {
    block_header();
  } else {
    next_block_.reset();
    closed_block_ = -1;
    return false;
  }
  return true;
}

/// First token behind the colon that ends the header which begins at `first`; 0: nothing stands there on its line.
size_t Parser::behind_colon(size_t first) const {
  for (size_t i = first; tokens_[i].kind != TokenKind::Newline && tokens_[i].kind != TokenKind::End; ++i) {
    const Token& t = tokens_[i];
    if (t.kind == TokenKind::Op && t.mate > 0 && static_cast<size_t>(t.mate) > i) i = static_cast<size_t>(t.mate);
    else if (is(t, ":")) return tokens_[i + 1].kind == TokenKind::Newline || tokens_[i + 1].kind == TokenKind::End ? 0 : i + 1;
  }
  return 0;
}

void Parser::block_header() {
  using K = HostBlock::Kind;
  HostBlock b;
  b.scope = scope_;
  b.parent = blocks_.empty() ? -1 : blocks_.back();
  const K before = closed_block_ < 0 ? K::Other : module_->blocks[static_cast<size_t>(closed_block_)].kind;
  // Nobody knows how often a loop runs, nor whether a `try` went well: an `if` without a test.
  const bool untested = at("for") || at("while") || (at("else") && (before == K::Try || before == K::Except));
  if (at("if") || untested || (at("elif") && before == K::If)) b.kind = K::If;
  if (at("else") && before == K::If) b.kind = K::Else;
  if (at("try")) b.kind = K::Try;
  if (at("except") && (before == K::Try || before == K::Except)) b.kind = K::Except;
  if (b.kind == K::Except || b.kind == K::Else || at("elif")) b.before = closed_block_;
  note_broken_line();
  const size_t first = at_, exprs = arena_.exprs.size();
  bind_in_header();
  if (b.kind == K::If && !untested) {
    try {
      advance();
      b.test = named_expression();
      if (!at(":")) b.test = nullptr;
    } catch (SyntaxError&) {  // host code may say what kernels cannot
      b.test = nullptr;
      while (arena_.exprs.size() > exprs) arena_.exprs.pop_back();
    }
  }
  const int block = static_cast<int>(module_->blocks.size());
  module_->blocks.push_back(b);
  if (const size_t behind = behind_colon(first); behind != 0) {
    at_ = behind;
    blocks_.push_back(block);
    definition_line();
    blocks_.pop_back();
    next_block_.reset();
    closed_block_ = block;
    return;
  }
  at_ = first;
  to_line_end();
  next_block_ = block;
  closed_block_ = at_kind(TokenKind::Indent) ? -1 : block;
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

void Parser::host_item(const std::function<void()>& read) {
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
    to_line_end();
    skip_block();
  }
  if (at("class")) return class_item(std::move(decorators));
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
  f->block = blocks_.empty() ? -1 : blocks_.back();
  f->scope = scope_;
  function(*f);
  failures_ += f->errors.size();
  check_dialect(*f);
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
  if (f->name.empty()) return;
  const size_t end = at_;
  HostScope scope{f->name, scope_, -1, {}};
  for (const FunctionParam& p : f->params) scope.params.push_back(p.name);
  const bool nested = !f->is_jit && defines_kernel(first, end);
  module_->functions.push_back(std::move(f));
  if (nested) inside(std::move(scope), first, end);
}

void Parser::class_item(std::vector<Expr*> decorators) {
  const size_t first = at_, known = module_->classes.size();
  host_item([&] {
    advance();
    if (!at_kind(TokenKind::Name)) fail_here("a class name");
    ModuleClass c;
    c.name = text(now());
    c.decorators = std::move(decorators);
    c.scope = scope_;
    advance();
    c.range = range_from(first);
    if (at("(")) c.bases = call(make(Expr::Kind::None, first), first)->items;
    module_->classes.push_back(std::move(c));
  });
  to_line_end();
  skip_block();
  if (module_->classes.size() == known) return;
  HostScope scope{module_->classes.back().name, scope_, static_cast<int>(known), {}};
  inside(std::move(scope), first, at_);
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
      i.path = std::exchange(i.module, i.alias);
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
  i.block = blocks_.empty() ? -1 : blocks_.back();
  i.scope = scope_;
  module_->imports.push_back(std::move(i));
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
  index_definitions(m);
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
