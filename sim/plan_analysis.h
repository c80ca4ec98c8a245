// Facts about a function's values that the plan is made from: how long they live, and which parameters pointers come from.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "core/ir.h"

namespace tilescope {

inline bool is_store(OpCode c) { return c == OpCode::Store || c == OpCode::AtomicRmw || c == OpCode::AtomicCas; }
inline bool is_memory(OpCode c) { return c == OpCode::Load || is_store(c); }

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

// Which parameters a pointer value may come from: a bit per parameter, the last bit for "any".
class Provenance {
 public:
  explicit Provenance(const Function& f) : fn_(f), from_(f.values.size()) {
    const size_t n = f.params.size();
    for (size_t i = 0; i < n; ++i) {
      from_[i].assign(n + 1, false);
      from_[i][f.params[i].type.pointer ? i : n] = f.params[i].type.pointer;
    }
    for (auto& s : from_)
      if (s.empty()) s.assign(n + 1, false);
    // Loops feed values back, so repeat until nothing changes (bounded by the number of bits).
    do {
      changed_ = false;
      visit(f.body);
    } while (changed_);
  }
  const std::vector<bool>& of(ValueId v) const { return from_[v]; }
  /// The one parameter that it comes from, or -1.
  int only(ValueId v) const {
    const std::vector<bool>& from = from_[v];
    if (std::count(from.begin(), from.end(), true) != 1 || from.back()) return -1;
    return static_cast<int>(std::find(from.begin(), from.end(), true) - from.begin());
  }

 private:
  void flow(ValueId from, ValueId to) {
    if (!fn_.type(to).pointer) return;
    for (size_t i = 0; i < from_[to].size(); ++i) {
      if (!from_[from][i] || from_[to][i]) continue;
      from_[to][i] = true;
      changed_ = true;
    }
  }
  void any(ValueId to) {
    if (from_[to].back()) return;
    from_[to].back() = true;
    changed_ = true;
  }
  void visit(const Block& b) {
    for (const auto& op : b.ops) {
      visit_op(*op);
      for (const Block& r : op->regions) visit(r);
    }
  }
  void flow_yield(const Block& region, size_t skip, const std::vector<ValueId>& to, size_t to_skip) {
    if (region.ops.empty()) return;
    const Op& end = *region.ops.back();
    for (size_t i = skip; i < end.operands.size() && i - skip + to_skip < to.size(); ++i) flow(end.operands[i], to[i - skip + to_skip]);
  }
  void visit_op(const Op& op) {
    switch (op.code) {
      case OpCode::IntToPtr:
        any(op.results[0]);
        return;
      case OpCode::For:
        for (size_t i = 3; i < op.operands.size(); ++i) {
          flow(op.operands[i], op.regions[0].args[i - 2]);
          flow(op.operands[i], op.results[i - 3]);
        }
        flow_yield(op.regions[0], 0, op.regions[0].args, 1);
        flow_yield(op.regions[0], 0, op.results, 0);
        return;
      case OpCode::While:
        for (size_t i = 0; i < op.operands.size(); ++i) flow(op.operands[i], op.regions[0].args[i]);
        flow_yield(op.regions[0], 1, op.regions[1].args, 0);
        flow_yield(op.regions[0], 1, op.results, 0);
        flow_yield(op.regions[1], 0, op.regions[0].args, 0);
        return;
      case OpCode::If:
        for (const Block& r : op.regions) flow_yield(r, 0, op.results, 0);
        return;
      default:
        for (ValueId r : op.results)
          for (ValueId v : op.operands) flow(v, r);
    }
  }

  const Function& fn_;
  std::vector<std::vector<bool>> from_;
  bool changed_ = false;
};

}  // namespace tilescope
