// Calls: what the language's functions tell about their arguments, helpers, methods.
#include <algorithm>
#include <unordered_map>

#include "core/guess_walk.h"

namespace tilescope::guessing {

enum class Fn {
  Other, Load, Store, Atomic, Arange, ProgramId, NumPrograms, CDiv, MakeBlockPtr, MakeDescriptor, Advance, Cast, Tile,
  Range, StaticRange, RealMath, Where, Dot, DotScaled, Reduce, ArgReduce, MinMax, Pass, ConstexprCast, PythonInt, PythonFloat, StaticAssert, Assume,
};

namespace {

const std::unordered_map<std::string, Fn>& functions() {
  static const std::unordered_map<std::string, Fn> table = [] {
    std::unordered_map<std::string, Fn> t;
    const auto add = [&](Fn fn, std::initializer_list<const char*> names) {
      for (const char* n : names) t[n] = fn;
    };
    add(Fn::Load, {"load"});
    add(Fn::Store, {"store"});
    add(Fn::Atomic, {"atomic_add", "atomic_max", "atomic_min", "atomic_and", "atomic_or", "atomic_xor", "atomic_xchg", "atomic_cas"});
    add(Fn::Arange, {"arange"});
    add(Fn::ProgramId, {"program_id"});
    add(Fn::NumPrograms, {"num_programs"});
    add(Fn::CDiv, {"cdiv"});
    add(Fn::MakeBlockPtr, {"make_block_ptr"});
    add(Fn::MakeDescriptor, {"make_tensor_descriptor", "_experimental_make_tensor_descriptor"});
    add(Fn::Advance, {"advance"});
    add(Fn::Cast, {"to", "cast"});
    add(Fn::Tile, {"zeros", "full", "empty"});
    add(Fn::Range, {"range"});
    add(Fn::StaticRange, {"static_range"});
    add(Fn::RealMath, {"exp", "exp2", "log", "log2", "sqrt", "sqrt_rn", "rsqrt", "sin", "cos", "tanh", "erf", "sigmoid", "softmax", "fdiv", "div_rn", "pow", "log1p", "expm1", "fast_expf", "tan", "rint", "ceil", "floor", "fma"});
    add(Fn::Where, {"where"});
    add(Fn::Dot, {"dot"});
    add(Fn::DotScaled, {"dot_scaled"});
    add(Fn::MinMax, {"minimum", "maximum", "min", "max"});
    add(Fn::Reduce, {"sum", "cumsum", "reduce", "associative_scan", "cumprod", "xor_sum", "sort", "topk"});
    add(Fn::ArgReduce, {"argmax", "argmin"});
    add(Fn::Pass, {"multiple_of", "max_contiguous", "max_constancy", "reshape", "view", "trans", "permute", "expand_dims", "broadcast_to", "ravel", "broadcast", "abs", "join", "interleave", "cat", "flip", "gather"});
    add(Fn::ConstexprCast, {"constexpr"});
    add(Fn::PythonInt, {"int", "next_power_of_2", "len"});
    add(Fn::PythonFloat, {"float"});
    add(Fn::StaticAssert, {"static_assert", "device_assert", "static_print", "device_print", "print"});
    add(Fn::Assume, {"assume"});
    return t;
  }();
  return table;
}

}  // namespace

const Walk::Argument* Walk::find(const std::vector<Argument>& args, size_t position, std::string_view name) {
  for (const Argument& a : args)
    if (!a.name.empty() && a.name == name) return &a;
  size_t at = 0;
  for (const Argument& a : args)
    if (a.name.empty() && at++ == position) return &a;
  return nullptr;
}

Source Walk::call(const Expr& e) {
  std::vector<Argument> args;
  // A method of a value: the value is the first argument.
  const Expr& callee = *e.base;
  const bool dotted = callee.kind == Expr::Kind::Attribute;
  Source target = dotted ? Source{} : eval(callee);
  bool method = false;
  if (dotted) {
    const Expr* root = callee.base;
    while (root->kind == Expr::Kind::Attribute) root = root->base;
    method = root->kind != Expr::Kind::Name || frame_->names.count(root->text) != 0;
    if (method)
      args.push_back({"", eval(*callee.base), callee.base});
    else
      target = eval(callee);
  }
  for (const Expr* item : e.items) args.push_back({"", eval(*item), item});
  for (const Keyword& k : e.keywords)
    if (k.value != nullptr) args.push_back({k.name, eval(*k.value), k.value});
  if (target.function != nullptr) return inlined(target, args);
  if (target.param >= 0) out_.params[static_cast<size_t>(target.param)].called = true;
  const std::string& text = callee.text;
  if (method && (text == "load" || text == "store" || text == "gather" || text.starts_with("atomic_"))) return descriptor_call(text, args);
  if (text == "atomic_and" || text == "atomic_or" || text == "atomic_xor" || text == "atomic_cas")
    if (!args.empty()) each(args[0].value.bases, [](ParamUse& u) { u.integer_elements = true; });
  return builtin(text, args);
}

Source Walk::descriptor_call(const std::string& text, const std::vector<Argument>& args) {
  const Source& d = args[0].value;
  if (d.param >= 0) {
    out_.params[static_cast<size_t>(d.param)].descriptor = true;
    if (text == "gather" || text == "scatter")
      out_.params[static_cast<size_t>(d.param)].block = {"1", ""};
    else if (const Argument* offsets = find(args, 1, "offsets"))
      learn_block(d.param, offsets->value);
  }
  for (size_t i = 1; i < args.size(); ++i)
    if (args[i].value.items != nullptr)
      for (const Source& x : *args[i].value.items) as_integer(x);
  Source s;
  s.touched = d.touched;
  if (d.base >= 0) {
    s.loaded.set(static_cast<size_t>(d.base));
    (text == "load" || text == "gather" ? out_.params[static_cast<size_t>(d.base)].loaded : out_.params[static_cast<size_t>(d.base)].stored) = true;
  }
  return s;
}

/// The places of a descriptor's blocks are multiples of the block's extents.
void Walk::learn_block(int descriptor, const Source& offsets) {
  std::vector<std::string>& block = out_.params[static_cast<size_t>(descriptor)].block;
  const size_t rank = offsets.items == nullptr ? 1 : offsets.items->size();
  if (block.size() < rank) block.resize(rank);
  for (size_t i = 0; i < rank; ++i) {
    if (!block[i].empty()) continue;
    const Source& at = offsets.items == nullptr ? offsets : (*offsets.items)[i];
    if (at.scale >= 0 && is_constexpr_param(kernel_.params[static_cast<size_t>(at.scale)])) block[i] = param_name(at.scale);
  }
}

Source Walk::inlined(const Source& target, const std::vector<Argument>& args) {
  Source all;
  for (const Argument& a : args) merge(all, a.value);
  if (depth_ >= kMaxCalls || steps_ > kMaxSteps) return all;
  const FunctionDef& f = *target.function;
  Frame frame{target.function_module, {}, {}, false, {}, 0};
  size_t next = 0;
  for (const Argument& a : args) {
    if (!a.name.empty()) {
      frame.names[a.name] = a.value;
    } else if (next < f.params.size()) {
      frame.names[f.params[next++].name] = a.value;
    }
  }
  for (const FunctionParam& p : f.params) {
    if (frame.names.count(p.name)) continue;
    Source s;
    if (p.default_value != nullptr && p.default_value->kind == Expr::Kind::Float) s.real = true;
    frame.names[p.name] = s;
  }
  ++depth_;
  Frame* outer = frame_;
  frame_ = &frame;
  block(f.body);
  frame_ = outer;
  --depth_;
  Source out = frame.result;
  out.touched |= all.touched;
  return out;
}

/// tl.dot_scaled's left operand, its scales and its format, or from 3 on the right one's.
void Walk::scaled_operand(const std::vector<Argument>& args, size_t at) {
  const Argument* format = find(args, at + 2, at == 0 ? "lhs_format" : "rhs_format");
  if (format == nullptr) return;
  if (format->value.param >= 0) out_.params[static_cast<size_t>(format->value.param)].option = "e4m3";
  const std::string name = format->expr->kind == Expr::Kind::Str ? format->expr->text : format->value.param >= 0 ? "e4m3" : "";
  const std::optional<DType> type = name == "e4m3"   ? std::optional(DType::Float8E4NV)
                                    : name == "e5m2" ? std::optional(DType::Float8E5)
                                    : name == "e2m1" ? std::optional(DType::UInt8)
                                    : name == "fp16" ? std::optional(DType::Float16)
                                    : name == "bf16" ? std::optional(DType::BFloat16)
                                                     : std::nullopt;
  if (!type) return;
  if (const Argument* x = find(args, at, at == 0 ? "lhs" : "rhs"))
    each(x->value.loaded, [&](ParamUse& u) { u.elements = *type; });
  if (const Argument* scale = find(args, at + 1, at == 0 ? "lhs_scale" : "rhs_scale"))
    each(scale->value.loaded, [](ParamUse& u) { u.elements = DType::UInt8; });
}

// ---- functions of the language: each gets its arguments, and all of them merged

Source Walk::memory_call(Fn fn, const std::vector<Argument>& args) {
  Source out;
  const Argument* p = find(args, 0, "pointer");
  const bool load = fn != Fn::Store, store = fn != Fn::Load;
  if (p != nullptr) out = as_address(p->value, load, store);
  if (fn == Fn::Atomic) return out;
  if (const Argument* mask = find(args, load ? 1 : 2, "mask")) as_truth(mask->value);
  if (const Argument* other = load ? find(args, 2, "other") : nullptr; other != nullptr && other->value.real)
    each(out.loaded, [](ParamUse& u) { u.real_elements = true; });
  return store ? Source{} : out;
}

Source Walk::grid_call(Fn fn, const std::vector<Argument>& args) {
  Source out;
  const Argument* axis = find(args, 0, "axis");
  const uint64_t n = axis != nullptr && axis->expr->kind == Expr::Kind::Int ? axis->expr->integer : 0;
  if (n < 3) {
    out_.axes[n] = true;
    if (fn == Fn::ProgramId) out.axes = static_cast<uint8_t>(1 << n);
  }
  out.index = true;
  return out;
}

Source Walk::cdiv_call(const std::vector<Argument>& args, const Source& all) {
  if (args.size() == 2 && args[0].value.param >= 0 && args[1].value.param >= 0) {
    AxisUse use{param_name(args[0].value.param), param_name(args[1].value.param)};
    if (std::none_of(out_.cdivs.begin(), out_.cdivs.end(), [&](const AxisUse& x) { return x.limit == use.limit && x.block == use.block; }))
      out_.cdivs.push_back(std::move(use));
  }
  for (const Argument& a : args) as_bound(a.value);
  Source out;
  out.index = true;
  out.axes = all.axes;
  out.factors = all.added | all.factors;
  out.loaded = all.loaded;
  return out;
}

/// tl.make_block_ptr, tl.make_tensor_descriptor.
Source Walk::made_pointer(Fn fn, const std::vector<Argument>& args) {
  const Argument* base = find(args, 0, "base");
  if (base == nullptr) return {};
  Source out = base->value;
  if (out.base >= 0) out_.params[static_cast<size_t>(out.base)].loaded = true;
  for (const Argument& a : args) {
    if (&a == base || a.value.items == nullptr) continue;
    if (a.name == "block_shape" || &a == find(args, fn == Fn::MakeBlockPtr ? 4 : 3, "block_shape")) as_extent(a.value);
    for (const Source& x : *a.value.items) as_integer(x);
  }
  out.param = -1;
  return out;
}

Source Walk::cast_call(const std::vector<Argument>& args) {
  Source out = args.empty() ? Source{} : args[0].value;
  const Source from = out;
  out.param = -1;
  const Argument* to = find(args, 1, "dtype");
  if (to == nullptr) return out;
  as_dtype(to->value);
  if (to->expr->kind == Expr::Kind::Call && to->expr->base->text == "pointer_type") {
    if (from.base < 0) each(from.loaded, [](ParamUse& u) { u.pointer_elements = true; });
    out.pointer = true;
    return out;
  }
  const std::string& t = to->expr->text;
  if (to->expr->kind != Expr::Kind::Attribute || !is_dtype_name(t)) return out;
  out.real = t.starts_with("float") || t.starts_with("bfloat");
  out.index = !out.real;
  if (out.real) out.base = -1;
  else if (!from.real) each(from.loaded, [](ParamUse& u) { u.maybe_integer_elements = true; });
  return out;
}

Source Walk::range_call(Fn fn, const std::vector<Argument>& args, const Source& all) {
  for (const Argument& a : args) {
    if (!a.name.empty() && a.name != "start" && a.name != "end" && a.name != "step") continue;
    as_bound(a.value);
    if (fn == Fn::StaticRange) each(a.value.touched, [](ParamUse& u) { u.unrolled = true; });
  }
  Source out;
  out.index = true;
  out.axes = all.axes;
  if (const Argument* step = find(args, 2, "step")) out.scale = step->value.param;
  return out;
}

Source Walk::where_call(const std::vector<Argument>& args) {
  if (const Argument* c = find(args, 0, "condition")) as_truth(c->value);
  Source out;
  for (size_t i = 1; i < args.size(); ++i) merge(out, args[i].value);
  if (args.size() > 2) {
    if (args[1].value.real && args[2].value.param >= 0) as_real(args[2].value);
    if (args[2].value.real && args[1].value.param >= 0) as_real(args[1].value);
  }
  out.param = -1;
  return out;
}

Source Walk::dot_call(Fn fn, const std::vector<Argument>& args, const Source& all) {
  if (fn == Fn::DotScaled)
    for (size_t operand : {size_t{0}, size_t{3}}) scaled_operand(args, operand);
  else if (const Argument* d = find(args, 5, "out_dtype")) as_dtype(d->value);
  Source out;
  out.loaded = all.loaded;
  out.real = true;
  return out;
}

/// Arithmetic: what comes out is made of all arguments.
Source Walk::value_call(Fn fn, const std::vector<Argument>& args, Source all) {
  if (fn == Fn::RealMath) {
    as_real(all);
    for (const Argument& a : args)
      if (a.value.param >= 0 && a.name.empty()) as_real(a.value);
    all.real = true, all.index = false, all.base = -1;
    return all;
  }
  if (fn == Fn::PythonInt) {
    all.index = true;
    return all;
  }
  if (fn == Fn::MinMax) {
    for (const Argument& a : args) as_number(a.value);
    all.base = -1;
    all.bases.reset();
    all.factors |= all.added;
    all.added.reset();
  } else {
    all.truth = false;
  }
  all.items = nullptr;
  return all;
}

/// What keywords say whatever the function is.
void Walk::keywords(const std::string& name, const std::vector<Argument>& args) {
  for (const Argument& a : args) {
    if (a.name == "mask") as_truth(a.value);
    if (a.name == "dtype" || a.name == "out_dtype") as_dtype(a.value);
    if (a.value.param >= 0) as_option(a.name, out_.params[static_cast<size_t>(a.value.param)]);
  }
  if (name == "len" && args.size() == 1 && args[0].value.param >= 0) out_.params[static_cast<size_t>(args[0].value.param)].indexed = true;
}

Source Walk::builtin(const std::string& name, const std::vector<Argument>& args) {
  const auto row = functions().find(name);
  const Fn fn = row == functions().end() ? Fn::Other : row->second;
  Source all;
  for (const Argument& a : args) merge(all, a.value);
  all.param = -1;
  keywords(name, args);
  if (fn == Fn::Advance) {
    if (args.size() > 1 && args[1].value.items != nullptr)
      for (const Source& x : *args[1].value.items) as_integer(x);
    return args.empty() ? Source{} : args[0].value;
  }
  Source out = known_call(fn, args, all);
  out.touched = all.touched;
  return out;
}

Source Walk::known_call(Fn fn, const std::vector<Argument>& args, const Source& all) {
  Source out;
  switch (fn) {
    case Fn::Load:
    case Fn::Store:
    case Fn::Atomic: return memory_call(fn, args);
    case Fn::Arange:
      for (const Argument& a : args) {
        as_extent(a.value);
        if (a.value.param >= 0) out.extent = a.value.param;
      }
      out.index = true;
      out.plain = {{out.extent, out.axes}};
      return out;
    case Fn::ProgramId:
    case Fn::NumPrograms: return grid_call(fn, args);
    case Fn::CDiv: return cdiv_call(args, all);
    case Fn::MakeBlockPtr:
    case Fn::MakeDescriptor: return made_pointer(fn, args);
    case Fn::Cast: return cast_call(args);
    case Fn::Tile:
      if (const Argument* shape = find(args, 0, "shape")) as_extent(shape->value);
      if (const Argument* d = find(args, args.size() > 2 && args[1].name.empty() ? 2 : 1, "dtype")) as_dtype(d->value);
      return out;
    case Fn::Range:
    case Fn::StaticRange: return range_call(fn, args, all);
    case Fn::Where: return where_call(args);
    case Fn::Dot:
    case Fn::DotScaled: return dot_call(fn, args, all);
    case Fn::ArgReduce: out.index = true; return out;  // a place, whatever the elements are
    case Fn::PythonFloat: out.real = true; return out;
    case Fn::StaticAssert:
    case Fn::Assume: return out;
    default: return value_call(fn, args, all);
  }
}

}  // namespace tilescope::guessing
