// One evaluation of host Python (core/host_eval.h): expressions and names in host_eval.cpp, statements in
// host_eval_statements.cpp, calls in host_eval_calls.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/host_facts.h"
#include "core/host_ops.h"

namespace tilescope::host {

inline constexpr int kMaxCalls = 12;  ///< an expression has up to 200 levels in each

/// "triton.cdiv" of an attribute chain of names; a call in between is written "()". Empty for anything else.
std::string dotted(const Expr& e);

/// str(v) of a number, a string or None (core/host_text.cpp).
std::string text_of(const Expr& at, const HostValue& v);
/// A method of a string; nothing for one that is not known.
std::optional<HostValue> text_method(Operations& o, const Expr& at, const std::string& s, const std::string& name, const std::vector<HostValue>& a,
                                     const std::map<std::string, HostValue>& named);
int64_t bit_length(int64_t v);

/// Modules of which imports are known: Triton, and the part of Python's library that host code uses.
bool is_language(const std::string& module);

/// Throws Unknown.
class Evaluation : private Operations {
 public:
  Evaluation(const Module& module, int scope, const LaunchSpec* launch, Memory& memory)
      : Operations(memory), module_(module), scope_(scope), launch_(launch) {}

  /// Names of the file have the values that they have at this place, where decorators run; else those at its end.
  void stand_at(const SourceRange& place) { before_ = place_of(place); }
  /// `scope`: the names of the function around; null at the level of the file.
  HostValue eval(const Expr& e, Scope* scope);
  HostValue call_function(const Expr& at, const HostValue& callee, std::vector<HostValue> positional, std::map<std::string, HostValue> named);

 private:
  enum class Flow { On, Break, Continue, Return };

  HostValue name(const Expr& e, Scope* scope);
  HostValue defined_name(const Expr& e, Scope* scope);
  HostValue fact(const HostFact& fact);
  HostValue text_with_values(const Expr& e, Scope* scope);
  /// A constant or member of a class of the file.
  std::optional<HostValue> class_constant(const Expr& e);
  /// A name of a class or function that the kernel stands in.
  bool is_of_enclosing_host_code(const std::string& name) const;
  /// What a name of the file stands for at the present place; its `place` is 0 when that is nothing.
  Definition binding_of(const std::string& name, const SourceRange& use);
  HostValue global(const Expr& e, const ModuleAssign& a);
  /// Lists of the file stay as they are: what changes them is refused.
  void keep_as_it_is(const Expr& at, const HostValue& v);
  HostValue list(const Expr& e, Scope* scope);
  HostValue unsupported(const Expr& e, Scope* scope);
  HostValue dict(const Expr& e, Scope* scope);
  HostValue function_of(const Expr& lambda, Scope* scope);
  void comprehend(const Expr& e, size_t clause, Scope& scope, const HostValue& out);
  void bind(const Expr& target, HostValue v, Scope& scope);
  HostValue attribute(const Expr& e, Scope* scope);
  HostValue argument(const Expr& at, const std::string& name) const;
  HostValue subscript(const Expr& e, Scope* scope);
  HostValue item(const Expr& at, const HostValue& base, const HostValue& key);
  const HostValue* value_under(const Expr& at, const HostValue& dict, const HostValue& key);
  HostValue slice(const Expr& e, const HostValue& base, const Expr& s, Scope* scope);
  bool holds(const Expr& e, SynOp op, const HostValue& a, const HostValue& b);
  HostValue compare(const Expr& e, Scope* scope);
  HostValue bool_op(const Expr& e, Scope* scope);
  HostValue call(const Expr& e, Scope* scope);
  HostValue config(const Expr& e, Scope* scope);
  HostValue method(const Expr& e, const HostValue& base, const std::string& name, Scope* scope);
  std::optional<HostValue> built_in(const Expr& e, const std::string& chain, const std::string& last, const std::vector<HostValue>& a, const std::map<std::string, HostValue>& named);
  std::optional<HostValue> python_function(const Expr& e, const std::string& f, const std::vector<HostValue>& a);
  HostValue call_lambda(const Expr& at, const HostValue& callee, const std::vector<HostValue>& positional, const std::map<std::string, HostValue>& named);
  HostValue call_def(const Expr& at, const FunctionDef& f, const std::vector<HostValue>& positional, const std::map<std::string, HostValue>& named);
  HostValue default_of(const FunctionDef& f, const Expr& value);
  /// A function that `name` is known by here: Python's or Triton's, not one of the file or of another file.
  bool is_known_function(const Expr& callee, const std::string& name, Scope* scope);
  Flow run(const std::vector<Stmt*>& body, Scope& scope, HostValue& result);
  Flow statement(const Stmt& s, Scope& scope, HostValue& result);
  Flow augmented(const Stmt& s, Scope& scope);
  void extend(const Expr& at, const HostValue& list, const HostValue& more);
  Flow loop(const Stmt& s, Scope& scope, HostValue& result);
  /// `name.append(x)`, `name.extend(x)` of a list of this function; a string that stands alone is a comment.
  bool append(const Expr& e, Scope& scope);

  const Module& module_;
  const int scope_;  ///< that the kernel stands in
  const LaunchSpec* launch_;
  int64_t before_ = INT64_MAX;  ///< definitions of the file before this place are in force
  int calls_ = 0;
};

}  // namespace tilescope::host
