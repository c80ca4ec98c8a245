// tl.dot: shapes, types and the choice of the contract (core/dot_contract.h).
#include "core/dot_contract.h"
#include "core/lower/builtins.h"

namespace tilescope::lower {
namespace {

struct DotOperand {
  ValueId id;
  SourceRange range;
};

std::string shape_label(Context& c, ValueId v) {
  return std::string(dtype_name(c.type(v).elem)) + " of shape " + to_string(c.type(v).shape);
}

[[noreturn]] void refuse(Context& c, const DotOperand& a, const DotOperand& b, const SourceRange& range,
                         std::string message, std::string hint) {
  Diagnostic d;
  d.message = std::move(message);
  d.range = range;
  d.labels = {{a.range, shape_label(c, a.id)}, {b.range, shape_label(c, b.id)}};
  d.hint = std::move(hint);
  fail_with(c, std::move(d));
}

/// Shape of the product: [..., M, K] x [..., K, N].
Shape product_shape(Context& c, const DotOperand& a, const DotOperand& b, const SourceRange& range) {
  const Shape sa = c.type(a.id).shape, sb = c.type(b.id).shape;
  if (sa.rank != sb.rank || sa.rank < 2)
    refuse(c, a, b, range, "tl.dot multiplies tiles of equal rank, 2 or more",
           "x[:, None] makes a column of shape [N, 1], x[None, :] a row of shape [1, N]");
  const int rank = sa.rank;
  for (int i = 0; i < rank - 2; ++i)
    if (sa[i] != sb[i])
      refuse(c, a, b, range,
             "the batch axes of tl.dot differ: " + std::to_string(sa[i]) + " against " + std::to_string(sb[i]), "");
  const int64_t k = sa[rank - 1];
  if (k != sb[rank - 2])
    refuse(c, a, b, range,
           "tl.dot sums over K: the left has " + std::to_string(k) + " columns, the right " +
               std::to_string(sb[rank - 2]) + " rows",
           "the left is [M, K], the right [K, N]; tl.trans swaps the axes of one");
  const int64_t least = dtype_bits(c.type(a.id).elem) == 8 ? 32 : 16;
  if (k < least)
    refuse(c, a, b, range,
           "K of tl.dot must be at least " + std::to_string(least) + " for " +
               std::string(dtype_name(c.type(a.id).elem)) + ", not " + std::to_string(k),
           "load a longer tile and mask off the rest with other=0, or use tl.sum(a * b, axis)");
  Shape out = sa;
  out[rank - 1] = sb[rank - 1];
  if (out.elements() > kMaxTileElements)
    c.fail(range, "the result of shape " + to_string(out) + " is too large: at most 2^20 elements");
  return out;
}

InputPrecision precision(Context& c, const Args& args) {
  const Value &named = args["input_precision"], &old = args["allow_tf32"];
  if (args.has("input_precision") && args.has("allow_tf32"))
    c.fail(old.range, "input_precision and allow_tf32 are both given", "allow_tf32 is the old form: drop it");
  if (args.has("allow_tf32")) {
    const bool allowed = old.is<ConstInt>() ? old.as<ConstInt>() != 0 : require_const_bool(c, old, "allow_tf32");
    return allowed ? InputPrecision::Tf32 : InputPrecision::Ieee;
  }
  if (!args.has("input_precision")) return InputPrecision::Tf32;
  std::string name = require_const_string(c, named, "input_precision");
  for (char& ch : name)
    if (ch >= 'A' && ch <= 'Z') ch = static_cast<char>(ch - 'A' + 'a');
  if (auto p = parse_input_precision(name)) return *p;
  c.fail(named.range, "input_precision \"" + name + "\" does not exist",
         "there are \"tf32\", \"tf32x3\", \"ieee\", \"bf16x3\" and \"bf16x6\"");
}

void require_operand_type(Context& c, const Value& v, ValueId id) {
  const Type t = c.type(id);
  if (t.pointer) c.fail(v.range, "tl.dot cannot multiply pointers", "load the values first");
  if (!is_float(t.elem) && t.elem != DType::Int8)
    c.fail(v.range, "tl.dot multiplies int8 and floats, not " + std::string(dtype_name(t.elem)),
           "convert with .to(tl.int8), .to(tl.float16) or .to(tl.float32)");
}

ValueId accumulator(Context& c, const Args& args, const Type& result, DType out_dtype) {
  if (!args.has("acc")) return c.b().constant_int(result, 0);
  const Value& v = args["acc"];
  ValueId acc = require_tensor(c, v, "acc");
  const Type t = c.type(acc);
  Diagnostic d;
  d.range = v.range;
  d.range_label = shape_label(c, acc);
  if (!(t.shape == result.shape)) {
    d.message = "the accumulator must have the product's shape " + to_string(result.shape);
    d.hint = "make it with tl.zeros((M, N), dtype=...)";
    fail_with(c, std::move(d));
  }
  if (t.pointer || t.elem != out_dtype || t.elem != result.elem) {
    d.message = "the accumulator is " + type_name(t) + ", but out_dtype is " + std::string(dtype_name(out_dtype)) +
                (out_dtype == result.elem ? "" : " and the product is " + std::string(dtype_name(result.elem)));
    d.hint = t.elem == result.elem
                 ? "pass out_dtype=tl." + std::string(dtype_name(result.elem)) + ", as Triton wants it"
                 : "make the accumulator " + std::string(dtype_name(result.elem));
    fail_with(c, std::move(d));
  }
  return acc;
}

/// Leading axes beyond one batch axis are folded into it and restored afterwards.
ValueId fold_batch(Context& c, ValueId v) {
  const Shape s = c.type(v).shape;
  if (s.rank <= 3) return v;
  const int64_t m = s[s.rank - 2], n = s[s.rank - 1];
  return c.b().reshape(v, Shape{s.elements() / (m * n), m, n});
}

Value dot(Context& c, Call& call) {
  Args args(c, call);
  const Value &av = args["input"], &bv = args["other"];
  DotOperand a{require_tile(c, av, "the left operand of tl.dot"), av.range};
  DotOperand b{require_tile(c, bv, "the right operand of tl.dot"), bv.range};
  require_operand_type(c, av, a.id);
  require_operand_type(c, bv, b.id);
  const DType ta = c.type(a.id).elem, tb = c.type(b.id).elem;
  if (ta != tb && (dtype_bits(ta) != 8 || dtype_bits(tb) != 8 || is_int(ta) != is_int(tb)))
    refuse(c, a, b, call.range, "both operands of tl.dot must have one type",
           "convert one: .to(tl." + std::string(dtype_name(dtype_bits(ta) < dtype_bits(tb) ? ta : tb)) + ")");
  const Shape shape = product_shape(c, a, b, call.range);
  const DTypeValue out = require_dtype(c, args["out_dtype"], "out_dtype");
  if (out.pointer) c.fail(args["out_dtype"].range, "out_dtype cannot be a pointer");
  if (args.has("max_num_imprecise_acc")) require_const_int(c, args["max_num_imprecise_acc"], "max_num_imprecise_acc");
  // int8 sums are int32 whatever out_dtype says; an accumulator must then agree with out_dtype (accumulator()).
  const DType wanted = is_int(ta) ? DType::Int32 : out.dtype;
  Expected<DotContract> contract = choose_dot_contract(ta, tb, wanted, precision(c, args));
  if (!contract.ok()) {
    Diagnostic d = contract.errors().front();
    d.range = call.range;
    d.labels = {{a.range, shape_label(c, a.id)}, {b.range, shape_label(c, b.id)}};
    fail_with(c, std::move(d));
  }
  const Type result = Type::tile(accumulator_dtype(*contract), shape);
  ValueId acc = fold_batch(c, accumulator(c, args, result, out.dtype));
  ValueId product = c.b().create1(OpCode::Dot, {fold_batch(c, a.id), fold_batch(c, b.id), acc}, c.type(acc),
                                  {{"contract", to_string(*contract)}});
  return make_value(c.b().reshape(product, shape), call.range);
}

std::string scaled_format(Context& c, const Value& v, const std::string& what) {
  const std::string format = require_const_string(c, v, what);
  for (const char* known : {"e2m1", "e4m3", "e5m2", "bf16", "fp16"})
    if (format == known) return format;
  c.fail(v.range, "the format \"" + format + "\" does not exist", "there are e2m1, e4m3, e5m2, bf16 and fp16");
}

/// One operand of tl.dot_scaled: `k` is the axis of the product, 1 for the left, 0 for the right. Its scales are
/// [rows or columns, K / 32] of E8M0 bytes.
void check_scaled(Context& c, const Args& args, const std::string& side, int k) {
  const std::string name = side + "_format", scale_name = side + "_scale";
  const std::string format = scaled_format(c, args[name], name);
  const Value& v = args[side];
  const Type t = c.type(require_tile(c, v, side));
  if (t.shape.rank != 2) c.fail(v.range, "tl.dot_scaled takes tiles of rank 2 here, not " + to_string(t.shape));
  const bool packed = format == "e2m1";
  const bool bytes = t.elem == DType::UInt8 || t.elem == DType::Int8;
  const DType wanted = format == "bf16"   ? DType::BFloat16
                       : format == "fp16" ? DType::Float16
                       : format == "e4m3" ? DType::Float8E4NV
                       : format == "e5m2" ? DType::Float8E5
                                          : DType::UInt8;
  if (t.pointer || (t.elem != wanted && !(bytes && dtype_bits(wanted) == 8)))
    c.fail(v.range, "a tile in the format " + format + " holds " + std::string(dtype_name(wanted)) + ", not " + type_name(t));
  if (packed && !require_const_bool(c, args[side + "_k_pack"], side + "_k_pack"))
    c.fail(args[side + "_k_pack"].range, "pairs of e2m1 packed along another axis than K are not supported");
  if (!args.has(scale_name)) return;
  const Value& scale = args[scale_name];
  const Type st = c.type(require_tile(c, scale, scale_name));
  const int64_t depth = t.shape[k] * (packed ? 2 : 1);
  if (st.pointer || (st.elem != DType::UInt8 && st.elem != DType::Int8))
    c.fail(scale.range, "scales are E8M0 exponents in uint8, not " + type_name(st));
  if (st.shape.rank != 2 || st.shape[0] != t.shape[1 - k] || st.shape[1] * 32 != depth)
    c.fail(scale.range, "the scales must have the shape [" + std::to_string(t.shape[1 - k]) + ", " +
                            std::to_string(depth / 32) + "], one for 32 elements along K, not " + to_string(st.shape));
}

/// As Triton on GPUs without scaled tensor cores: both operands become bfloat16 (float16 when one of them is) with
/// their scales multiplied in.
Value dot_scaled(Context& c, Call& call) {
  Args args(c, call);
  check_scaled(c, args, "lhs", 1);
  check_scaled(c, args, "rhs", 0);
  require_const_bool(c, args["fast_math"], "fast_math");
  return call_prelude_function(c, call);
}

}  // namespace

const std::vector<BuiltinRow>& dot_rows() {
  static const std::vector<BuiltinRow> rows = {
      {"tl.dot",
       "(input, other, acc=None, input_precision=None, allow_tf32=None, max_num_imprecise_acc=None, out_dtype=float32)",
       dot, "acc + input x other on [M, K] and [K, N] tiles, with batch axes in front"},
      {"tl.dot_scaled",
       "(lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, acc=None, fast_math=False, lhs_k_pack=True, "
       "rhs_k_pack=True, out_dtype=float32)",
       dot_scaled, "acc + lhs x rhs of microscaled tiles: one power of two scales 32 elements along K"},
  };
  return rows;
}

}  // namespace tilescope::lower
