// Which parameters a pointer comes from, as far as the function's text tells: what may alias.
#pragma once

#include <algorithm>
#include <vector>

#include "core/ir.h"

namespace tilescope {

inline bool is_store(OpCode c) { return c == OpCode::Store || c == OpCode::AtomicRmw || c == OpCode::AtomicCas; }
inline bool is_memory(OpCode c) { return c == OpCode::Load || is_store(c); }

/// Which parameters a pointer value may come from: a bit per parameter, the last bit for "any".
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
  /// One flag a parameter, and one more: it may come from anywhere.
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
