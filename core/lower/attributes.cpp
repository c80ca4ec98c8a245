// Attributes: x.dtype, x.shape, x.T, x.type.element_ty, dtype methods, and methods from the builtin table.
#include "core/lower/builtins.h"
#include "core/lower/depth_guard.h"
#include "core/lower/lowering.h"

namespace tilescope::lower {
namespace {

Value integer(int64_t n) { return {static_cast<ConstInt>(n), {}}; }
Value dtype(DType t, bool pointer = false) { return {DTypeValue{t, pointer, {}}, {}}; }

Value shape_tuple(const Shape& s) {
  TupleValue t;
  for (int i = 0; i < s.rank; ++i) t.items.push_back(integer(s[i]));
  return {std::move(t), {}};
}

Value leaves_tuple(const std::vector<ValueId>& ids) {
  TupleValue t;
  for (ValueId id : ids) t.items.push_back({TensorValue{id}, {}});
  return {std::move(t), {}};
}

int mantissa_width(DType t) {
  switch (t) {
    case DType::Float8E4NV:
      return 3;
    case DType::Float8E5:
      return 2;
    case DType::Float16:
      return 10;
    case DType::BFloat16:
      return 7;
    case DType::Float32:
      return 23;
    default:
      return 52;
  }
}

/// What a type's yes-or-no method answers, or nothing when there is no such method.
std::optional<bool> type_question(const DTypeValue& d, const std::string& name) {
  const DType t = d.dtype;
  const bool plain = !d.pointer && d.shape.rank == 0;
  if (name == "is_ptr") return d.pointer && d.shape.rank == 0;
  if (name == "is_block") return d.shape.rank > 0;
  if (name == "is_const") return false;
  if (name == "is_void") return false;
  if (name == "is_floating") return plain && is_float(t);
  if (name == "is_standard_floating") return plain && is_float(t) && dtype_bits(t) > 8;
  if (name == "is_int") return plain && is_int(t);
  if (name == "is_bool") return plain && is_bool(t);
  if (name == "is_int_signed") return plain && is_signed_int(t);
  if (name == "is_int_unsigned") return plain && is_int(t) && !is_signed_int(t);
  if (name == "is_fp8") return plain && is_float(t) && dtype_bits(t) == 8;
  if (!name.starts_with("is_")) return std::nullopt;
  for (const char* absent : {"fp8e4b15", "fp8e4b8", "fp8e5b16"})
    if (name.substr(3) == absent) return false;
  for (int i = 0; i < kDTypeCount; ++i) {
    const Value known = dtype(static_cast<DType>(i));
    if (python_str(known) == name.substr(3)) return plain && t == static_cast<DType>(i);
  }
  return std::nullopt;
}

std::optional<Value> dtype_attribute(const DTypeValue& d, const std::string& name) {
  const bool block = d.shape.rank > 0;
  if (name == "element_ty") {
    if (block) return dtype(d.dtype, d.pointer);
    if (d.pointer) return dtype(d.dtype);
    return std::nullopt;
  }
  if (name == "scalar" || name == "dtype") return dtype(d.dtype, d.pointer);
  if (name == "shape" && block) return shape_tuple(d.shape);
  if (name == "numel" && block) return integer(d.shape.elements());
  if (name == "primitive_bitwidth") return integer(d.pointer ? 64 : dtype_bits(d.dtype));
  if (name == "itemsize") return integer(d.pointer ? 8 : dtype_bits(d.dtype) / 8);
  if (name == "int_bitwidth" && !d.pointer && is_int(d.dtype)) return integer(dtype_bits(d.dtype));
  if (name == "fp_mantissa_width" && !d.pointer && is_float(d.dtype)) return integer(mantissa_width(d.dtype));
  if (name == "name") return Value{python_str(dtype(d.dtype, d.pointer)), {}};
  return std::nullopt;
}

Value type_of(const Type& t) { return {DTypeValue{t.elem, t.pointer, t.shape}, {}}; }

/// A question such as is_floating() is answered by its Builtin; its name is the end of the path.
Value answer_question(Context& c, Call& call) {
  const std::string name = call.builtin->path.substr(call.builtin->path.rfind('.') + 1);
  if (call.args.size() != 1) c.fail(call.range, "." + name + "() takes no arguments");
  return {*type_question(call.args[0].value.as<DTypeValue>(), name), call.range};
}

/// Rows for the questions that types answer, made on first use.
const Builtin* question_row(const std::string& name) {
  static const std::map<std::string, Builtin>* rows = [] {
    auto* out = new std::map<std::string, Builtin>;
    std::vector<std::string> names = {
        "ptr",  "block",      "const",        "void", "floating", "standard_floating", "int",
        "bool", "int_signed", "int_unsigned", "fp8",  "fp8e4b15", "fp8e4b8",           "fp8e5b16"};
    for (int i = 0; i < kDTypeCount; ++i) names.push_back(python_str(dtype(static_cast<DType>(i))));
    for (const std::string& n : names)
      (*out)["is_" + n] = {"tl.dtype.is_" + n, "(self)", answer_question, "asks a type about itself"};
    return out;
  }();
  auto it = rows->find(name);
  return it == rows->end() ? nullptr : &it->second;
}

std::vector<std::string> attribute_names(const Value& base) {
  std::vector<std::string> names = {"dtype", "shape", "type", "T", "numel"};
  if (base.is<DTypeValue>())
    names = {"element_ty", "scalar", "primitive_bitwidth", "itemsize", "int_bitwidth", "is_floating",
             "is_int",     "is_ptr"};
  if (base.is<DescriptorValue>()) names = {"dtype", "shape", "strides", "block_shape", "load", "store"};
  return names;
}

std::string method_prefix(const Value& base) {
  return base.is<DescriptorValue>() ? "tl.tensor_descriptor." : base.is<DTypeValue>() ? "tl.dtype." : "tl.tensor.";
}

}  // namespace

Value Lowering::eval_attribute(const Expr& e) {
  if (auto file = dotted_import(e)) return *file;
  const Value base = eval(*e.base);
  if (base.is<ModuleValue>()) return module_attribute(base.as<ModuleValue>(), e);
  set_location(e.range);
  if (base.is<ClassValue>())
    if (auto v = class_attribute(base.as<ClassValue>(), e.text, e.range)) return *v;
  if (auto v = find_attribute(base, e.text)) return *v;
  const std::string prefix = method_prefix(base);
  const bool has_methods = !base.is<TupleValue>() && !base.is<std::string>() && !base.is<NoneValue>() &&
                           !base.is<FunctionValue>() && !base.is<EnumValue>() && !base.is<BuiltinValue>();
  if (has_methods) {
    const Builtin* method = find_builtin(prefix + e.text);
    if (method == nullptr && base.is<DTypeValue>()) method = question_row(e.text);
    if (method != nullptr) {
      Value self = base;
      // Triton gives Python numbers no methods; a specialised argument that is 1 should not break x.to(...).
      if (self.is_const_number()) self = run_time_form(self, "");
      return {BuiltinValue{method, std::make_shared<Value>(std::move(self))}, e.range};
    }
  }
  std::vector<std::string> names = attribute_names(base);
  if (const std::string near = has_methods ? nearest_builtin(prefix + e.text) : ""; !near.empty())
    names.push_back(near);
  std::string hint;
  const std::string near = closest_name(e.text, names);
  if (!near.empty())
    hint = "did you mean ." + near + "?";
  else if (base.is_tensor() && (e.text == "element_ty" || e.text == "item"))
    hint = "write x.dtype.element_ty";
  else if (base.is_tensor() && type(base.as<TensorValue>().id).pointer && (e.text == "load" || e.text == "block_shape"))
    hint = "for a tensor descriptor give the argument a block: \"descriptor\": [64, 64], or f16[128,128]:block(64,64)";
  fail(e.range, describe(base, function_) + " has no attribute `" + e.text + "`", hint);
}

std::optional<Value> Lowering::find_attribute(const Value& base, const std::string& name) {
  // Python code sees what a constexpr wraps; here they are one thing.
  if (name == "value" && !base.is<TupleValue>() && is_compile_time(base)) return base;
  if (base.is_tensor()) {
    const ValueId id = base.as<TensorValue>().id;
    const Type t = type(id);
    if (name == "dtype") return dtype(t.elem, t.pointer);
    if (name == "type") return type_of(t);
    if (name == "shape") return shape_tuple(t.shape);
    if (name == "numel") return integer(t.elements());
    if (name == "T") {
      if (t.shape.rank != 2)
        fail(base.range, ".T transposes tiles of rank 2, this is " + describe(base, function_),
             "use tl.permute(x, ...)");
      return Value{TensorValue{b().trans(id, {1, 0})}, {}};
    }
    return std::nullopt;
  }
  if (base.is<DTypeValue>()) return dtype_attribute(base.as<DTypeValue>(), name);
  if (base.is<BlockPointerValue>()) {
    const auto& p = base.as<BlockPointerValue>();
    if (name == "dtype") return dtype(type(p.base).elem, true);
    if (name == "type") return Value{DTypeValue{type(p.base).elem, true, {}}, {}};
    if (name == "shape") return shape_tuple(p.block);
    return std::nullopt;
  }
  if (base.is<DescriptorValue>()) {
    const auto& d = base.as<DescriptorValue>();
    if (name == "dtype") return dtype(type(d.base).elem);
    if (name == "block_shape") return shape_tuple(d.block);
    if (name == "shape") {  // int32, as in Triton
      std::vector<ValueId> shape;
      for (ValueId n : d.shape) shape.push_back(b().cast(n, DType::Int32));
      return leaves_tuple(shape);
    }
    if (name == "strides") return leaves_tuple(d.strides);
    return std::nullopt;
  }
  if (base.is<TupleValue>()) {
    const auto& t = base.as<TupleValue>();
    for (size_t i = 0; i < t.fields.size() && i < t.items.size(); ++i)
      if (t.fields[i] == name) return t.items[i];
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace tilescope::lower
