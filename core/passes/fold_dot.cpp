// acc + dot(a, b, 0) -> dot(a, b, acc), as Triton has it. It changes bits (the accumulator joins the unit's sums), so it
// is done here, once, before the backends part.
#include <vector>

#include "core/passes/all.h"

namespace tilescope::passes {
namespace {

class FoldDot {
 public:
  explicit FoldDot(Function& f) : f_(f), def_(f.values.size(), nullptr), uses_(f.values.size(), 0) {}

  void run() {
    walk(f_.body, [&](Op& op) {
      for (ValueId v : op.operands) ++uses_[v];
      for (ValueId v : op.results) def_[v] = &op;
    });
    block(f_.body);
  }

 private:
  /// A dot with accumulator 0 in this block whose only use is the sum, and whose sums are fp32 or int32.
  bool is_foldable(ValueId v, const std::vector<uint8_t>& here) const {
    const Op* dot = def_[v];
    if (dot == nullptr || dot->code != OpCode::Dot || uses_[v] != 1 || !here[v]) return false;
    const DType t = f_.type(v).elem;
    const Op* acc = def_[dot->operands[2]];
    return (t == DType::Float32 || t == DType::Int32) && acc != nullptr && acc->code == OpCode::Constant &&
           acc->int_attr("bits") == 0;
  }

  void block(Block& b) {
    if (here_.size() < f_.values.size()) here_.resize(f_.values.size(), 0);
    for (auto& op : b.ops)
      for (ValueId v : op->results) here_[v] = 1;
    bool any = false;
    for (auto& op : b.ops) {
      if (op->code != OpCode::Add) continue;
      // Of two dots the right one is added to the left one: `acc = dot(a, b); acc += dot(c, d)` stays in that order.
      const bool right = is_foldable(op->operands[1], here_), left = !right && is_foldable(op->operands[0], here_);
      if (!left && !right) continue;
      fold(*op, op->operands[left ? 0 : 1], op->operands[left ? 1 : 0]);
      any = true;
    }
    if (any) std::erase_if(b.ops, [](const auto& op) { return op->code == OpCode::Dot && op->results.empty(); });
    for (auto& op : b.ops)
      for (ValueId v : op->results) here_[v] = 0;
    for (auto& op : b.ops)
      for (Block& r : op->regions) block(r);
  }

  /// The sum becomes the dot, where the sum stands: there the accumulator exists. The dot keeps its own location.
  void fold(Op& sum, ValueId product, ValueId acc) {
    Op& dot = *def_[product];
    sum.code = OpCode::Dot;
    sum.operands = {dot.operands[0], dot.operands[1], acc};
    sum.attrs = std::move(dot.attrs);
    sum.loc = dot.loc;
    dot.results.clear();
  }

  Function& f_;
  std::vector<Op*> def_;
  std::vector<int> uses_;
  std::vector<uint8_t> here_;
};

}  // namespace

void fold_dot_accumulator(Function& f) { FoldDot(f).run(); }

}  // namespace tilescope::passes
