#include <limits>

#include "core/lower/builtins.h"
#include "core/lower/semantics.h"
#include "core/words.h"

namespace tilescope::lower {

Value make_value(ValueId id, const SourceRange& range) { return {TensorValue{id}, range}; }
Value make_none(const SourceRange& range) { return {NoneValue{}, range}; }
Value make_int(ConstInt v, const SourceRange& range) { return {v, range}; }
Value make_bool(bool v, const SourceRange& range) { return {v, range}; }
Value make_tuple_value(std::vector<Value> items, const SourceRange& range) {
  TupleValue t;
  t.items = std::move(items);
  return {std::move(t), range};
}

void fail_with(Context& c, Diagnostic d) {
  c.fail(std::move(d));
  internal_error("Context::fail returned");
}

ValueId require_tensor(Context& c, const Value& v, const std::string& what) {
  if (v.is_tensor() || v.is_const_number()) return to_tensor(c, v);
  c.fail(v.range, what + " must be a tensor or a number, not " + describe(v, c.b().function()));
}

ValueId require_tile(Context& c, const Value& v, const std::string& what) {
  ValueId id = require_tensor(c, v, what);
  if (c.type(id).is_scalar()) c.fail(v.range, what + " must be a tile, not " + describe(v, c.b().function()));
  return id;
}

Shape common_shape(Context& c, const std::vector<Operand>& operands, const SourceRange& range) {
  Shape shape;
  for (const Operand& o : operands) {
    const Shape& s = c.type(o.id).shape;
    if (s.rank > shape.rank) {
      Shape wider;
      for (int i = 0; i < s.rank; ++i) wider.push_back(i < s.rank - shape.rank ? 1 : shape[i - s.rank + shape.rank]);
      shape = wider;
    }
    for (int i = 0; i < s.rank; ++i) {
      int64_t& extent = shape[shape.rank - s.rank + i];
      if (s[i] == extent || s[i] == 1) continue;
      if (extent == 1) {
        extent = s[i];
        continue;
      }
      Diagnostic d;
      d.message = remember(say(CoreWords::CannotBroadcastThese, {{"axis", shape.rank - s.rank + i}, {"m", extent}, {"n", s[i]}}));
      d.range = range;
      for (const Operand& shown : operands)
        d.labels.push_back({shown.range, remember(say(CoreWords::ShapeLabel, {{"shape", to_string(c.type(shown.id).shape)}}))});
      const bool transposed = s.rank == 2 && shape.rank == 2 && s[0] == shape[1] && s[1] == shape[0];
      d.hint = remember(say(transposed ? CoreWords::TransposedTrans : CoreWords::ColumnAndRow));
      fail_with(c, std::move(d));
    }
  }
  if (shape.elements() > kMaxTileElements)
    c.fail(range, "a tile of shape " + to_string(shape) + " is too large: at most 2^20 elements");
  return shape;
}

ValueId expand_to(Context& c, ValueId v, const Shape& shape) {
  if (c.type(v).is_scalar()) return c.b().splat(v, shape);
  while (c.type(v).shape.rank < shape.rank) v = c.b().expand_dims(v, 0);
  return c.b().broadcast(v, shape);
}

int require_axis(Context& c, const Value& v, int rank, const std::string& what) {
  ConstInt axis = require_const_int(c, v, what);
  if (rank == 0) c.fail(v.range, what + " is given, but a scalar has no axes");
  if (axis < -rank || axis >= rank)
    c.fail(v.range, what + " is " + to_string(axis) + ", but the tile has rank " + std::to_string(rank),
           "axes count from 0 to " + std::to_string(rank - 1) + ", or from -1 backwards");
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

std::vector<int64_t> require_ints(Context& c, const Value& v, const std::string& what) {
  std::vector<int64_t> out;
  auto add = [&](const Value& item) {
    ConstInt n = require_const_int(c, item, what);
    if (n < std::numeric_limits<int64_t>::min() || n > std::numeric_limits<int64_t>::max())
      c.fail(item.range.valid() ? item.range : v.range, what + " is beyond 64 bits");
    out.push_back(static_cast<int64_t>(n));
  };
  if (v.is<TupleValue>())
    for (const Value& item : v.as<TupleValue>().items) add(item);
  else
    add(v);
  return out;
}

std::vector<Value> spread(const std::vector<Value>& rest) {
  return rest.size() == 1 && rest[0].is<TupleValue>() ? rest[0].as<TupleValue>().items : rest;
}

Value as_tuple(const std::vector<Value>& rest, const SourceRange& range) {
  if (rest.size() == 1 && rest[0].is<TupleValue>()) return rest[0];
  return make_tuple_value(rest, rest.size() == 1 ? rest[0].range : range);
}

ValueId promote_bfloat16(Context& c, ValueId v) {
  const Type& t = c.type(v);
  return !t.pointer && t.elem == DType::BFloat16 ? c.b().cast(v, DType::Float32) : v;
}

ValueId require_mask(Context& c, const Value& v, const std::string& what) {
  ValueId id = require_tensor(c, v, what);
  const Type& t = c.type(id);
  if (t.pointer || !is_bool(t.elem))
    c.fail(v.range, what + " must be int1, not " + type_name(t), "compare: `x != 0`, or `.to(tl.int1)`");
  return id;
}

std::string type_name(const Type& t) { return (t.pointer ? "pointer to " : "") + std::string(dtype_name(t.elem)); }

bool is_constexpr_like(const Value& v) {
  if (v.is<TupleValue>()) {
    for (const Value& item : v.as<TupleValue>().items)
      if (!is_constexpr_like(item)) return false;
    return true;
  }
  return !v.is_tensor() && !v.is<BlockPointerValue>() && !v.is<DescriptorValue>();
}

Value refuse_unsupported(Context& c, Call& call) {
  c.fail(call.range, shown_name(*call.builtin) + " is not supported", call.builtin->doc);
}

Value call_prelude_function(Context& c, Call& call) {
  Args bound(c, call);  // its messages name the user's call; the prelude binds the same arguments again
  const std::string& path = call.builtin->path;
  return c.call_prelude(path.substr(path.rfind('.') + 1), call.args, call.range);
}

}  // namespace tilescope::lower
