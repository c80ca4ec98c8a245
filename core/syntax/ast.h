// The syntax tree of a kernel file: the Python subset that Triton kernels use, plus named nodes for the Python that
// kernels cannot use, so that the lowering can refuse it by name at its place.
//
// Nodes live in an AstArena that the Module owns; pointers between them are plain and never null unless a field says
// so. No subtree is deeper than kMaxExprDepth / kMaxBlockDepth, so recursive walks are safe.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/diagnostic.h"

namespace tilescope {

inline constexpr int kMaxExprDepth = 200;   ///< levels of an expression tree; `a + b + c` has three
inline constexpr int kMaxBlockDepth = 100;  ///< nested blocks; every `elif` counts as one

// clang-format off
/// Operators of BinOp, UnaryOp, Compare, BoolOp and AugAssign.
enum class SynOp {
  None,
  Add, Sub, Mul, Div, FloorDiv, Mod, Pow, MatMul, BitAnd, BitOr, BitXor, Shl, Shr,  // BinOp, AugAssign
  Neg, Pos, Invert, Not,                                                            // UnaryOp
  Eq, Ne, Lt, Le, Gt, Ge, Is, IsNot, In, NotIn,                                     // Compare
  And, Or,                                                                          // BoolOp
};
// clang-format on

/// How the operator is written in Python, such as "//" or "is not".
std::string_view spelling(SynOp op);

struct Expr;

/// `name=value` of a call; the name is empty for `**value`.
struct Keyword {
  std::string name;
  SourceRange name_range;
  Expr* value = nullptr;
};

/// One expression. What the fields hold, by kind (fields that are not named are empty):
///   Name           text
///   Int            integer, or too_big when the value is beyond 2^64 - 1
///   Float          real (a literal beyond the range of double is infinity, as in Python)
///   Bool           integer 0 or 1
///   None, Ellipsis
///   Str            text, decoded; adjacent literals are joined
///   FString        items: Str and FormattedValue parts in order
///   FormattedValue items[0]; text is the format after ':' (with a conversion such as "!r" in front), often empty
///   Attribute      base . text
///   Subscript      base [items...]; x[a, b] has two items, x[(a, b)] one Tuple
///   Slice          items: lower, upper, step; each may be null. Only as an item of a Subscript
///   Call           base(items..., keywords...); `*args` is an item of kind Starred
///   BinOp          op, items[0], items[1]
///   UnaryOp        op, items[0]
///   Compare        items[0] ops[0] items[1] ops[1] items[2] ...
///   BoolOp         op (And, Or), two or more items, flattened: `a and b and c` has three
///   IfExp          items: test, value if true, value if false
///   Tuple, List    items; a Tuple's range includes its parentheses when it has them
///   Starred        items[0]
///   Unsupported    text names it for messages: "lambda", "dict", "list comprehension", "bytes literal" ...; a dict has
///                  items key, value, key, value ... (a null key for `**value`), a lambda its body in items[0] and its
///                  parameters in keywords: decorators such as heuristics have them. A list comprehension has its element
///                  in items[0] and its clauses in keywords: "for" with a Tuple of target and iterable, "if" with a test
/// The range of a parenthesised expression is that of the inside, except for tuples.
struct Expr {
  // clang-format off
  enum class Kind {
    Name, Int, Float, Bool, None, Ellipsis, Str, FString, FormattedValue, Attribute, Subscript, Slice, Call,
    BinOp, UnaryOp, Compare, BoolOp, IfExp, Tuple, List, Starred, Unsupported,
  };
  // clang-format on
  Kind kind = Kind::None;
  SynOp op = SynOp::None;
  bool too_big = false;
  bool parenthesised = false;  ///< written in (); `(a < b) < c` is not a chain
  int depth = 1;               ///< levels of the tree below and including this node
  SourceRange range;
  std::string text;
  uint64_t integer = 0;
  double real = 0;
  Expr* base = nullptr;
  std::vector<Expr*> items;
  std::vector<SynOp> ops;
  std::vector<Keyword> keywords;

  bool is_name(std::string_view name) const { return kind == Kind::Name && text == name; }
};

/// One statement, by kind:
///   Assign       targets (a = b = value has two; `a, b = value` has one Tuple), value
///   AnnAssign    targets[0], annotation, value (null for a bare `x: int`)
///   AugAssign    targets[0] op= value
///   ExprStmt     value
///   If           value is the test; body; orelse (an `elif` is an orelse of exactly one If with is_elif)
///   For          targets[0], value is the iterable; body; orelse
///   While        value is the test; body; orelse
///   Return       value, null for a bare `return`
///   Assert       value is the test; message may be null
///   Pass, Break, Continue
///   Unsupported  text names it: "try", "with", "nested function", "del", "global", "import", "raise" ...; its block is
///                skipped
/// The range of a compound statement is its header without the block, up to and including the colon; for
/// Unsupported it is the first line or less.
struct Stmt {
  // clang-format off
  enum class Kind {
    Assign, AnnAssign, AugAssign, ExprStmt, If, For, While, Return, Assert, Pass, Break, Continue,
    Unsupported,
  };
  // clang-format on
  Kind kind = Kind::Pass;
  SynOp op = SynOp::None;
  bool is_elif = false;
  SourceRange range;
  std::string text;
  std::vector<Expr*> targets;
  Expr* annotation = nullptr;
  Expr* value = nullptr;
  Expr* message = nullptr;
  std::vector<Stmt*> body;
  std::vector<Stmt*> orelse;
};

struct FunctionParam {
  enum class Kind { Normal, PositionalOnly, KeywordOnly, VarArgs, KwArgs };  // VarArgs: *name, KwArgs: **name
  Kind kind = Kind::Normal;
  std::string name;
  SourceRange range;              ///< the name only
  Expr* annotation = nullptr;     ///< may be null
  Expr* default_value = nullptr;  ///< may be null
};

struct FunctionDef {
  std::string name;
  SourceRange name_range;
  SourceRange range;  ///< the header, from `def` to the colon
  std::vector<FunctionParam> params;
  std::vector<Expr*> decorators;  ///< outermost first, without the @
  Expr* returns = nullptr;        ///< may be null
  std::vector<Stmt*> body;        ///< without the docstring
  bool is_jit = false;            ///< some decorator ends in `jit`
  int block = -1;                 ///< the host block it stands in, an index into Module::blocks; -1: none
  int scope = 0;                  ///< what encloses it, an index into Module::scopes
  /// Syntax errors in this function; when there are any, the body is incomplete and must not be lowered.
  std::vector<Diagnostic> errors;
};

/// `import module as alias` (name empty) or `from module import name as alias`. `import a.b` without `as` binds "a" to
/// module "a". `from m import *` has name "*" and an empty alias. Leading dots stay in module.
struct Import {
  std::string module;
  std::string name;
  std::string alias;  ///< the name that the file uses
  SourceRange range;
  std::string path = {};  ///< "a.b" of `import a.b` without `as`
  int block = -1;  ///< as FunctionDef::block
  int scope = 0;
};

/// Text of the Unsupported value of names that only the running host code gives one: `for NAME in x`, `NAME, b = f()`.
inline constexpr std::string_view kHostValue = "value that host code works out";

/// `NAME = value` or `NAME: annotation = value` at module level, or in a scope; `NAME *= 2` has the value `NAME * 2`.
struct ModuleAssign {
  std::string name;
  Expr* annotation = nullptr;  ///< may be null
  Expr* value = nullptr;       ///< never null
  SourceRange range;
  int block = -1;  ///< as FunctionDef::block
  int scope = 0;
};

/// `name: annotation` or `name: annotation = value` in a class, in order.
struct ClassField {
  std::string name;
  Expr* default_value = nullptr;  ///< may be null
};

struct ModuleClass {
  std::string name;
  SourceRange range;
  std::vector<Expr*> bases;
  std::vector<Expr*> decorators;
  std::vector<ClassField> fields;
  int scope = 0;   ///< where the class stands
  int inside = 0;  ///< the scope of its own constants and functions
};

/// What encloses functions, imports and constants: the file itself, a class, or a host function that defines kernels.
struct HostScope {
  std::string name;  ///< empty for the file
  int parent = -1;   ///< index of the scope around it; -1 for the file
  int class_index = -1;             ///< into Module::classes, for a class
  std::vector<std::string> params;  ///< of a host function: known only when host code runs
};

/// A block of host code outside of functions that kernels may see into: which of several definitions of a name holds can
/// depend on it.
struct HostBlock {
  enum class Kind { If, Else, Try, Except, Other };  ///< If: also elif. Else: of an if. Other: always run, as with, finally
  Kind kind = Kind::Other;
  const Expr* test = nullptr;  ///< of an If; null when it is no expression of the kernel language
  int parent = -1;             ///< the block around it in the same scope
  int before = -1;             ///< the block before it in the same statement: the if of an else, the try of an except
  int scope = 0;
};

/// A place of a file as a number that grows from its beginning to its end.
inline int64_t place_of(const SourceRange& range) { return (int64_t{range.line} << 24) + range.column; }

/// What gives a name of the file a meaning: one of the four pointers is set.
struct Definition {
  int64_t place = 0;  ///< place_of what it is made of
  int scope = 0;      ///< an index into Module::scopes
  int block = -1;     ///< the host block that decides whether it is there; -1: none
  const FunctionDef* function = nullptr;
  const ModuleAssign* assign = nullptr;
  const Import* import = nullptr;
  const ModuleClass* type = nullptr;
};

/// Owns the nodes; nothing is freed before the module is.
struct AstArena {
  std::deque<Expr> exprs;
  std::deque<Stmt> stmts;
};

/// What a kernel file holds, in file order. Names may repeat: as in Python, the last one wins.
struct Module {
  SourcePtr source;
  std::vector<std::unique_ptr<FunctionDef>> functions;  ///< also those without a jit decorator
  std::vector<ModuleAssign> assigns;
  std::vector<Import> imports;
  std::vector<ModuleClass> classes;
  std::vector<HostBlock> blocks;  ///< a block stands after those in `parent` and `before`
  std::vector<HostScope> scopes = {{}};  ///< the file itself is the first
  /// Why host code was left out, as warnings: worth showing when a kernel is not found.
  std::vector<Diagnostic> skipped;
  std::unique_ptr<AstArena> arena;
  std::unordered_map<std::string, std::vector<Definition>> definitions;  ///< by name; made when the file has been read

  /// Everything that binds the name, in any scope, from the file's beginning to its end. `import *` stands under "".
  const std::vector<Definition>& definitions_of(const std::string& name) const;

  /// The last function of that name at the file's level; when there is none, the last inside a class or a function.
  const FunctionDef* find_function(std::string_view name) const;
  /// The last function of that name directly in a scope, or null.
  const FunctionDef* find_function(std::string_view name, int scope) const;
};

}  // namespace tilescope
