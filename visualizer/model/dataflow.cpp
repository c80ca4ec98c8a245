#include "visualizer/model/dataflow.h"

namespace tilescope::model {

Dataflow::Dataflow(const Function& function) : function_(&function) {
  definitions_.resize(function.values.size());
  uses_.resize(function.values.size());
  for (size_t i = 0; i < function.params.size(); ++i) definitions_[i].index = static_cast<int>(i);
  visit(function.body, nullptr, 0);
}

void Dataflow::visit(const Block& block, const Op* parent, int region) {
  for (size_t i = 0; i < block.args.size() && parent != nullptr; ++i)
    definitions_[block.args[i]] = {Definition::By::Argument, parent, numbers_.at(parent), region, static_cast<int>(i)};
  for (const auto& op : block.ops) {
    const int number = static_cast<int>(ops_.size());
    ops_.push_back(op.get());
    parents_.emplace_back(parent, region);
    numbers_[op.get()] = number;
    for (size_t i = 0; i < op->operands.size(); ++i) uses_[op->operands[i]].push_back({op.get(), number, static_cast<int>(i)});
    for (size_t i = 0; i < op->results.size(); ++i)
      definitions_[op->results[i]] = {Definition::By::Result, op.get(), number, 0, static_cast<int>(i)};
    for (size_t r = 0; r < op->regions.size(); ++r) visit(op->regions[r], op.get(), static_cast<int>(r));
  }
}

const Op* Dataflow::parent(int number, int* region) const {
  const auto& [op, r] = parents_[static_cast<size_t>(number)];
  if (region != nullptr) *region = r;
  return op;
}

std::vector<ValueId> Dataflow::passed_on(const Use& use) const {
  std::vector<ValueId> out;
  const auto add = [&](const std::vector<ValueId>& values, int index) {
    if (index >= 0 && static_cast<size_t>(index) < values.size()) out.push_back(values[static_cast<size_t>(index)]);
  };
  if (use.op->code == OpCode::For && use.operand >= 3) {
    add(use.op->regions[0].args, use.operand - 2);
    add(use.op->results, use.operand - 3);
  } else if (use.op->code == OpCode::While) {
    add(use.op->regions[0].args, use.operand);
  } else if (use.op->code == OpCode::Condition && use.operand >= 1) {
    const Op* loop = parent(use.number);
    add(loop->regions[1].args, use.operand - 1);
    add(loop->results, use.operand - 1);
  } else if (use.op->code == OpCode::Yield) {
    const Op* owner = parent(use.number);
    if (owner == nullptr) return out;
    if (owner->code == OpCode::For) {
      add(owner->regions[0].args, use.operand + 1);
      add(owner->results, use.operand);
    } else if (owner->code == OpCode::While) {
      add(owner->regions[0].args, use.operand);
    } else if (owner->code == OpCode::If) {
      add(owner->results, use.operand);
    }
  }
  return out;
}

bool Dataflow::reaches(ValueId from, ValueId to) const {
  std::vector<bool> seen(uses_.size(), false);
  std::vector<ValueId> left{from};
  while (!left.empty()) {
    const ValueId v = left.back();
    left.pop_back();
    if (v == to) return true;
    if (seen[v]) continue;
    seen[v] = true;
    for (const Use& use : uses_[v]) {
      const std::vector<ValueId> passed = passed_on(use);
      left.insert(left.end(), passed.begin(), passed.end());
      if (use.op->regions.empty()) left.insert(left.end(), use.op->results.begin(), use.op->results.end());
    }
  }
  return false;
}

}  // namespace tilescope::model
