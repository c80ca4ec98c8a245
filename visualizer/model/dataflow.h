// Who makes and who uses each value of a function: the static half of "where did this come from" and "what became of
// it".
#pragma once

#include <unordered_map>
#include <vector>

#include "core/ir.h"

namespace tilescope::model {

/// What gives a value its value.
struct Definition {
  enum class By : uint8_t { Parameter, Result, Argument };
  By by = By::Parameter;
  const Op* op = nullptr;  ///< Result: the op; Argument: the For or While that owns the region
  int number = -1;         ///< of `op`, as in Step::op
  int region = 0;          ///< Argument
  int index = 0;           ///< of the parameter, result or region argument
};

struct Use {
  const Op* op = nullptr;
  int number = -1;
  int operand = 0;
};

class Dataflow {
 public:
  explicit Dataflow(const Function& function);

  const Function& function() const { return *function_; }
  const std::vector<const Op*>& ops() const { return ops_; }
  const Definition& definition(ValueId v) const { return definitions_[v]; }
  const std::vector<Use>& uses(ValueId v) const { return uses_[v]; }
  /// The op whose region holds op number `number`, or null for the function's body; and which region.
  const Op* parent(int number, int* region = nullptr) const;
  int number_of(const Op* op) const { return numbers_.at(op); }
  /// Where values go that a use hands on unchanged: initial values and yields of loops and branches. Empty for others.
  std::vector<ValueId> passed_on(const Use& use) const;
  /// `to` is computed from `from`, through loops and branches too.
  bool reaches(ValueId from, ValueId to) const;

 private:
  void visit(const Block& block, const Op* parent, int region);

  const Function* function_;
  std::vector<const Op*> ops_;
  std::vector<std::pair<const Op*, int>> parents_;
  std::vector<Definition> definitions_;
  std::vector<std::vector<Use>> uses_;
  std::unordered_map<const Op*, int> numbers_;
};

}  // namespace tilescope::model
