// One walk in program order that rebuilds every block. Each op sees its operands in their final form; a rule may answer
// with another value for its result, made from existing values or from new ops, which are simplified as they are built.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/ir.h"

namespace tilescope::passes {

class Rewriter;

/// Tries to give another value for the single result of `op`; kNoValue when the rule does not apply. The op's operands
/// are final and it is not in a block yet.
using Rule = ValueId (*)(Rewriter& r, const Op& op);

class Rewriter {
 public:
  Rewriter(Function& f, std::vector<Rule> rules, bool rewrite_control) : f_(f), rules_(std::move(rules)), control_(rewrite_control) {}
  void run() { block(f_.body); }
  bool wants_another_walk() const { return again_; }

  Function& function() { return f_; }
  const Type& type(ValueId v) const { return f_.values[v].type; }
  /// The op that defines a value, or null for parameters and region arguments.
  const Op* def(ValueId v) const { return v < defs_.size() ? defs_[v] : nullptr; }
  /// The op of that kind that defines a value, or null.
  const Op* def(ValueId v, OpCode code) const {
    const Op* op = def(v);
    return op != nullptr && op->code == code ? op : nullptr;
  }
  /// The lane's bits of a constant (a scalar, or a tile with one value in every lane).
  std::optional<uint64_t> constant(ValueId v) const;
  bool is_constant(ValueId v, uint64_t bits) const { return constant(v) == bits; }

  /// Simplifies a new op at the place of the op that is being rewritten; its location becomes that one's.
  ValueId emit(OpCode code, std::vector<ValueId> operands, Type type, std::vector<Attr> attrs = {});
  ValueId emit_constant(Type type, uint64_t bits) { return emit(OpCode::Constant, {}, type, {{"bits", static_cast<int64_t>(bits)}}); }

 private:
  void block(Block& b);
  void visit(std::unique_ptr<Op> op);
  bool visit_control(Op& op);
  void drop_invariant_carried(Op& loop);
  bool loop_never_runs(const Op& loop) const;
  void look_at_ends(Op& op);
  void inline_region(Op& op, Block& region);
  void simplify_masks(Op& op);
  bool is_droppable(const Op& op) const;

  ValueId resolve(ValueId v);
  void replace(ValueId from, ValueId to);
  ValueId apply_rules(const Op& op);
  void append(std::unique_ptr<Op> op);

  Function& f_;
  std::vector<Rule> rules_;
  bool control_;
  std::vector<const Op*> defs_;
  std::vector<ValueId> replacement_;
  std::vector<std::unique_ptr<Op>>* out_ = nullptr;
  LocationPtr loc_;
  int depth_ = 0;
  bool again_ = false;
};

// The rules, in core/passes/rules_*.cpp.
ValueId fold_constants(Rewriter& r, const Op& op);          ///< elementwise and shape ops on constants
ValueId fold_select(Rewriter& r, const Op& op);             ///< select with a constant or negated condition
ValueId order_operands(Rewriter& r, const Op& op);          ///< constants to the right of commutative ops
ValueId apply_identities(Rewriter& r, const Op& op);        ///< x + 0, x * 1, x & x ...
ValueId fold_casts(Rewriter& r, const Op& op);              ///< chains of conversions
ValueId fold_shape_chains(Rewriter& r, const Op& op);       ///< chains of reshape, trans, broadcast, flip
ValueId keep_scalar(Rewriter& r, const Op& op);             ///< op(splat a, splat b) -> splat(op(a, b))
ValueId keep_narrow(Rewriter& r, const Op& op);             ///< op(broadcast a, broadcast b) -> broadcast(op(a, b))

/// A reduce or scan whose region is one op on its two arguments becomes a built-in combine; changes the op in place.
void name_combine(const Function& f, Op& op);

}  // namespace tilescope::passes
