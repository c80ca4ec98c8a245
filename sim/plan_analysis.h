// Facts about a function's values that the plan is made from: how long they live (core/provenance.h: which parameters
// pointers come from).
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "core/ir.h"
#include "core/provenance.h"

namespace tilescope {

// Pure, cannot fault, and the same in every program when its operands are.
inline bool can_hoist(const Op& op) {
  const OpGroup g = op.info().group;
  return (g == OpGroup::Elementwise || (g == OpGroup::Shape && op.code != OpCode::Gather) || op.code == OpCode::NumPrograms);
}

// Last uses. A use inside a region counts as a use by the op that holds the region, at the level where the value was
// defined.
class Liveness {
 public:
  explicit Liveness(const Function& f) : def_(f.values.size()), last_(f.values.size(), -1), uses_(f.values.size(), 0) {
    for (size_t i = 0; i < f.params.size(); ++i) def_[i] = &f.body;
    scan(f.body, nullptr);
  }
  int last(ValueId v) const { return last_[v]; }
  int uses(ValueId v) const { return uses_[v]; }
  const Block* block(ValueId v) const { return def_[v]; }
  bool used_inside(const Op* op, ValueId v) const { return inside_.count({op, v}) != 0; }
  /// The op at `position` of the block reads what an earlier op would have read: that op has moved there.
  void extend(ValueId v, int position) { last_[v] = std::max(last_[v], position); }
  void index_blocks() {
    for (ValueId v = 0; v < def_.size(); ++v)
      if (def_[v] != nullptr) deaths_[{def_[v], last_[v]}].push_back(v);
  }
  const std::vector<ValueId>& deaths(const Block* b, int position) const {
    static const std::vector<ValueId> none;
    auto it = deaths_.find({b, position});
    return it == deaths_.end() ? none : it->second;
  }

 private:
  struct Level {
    const Block* block;
    int position;
    const Op* op;
    const Level* outer;
  };
  void scan(const Block& b, const Level* outer) {
    for (ValueId a : b.args) def_[a] = &b;
    for (size_t i = 0; i < b.ops.size(); ++i) {
      const Op& op = *b.ops[i];
      const Level here{&b, static_cast<int>(i), &op, outer};
      for (ValueId v : op.operands) use(v, here);
      for (ValueId r : op.results) def_[r] = &b;
      for (const Block& region : op.regions) scan(region, &here);
    }
  }
  void use(ValueId v, const Level& at) {
    ++uses_[v];
    for (const Level* l = &at; l != nullptr; l = l->outer) {
      if (l != &at) inside_.insert({l->op, v});
      if (l->block != def_[v]) continue;
      last_[v] = std::max(last_[v], l->position);
      return;
    }
  }

  std::vector<const Block*> def_;
  std::vector<int> last_, uses_;
  std::set<std::pair<const Op*, ValueId>> inside_;
  std::map<std::pair<const Block*, int>, std::vector<ValueId>> deaths_;
};

struct Plan;

/// Fills Plan::ordered, ordered_because, may_load and the parameters of its memory ops.
void decide_order(const Function& f, const Liveness& live, Plan& plan);

}  // namespace tilescope
