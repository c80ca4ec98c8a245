// Dead code: marks what stores, atomics, prints, asserts and while loops need, backwards, and removes the rest. A while
// loop always stays, since it may be waiting for another program; a for loop whose step may be 0 stays, since that is a
// fault. An unused load is removed, as Triton does.
#include <unordered_map>
#include <vector>

#include "core/passes/all.h"

namespace tilescope::passes {
namespace {

class Dce {
 public:
  explicit Dce(Function& f) : f_(f), value_(f.values.size()) {}

  void run() {
    index(f_.body, nullptr);
    for (Op* root : roots_) mark_op(*root);
    while (!queue_.empty()) {
      const ValueId v = queue_.back();
      queue_.pop_back();
      follow(v);
    }
    sweep(f_.body);
  }

 private:
  struct ValueState {
    Op* op = nullptr;      // the op whose result or region argument it is
    uint32_t position = 0; // among the results or arguments
    bool argument = false;
    bool live = false;
  };
  struct OpState {
    Op* parent = nullptr;
    bool live = false;
  };

  /// Notes where each value and op belongs, and finds the roots.
  void index(Block& b, Op* parent) {
    for (ValueId& v : b.args) value_[v] = {parent, static_cast<uint32_t>(&v - b.args.data()), true, false};
    for (auto& op : b.ops) {
      for (ValueId& v : op->results) value_[v] = {op.get(), static_cast<uint32_t>(&v - op->results.data()), false, false};
      if (is_root(*op)) roots_.push_back(op.get());
      states_.emplace(op.get(), OpState{parent, false});
      for (Block& r : op->regions) index(r, op.get());
    }
  }

  bool is_root(const Op& op) const {
    switch (op.code) {
      case OpCode::Store: case OpCode::AtomicRmw: case OpCode::AtomicCas: case OpCode::Print: case OpCode::Assert:
      case OpCode::Return: case OpCode::While: return true;
      case OpCode::For: return !has_nonzero_step(op);
      default: return false;
    }
  }

  bool has_nonzero_step(const Op& loop) const {
    const Op* step = value_[loop.operands[2]].op;
    return step != nullptr && step->code == OpCode::Constant && step->int_attr("bits") != 0;
  }

  void mark(ValueId v) {
    if (value_[v].live) return;
    value_[v].live = true;
    queue_.push_back(v);
  }

  bool is_live(const Op& op) const { return states_.at(&op).live; }

  void mark_op(Op& op) {
    OpState& s = states_.at(&op);
    if (s.live) return;
    s.live = true;
    if (s.parent != nullptr) mark_op(*s.parent);
    switch (op.code) {
      case OpCode::For:
        for (size_t i = 0; i < 3; ++i) mark(op.operands[i]);
        break;
      case OpCode::If: mark(op.operands[0]); break;
      case OpCode::While: case OpCode::Reduce: case OpCode::Scan:
        for (ValueId v : op.operands) mark(v);
        for (Block& r : op.regions) mark_all(r);
        break;
      default:
        for (ValueId v : op.operands) mark(v);
    }
  }

  /// The ends of regions of which nothing is pruned.
  void mark_all(Block& b) {
    for (ValueId v : b.ops.back()->operands) mark(v);
  }

  void follow(ValueId v) {
    const ValueState s = value_[v];
    if (s.op == nullptr) return;
    mark_op(*s.op);
    if (s.op->code == OpCode::For && (!s.argument || s.position > 0)) {
      const size_t i = s.argument ? s.position - 1 : s.position;
      mark(s.op->operands[i + 3]);
      mark(s.op->regions[0].ops.back()->operands[i]);
    } else if (s.op->code == OpCode::If) {
      for (Block& r : s.op->regions) mark(r.ops.back()->operands[s.position]);
    }
  }

  void sweep(Block& b) {
    std::vector<std::unique_ptr<Op>> kept;
    for (auto& op : b.ops) {
      const bool ends_region = op->code == OpCode::Yield || op->code == OpCode::Condition;
      if (!ends_region && !is_live(*op)) continue;
      if (op->code == OpCode::For) prune_loop(*op);
      if (op->code == OpCode::If) prune_if(*op);
      for (Block& r : op->regions) sweep(r);
      kept.push_back(std::move(op));
    }
    b.ops = std::move(kept);
  }

  void prune_loop(Op& op) {
    Block& body = op.regions[0];
    std::vector<ValueId>& yielded = body.ops.back()->operands;
    size_t kept = 0;
    for (size_t i = 0; i < op.results.size(); ++i) {
      if (!value_[op.results[i]].live && !value_[body.args[i + 1]].live) continue;
      op.results[kept] = op.results[i];
      op.operands[kept + 3] = op.operands[i + 3];
      body.args[kept + 1] = body.args[i + 1];
      yielded[kept] = yielded[i];
      ++kept;
    }
    op.results.resize(kept);
    op.operands.resize(kept + 3);
    body.args.resize(kept + 1);
    yielded.resize(kept);
  }

  void prune_if(Op& op) {
    size_t kept = 0;
    for (size_t i = 0; i < op.results.size(); ++i) {
      if (!value_[op.results[i]].live) continue;
      op.results[kept] = op.results[i];
      for (Block& r : op.regions) r.ops.back()->operands[kept] = r.ops.back()->operands[i];
      ++kept;
    }
    op.results.resize(kept);
    for (Block& r : op.regions) r.ops.back()->operands.resize(kept);
  }

  Function& f_;
  std::vector<ValueState> value_;
  std::unordered_map<const Op*, OpState> states_;
  std::vector<Op*> roots_;
  std::vector<ValueId> queue_;
};

}  // namespace

void eliminate_dead(Function& f) { Dce(f).run(); }

}  // namespace tilescope::passes
