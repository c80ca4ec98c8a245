// Python's own functions, as far as kernels may call them, and functions of the triton module.
#include <cmath>

#include "core/lower/builtins.h"

namespace tilescope::lower {
namespace {

bool less(const Value& a, const Value& b) {
  auto number = [](const Value& v) {
    return v.is<double>() ? v.as<double>()
           : v.is<bool>() ? double(v.as<bool>())
                          : static_cast<double>(v.as<ConstInt>());
  };
  if (a.is<ConstInt>() && b.is<ConstInt>()) return a.as<ConstInt>() < b.as<ConstInt>();
  return number(a) < number(b);
}

/// min and max: constexpr when every argument is, else tl.minimum and tl.maximum from left to right.
Value extreme(Context& c, Call& call, const char* tile_function, bool largest) {
  Args args(c, call);
  const std::vector<Value> values = spread(args.rest());
  if (values.empty()) c.fail(call.range, shown_name(*call.builtin) + " needs a value");
  bool constant = true;
  for (const Value& v : values) {
    if (v.is_const_number()) continue;
    require_tensor(c, v, "an argument of " + shown_name(*call.builtin));
    constant = false;
  }
  if (!constant && values.size() == 1)
    c.fail(call.range, shown_name(*call.builtin) + " of one tile is not Python's " + shown_name(*call.builtin),
           std::string("use ") + (largest ? "tl.max(x, axis)" : "tl.min(x, axis)"));
  Value best = values[0];
  for (size_t i = 1; i < values.size(); ++i) {
    if (constant) {
      if (largest ? less(best, values[i]) : less(values[i], best)) best = values[i];
      continue;
    }
    Call inner{find_builtin(tile_function), {{"", best}, {"", values[i]}}, call.range, call.callee};
    best = inner.builtin->fn(c, inner);
  }
  best.range = call.range;
  return best;
}
Value min(Context& c, Call& call) { return extreme(c, call, "tl.minimum", false); }
Value max(Context& c, Call& call) { return extreme(c, call, "tl.maximum", true); }

Value next_power_of_2(Context& c, Call& call) {
  Args args(c, call);
  if (args["n"].is_tensor())
    c.fail(args["n"].range, "triton.next_power_of_2 needs a constexpr, not a run-time value",
           "make the argument a tl.constexpr parameter");
  ConstInt n = require_const_int(c, args["n"], "n"), power = 1;
  if (n > (ConstInt{1} << 62)) c.fail(args["n"].range, "n is too large");
  while (power < n) power *= 2;
  return make_int(n <= 0 ? 0 : power, call.range);
}

/// tl._log2 of a constexpr, rounded down; sorts written by hand use it.
Value log2_floor(Context& c, Call& call) {
  Args args(c, call);
  ConstInt n = require_const_int(c, args["i"], "i"), log = 0;
  for (; n > 1; n >>= 1) ++log;
  return make_int(log, call.range);
}

Value get_int_dtype(Context& c, Call& call) {
  Args args(c, call);
  ConstInt bits = require_const_int(c, args["bitwidth"], "bitwidth");
  const bool is_signed = require_const_bool(c, args["signed"], "signed");
  if (bits == 1 && !is_signed) return {DTypeValue{DType::Int1, false}, call.range};
  for (int known : {8, 16, 32, 64})
    if (bits == known) return {DTypeValue{int_type(known, is_signed), false}, call.range};
  c.fail(args["bitwidth"].range, "there is no integer of " + describe(args["bitwidth"], c.b().function()) + " bits",
         "there are 8, 16, 32 and 64");
}

/// tl.dtype("uint32"): Triton's own short names too.
Value dtype_of_name(Context& c, Call& call) {
  Args args(c, call);
  std::string name = require_const_string(c, args["name"], "the name");
  if (auto dtype = parse_dtype(name)) return {DTypeValue{*dtype, false}, call.range};
  c.fail(args["name"].range, "there is no element type \"" + name + "\"",
         "there are int1, int8 .. int64, uint8 .. uint64, fp16, bf16, fp32, fp64, fp8e4nv and fp8e5");
}

}  // namespace

const std::vector<BuiltinRow>& python_rows() {
  static const std::vector<BuiltinRow> rows = {
      {"py.min", "(*values, propagate_nan=None)", min, "smallest of numbers or tiles"},
      {"py.max", "(*values, propagate_nan=None)", max, "largest of numbers or tiles"},
      {"triton.next_power_of_2", "(n)", next_power_of_2, "smallest power of two not below a constexpr"},
      {"tl._log2", "(i)", log2_floor, "logarithm to base 2 of a constexpr, rounded down"},
      {"tl.dtype", "(name)", dtype_of_name, "element type of that name"},
      {"tl.get_int_dtype", "(bitwidth, signed)", get_int_dtype, "integer type of that width"},
  };
  return rows;
}

}  // namespace tilescope::lower
