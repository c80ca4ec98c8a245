#include "core/lower/mismatch.h"

#include "core/lower/lowering.h"

namespace tilescope::lower {

RangeBounds range_bounds(Context& c, const Value bounds[3], const std::function<void(const SourceRange&)>& at) {
  const char* const roles[] = {"start", "end", "step"};
  RangeBounds out;
  for (int i = 0; i < 3; ++i) {
    at(bounds[i].range);
    const ValueId id = to_tensor(c, bounds[i]);
    const Type t = c.type(id);
    if (t.pointer || !t.is_scalar() || !is_int(t.elem))
      c.fail(bounds[i].range,
             std::string("the ") + roles[i] + " of a range must be an integer scalar, found " +
                 describe(bounds[i], c.b().function()),
             is_float(t.elem) ? "use tl.cdiv(a, b) or a // b for whole numbers" : "");
    out.ids[i] = id;
    out.type = i == 0 ? t.elem : promote(out.type, false, t.elem, false, false);
  }
  if (is_bool(out.type)) out.type = DType::Int32;
  if (bounds[2].is<ConstInt>() && bounds[2].as<ConstInt>() < 0 && is_unsigned_int(out.type))
    c.fail(bounds[2].range,
           "a loop with a negative step needs signed bounds, these are " + std::string(dtype_name(out.type)),
           "convert the bounds: .to(tl.int32)");
  if (bounds[2].is<ConstInt>() && bounds[2].as<ConstInt>() == 0) c.fail(bounds[2].range, "the step of a range is 0");
  for (int i = 0; i < 3; ++i) {
    at(bounds[i].range);
    out.ids[i] = c.b().cast(out.ids[i], out.type);
  }
  return out;
}

ValueId condition_value(Context& c, const Value& v, const std::string& what, const SourceRange& range) {
  const Function& f = c.b().function();
  if (!v.is_tensor()) c.fail(range, what + " needs a condition, found " + describe(v, f));
  const ValueId id = v.as<TensorValue>().id;
  const Type t = c.type(id);
  if (t.is_tile())
    c.fail(range, what + " needs one truth value, found " + describe(v, f),
           "lanes cannot take different branches: use tl.where(condition, x, y), a mask, or reduce with tl.max");
  if (t.pointer) {
    // `if bias_ptr:` asks whether the address is 0; an argument that is None is known while compiling.
    const ValueId address = cast_to(c, id, {DType::Int64, false, {}}, false, range);
    const ValueId zero = c.b().constant_bits(Type::scalar(DType::Int64), 0);
    return to_tensor(c, binary(c, "!=", {TensorValue{address}, range}, {TensorValue{zero}, range}, range));
  }
  return cast_to(c, id, {DType::Int1, false, {}}, false, range);
}

std::optional<Diagnostic> carried_mismatch(const Function& f, const std::string& name, const Value& before,
                                           const Value& after, const SourceRange& declared,
                                           const SourceRange& assigned) {
  std::vector<ValueId> init, now;
  append_leaves(before, init);
  append_leaves(after, now);
  bool same = same_structure(before, after), shapes_differ = false;
  for (size_t i = 0; same && i < now.size(); ++i) {
    if (f.type(now[i]) == f.type(init[i])) continue;
    same = false;
    shapes_differ = f.type(now[i]).shape != f.type(init[i]).shape;
  }
  if (same) return std::nullopt;
  const std::string was = describe(before, f), is = describe(after, f);
  Diagnostic d;
  d.message = "`" + name + "` changes its " + (shapes_differ ? "shape" : "type") + " in the loop: it starts as " + was +
              " and becomes " + is;
  d.range = assigned;
  d.range_label = is;
  d.labels.push_back({declared, was});
  if (!after.is_tensor() || !before.is_tensor()) {
    d.hint = "a variable must keep its kind through a loop";
    return d;
  }
  const Type t = f.type(now[0]), old = f.type(init[0]);
  if (shapes_differ && t.is_tile())
    d.hint = "start with a tile of that shape: " + name + " = tl.zeros(" + to_string(t.shape) + ", tl." +
             std::string(dtype_name(t.elem)) + ")";
  else if (is_float(t.elem) && is_int(old.elem))
    d.hint = "start with a float: " + name + " = 0.0";
  else
    d.hint = "convert at the end of the body: .to(tl." + std::string(dtype_name(old.elem)) + ")";
  return d;
}

bool branches_agree(const Function& f, const Value& a, const Value& b) {
  if (!same_structure(a, b)) return false;
  std::vector<ValueId> x, y;
  append_leaves(a, x);
  append_leaves(b, y);
  for (size_t i = 0; i < x.size(); ++i)
    if (f.type(x[i]) != f.type(y[i])) return false;
  return true;
}

Diagnostic branch_mismatch(const Function& f, const std::string& name, const Value& a, const Value& b) {
  Diagnostic d;
  d.labels.push_back({b.range, describe(b, f)});
  d.range = a.range;
  d.range_label = describe(a, f);
  d.hint = "convert one of them: .to(tl.float32), or write 1.0 instead of 1";
  if (a.is_tensor() && b.is_tensor()) {
    const Type ta = f.type(a.as<TensorValue>().id), tb = f.type(b.as<TensorValue>().id);
    if (ta.pointer || tb.pointer)
      d.hint = "both must be pointers to one type";
    else if (ta.shape != tb.shape)
      d.hint = "both must have one shape, whichever way the program goes";
  } else if (a.is<NoneValue>() || b.is<NoneValue>()) {
    d.hint = "None and a value cannot meet: give both paths a value";
  }
  d.message = "`" + name + "` gets different types in the two branches: " + describe(a, f) + " and " + describe(b, f);
  return d;
}

}  // namespace tilescope::lower
