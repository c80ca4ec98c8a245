#include "core/builder.h"

#include <bit>

#include "core/stop.h"

namespace tilescope {
namespace {

void require(bool ok, const char* what) {
  if (!ok) internal_error(std::string("builder: ") + what);
}

}  // namespace

ValueId Builder::param(std::string name, Type type, int64_t divisible_by) {
  require(fn_.values.size() == fn_.params.size(), "parameters come before other values");
  fn_.params.push_back({name, type, divisible_by});
  return fn_.new_value(type, std::move(name));
}

Op& Builder::create(OpCode code, std::vector<ValueId> operands, std::vector<Type> results, std::vector<Attr> attrs) {
  stop_if_asked();
  auto op = std::make_unique<Op>();
  op->code = code;
  op->operands = std::move(operands);
  op->attrs = std::move(attrs);
  op->loc = loc_;
  for (const Type& t : results) op->results.push_back(fn_.new_value(t));
  block_->ops.push_back(std::move(op));
  return *block_->ops.back();
}

ValueId Builder::create1(OpCode code, std::vector<ValueId> operands, Type result, std::vector<Attr> attrs) {
  return create(code, std::move(operands), {result}, std::move(attrs)).results[0];
}

ValueId Builder::elementwise(OpCode code, std::initializer_list<ValueId> operands) {
  const OpInfo& info = op_info(code);
  require(static_cast<int>(operands.size()) == info.min_operands, "elementwise: operand count");
  const ValueId first = *operands.begin();
  Type result = type(first);
  switch (info.rule) {
    case TypeRule::Same: break;
    case TypeRule::Compare:
    case TypeRule::IsFloat: result = Type::tile(DType::Int1, result.shape); break;
    case TypeRule::ToFloat: result = Type::tile(DType::Float32, result.shape); break;
    case TypeRule::Select: result = type(*(operands.begin() + 1)); break;
    case TypeRule::Explicit: require(false, "elementwise: the op wants an explicit type");
  }
  for (ValueId v : operands) {
    const bool condition = info.rule == TypeRule::Select && v == first;
    require(condition ? type(v).shape == result.shape : type(v).shape == type(first).shape, "elementwise: shapes differ");
  }
  return create1(code, operands, result);
}

ValueId Builder::constant_bits(Type type, uint64_t bits) {
  return create1(OpCode::Constant, {}, type, {{"bits", static_cast<int64_t>(bits)}});
}
ValueId Builder::constant_int(Type type, int64_t value) { return constant_bits(type, element_bits(type.elem, value)); }
ValueId Builder::constant_float(Type type, double value) { return constant_bits(type, element_bits(type.elem, value)); }

ValueId Builder::make_range(int64_t start, int64_t end) {
  return create1(OpCode::MakeRange, {}, Type::tile(DType::Int32, {end - start}), {{"start", start}, {"end", end}});
}

ValueId Builder::splat(ValueId scalar, Shape shape) {
  require(type(scalar).is_scalar(), "splat of a tile");
  if (shape.rank == 0) return scalar;
  return create1(OpCode::Splat, {scalar}, type(scalar).with_shape(shape));
}

ValueId Builder::expand_dims(ValueId x, int axis) {
  const Type& t = type(x);
  require(axis >= 0 && axis <= t.shape.rank && t.shape.rank < kMaxRank, "expand_dims: axis");
  Shape s;
  for (int i = 0; i <= t.shape.rank; ++i) {
    if (i == axis) s.push_back(1);
    if (i < t.shape.rank) s.push_back(t.shape[i]);
  }
  return create1(OpCode::ExpandDims, {x}, t.with_shape(s), {{"axis", int64_t{axis}}});
}

ValueId Builder::broadcast(ValueId x, Shape shape) {
  const Type& t = type(x);
  if (t.shape == shape) return x;
  require(t.shape.rank == shape.rank, "broadcast: rank");
  for (int i = 0; i < shape.rank; ++i) require(t.shape[i] == shape[i] || t.shape[i] == 1, "broadcast: axis");
  return create1(OpCode::Broadcast, {x}, t.with_shape(shape));
}

ValueId Builder::reshape(ValueId x, Shape shape) {
  const Type& t = type(x);
  require(t.elements() == shape.elements(), "reshape: element count");
  if (t.shape == shape) return x;
  return create1(OpCode::Reshape, {x}, t.with_shape(shape));
}

ValueId Builder::trans(ValueId x, std::vector<int64_t> order) {
  const Type& t = type(x);
  require(static_cast<int>(order.size()) == t.shape.rank, "trans: order");
  Shape s;
  for (int64_t i : order) s.push_back(t.shape[static_cast<int>(i)]);
  return create1(OpCode::Trans, {x}, t.with_shape(s), {{"order", std::move(order)}});
}

ValueId Builder::cast(ValueId x, DType to) {
  const Type& t = type(x);
  require(!t.pointer, "cast of a pointer");
  return t.elem == to ? x : create1(OpCode::Cast, {x}, t.with_elem(to));
}

ValueId Builder::bitcast(ValueId x, DType to) {
  Type t = type(x);
  if (t.elem == to) return x;
  require(t.pointer || dtype_bits(t.elem) == dtype_bits(to), "bitcast: widths differ");
  t.elem = to;
  return create1(OpCode::Bitcast, {x}, t);
}

ValueId Builder::addptr(ValueId ptr, ValueId offset) {
  require(type(ptr).pointer && is_int(type(offset).elem) && type(ptr).shape == type(offset).shape, "addptr: types");
  return create1(OpCode::AddPtr, {ptr, offset}, type(ptr));
}

ValueId Builder::load(ValueId ptr, ValueId mask, ValueId other) {
  std::vector<ValueId> operands = {ptr};
  if (mask != kNoValue) operands.push_back(mask);
  if (other != kNoValue) operands.push_back(other);
  require(other == kNoValue || mask != kNoValue, "load: other without a mask");
  return create1(OpCode::Load, operands, Type::tile(type(ptr).elem, type(ptr).shape));
}

void Builder::store(ValueId ptr, ValueId value, ValueId mask) {
  std::vector<ValueId> operands = {ptr, value};
  if (mask != kNoValue) operands.push_back(mask);
  create(OpCode::Store, operands, {});
}

ValueId Builder::program_id(int axis) {
  return create1(OpCode::ProgramId, {}, Type::scalar(DType::Int32), {{"axis", int64_t{axis}}});
}
ValueId Builder::num_programs(int axis) {
  return create1(OpCode::NumPrograms, {}, Type::scalar(DType::Int32), {{"axis", int64_t{axis}}});
}

}  // namespace tilescope
