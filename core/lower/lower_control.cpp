// `if`, early return and the ternary: how branches are lowered and how their values join.
//
// A return inside a run-time `if` has no jump to go to: the statements that follow move into the branch that does not
// return. Only when a branch returns on some of its own paths does a flag say so, and the rest runs under `if`.
#include <algorithm>

#include "core/lower/depth_guard.h"
#include "core/lower/lowering.h"
#include "core/lower/mismatch.h"

namespace tilescope::lower {

namespace {

bool returns(const Branch& b) { return b.flow.kind == Flow::Kind::Returned; }

/// Results of an If exist only once it is built: until then a leaf from here on stands for result number id - base.
constexpr ValueId kPlaceholder = ValueId{1} << 31;

bool has_placeholders(const Value& v) {
  std::vector<ValueId> leaves;
  append_leaves(v, leaves);
  return std::any_of(leaves.begin(), leaves.end(), [](ValueId id) { return id != kNoValue && id >= kPlaceholder; });
}

Value resolve_placeholders(const Value& v, const std::vector<ValueId>& results) {
  std::vector<ValueId> leaves;
  append_leaves(v, leaves);
  for (ValueId& id : leaves)
    if (id != kNoValue && id >= kPlaceholder) id = results[id - kPlaceholder];
  size_t at = 0;
  return with_leaves(v, leaves, at);
}

}  // namespace

/// The If that is being built from two branches.
struct Lowering::Join {
  Branch& a;
  Branch& b;
  ValueId mark;
  SourceRange place;
  bool ternary;
  std::vector<ValueId> yield_a = {}, yield_b = {};
  std::vector<std::string> names = {};  ///< of the results
  Flow flow = {};

  bool live_a() const { return !returns(a); }
  bool live_b() const { return !returns(b); }
};

std::string Lowering::missing_return_text() const {
  return "some paths through `" + current_function() +
         "` end without returning a value: the result is then undefined on a GPU, and 0 here";
}

ValueId Lowering::dummy(const Type& t) {
  if (!t.pointer) return builder_->constant_bits(t, 0);
  const ValueId zero = builder_->constant_bits(Type::tile(DType::Int64, t.shape), 0);
  return builder_->create1(OpCode::IntToPtr, {zero}, t);
}

ValueId Lowering::condition(const Value& v, const std::string& what, const SourceRange& range) {
  set_location(range);
  return condition_value(*this, v, what, range);
}

Flow Lowering::exec_if(const Stmt& s, Rest& rest, bool tail) {
  const Value test = eval(*s.value);
  if (test.is_tensor()) return run_time_if(s, condition(test, "`if`", s.value->range), rest, tail);
  if (!is_compile_time(test)) fail(s.value->range, "`if` needs a condition, found " + describe(test, function_));
  const std::vector<Stmt*>& taken = const_truth(test) ? s.body : s.orelse;
  if (rest.empty || !contains_return(taken)) return exec_block(taken, tail);
  // The statements after this `if` follow those of the taken branch, so that its early returns need no flag.
  rest.consumed = true;
  return exec_sequence(0, taken.size() + 1, false, [&](size_t i, Rest& next) {
    return i < taken.size() ? exec_stmt(*taken[i], next, false) : rest.run();
  });
}

void Lowering::run_branch(Branch& branch, const std::function<Flow()>& body) {
  Block* outer = builder_->block();
  builder_->set_block(&branch.block);
  const size_t mark = frame_->scope.mark();
  frame_->scope.apply(branch.changes);
  branch.flow = body();
  branch.changes = frame_->scope.take(mark);
  builder_->set_block(outer);
}

Branch Lowering::lower_branch(const std::function<Flow()>& body) {
  Branch branch;
  run_branch(branch, body);
  return branch;
}

/// The statements after the `if` continue in this branch.
void Lowering::extend_branch(Branch& branch, Rest& rest) {
  rest.consumed = true;
  run_branch(branch, rest.run);
}

Flow Lowering::run_time_if(const Stmt& s, ValueId condition, Rest& rest, bool tail) {
  const ValueId mark = static_cast<ValueId>(function_.values.size());
  Branch a = lower_branch([&] { return exec_block(s.body, tail); });
  frame_->statement = s.range;
  Branch b = lower_branch([&] { return exec_block(s.orelse, tail); });
  if (returns(a) && b.flow.kind == Flow::Kind::Normal && !rest.empty)
    extend_branch(b, rest);
  else if (returns(b) && a.flow.kind == Flow::Kind::Normal && !rest.empty)
    extend_branch(a, rest);
  frame_->statement = s.range;
  return join(s.range, condition, a, b, mark);
}

Flow Lowering::continue_after_maybe(const Flow& flow, Rest& rest) {
  const ValueId mark = static_cast<ValueId>(function_.values.size());
  Branch a = lower_branch([&] {
    Flow f = flow;
    f.kind = Flow::Kind::Returned;
    return f;
  });
  Branch b;
  extend_branch(b, rest);
  return join(flow.where, flow.flag, a, b, mark);
}

// ---- joining two branches
// ------------------------------------------------------------------------------------------------

void Lowering::fail_join(Join& j, const std::string& name, const Value& a, const Value& b) {
  Diagnostic d = branch_mismatch(function_, name, a, b);
  const std::string types = describe(a, function_) + " and " + describe(b, function_);
  if (j.ternary) {
    d.message = "both sides of `x if c else y` need one type, found " + types;
  } else if (name.empty()) {
    d.message = "the returns of `" + current_function() + "` have different types: " + types;
    std::swap(d.range, d.labels[0].range);  // the later return is the one to change
    std::swap(d.range_label, d.labels[0].text);
  } else {
    const Binding* old = frame_->scope.find(name);
    if (old != nullptr && old->constexpr_) {
      d.message = "the constexpr `" + name + "` cannot be reassigned under a run-time `if`";
      d.hint = "copy it into a plain variable before";
    }
  }
  if (!d.range.valid()) std::swap(d.range, d.labels[0].range);
  if (!d.labels[0].range.valid()) d.labels.clear();
  fail(std::move(d));
}

ValueId Lowering::join_leaf(Join& j, const std::string& name, ValueId a, ValueId b) {
  if (a == b) return a;
  j.yield_a.push_back(a);
  j.yield_b.push_back(b);
  j.names.push_back(name);
  return kPlaceholder + static_cast<ValueId>(j.yield_a.size() - 1);
}

Value Lowering::join_values(Join& j, const std::string& name, const Value& a, const Value& b) {
  if (a.is<TupleValue>() && b.is<TupleValue>()) {
    Value out = a;
    auto& items = out.as<TupleValue>().items;
    const auto& others = b.as<TupleValue>().items;
    if (items.size() != others.size()) fail_join(j, name, a, b);
    for (size_t i = 0; i < items.size(); ++i) items[i] = join_values(j, name, items[i], others[i]);
    return out;
  }
  if (is_compile_time(a) && is_compile_time(b)) {
    if (const_binary(*this, "==", a, b, j.place).as<bool>()) return a;
    fail_join(j, name, a, b);
  }
  if (a.is_const_number() && b.is_tensor())
    return join_values(j, name, {TensorValue{in_block(j.a.block, [&] { return to_tensor(*this, a); })}, a.range}, b);
  if (b.is_const_number() && a.is_tensor())
    return join_values(j, name, a, {TensorValue{in_block(j.b.block, [&] { return to_tensor(*this, b); })}, b.range});
  if (!same_structure(a, b)) fail_join(j, name, a, b);
  std::vector<ValueId> x, y;
  append_leaves(a, x);
  append_leaves(b, y);
  for (size_t i = 0; i < x.size(); ++i) {
    if (type(x[i]) != type(y[i])) fail_join(j, name, a, b);
    x[i] = join_leaf(j, name, x[i], y[i]);
  }
  size_t at = 0;
  return with_leaves(a, x, at);
}

/// A value of the one branch that can be left at its end; the other yields something of the type that nobody reads.
Value Lowering::pass_out(Join& j, const std::string& name, const Value& v, bool from_a) {
  std::vector<ValueId> leaves;
  append_leaves(v, leaves);
  for (ValueId& id : leaves) {
    if (id < j.mark) continue;
    const Type t = type(id);
    const ValueId other = in_block(from_a ? j.b.block : j.a.block, [&] { return dummy(t); });
    id = from_a ? join_leaf(j, name, id, other) : join_leaf(j, name, other, id);
  }
  size_t at = 0;
  return with_leaves(v, leaves, at);
}

void Lowering::join_results(Join& j) {
  using K = Flow::Kind;
  const K a = j.a.flow.kind, b = j.b.flow.kind;
  j.flow.kind = a == b && a != K::Maybe ? a : K::Maybe;
  j.flow.where = j.a.flow.where.valid() ? j.a.flow.where : j.b.flow.where;
  j.flow.result = {NoneValue{}, {}};
  if (j.flow.kind == K::Normal) return;
  if (j.flow.kind == K::Maybe) {
    const auto flag = [&](Branch& br) {
      if (br.flow.kind == K::Maybe) return br.flow.flag;
      const bool returned = br.flow.kind == K::Returned;
      return in_block(br.block, [&] { return builder_->constant_bits(Type::scalar(DType::Int1), returned ? 1 : 0); });
    };
    const ValueId fa = flag(j.a), fb = flag(j.b);
    j.flow.flag = join_leaf(j, "", fa, fb);
  }
  const bool value_a = !j.a.flow.fell_off && a != K::Normal, value_b = !j.b.flow.fell_off && b != K::Normal;
  j.flow.fell_off = !value_a && !value_b;
  const Value& only = value_a ? j.a.flow.result : j.b.flow.result;
  if (value_a != value_b && j.flow.kind == K::Returned && !only.is<NoneValue>())
    note(j.flow.where, missing_return_text());
  if (!value_a)
    j.flow.result = pass_out(j, "", j.b.flow.result, false);
  else if (!value_b)
    j.flow.result = pass_out(j, "", j.a.flow.result, true);
  else
    j.flow.result = join_values(j, "", j.a.flow.result, j.b.flow.result);
}

void Lowering::join_name(Join& j, const std::string& name) {
  const Binding* old = frame_->scope.find(name);
  const auto after = [&](const Branch& branch) -> const Binding* {
    auto it = branch.changes.find(name);
    if (it == branch.changes.end()) return old;
    return it->second ? &*it->second : nullptr;
  };
  const Binding *a = after(j.a), *b = after(j.b);
  if (a == nullptr && b == nullptr) {
    if (old != nullptr) frame_->scope.erase(name);
    return;
  }
  if (!j.live_a() || !j.live_b()) {
    const bool from_a = j.live_a();
    const Binding* only = from_a ? a : b;
    if (only == nullptr)
      frame_->scope.erase(name);
    else
      frame_->scope.set(name, {pass_out(j, name, only->value, from_a), only->where, only->constexpr_});
    return;
  }
  if (a == nullptr || b == nullptr) {
    const Binding& only = a != nullptr ? *a : *b;
    Diagnostic d;
    d.labels.push_back({only.where, "assigned only here"});
    d.labels.push_back({j.place, std::string("the ") + (a != nullptr ? "other path" : "first path") +
                                     " through this `if` does not assign it"});
    d.hint = "assign `" + name + "` before the `if`, or in both branches";
    frame_->gone[name] = std::move(d);
    frame_->scope.erase(name);
    return;
  }
  if (is_compile_time(a->value) && is_compile_time(b->value)) {
    if (old != nullptr) return;  // a branch's own constexpr does not outlive it
    if (const_binary(*this, "==", a->value, b->value, j.place).as<bool>()) frame_->scope.set(name, *a);
    return;
  }
  if (old != nullptr && old->constexpr_) fail_join(j, name, a->value, b->value);
  // The assignment of the later branch is named when both changed it; else the one that did.
  const bool b_changed = old == nullptr || old->where.line != b->where.line || old->where.column != b->where.column;
  const SourceRange where = b_changed ? b->where : a->where;
  frame_->scope.set(name, {join_values(j, name, a->value, b->value), where, false});
}

Flow Lowering::join(const SourceRange& place, ValueId condition, Branch& a, Branch& b, ValueId mark, bool ternary) {
  Join j{a, b, mark, place, ternary};
  join_results(j);
  std::set<std::string> names;
  if (j.live_a() || j.live_b()) {
    for (const Branch* branch : {&a, &b})
      for (const auto& [name, binding] : branch->changes) names.insert(name);
    for (const std::string& name : names) join_name(j, name);
  }
  set_location(place);
  std::vector<Type> types;
  for (ValueId v : j.yield_a) types.push_back(type(v));
  in_block(a.block, [&] { return &builder_->create(OpCode::Yield, j.yield_a, {}); });
  in_block(b.block, [&] { return &builder_->create(OpCode::Yield, j.yield_b, {}); });
  Op& op = builder_->create(OpCode::If, {condition}, types);
  op.regions.push_back(std::move(a.block));
  op.regions.push_back(std::move(b.block));
  const std::vector<ValueId> results = op.results;
  for (size_t i = 0; i < results.size(); ++i) function_.values[results[i]].name = j.names[i];
  if (j.flow.kind == Flow::Kind::Maybe && j.flow.flag >= kPlaceholder)
    j.flow.flag = results[j.flow.flag - kPlaceholder];
  j.flow.result = resolve_placeholders(j.flow.result, results);
  for (const std::string& name : names) {
    const Binding* joined = frame_->scope.find(name);
    if (joined == nullptr || !has_placeholders(joined->value)) continue;
    Binding resolved = *joined;
    resolved.value = resolve_placeholders(resolved.value, results);
    frame_->scope.set(name, std::move(resolved));
  }
  return j.flow;
}

Value Lowering::eval_ternary(const Expr& e) {
  const Value test = eval(*e.items[0]);
  if (is_compile_time(test)) return eval(*e.items[const_truth(test) ? 1 : 2]);
  const ValueId c = condition(test, "`x if c else y`", e.items[0]->range);
  const ValueId mark = static_cast<ValueId>(function_.values.size());
  const auto side = [&](const Expr& x) {
    return lower_branch([&] {
      Flow f;
      f.kind = Flow::Kind::Returned;
      f.result = run_time_form(eval(x), "");
      return f;
    });
  };
  Branch a = side(*e.items[1]), b = side(*e.items[2]);
  return join(e.range, c, a, b, mark, true).result;
}

}  // namespace tilescope::lower
