// Loops. A variable that the body assigns is carried: it enters as a region argument and leaves by yield. Which ones
// really change is known after the body is lowered once; arguments of the others are replaced by their initial values.
#include <algorithm>
#include <unordered_map>

#include "core/lower/depth_guard.h"
#include "core/lower/lowering.h"
#include "core/lower/mismatch.h"

namespace tilescope::lower {

/// A variable that may change from one iteration to the next.
struct Lowering::Carried {
  std::string name;
  Value initial;
  std::vector<ValueId> init;  ///< leaves of `initial`
};

struct Lowering::Loop {
  const Stmt& stmt;
  std::vector<Carried> carried;
  std::vector<std::vector<ValueId>> args;  ///< per region, all candidates' leaves in order
  std::vector<ValueId> finals;             ///< per candidate leaf, its value at the end of the body
  std::vector<bool> changed;
  Changes after;  ///< what the body left of the names
};

namespace {

void replace_uses(Block& block, const std::unordered_map<ValueId, ValueId>& with) {
  if (with.empty()) return;
  walk(block, [&](Op& op) {
    for (ValueId& v : op.operands)
      if (auto it = with.find(v); it != with.end()) v = it->second;
  });
}

/// The bounds of range(end), range(start, end) and range(start, end, step), by position or by tl.range's names.
std::vector<Value> take_bounds(Lowering& l, std::vector<CallArg>& args, const SourceRange& range) {
  std::vector<Value> bounds;
  std::vector<CallArg> rest;
  for (CallArg& a : args) {
    const bool bound = a.name.empty() || a.name == "arg1" || a.name == "arg2";
    if (bound)
      bounds.push_back(a.value);
    else
      rest.push_back(a);
  }
  auto step = std::find_if(rest.begin(), rest.end(), [](const CallArg& a) { return a.name == "step"; });
  if (step != rest.end()) {
    if (bounds.size() == 1) bounds.insert(bounds.begin(), {ConstInt{0}, range});
    bounds.push_back(step->value);
    rest.erase(step);
  }
  if (bounds.empty() || bounds.size() > 3)
    l.fail(range, "a range takes 1 to 3 bounds: (end), (start, end) or (start, end, step)");
  if (bounds.size() == 1) bounds.insert(bounds.begin(), {ConstInt{0}, range});
  if (bounds.size() == 2) bounds.push_back({ConstInt{1}, range});
  args = std::move(rest);
  return bounds;
}

bool is_range_option(const std::string& name) {
  for (const char* known :
       {"num_stages", "loop_unroll_factor", "disallow_acc_multi_buffer", "flatten", "warp_specialize", "disable_licm"})
    if (name == known) return true;
  return false;
}

}  // namespace

Flow Lowering::exec_for(const Stmt& s, bool tail) {
  if (!s.orelse.empty()) fail(s.range, "a loop in a kernel cannot have an `else`");
  const Expr& target = *s.targets[0];
  if (target.kind != Expr::Kind::Name) fail(target.range, "a loop in a kernel has one loop variable, a name");
  const char* hint =
      "loop over range(...), tl.range(...) or tl.static_range(...); for a tuple, index it by "
      "tl.static_range(len(t))";
  if (s.value->kind != Expr::Kind::Call) fail(s.value->range, "a kernel can only loop over a range", hint);
  const Value callee = eval(*s.value->base);
  const std::string path = callee.is<BuiltinValue>() ? callee.as<BuiltinValue>().builtin->path : "";
  if (path != "py.range" && path != "tl.range" && path != "tl.static_range")
    fail(s.value->range, "a kernel can only loop over a range, not over " + describe(callee, function_), hint);
  std::vector<CallArg> args = eval_args(*s.value);
  const std::vector<Value> bounds = take_bounds(*this, args, s.value->range);
  if (path == "py.range" && !args.empty() && std::all_of(args.begin(), args.end(), [](const CallArg& a) { return is_range_option(a.name); })) {
    note(s.value->range, "Python's range has no options: Triton ignores `" + args[0].name + "` here; write tl.range");
    args.clear();
  }
  for (const CallArg& a : args)
    if (path != "tl.range" || !is_range_option(a.name))
      fail(a.value.range, "`" + path.substr(path.find('.') + 1) + "` has no argument `" + a.name + "`");
  if (path == "tl.static_range" || frame_->constexpr_function) return exec_static_range(s, target.text, bounds, tail);
  exec_range(s, target.text, bounds, args);
  return {};
}

Flow Lowering::exec_static_range(const Stmt& s, const std::string& target, const std::vector<Value>& bounds,
                                 bool tail) {
  const ConstInt start = require_const_int(*this, bounds[0], "the start of tl.static_range");
  const ConstInt end = require_const_int(*this, bounds[1], "the end of tl.static_range");
  const ConstInt step = require_const_int(*this, bounds[2], "the step of tl.static_range");
  if (step == 0) fail(bounds[2].range, "the step of tl.static_range is 0");
  ConstInt count = 0, distance = 0;
  if (__builtin_sub_overflow(step > 0 ? end : start, step > 0 ? start : end, &distance) || step == -step)
    fail(s.value->range, "these bounds are beyond 127 bits");
  const ConstInt stride = step > 0 ? step : -step;
  if (distance > 0) count = (distance - 1) / stride + 1;
  if (count > kMaxSteps)
    fail(s.value->range, "tl.static_range would unroll " + to_string(count) + " iterations", "use range(...) instead");
  return exec_sequence(0, static_cast<size_t>(count), tail, [&](size_t i, Rest&) {
    count_step(s.range);
    frame_->statement = s.range;
    set_name(target, {start + static_cast<ConstInt>(i) * step, s.targets[0]->range}, s.targets[0]->range, true);
    return exec_block(s.body, false);
  });
}

// ---- carried variables
// ---------------------------------------------------------------------------------------------------

std::vector<Lowering::Carried> Lowering::find_carried(const Stmt& s, const std::string& target,
                                                      const std::set<std::string>& promoted) {
  std::vector<Carried> out;
  for (const std::string& name : assigned_names(s.body)) {
    const Binding* found = frame_->scope.find(name);
    if (found == nullptr || name == target) continue;
    if (promoted.count(name)) {
      const Binding old = *found;
      frame_->scope.set(name, {run_time_form(old.value, name), old.where, old.constexpr_});
      found = frame_->scope.find(name);
    }
    if (!has_leaves(found->value)) continue;
    Carried c{name, found->value, {}};
    append_leaves(c.initial, c.init);
    out.push_back(std::move(c));
  }
  return out;
}

void Lowering::enter_region(Loop& loop, Block& block) {
  std::vector<ValueId>& args = loop.args.emplace_back();
  for (const Carried& c : loop.carried) {
    std::vector<ValueId> fresh;
    for (ValueId init : c.init) {
      const Type t = type(init);
      fresh.push_back(function_.new_value(t, c.name));
    }
    block.args.insert(block.args.end(), fresh.begin(), fresh.end());
    args.insert(args.end(), fresh.begin(), fresh.end());
    size_t at = 0;
    Binding inside = *frame_->scope.find(c.name);
    inside.value = with_leaves(c.initial, fresh, at);
    frame_->scope.set(c.name, std::move(inside));
  }
}

void Lowering::check_carried(const Carried& c, const Binding& before, const Binding& after) {
  const SourceRange& assigned = after.value.range.valid() ? after.value.range : after.where;
  if (auto d = carried_mismatch(function_, c.name, c.initial, after.value, before.where, assigned)) fail(std::move(*d));
}

bool Lowering::find_changes(Loop& loop, std::set<std::string>& promoted) {
  const size_t known = promoted.size();
  for (const auto& [name, now] : loop.after) {
    const Binding* old = frame_->scope.find(name);
    if (old == nullptr || !now || has_leaves(old->value) || !has_leaves(now->value)) continue;
    // A constexpr before the loop, a run-time value after its body.
    if (old->constexpr_) {
      Diagnostic d;
      d.message = "the constexpr `" + name + "` cannot be reassigned in a run-time loop";
      d.range = now->where;
      d.labels.push_back({old->where, "declared here"});
      d.hint = "copy it into a plain variable before the loop, or use tl.static_range";
      fail(std::move(d));
    }
    if (!old->value.is_const_number() && !old->value.is<TupleValue>())
      check_carried({name, old->value, {}}, *old, *now);
    promoted.insert(name);
  }
  if (promoted.size() != known) return false;
  for (const Carried& c : loop.carried) {
    const std::optional<Binding>& now = loop.after.at(c.name);
    if (!now) fail(loop.stmt.range, "`" + c.name + "` is not defined at the end of every iteration");
    check_carried(c, *frame_->scope.find(c.name), *now);
    append_leaves(now->value, loop.finals);
  }
  for (size_t i = 0; i < loop.finals.size(); ++i) loop.changed.push_back(loop.finals[i] != loop.args.back()[i]);
  return true;
}

/// After the loop: carried variables are its results, names that the body introduced are gone.
void Lowering::leave_loop(Loop& loop, const std::vector<ValueId>& results) {
  for (const auto& [name, now] : loop.after) {
    if (!now || frame_->scope.find(name) != nullptr) continue;
    Diagnostic d;
    d.labels.push_back({now->where, "assigned only in the body of this loop"});
    d.hint = "assign `" + name + "` before the loop";
    frame_->gone[name] = std::move(d);
  }
  size_t leaf = 0, result = 0;
  for (const Carried& c : loop.carried) {
    std::vector<ValueId> leaves = c.init;
    bool any = false;
    for (ValueId& id : leaves) {
      if (!loop.changed[leaf++]) continue;
      any = true;
      function_.values[results[result]].name = c.name;
      id = results[result++];
    }
    if (!any) continue;
    size_t at = 0;
    frame_->scope.set(c.name, {with_leaves(c.initial, leaves, at), loop.after.at(c.name)->where, false});
  }
}

// ---- for
// -----------------------------------------------------------------------------------------------------------------

void Lowering::exec_range(const Stmt& s, const std::string& target, const std::vector<Value>& bounds,
                          const std::vector<CallArg>& options) {
  const RangeBounds checked =
      range_bounds(*this, bounds.data(), [&](const SourceRange& at) { set_location(at); });
  const std::vector<ValueId> ids(checked.ids, checked.ids + 3);
  const DType iv = checked.type;
  std::set<std::string> promoted;
  while (true) {
    const size_t attempt = frame_->scope.mark();
    Block body;
    set_location(s.range);
    Loop loop{s, find_carried(s, target, promoted), {}, {}, {}, {}};
    const size_t inside = frame_->scope.mark();
    const ValueId induction = function_.new_value(Type::scalar(iv), target);
    body.args.push_back(induction);
    enter_region(loop, body);
    set_name(target, {TensorValue{induction}, s.targets[0]->range}, s.targets[0]->range);
    ++frame_->loops;
    in_block(body, [&] { return exec_block(s.body, false).kind; });
    --frame_->loops;
    frame_->statement = s.range;
    loop.after = frame_->scope.take(inside);
    if (!find_changes(loop, promoted)) {
      frame_->scope.take(attempt);
      continue;
    }
    frame_->scope.keep();
    Op& op = [&]() -> Op& {
      std::vector<ValueId> operands = ids, yields;
      std::vector<Type> types;
      std::vector<ValueId> args = {induction};
      std::unordered_map<ValueId, ValueId> unchanged;
      size_t leaf = 0;
      for (const Carried& c : loop.carried)
        for (ValueId init : c.init) {
          const ValueId arg = loop.args[0][leaf];
          if (loop.changed[leaf]) {
            operands.push_back(init);
            types.push_back(type(init));
            yields.push_back(loop.finals[leaf]);
            args.push_back(arg);
          } else {
            unchanged[arg] = init;
          }
          ++leaf;
        }
      set_location(s.range);
      in_block(body, [&] { return &builder_->create(OpCode::Yield, yields, {}); });
      replace_uses(body, unchanged);
      body.args = args;
      Op& made = builder_->create(OpCode::For, operands, types);
      made.regions.push_back(std::move(body));
      return made;
    }();
    for (const CallArg& option : options)
      if (option.value.is<ConstInt>()) op.set_attr(option.name, static_cast<int64_t>(option.value.as<ConstInt>()));
    leave_loop(loop, op.results);
    break;
  }
  Diagnostic d;
  d.labels.push_back({s.targets[0]->range, "the loop variable exists only in the loop"});
  d.hint = "copy it into another variable in the body";
  frame_->scope.erase(target);
  frame_->gone[target] = std::move(d);
}

// ---- while
// ---------------------------------------------------------------------------------------------------------------

/// In a function that runs at compile time the loop simply runs.
Flow Lowering::exec_constexpr_while(const Stmt& s) {
  while (const_truth(eval(*s.value))) {
    count_step(s.range);
    const Flow flow = exec_block(s.body, false);
    if (flow.kind == Flow::Kind::Returned) return flow;
  }
  return {};
}

Flow Lowering::exec_while(const Stmt& s) {
  if (!s.orelse.empty()) fail(s.range, "a loop in a kernel cannot have an `else`");
  if (frame_->constexpr_function) return exec_constexpr_while(s);
  std::set<std::string> promoted;
  while (true) {
    const size_t attempt = frame_->scope.mark();
    set_location(s.range);
    Loop loop{s, find_carried(s, "", promoted), {}, {}, {}, {}};
    const size_t inside = frame_->scope.mark();
    Block test, body;
    enter_region(loop, test);
    Value condition_value;
    const ValueId holds = in_block(test, [&] {
      condition_value = eval(*s.value);
      return is_compile_time(condition_value) ? kNoValue : condition(condition_value, "`while`", s.value->range);
    });
    enter_region(loop, body);
    ++frame_->loops;
    in_block(body, [&] { return exec_block(s.body, false).kind; });
    --frame_->loops;
    frame_->statement = s.range;
    loop.after = frame_->scope.take(inside);
    if (!find_changes(loop, promoted)) {
      frame_->scope.take(attempt);
      continue;
    }
    frame_->scope.keep();
    if (holds == kNoValue) {
      if (!const_truth(condition_value)) return {};
      fail(s.value->range, "this loop never ends: its condition is always true",
           "compare something that the body changes");
    }
    std::vector<ValueId> operands, yields, passed = {holds}, test_args, body_args;
    std::vector<Type> types;
    std::unordered_map<ValueId, ValueId> unchanged;
    size_t leaf = 0;
    for (const Carried& c : loop.carried)
      for (ValueId init : c.init) {
        const ValueId before_arg = loop.args[0][leaf], body_arg = loop.args[1][leaf];
        if (loop.changed[leaf]) {
          operands.push_back(init);
          types.push_back(type(init));
          yields.push_back(loop.finals[leaf]);
          passed.push_back(before_arg);
          test_args.push_back(before_arg);
          body_args.push_back(body_arg);
        } else {
          unchanged[before_arg] = init;
          unchanged[body_arg] = init;
        }
        ++leaf;
      }
    set_location(s.range);
    in_block(test, [&] { return &builder_->create(OpCode::Condition, passed, {}); });
    in_block(body, [&] { return &builder_->create(OpCode::Yield, yields, {}); });
    replace_uses(test, unchanged);
    replace_uses(body, unchanged);
    test.args = test_args;
    body.args = body_args;
    Op& op = builder_->create(OpCode::While, operands, types);
    op.regions.push_back(std::move(test));
    op.regions.push_back(std::move(body));
    leave_loop(loop, op.results);
    return {};
  }
}

}  // namespace tilescope::lower
