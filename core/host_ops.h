// What host Python does with values, for core/host_evaluation.h: operators, comparisons, lists. What it does not know it throws
// as Unknown; HostEval turns that into an error.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "core/host_eval.h"

namespace tilescope::host {

inline constexpr size_t kMaxSteps = 500'000;  ///< expressions, statements, items of lists and pieces of strings
inline constexpr size_t kMaxItems = 10'000;   ///< of a list
inline constexpr size_t kMaxText = 4096;      ///< of a string

/// Why something is not known.
struct Unknown {
  Diagnostic why;
};

/// The names of a function, a lambda or a comprehension. Those made inside see later changes, as in Python.
struct Scope {
  std::map<std::string, HostValue> names;
  Scope* around = nullptr;

  /// Here or around; null when there is none.
  const HostValue* find(const std::string& name) const;
};

/// What an evaluator has made; all of it goes at once, so nothing recurses through lists of lists.
struct Memory {
  std::deque<HostList> lists;
  std::deque<Scope> scopes;
  std::map<const ModuleAssign*, HostValue> globals;
  std::map<std::string, bool> changed;  ///< whether host code changes a name of the file
  size_t steps = 0;
};

bool is_number(const HostValue& v);
bool is_whole(const HostValue& v);  ///< int or bool
double real_of(const HostValue& v);

[[noreturn]] void refuse(const SourceRange& at, const std::string& why);
[[noreturn]] void refuse(const Expr& at, const std::string& why);
bool truth(const HostValue& v, const Expr& at);
HostValue dtype_value(DType t);
HostValue unary(const Expr& e, const HostValue& v);
HostValue to_int(const Expr& e, double v);
HostValue minus(const Expr& e, const HostValue& v);

/// Operations that make values or take long: they are charged to the evaluator's budget. All throw Unknown.
class Operations {
 public:
  explicit Operations(Memory& memory) : memory_(memory) {}

  void charge(const SourceRange& at, size_t steps = 1);
  /// An empty list, dict ...
  HostValue new_list(const Expr& at, HostValue::Kind kind = HostValue::Kind::List);
  Scope& new_scope(const Expr& at, Scope* around);
  void add(const Expr& at, const HostValue& list, HostValue v);
  /// Sets a key of a dict.
  void put(const Expr& at, const HostValue& dict, HostValue key, HostValue value);
  /// What a `for` goes over: the list itself, or one of a dict's keys.
  HostValue sequence(const Expr& at, const HostValue& v);
  HostValue whole_list(const Expr& at, const std::vector<int64_t>& values);
  HostValue binary(const Expr& e, SynOp op, const HostValue& a, const HostValue& b);
  /// ==. Refused where it needs a tensor's values.
  bool equal(const Expr& at, const HostValue& a, const HostValue& b, int depth = 0);
  HostValue range(const Expr& e, const std::vector<HostValue>& a);
  HostValue product(const Expr& e, const std::vector<HostValue>& lists);

 protected:
  Memory& memory_;
};

}  // namespace tilescope::host
