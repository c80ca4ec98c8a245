// Reductions, scans, sorting and histograms.
#include "core/lower/builtins_math.h"

namespace tilescope::lower {
namespace {

/// Operands of one shape and the axis to work along.
struct Along {
  std::vector<ValueId> operands;
  int axis = 0;
};

std::vector<Type> scalar_types(Context& c, const std::vector<ValueId>& operands) {
  std::vector<Type> types;
  for (ValueId v : operands) {
    Type t = c.type(v);
    t.shape = {};
    types.push_back(t);
  }
  return types;
}

/// A combine function runs on whole rows of lanes, where each may take another branch: both sides of an `if` are
/// computed, and each lane selects. Nothing in them can be seen from outside (build_region refuses that).
void flatten_branches(Block& block) {
  std::vector<std::unique_ptr<Op>> flat;
  for (std::unique_ptr<Op>& op : block.ops) {
    if (op->code != OpCode::If) {
      flat.push_back(std::move(op));
      continue;
    }
    std::vector<std::vector<ValueId>> yielded;
    for (Block& branch : op->regions) {
      flatten_branches(branch);
      for (std::unique_ptr<Op>& inner : branch.ops) {
        if (inner->code == OpCode::Yield)
          yielded.push_back(inner->operands);
        else
          flat.push_back(std::move(inner));
      }
    }
    for (size_t i = 0; i < op->results.size(); ++i) {
      auto select = std::make_unique<Op>();
      select->code = OpCode::Select;
      select->operands = {op->operands[0], yielded[0][i], yielded[1][i]};
      select->results = {op->results[i]};
      select->loc = op->loc;
      flat.push_back(std::move(select));
    }
  }
  block.ops = std::move(flat);
}

/// Lanes go their own ways by select: a loop whose length the lanes would decide has no such form.
[[noreturn]] void refuse_loop(Context& c, const Op& loop, const SourceRange& range) {
  Diagnostic d;
  d.message = "a run-time loop inside a combine function is not supported";
  d.range = range;
  if (loop.loc != nullptr) d.labels.push_back({loop.loc->range, "this loop"});
  d.hint = "write it with tl.static_range, or do it before or after the reduction";
  fail_with(c, std::move(d));
}

/// Fills the region of a reduce or scan with the user's function of (left values, right values).
void build_region(Context& c, Op& op, const FunctionValue& combine, const std::vector<Type>& types,
                  const SourceRange& range) {
  op.regions.resize(1);
  Block& body = op.regions[0];
  std::vector<CallArg> args;
  for (int side = 0; side < 2; ++side)
    for (const Type& t : types) {
      body.args.push_back(c.b().function().new_value(t));
      args.push_back({"", make_value(body.args.back(), range)});
    }
  Block* outside = c.b().block();
  c.b().set_block(&body);
  Value result = c.call_function(combine, std::move(args), range);
  const std::vector<Value> items = result.is<TupleValue>() ? result.as<TupleValue>().items : std::vector<Value>{result};
  auto listed = [](const std::vector<Type>& list) {
    std::string text;
    for (const Type& t : list) text += (text.empty() ? "" : ", ") + to_string(t);
    return text;
  };
  std::vector<ValueId> yields;
  std::vector<Type> got;
  for (const Value& v : items) {
    Value at = v;
    at.range = range;
    yields.push_back(require_tensor(c, at, "the combine function's result"));
    got.push_back(c.type(yields.back()));
  }
  if (got != types)
    c.fail(range, "the combine function must return (" + listed(types) + "), but it returns (" + listed(got) + ")",
           "a combine function takes two values of each operand's type and returns one of each");
  walk(body, [&](const Op& inner) {
    if (inner.info().group == OpGroup::Memory || inner.info().group == OpGroup::Debug)
      c.fail(range, "the combine function may not load, store or print: it runs an unknown number of times",
             "load before the reduction and pass the values in");
    if (inner.code == OpCode::For || inner.code == OpCode::While) refuse_loop(c, inner, range);
  });
  flatten_branches(body);
  c.b().create(OpCode::Yield, yields, {});
  c.b().set_block(outside);
}

Shape without_axis(const Shape& s, int axis) {
  Shape out;
  for (int i = 0; i < s.rank; ++i)
    if (i != axis) out.push_back(s[i]);
  return out;
}

/// One reduce op. `combine` is the name of a built-in kind, or "user" with a function.
std::vector<ValueId> reduce_op(Context& c, const Along& along, const std::string& combine,
                               const FunctionValue* function, const SourceRange& range) {
  const std::vector<Type> types = scalar_types(c, along.operands);
  const Shape shape = without_axis(c.type(along.operands[0]).shape, along.axis);
  std::vector<Type> results;
  for (const Type& t : types) results.push_back(t.with_shape(shape));
  Op& op = c.b().create(OpCode::Reduce, along.operands, results, {{"axis", int64_t{along.axis}}, {"combine", combine}});
  if (function != nullptr) build_region(c, op, *function, types, range);
  return op.results;
}

/// Reduces along `axis`, or everything when it is None, and restores axes of length 1 with keep_dims.
std::vector<ValueId> reduced(Context& c, std::vector<ValueId> operands, const Value& axis, bool keep_dims,
                             const std::string& combine, const FunctionValue* function, const SourceRange& range) {
  const Shape shape = c.type(operands[0]).shape;
  for (ValueId v : operands)
    if (!(c.type(v).shape == shape))
      c.fail(range, "the operands of a reduction must have one shape, not " + to_string(shape) + " and " +
                        to_string(c.type(v).shape));
  const bool all = axis.is<NoneValue>();
  if (shape.rank == 0) {
    if (!all) require_axis(c, axis, 0, "axis");
    return operands;
  }
  Along along{std::move(operands), all ? 0 : require_axis(c, axis, shape.rank, "axis")};
  if (all)
    for (ValueId& v : along.operands) v = c.b().reshape(v, Shape{shape.elements()});
  std::vector<ValueId> results = reduce_op(c, along, combine, function, range);
  if (!keep_dims) return results;
  Shape kept = shape;
  for (int i = 0; i < kept.rank; ++i)
    if (all || i == along.axis) kept[i] = 1;
  for (ValueId& v : results) v = c.type(v).is_scalar() ? c.b().splat(v, kept) : c.b().expand_dims(v, along.axis);
  return results;
}

ValueId require_number_tensor(Context& c, const Value& v, const std::string& what) {
  ValueId x = require_tensor(c, v, what);
  if (c.type(x).pointer) c.fail(v.range, what + " is a pointer: load it first");
  return x;
}

/// Type that tl.sum and tl.cumsum add in: small integers (int1 too) widen to 32 bits, the rest stays.
DType sum_dtype(Context& c, const Args& args, DType in) {
  if (args.has("dtype")) return require_dtype(c, args["dtype"], "dtype").dtype;
  if (!is_int(in) || dtype_bits(in) >= 32) return in;
  return is_signed_int(in) ? DType::Int32 : DType::UInt32;
}

Value sum(Context& c, Call& call) {
  Args args(c, call);
  ValueId x = require_number_tensor(c, args["input"], "input");
  x = cast_to(c, x, {sum_dtype(c, args, c.type(x).elem), false}, false, call.range);
  const bool keep = require_const_bool(c, args["keep_dims"], "keep_dims");
  return make_value(reduced(c, {x}, args["axis"], keep, "sum", nullptr, call.range)[0], call.range);
}

/// 0, 1, 2 ... along the axis, repeated over the others.
ValueId index_along(Context& c, const Shape& shape, int axis) {
  ValueId index = c.b().make_range(0, shape[axis]);
  for (int i = 0; i < shape.rank; ++i)
    if (i != axis) index = c.b().expand_dims(index, i);
  return c.b().broadcast(index, shape);
}

/// Values and their indices; ties take the left one, or the right one of each pair.
std::vector<ValueId> reduced_with_index(Context& c, const Value& input, ValueId x, const Value& axis, bool left,
                                        bool keep_dims, bool largest, const SourceRange& range) {
  const Shape shape = c.type(x).shape;
  if (axis.is<NoneValue>() || shape.rank == 0)
    c.fail(range, "an index needs an axis: this reduction is over all of " + describe(input, c.b().function()),
           "pass axis=, after tl.ravel for the index among all elements");
  int at = require_axis(c, axis, shape.rank, "axis");
  const std::string combine = std::string(largest ? "argmax" : "argmin") + (left ? "" : "_right");
  return reduced(c, {x, index_along(c, shape, at)}, axis, keep_dims, combine, nullptr, range);
}

Value extreme(Context& c, Call& call, bool largest) {
  Args args(c, call);
  ValueId x = promote_bfloat16(c, require_number_tensor(c, args["input"], "input"));
  const bool keep = require_const_bool(c, args["keep_dims"], "keep_dims");
  const bool left = require_const_bool(c, args["return_indices_tie_break_left"], "return_indices_tie_break_left");
  if (require_const_bool(c, args["return_indices"], "return_indices")) {
    std::vector<ValueId> both = reduced_with_index(c, args["input"], x, args["axis"], left, keep, largest, call.range);
    return make_tuple_value({make_value(both[0], call.range), make_value(both[1], call.range)}, call.range);
  }
  const DType t = c.type(x).elem;
  if (dtype_bits(t) < 32) x = c.b().cast(x, is_float(t) ? DType::Float32 : DType::Int32);
  return make_value(reduced(c, {x}, args["axis"], keep, largest ? "max" : "min", nullptr, call.range)[0], call.range);
}
Value max(Context& c, Call& call) { return extreme(c, call, true); }
Value min(Context& c, Call& call) { return extreme(c, call, false); }

Value extreme_index(Context& c, Call& call, bool largest) {
  Args args(c, call);
  ValueId x = promote_bfloat16(c, require_number_tensor(c, args["input"], "input"));
  const bool keep = require_const_bool(c, args["keep_dims"], "keep_dims");
  const bool left = require_const_bool(c, args["tie_break_left"], "tie_break_left");
  return make_value(reduced_with_index(c, args["input"], x, args["axis"], left, keep, largest, call.range)[1],
                    call.range);
}
Value argmax(Context& c, Call& call) { return extreme_index(c, call, true); }
Value argmin(Context& c, Call& call) { return extreme_index(c, call, false); }

Value reduce_bits(Context& c, Call& call) {
  Args args(c, call);
  ValueId x = require_number_tensor(c, args["input"], "input");
  if (!is_int(c.type(x).elem))
    c.fail(args["input"].range, shown_name(*call.builtin) + " takes integers, not " + type_name(c.type(x)));
  const bool keep = require_const_bool(c, args["keep_dims"], "keep_dims");
  const char* combine = last_name(*call.builtin) == "xor_sum" ? "xor" : "or";
  return make_value(reduced(c, {x}, args["axis"], keep, combine, nullptr, call.range)[0], call.range);
}

/// One tile, or a tuple of them, and whether the result is a tuple.
std::vector<ValueId> operand_tiles(Context& c, const Value& v, bool& is_tuple) {
  is_tuple = v.is<TupleValue>();
  std::vector<ValueId> operands;
  for (Value item : is_tuple ? v.as<TupleValue>().items : std::vector<Value>{v}) {
    if (!item.range.valid()) item.range = v.range;
    operands.push_back(require_number_tensor(c, item, "input"));
  }
  if (operands.empty()) c.fail(v.range, "the tuple of operands is empty");
  return operands;
}

const FunctionValue& combine_function(Context& c, const Value& v) {
  if (!v.is<FunctionValue>())
    c.fail(v.range, "the combine function must be a @triton.jit function, not " + describe(v, c.b().function()));
  return v.as<FunctionValue>();
}

Value as_results(const std::vector<ValueId>& ids, bool is_tuple, const SourceRange& range) {
  if (!is_tuple) return make_value(ids[0], range);
  std::vector<Value> items;
  for (ValueId id : ids) items.push_back(make_value(id, range));
  return make_tuple_value(std::move(items), range);
}

Value reduce(Context& c, Call& call) {
  Args args(c, call);
  bool is_tuple = false;
  std::vector<ValueId> operands = operand_tiles(c, args["input"], is_tuple);
  const bool keep = require_const_bool(c, args["keep_dims"], "keep_dims");
  const FunctionValue& combine = combine_function(c, args["combine_fn"]);
  return as_results(reduced(c, operands, args["axis"], keep, "user", &combine, call.range), is_tuple, call.range);
}

std::vector<ValueId> scanned(Context& c, std::vector<ValueId> operands, const Args& args, const std::string& combine,
                             const FunctionValue* function, const SourceRange& range) {
  const Shape shape = c.type(operands[0]).shape;
  for (ValueId v : operands)
    if (!(c.type(v).shape == shape))
      c.fail(range, "the operands of a scan must have one shape, not " + to_string(shape) + " and " +
                        to_string(c.type(v).shape));
  int64_t axis = require_axis(c, args["axis"], shape.rank, "axis");
  int64_t reverse = require_const_bool(c, args["reverse"], "reverse");
  std::vector<Type> results;
  for (ValueId v : operands) results.push_back(c.type(v));
  const std::vector<Type> types = scalar_types(c, operands);
  Op& op = c.b().create(OpCode::Scan, std::move(operands), results,
                        {{"axis", axis}, {"reverse", reverse}, {"combine", combine}});
  if (function != nullptr) build_region(c, op, *function, types, range);
  return op.results;
}

Value associative_scan(Context& c, Call& call) {
  Args args(c, call);
  bool is_tuple = false;
  std::vector<ValueId> operands = operand_tiles(c, args["input"], is_tuple);
  const FunctionValue& combine = combine_function(c, args["combine_fn"]);
  return as_results(scanned(c, operands, args, "user", &combine, call.range), is_tuple, call.range);
}

Value cumsum(Context& c, Call& call) {
  Args args(c, call);
  ValueId x = promote_bfloat16(c, require_number_tensor(c, args["input"], "input"));
  x = cast_to(c, x, {sum_dtype(c, args, c.type(x).elem), false}, false, call.range);
  return make_value(scanned(c, {x}, args, "sum", nullptr, call.range)[0], call.range);
}

Value cumprod(Context& c, Call& call) {
  Args args(c, call);
  ValueId x = promote_bfloat16(c, require_number_tensor(c, args["input"], "input"));
  return make_value(scanned(c, {x}, args, "prod", nullptr, call.range)[0], call.range);
}

Value softmax(Context& c, Call& call) {
  Args args(c, call);
  ValueId x = require_wide_float(c, call, args["x"]);
  const int rank = c.type(x).shape.rank;
  if (rank == 0) c.fail(args["x"].range, "tl.softmax needs a tile");
  const int dim = args.has("dim") ? require_axis(c, args["dim"], rank, "dim") : 0;
  if (dim != 0 && !require_const_bool(c, args["keep_dims"], "keep_dims"))
    c.fail(call.range, "tl.softmax along axis " + std::to_string(dim) + " needs keep_dims=True",
           "without it the maximum of shape " + to_string(without_axis(c.type(x).shape, dim)) +
               " does not broadcast against " + to_string(c.type(x).shape) + ", and Triton refuses it");
  return call_prelude_function(c, call);
}

ValueId sort_operand(Context& c, const Args& args) {
  ValueId x = require_number_tensor(c, args["x"], "x");
  const Type t = c.type(x);
  if (t.is_scalar()) c.fail(args["x"].range, "a scalar cannot be sorted");
  if (is_bool(t.elem)) c.fail(args["x"].range, "int1 cannot be sorted", "convert it: x.to(tl.int8)");
  if (args.has("dim") && require_axis(c, args["dim"], t.shape.rank, "dim") != t.shape.rank - 1)
    c.fail(args["dim"].range, "only the last axis can be sorted, as in Triton",
           "transpose first: tl.trans(tl.sort(tl.trans(x)))");
  return x;
}

Value sort(Context& c, Call& call) {
  Args args(c, call);
  ValueId x = sort_operand(c, args);
  int64_t descending = require_const_bool(c, args["descending"], "descending");
  return make_value(c.b().create1(OpCode::Sort, {x}, c.type(x), {{"descending", descending}}), call.range);
}

Value topk(Context& c, Call& call) {
  Args args(c, call);
  ValueId x = sort_operand(c, args);
  Type t = c.type(x);
  ConstInt k = require_const_int(c, args["k"], "k");
  int64_t& last = t.shape[t.shape.rank - 1];
  if (k < 1 || k > last || (k & (k - 1)) != 0)
    c.fail(args["k"].range, "k must be a power of two from 1 to " + std::to_string(last) + ", not " +
                                describe(args["k"], c.b().function()));
  last = static_cast<int64_t>(k);
  return make_value(c.b().create1(OpCode::TopK, {x}, t, {{"k", static_cast<int64_t>(k)}}), call.range);
}

Value histogram(Context& c, Call& call) {
  Args args(c, call);
  ValueId x = require_number_tensor(c, args["input"], "input");
  const Type t = c.type(x);
  if (t.shape.rank != 1 || !is_int(t.elem) || is_bool(t.elem))
    c.fail(args["input"].range,
           "tl.histogram takes a tile of integers of rank 1, not " + describe(args["input"], c.b().function()));
  ConstInt bins = require_const_int(c, args["num_bins"], "num_bins");
  if (bins < 1 || bins > kMaxTileElements || (bins & (bins - 1)) != 0)
    c.fail(args["num_bins"].range,
           "num_bins must be a power of two up to 2^20, not " + describe(args["num_bins"], c.b().function()));
  std::vector<ValueId> operands = {x};
  if (args.has("mask")) {
    ValueId mask = require_mask(c, args["mask"], "mask");
    operands.push_back(broadcast_to(c, mask, t.shape, args["mask"].range));
  }
  return make_value(
      c.b().create1(OpCode::Histogram, operands, Type::tile(DType::Int32, Shape{static_cast<int64_t>(bins)})),
      call.range);
}

}  // namespace

const std::vector<BuiltinRow>& reduce_rows() {
  static const std::vector<BuiltinRow> rows = {
      {"tl.sum tl.tensor.sum", "(input, axis=None, keep_dims=False, dtype=None)", sum,
       "sum along an axis, or of all elements; integers below 32 bits widen"},
      {"tl.max tl.tensor.max",
       "(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False)", max,
       "largest along an axis; a NaN loses"},
      {"tl.min tl.tensor.min",
       "(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False)", min,
       "smallest along an axis; a NaN loses"},
      {"tl.argmax tl.tensor.argmax", "(input, axis, tie_break_left=True, keep_dims=False)", argmax,
       "index of the largest along an axis"},
      {"tl.argmin tl.tensor.argmin", "(input, axis, tie_break_left=True, keep_dims=False)", argmin,
       "index of the smallest along an axis"},
      {"tl.xor_sum tl.tensor.xor_sum", "(input, axis=None, keep_dims=False)", reduce_bits, "exclusive or of integers"},
      {"tl.reduce_or tl.tensor.reduce_or", "(input, axis=None, keep_dims=False)", reduce_bits, "or of integers"},
      {"tl.reduce tl.tensor.reduce", "(input, axis, combine_fn, keep_dims=False)", reduce,
       "reduces a tile, or a tuple of tiles, with a jit function"},
      {"tl.associative_scan tl.tensor.associative_scan", "(input, axis, combine_fn, reverse=False)", associative_scan,
       "inclusive scan with a jit function"},
      {"tl.cumsum tl.tensor.cumsum", "(input, axis=0, reverse=False, dtype=None)", cumsum, "running sum"},
      {"tl.cumprod tl.tensor.cumprod", "(input, axis=0, reverse=False)", cumprod, "running product"},
      {"tl.softmax tl.tensor.softmax", "(x, dim=None, keep_dims=False, ieee_rounding=False)", softmax,
       "exp(x - max) / sum along axis 0 or dim"},
      {"tl.sort tl.tensor.sort", "(x, dim=None, descending=False)", sort, "sorts along the last axis"},
      {"tl.bitonic_merge", "(x, dim=None, descending=False)", sort, "sorts a bitonic sequence along the last axis"},
      {"tl.topk tl.tensor.topk", "(x, k, dim=None)", topk, "the k largest along the last axis, descending"},
      {"tl.histogram tl.tensor.histogram", "(input, num_bins, mask=None)", histogram, "counts of 0 .. num_bins - 1"},
  };
  return rows;
}

}  // namespace tilescope::lower
