// The recursive-descent parser behind parser.h; private to core/syntax. Its files: parser_module.cpp (the file level
// and host code), parser_nested.cpp (kernels inside classes and host functions), parser_function.cpp, parser_stmt.cpp, parser_expr.cpp (operators), parser_atom.cpp (names, calls,
// brackets), parser_string.cpp, parser_messages.cpp (hints for common mistakes).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.h"
#include "core/syntax/ast.h"
#include "core/syntax/lexer.h"

namespace tilescope {

/// Thrown inside the parser only, from the place of an error to the statement around it.
struct SyntaxError {
  Diagnostic diagnostic;
  bool fatal = false;  ///< what follows in this function cannot be trusted (indentation)
};

/// Nodes of one file; a hostile file of brackets and commas must not take gigabytes.
inline constexpr size_t kMaxAstNodes = 1u << 20;
inline constexpr size_t kMaxErrorsPerFunction = 20;
inline constexpr size_t kMaxSkippedNotes = 20;
inline constexpr int kMaxScopeDepth = 12;          ///< classes and host functions in each other
inline constexpr size_t kMaxErrorsPerFile = 2000;  ///< host code included; then the rest of the file is not read

/// `{value!r:format}` of an f-string, as offsets into the file.
struct FormatField {
  size_t begin = 0, value_end = 0, end = 0;  ///< after the brace; end of the value; the closing brace
  std::string format;
  bool shows_text = false;  ///< `{value=}`
  bool closed = false;
};

class Parser {
 public:
  Parser(SourcePtr source, std::vector<Token> tokens, AstArena& arena, int depth = 0)
      : source_(std::move(source)), tokens_(std::move(tokens)), arena_(arena), depth_(depth) {}

  void module(Module& out);  // parser_module.cpp
  Expr* lone_expression();   // the whole text is one expression

 private:
  // Tokens.
  const Token& now() const { return tokens_[at_]; }
  const Token& ahead(size_t n = 1) const { return tokens_[std::min(at_ + n, tokens_.size() - 1)]; }
  const Token& before() const { return tokens_[at_ == 0 ? 0 : at_ - 1]; }
  std::string_view text(const Token& t) const {
    return std::string_view(source_->text).substr(t.begin, t.end - t.begin);
  }
  bool is(const Token& t, std::string_view word) const {
    return (t.kind == TokenKind::Op || t.kind == TokenKind::Keyword) && text(t) == word;
  }
  bool at(std::string_view word) const { return is(now(), word); }
  bool at_kind(TokenKind kind) const { return now().kind == kind; }
  void advance() {
    if (at_ + 1 < tokens_.size()) ++at_;
  }
  bool accept(std::string_view word) {
    if (!at(word)) return false;
    advance();
    return true;
  }
  SourceRange range_of(const Token& t) const { return {source_, t.line, t.column, t.end_line, t.end_column}; }
  /// From the token at index `first` to the last one consumed.
  SourceRange range_from(size_t first) const;

  // Errors (parser_messages.cpp).
  [[noreturn]] void fail(const SourceRange& range, std::string message, std::string hint = {}) const;
  /// The current token does not fit: says what was expected there, and guesses at the mistake.
  [[noreturn]] void fail_here(std::string_view expected) const;
  [[noreturn]] void fail_operand() const;
  [[noreturn]] void fail_end_of_statement() const;
  [[noreturn]] void fail_unmatched() const;
  size_t unclosed_bracket() const;
  void blame_unclosed_bracket() const;
  /// Inside the bracket at index `opener`, neither its partner nor a comma stands here.
  [[noreturn]] void fail_in_bracket(size_t opener) const;
  void refuse_error_token() const;
  std::string describe(const Token& t) const;

  // Nodes.
  Expr* make(Expr::Kind kind, size_t first_token);
  Expr* finish(Expr* e, size_t first_token);  ///< sets the range's end and the depth, which is checked
  Expr* unsupported(std::string what, size_t first_token);
  Stmt* make_stmt(Stmt::Kind kind, size_t first_token);

  /// Counts recursion; too much is an error.
  class Nested {
   public:
    explicit Nested(Parser& p) : p_(p) {
      if (++p_.depth_ > kMaxExprDepth) {
        --p_.depth_;
        p_.fail_nesting();
      }
    }
    ~Nested() { --p_.depth_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;

   private:
    Parser& p_;
  };
  [[noreturn]] void fail_nesting() const;

  // Expressions (parser_expr.cpp).
  Expr* expression();        ///< a ternary, lambda or anything below
  Expr* named_expression();  ///< also with :=
  Expr* star_expressions();  ///< `a, *b, c`: a Tuple when there is a comma
  Expr* disjunction();
  Expr* conjunction();
  Expr* inversion();
  Expr* comparison();
  Expr* binary(int least_precedence);
  Expr* unary();
  Expr* lambda();
  SynOp comparison_operator();

  // parser_atom.cpp
  Expr* postfix();
  Expr* atom();
  Expr* number();
  Expr* parenthesised();
  Expr* list_display();
  Expr* brace_display();
  Expr* call(Expr* callee, size_t first);
  void call_argument(Expr* call, size_t opener);
  Expr* subscript(Expr* base, size_t first);
  Expr* subscript_item();
  Expr* starred();
  /// At `for` or `async` inside a bracket: steps to the bracket's end and returns the Unsupported node.
  Expr* comprehension(std::string_view what, size_t opener, size_t first);
  Expr* list_comprehension(const Expr* list, size_t first);
  void comprehension_clauses(Expr& e);
  Expr* lone_generator(Expr* element, size_t opener);
  void close_bracket(size_t opener);
  bool at_comprehension() const { return at("for") || at("async"); }
  bool starts_expression() const;

  // parser_string.cpp
  Expr* strings();
  Expr* string_part(std::string decoded, size_t token);
  std::string decode(size_t begin, size_t end, bool raw);
  void format_parts(size_t begin, size_t end, bool raw, std::string& literal, std::vector<Expr*>& parts);
  Expr* format_value(const FormatField& field);
  SourceRange range_at(size_t begin, size_t end);
  LexRegion region_at(size_t begin, size_t end);

  // Statements (parser_stmt.cpp).
  void block(std::vector<Stmt*>& out, std::string_view owner, const SourceRange& header);
  void enter_block(const SourceRange& header) const;
  void statements_until_dedent(std::vector<Stmt*>& out);
  void statement(std::vector<Stmt*>& out);
  void simple_line(std::vector<Stmt*>& out);
  bool at_statement_end() const;
  Stmt* simple_statement();
  Stmt* assignment_or_expression();
  Stmt* annotated(Expr* target, size_t first);
  void check_target(const Expr* e) const;
  Stmt* if_statement();
  void else_block(Stmt* s);
  Stmt* for_statement();
  Expr* loop_target();
  Stmt* while_statement();
  Stmt* unsupported_statement(std::string what);
  Expr* condition(std::string_view owner);
  void colon(std::string_view place);
  std::string_view unsupported_compound() const;  ///< what the statement here is, or empty
  bool at_match_statement() const;
  void to_line_end();
  void skip_block();
  void recover(size_t first);
  void record(SyntaxError& e);

  // Functions (parser_function.cpp).
  void function(FunctionDef& f);
  void header(FunctionDef& f);
  void parameters(FunctionDef& f, size_t opener);
  FunctionParam parameter(bool keyword_only);

  // The file level (parser_module.cpp).
  void top_level_item();
  bool block_item();
  size_t behind_colon(size_t first) const;
  void block_header();
  void function_item();
  void class_item(std::vector<Expr*> decorators = {});
  void import_item();
  void import_from();
  void add_import(Import i, size_t first);
  std::string dotted_name();
  /// Reads an item with `read`, and stays in front of it; one that does not parse leaves nothing behind but a note.
  void host_item(const std::function<void()>& read);
  void note(Diagnostic d);
  void note_broken_line();
  bool is_jit(const Expr& decorator) const;
  const Import* find_import(std::string_view alias) const;
  void check_dialect(FunctionDef& f) const;

  // Bindings of host code (parser_host.cpp).
  size_t statement_end(size_t first) const;
  bool definition_line();
  bool definition_item();
  bool quiet_item(const std::function<void()>& read);
  size_t last_assignment(size_t first, size_t stop) const;
  void bind_targets(size_t first, size_t stop);
  void bind_walruses(size_t first, size_t stop);
  void bind_in_header();
  Expr* host_value(const SourceRange& range);
  void bind_by_host_code(size_t token);
  void assignment_item();
  void bind_target(const Stmt& s, const Expr* target, Expr* value, std::vector<ModuleAssign>& out);

  // Kernels inside classes and host functions (parser_nested.cpp).
  void inside(HostScope scope, size_t body, size_t stop);
  void nested_item();
  void nested_function();
  bool defines_kernel(size_t first, size_t stop) const;
  int add_scope(HostScope scope);

  SourcePtr source_;
  std::vector<Token> tokens_;
  AstArena& arena_;
  std::shared_ptr<const std::vector<size_t>> line_starts_;  ///< offsets; made when an f-string needs them
  size_t at_ = 0;
  int depth_;                                  // of expressions
  int block_depth_ = 0;                        // of statements
  size_t stop_ = SIZE_MAX;                     // token at which the current function ends
  std::vector<Diagnostic>* errors_ = nullptr;  // of the current function
  Module* module_ = nullptr;
  size_t failures_ = 0;                   // errors in the whole file
  std::vector<std::string> jit_aliases_;  // names imported from Triton as jit
  std::vector<int> blocks_;               // around the current item in its scope, indices into Module::blocks
  std::optional<int> next_block_;         // what the next indent opens, when a header said so
  int closed_block_ = -1;                 // the block that ended just before: an `else` may follow it
  int scope_ = 0;                         // what encloses the current item, an index into Module::scopes
  int nesting_ = 0;                       // scopes around it
};

}  // namespace tilescope
