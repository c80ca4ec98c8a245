// One evaluation of host Python (core/host_eval.h): expressions and names in host_eval.cpp, calls in host_eval_calls.cpp.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/host_facts.h"
#include "core/host_ops.h"

namespace tilescope::host {

using Scope = std::map<std::string, HostValue>;

inline constexpr int kMaxSteps = 200'000;
inline constexpr size_t kMaxCopied = 1'000'000;  ///< items of lists and pieces of strings in all values made
inline constexpr int kMaxCalls = 12;  ///< an expression has up to 200 levels in each

/// "triton.cdiv" of an attribute chain of names; a call in between is written "()". Empty for anything else.
std::string dotted(const Expr& e);

/// str(v) of a number, a string or None (core/host_text.cpp).
std::string text_of(const Expr& at, const HostValue& v);
/// A method of a string; nothing for one that is not known.
std::optional<HostValue> text_method(const Expr& at, const std::string& s, const std::string& name, const std::vector<HostValue>& a, const Scope& named);
int64_t bit_length(int64_t v);

/// Throws Unknown.
class Evaluation {
 public:
  Evaluation(const Module& module, int scope, const LaunchSpec* launch) : module_(module), scope_(scope), launch_(launch) {}

  /// Names of the file have the values that they have at this line, where decorators run; else those at its end.
  void stand_at(int line);
  HostValue eval(const Expr& e, Scope* scope);
  HostValue eval_kind(const Expr& e, Scope* scope);
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
  /// The assignment that gives a name of the file its value; refused where host code decides.
  const ModuleAssign* module_value(const Expr& e);
  /// A line of host code begins with `name` and this change.
  bool changed_by_host_code(const std::string& name, std::string_view change) const;
  HostValue list(const Expr& e, Scope* scope);
  HostValue unsupported(const Expr& e, Scope* scope);
  HostValue dict(const Expr& e, Scope* scope);
  void put(const Expr& at, HostValue& dict, HostValue key, HostValue value);
  void comprehend(const Expr& e, size_t clause, Scope& scope, HostValue& out);
  void bind(const Expr& target, HostValue v, Scope& scope);
  HostValue attribute(const Expr& e, Scope* scope);
  HostValue argument(const Expr& at, const std::string& name) const;
  HostValue subscript(const Expr& e, Scope* scope);
  HostValue item(const Expr& at, const HostValue& base, const HostValue& key);
  HostValue slice(const Expr& e, const HostValue& base, const Expr& s, Scope* scope);
  bool holds(const Expr& e, SynOp op, const HostValue& a, const HostValue& b);
  HostValue compare(const Expr& e, Scope* scope);
  HostValue bool_op(const Expr& e, Scope* scope);
  HostValue call(const Expr& e, Scope* scope);
  HostValue config(const Expr& e, Scope* scope);
  HostValue method(const Expr& e, const HostValue& base, const std::string& name, Scope* scope);
  std::optional<HostValue> built_in(const Expr& e, const std::string& chain, const std::string& last, const std::vector<HostValue>& a, const std::map<std::string, HostValue>& named);
  std::optional<HostValue> python_function(const Expr& e, const std::string& f, const std::vector<HostValue>& a);
  HostValue call_lambda(const Expr& at, const Expr& lambda, const std::vector<HostValue>& positional, const std::map<std::string, HostValue>& named);
  HostValue call_def(const Expr& at, const FunctionDef& f, const std::vector<HostValue>& positional, const std::map<std::string, HostValue>& named);
  Flow run(const std::vector<Stmt*>& body, Scope& scope, HostValue& result);
  Flow statement(const Stmt& s, Scope& scope, HostValue& result);
  Flow loop(const Stmt& s, Scope& scope, HostValue& result);
  /// `name.append(x)`, `name.extend(x)` of a list of this function; a string that stands alone is a comment.
  bool append(const Expr& e, Scope& scope);

  const Module& module_;
  const int scope_;  ///< that the kernel stands in
  const LaunchSpec* launch_;
  size_t assigns_seen_ = SIZE_MAX;  ///< assignments of the file that are in force
  int steps_ = 0, calls_ = 0;
  size_t copied_ = 0;
};

}  // namespace tilescope::host
