#include "core/passes/rewriter.h"

#include "core/fold.h"
#include "core/passes/all.h"
#include "core/stop.h"

namespace tilescope::passes {
namespace {

/// A rule may build an op whose rules build an op ...: every such chain is short, this only guards against a mistake.
constexpr int kMaxChain = 64;
/// Each further walk needs a loop nested in a loop whose carried value only then is seen not to change.
constexpr int kMaxWalks = 8;

}  // namespace

std::optional<uint64_t> Rewriter::constant(ValueId v) const {
  const Op* op = def(v, OpCode::Constant);
  if (op == nullptr) return std::nullopt;
  return static_cast<uint64_t>(op->int_attr("bits"));
}

ValueId Rewriter::resolve(ValueId v) {
  while (v < replacement_.size() && replacement_[v] != kNoValue) v = replacement_[v];
  return v;
}

void Rewriter::replace(ValueId from, ValueId to) {
  if (from == to) return;
  if (replacement_.size() <= from) replacement_.resize(std::max<size_t>(from + 1, f_.values.size()), kNoValue);
  replacement_[from] = to;
  if (f_.values[to].name.empty()) f_.values[to].name = f_.values[from].name;
}

void Rewriter::append(std::unique_ptr<Op> op) {
  if (defs_.size() < f_.values.size()) defs_.resize(f_.values.size() + f_.values.size() / 2, nullptr);
  for (ValueId v : op->results) defs_[v] = op.get();
  out_->push_back(std::move(op));
}

ValueId Rewriter::apply_rules(const Op& op) {
  if (op.results.size() != 1 || !op.regions.empty() || depth_ >= kMaxChain) return kNoValue;
  for (Rule rule : rules_) {
    ++depth_;
    const ValueId v = rule(*this, op);
    --depth_;
    if (v != kNoValue) return v;
  }
  return kNoValue;
}

ValueId Rewriter::emit(OpCode code, std::vector<ValueId> operands, Type type, std::vector<Attr> attrs) {
  auto op = std::make_unique<Op>();
  op->code = code;
  op->operands = std::move(operands);
  op->attrs = std::move(attrs);
  op->loc = loc_;
  op->results.push_back(f_.new_value(type));
  const ValueId result = op->results[0];
  if (const ValueId v = apply_rules(*op); v != kNoValue) return v;
  append(std::move(op));
  return result;
}

void Rewriter::block(Block& b) {
  std::vector<std::unique_ptr<Op>> old = std::move(b.ops), done;
  std::vector<std::unique_ptr<Op>>* outer = out_;
  out_ = &done;
  for (auto& op : old) visit(std::move(op));
  out_ = outer;
  b.ops = std::move(done);
}

void Rewriter::visit(std::unique_ptr<Op> op) {
  stop_if_asked();
  for (ValueId& v : op->operands) v = resolve(v);
  loc_ = op->loc;
  if (control_) {
    simplify_masks(*op);
    if (is_droppable(*op) || visit_control(*op)) return;
    name_combine(f_, *op);
  }
  if (const ValueId v = apply_rules(*op); v != kNoValue) return replace(op->results[0], v);
  for (Block& r : op->regions) block(r);
  if (control_) look_at_ends(*op);
  append(std::move(op));
}

// ---- control flow and memory -----------------------------------------------------------------------------------------

void Rewriter::inline_region(Op& op, Block& region) {
  std::vector<std::unique_ptr<Op>> ops = std::move(region.ops);
  const std::unique_ptr<Op> end = std::move(ops.back());
  ops.pop_back();
  for (auto& inner : ops) visit(std::move(inner));
  for (size_t i = 0; i < op.results.size(); ++i) replace(op.results[i], resolve(end->operands[i]));
}

bool Rewriter::loop_never_runs(const Op& loop) const {
  const auto lower = constant(loop.operands[0]), upper = constant(loop.operands[1]), step = constant(loop.operands[2]);
  if (!lower || !upper || !step || *step == 0) return false;
  const DType t = type(loop.operands[0]).elem;
  if (is_unsigned_int(t)) return *lower >= *upper;
  const int64_t a = element_to_int(t, *lower), b = element_to_int(t, *upper);
  return element_to_int(t, *step) > 0 ? a >= b : a <= b;
}

/// A carried value that each iteration yields as it came is the initial value.
void Rewriter::drop_invariant_carried(Op& loop) {
  Block& body = loop.regions[0];
  Op& end = *body.ops.back();
  size_t kept = 0;
  for (size_t i = 0; i < loop.results.size(); ++i) {
    const ValueId arg = body.args[i + 1], initial = loop.operands[i + 3];
    if (end.operands[i] == arg || end.operands[i] == initial) {
      replace(arg, initial);
      replace(loop.results[i], initial);
      continue;
    }
    loop.results[kept] = loop.results[i];
    loop.operands[kept + 3] = initial;
    body.args[kept + 1] = arg;
    end.operands[kept] = end.operands[i];
    ++kept;
  }
  loop.results.resize(kept);
  loop.operands.resize(kept + 3);
  body.args.resize(kept + 1);
  end.operands.resize(kept);
}

/// True when the op is gone: its results stand for other values now.
bool Rewriter::visit_control(Op& op) {
  if (op.code == OpCode::If) {
    const auto condition = constant(op.operands[0]);
    if (!condition) return false;
    inline_region(op, op.regions[*condition ? 0 : 1]);
    return true;
  }
  if (op.code != OpCode::For) return false;
  if (!loop_never_runs(op)) {
    drop_invariant_carried(op);
    return false;
  }
  for (size_t i = 0; i < op.results.size(); ++i) replace(op.results[i], op.operands[i + 3]);
  return true;
}

/// What only the finished regions show: results of an if that are the same on both sides, and carried values that turned
/// out to be invariant, for which another walk is needed.
void Rewriter::look_at_ends(Op& op) {
  if (op.code == OpCode::For) {
    const Op& end = *op.regions[0].ops.back();
    for (size_t i = 0; i < end.operands.size(); ++i)
      again_ = again_ || end.operands[i] == op.regions[0].args[i + 1] || end.operands[i] == op.operands[i + 3];
  }
  if (op.code != OpCode::If) return;
  std::vector<ValueId>&then_values = op.regions[0].ops.back()->operands, &else_values = op.regions[1].ops.back()->operands;
  size_t kept = 0;
  for (size_t i = 0; i < op.results.size(); ++i) {
    if (then_values[i] == else_values[i]) {
      replace(op.results[i], then_values[i]);
      continue;
    }
    op.results[kept] = op.results[i];
    then_values[kept] = then_values[i];
    else_values[kept] = else_values[i];
    ++kept;
  }
  op.results.resize(kept);
  then_values.resize(kept);
  else_values.resize(kept);
}

/// A mask that is true everywhere is no mask.
void Rewriter::simplify_masks(Op& op) {
  const size_t mask = op.code == OpCode::Load ? 1 : 2;
  if (op.code != OpCode::Load && op.code != OpCode::Store && op.code != OpCode::AtomicRmw) return;
  if (op.operands.size() > mask && is_constant(op.operands[mask], 1)) op.operands.resize(mask);
}

/// Stores that store nothing and assertions that always hold.
bool Rewriter::is_droppable(const Op& op) const {
  if (op.code == OpCode::Store) return op.operands.size() == 3 && is_constant(op.operands[2], 0);
  if (op.code == OpCode::Assert) return is_constant(op.operands[0], 1) || (op.operands.size() == 2 && is_constant(op.operands[1], 0));
  return false;
}

// ---- passes ----------------------------------------------------------------------------------------------------------

void fold(Function& f) { Rewriter(f, {fold_constants}, false).run(); }

void canonicalise(Function& f) {
  const std::vector<Rule> rules = {fold_constants,    fold_select, order_operands, apply_identities, fold_casts,
                                   fold_shape_chains, keep_scalar, keep_narrow};
  for (int walk = 0; walk < kMaxWalks; ++walk) {
    Rewriter r(f, rules, true);
    r.run();
    if (!r.wants_another_walk()) return;
  }
}

}  // namespace tilescope::passes
