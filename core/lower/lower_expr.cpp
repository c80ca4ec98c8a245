// Expressions.
#include "core/lower/depth_guard.h"
#include "core/lower/lowering.h"

namespace tilescope::lower {

Value Lowering::eval(const Expr& e) {
  DepthGuard guard(*this, e.range);
  count_step(e.range);
  Value v = eval_inner(e);
  v.range = e.range;
  return v;
}

Value Lowering::eval_inner(const Expr& e) {
  using K = Expr::Kind;
  switch (e.kind) {
    case K::Name:
      return lookup(e);
    case K::Int:
      if (e.too_big) fail(e.range, "this integer does not fit in 64 bits");
      return {static_cast<ConstInt>(e.integer), e.range};
    case K::Float:
      return {e.real, e.range};
    case K::Bool:
      return {e.integer != 0, e.range};
    case K::None:
      return {NoneValue{}, e.range};
    case K::Str:
      return {e.text, e.range};
    case K::FString:
      return eval_fstring(e);
    case K::Attribute:
      return eval_attribute(e);
    case K::Subscript:
      return eval_subscript(e);
    case K::Call:
      return eval_call(e);
    case K::Compare:
      return eval_compare(e);
    case K::BoolOp:
      return eval_bool_op(e);
    case K::IfExp:
      return eval_ternary(e);
    case K::BinOp: {
      if (e.op == SynOp::MatMul) fail(e.range, "`@` is no operator of Triton", "write tl.dot(a, b)");
      const Value lhs = eval(*e.items[0]), rhs = eval(*e.items[1]);
      set_location(e.range);
      return binary(*this, std::string(spelling(e.op)), lhs, rhs, e.range);
    }
    case K::UnaryOp: {
      const Value x = eval(*e.items[0]);
      set_location(e.range);
      return unary(*this, std::string(spelling(e.op)), x, e.range);
    }
    case K::Tuple:
    case K::List: {
      TupleValue t;
      for (const Expr* item : e.items) {
        Value v = eval(item->kind == K::Starred ? *item->items[0] : *item);
        if (item->kind != K::Starred)
          t.items.push_back(std::move(v));
        else if (v.is<TupleValue>())
          for (Value& x : v.as<TupleValue>().items) t.items.push_back(std::move(x));
        else
          fail(item->range, "`*` needs a tuple, found " + describe(v, function_));
      }
      check_tuple_size(*this, t, e.range);
      return {std::move(t), e.range};
    }
    case K::Ellipsis:
      fail(e.range, "`...` has no meaning in a kernel", "write one `:` or None per axis");
    case K::Slice:
      fail(e.range, "a slice can only stand in [...]");
    case K::Starred:
      fail(e.range, "`*` can only stand in a call or a tuple");
    case K::FormattedValue:
      return eval(*e.items[0]);
    case K::Unsupported: {
      std::string hint;
      if (e.text == "lambda")
        hint = "write a helper function with @triton.jit and call it";
      else if (e.text.find("comprehension") != std::string::npos)
        hint = "write the items out, or use tl.static_range";
      else if (e.text == "dict" || e.text == "set")
        hint = "use a tuple and constexpr indices";
      fail(e.range, "a kernel cannot use a " + e.text, hint);
    }
  }
  internal_error("an expression of an unknown kind");
}

// ---- comparisons and logic
// -----------------------------------------------------------------------------------------------

Value Lowering::eval_compare(const Expr& e) {
  if (e.ops.size() != 1)
    fail(e.range, "Triton has no chained comparisons", "write (a < b) and (b < c), or & for tiles");
  const SynOp op = e.ops[0];
  if (op == SynOp::In || op == SynOp::NotIn) {
    if (auto v = contained(e)) return *v;
    fail(e.range, "Triton has no `" + std::string(spelling(op)) + "`", "compare with each: x == a or x == b");
  }
  const Value lhs = eval(*e.items[0]), rhs = eval(*e.items[1]);
  set_location(e.range);
  if (op != SynOp::Is && op != SynOp::IsNot) return binary(*this, std::string(spelling(op)), lhs, rhs, e.range);
  bool same = false;
  if (is_compile_time(lhs) && is_compile_time(rhs) && lhs.v.index() == rhs.v.index())
    same = std::get<bool>(const_binary(*this, "==", lhs, rhs, e.range).v);
  return {same == (op == SynOp::Is), e.range};
}

/// `x in (a, b)` and `"a" in text` of host code.
std::optional<Value> Lowering::contained(const Expr& e) {
  if (!frame_->constexpr_function) return std::nullopt;
  const Value item = eval(*e.items[0]), all = eval(*e.items[1]);
  bool found = false;
  if (all.is<TupleValue>() && is_compile_time(all) && is_compile_time(item)) {
    for (const Value& x : all.as<TupleValue>().items) found = found || const_truth(const_binary(*this, "==", item, x, e.range));
  } else if (all.is<std::string>() && item.is<std::string>()) {
    found = all.as<std::string>().find(item.as<std::string>()) != std::string::npos;
  } else {
    return std::nullopt;
  }
  return Value{found == (e.ops[0] == SynOp::In), e.range};
}

Value Lowering::eval_bool_op(const Expr& e) {
  const bool is_and = e.op == SynOp::And;
  std::vector<Value> parts;
  Value value;
  for (const Expr* item : e.items) {
    value = eval(*item);
    if (is_compile_time(value)) {
      if (const_truth(value) != is_and) return value;
      continue;  // `True and x` is x
    }
    parts.push_back(value);
  }
  if (parts.empty()) return value;
  if (parts.size() == 1) return parts[0];
  for (const Value& part : parts) {
    if (part.is_tensor()) {
      const Type& t = type(part.as<TensorValue>().id);
      if (!t.pointer && is_bool(t.elem)) continue;
    }
    const std::string text = text_of(part.range);
    fail(part.range, "`" + std::string(spelling(e.op)) + "` needs an int1, found " + describe(part, function_),
         "compare instead: " + (text.empty() || text.size() > 24 ? "x" : text) + " != 0");
  }
  set_location(e.range);
  while (parts.size() > 1) {
    const Value rhs = parts.back();
    parts.pop_back();
    const Value lhs = parts.back();
    parts.pop_back();
    Value r = binary(*this, is_and ? "&" : "|", lhs, rhs, e.range);
    r.range = tilescope::lower::join(lhs.range, rhs.range);
    parts.push_back(std::move(r));
  }
  return parts[0];
}

// ---- x[...]
// --------------------------------------------------------------------------------------------------------------

Value Lowering::eval_subscript(const Expr& e) {
  const Value base = eval(*e.base);
  if (base.is_tensor()) return index_tensor(base, e);
  if (base.is<TupleValue>() || base.is<std::string>()) return index_tuple(base, e);
  if (base.is<FunctionValue>())
    fail(e.range, "a kernel cannot launch a kernel", "only host code launches: kernel[grid](...)");
  fail(e.range, "cannot index " + describe(base, function_));
}

Value Lowering::index_tensor(const Value& base, const Expr& e) {
  std::vector<const Expr*> items(e.items.begin(), e.items.end());
  if (items.size() == 1 && items[0]->kind == Expr::Kind::Tuple)
    items.assign(items[0]->items.begin(), items[0]->items.end());
  ValueId v = base.as<TensorValue>().id;
  const Type t = type(v);
  int kept = 0;
  std::vector<int> axes;
  for (size_t i = 0; i < items.size(); ++i) {
    const Expr& item = *items[i];
    if (item.kind == Expr::Kind::Slice) {
      if (item.items[0] || item.items[1] || item.items[2])
        fail(item.range, "a tile cannot be sliced; only `:` and None may stand in [...]",
             "load the part you need, or use tl.where with a mask; tl.split and tl.reshape take halves apart");
      ++kept;
      continue;
    }
    const Value index = eval(item);
    if (!index.is<NoneValue>()) {
      if (t.pointer && t.is_scalar())
        fail(e.range, "a pointer cannot be indexed",
             "read one element with tl.load(" + text_of(e.base->range) + " + index)");
      fail(item.range, "a tile cannot be indexed by " + describe(index, function_),
           "only `:` and None may stand in [...]; pick elements with tl.sum(tl.where(i == k, x, 0)), or load them from "
           "memory");
    }
    axes.push_back(static_cast<int>(i));
  }
  if (kept > t.shape.rank)
    fail(e.range, "too many `:` for " + describe(base, function_) + ": it has " + std::to_string(t.shape.rank) +
                      (t.shape.rank == 1 ? " axis" : " axes"));
  if (t.shape.rank + static_cast<int>(axes.size()) > kMaxRank)
    fail(e.range, "a tile has at most " + std::to_string(kMaxRank) + " axes");
  set_location(e.range);
  for (int axis : axes) v = type(v).is_scalar() ? b().splat(v, Shape{1}) : b().expand_dims(v, axis);
  return {TensorValue{v}, e.range};
}

Value Lowering::index_tuple(const Value& base, const Expr& e) {
  if (e.items.size() != 1) fail(e.range, "a tuple has one index");
  const bool is_string = base.is<std::string>();
  const auto size =
      static_cast<ConstInt>(is_string ? base.as<std::string>().size() : base.as<TupleValue>().items.size());
  const auto clamp_index = [&](const Expr* x, ConstInt fallback) {
    if (x == nullptr) return fallback;
    ConstInt i = require_const_int(*this, eval(*x), "a tuple index");
    if (i < 0) i += size;
    return i < 0 ? ConstInt{0} : i > size ? size : i;
  };
  const Expr& item = *e.items[0];
  if (item.kind == Expr::Kind::Slice) {
    if (item.items[2] != nullptr) fail(item.range, "a tuple slice cannot have a step in a kernel");
    const ConstInt lo = clamp_index(item.items[0], 0), hi = clamp_index(item.items[1], size);
    const auto from = static_cast<size_t>(lo), count = static_cast<size_t>(hi > lo ? hi - lo : 0);
    if (is_string) return {base.as<std::string>().substr(from, count), e.range};
    TupleValue t;
    const auto& all = base.as<TupleValue>().items;
    t.items.assign(all.begin() + static_cast<long>(from), all.begin() + static_cast<long>(from + count));
    return {std::move(t), e.range};
  }
  ConstInt i = require_const_int(*this, eval(item), "a tuple index");
  if (i < -size || i >= size)
    fail(item.range, "index " + to_string(i) + " is out of range: " + (is_string ? "the string" : "the tuple") +
                         " has " + to_string(size) + (size == 1 ? " item" : " items"));
  if (i < 0) i += size;
  if (is_string) return {std::string(1, base.as<std::string>()[static_cast<size_t>(i)]), e.range};
  return base.as<TupleValue>().items[static_cast<size_t>(i)];
}

// ---- f-strings
// -----------------------------------------------------------------------------------------------------------

Value Lowering::eval_fstring(const Expr& e) {
  std::string out;
  for (const Expr* part : e.items) {
    if (part->kind == Expr::Kind::Str) {
      out += part->text;
      continue;
    }
    const Value v = eval(*part);
    if (!is_compile_time(v))
      fail(part->range,
           "an f-string in a kernel can only show values known at compile time, found " + describe(v, function_),
           "tl.device_print(\"text\", x) prints run-time values");
    const bool quoted = v.is<std::string>() && part->text.starts_with("!r");
    out += quoted ? "'" + python_str(v) + "'" : python_str(v);
    if (out.size() > 65536) fail(e.range, "this string is longer than 65536 bytes");
  }
  return {std::move(out), e.range};
}

// ---- calls
// ---------------------------------------------------------------------------------------------------------------

std::vector<CallArg> Lowering::eval_args(const Expr& call) {
  std::vector<CallArg> args;
  for (const Expr* item : call.items) {
    if (item->kind != Expr::Kind::Starred) {
      args.push_back({"", eval(*item)});
      continue;
    }
    const Value v = eval(*item->items[0]);
    if (!v.is<TupleValue>()) fail(item->range, "`*` needs a tuple, found " + describe(v, function_));
    for (const Value& x : v.as<TupleValue>().items) args.push_back({"", x});
  }
  for (const Keyword& k : call.keywords) {
    if (k.name.empty()) fail(k.value->range, "a kernel cannot use `**` in a call", "name each argument");
    args.push_back({k.name, eval(*k.value)});
  }
  return args;
}

Value Lowering::eval_call(const Expr& e) {
  const Value callee = eval(*e.base);
  if (auto v = special_form(callee, e)) return *v;
  return call_value(callee, eval_args(e), e);
}

Value Lowering::call_value(const Value& callee, std::vector<CallArg> args, const Expr& e) {
  if (callee.is<FunctionValue>()) return call_function(callee.as<FunctionValue>(), std::move(args), e.range);
  if (callee.is<BuiltinValue>()) {
    const auto& bound = callee.as<BuiltinValue>();
    if (bound.self) args.insert(args.begin(), {"", *bound.self});
    Call call{bound.builtin, std::move(args), e.range, e.base->range};
    set_location(e.range);
    return bound.builtin->fn(*this, call);
  }
  if (callee.is<DTypeValue>()) {
    if (args.size() != 1 || !args[0].name.empty()) fail(e.range, "a type takes one value to convert");
    set_location(e.range);
    const ValueId v = to_tensor(*this, args[0].value);
    return {TensorValue{cast_to(*this, v, callee.as<DTypeValue>(), false, e.range)}, e.range};
  }
  if (callee.is<ClassValue>()) return make_named_tuple(callee.as<ClassValue>(), std::move(args), e.range);
  fail(e.base->range, describe(callee, function_) + " cannot be called");
}

}  // namespace tilescope::lower
