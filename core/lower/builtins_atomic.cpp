// Atomic read-modify-write through pointers.
#include "core/lower/builtins_math.h"
#include "core/lower/builtins_memory.h"

namespace tilescope::lower {
namespace {

std::string checked_option(Context& c, const Value& v, const char* name, std::initializer_list<const char*> known,
                           const char* fallback) {
  if (v.is<NoneValue>()) return fallback;
  std::string given = require_const_string(c, v, name), list;
  if (given.empty()) return fallback;
  for (const char* k : known) {
    if (given == k) return given;
    list += (list.empty() ? "\"" : ", \"") + std::string(k) + "\"";
  }
  c.fail(v.range, std::string(name) + " \"" + given + "\" does not exist", "there are " + list);
}

/// What `kind` can do to elements of that type, as on the GPU.
void require_atomic_type(Context& c, const Value& pointer, DType t, const std::string& kind) {
  const std::string name = "tl.atomic_" + kind;
  auto refuse = [&](const std::string& hint) {
    c.fail(pointer.range, name + " does not support " + std::string(dtype_name(t)), hint);
  };
  if (dtype_bits(t) < 16 || t == DType::Int16 || t == DType::UInt16)
    refuse("atomics work on 32- and 64-bit elements, and tl.atomic_add on float16 and bfloat16 too");
  if ((t == DType::Float16 || t == DType::BFloat16) && kind != "add") refuse("only tl.atomic_add takes 16-bit floats");
  if (is_float(t) && (kind == "and" || kind == "or" || kind == "xor")) refuse("bits are for integers");
}

Value read_modify_write(Context& c, Call& call) {
  Args args(c, call);
  const Value &pointer = args["pointer"], &value = args["val"];
  const std::string kind = last_name(*call.builtin).substr(7);  // after "atomic_"
  ValueId ptr = require_memory_pointer(c, pointer, "the first argument of " + shown_name(*call.builtin));
  const Type type = c.type(ptr);
  require_atomic_type(c, pointer, type.elem, kind);
  ValueId operand = require_tensor(c, value, "val");
  ValueId mask = args.has("mask") ? require_mask(c, args["mask"], "mask") : kNoValue;
  if (type.is_tile()) {
    if (mask != kNoValue) mask = broadcast_to(c, mask, type.shape, args["mask"].range);
    operand = broadcast_to(c, operand, type.shape, value.range);
  } else if (c.type(operand).is_tile() || (mask != kNoValue && c.type(mask).is_tile())) {
    c.fail(call.range, "the pointer is a scalar, but a tile is given", "add tl.arange offsets to the pointer");
  }
  operand = cast_to(c, operand, {type.elem, false}, false, value.range);
  std::vector<ValueId> operands = {ptr, operand};
  if (mask != kNoValue) operands.push_back(mask);
  std::vector<Attr> attrs = atomic_attributes(c, args["sem"], args["scope"]);
  attrs.insert(attrs.begin(), {"kind", kind});
  return make_value(c.b().create1(OpCode::AtomicRmw, operands, Type::tile(type.elem, type.shape), attrs), call.range);
}

Value compare_and_swap(Context& c, Call& call) {
  Args args(c, call);
  const Value& pointer = args["pointer"];
  ValueId ptr = require_memory_pointer(c, pointer, "the first argument of " + shown_name(*call.builtin));
  const Type type = c.type(ptr);
  if (dtype_bits(type.elem) < 16)
    c.fail(pointer.range, "tl.atomic_cas does not support " + std::string(dtype_name(type.elem)),
           "it works on 16-, 32- and 64-bit elements");
  std::vector<ValueId> operands = {ptr};
  for (const char* name : {"cmp", "val"}) {
    const Value& v = args[name];
    ValueId id = require_tensor(c, v, name);
    const Type t = c.type(id);
    if (v.is_tensor() && (t.pointer || t.elem != type.elem))
      c.fail(v.range,
             std::string(name) + " must be " + std::string(dtype_name(type.elem)) + " like the elements, not " +
                 type_name(t),
             "convert it: .to(tl." + std::string(dtype_name(type.elem)) + ")");
    if (type.is_scalar() && t.is_tile())
      c.fail(v.range, "the pointer is a scalar, but " + std::string(name) + " is a tile");
    id = cast_to(c, id, {type.elem, false}, false, v.range);
    operands.push_back(type.is_tile() ? broadcast_to(c, id, type.shape, v.range) : id);
  }
  return make_value(c.b().create1(OpCode::AtomicCas, operands, Type::tile(type.elem, type.shape),
                                  atomic_attributes(c, args["sem"], args["scope"])),
                    call.range);
}

}  // namespace

std::vector<Attr> atomic_attributes(Context& c, const Value& sem, const Value& scope) {
  return {{"sem", checked_option(c, sem, "sem", {"acquire", "release", "acq_rel", "relaxed"}, "acq_rel")},
          {"scope", checked_option(c, scope, "scope", {"gpu", "cta", "sys"}, "gpu")}};
}

const std::vector<BuiltinRow>& atomic_rows() {
  static constexpr const char* kSignature = "(pointer, val, mask=None, sem=None, scope=None)";
  static const std::vector<BuiltinRow> rows = {
      {"tl.atomic_add tl.tensor.atomic_add", kSignature, read_modify_write, "adds; returns the old values"},
      {"tl.atomic_max tl.tensor.atomic_max", kSignature, read_modify_write, "keeps the larger; returns the old values"},
      {"tl.atomic_min tl.tensor.atomic_min", kSignature, read_modify_write,
       "keeps the smaller; returns the old values"},
      {"tl.atomic_and tl.tensor.atomic_and", kSignature, read_modify_write, "and of bits; returns the old values"},
      {"tl.atomic_or tl.tensor.atomic_or", kSignature, read_modify_write, "or of bits; returns the old values"},
      {"tl.atomic_xor tl.tensor.atomic_xor", kSignature, read_modify_write, "xor of bits; returns the old values"},
      {"tl.atomic_xchg tl.tensor.atomic_xchg", kSignature, read_modify_write, "replaces; returns the old values"},
      {"tl.atomic_cas tl.tensor.atomic_cas", "(pointer, cmp, val, sem=None, scope=None)", compare_and_swap,
       "stores val where the element equals cmp; returns the old values"},
  };
  return rows;
}

}  // namespace tilescope::lower
