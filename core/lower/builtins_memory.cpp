// tl.load and tl.store through pointers. Block pointers and descriptors are in builtins_block_pointer.cpp.
#include "core/lower/builtins_memory.h"

#include "core/lower/builtins.h"

namespace tilescope::lower {

void check_memory_hints(Context& c, const Args& args, bool is_store) {
  auto check = [&](const char* name, std::initializer_list<const char*> known) {
    if (!args.has(name)) return;
    std::string given = require_const_string(c, args[name], name), list;
    for (const char* k : known) {
      if (given == k) return;
      list += (list.empty() ? "\"" : ", \"") + std::string(k) + "\"";
    }
    c.fail(args[name].range, std::string(name) + " \"" + given + "\" does not exist", "there are " + list);
  };
  if (is_store)
    check("cache_modifier", {"", ".wb", ".cg", ".cs", ".wt"});
  else
    check("cache_modifier", {"", ".ca", ".cg", ".cv"});
  check("eviction_policy", {"", "evict_last", "evict_first"});
}

namespace {

/// The pointer argument of a load, store or atomic; anything else is refused.
ValueId require_pointer(Context& c, const Value& v, const std::string& what) {
  if (v.is<DescriptorValue>())
    c.fail(v.range, what + " is a tensor descriptor",
           "use its methods: desc.load([row, column]), desc.store([...], value)");
  ValueId id = require_tensor(c, v, what);
  if (!c.type(id).pointer)
    c.fail(v.range, what + " must be a pointer or a tile of pointers, not " + describe(v, c.b().function()),
           "add the offsets to a pointer argument: x_ptr + offsets");
  return id;
}

void refuse_boundary(Context& c, const Args& args, const char* name) {
  const Value& v = args[name];
  bool empty = !args.has(name) || (v.is<std::string>() && v.as<std::string>().empty()) ||
               (v.is<TupleValue>() && v.as<TupleValue>().items.empty());
  if (!empty)
    c.fail(v.range, std::string(name) + " needs a block pointer: plain pointers know no boundary",
           "use mask=, or make a pointer with tl.make_block_ptr");
}

/// A scalar pointer takes scalars only.
void refuse_tile(Context& c, ValueId id, const Value& v, const std::string& what) {
  if (c.type(id).is_tile())
    c.fail(v.range, what + " is a tile of shape " + to_string(c.type(id).shape) + ", but the pointer is a scalar",
           "add tl.arange offsets to the pointer");
}

Value load(Context& c, Call& call) {
  Args args(c, call);
  const Value& pointer = args["pointer"];
  check_memory_hints(c, args, false);
  if (pointer.is<BlockPointerValue>()) return load_block(c, args, call.range);
  ValueId ptr = require_pointer(c, pointer, "the first argument of tl.load");
  refuse_boundary(c, args, "boundary_check");
  refuse_boundary(c, args, "padding_option");
  if (args.has("other") && !args.has("mask"))
    c.fail(args["other"].range, "`other` is given without a mask: no lane would take it", "add mask=, or drop other=");
  ValueId mask = args.has("mask") ? require_mask(c, args["mask"], "mask") : kNoValue;
  ValueId other = args.has("other") ? require_tensor(c, args["other"], "other") : kNoValue;
  const DType elem = c.type(ptr).elem;
  if (other != kNoValue) other = cast_to(c, other, {elem, false}, false, args["other"].range);
  if (c.type(ptr).is_scalar()) {
    if (mask != kNoValue) refuse_tile(c, mask, args["mask"], "the mask");
    if (other != kNoValue) refuse_tile(c, other, args["other"], "`other`");
  } else if (mask != kNoValue) {
    std::vector<Operand> operands = {{ptr, pointer.range}, {mask, args["mask"].range}};
    if (other != kNoValue) operands.push_back({other, args["other"].range});
    Shape shape = common_shape(c, operands, call.range);
    ptr = expand_to(c, ptr, shape);
    mask = expand_to(c, mask, shape);
    if (other != kNoValue) other = expand_to(c, other, shape);
  }
  return make_value(c.b().load(ptr, mask, other), call.range);
}

Value store(Context& c, Call& call) {
  Args args(c, call);
  const Value& pointer = args["pointer"];
  check_memory_hints(c, args, true);
  if (pointer.is<BlockPointerValue>()) return store_block(c, args, call.range);
  ValueId ptr = require_pointer(c, pointer, "the first argument of tl.store");
  refuse_boundary(c, args, "boundary_check");
  ValueId value = require_tensor(c, args["value"], "the stored value");
  ValueId mask = args.has("mask") ? require_mask(c, args["mask"], "mask") : kNoValue;
  const Type type = c.type(ptr);
  if (type.is_scalar()) {
    refuse_tile(c, value, args["value"], "the stored value");
    if (mask != kNoValue) refuse_tile(c, mask, args["mask"], "the mask");
  } else {
    std::vector<Operand> operands = {{ptr, pointer.range}, {value, args["value"].range}};
    if (mask != kNoValue) operands.push_back({mask, args["mask"].range});
    Shape shape = common_shape(c, operands, call.range);
    if (!(shape == type.shape)) {
      Diagnostic d;
      d.message =
          "the pointers have shape " + to_string(type.shape) + ", but what is stored has shape " + to_string(shape);
      d.range = pointer.range;
      d.range_label = "shape " + to_string(type.shape);
      for (size_t i = 1; i < operands.size(); ++i)
        d.labels.push_back({operands[i].range, "shape " + to_string(c.type(operands[i].id).shape)});
      d.hint = "a store never repeats its pointers: each lane would write one address several times";
      fail_with(c, std::move(d));
    }
  }
  value = cast_to(c, value, {type.elem, false}, false, args["value"].range);
  value = expand_to(c, value, type.shape);
  if (mask != kNoValue) mask = expand_to(c, mask, type.shape);
  c.b().store(ptr, value, mask);
  return make_none(call.range);
}

}  // namespace

ValueId require_memory_pointer(Context& c, const Value& v, const std::string& what) {
  return require_pointer(c, v, what);
}

const std::vector<BuiltinRow>& memory_rows() {
  static const std::vector<BuiltinRow> rows = {
      {"tl.load",
       "(pointer, mask=None, other=None, boundary_check=(), padding_option=\"\", cache_modifier=\"\", "
       "eviction_policy=\"\", volatile=False)",
       load, "values at the addresses; masked-off lanes touch no memory and give `other`"},
      {"tl.store tl.tensor.store",
       "(pointer, value, mask=None, boundary_check=(), cache_modifier=\"\", eviction_policy=\"\")", store,
       "writes the value, converted to the pointer's type and repeated to its shape"},
  };
  return rows;
}

}  // namespace tilescope::lower
