// A small evaluator of host Python, for what decorators say above a kernel and for constants that kernels see: numbers, strings,
// lists, dicts, comprehensions, `triton.Config`, functions of the same file, and the launch's arguments. What it cannot know it
// refuses; the one thing it takes for granted is the machine (core/host_facts.h).
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/launch_file.h"
#include "core/syntax/ast.h"

namespace tilescope {

struct HostList;
namespace host {
struct Scope;
struct Memory;
}

/// A host value. Lists are references, as in Python: two names may stand for one list. They live as long as the evaluator.
struct HostValue {
  // clang-format off
  enum class Kind { None, Bool, Int, Float, Str, List, Dict, Config, DType, Tensor, Function, Arguments };
  // clang-format on
  Kind kind = Kind::None;
  int64_t integer = 0;  ///< Bool, Int
  double real = 0;
  std::string text;  ///< Str
  /// List (tuples too): its items. Dict: key, value, key, value ... Config: the dict of its values, the dict of num_warps,
  /// num_stages and what else it is given. Function: the dict of a lambda's defaults.
  HostList* list = nullptr;
  SourceRange range;  ///< Config: where it is written
  DType dtype = DType::Float32;
  const TensorSpec* tensor = nullptr;
  const FunctionDef* function = nullptr;
  const Expr* lambda = nullptr;
  host::Scope* scope = nullptr;  ///< of a lambda: where it was made; null for the file itself

  const std::vector<HostValue>& items() const;
  /// What a dict has under a string; null when it has none.
  const HostValue* find(const std::string& key) const;

  static HostValue of(int64_t v);
  static HostValue of(double v);
  static HostValue of(bool v);
  static HostValue of(std::string v);
};

struct HostList {
  std::vector<HostValue> items;
  bool of_file = false;  ///< reached from a name of the file: host code that changes it is not followed
};

/// "128", "True", "'ieee'".
std::string host_text(const HostValue& v);

/// Evaluates expressions of one module. Everything is bounded: one budget for steps and for the values made, nesting, the length
/// of lists and strings.
class HostEval {
 public:
  /// `scope`: that the kernel stands in, an index into Module::scopes. The module outlives the evaluator, which outlives its
  /// values.
  HostEval(const Module& module, int scope);
  ~HostEval();

  /// At the place of `e` in the file: names have the values given to them above. Errors: what the evaluator does not know, with
  /// its place.
  Expected<HostValue> evaluate(const Expr& e);
  /// Calls a lambda or a function of the file with the launch's arguments, behind the file's end.
  Expected<HostValue> call_with_arguments(const HostValue& callee, const LaunchSpec& launch);

 private:
  const Module& module_;
  int scope_;
  std::unique_ptr<host::Memory> memory_;
};

}  // namespace tilescope
