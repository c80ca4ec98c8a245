// What asks about the launch, and tiles made from nothing.
#include "core/lower/builtins.h"
#include "core/lower/semantics.h"

namespace tilescope::lower {
namespace {

int grid_axis(Context& c, const Value& v) {
  ConstInt axis = require_const_int(c, v, "axis");
  if (axis < 0 || axis > 2)
    c.fail(v.range, "axis must be 0, 1 or 2, not " + to_string(axis), "a grid has at most three axes");
  return static_cast<int>(axis);
}

Value program_id(Context& c, Call& call) {
  Args args(c, call);
  return make_value(c.b().program_id(grid_axis(c, args["axis"])), call.range);
}

Value num_programs(Context& c, Call& call) {
  Args args(c, call);
  return make_value(c.b().num_programs(grid_axis(c, args["axis"])), call.range);
}

Value arange(Context& c, Call& call) {
  Args args(c, call);
  const std::string hint =
      "the bounds are known at compile time: a tl.constexpr parameter such as BLOCK_SIZE, or a number";
  for (const char* name : {"start", "end"})
    if (args[name].is_tensor())
      c.fail(args[name].range, std::string("the ") + name + " of tl.arange must be a constexpr, not a run-time value",
             hint);
  ConstInt start = require_const_int(c, args["start"], "start"), end = require_const_int(c, args["end"], "end");
  if (start < INT32_MIN || start > INT32_MAX || end < INT32_MIN || end > INT32_MAX)
    c.fail(call.range, "tl.arange must fit int32");
  if (end <= start)
    c.fail(call.range,
           "tl.arange(" + to_string(start) + ", " + to_string(end) + ") is empty: the end must be above the start");
  ConstInt length = end - start;
  if ((length & (length - 1)) != 0) {
    ConstInt next = 1;
    while (next < length) next *= 2;
    c.fail(call.range, "the length of tl.arange must be a power of two, not " + to_string(length),
           "take " + to_string(next) + " lanes and mask off the rest");
  }
  if (length > kMaxTileElements)
    c.fail(call.range, "tl.arange of " + to_string(length) + " elements is too large: at most 2^20");
  return make_value(c.b().make_range(static_cast<int64_t>(start), static_cast<int64_t>(end)), call.range);
}

/// The constexpr number as an element of that type, refused when it does not fit.
ValueId constant_of(Context& c, const Value& v, const Type& type) {
  const DType t = type.elem;
  if (v.is<double>()) {
    double d = v.as<double>();
    if (is_float(t)) return c.b().constant_float(type, d);
    if (d == 0) return c.b().constant_int(type, 0);
    c.fail(v.range, "a float cannot fill a tile of " + std::string(dtype_name(t)),
           "write a whole number, or fill a float tile and convert it with .to(tl." + std::string(dtype_name(t)) + ")");
  }
  ConstInt n = v.is<bool>() ? ConstInt{v.as<bool>()} : v.as<ConstInt>();
  if (is_float(t)) return c.b().constant_float(type, static_cast<double>(n));
  const int bits = dtype_bits(t);
  if (n >= (ConstInt{1} << bits) || n < -(ConstInt{1} << (bits - 1)))
    c.fail(v.range, to_string(n) + " does not fit " + std::string(dtype_name(t)));
  return c.b().constant_int(type, static_cast<int64_t>(n));
}

ValueId filled(Context& c, const Shape& shape, const Value& value, DType dtype) {
  if (value.is_const_number()) return constant_of(c, value, Type::tile(dtype, shape));
  ValueId scalar = require_tensor(c, value, "value");
  if (c.type(scalar).is_tile())
    c.fail(value.range, "value must be a scalar, not " + describe(value, c.b().function()),
           "tl.broadcast_to repeats a tile");
  return c.b().splat(cast_to(c, scalar, {dtype, false}, false, value.range), shape);
}

DType element_type(Context& c, const Value& v) {
  DTypeValue t = require_dtype(c, v, "dtype");
  if (t.pointer) c.fail(v.range, "a tile cannot be filled with pointers");
  return t.dtype;
}

Value full(Context& c, Call& call) {
  Args args(c, call);
  Shape shape = require_shape(c, args["shape"], "shape");
  return make_value(filled(c, shape, args["value"], element_type(c, args["dtype"])), call.range);
}

Value zeros(Context& c, Call& call) {
  Args args(c, call);
  Shape shape = require_shape(c, args["shape"], "shape");
  return make_value(c.b().constant_int(Type::tile(element_type(c, args["dtype"]), shape), 0), call.range);
}

Value zeros_like(Context& c, Call& call) {
  Args args(c, call);
  Type type = c.type(require_tensor(c, args["input"], "input"));
  if (type.pointer) c.fail(args["input"].range, "a tile cannot be filled with pointers");
  return make_value(c.b().constant_int(type, 0), call.range);
}

Value num_warps(Context& c, Call& call) {
  Args args(c, call);
  return make_int(c.b().function().num_warps, call.range);
}
Value num_threads(Context& c, Call& call) {
  Args args(c, call);
  return make_int(c.b().function().num_warps * 32, call.range);
}
Value is_cuda(Context& c, Call& call) {
  Args args(c, call);
  return make_bool(true, call.range);
}
/// The modelled GPU is an H200: compute capability 9.0.
Value cuda_capability_geq(Context& c, Call& call) {
  Args args(c, call);
  ConstInt major = require_const_int(c, args["major"], "major"), minor = require_const_int(c, args["minor"], "minor");
  return make_bool(major < 9 || (major == 9 && minor <= 0), call.range);
}

}  // namespace

const std::vector<BuiltinRow>& program_rows() {
  static const std::vector<BuiltinRow> rows = {
      {"tl.program_id", "(axis)", program_id, "index of this program along a grid axis"},
      {"tl.num_programs", "(axis)", num_programs, "number of programs along a grid axis"},
      {"tl.arange", "(start, end)", arange, "int32 tile start, start + 1, ..., end - 1; a power of two long"},
      {"tl.full", "(shape, value, dtype)", full, "tile with one value in every lane"},
      {"tl.zeros", "(shape, dtype)", zeros, "tile of zeros"},
      {"tl.zeros_like", "(input)", zeros_like, "zeros of the same shape and type"},
      {"tl.extra.cuda.num_warps", "()", num_warps, "warps of this program, a constexpr"},
      {"tl.extra.cuda.num_threads", "()", num_threads, "threads of this program, a constexpr"},
      {"tl.target_info.is_cuda", "()", is_cuda, "True: the modelled GPU is NVIDIA's"},
      {"tl.target_info.cuda_capability_geq", "(major, minor=0)", cuda_capability_geq,
       "whether the modelled GPU (9.0) has at least that compute capability"},
  };
  return rows;
}

}  // namespace tilescope::lower
