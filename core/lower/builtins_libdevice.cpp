// libdevice.* names, and those that tl.math once held (tl.math.tanh). The fast_* forms are the plain functions here.
// Functions that no op gives to a few ulp (erfinv, lgamma, Bessel functions, directed roundings ...) are refused by
// name.
#include <cmath>
#include <unordered_map>

#include "core/lower/builtins_math.h"

namespace tilescope::lower {
namespace {

/// A function of floats that is one op.
const std::unordered_map<std::string, OpCode>& float_ops() {
  static const std::unordered_map<std::string, OpCode> ops = {
      {"abs", OpCode::Abs},
      {"fabs", OpCode::Abs},
      {"floor", OpCode::Floor},
      {"ceil", OpCode::Ceil},
      {"trunc", OpCode::Trunc},
      {"rint", OpCode::Rint},
      {"nearbyint", OpCode::Rint},
      {"round", OpCode::Round},
      {"sqrt", OpCode::Sqrt},
      {"sqrt_rn", OpCode::Sqrt},
      {"rsqrt", OpCode::Rsqrt},
      {"rsqrt_rn", OpCode::Rsqrt},
      {"exp", OpCode::Exp},
      {"fast_expf", OpCode::Exp},
      {"exp2", OpCode::Exp2},
      {"expm1", OpCode::Expm1},
      {"log", OpCode::Log},
      {"fast_logf", OpCode::Log},
      {"log2", OpCode::Log2},
      {"fast_log2f", OpCode::Log2},
      {"log10", OpCode::Log10},
      {"fast_log10f", OpCode::Log10},
      {"log1p", OpCode::Log1p},
      {"sin", OpCode::Sin},
      {"fast_sinf", OpCode::Sin},
      {"cos", OpCode::Cos},
      {"fast_cosf", OpCode::Cos},
      {"tan", OpCode::Tan},
      {"fast_tanf", OpCode::Tan},
      {"asin", OpCode::Asin},
      {"acos", OpCode::Acos},
      {"atan", OpCode::Atan},
      {"sinh", OpCode::Sinh},
      {"cosh", OpCode::Cosh},
      {"tanh", OpCode::Tanh},
      {"fast_tanhf", OpCode::Tanh},
      {"fast_tanh", OpCode::Tanh},
      {"erf", OpCode::Erf},
      {"fast_erf", OpCode::Erf},
      {"isnan", OpCode::IsNan},
      {"isinf", OpCode::IsInf},
      {"finitef", OpCode::IsFinite},
      {"isfinited", OpCode::IsFinite},
      {"isfinite", OpCode::IsFinite},
      {"atan2", OpCode::Atan2},
      {"pow", OpCode::Pow},
      {"fast_powf", OpCode::Pow},
      {"fmod", OpCode::Rem},
      {"copysign", OpCode::CopySign},
      {"div_rn", OpCode::Div},
      {"fast_dividef", OpCode::Div},
      {"add_rn", OpCode::Add},
      {"sub_rn", OpCode::Sub},
      {"mul_rn", OpCode::Mul},
      {"fmin", OpCode::Minimum},
      {"fmax", OpCode::Maximum},
      {"clz", OpCode::Clz},
      {"popc", OpCode::Popc},
      {"ffs", OpCode::Ffs},
      {"brev", OpCode::Brev},
  };
  return ops;
}

OpCode op_of(const Builtin& b) {
  auto it = float_ops().find(last_name(b));
  if (it == float_ops().end()) internal_error("no op for " + b.path);
  return it->second;
}

Value unary_float(Context& c, Call& call) {
  Args args(c, call);
  const Value& v = args["x"];
  ValueId x = require_tensor(c, v, "x");
  const Type t = c.type(x);
  // Triton's own tl.math.abs and libdevice.abs take integers too.
  if (op_of(*call.builtin) == OpCode::Abs && !t.pointer && is_int(t.elem) && !is_bool(t.elem))
    return make_value(is_unsigned_int(t.elem) ? x : c.b().elementwise(OpCode::Abs, {x}), call.range);
  return make_value(c.b().elementwise(op_of(*call.builtin), {require_wide_float(c, call, v)}), call.range);
}

/// Both as floats of one type and shape. An integer beside a float is converted, as pow(x, 2) needs.
std::pair<ValueId, ValueId> float_pair(Context& c, const Call& call, const Value& a, const Value& b) {
  ValueId x = require_tensor(c, a, "the first argument"), y = require_tensor(c, b, "the second argument");
  for (auto [value, id] : {std::pair{&a, x}, std::pair{&b, y}}) {
    const Type t = c.type(id);
    if (t.pointer || (is_float(t.elem) && dtype_bits(t.elem) < 32)) require_wide_float(c, call, *value);
  }
  if (!is_float(c.type(x).elem) && !is_float(c.type(y).elem)) require_wide_float(c, call, a);
  return promote_and_broadcast(c, make_value(x, a.range), make_value(y, b.range), call.range);
}

Value binary_float(Context& c, Call& call) {
  Args args(c, call);
  auto [x, y] = float_pair(c, call, args["x"], args["y"]);
  return make_value(c.b().elementwise(op_of(*call.builtin), {x, y}), call.range);
}

/// The same functions of two floats that the prelude writes.
Value binary_prelude(Context& c, Call& call) {
  Args args(c, call);
  auto [x, y] = float_pair(c, call, args["x"], args["y"]);
  return c.call_prelude(last_name(*call.builtin),
                        {{"", make_value(x, args["x"].range)}, {"", make_value(y, args["y"].range)}}, call.range);
}
Value unary_prelude(Context& c, Call& call) {
  Args args(c, call);
  Value x = make_value(require_wide_float(c, call, args["x"]), args["x"].range);
  return c.call_prelude(last_name(*call.builtin), {{"", x}}, call.range);
}

ValueId require_wide_integer(Context& c, const Call& call, const Value& v) {
  ValueId x = require_tensor(c, v, "the argument of " + shown_name(*call.builtin));
  const Type t = c.type(x);
  if (t.pointer || !is_int(t.elem) || dtype_bits(t.elem) < 32)
    c.fail(v.range, shown_name(*call.builtin) + " takes 32- and 64-bit integers, not " + type_name(t),
           "convert first: .to(tl.int32)");
  return x;
}

/// Bit functions; counts are int32 whatever the width.
Value bit_function(Context& c, Call& call) {
  Args args(c, call);
  ValueId x = require_wide_integer(c, call, args["x"]);
  ValueId r = c.b().elementwise(op_of(*call.builtin), {x});
  if (op_of(*call.builtin) != OpCode::Brev) r = c.b().cast(r, DType::Int32);
  return make_value(r, call.range);
}

Value mulhi(Context& c, Call& call) {
  Args args(c, call);
  require_wide_integer(c, call, args["x"]);
  require_wide_integer(c, call, args["y"]);
  auto [x, y] = promote_and_broadcast(c, args["x"], args["y"], call.range);
  if (is_unsigned_int(c.type(x).elem)) return make_value(c.b().elementwise(OpCode::Umulhi, {x, y}), call.range);
  return c.call_prelude("mulhi", {{"", make_value(x, args["x"].range)}, {"", make_value(y, args["y"].range)}},
                        call.range);
}

Value fma(Context& c, Call& call) {
  Args args(c, call);
  Call inner{find_builtin("tl.fma"), {{"", args["x"]}, {"", args["y"]}, {"", args["z"]}}, call.range, call.callee};
  return inner.builtin->fn(c, inner);
}

/// 1 / x, 10 to the x and the sign bit: one step from an op.
Value reciprocal(Context& c, Call& call) {
  Args args(c, call);
  ValueId x = require_wide_float(c, call, args["x"]);
  return make_value(c.b().elementwise(OpCode::Div, {c.b().constant_float(c.type(x), 1), x}), call.range);
}
Value exp10(Context& c, Call& call) {
  Args args(c, call);
  ValueId x = require_wide_float(c, call, args["x"]);
  return make_value(c.b().elementwise(OpCode::Pow, {c.b().constant_float(c.type(x), 10), x}), call.range);
}
Value signbit(Context& c, Call& call) {
  Args args(c, call);
  ValueId x = require_wide_float(c, call, args["x"]);
  const int bits = dtype_bits(c.type(x).elem);
  ValueId code = c.b().bitcast(x, int_type(bits, true));
  ValueId negative = c.b().elementwise(OpCode::CmpLt, {code, c.b().constant_int(c.type(code), 0)});
  return make_value(c.b().cast(negative, DType::Int32), call.range);
}

/// float2int_rd and the like: a rounding to a whole number, then a conversion.
Value rounded_conversion(Context& c, Call& call) {
  Args args(c, call);
  ValueId x = require_wide_float(c, call, args["x"]);
  const std::string name = last_name(*call.builtin);
  if (name.ends_with("_rn") || name == "llrint")
    x = c.b().elementwise(OpCode::Rint, {x});
  else if (name.ends_with("_rd"))
    x = c.b().elementwise(OpCode::Floor, {x});
  else if (name.ends_with("_ru"))
    x = c.b().elementwise(OpCode::Ceil, {x});
  else if (name == "llround")
    x = c.b().elementwise(OpCode::Round, {x});
  const bool is_unsigned = name.find("2uint") != std::string::npos || name.find("2ull") != std::string::npos;
  const bool wide =
      name.starts_with("ll") || name.find("2ll") != std::string::npos || name.find("2ull") != std::string::npos;
  return make_value(c.b().cast(x, int_type(wide ? 64 : 32, !is_unsigned)), call.range);
}

/// int2float_rn, double2float_rn ...: plain conversions.
Value to_float(Context& c, Call& call) {
  Args args(c, call);
  ValueId x = require_tensor(c, args["x"], "x");
  const bool wide = last_name(*call.builtin).find("2double") != std::string::npos;
  return make_value(cast_to(c, x, {wide ? DType::Float64 : DType::Float32, false}, false, call.range), call.range);
}

/// float_as_int and the like.
Value reinterpret(Context& c, Call& call) {
  Args args(c, call);
  const std::string name = last_name(*call.builtin);
  const std::pair<const char*, DType> targets[] = {{"_as_int", DType::Int32},
                                                   {"_as_uint", DType::UInt32},
                                                   {"_as_float", DType::Float32},
                                                   {"_as_longlong", DType::Int64},
                                                   {"_as_double", DType::Float64}};
  for (auto [suffix, to] : targets)
    if (name.ends_with(suffix))
      return make_value(cast_to(c, require_tensor(c, args["x"], "x"), {to, false}, true, call.range), call.range);
  internal_error("no type for " + call.builtin->path);
}

}  // namespace

const std::vector<BuiltinRow>& libdevice_rows() {
  static const std::vector<BuiltinRow> rows = {
      {"libdevice.abs libdevice.fabs libdevice.floor libdevice.ceil libdevice.trunc libdevice.rint libdevice.nearbyint "
       "libdevice.round libdevice.sqrt libdevice.sqrt_rn libdevice.rsqrt libdevice.rsqrt_rn",
       "(x)", unary_float, "rounding and roots"},
      {"libdevice.exp libdevice.fast_expf libdevice.exp2 libdevice.expm1 libdevice.log libdevice.fast_logf "
       "libdevice.log2 libdevice.fast_log2f libdevice.log10 libdevice.fast_log10f libdevice.log1p",
       "(x)", unary_float, "exponentials and logarithms"},
      {"libdevice.sin libdevice.fast_sinf libdevice.cos libdevice.fast_cosf libdevice.tan libdevice.fast_tanf "
       "libdevice.asin libdevice.acos libdevice.atan libdevice.sinh libdevice.cosh libdevice.tanh libdevice.fast_tanhf "
       "libdevice.fast_tanh libdevice.erf libdevice.fast_erf",
       "(x)", unary_float, "trigonometric and hyperbolic functions, erf"},
      {"libdevice.isnan libdevice.isinf libdevice.finitef libdevice.isfinited libdevice.isfinite", "(x)", unary_float,
       "int1: what kind of number it is"},
      {"libdevice.asinh libdevice.acosh libdevice.atanh libdevice.saturatef", "(x)", unary_prelude,
       "inverse hyperbolic functions; saturatef limits to [0, 1]"},
      {"libdevice.exp10 libdevice.fast_exp10f", "(x)", exp10, "10 to the x"},
      {"libdevice.rcp_rn", "(x)", reciprocal, "1 / x"},
      {"libdevice.signbit", "(x)", signbit, "int32 1 when the sign bit is set"},
      {"libdevice.atan2 libdevice.pow libdevice.fast_powf libdevice.fmod libdevice.copysign libdevice.div_rn "
       "libdevice.fast_dividef libdevice.add_rn libdevice.sub_rn libdevice.mul_rn libdevice.fmin libdevice.fmax",
       "(x, y)", binary_float, "functions of two floats"},
      {"libdevice.hypot libdevice.fdim", "(x, y)", binary_prelude, "functions of two floats"},
      {"libdevice.fma libdevice.fma_rn", "(x, y, z)", fma, "x * y + z with one rounding"},
      {"libdevice.clz libdevice.popc libdevice.ffs libdevice.brev", "(x)", bit_function, "bits of an integer"},
      {"libdevice.mulhi", "(x, y)", mulhi, "high half of the product"},
      {"libdevice.llrint libdevice.llround libdevice.float2int_rn libdevice.float2int_rz libdevice.float2int_rd "
       "libdevice.float2int_ru libdevice.float2uint_rn libdevice.float2uint_rz libdevice.float2uint_rd "
       "libdevice.float2uint_ru libdevice.float2ll_rn libdevice.float2ll_rz libdevice.float2ll_rd "
       "libdevice.float2ll_ru "
       "libdevice.float2ull_rn libdevice.float2ull_rz libdevice.float2ull_rd libdevice.float2ull_ru "
       "libdevice.double2int_rn libdevice.double2int_rz libdevice.double2int_rd libdevice.double2int_ru "
       "libdevice.double2uint_rn libdevice.double2uint_rz libdevice.double2uint_rd libdevice.double2uint_ru "
       "libdevice.double2ll_rn libdevice.double2ll_rz libdevice.double2ll_rd libdevice.double2ll_ru "
       "libdevice.double2ull_rn libdevice.double2ull_rz libdevice.double2ull_rd libdevice.double2ull_ru",
       "(x)", rounded_conversion, "rounds and converts to an integer"},
      {"libdevice.int2float_rn libdevice.uint2float_rn libdevice.ll2float_rn libdevice.ull2float_rn "
       "libdevice.double2float_rn libdevice.int2double_rn libdevice.uint2double_rn libdevice.ll2double_rn "
       "libdevice.ull2double_rn",
       "(x)", to_float, "converts, to nearest"},
      {"libdevice.float_as_int libdevice.float_as_uint libdevice.int_as_float libdevice.uint_as_float "
       "libdevice.double_as_longlong libdevice.longlong_as_double",
       "(x)", reinterpret, "same bits, another type"},
      {"libdevice.erfc libdevice.erfcx libdevice.erfinv libdevice.erfcinv libdevice.normcdf libdevice.normcdfinv "
       "libdevice.lgamma libdevice.tgamma libdevice.j0 libdevice.j1 libdevice.jn libdevice.y0 libdevice.y1 "
       "libdevice.yn "
       "libdevice.cyl_bessel_i0 libdevice.cyl_bessel_i1 libdevice.cbrt libdevice.rcbrt libdevice.sinpi libdevice.cospi "
       "libdevice.nextafter libdevice.ldexp libdevice.scalbn libdevice.ilogb libdevice.logb libdevice.remainder "
       "libdevice.norm3d libdevice.norm4d libdevice.rnorm3d libdevice.rnorm4d libdevice.rhypot libdevice.fast_gelu "
       "libdevice.fast_sigmoid",
       "(*args)", refuse_unsupported, "compose it from functions that are: exp, log, erf, pow, sqrt ..."},
      {"libdevice.byte_perm libdevice.mul24 libdevice.sad libdevice.hadd libdevice.rhadd libdevice.rcp64h "
       "libdevice.hiloint2double libdevice.double2loint libdevice.double2hiint",
       "(*args)", refuse_unsupported, "write it with shifts, & and |"},
      {"libdevice.add_rz libdevice.add_rd libdevice.add_ru libdevice.sub_rz libdevice.sub_rd libdevice.sub_ru "
       "libdevice.mul_rz libdevice.mul_rd libdevice.mul_ru libdevice.div_rz libdevice.div_rd libdevice.div_ru "
       "libdevice.fma_rz libdevice.fma_rd libdevice.fma_ru libdevice.sqrt_rz libdevice.sqrt_rd libdevice.sqrt_ru "
       "libdevice.rcp_rz libdevice.rcp_rd libdevice.rcp_ru libdevice.int2float_rz libdevice.int2float_rd "
       "libdevice.int2float_ru libdevice.uint2float_rz libdevice.uint2float_rd libdevice.uint2float_ru "
       "libdevice.ll2float_rz libdevice.ll2float_rd libdevice.ll2float_ru libdevice.ull2float_rz "
       "libdevice.ull2float_rd "
       "libdevice.ull2float_ru libdevice.double2float_rz libdevice.double2float_rd libdevice.double2float_ru",
       "(*args)", refuse_unsupported, "arithmetic rounds to nearest here; use the _rn form or the operator"},
  };
  return rows;
}

}  // namespace tilescope::lower
