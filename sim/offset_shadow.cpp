#include "sim/offset_shadow.h"

#include <algorithm>
#include <map>
#include <set>

#include "sim/plan_analysis.h"

namespace tilescope {
namespace {

bool is_integer(const Type& t) { return !t.pointer && is_int(t.elem) && t.elem != DType::Int1; }
bool is_narrow(const Type& t) { return is_integer(t) && dtype_bits(t.elem) < 64; }

class Shadows {
 public:
  explicit Shadows(const Function& f) : fn_(clone(f)), shadow_(fn_.values.size(), kNoValue), defs_(fn_.values.size()) {
    index(fn_.body, nullptr);
    for (ValueId v = 0; v < defs_.size(); ++v) sources_.push_back(find_sources(v));
    find_needs();
    find_wanted();
    for (ValueId v = 0; v < defs_.size(); ++v) {
      const Def& d = defs_[v];
      if (follows_[v] && d.op != nullptr && d.op->results.size() == 1 && wraps(*d.op)) witnesses_.emplace(v, static_cast<int64_t>(witnesses_.size()));
    }
  }

  Function take() {
    if (std::find(follows_.begin(), follows_.end(), true) != follows_.end()) block(fn_.body);
    return std::move(fn_);
  }

 private:
  /// Where a value comes from: an op, or an argument of a loop's region.
  struct Def {
    Op* op = nullptr;
    int argument = -1;  ///< of op's region, counted without the induction variable; -1: a result
    int result = 0;
  };

  void index(Block& b, Op* owner) {
    for (size_t a = 0; a < b.args.size(); ++a) defs_[b.args[a]] = {owner, static_cast<int>(a) - 1, 0};
    for (auto& op : b.ops) {
      for (size_t r = 0; r < op->results.size(); ++r) defs_[op->results[r]] = {op.get(), -1, static_cast<int>(r)};
      for (Block& region : op->regions) index(region, op.get());
    }
  }

  bool wraps(const Op& op) const {
    switch (op.code) {
      case OpCode::Add: case OpCode::Sub: case OpCode::Mul: case OpCode::Neg: case OpCode::Shl: return is_narrow(fn_.type(op.results[0]));
      default: return false;
    }
  }

  /// The shadow of the result is the same op on the shadows of the operands from `first` on.
  bool passes(const Op& op, size_t& first) const {
    first = 0;
    if (op.results.size() != 1) return false;
    const Type& t = fn_.type(op.results[0]);
    if (!t.pointer && !is_integer(t)) return false;
    switch (op.code) {
      case OpCode::Add: case OpCode::Sub: case OpCode::Mul: case OpCode::Neg: case OpCode::Shl: case OpCode::Minimum: case OpCode::Maximum:
      case OpCode::Splat: case OpCode::ExpandDims: case OpCode::Broadcast: case OpCode::Reshape: case OpCode::Trans: case OpCode::Flip:
      case OpCode::AddPtr:
        return true;
      case OpCode::Div: return t.elem != DType::UInt64;
      case OpCode::Select: first = 1; return true;
      case OpCode::Cast: {
        const Type& from = fn_.type(op.operands[0]);
        return is_integer(from) && (dtype_bits(t.elem) > dtype_bits(from.elem) || t.elem == from.elem);
      }
      case OpCode::Bitcast: return t.pointer && fn_.type(op.operands[0]).pointer;
      default: return false;
    }
  }

  /// The values that flow into v unchanged or through arithmetic that is followed.
  std::vector<ValueId> find_sources(ValueId v) const {
    const Def& d = defs_[v];
    if (d.op == nullptr) return {};
    if (d.op->code == OpCode::For) {
      const int k = d.argument >= 0 ? d.argument : d.result;
      if (d.argument == -1 && std::find(d.op->results.begin(), d.op->results.end(), v) == d.op->results.end()) return {};  // the induction variable
      const Type& t = fn_.type(v);
      if (!t.pointer && !is_integer(t)) return {};
      return {d.op->operands[static_cast<size_t>(k) + 3], d.op->regions[0].ops.back()->operands[static_cast<size_t>(k)]};
    }
    if (d.op->code == OpCode::If) {
      const Type& t = fn_.type(v);
      if (!t.pointer && !is_integer(t)) return {};
      return {d.op->regions[0].ops.back()->operands[static_cast<size_t>(d.result)], d.op->regions[1].ops.back()->operands[static_cast<size_t>(d.result)]};
    }
    size_t first = 0;
    if (!passes(*d.op, first)) return {};
    return {d.op->operands.begin() + static_cast<std::ptrdiff_t>(first), d.op->operands.end()};
  }

  const std::vector<ValueId>& sources(ValueId v) const { return sources_[v]; }

  void find_needs() {
    follows_.assign(fn_.values.size(), false);
    for (bool changed = true; changed;) {
      changed = false;
      for (ValueId v = 0; v < follows_.size(); ++v) {
        if (follows_[v]) continue;
        const Def& d = defs_[v];
        bool needs = d.op != nullptr && d.op->results.size() == 1 && d.op->results[0] == v && wraps(*d.op);
        for (ValueId s : sources(v)) needs = needs || follows_[s];
        follows_[v] = needs;
        changed = changed || needs;
      }
    }
  }

  void find_wanted() {
    std::vector<bool> wanted(fn_.values.size(), false);
    std::vector<ValueId> queue;
    const auto want = [&](ValueId v) {
      if (!wanted[v]) wanted[v] = true, queue.push_back(v);
    };
    walk(fn_.body, [&](const Op& op) {
      if (is_memory(op.code)) want(op.operands[0]);
    });
    while (!queue.empty()) {
      const ValueId v = queue.back();
      queue.pop_back();
      for (ValueId s : sources(v)) want(s);
    }
    // A loop has one shadow for the argument, the result and what is yielded: all or none.
    for (ValueId v = 0; v < wanted.size(); ++v) follows_[v] = follows_[v] && wanted[v];
  }

  ValueId emit(OpCode code, std::vector<ValueId> operands, const Type& type, const Op* like, std::vector<Attr> attrs = {}) {
    auto op = std::make_unique<Op>();
    op->code = code;
    op->operands = std::move(operands);
    op->attrs = std::move(attrs);
    if (like != nullptr) op->loc = like->loc;
    const ValueId v = fn_.new_value(type);
    op->results.push_back(v);
    out_->push_back(std::move(op));
    return v;
  }

  /// The 64-bit value that stands for v, made here when v is exact.
  ValueId shadow_of(ValueId v, const Op* like) {
    if (v < shadow_.size() && shadow_[v] != kNoValue) return shadow_[v];
    const Type& t = fn_.type(v);
    if (t.pointer || dtype_bits(t.elem) == 64) return v;
    for (const auto& scope : scopes_)
      if (auto it = scope.find(v); it != scope.end()) return it->second;
    Type wide = t;
    wide.elem = DType::Int64;
    const ValueId w = emit(OpCode::Cast, {v}, wide, like);
    scopes_.back()[v] = w;
    return w;
  }

  Type shadow_type(ValueId v) const {
    Type t = fn_.type(v);
    if (!t.pointer) t.elem = DType::Int64;
    return t;
  }

  void block(Block& b) {
    std::vector<std::unique_ptr<Op>> ops, *outer = out_;
    ops.swap(b.ops);
    std::vector<std::unique_ptr<Op>> result;
    out_ = &result;
    scopes_.emplace_back();
    for (auto& op : ops) {
      Op& o = *op;
      if (o.code == OpCode::For) before_for(o);
      if (is_memory(o.code)) check(o);
      if (o.code == OpCode::Yield && extra_yields_ != nullptr) {
        const std::vector<size_t> which = *extra_yields_;
        for (size_t k : which) o.operands.push_back(shadow_of(o.operands[k], &o));
      }
      if (!o.regions.empty()) regions(o);
      out_->push_back(std::move(op));
      if (o.regions.empty()) after(o);
    }
    scopes_.pop_back();
    b.ops = std::move(result);
    out_ = outer;
  }

  std::vector<size_t> followed_results(const Op& op) const {
    std::vector<size_t> out;
    for (size_t r = 0; r < op.results.size(); ++r)
      if (op.results[r] < follows_.size() && (follows_[op.results[r]] || (op.code == OpCode::For && follows_[op.regions[0].args[r + 1]]))) out.push_back(r);
    return out;
  }

  void before_for(Op& o) {
    for (size_t r : followed_results(o)) {
      o.operands.push_back(shadow_of(o.operands[r + 3], &o));
      const ValueId arg = fn_.new_value(shadow_type(o.results[r]));
      o.regions[0].args.push_back(arg);
      shadow_[o.regions[0].args[r + 1]] = arg;
    }
  }

  void regions(Op& o) {
    if (o.code == OpCode::While || (o.code != OpCode::For && o.code != OpCode::If)) {
      const std::vector<size_t>* old = extra_yields_;
      extra_yields_ = nullptr;
      if (o.code == OpCode::While)
        for (Block& r : o.regions) block(r);
      extra_yields_ = old;
      return;
    }
    const std::vector<size_t> which = followed_results(o);
    const std::vector<size_t>* old = extra_yields_;
    extra_yields_ = &which;
    for (Block& r : o.regions) block(r);
    extra_yields_ = old;
    for (size_t r : which) {
      const ValueId result = fn_.new_value(shadow_type(o.results[r]));
      o.results.push_back(result);
      shadow_[o.results[r]] = result;
    }
  }

  void after(const Op& o) {
    if (o.results.size() != 1) return;
    const ValueId v = o.results[0];
    size_t first = 0;
    if (v >= follows_.size() || !follows_[v] || !passes(o, first)) return;
    std::vector<ValueId> operands(o.operands.begin(), o.operands.begin() + static_cast<std::ptrdiff_t>(first));
    for (size_t k = first; k < o.operands.size(); ++k) operands.push_back(shadow_of(o.operands[k], &o));
    if (o.code == OpCode::Cast) {
      shadow_[v] = operands[0];
      return;
    }
    shadow_[v] = emit(o.code, std::move(operands), shadow_type(v), &o, o.attrs);
    if (!wraps(o)) return;
    print({v, shadow_[v]}, &o, {{kOverflowAttr, std::string("witness")}, {"id", witnesses_.at(v)}, {"text", std::string()}});
  }

  void print(std::vector<ValueId> operands, const Op* like, std::vector<Attr> attrs) {
    auto op = std::make_unique<Op>();
    op->code = OpCode::Print;
    op->operands = std::move(operands);
    op->attrs = std::move(attrs);
    op->loc = like->loc;
    out_->push_back(std::move(op));
  }

  void check(const Op& o) {
    const ValueId p = o.operands[0];
    if (shadow_[p] == kNoValue) return;
    std::set<ValueId> seen{p};
    std::vector<ValueId> queue{p};
    std::vector<int64_t> slice;
    while (!queue.empty()) {
      const ValueId v = queue.back();
      queue.pop_back();
      if (auto it = witnesses_.find(v); it != witnesses_.end()) slice.push_back(it->second);
      for (ValueId s : sources(v))
        if (seen.insert(s).second) queue.push_back(s);
    }
    std::sort(slice.begin(), slice.end());
    std::vector<ValueId> operands{p, shadow_[p]};
    const size_t mask = o.code == OpCode::Load ? 1 : 2;
    if (o.code != OpCode::AtomicCas && o.operands.size() > mask) operands.push_back(o.operands[mask]);
    print(std::move(operands), &o, {{kOverflowAttr, std::string("check")}, {"slice", slice}, {"writes", int64_t{is_store(o.code)}}, {"text", std::string()}});
  }

  Function fn_;
  std::vector<ValueId> shadow_;
  std::vector<Def> defs_;
  std::vector<std::vector<ValueId>> sources_;
  std::vector<bool> follows_;
  std::map<ValueId, int64_t> witnesses_;
  std::vector<std::map<ValueId, ValueId>> scopes_;
  std::vector<std::unique_ptr<Op>>* out_ = nullptr;
  const std::vector<size_t>* extra_yields_ = nullptr;
};

}  // namespace

Function with_offset_shadows(const Function& f) { return Shadows(f).take(); }

}  // namespace tilescope
