// From compile-time values to run-time values, between element types, and between shapes.
#include <cmath>
#include <limits>

#include "core/lower/semantics.h"

namespace tilescope::lower {
namespace {

constexpr ConstInt kOne = 1;

bool is_int_number(const Value& v) { return v.is<bool>() || v.is<ConstInt>(); }

ConstInt int_number(const Value& v) { return v.is<bool>() ? ConstInt{v.as<bool>()} : v.as<ConstInt>(); }

/// A literal outside the normal range of float32 becomes a float64, as in Triton.
DType float_literal_type(double x) {
  const double magnitude = std::fabs(x);
  const double smallest = std::ldexp(1.0, -126), largest = (2 - std::ldexp(1.0, -23)) * std::ldexp(1.0, 127);
  const bool fits = std::isinf(x) || std::isnan(x) || x == 0 || (magnitude >= smallest && magnitude <= largest);
  return fits ? DType::Float32 : DType::Float64;
}

[[noreturn]] void fail_cast(Context& c, const Type& from, const std::string& to, const SourceRange& range,
                            std::string hint) {
  c.fail(range, "cannot convert " + element_name(from) + " to " + to, std::move(hint));
}

ValueId int_to_pointer(Context& c, ValueId v, DType pointee, const SourceRange& range) {
  const Type t = c.type(v);
  if (!is_int(t.elem)) fail_cast(c, t, "a pointer", range, "only an integer address becomes a pointer");
  if (dtype_bits(t.elem) < 64) {
    v = c.b().cast(v, int_type(std::max(8, dtype_bits(t.elem)), false));  // zero-extended, as inttoptr does
    v = c.b().cast(v, DType::UInt64);
  }
  Type result = t;
  result.elem = pointee;
  result.pointer = true;
  return c.b().create1(OpCode::IntToPtr, {v}, result);
}

ValueId pointer_to_int(Context& c, ValueId v, DType to, const SourceRange& range) {
  const Type t = c.type(v);
  if (is_bool(to)) {
    ValueId address = c.b().create1(OpCode::PtrToInt, {v}, Type::tile(DType::Int64, t.shape));
    return c.b().elementwise(OpCode::CmpNe, {address, c.b().constant_int(c.type(address), 0)});
  }
  if (!is_int(to) || dtype_bits(to) != 64)
    fail_cast(c, t, std::string(dtype_name(to)), range, "an address has 64 bits: convert it to tl.int64");
  return c.b().create1(OpCode::PtrToInt, {v}, Type::tile(to, t.shape));
}

ValueId convert_elements(Context& c, ValueId v, DType to, const SourceRange& range) {
  const Type t = c.type(v);
  if (is_bool(to)) return c.b().elementwise(OpCode::CmpNe, {v, c.b().constant_bits(t, 0)});
  const bool from8 = is_float(t.elem) && dtype_bits(t.elem) == 8, to8 = is_float(to) && dtype_bits(to) == 8;
  if ((from8 && is_int(to)) || (to8 && is_int(t.elem)))
    fail_cast(c, t, std::string(dtype_name(to)), range,
              "go through float32: x.to(tl.float32).to(tl." + std::string(dtype_name(to)) + ")");
  return c.b().cast(v, to);
}

}  // namespace

DType number_type(Context& c, const Value& number) {
  if (number.is<bool>()) return DType::Int1;
  if (number.is<double>()) return float_literal_type(number.as<double>());
  const ConstInt v = number.as<ConstInt>();
  if (v >= -(kOne << 31) && v < (kOne << 31)) return DType::Int32;
  if (v >= 0 && v < (kOne << 32)) return DType::UInt32;
  if (v >= -(kOne << 63) && v < (kOne << 63)) return DType::Int64;
  if (v >= 0 && v < (kOne << 64)) return DType::UInt64;
  c.fail(number.range, "the integer " + to_string(v) + " does not fit in 64 bits");
}

ValueId number_constant(Context& c, const Value& number, DType type) {
  const Type t = Type::scalar(type);
  if (is_int_number(number)) {
    const ConstInt n = int_number(number);
    if (is_int(type)) return c.b().constant_bits(t, element_bits(type, static_cast<int64_t>(static_cast<uint64_t>(n))));
    const double as_double = static_cast<double>(n);
    return c.b().constant_float(t, is_small_float(type) ? static_cast<float>(as_double) : as_double);
  }
  const double x = number.as<double>();
  // Triton hands 16-bit constants over as a C float, so they round twice.
  return c.b().constant_float(t, is_small_float(type) ? static_cast<double>(static_cast<float>(x)) : x);
}

ValueId to_tensor(Context& c, const Value& v) {
  if (v.is_tensor()) return v.as<TensorValue>().id;
  if (v.is_const_number()) return number_constant(c, v, number_type(c, v));
  std::string hint;
  if (v.is<NoneValue>()) hint = "test `is not None` on a constexpr or an argument, so that this code is left out";
  if (v.is<BlockPointerValue>()) hint = "a block pointer is moved with tl.advance and read with tl.load";
  c.fail(v.range, "expected a number or a tensor, found " + describe(v, c.b().function()), hint);
}

ValueId broadcast_to(Context& c, ValueId v, const Shape& shape, const SourceRange& range) {
  const Type t = c.type(v);
  if (t.shape == shape) return v;
  if (t.is_scalar()) return c.b().splat(v, shape);
  bool fits = t.shape.rank == shape.rank;
  for (int i = 0; fits && i < shape.rank; ++i) fits = t.shape[i] == 1 || t.shape[i] == shape[i];
  if (!fits) {
    std::string hint = t.shape.rank == shape.rank
                           ? "only axes of length 1 can be repeated"
                           : "both need the same rank: insert axes with x[:, None] or x[None, :]";
    c.fail(range, "cannot broadcast shape " + to_string(t.shape) + " to " + to_string(shape), hint);
  }
  return c.b().broadcast(v, shape);
}

ValueId cast_to(Context& c, ValueId v, DTypeValue to, bool bitcast, const SourceRange& range) {
  const Type t = c.type(v);
  if (t.pointer && to.pointer) return c.b().bitcast(v, to.dtype);
  if (to.pointer) return int_to_pointer(c, v, to.dtype, range);
  if (t.pointer) return pointer_to_int(c, v, to.dtype, range);
  if (t.elem == to.dtype) return v;
  if (!bitcast) return convert_elements(c, v, to.dtype, range);
  if (dtype_bits(t.elem) != dtype_bits(to.dtype))
    c.fail(range,
           "cannot reinterpret " + std::string(dtype_name(t.elem)) + " (" + std::to_string(dtype_bits(t.elem)) +
               " bits) as " + std::string(dtype_name(to.dtype)) + " (" + std::to_string(dtype_bits(to.dtype)) +
               " bits)",
           "bitcast=True keeps the bits, so both types need one width; leave it out to convert the value");
  return c.b().bitcast(v, to.dtype);
}

ConstInt require_const_int(Context& c, const Value& v, const std::string& what) {
  if (is_int_number(v)) return int_number(v);
  std::string hint;
  if (v.is_tensor()) {
    const std::string name = text_of(v.range);
    const bool is_name = !name.empty() && name.find_first_not_of(
                                              "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                              "_0123456789") == std::string::npos;
    hint = "its value is needed while compiling: a parameter annotated with tl.constexpr" +
           (is_name ? ", or a variable declared as " + name + ": tl.constexpr = ..." : "");
  }
  c.fail(v.range, what + " must be a constexpr integer, found " + describe(v, c.b().function()), hint);
}

bool require_const_bool(Context& c, const Value& v, const std::string& what) {
  if (is_int_number(v)) return int_number(v) != 0;
  if (v.is<NoneValue>()) return false;
  c.fail(v.range, what + " must be a constexpr bool, found " + describe(v, c.b().function()));
}

std::string require_const_string(Context& c, const Value& v, const std::string& what) {
  if (v.is<std::string>()) return v.as<std::string>();
  c.fail(v.range, what + " must be a string, found " + describe(v, c.b().function()));
}

DTypeValue require_dtype(Context& c, const Value& v, const std::string& what) {
  if (v.is<DTypeValue>()) {
    DTypeValue d = v.as<DTypeValue>();
    d.shape = {};
    return d;
  }
  if (v.is<std::string>()) {
    if (auto t = parse_dtype(v.as<std::string>())) return {*t, false, {}};
  }
  if (v.is<EnumValue>() && v.as<EnumValue>().name.starts_with("tl.float8"))
    c.fail(v.range, v.as<EnumValue>().name + " is no element type of this GPU: it can only be compared with",
           "use tl.float8e4nv or tl.float8e5");
  c.fail(v.range, what + " must be an element type such as tl.float32, found " + describe(v, c.b().function()));
}

Shape require_shape(Context& c, const Value& v, const std::string& what) {
  std::vector<Value> items;
  if (v.is<TupleValue>())
    items = v.as<TupleValue>().items;
  else
    items = {v};
  if (items.size() > kMaxRank)
    c.fail(v.range, what + " has " + std::to_string(items.size()) + " axes; at most " + std::to_string(kMaxRank) +
                        " are possible");
  Shape shape;
  ConstInt elements = 1;
  for (Value item : items) {
    if (!item.range.valid()) item.range = v.range;
    const ConstInt n = require_const_int(c, item, what);
    if (n <= 0) c.fail(item.range, what + " has the extent " + to_string(n) + "; extents are positive");
    if ((n & (n - 1)) != 0) {
      ConstInt next = 1;
      while (next < n && next < (kOne << 62)) next *= 2;
      c.fail(item.range, what + " has the extent " + to_string(n) + ", which is no power of two",
             "use " + to_string(next) + " and a mask, or triton.next_power_of_2 on the host");
    }
    elements *= n > kMaxTileElements ? ConstInt{kMaxTileElements} * 2 : n;
    if (elements > kMaxTileElements)
      c.fail(v.range, what + " has more than 2^20 = 1048576 elements, the most that a tile can hold",
             "use a smaller block and a loop or more programs");
    shape.push_back(static_cast<int64_t>(n));
  }
  return shape;
}

}  // namespace tilescope::lower
