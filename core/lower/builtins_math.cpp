// tl.* and tl.math.* functions that work lane by lane. libdevice.* names are in builtins_libdevice.cpp.
#include "core/lower/builtins_math.h"

#include <algorithm>

namespace tilescope::lower {

std::string last_name(const Builtin& b) { return b.path.substr(b.path.rfind('.') + 1); }

ValueId require_wide_float(Context& c, const Call& call, const Value& v) {
  ValueId x = require_tensor(c, v, "the argument of " + shown_name(*call.builtin));
  const Type t = c.type(x);
  if (!t.pointer && (t.elem == DType::Float32 || t.elem == DType::Float64)) return x;
  Diagnostic d;
  d.message = shown_name(*call.builtin) + " takes float32 or float64, not " + type_name(t);
  d.range = v.range;
  d.range_label = type_name(t);
  if (!t.pointer) {
    d.hint = "convert first: " + last_name(*call.builtin) + "(x.to(tl.float32))";
    if (is_small_float(t.elem)) d.hint += ", and back with .to(tl." + std::string(dtype_name(t.elem)) + ")";
  }
  fail_with(c, std::move(d));
}

namespace {

/// The op behind a function of one float argument.
struct FloatFunction {
  const char* name;
  OpCode code;
};
constexpr FloatFunction kFloatFunctions[] = {
    {"exp", OpCode::Exp}, {"exp2", OpCode::Exp2},   {"log", OpCode::Log},     {"log2", OpCode::Log2},
    {"sin", OpCode::Sin}, {"cos", OpCode::Cos},     {"sqrt", OpCode::Sqrt},   {"sqrt_rn", OpCode::Sqrt},
    {"erf", OpCode::Erf}, {"rsqrt", OpCode::Rsqrt}, {"floor", OpCode::Floor}, {"ceil", OpCode::Ceil},
};

Value float_function(Context& c, Call& call) {
  Args args(c, call);
  ValueId x = require_wide_float(c, call, args["x"]);
  const std::string name = last_name(*call.builtin);
  for (const FloatFunction& f : kFloatFunctions)
    if (name == f.name) return make_value(c.b().elementwise(f.code, {x}), call.range);
  internal_error("no op for " + call.builtin->path);
}

Value abs(Context& c, Call& call) {
  Args args(c, call);
  ValueId x = require_tensor(c, args["x"], "x");
  const Type t = c.type(x);
  if (t.pointer) c.fail(args["x"].range, "a pointer has no absolute value");
  if (is_bool(t.elem) || is_unsigned_int(t.elem)) return make_value(x, call.range);
  return make_value(c.b().elementwise(OpCode::Abs, {x}), call.range);
}

Value sigmoid(Context& c, Call& call) {
  Args args(c, call);
  Value x = make_value(require_wide_float(c, call, args["x"]), args["x"].range);
  Value negative = unary(c, "-", x, call.range);
  ValueId e = c.b().elementwise(OpCode::Exp, {to_tensor(c, negative)});
  Value below = binary(c, "+", make_int(1, call.range), make_value(e, call.range), call.range);
  return binary(c, "/", make_int(1, call.range), below, call.range);
}

ValueId require_number(Context& c, const Value& v, const std::string& what) {
  ValueId id = require_tensor(c, v, what);
  if (c.type(id).pointer) c.fail(v.range, what + " is a pointer", "load the value first: tl.load(...)");
  return id;
}

/// Both as run-time values of one type and shape. A Python number counts with its own type here: tl.maximum of a
/// float16 tile and 0.0 is float32, as in Triton.
std::pair<ValueId, ValueId> legalised(Context& c, const Value& a, const Value& b, const SourceRange& range) {
  return promote_and_broadcast(c, make_value(require_number(c, a, "the first argument"), a.range),
                               make_value(require_number(c, b, "the second argument"), b.range), range);
}

bool wants_nan(Context& c, const Args& args) {
  const Value& v = args["propagate_nan"];
  if (v.is<NoneValue>()) return false;
  if (v.is<EnumValue>() && v.as<EnumValue>().name.ends_with("PropagateNan.ALL")) return true;
  if (v.is<EnumValue>() && v.as<EnumValue>().name.ends_with("PropagateNan.NONE")) return false;
  c.fail(v.range,
         "propagate_nan must be tl.PropagateNan.ALL or tl.PropagateNan.NONE, not " + describe(v, c.b().function()));
}

ValueId extremum(Context& c, const Value& a, const Value& b, bool largest, bool nan, const SourceRange& range) {
  Value av = make_value(promote_bfloat16(c, require_tensor(c, a, "the first argument")), a.range);
  Value bv = make_value(promote_bfloat16(c, require_tensor(c, b, "the second argument")), b.range);
  auto [x, y] = legalised(c, av, bv, range);
  nan = nan && is_float(c.type(x).elem);
  OpCode code = largest ? (nan ? OpCode::MaximumNan : OpCode::Maximum) : (nan ? OpCode::MinimumNan : OpCode::Minimum);
  return c.b().elementwise(code, {x, y});
}

Value minimum(Context& c, Call& call) {
  Args args(c, call);
  return make_value(extremum(c, args["x"], args["y"], false, wants_nan(c, args), call.range), call.range);
}
Value maximum(Context& c, Call& call) {
  Args args(c, call);
  return make_value(extremum(c, args["x"], args["y"], true, wants_nan(c, args), call.range), call.range);
}

Value clamp(Context& c, Call& call) {
  Args args(c, call);
  const bool nan = wants_nan(c, args);
  auto run_time = [&](const char* name) {
    return make_value(promote_bfloat16(c, require_tensor(c, args[name], name)), args[name].range);
  };
  Value x = run_time("x");
  auto [low, high] = legalised(c, run_time("min"), run_time("max"), call.range);
  auto [x1, low1] = legalised(c, x, make_value(low, args["min"].range), call.range);
  if (!is_float(c.type(x1).elem))
    c.fail(call.range, "tl.clamp is for floats, not " + type_name(c.type(x1)),
           "for integers: tl.minimum(tl.maximum(x, low), high)");
  auto [x2, high2] = legalised(c, make_value(x1, args["x"].range), make_value(high, args["max"].range), call.range);
  low1 = expand_to(c, low1, c.type(x2).shape);
  ValueId raised = c.b().elementwise(nan ? OpCode::MaximumNan : OpCode::Maximum, {x2, low1});
  return make_value(c.b().elementwise(nan ? OpCode::MinimumNan : OpCode::Minimum, {raised, high2}), call.range);
}

Value fma(Context& c, Call& call) {
  Args args(c, call);
  auto [x, y] = legalised(c, args["x"], args["y"], call.range);
  auto [z, x1] = legalised(c, args["z"], make_value(x, args["x"].range), call.range);
  auto [z1, y1] = legalised(c, make_value(z, args["z"].range), make_value(y, args["y"].range), call.range);
  if (!is_float(c.type(z1).elem))
    c.fail(call.range, "tl.fma is for floats, not " + type_name(c.type(z1)), "for integers write x * y + z");
  return make_value(c.b().elementwise(OpCode::Fma, {expand_to(c, x1, c.type(z1).shape), y1, z1}), call.range);
}

Value umulhi(Context& c, Call& call) {
  Args args(c, call);
  for (const char* name : {"x", "y"}) {
    const Type t = c.type(require_tensor(c, args[name], name));
    if (t.pointer || is_float(t.elem) || dtype_bits(t.elem) < 32)
      c.fail(args[name].range, "tl.umulhi takes 32- and 64-bit integers, not " + type_name(t));
  }
  auto [x, y] = legalised(c, args["x"], args["y"], call.range);
  return make_value(c.b().elementwise(OpCode::Umulhi, {x, y}), call.range);
}

Value fdiv(Context& c, Call& call) {
  Args args(c, call);
  require_const_bool(c, args["ieee_rounding"], "ieee_rounding");  // every division here is IEEE
  for (const char* name : {"x", "y"}) {
    const Type t = c.type(require_tensor(c, args[name], name));
    if (t.pointer || !is_float(t.elem))
      c.fail(args[name].range, "tl.fdiv takes floats, not " + type_name(t), "x / y divides integers as float32");
  }
  auto [x, y] = legalised(c, args["x"], args["y"], call.range);
  return make_value(c.b().elementwise(OpCode::Div, {x, y}), call.range);
}

Value div_rn(Context& c, Call& call) {
  Args args(c, call);
  for (const char* name : {"x", "y"}) {
    const Type t = c.type(require_tensor(c, args[name], name));
    if (args[name].is_tensor() && (t.pointer || t.elem != DType::Float32))
      c.fail(args[name].range, "tl.div_rn takes float32, not " + type_name(t), "convert first: x.to(tl.float32)");
  }
  auto [x, y] = legalised(c, args["x"], args["y"], call.range);
  if (!is_float(c.type(x).elem)) c.fail(call.range, "tl.div_rn takes float32, not " + type_name(c.type(x)));
  return make_value(c.b().elementwise(OpCode::Div, {x, y}), call.range);
}

Value arithmetic(Context& c, Call& call) {
  Args args(c, call);
  const std::string name = last_name(*call.builtin);
  return binary(c, name == "add" ? "+" : name == "sub" ? "-" : "*", args["x"], args["y"], call.range);
}

Value cdiv(Context& c, Call& call) {
  Args args(c, call);
  Value less = binary(c, "-", args["div"], make_int(1, call.range), call.range);
  return binary(c, "//", binary(c, "+", args["x"], less, call.range), args["div"], call.range);
}

Value logical(Context& c, Call& call) {
  Args args(c, call);
  for (const char* name : {"input", "other"}) require_mask(c, args[name], name);
  const bool is_and = last_name(*call.builtin) == "logical_and";
  return binary(c, is_and ? "&" : "|", args["input"], args["other"], call.range);
}

Value map_elementwise(Context& c, Call& call) {
  Args args(c, call);
  if (!args["scalar_fn"].is<FunctionValue>())
    c.fail(args["scalar_fn"].range, "tl.map_elementwise needs a @triton.jit function");
  if (require_const_int(c, args["pack"], "pack") != 1)
    c.fail(args["pack"].range, "tl.map_elementwise is supported with pack=1 only");
  std::vector<Operand> operands;
  for (const Value& v : args.rest()) operands.push_back({require_tensor(c, v, "an argument"), v.range});
  if (operands.empty()) c.fail(call.range, "tl.map_elementwise needs a tile");
  Shape shape = common_shape(c, operands, call.range);
  std::vector<CallArg> mapped;
  for (const Operand& o : operands) mapped.push_back({"", make_value(expand_to(c, o.id, shape), o.range)});
  return c.call_function(args["scalar_fn"].as<FunctionValue>(), std::move(mapped), call.range);
}

}  // namespace

const std::vector<BuiltinRow>& math_rows() {
  static const std::vector<BuiltinRow> rows = {
      {"tl.exp tl.math.exp tl.tensor.exp", "(x)", float_function, "e to the x"},
      {"tl.exp2 tl.math.exp2 tl.tensor.exp2", "(x)", float_function, "2 to the x"},
      {"tl.log tl.math.log tl.tensor.log", "(x)", float_function, "natural logarithm"},
      {"tl.log2 tl.math.log2 tl.tensor.log2", "(x)", float_function, "logarithm to base 2"},
      {"tl.sin tl.math.sin tl.tensor.sin", "(x)", float_function, "sine of radians"},
      {"tl.cos tl.math.cos tl.tensor.cos", "(x)", float_function, "cosine of radians"},
      {"tl.sqrt tl.math.sqrt tl.tensor.sqrt", "(x)", float_function, "square root"},
      {"tl.sqrt_rn tl.math.sqrt_rn tl.tensor.sqrt_rn", "(x)", float_function, "square root, correctly rounded"},
      {"tl.rsqrt tl.math.rsqrt tl.tensor.rsqrt", "(x)", float_function, "1 / sqrt(x)"},
      {"tl.erf tl.math.erf tl.tensor.erf", "(x)", float_function, "error function"},
      {"tl.floor tl.math.floor tl.tensor.floor", "(x)", float_function, "largest whole number not above x"},
      {"tl.ceil tl.math.ceil tl.tensor.ceil", "(x)", float_function, "smallest whole number not below x"},
      {"tl.abs tl.math.abs tl.tensor.abs", "(x)", abs, "absolute value"},
      {"tl.sigmoid tl.math.sigmoid tl.tensor.sigmoid", "(x)", sigmoid, "1 / (1 + exp(-x))"},
      {"tl.minimum tl.math.min tl.math.minimum", "(x, y, propagate_nan=None)", minimum,
       "smaller of x and y; a NaN loses unless propagate_nan=tl.PropagateNan.ALL"},
      {"tl.maximum tl.math.max tl.math.maximum", "(x, y, propagate_nan=None)", maximum,
       "larger of x and y; a NaN loses unless propagate_nan=tl.PropagateNan.ALL"},
      {"tl.clamp", "(x, min, max, propagate_nan=None)", clamp, "x limited to [min, max]"},
      {"tl.fma tl.math.fma", "(x, y, z)", fma, "x * y + z with one rounding"},
      {"tl.umulhi tl.math.umulhi", "(x, y)", umulhi, "high half of the unsigned product"},
      {"tl.fdiv tl.math.fdiv", "(x, y, ieee_rounding=False)", fdiv, "x / y on floats"},
      {"tl.div_rn tl.math.div_rn", "(x, y)", div_rn, "x / y, correctly rounded"},
      {"tl.add", "(x, y, sanitize_overflow=True)", arithmetic, "x + y"},
      {"tl.sub", "(x, y, sanitize_overflow=True)", arithmetic, "x - y"},
      {"tl.mul", "(x, y, sanitize_overflow=True)", arithmetic, "x * y"},
      {"tl.cdiv tl.tensor.cdiv triton.cdiv", "(x, div)", cdiv, "(x + div - 1) // div"},
      {"tl.tensor.logical_and", "(input, other)", logical, "both of two int1 values"},
      {"tl.tensor.logical_or", "(input, other)", logical, "either of two int1 values"},
      {"tl.swizzle2d", "(i, j, size_i, size_j, size_g)", call_prelude_function,
       "row-major tile indices to column-major order within groups of size_g rows"},
      {"tl.map_elementwise", "(scalar_fn, *args, pack=1)", map_elementwise, "a jit function applied lane by lane"},
  };
  return rows;
}

}  // namespace tilescope::lower
