// What moves, repeats or selects elements, and conversions between element types.
#include <algorithm>
#include <set>

#include "core/lower/builtins.h"

namespace tilescope::lower {
namespace {

Shape shape_argument(Context& c, const Args& args, const SourceRange& range) {
  return require_shape(c, as_tuple(args.rest(), range), "shape");
}

Value broadcast(Context& c, Call& call) {
  Args args(c, call);
  ValueId a = require_tensor(c, args["input"], "input"), b = require_tensor(c, args["other"], "other");
  Shape shape = common_shape(c, {{a, args["input"].range}, {b, args["other"].range}}, call.range);
  return make_tuple_value({make_value(expand_to(c, a, shape), args["input"].range),
                           make_value(expand_to(c, b, shape), args["other"].range)},
                          call.range);
}

Value broadcast_to_shape(Context& c, Call& call) {
  Args args(c, call);
  ValueId x = require_tensor(c, args["input"], "input");
  Shape shape = shape_argument(c, args, call.range);
  const Shape from = c.type(x).shape;
  bool fits = from.rank == 0 || from.rank == shape.rank;
  for (int i = 0; fits && i < from.rank; ++i) fits = from[i] == shape[i] || from[i] == 1;
  if (!fits) {
    Diagnostic d;
    d.message = "cannot broadcast shape " + to_string(from) + " to " + to_string(shape);
    d.range = args["input"].range;
    d.range_label = "shape " + to_string(from);
    d.hint = from.rank == shape.rank ? "only axes of length 1 repeat"
                                     : "the ranks must be equal: add axes of length 1 first, as in x[:, None]";
    fail_with(c, std::move(d));
  }
  return make_value(expand_to(c, x, shape), call.range);
}

Value expand_dims(Context& c, Call& call) {
  Args args(c, call);
  ValueId x = require_tensor(c, args["input"], "input");
  const Value& axis = args["axis"];
  const std::vector<Value> axes = axis.is<TupleValue>() ? axis.as<TupleValue>().items : std::vector<Value>{axis};
  const int rank = c.type(x).shape.rank + static_cast<int>(axes.size());
  if (rank > kMaxRank) c.fail(call.range, "a tile has at most " + std::to_string(kMaxRank) + " axes");
  std::set<int> places;
  for (const Value& v : axes) {
    Value at = v;
    if (!at.range.valid()) at.range = axis.range;
    if (!places.insert(require_axis(c, at, rank, "axis")).second) c.fail(axis.range, "an axis is given twice");
  }
  for (int place : places) x = c.type(x).is_scalar() ? c.b().splat(x, Shape{1}) : c.b().expand_dims(x, place);
  return make_value(x, call.range);
}

/// With `may_reorder` the compiler chooses the order of the elements (core/view_order.h).
ValueId reshaped(Context& c, ValueId x, const Shape& shape, const SourceRange& range, bool may_reorder = false) {
  const Type t = c.type(x);
  if (t.elements() != shape.elements()) {
    Diagnostic d;
    d.message = "cannot reshape " + to_string(t.shape) + " to " + to_string(shape) + ": " +
                std::to_string(t.elements()) + " elements against " + std::to_string(shape.elements());
    d.range = range;
    d.hint = "a reshape keeps every element; tl.broadcast_to repeats them";
    fail_with(c, std::move(d));
  }
  if (t.is_scalar()) return c.b().splat(x, shape);
  if (!may_reorder) return c.b().reshape(x, shape);
  return c.b().create1(OpCode::Reshape, {x}, t.with_shape(shape), {{"may_reorder", int64_t{1}}});
}

Value reshape(Context& c, Call& call) {
  Args args(c, call);
  ValueId x = require_tensor(c, args["input"], "input");
  const bool may_reorder = require_const_bool(c, args["can_reorder"], "can_reorder");
  return make_value(reshaped(c, x, shape_argument(c, args, call.range), call.range, may_reorder), call.range);
}

Value view(Context& c, Call& call) {
  Args args(c, call);
  ValueId x = require_tensor(c, args["input"], "input");
  return make_value(reshaped(c, x, shape_argument(c, args, call.range), call.range, true), call.range);
}

Value ravel(Context& c, Call& call) {
  Args args(c, call);
  ValueId x = require_tensor(c, args["x"], "x");
  const bool may_reorder = require_const_bool(c, args["can_reorder"], "can_reorder");
  return make_value(reshaped(c, x, Shape{c.type(x).elements()}, call.range, may_reorder), call.range);
}

Value item(Context& c, Call& call) {
  Args args(c, call);
  ValueId x = require_tensor(c, args["input"], "input");
  if (c.type(x).elements() != 1)
    c.fail(call.range, ".item() needs a single element, not a tile of shape " + to_string(c.type(x).shape),
           "reduce it first: tl.sum, tl.max ...");
  return make_value(reshaped(c, x, Shape{}, call.range), call.range);
}

Value permuted(Context& c, ValueId x, const std::vector<Value>& dims, const SourceRange& range) {
  const int rank = c.type(x).shape.rank;
  std::vector<int64_t> order;
  std::vector<bool> seen(static_cast<size_t>(rank));
  for (const Value& d : dims) {
    Value at = d;
    if (!at.range.valid()) at.range = range;
    int axis = require_axis(c, at, rank, "an axis of the permutation");
    if (seen[static_cast<size_t>(axis)]) c.fail(range, "axis " + std::to_string(axis) + " is given twice");
    seen[static_cast<size_t>(axis)] = true;
    order.push_back(axis);
  }
  if (static_cast<int>(order.size()) != rank)
    c.fail(range,
           "the permutation names " + std::to_string(order.size()) + " axes, but the tile has " + std::to_string(rank));
  return make_value(c.b().trans(x, order), range);
}

Value trans(Context& c, Call& call) {
  Args args(c, call);
  ValueId x = require_tile(c, args["input"], "input");
  std::vector<Value> dims = spread(args.rest());
  if (!dims.empty()) return permuted(c, x, dims, call.range);
  const int rank = c.type(x).shape.rank;
  if (rank < 2)
    c.fail(call.range, "a transpose needs two axes, but the shape is " + to_string(c.type(x).shape),
           "x[:, None] makes a column, x[None, :] a row");
  std::vector<int64_t> order(static_cast<size_t>(rank));
  for (int i = 0; i < rank; ++i) order[static_cast<size_t>(i)] = i;
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return make_value(c.b().trans(x, order), call.range);
}

Value permute(Context& c, Call& call) {
  Args args(c, call);
  return permuted(c, require_tile(c, args["input"], "input"), spread(args.rest()), call.range);
}

void require_same_type(Context& c, ValueId a, ValueId b, const SourceRange& range) {
  const Type &ta = c.type(a), &tb = c.type(b);
  if (ta.elem != tb.elem || ta.pointer != tb.pointer)
    c.fail(range, "both must have one type, but they are " + type_name(ta) + " and " + type_name(tb),
           "convert one with .to(...)");
}

/// As releases after 3.6 define it: joined in a new last axis, which then moves in front of `dim` and is merged with it.
Value cat_along(Context& c, ValueId a, ValueId b, ConstInt dim, const SourceRange& range) {
  const Type t = c.type(a);
  const int rank = t.shape.rank;
  if (!(c.type(b).shape == t.shape))
    c.fail(range, "tl.cat needs two tiles of one shape, not " + to_string(t.shape) + " and " + to_string(c.type(b).shape));
  if (dim < -rank || dim >= rank) c.fail(range, "dim must be an axis of " + to_string(t.shape));
  if (rank == kMaxRank) c.fail(range, "tl.cat along an axis takes tiles of at most " + std::to_string(kMaxRank - 1) + " axes here");
  if (2 * t.elements() > kMaxTileElements) c.fail(range, "the result is too large: at most 2^20 elements");
  const int axis = static_cast<int>(dim < 0 ? dim + rank : dim);
  Shape pairs = t.shape, result = t.shape;
  pairs.push_back(2);
  result[axis] *= 2;
  std::vector<int64_t> order;
  for (int i = 0; i < rank; ++i) {
    if (i == axis) order.push_back(rank);
    order.push_back(i);
  }
  const ValueId joined = c.b().create1(OpCode::Join, {a, b}, t.with_shape(pairs));
  c.note(range, "tl.cat with dim is of releases after Triton 3.6");
  return make_value(c.b().reshape(c.b().trans(joined, order), result), range);
}

Value cat(Context& c, Call& call) {
  Args args(c, call);
  ValueId a = require_tile(c, args["input"], "input"), b = require_tile(c, args["other"], "other");
  const bool can_reorder = require_const_bool(c, args["can_reorder"], "can_reorder");
  if (!can_reorder && !args.has("dim"))
    c.fail(call.range, "tl.cat without can_reorder=True is not supported by Triton",
           "pass can_reorder=True where the order does not matter; releases after 3.6 keep it with the axis, dim=0");
  require_same_type(c, a, b, call.range);
  if (!can_reorder) return cat_along(c, a, b, require_const_int(c, args["dim"], "dim"), call.range);
  const Type t = c.type(a);
  if (t.shape.rank != 1 || !(c.type(b).shape == t.shape))
    c.fail(call.range, "tl.cat needs two tiles of rank 1 and equal length, not " + to_string(t.shape) + " and " +
                           to_string(c.type(b).shape));
  if (2 * t.elements() > kMaxTileElements) c.fail(call.range, "the result is too large: at most 2^20 elements");
  return make_value(c.b().create1(OpCode::Cat, {a, b}, t.with_shape(Shape{2 * t.shape[0]}), {{"may_reorder", int64_t{1}}}), call.range);
}

ValueId joined(Context& c, const Value& a_value, const Value& b_value, const SourceRange& range) {
  ValueId a = require_tensor(c, a_value, "a"), b = require_tensor(c, b_value, "b");
  require_same_type(c, a, b, range);
  Shape shape = common_shape(c, {{a, a_value.range}, {b, b_value.range}}, range);
  const bool scalars = shape.rank == 0;
  if (scalars) shape = Shape{1};
  if (shape.rank == kMaxRank) c.fail(range, "a tile has at most " + std::to_string(kMaxRank) + " axes");
  if (2 * shape.elements() > kMaxTileElements) c.fail(range, "the result is too large: at most 2^20 elements");
  a = expand_to(c, a, shape);
  b = expand_to(c, b, shape);
  Shape result = shape;
  result.push_back(2);
  ValueId pair = c.b().create1(OpCode::Join, {a, b}, c.type(a).with_shape(result));
  return scalars ? c.b().reshape(pair, Shape{2}) : pair;
}

Value join(Context& c, Call& call) {
  Args args(c, call);
  return make_value(joined(c, args["a"], args["b"], call.range), call.range);
}

Value interleave(Context& c, Call& call) {
  Args args(c, call);
  ValueId pair = joined(c, args["a"], args["b"], call.range);
  const Shape from = c.type(pair).shape;
  if (from.rank == 1) return make_value(pair, call.range);
  Shape to;
  for (int i = 0; i + 1 < from.rank; ++i) to.push_back(i + 2 == from.rank ? 2 * from[i] : from[i]);
  return make_value(c.b().reshape(pair, to), call.range);
}

Value split(Context& c, Call& call) {
  Args args(c, call);
  ValueId x = require_tile(c, args["a"], "a");
  const Shape shape = c.type(x).shape;
  if (shape[shape.rank - 1] != 2)
    c.fail(args["a"].range,
           "tl.split takes the last axis apart, which must have length 2; the shape is " + to_string(shape),
           "reshape first: tl.reshape(x, (N // 2, 2))");
  const bool scalars = shape.rank == 1;
  if (scalars) x = c.b().expand_dims(x, 0);
  Shape half;
  for (int i = 0; i + 1 < c.type(x).shape.rank; ++i) half.push_back(c.type(x).shape[i]);
  const Type type = c.type(x).with_shape(half);
  std::vector<ValueId> parts = c.b().create(OpCode::Split, {x}, {type, type}).results;
  std::vector<Value> items;
  for (ValueId part : parts) items.push_back(make_value(scalars ? c.b().reshape(part, Shape{}) : part, call.range));
  return make_tuple_value(std::move(items), call.range);
}

Value flip(Context& c, Call& call) {
  Args args(c, call);
  ValueId x = require_tile(c, args["x"], "x");
  if (!args.has("dim"))
    c.fail(call.range, "tl.flip needs the axis to reverse: Triton refuses it without dim",
           "write dim=" + std::to_string(c.type(x).shape.rank - 1) + " for the last axis");
  int64_t axis = require_axis(c, args["dim"], c.type(x).shape.rank, "dim");
  return make_value(c.b().create1(OpCode::Flip, {x}, c.type(x), {{"axis", axis}}), call.range);
}

Value gather(Context& c, Call& call) {
  Args args(c, call);
  ValueId src = require_tile(c, args["src"], "src"), index = require_tile(c, args["index"], "index");
  const Type s = c.type(src), i = c.type(index);
  if (i.pointer || !is_int(i.elem) || is_bool(i.elem))
    c.fail(args["index"].range, "the index must be a tile of integers, not " + type_name(i));
  int axis = require_axis(c, args["axis"], s.shape.rank, "axis");
  bool fits = s.shape.rank == i.shape.rank;
  for (int d = 0; fits && d < s.shape.rank; ++d) fits = d == axis || s.shape[d] == i.shape[d];
  if (!fits) {
    Diagnostic d;
    d.message = "the index of tl.gather must have the source's shape on every axis but " + std::to_string(axis);
    d.range = call.range;
    d.labels = {{args["src"].range, "shape " + to_string(s.shape)},
                {args["index"].range, "shape " + to_string(i.shape)}};
    fail_with(c, std::move(d));
  }
  return make_value(c.b().create1(OpCode::Gather, {src, index}, s.with_shape(i.shape), {{"axis", int64_t{axis}}}),
                    call.range);
}

Value where(Context& c, Call& call) {
  Args args(c, call);
  const Value &xv = args["x"], &yv = args["y"];
  ValueId condition = require_tensor(c, args["condition"], "the condition");
  if (c.type(condition).pointer) c.fail(args["condition"].range, "the condition is a pointer", "compare it: p != 0");
  if (!is_bool(c.type(condition).elem))
    c.note(args["condition"].range, "tl.where with a condition that is not int1 is deprecated: compare it, `x != 0`");
  condition = cast_to(c, condition, {DType::Int1, false}, false, args["condition"].range);
  ValueId x = kNoValue, y = kNoValue;
  const bool x_pointer = xv.is_tensor() && c.type(xv.as<TensorValue>().id).pointer;
  const bool y_pointer = yv.is_tensor() && c.type(yv.as<TensorValue>().id).pointer;
  if (x_pointer || y_pointer) {
    x = require_tensor(c, xv, "x");
    y = require_tensor(c, yv, "y");
    require_same_type(c, x, y, call.range);
  } else {
    require_tensor(c, xv, "x");
    require_tensor(c, yv, "y");
    std::tie(x, y) = promote_and_broadcast(c, xv, yv, call.range);
  }
  Shape shape = common_shape(c, {{condition, args["condition"].range}, {x, xv.range}, {y, yv.range}}, call.range);
  condition = expand_to(c, condition, shape);
  x = expand_to(c, x, shape);
  y = expand_to(c, y, shape);
  return make_value(c.b().create1(OpCode::Select, {condition, x, y}, c.type(x)), call.range);
}

/// Whether the conversion drops float bits, so that a rounding may be chosen.
bool narrows(const Type& from, const DTypeValue& to) {
  return !from.pointer && !to.pointer && is_float(from.elem) && is_float(to.dtype) &&
         dtype_bits(to.dtype) < dtype_bits(from.elem);
}

Value cast(Context& c, Call& call) {
  Args args(c, call);
  ValueId x = require_tensor(c, args["input"], "input");
  DTypeValue to = require_dtype(c, args["dtype"], "dtype");
  const Type from = c.type(x);
  if (require_const_bool(c, args["bitcast"], "bitcast"))
    return make_value(cast_to(c, x, to, true, call.range), call.range);
  if (args.has("fp_downcast_rounding") && (from.elem != to.dtype || from.pointer != to.pointer)) {
    const Value& rounding = args["fp_downcast_rounding"];
    std::string mode = require_const_string(c, rounding, "fp_downcast_rounding");
    if (mode != "rtne" && mode != "rtz")
      c.fail(rounding.range, "the rounding \"" + mode + "\" does not exist", "there are \"rtne\" and \"rtz\"");
    if (!narrows(from, to))
      c.fail(rounding.range,
             "fp_downcast_rounding is for conversions to a narrower float; this one is from " + type_name(from) +
                 " to " + type_name({to.dtype, to.pointer, {}}),
             "leave it out");
    if (mode == "rtz")
      return c.call_prelude("_cast_towards_zero",
                            {{"", make_value(x, args["input"].range)},
                             {"", args["dtype"]},
                             {"", {DTypeValue{int_type(dtype_bits(to.dtype), true), false}, call.range}}},
                            call.range);
  }
  return make_value(cast_to(c, x, to, false, call.range), call.range);
}

Value to_tensor_value(Context& c, Call& call) {
  Args args(c, call);
  return make_value(require_tensor(c, args["x"], "x"), call.range);
}

}  // namespace

const std::vector<BuiltinRow>& shape_rows() {
  static const std::vector<BuiltinRow> rows = {
      {"tl.broadcast", "(input, other)", broadcast, "both tiles, repeated to one shape"},
      {"tl.broadcast_to tl.tensor.broadcast_to", "(input, *shape)", broadcast_to_shape,
       "repeats axes of length 1; a scalar fills the shape"},
      {"tl.expand_dims tl.tensor.expand_dims", "(input, axis)", expand_dims, "inserts axes of length 1"},
      {"tl.reshape tl.tensor.reshape", "(input, *shape, can_reorder=False)", reshape,
       "same elements in row-major order, another shape; can_reorder=True: as tl.view"},
      {"tl.view tl.tensor.view", "(input, *shape)", view, "same elements in an order that the compiler chooses, another shape"},
      {"tl.ravel tl.tensor.ravel", "(x, can_reorder=False)", ravel, "all elements along one axis"},
      {"tl.item tl.tensor.item", "(input)", item, "the single element of a tile as a scalar"},
      {"tl.trans tl.tensor.trans", "(input, *dims)", trans, "permutes the axes; without dims it swaps the last two"},
      {"tl.permute tl.tensor.permute", "(input, *dims)", permute, "permutes the axes"},
      {"tl.cat", "(input, other, can_reorder=False, dim=None)", cat, "one tile after the other, in any order or along an axis"},
      {"tl.join", "(a, b)", join, "stacks two tiles along a new last axis of length 2"},
      {"tl.split tl.tensor.split", "(a)", split, "takes the last axis, of length 2, apart"},
      {"tl.interleave", "(a, b)", interleave, "a[0], b[0], a[1], b[1] ... along the last axis"},
      {"tl.flip tl.tensor.flip", "(x, dim=None)", flip, "reverses one axis"},
      {"tl.gather tl.tensor.gather", "(src, index, axis)", gather, "src[..., index, ...] along one axis"},
      {"tl.where", "(condition, x, y)", where, "x where the condition holds, else y; both are evaluated"},
      {"tl.cast tl.tensor.cast", "(input, dtype, fp_downcast_rounding=None, bitcast=False)", cast,
       "converts the elements, or reads their bits as another type"},
      {"tl.tensor.to", "(input, dtype, fp_downcast_rounding=None, bitcast=False)", cast, "converts the elements"},
      {"tl.to_tensor", "(x)", to_tensor_value, "a number as a run-time scalar"},
  };
  return rows;
}

}  // namespace tilescope::lower
