// Statements and assignment.
#include "core/lower/depth_guard.h"
#include "core/lower/lowering.h"

namespace tilescope::lower {

Flow Lowering::exec_sequence(size_t i, size_t n, bool tail, const std::function<Flow(size_t, Rest&)>& step) {
  for (; i < n; ++i) {
    Rest rest;
    rest.empty = i + 1 == n;
    rest.run = [&, i] { return exec_sequence(i + 1, n, tail, step); };
    Flow flow = step(i, rest);
    if (flow.kind == Flow::Kind::Returned || rest.consumed) return flow;
    if (flow.kind == Flow::Kind::Maybe && !rest.empty) return continue_after_maybe(flow, rest);
    if (flow.kind == Flow::Kind::Maybe) return tail ? fall_off_end(flow) : flow;
  }
  Flow end;
  if (tail) end.kind = Flow::Kind::Returned;
  end.fell_off = tail;
  end.result = {NoneValue{}, {}};
  return end;
}

/// The function ends after some paths returned: without values that is a return for all.
Flow Lowering::fall_off_end(Flow flow) {
  flow.kind = Flow::Kind::Returned;
  if (!flow.result.is<NoneValue>()) note(flow.where, missing_return_text());
  return flow;
}

/// `tail`: falling off the end of these statements leaves the function.
Flow Lowering::exec_block(std::span<Stmt* const> stmts, bool tail) {
  return exec_sequence(0, stmts.size(), tail,
                       [&](size_t i, Rest& rest) { return exec_stmt(*stmts[i], rest, tail && rest.empty); });
}

Flow Lowering::exec_stmt(const Stmt& s, Rest& rest, bool tail) {
  DepthGuard guard(*this, s.range);
  count_step(s.range);
  frame_->statement = s.range;
  using K = Stmt::Kind;
  switch (s.kind) {
    case K::Assign:
      exec_assign(s);
      break;
    case K::AnnAssign:
      exec_annotated(s);
      break;
    case K::AugAssign: {
      const Value old = eval(*s.targets[0]), operand = eval(*s.value);
      set_location(s.range);
      Value v = binary(*this, std::string(spelling(s.op)), old, operand, s.range);
      v.range = s.range;
      assign(*s.targets[0], run_time_form(v, text_of(s.targets[0]->range)));
      break;
    }
    case K::ExprStmt:
      if (s.value->kind != Expr::Kind::Str && s.value->kind != Expr::Kind::Ellipsis) eval(*s.value);
      break;
    case K::If:
      return exec_if(s, rest, tail);
    case K::For:
      return exec_for(s, tail);
    case K::While:
      return exec_while(s);
    case K::Return:
      return exec_return(s);
    case K::Assert:
      exec_assert(s);
      break;
    case K::Pass:
      break;
    case K::Break:
      fail(s.range, "a kernel cannot use `break`",
           "compute the trip count before the loop, or carry a flag and guard the body with `if`; `while` with a "
           "condition works too");
    case K::Continue:
      fail(s.range, "a kernel cannot use `continue`", "put the rest of the loop body under an `if`");
    case K::Unsupported: {
      if (s.text == "raise")
        fail(s.range, "this `raise` is reached", "the constexprs and arguments of this launch lead to it");
      std::string hint;
      if (s.text == "nested function") hint = "move it to the top level of the file and give it @triton.jit";
      if (s.text == "try") hint = "tl.static_assert stops the compilation, tl.device_assert a run";
      if (s.text == "import") hint = "import at the top of the file";
      if (s.text == "del") hint = "leave it out: values need no deletion";
      fail(s.range, "a kernel cannot use a `" + s.text + "` statement", hint);
    }
  }
  return {};
}

// ---- assignment
// ----------------------------------------------------------------------------------------------------------

Value Lowering::run_time_form(const Value& v, const std::string& name) {
  if (frame_->constexpr_function) return v;
  if (v.is_const_number()) {
    set_location(v.range);
    return {TensorValue{to_tensor(*this, v)}, v.range};
  }
  if (v.is<TupleValue>()) {
    Value out = v;
    for (Value& item : out.as<TupleValue>().items) {
      if (!item.range.valid()) item.range = v.range;
      item = run_time_form(item, name);
    }
    return out;
  }
  if (v.is<std::string>() || v.is<FunctionValue>() || v.is<BuiltinValue>() || v.is<ModuleValue>() ||
      v.is<EnumValue>()) {
    const std::string target = name.empty() ? "x" : name;
    fail(v.range, "a plain variable holds run-time values, not " + describe(v, function_),
         "declare it as a constexpr: " + target + ": tl.constexpr = ...");
  }
  return v;
}

void Lowering::set_name(const std::string& name, Value value, const SourceRange& where, bool constexpr_) {
  if (value.is_tensor()) {
    const ValueId id = value.as<TensorValue>().id;
    std::string& known = function_.values[id].name;
    // What a helper returned gets the kernel's name for it; in `y = x` the value stays x.
    const Binding* named = known.empty() ? nullptr : frame_->scope.find(known);
    const bool ours = named != nullptr && named->value.is_tensor() && named->value.as<TensorValue>().id == id;
    if (!ours && (known.empty() || frame_->calls == nullptr)) known = name;
  }
  frame_->gone.erase(name);
  frame_->scope.set(name, {std::move(value), where, constexpr_});
}

void Lowering::assign(const Expr& target, const Value& value) {
  switch (target.kind) {
    case Expr::Kind::Name:
      set_name(target.text, value, target.range);
      return;
    case Expr::Kind::Tuple:
    case Expr::Kind::List: {
      if (!value.is<TupleValue>())
        fail(target.range,
             "cannot unpack " + describe(value, function_) + " into " + std::to_string(target.items.size()) + " names",
             value.is_tensor() ? "tl.split takes the last axis of length 2 apart" : "");
      const auto& items = value.as<TupleValue>().items;
      const std::string counts = std::to_string(items.size()) + " values into " + std::to_string(target.items.size()) +
                                 (target.items.size() == 1 ? " name" : " names");
      if (items.size() < target.items.size()) fail(target.range, "cannot unpack " + counts);
      if (items.size() > target.items.size()) note(target.range, "Triton unpacks " + counts + " and drops the rest");
      for (size_t i = 0; i < target.items.size(); ++i) assign(*target.items[i], items[i]);
      return;
    }
    case Expr::Kind::Subscript:
      fail(target.range, "a tile's elements cannot be assigned",
           "build a new tile: x = tl.where(index == i, value, x); memory is written with tl.store");
    case Expr::Kind::Attribute:
      fail(target.range, "attributes cannot be assigned in a kernel");
    case Expr::Kind::Starred:
      fail(target.range, "a starred target cannot be used in a kernel", "name every item");
    default:
      fail(target.range, "this cannot be assigned");
  }
}

void Lowering::exec_assign(const Stmt& s) {
  if (s.targets.size() != 1)
    fail(s.targets[1]->range, "Triton assigns to one target at a time", "write two statements");
  const Expr& target = *s.targets[0];
  const std::string name = target.kind == Expr::Kind::Name ? target.text : "";
  assign(target, run_time_form(eval(*s.value), name));
}

void Lowering::exec_annotated(const Stmt& s) {
  const Expr& target = *s.targets[0];
  if (s.value == nullptr) return;
  // Only tl.constexpr has a meaning; other annotations are for readers.
  const Expr& annotation = *s.annotation;
  const bool is_constexpr = annotation.text == "constexpr" || (annotation.base && annotation.base->text == "constexpr");
  const Value v = eval(*s.value);
  if (!is_constexpr) {
    assign(target, run_time_form(v, text_of(target.range)));
    return;
  }
  if (target.kind != Expr::Kind::Name) fail(target.range, "only a name can be declared tl.constexpr");
  if (!is_compile_time(v))
    fail(s.value->range, "`" + target.text + "` is declared tl.constexpr but gets " + describe(v, function_),
         "leave the annotation out, or compute the value from constexprs only");
  if (const Binding* old = frame_->scope.find(target.text)) {
    Diagnostic d;
    d.message = "`" + target.text + "` is already defined; a constexpr cannot be assigned again";
    d.range = target.range;
    d.labels.push_back({old->where, "first defined here"});
    d.hint = "use another name, or a plain variable without the annotation";
    fail(std::move(d));
  }
  set_name(target.text, v, target.range, true);
}

void Lowering::exec_assert(const Stmt& s) {
  const Value test = eval(*s.value);
  std::string message;
  if (s.message != nullptr) {
    const Value m = eval(*s.message);
    if (is_compile_time(m)) message = python_str(m);
  }
  if (is_compile_time(test)) {
    if (const_truth(test)) return;
    fail(s.value->range, "this assertion is false" + (message.empty() ? "" : ": " + message));
  }
  if (!test.is_tensor() || type(test.as<TensorValue>().id).pointer)
    fail(s.value->range, "assert needs a condition, found " + describe(test, function_));
  set_location(s.range);
  const ValueId holds = cast_to(*this, test.as<TensorValue>().id, {DType::Int1, false, {}}, false, s.value->range);
  builder_->create(OpCode::Assert, {holds}, {}, {{"text", message}});
}

// ---- return
// --------------------------------------------------------------------------------------------------------------

Value Lowering::decay_result(const Value& v) {
  if (frame_->constexpr_function) return v;
  if (v.is_const_number()) return {TensorValue{to_tensor(*this, v)}, v.range};
  if (!v.is<TupleValue>()) return v;
  Value out = v;
  for (Value& item : out.as<TupleValue>().items) {
    if (!item.range.valid()) item.range = v.range;
    item = decay_result(item);
  }
  return out;
}

Flow Lowering::exec_return(const Stmt& s) {
  if (frame_->loops > 0)
    fail(s.range, "`return` cannot stand inside a `for` or `while` loop",
         "carry a flag through the loop and return after it");
  Flow flow;
  flow.kind = Flow::Kind::Returned;
  flow.where = s.range;
  flow.result = {NoneValue{}, s.range};
  if (s.value != nullptr) {
    flow.result = eval(*s.value);
    set_location(s.range);
    flow.result = decay_result(flow.result);
  }
  return flow;
}

}  // namespace tilescope::lower
