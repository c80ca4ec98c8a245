// Printing, assertions, and hints that are accepted without effect.
#include "core/lower/builtins.h"

namespace tilescope::lower {
namespace {

Value device_print(Context& c, Call& call) {
  Args args(c, call);
  require_const_bool(c, args["hex"], "hex");
  std::string text = require_const_string(c, args["prefix"], "the first argument of " + shown_name(*call.builtin));
  std::vector<ValueId> operands;
  for (const Value& v : args.rest()) operands.push_back(require_tensor(c, v, "a printed value"));
  c.b().create(OpCode::Print, operands, {}, {{"text", text}});
  return make_none(call.range);
}

Value device_assert(Context& c, Call& call) {
  Args args(c, call);
  std::string text = args["msg"].is<NoneValue>() ? "" : require_const_string(c, args["msg"], "msg");
  ValueId condition = require_tensor(c, args["cond"], "the condition");
  if (c.type(condition).pointer) c.fail(args["cond"].range, "the condition is a pointer", "compare it: p != 0");
  condition = cast_to(c, condition, {DType::Int1, false}, false, args["cond"].range);
  std::vector<ValueId> operands = {condition};
  if (args.has("mask")) {
    ValueId mask = require_mask(c, args["mask"], "mask");
    Shape shape = common_shape(c, {{condition, args["cond"].range}, {mask, args["mask"].range}}, call.range);
    operands = {expand_to(c, condition, shape), expand_to(c, mask, shape)};
  }
  c.b().create(OpCode::Assert, operands, {}, {{"text", text}});
  return make_none(call.range);
}

/// tl.multiple_of and its kin promise something about the values; the analysis here finds out by itself.
Value hint(Context& c, Call& call) {
  Args args(c, call);
  ValueId x = require_tensor(c, args["input"], "input");
  std::vector<int64_t> values = require_ints(c, args["values"], "values");
  const size_t rank = static_cast<size_t>(std::max(1, c.type(x).shape.rank));
  if (values.size() != rank)
    c.fail(args["values"].range, shown_name(*call.builtin) + " needs one number for each of the " +
                                     std::to_string(rank) + " axes, not " + std::to_string(values.size()));
  return args["input"];
}

Value assume(Context& c, Call& call) {
  Args args(c, call);
  require_tensor(c, args["cond"], "the condition");
  return make_none(call.range);
}

Value nothing(Context& c, Call& call) {
  Args args(c, call);
  return make_none(call.range);
}

}  // namespace

const std::vector<BuiltinRow>& debug_rows() {
  static const std::vector<BuiltinRow> rows = {
      {"tl.device_print py.print", "(prefix, *args, hex=False)", device_print, "prints values while the kernel runs"},
      {"tl.device_assert", "(cond, msg=\"\", mask=None)", device_assert, "a lane where the condition fails is a fault"},
      {"tl.multiple_of tl.max_contiguous tl.max_constancy", "(input, values)", hint,
       "a promise about the values, accepted and checked by nobody"},
      {"tl.assume", "(cond)", assume, "a promise, accepted without effect"},
      {"tl.debug_barrier", "()", nothing, "no effect: a tile program has no threads to wait for"},
      {"tl.extra.cuda.gdc_wait tl.extra.cuda.gdc_launch_dependents", "()", nothing,
       "no effect: programs of one launch do not overlap another"},
  };
  return rows;
}

}  // namespace tilescope::lower
