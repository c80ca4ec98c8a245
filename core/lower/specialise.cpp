// The kernel's parameters from the arguments of a launch, by Triton's rules: constexpr by annotation, None and an
// integer equal to 1 folded away, the other integers by their size, divisibility by 16.
#include <algorithm>
#include <tuple>

#include "core/lower/builtins.h"
#include "core/lower/depth_guard.h"
#include "core/lower/lowering.h"
#include "core/syntax/parser.h"

namespace tilescope::lower {
namespace {

std::string arg_kind(const CompileArg& a) {
  static const char* const names[] = {"a tensor", "an integer", "a float", "a bool", "None", "a string"};
  return names[a.value.index()];
}

ConstInt int_value(const IntArg& a) {
  return a.is_u64 ? static_cast<ConstInt>(static_cast<uint64_t>(a.value)) : static_cast<ConstInt>(a.value);
}

DType int_arg_type(const IntArg& a) {
  if (a.is_u64) return DType::UInt64;
  return a.value >= INT32_MIN && a.value <= INT32_MAX ? DType::Int32 : DType::Int64;
}

/// Whether @triton.jit(keyword=[...]) lists the parameter by name or position.
bool listed(const FunctionDef& kernel, const std::string& keyword, const FunctionParam& p) {
  uint64_t position = 0;
  while (position < kernel.params.size() && kernel.params[position].name != p.name) ++position;
  for (const Expr* d : kernel.decorators)
    for (const Keyword& k : d->keywords) {
      if (k.name != keyword) continue;
      for (const Expr* item : k.value->items)
        if ((item->kind == Expr::Kind::Str && item->text == p.name) ||
            (item->kind == Expr::Kind::Int && item->integer == position))
          return true;
    }
  return false;
}

/// "i64", "fp32", "int64_t", "tl.int64": the element type that an annotation names.
std::optional<DType> named_type(std::string name) {
  if (name.starts_with("tl.")) name = name.substr(3);
  if (name.ends_with("_t")) name = name.substr(0, name.size() - 2);
  if (name == "u1" || name == "i1" || name == "bool") return DType::Int1;
  return parse_dtype(name);
}

Value folded(const CompileArg& a) {
  if (auto* n = std::get_if<IntArg>(&a.value)) return {int_value(*n), {}};
  if (auto* x = std::get_if<FloatArg>(&a.value)) return {x->value, {}};
  if (auto* b = std::get_if<BoolArg>(&a.value)) return {b->value, {}};
  if (auto* s = std::get_if<StringArg>(&a.value)) {
    // Launch files have no types as values: "tl.float16" is the type, "float16" a text.
    if (s->value.starts_with("tl."))
      if (const std::optional<DType> t = parse_dtype(s->value.substr(3))) return {DTypeValue{*t, false, {}}, {}};
    return {s->value, {}};
  }
  return {NoneValue{}, {}};
}

}  // namespace

std::optional<DType> Lowering::annotated_type(const FunctionParam& p) const {
  const Expr* e = p.annotation;
  if (e == nullptr) return std::nullopt;
  if (e->kind == Expr::Kind::Str) return named_type(e->text);
  if (e->kind != Expr::Kind::Attribute && e->kind != Expr::Kind::Name) return std::nullopt;
  if (e->kind == Expr::Kind::Name && (e->text == "int" || e->text == "float")) return std::nullopt;
  return named_type(e->text);
}

Value Lowering::kernel_param(const FunctionDef& kernel, const FunctionParam& p, const CompileArg& arg) {
  const auto wrong = [&](const std::string& expected, std::string hint) {
    fail(p.range, "the argument `" + p.name + "` is " + arg_kind(arg) + ", but the kernel needs " + expected, hint);
  };
  if (is_constexpr_param(p)) {
    if (std::holds_alternative<PointerArg>(arg.value)) wrong("a constexpr", "give a number, a string, a bool or None");
    if (const auto* text = std::get_if<StringArg>(&arg.value); text != nullptr && text->value.starts_with('@') && text->value.size() > 1)
      return function_argument(kernel, p, text->value.substr(1));
    return folded(arg);
  }
  if (std::holds_alternative<StringArg>(arg.value))
    wrong("a run-time value", "annotate the parameter: " + p.name + ": tl.constexpr");
  if (std::holds_alternative<NoneArg>(arg.value)) return {NoneValue{}, p.range};
  if (auto* pointer = std::get_if<PointerArg>(&arg.value)) {
    if (!pointer->block.empty())  // a kernel of a file has it from bind_kernel_params
      fail(p.range, "the argument `" + p.name + "` is a tensor descriptor, but the kernel declares something else",
           "declare it with k.descriptor, or pass the tensor without blocks");
    const bool aligned = pointer->divisible_by % 16 == 0 && !listed(kernel, "do_not_specialize", p) &&
                         !listed(kernel, "do_not_specialize_on_alignment", p);
    return {TensorValue{builder_->param(p.name, Type::pointer_to(pointer->elem), aligned ? 16 : 1)}, p.range};
  }
  const std::optional<DType> annotated = annotated_type(p);
  DType t = DType::Float32;
  int64_t divisible = 1;
  if (auto* n = std::get_if<IntArg>(&arg.value)) {
    const bool specialise = !listed(kernel, "do_not_specialize", p);
    t = annotated.value_or(int_arg_type(*n));
    if (n->value == 1 && !n->is_u64 && specialise && !annotated) return {ConstInt{1}, p.range};
    const bool aligned = specialise && !listed(kernel, "do_not_specialize_on_alignment", p) && is_int(t);
    if (aligned && n->value % 16 == 0) divisible = 16;
  } else if (std::holds_alternative<BoolArg>(arg.value)) {
    t = annotated.value_or(DType::Int1);
  } else {
    t = annotated.value_or(DType::Float32);
    if (is_int(t)) wrong("an integer (its annotation)", "");
  }
  return {TensorValue{builder_->param(p.name, Type::scalar(t), divisible)}, p.range};
}

void Lowering::bind_kernel_params(const FunctionDef& kernel, const CompileRequest& request) {
  std::vector<std::string> names;
  for (const FunctionParam& p : kernel.params) names.push_back(p.name);
  std::set<std::string> given;
  for (const CompileArg& a : request.args) {
    if (std::find(names.begin(), names.end(), parameter_of_argument(a.name)) == names.end()) {
      const std::string near = closest_name(a.name, names);
      std::string hint = near.empty() ? "" : "did you mean `" + near + "`?";
      if (near.empty() && !names.empty()) {
        hint = "its parameters are";
        for (size_t i = 0; i < names.size(); ++i) hint += (i ? ", " : " ") + names[i];
      }
      fail(kernel.name_range, "the kernel `" + kernel.name + "` has no parameter `" + a.name + "`", hint);
    }
    if (!given.insert(a.name).second) fail(kernel.name_range, "the argument `" + a.name + "` is given twice");
  }
  std::vector<std::tuple<const FunctionParam*, Value, const PointerArg*>> descriptors;
  for (const FunctionParam& p : kernel.params) {
    if (p.kind >= FunctionParam::Kind::VarArgs) fail(p.range, "a kernel cannot have *args or **kwargs");
    auto arg = std::find_if(request.args.begin(), request.args.end(), [&](const auto& a) { return a.name == p.name; });
    Value v;
    const auto* tensor = arg == request.args.end() ? nullptr : std::get_if<PointerArg>(&arg->value);
    if (tensor != nullptr && !tensor->block.empty() && !is_constexpr_param(p)) {
      descriptors.emplace_back(&p, host_descriptor(kernel, p, *tensor, request), tensor);
      continue;
    } else if (const bool items = has_items(request, p.name); arg != request.args.end()) {
      if (items) fail(p.range, "the argument `" + p.name + "` is given twice: as a value and as a tuple");
      v = kernel_param(kernel, p, *arg);
    } else if (items) {
      v = tuple_argument(kernel, p, p.name, request);
    } else if (p.default_value != nullptr) {
      v = default_value(user_module_, kernel.scope, *p.default_value);  // folded: a launch that leaves it out has no value to pass
    } else {
      fail(p.range, "the argument `" + p.name + "` of `" + kernel.name + "` is missing");
    }
    v.range = p.range;
    if (is_compile_time(v)) function_.constexprs.emplace_back(p.name, python_str(v));
    frame_->scope.set(p.name, {v, p.range, is_constexpr_param(p)});
  }
  // Constants come behind the parameters.
  for (auto& [p, v, tensor] : descriptors) {
    auto& d = v.as<DescriptorValue>();
    for (int64_t n : tensor->shape) d.shape.push_back(builder_->constant_int(Type::scalar(DType::Int64), n));
    for (int64_t n : tensor->strides) d.strides.push_back(builder_->constant_int(Type::scalar(DType::Int64), n));
    frame_->scope.set(p->name, {v, p->range, false});
  }
}

void Lowering::lower_kernel(const FunctionDef& kernel, const CompileRequest& request) {
  Frame frame;
  frame.def = &kernel;
  frame.module = &user_module_;
  frame.host_scope = kernel.scope;
  frame.statement = kernel.range;
  FrameGuard guard(*this, frame);
  set_location(kernel.range);
  reach_kernel(kernel);
  bind_kernel_params(kernel, request);
  const Flow flow = exec_block(kernel.body, true);
  if (!flow.result.is<NoneValue>() && flow.where.valid())
    note(flow.where, "a kernel has nobody to return a value to: it is dropped");
  set_location(kernel.range);
  builder_->create(OpCode::Return, {}, {});
}

}  // namespace tilescope::lower
