// Address-only form of a kernel: what is left does every access and takes every turn that the kernel does, and computes
// nothing else. For the cost model, which asks where a launch goes in memory and not what it computes.
//
// Kept: control flow, loads, stores, atomics, and what their addresses and masks, loop bounds and conditions need. A
// branch that neither accesses memory nor loops goes, unless something needs its results. Carried values and results
// that nothing needs go too: an accumulator leaves its loop.
//
// An access whose value nothing needs carries the attribute {address_only = 1}. Such a load has no `other` and its result
// has no use: it is not read. Such a store or atomic has a constant 0 in the place of each value: it is not done.
// A load that is needed may read what a store or an atomic to the same tensor writes (pointers that come from the same
// parameter, or from anywhere): that one keeps its values, which are then needed too. An atomic that is done reads.
//
// Prints and asserts go. The ops that remain are the same objects as before.
#include <map>
#include <unordered_map>
#include <utility>

#include "core/passes.h"
#include "core/passes/all.h"
#include "core/provenance.h"

namespace tilescope::passes {
namespace {

bool is_loop(OpCode c) { return c == OpCode::For || c == OpCode::While; }

/// The operands of a store or atomic that are values: [first, end).
std::pair<size_t, size_t> value_operands(const Op& op) { return {1, op.code == OpCode::AtomicCas ? 3 : 2}; }

class Slicer {
 public:
  explicit Slicer(Function& f) : f_(f), from_(f), home_(f.values.size()), needed_(f.values.size(), false) {}

  void run() {
    index(f_.body);
    for (Op* op : accesses_) need_places(*op);
    for (Op* op : control_) need_control(*op);
    while (!queue_.empty()) {
      const ValueId v = queue_.back();
      queue_.pop_back();
      follow(v);
    }
    sweep(f_.body);
    f_.body.ops.insert(f_.body.ops.begin(), std::make_move_iterator(constants_.begin()),
                       std::make_move_iterator(constants_.end()));
  }

 private:
  /// Where a value comes from.
  struct Home {
    Op* op = nullptr;     ///< whose result, or argument of whose region; null: a parameter
    int32_t region = -1;  ///< of which it is an argument; -1: a result
    uint32_t position = 0;
  };

  /// Notes where values belong. True when the block accesses memory or loops.
  bool index(Block& b) {
    bool matters = false;
    for (auto& op : b.ops) {
      for (uint32_t i = 0; i < op->results.size(); ++i) home_[op->results[i]] = {op.get(), -1, i};
      bool inside = is_memory(op->code) || is_loop(op->code);
      for (size_t r = 0; r < op->regions.size(); ++r) {
        Block& region = op->regions[r];
        for (uint32_t i = 0; i < region.args.size(); ++i) home_[region.args[i]] = {op.get(), static_cast<int32_t>(r), i};
        inside |= index(region);
      }
      if (is_memory(op->code)) accesses_.push_back(op.get());
      if (is_loop(op->code) || (op->code == OpCode::If && inside)) control_.push_back(op.get());
      matters |= inside;
    }
    return matters;
  }

  void need(ValueId v) {
    if (needed_[v]) return;
    needed_[v] = true;
    queue_.push_back(v);
  }

  static int mask_operand(const Op& op) {
    const size_t at = op.code == OpCode::Load ? 1 : value_operands(op).second;
    return op.operands.size() > at ? static_cast<int>(at) : -1;
  }

  void need_places(const Op& op) {
    need(op.operands[0]);
    if (const int mask = mask_operand(op); mask >= 0) need(op.operands[static_cast<size_t>(mask)]);
    // From an earlier slice: its constants stay.
    if (op.int_attr("address_only") != 0 && op.code != OpCode::Load)
      for (auto [i, end] = value_operands(op); i < end; ++i) need(op.operands[i]);
  }

  void need_control(const Op& op) {
    if (!kept_.emplace(&op, true).second) return;
    if (op.code == OpCode::If) need(op.operands[0]);
    if (op.code == OpCode::For)
      for (size_t i = 0; i < 3; ++i) need(op.operands[i]);
    if (op.code == OpCode::While) need(op.regions[0].ops.back()->operands[0]);
  }

  void follow(ValueId v) {
    const Home h = home_[v];
    if (h.op == nullptr) return;
    Op& op = *h.op;
    const size_t i = h.position;
    switch (op.code) {
      case OpCode::For:
        if (h.region < 0) return need_carried(op, i);
        if (i > 0) need_carried(op, i - 1);  // else the induction variable
        return;
      case OpCode::While:
        // Region 0 takes what is carried; its condition gives what region 1 takes and what the loop gives.
        if (h.region == 0) {
          need(op.operands[i]);
          need(op.regions[1].ops.back()->operands[i]);
        } else {
          need(op.regions[0].ops.back()->operands[i + 1]);
          needed_[op.results[i]] = needed_[op.regions[1].args[i]] = true;
        }
        return;
      case OpCode::If:
        need_control(op);
        for (Block& r : op.regions) need(r.ops.back()->operands[i]);
        return;
      case OpCode::Load: case OpCode::AtomicRmw: case OpCode::AtomicCas: return do_access(op);
      case OpCode::Reduce: case OpCode::Scan:
        for (ValueId o : op.operands) need(o);
        for (Block& r : op.regions)
          for (ValueId o : r.ops.back()->operands) need(o);
        return;
      default:
        for (ValueId o : op.operands) need(o);
    }
  }

  void need_carried(Op& loop, size_t i) {
    need(loop.operands[i + 3]);
    need(loop.regions[0].ops.back()->operands[i]);
    needed_[loop.results[i]] = needed_[loop.regions[0].args[i + 1]] = true;
  }

  /// The access happens, with its values.
  void do_access(const Op& op) {
    if (!done_.emplace(&op, true).second) return;
    for (ValueId v : op.operands) need(v);
    if (op.code == OpCode::Store) return;
    for (const Op* other : accesses_)
      if (is_store(other->code) && may_alias(op, *other)) do_access(*other);
  }

  bool may_alias(const Op& a, const Op& b) const {
    const std::vector<bool>&x = from_.of(a.operands[0]), &y = from_.of(b.operands[0]);
    if (x.back() || y.back()) return true;
    for (size_t p = 0; p < x.size(); ++p)
      if (x[p] && y[p]) return true;
    return false;
  }

  // ---- what stays ----
  bool stays(const Op& op) const {
    switch (op.code) {
      case OpCode::Yield: case OpCode::Condition: case OpCode::Return: return true;
      case OpCode::Print: case OpCode::Assert: return false;
      case OpCode::For: case OpCode::While: case OpCode::If: return kept_.count(&op) != 0;
      default: break;
    }
    if (is_memory(op.code)) return true;
    for (ValueId r : op.results)
      if (needed_[r]) return true;
    return false;
  }

  void sweep(Block& b) {
    std::vector<std::unique_ptr<Op>> kept;
    for (auto& op : b.ops) {
      if (!stays(*op)) continue;
      if (is_memory(op->code) && done_.count(op.get()) == 0) forget_values(*op);
      if (op->code == OpCode::For) prune_for(*op);
      if (op->code == OpCode::While) prune_while(*op);
      if (op->code == OpCode::If) prune_if(*op);
      for (Block& r : op->regions) sweep(r);
      kept.push_back(std::move(op));
    }
    b.ops = std::move(kept);
  }

  void forget_values(Op& op) {
    if (op.int_attr("address_only") != 0) return;
    op.set_attr("address_only", int64_t{1});
    if (op.code == OpCode::Load) {
      if (op.operands.size() > 2) op.operands.resize(2);
      return;
    }
    for (auto [i, end] = value_operands(op); i < end; ++i) op.operands[i] = zero(f_.type(op.operands[i]), op.loc);
  }

  ValueId zero(const Type& type, const LocationPtr& loc) {
    auto [at, fresh] = zeros_.emplace(to_string(type), kNoValue);
    if (!fresh) return at->second;
    auto op = std::make_unique<Op>();
    op->code = OpCode::Constant;
    op->set_attr("bits", int64_t{0});
    op->loc = loc;
    at->second = f_.new_value(type);
    op->results.push_back(at->second);
    constants_.push_back(std::move(op));
    return at->second;
  }

  /// Keeps the values at the places that are needed.
  static void prune(std::vector<ValueId>& values, size_t skip, const std::vector<bool>& keep) {
    size_t n = skip;
    for (size_t i = 0; i < keep.size(); ++i)
      if (keep[i]) values[n++] = values[skip + i];
    values.resize(n);
  }
  std::vector<bool> needs(const std::vector<ValueId>& values, size_t skip = 0) const {
    std::vector<bool> keep;
    for (size_t i = skip; i < values.size(); ++i) keep.push_back(needed_[values[i]]);
    return keep;
  }

  void prune_for(Op& op) {
    const std::vector<bool> keep = needs(op.regions[0].args, 1);
    prune(op.results, 0, keep);
    prune(op.operands, 3, keep);
    prune(op.regions[0].args, 1, keep);
    prune(op.regions[0].ops.back()->operands, 0, keep);
  }
  void prune_while(Op& op) {
    const std::vector<bool> carried = needs(op.regions[0].args), passed = needs(op.regions[1].args);
    prune(op.operands, 0, carried);
    prune(op.regions[0].args, 0, carried);
    prune(op.regions[1].ops.back()->operands, 0, carried);
    prune(op.regions[0].ops.back()->operands, 1, passed);
    prune(op.regions[1].args, 0, passed);
    prune(op.results, 0, passed);
  }
  void prune_if(Op& op) {
    const std::vector<bool> keep = needs(op.results);
    for (Block& r : op.regions) prune(r.ops.back()->operands, 0, keep);
    prune(op.results, 0, keep);
  }

  Function& f_;
  const Provenance from_;
  std::vector<Home> home_;
  std::vector<bool> needed_;
  std::vector<Op*> accesses_, control_;
  std::unordered_map<const Op*, bool> kept_, done_;  ///< control flow that stays; accesses that are done
  std::vector<ValueId> queue_;
  std::map<std::string, ValueId> zeros_;
  std::vector<std::unique_ptr<Op>> constants_;
};

}  // namespace

void slice_addresses(Function& f) { Slicer(f).run(); }

}  // namespace tilescope::passes
