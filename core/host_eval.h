// A small evaluator of host Python, for what decorators say above a kernel: numbers, strings, lists, dicts, comprehensions,
// `triton.Config`, functions of the same file, and the launch's arguments. What it cannot know it refuses; it never guesses.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/launch_file.h"
#include "core/syntax/ast.h"

namespace tilescope {

/// A host value. Strings, lists and dicts are values of their own, not references.
struct HostValue {
  // clang-format off
  enum class Kind { None, Bool, Int, Float, Str, List, Dict, Config, DType, Tensor, Function, Arguments };
  // clang-format on
  Kind kind = Kind::None;
  int64_t integer = 0;  ///< Bool, Int
  double real = 0;
  std::string text;                ///< Str
  std::vector<HostValue> items;    ///< List (tuples too); Dict: key, value, key, value ...; Config: the dict of its values
  std::map<std::string, HostValue> options;  ///< Config: num_warps, num_stages and what else it is given
  SourceRange range;                         ///< Config: where it is written
  DType dtype = DType::Float32;
  const TensorSpec* tensor = nullptr;
  const FunctionDef* function = nullptr;
  const Expr* lambda = nullptr;

  static HostValue of(int64_t v);
  static HostValue of(double v);
  static HostValue of(bool v);
  static HostValue of(std::string v);
};

/// "128", "True", "'ieee'".
std::string host_text(const HostValue& v);

/// Evaluates expressions of one module. Everything is bounded: steps, nesting, the length of lists and strings.
class HostEval {
 public:
  /// `scope`: that the kernel stands in, an index into Module::scopes. `launch`: what `args[...]` of a heuristic reads; may be
  /// null. Module and launch outlive the evaluator and its values.
  HostEval(const Module& module, int scope, const LaunchSpec* launch);

  /// At the place of `e` in the file: names have the values given to them above. Errors: what the evaluator does not know, with
  /// its place.
  Expected<HostValue> evaluate(const Expr& e);
  /// Calls a lambda or a function of the file with the launch's arguments.
  Expected<HostValue> call_with_arguments(const HostValue& callee);

 private:
  const Module& module_;
  int scope_;
  const LaunchSpec* launch_;
};

}  // namespace tilescope
