// What the builtins (core/lower/builtins*.cpp) need of the lowering, and what the lowering needs of them. Errors are
// thrown as CompileError inside core/lower only and become Diagnostics at compile_kernel.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/builder.h"
#include "core/lower/value.h"

namespace tilescope::lower {

/// Carries one user error out of the recursive lowering.
struct CompileError {
  Diagnostic diagnostic;
};

/// An argument list after evaluation. Positional arguments have an empty name.
struct CallArg {
  std::string name;
  Value value;
};

struct Call {
  const Builtin* builtin = nullptr;
  std::vector<CallArg> args;  ///< for a method, `self` is args[0]
  SourceRange range;          ///< the whole call expression
  SourceRange callee;         ///< the callee expression
};

class Context {
 public:
  virtual ~Context() = default;
  Builder& b() { return *builder_; }
  const Type& type(ValueId v) { return builder_->type(v); }

  /// Throws CompileError with the current call chain attached.
  [[noreturn]] virtual void fail(Diagnostic d) = 0;
  [[noreturn]] void fail(const SourceRange& range, std::string message, std::string hint = {});
  /// A note (accepted and ignored, ...) that does not stop the compilation; repeated notes are given once.
  virtual void note(const SourceRange& range, std::string message) = 0;

  /// Inlines a call of a jit function (helpers, combine functions of tl.reduce) and returns its value.
  virtual Value call_function(const FunctionValue& f, std::vector<CallArg> args, const SourceRange& range) = 0;

  /// Calls a function of the prelude (core/lower/prelude.py text embedded), such as "softmax" or "_philox".
  virtual Value call_prelude(const std::string& name, std::vector<CallArg> args, const SourceRange& range) = 0;

 protected:
  Builder* builder_ = nullptr;
};

// ---- core/lower/semantics.cpp: Triton's typing rules, shared by operators and builtins ------------------------------

/// A run-time value for anything that has one: constexpr numbers become scalar constants (bool int1; int int32, int64 or
/// uint64 by size; float float32). Fails for strings, None, functions ...
ValueId to_tensor(Context& c, const Value& v);
/// `+ - * / // % & | ^ << >> == != < <= > >= **` by its Python spelling. Two constexprs give a constexpr (Python rules:
/// // and % floor); else Triton's promotion, implicit broadcasting, and errors with the shapes under both operands.
Value binary(Context& c, const std::string& op, const Value& lhs, const Value& rhs, const SourceRange& range);
/// `- + ~ not`.
Value unary(Context& c, const std::string& op, const Value& x, const SourceRange& range);
/// Triton's element type of a binary operation between run-time values.
DType promote(DType a, bool a_is_scalar, DType b, bool b_is_scalar, bool is_division);
/// Both operands converted to one element type and broadcast to one shape.
std::pair<ValueId, ValueId> promote_and_broadcast(Context& c, const Value& a, const Value& b, const SourceRange& range,
                                                  bool is_division = false);
ValueId broadcast_to(Context& c, ValueId v, const Shape& shape, const SourceRange& range);
/// Value conversion as `.to(dtype)`, pointers and int64 included.
ValueId cast_to(Context& c, ValueId v, DTypeValue to, bool bitcast, const SourceRange& range);
/// Constexpr access: fail with "must be a constexpr" and what was found.
ConstInt require_const_int(Context& c, const Value& v, const std::string& what);
bool require_const_bool(Context& c, const Value& v, const std::string& what);
std::string require_const_string(Context& c, const Value& v, const std::string& what);
DTypeValue require_dtype(Context& c, const Value& v, const std::string& what);
/// A shape given as a tuple, a list, or several ints; every extent a power of two, at most 2^20 elements.
Shape require_shape(Context& c, const Value& v, const std::string& what);

// ---- core/lower/builtins.h ---------------------------------------------------------------------------------------------

/// Binds the arguments of the call to its signature itself (Args of core/lower/builtins.h).
using BuiltinFn = Value (*)(Context&, Call&);
struct Builtin {
  std::string path;       ///< "tl.load", "tl.tensor.to" (methods), "py.min", "triton.cdiv", "libdevice.tanh"
  std::string signature;  ///< "(pointer, mask=None, other=None, ...)": names and defaults, bound before the call
  BuiltinFn fn;
  std::string doc;
  std::string names = {};  ///< every spelling, separated by spaces, this path among them
  std::string topic = {};  ///< the heading of the language reference under which it stands
};
/// Null when there is none. The lowering itself answers, when the table does not: py.range, py.len, py.int, py.float,
/// py.bool, py.isinstance, tl.range, tl.static_range, tl.static_assert, tl.static_print, tl.constexpr, tl.pointer_type,
/// the dtypes, and the attributes and methods of dtypes (core/lower/special_forms.cpp, attributes.cpp).
/// `import triton.language as tl` and every alias is resolved by the caller to "tl".
const Builtin* find_builtin(const std::string& path);
/// Names under a prefix that resemble `name`, for "did you mean".
std::string nearest_builtin(const std::string& path);

}  // namespace tilescope::lower
