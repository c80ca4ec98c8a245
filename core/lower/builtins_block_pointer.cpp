// Block pointers (tl.make_block_ptr) and tensor descriptors (tl.make_tensor_descriptor): both become 64-bit addresses
// and masks where they are used. Offsets are int32, shapes and strides int64, as in Triton.
#include <algorithm>

#include "core/lower/builtins_math.h"
#include "core/lower/builtins_memory.h"

namespace tilescope::lower {
namespace {

std::vector<Value> items_of(const Value& v) {
  std::vector<Value> items = v.is<TupleValue>() ? v.as<TupleValue>().items : std::vector<Value>{v};
  for (Value& item : items)
    if (!item.range.valid()) item.range = v.range;
  return items;
}

/// Integer scalars as int32 or int64. A 64-bit offset is refused rather than cut off.
std::vector<ValueId> scalars(Context& c, const Value& v, const std::string& what, DType to) {
  std::vector<ValueId> out;
  for (const Value& item : items_of(v)) {
    ValueId id = require_tensor(c, item, what);
    const Type t = c.type(id);
    if (t.pointer || !is_int(t.elem) || t.elements() != 1)
      c.fail(item.range, what + " must be integer scalars, not " + describe(item, c.b().function()));
    if (to == DType::Int32 && dtype_bits(t.elem) == 64)
      c.fail(item.range, what + " must fit int32, not " + type_name(t),
             "convert it with .to(tl.int32), or use plain pointers, which take 64-bit offsets");
    if (t.is_tile()) id = c.b().reshape(id, Shape{});
    out.push_back(cast_to(c, id, {to, false}, false, item.range));
  }
  return out;
}

ValueId require_base(Context& c, const Value& v) {
  ValueId base = require_tensor(c, v, "base");
  if (!c.type(base).pointer || c.type(base).is_tile())
    c.fail(v.range, "base must be a scalar pointer, not " + describe(v, c.b().function()));
  return base;
}

void require_equal_length(Context& c, size_t rank, size_t got, const char* what, const SourceRange& range) {
  if (got != rank)
    c.fail(range, "block_shape has " + std::to_string(rank) + " axes, but " + what + " has " + std::to_string(got));
}

Value make_block_ptr(Context& c, Call& call) {
  Args args(c, call);
  BlockPointerValue p;
  p.base = require_base(c, args["base"]);
  p.shape = scalars(c, args["shape"], "shape", DType::Int64);
  p.strides = scalars(c, args["strides"], "strides", DType::Int64);
  p.offsets = scalars(c, args["offsets"], "offsets", DType::Int32);
  p.block = require_shape(c, as_tuple({args["block_shape"]}, call.range), "block_shape");
  p.order = require_ints(c, args["order"], "order");
  const size_t rank = static_cast<size_t>(p.block.rank);
  require_equal_length(c, rank, p.shape.size(), "shape", args["shape"].range);
  require_equal_length(c, rank, p.strides.size(), "strides", args["strides"].range);
  require_equal_length(c, rank, p.offsets.size(), "offsets", args["offsets"].range);
  require_equal_length(c, rank, p.order.size(), "order", args["order"].range);
  std::vector<int64_t> sorted = p.order;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < rank; ++i)
    if (sorted[i] != static_cast<int64_t>(i))
      c.fail(args["order"].range, "order must be a permutation of the axes 0 .. " + std::to_string(rank - 1));
  return {std::move(p), call.range};
}

Value advance(Context& c, Call& call) {
  Args args(c, call);
  if (!args["base"].is<BlockPointerValue>())
    c.fail(args["base"].range, "tl.advance moves block pointers, not " + describe(args["base"], c.b().function()),
           "a plain pointer moves by addition: ptr += BLOCK");
  BlockPointerValue p = args["base"].as<BlockPointerValue>();
  std::vector<ValueId> steps = scalars(c, args["offsets"], "offsets", DType::Int32);
  require_equal_length(c, p.offsets.size(), steps.size(), "offsets", args["offsets"].range);
  for (size_t i = 0; i < steps.size(); ++i) p.offsets[i] = c.b().elementwise(OpCode::Add, {p.offsets[i], steps[i]});
  return {std::move(p), call.range};
}

/// Where a block lies: `index[d]` is the scalar or rank-1 int64 tile of indices along axis d.
struct Region {
  ValueId base = kNoValue;
  std::vector<ValueId> shape, strides, index;
  Shape block;
};

/// A rank-1 tile of indices along one axis of the block's rank.
ValueId along_axis(Context& c, ValueId x, int axis, int rank) {
  for (int i = 0; i < rank; ++i)
    if (i != axis) x = c.b().expand_dims(x, i);
  return x;
}

ValueId indices(Context& c, ValueId offset, int64_t extent) {
  ValueId start = c.b().splat(c.b().cast(offset, DType::Int64), Shape{extent});
  return c.b().elementwise(OpCode::Add, {start, c.b().cast(c.b().make_range(0, extent), DType::Int64)});
}

ValueId addresses(Context& c, const Region& r) {
  ValueId total = kNoValue;
  for (int d = 0; d < r.block.rank; ++d) {
    const size_t i = static_cast<size_t>(d);
    ValueId stride = c.b().splat(r.strides[i], Shape{r.block[d]});
    ValueId part = along_axis(c, c.b().elementwise(OpCode::Mul, {r.index[i], stride}), d, r.block.rank);
    part = c.b().broadcast(part, r.block);
    total = total == kNoValue ? part : c.b().elementwise(OpCode::Add, {total, part});
  }
  return c.b().addptr(c.b().splat(r.base, r.block), total);
}

/// Lanes inside the tensor along the given axes, or kNoValue when there are none to check.
ValueId inside(Context& c, const Region& r, const std::vector<int64_t>& axes) {
  ValueId mask = kNoValue;
  for (int64_t axis : axes) {
    const int d = static_cast<int>(axis);
    const size_t i = static_cast<size_t>(d);
    ValueId zero = c.b().constant_int(Type::tile(DType::Int64, Shape{r.block[d]}), 0);
    ValueId end = c.b().splat(r.shape[i], Shape{r.block[d]});
    ValueId part = c.b().elementwise(OpCode::BitAnd, {c.b().elementwise(OpCode::CmpGe, {r.index[i], zero}),
                                                      c.b().elementwise(OpCode::CmpLt, {r.index[i], end})});
    part = c.b().broadcast(along_axis(c, part, d, r.block.rank), r.block);
    mask = mask == kNoValue ? part : c.b().elementwise(OpCode::BitAnd, {mask, part});
  }
  return mask;
}

Region region_of(Context& c, const BlockPointerValue& p) {
  Region r{p.base, p.shape, p.strides, {}, p.block};
  for (int d = 0; d < p.block.rank; ++d) r.index.push_back(indices(c, p.offsets[static_cast<size_t>(d)], p.block[d]));
  return r;
}

std::vector<int64_t> checked_axes(Context& c, const Args& args, int rank) {
  const Value& v = args["boundary_check"];
  if (v.is<NoneValue>() || (v.is<std::string>() && v.as<std::string>().empty())) return {};
  std::vector<int64_t> axes = require_ints(c, v, "boundary_check");
  std::sort(axes.begin(), axes.end());
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] < 0 || axes[i] >= rank)
      c.fail(v.range, "boundary_check names axis " + std::to_string(axes[i]) + ", but the block has rank " +
                          std::to_string(rank));
    if (i > 0 && axes[i] == axes[i - 1]) c.fail(v.range, "boundary_check names an axis twice");
  }
  return axes;
}

std::string padding_option(Context& c, const Value& v, DType elem) {
  std::string padding = v.is<NoneValue>() ? "" : require_const_string(c, v, "padding_option");
  if (!padding.empty() && padding != "zero" && padding != "nan")
    c.fail(v.range, "padding_option \"" + padding + "\" does not exist", "there are \"zero\" and \"nan\"");
  if (padding == "nan" && is_int(elem))
    c.fail(v.range, "integers have no NaN to pad with", "use padding_option=\"zero\"");
  return padding;
}

/// Lanes outside give NaN, or zero. Triton leaves them undefined without a padding option; most kernels rely on the
/// zeros that a GPU then gives, so they are zeros here too.
Value load_region(Context& c, const Region& r, const std::vector<int64_t>& axes, const std::string& padding,
                  const SourceRange& range) {
  ValueId pointers = addresses(c, r);
  ValueId mask = inside(c, r, axes);
  if (mask == kNoValue) return make_value(c.b().load(pointers), range);
  const Type type = Type::tile(c.type(pointers).elem, r.block);
  ValueId other = padding == "nan" ? c.b().constant_float(type, __builtin_nan("")) : c.b().constant_int(type, 0);
  return make_value(c.b().load(pointers, mask, other), range);
}

std::vector<int64_t> all_axes(const Shape& s) {
  std::vector<int64_t> axes;
  for (int64_t d = 0; d < s.rank; ++d) axes.push_back(d);
  return axes;
}

// ---- descriptors
// -------------------------------------------------------------------------------------------------------

Value make_tensor_descriptor(Context& c, Call& call) {
  Args args(c, call);
  DescriptorValue d;
  d.base = require_base(c, args["base"]);
  const DType elem = c.type(d.base).elem;
  const std::vector<Value> strides = items_of(args["strides"]);
  d.shape = scalars(c, args["shape"], "shape", DType::Int64);
  d.strides = scalars(c, args["strides"], "strides", DType::Int64);
  d.block = require_shape(c, as_tuple({args["block_shape"]}, call.range), "block_shape");
  const size_t rank = static_cast<size_t>(d.block.rank);
  require_descriptor_block(c, d.block, elem, args["block_shape"].range);
  require_equal_length(c, rank, d.shape.size(), "shape", args["shape"].range);
  require_equal_length(c, rank, d.strides.size(), "strides", args["strides"].range);
  if (!strides.back().is<ConstInt>() || strides.back().as<ConstInt>() != 1)
    c.fail(strides.back().range,
           "the last stride of a descriptor must be the constant 1, not " + describe(strides.back(), c.b().function()));
  d.padding = padding_option(c, args["padding_option"], elem);
  return {std::move(d), call.range};
}

const DescriptorValue& require_descriptor(Context& c, const Value& v) {
  if (!v.is<DescriptorValue>())
    c.fail(v.range, "a tensor descriptor is needed, not " + describe(v, c.b().function()),
           "make one with tl.make_tensor_descriptor, or give the argument a block: \"descriptor\": [64, 64]");
  return v.as<DescriptorValue>();
}

Region region_at(Context& c, const DescriptorValue& d, const Value& offsets) {
  Region r{d.base, d.shape, d.strides, {}, d.block};
  std::vector<ValueId> at = scalars(c, offsets, "offsets", DType::Int32);
  if (at.size() != d.shape.size())
    c.fail(offsets.range, "the descriptor has " + std::to_string(d.shape.size()) + " axes, but " +
                              std::to_string(at.size()) + " offsets are given");
  for (int i = 0; i < d.block.rank; ++i) r.index.push_back(indices(c, at[static_cast<size_t>(i)], d.block[i]));
  return r;
}

/// The value as what is written to the block: of its shape, converted to its type.
ValueId block_value(Context& c, const Region& r, const Value& v, const Value& descriptor) {
  ValueId value = require_tensor(c, v, "the stored value");
  if (!(c.type(value).shape == r.block)) {
    Diagnostic d;
    d.message =
        "the block has shape " + to_string(r.block) + ", but the value has shape " + to_string(c.type(value).shape);
    d.range = v.range;
    if (descriptor.range.valid()) d.labels.push_back({descriptor.range, "blocks of " + to_string(r.block)});
    c.fail(std::move(d));
  }
  return cast_to(c, value, {c.type(r.base).elem, false}, false, v.range);
}

Value descriptor_load(Context& c, Call& call) {
  Args args(c, call);
  const DescriptorValue& d = require_descriptor(c, args["desc"]);
  return load_region(c, region_at(c, d, args["offsets"]), all_axes(d.block), d.padding, call.range);
}

Value descriptor_store(Context& c, Call& call) {
  Args args(c, call);
  const DescriptorValue& d = require_descriptor(c, args["desc"]);
  Region r = region_at(c, d, args["offsets"]);
  ValueId value = block_value(c, r, args["value"], args["desc"]);
  c.b().store(addresses(c, r), value, inside(c, r, all_axes(d.block)));
  return make_none(call.range);
}

/// Element types that a descriptor's atomics take, as in Triton.
void require_descriptor_atomic(Context& c, DType t, const std::string& kind, const SourceRange& range) {
  bool fits = t == DType::UInt32 || t == DType::Int32 || t == DType::UInt64;
  if (kind == "add")
    fits |= t == DType::Float32 || t == DType::Float16 || t == DType::BFloat16;
  else
    fits |= t == DType::Int64;
  if (!fits) c.fail(range, "a descriptor's atomic_" + kind + " does not support " + std::string(dtype_name(t)));
}

Value descriptor_atomic(Context& c, Call& call) {
  Args args(c, call);
  const DescriptorValue& d = require_descriptor(c, args["desc"]);
  const std::string kind = last_name(*call.builtin).substr(7);  // after "atomic_"
  const DType elem = c.type(d.base).elem;
  require_descriptor_atomic(c, elem, kind, call.range);
  Region r = region_at(c, d, args["offsets"]);
  ValueId value = block_value(c, r, args["value"], args["desc"]);
  std::vector<Attr> attrs = atomic_attributes(c, make_none(call.range), make_none(call.range));
  attrs.insert(attrs.begin(), {"kind", kind});
  ValueId pointers = addresses(c, r);
  ValueId mask = inside(c, r, all_axes(d.block));
  c.b().create(OpCode::AtomicRmw, {pointers, value, mask}, {Type::tile(elem, r.block)}, attrs);
  return make_none(call.range);
}

/// Rows of a 2-D tensor named by a tile of row indices, and a column to start at.
Region rows_of(Context& c, const DescriptorValue& d, const Value& rows, const Value& column, const SourceRange& range) {
  ValueId x = require_tile(c, rows, "the row indices");
  const Type t = c.type(x);
  if (d.block.rank != 2 || d.block[0] != 1)
    c.fail(range, "gather and scatter need a descriptor with blocks of one row, not " + to_string(d.block));
  if (t.shape.rank != 1 || t.pointer || !is_int(t.elem))
    c.fail(rows.range, "the row indices must be a tile of integers of rank 1, not " + describe(rows, c.b().function()));
  std::vector<ValueId> start = scalars(c, column, "the column", DType::Int32);
  if (start.size() != 1) c.fail(column.range, "the column must be one integer");
  Region r{d.base, d.shape, d.strides, {}, Shape{t.shape[0], d.block[1]}};
  r.index = {c.b().cast(x, DType::Int64), indices(c, start[0], d.block[1])};
  return r;
}

Value descriptor_gather(Context& c, Call& call) {
  Args args(c, call);
  const DescriptorValue& d = require_descriptor(c, args["desc"]);
  Region r = rows_of(c, d, args["x_offsets"], args["y_offset"], call.range);
  return load_region(c, r, all_axes(r.block), d.padding, call.range);
}

Value descriptor_scatter(Context& c, Call& call) {
  Args args(c, call);
  const DescriptorValue& d = require_descriptor(c, args["desc"]);
  Region r = rows_of(c, d, args["x_offsets"], args["y_offset"], call.range);
  ValueId value = block_value(c, r, args["value"], args["desc"]);
  c.b().store(addresses(c, r), value, inside(c, r, all_axes(r.block)));
  return make_none(call.range);
}

}  // namespace

Value load_block(Context& c, const Args& args, const SourceRange& range) {
  const BlockPointerValue& p = args["pointer"].as<BlockPointerValue>();
  for (const char* name : {"mask", "other"})
    if (args.has(name))
      c.fail(args[name].range, std::string(name) + " does not go with a block pointer", "use boundary_check=(0, 1)");
  std::string padding = padding_option(c, args["padding_option"], c.type(p.base).elem);
  return load_region(c, region_of(c, p), checked_axes(c, args, p.block.rank), padding, range);
}

Value store_block(Context& c, const Args& args, const SourceRange& range) {
  const BlockPointerValue& p = args["pointer"].as<BlockPointerValue>();
  const Value& v = args["value"];
  if (args.has("mask"))
    c.fail(args["mask"].range, "mask does not go with a block pointer", "use boundary_check=(0, 1)");
  ValueId value = require_tensor(c, v, "the stored value");
  const DType elem = c.type(p.base).elem;
  const Type t = c.type(value);
  // int1 blocks are bytes in memory; elsewhere Triton does not convert here, unlike with plain pointers.
  if (elem == DType::Int1)
    value = cast_to(c, value, {elem, false}, false, v.range);
  else if (t.pointer || t.elem != elem)
    c.fail(v.range, "the block holds " + std::string(dtype_name(elem)) + ", but the value is " + type_name(t),
           "convert it: .to(tl." + std::string(dtype_name(elem)) + "); a block pointer does not convert on its own");
  if (t.is_tile() && !(t.shape == p.block))
    c.fail(v.range, "the block has shape " + to_string(p.block) + ", but the value has shape " + to_string(t.shape));
  Region r = region_of(c, p);
  value = expand_to(c, value, p.block);
  std::vector<int64_t> axes = checked_axes(c, args, p.block.rank);
  ValueId pointers = addresses(c, r);
  c.b().store(pointers, value, inside(c, r, axes));
  return make_none(range);
}

const std::vector<BuiltinRow>& block_pointer_rows() {
  static const std::vector<BuiltinRow> rows = {
      {"tl.make_block_ptr", "(base, shape, strides, offsets, block_shape, order)", make_block_ptr,
       "pointer to a block of a tensor with strides"},
      {"tl.advance tl.tensor.advance", "(base, offsets)", advance, "block pointer moved by offsets"},
      {"tl.make_tensor_descriptor tl._experimental_make_tensor_descriptor",
       "(base, shape, strides, block_shape, padding_option=\"zero\")", make_tensor_descriptor,
       "description of a tensor, whose blocks are loaded and stored by offsets"},
      {"tl.load_tensor_descriptor tl.tensor_descriptor.load", "(desc, offsets)", descriptor_load,
       "block at the offsets; lanes outside give the padding"},
      {"tl.store_tensor_descriptor tl.tensor_descriptor.store", "(desc, offsets, value)", descriptor_store,
       "writes a block at the offsets; lanes outside are left out"},
      {"tl.tensor_descriptor.atomic_add tl.tensor_descriptor.atomic_max tl.tensor_descriptor.atomic_min "
       "tl.tensor_descriptor.atomic_and tl.tensor_descriptor.atomic_or tl.tensor_descriptor.atomic_xor",
       "(desc, offsets, value)", descriptor_atomic, "combines a block with memory; returns nothing"},
      {"tl.tensor_descriptor.gather", "(desc, x_offsets, y_offset)", descriptor_gather,
       "rows named by a tile of indices"},
      {"tl.tensor_descriptor.scatter", "(desc, value, x_offsets, y_offset)", descriptor_scatter,
       "writes rows named by a tile of indices"},
  };
  return rows;
}

}  // namespace tilescope::lower
