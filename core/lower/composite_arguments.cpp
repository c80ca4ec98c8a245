// Arguments of a launch that are more than one value: tuples, whose items a launch names x[0], x[1], x[1][0] ..., and
// functions, which it names as "@relu".
#include <algorithm>

#include "core/lower/builtins.h"
#include "core/lower/lowering.h"
#include "core/lower/module_names.h"

namespace tilescope::lower {
namespace {

constexpr int kMaxTupleDepth = 8;

}  // namespace

std::string parameter_of_argument(const std::string& name) { return name.substr(0, name.find('[')); }

bool Lowering::has_items(const CompileRequest& request, const std::string& prefix) {
  return std::any_of(request.args.begin(), request.args.end(), [&](const CompileArg& a) {
    return a.name.size() > prefix.size() && a.name.starts_with(prefix) && a.name[prefix.size()] == '[';
  });
}

/// The items of the tuple `name`, in order. "x[]" is a tuple without items.
Value Lowering::tuple_argument(const FunctionDef& kernel, const FunctionParam& p, const std::string& name,
                               const CompileRequest& request, int depth) {
  if (depth > kMaxTupleDepth) fail(p.range, "the argument `" + p.name + "` has tuples nested more than 8 deep");
  const auto find = [&](const std::string& wanted) {
    const auto at = std::find_if(request.args.begin(), request.args.end(), [&](const CompileArg& a) { return a.name == wanted; });
    return at == request.args.end() ? nullptr : &*at;
  };
  TupleValue t;
  size_t found = find(name + "[]") != nullptr ? 1 : 0;
  const auto inside = static_cast<size_t>(std::count_if(request.args.begin(), request.args.end(), [&](const CompileArg& a) { return a.name.starts_with(name + "["); }));
  for (size_t i = 0;; ++i) {
    const std::string item = name + "[" + std::to_string(i) + "]";
    const CompileArg* arg = find(item);
    const bool nested = has_items(request, item);
    if (arg == nullptr && !nested) break;
    if (arg != nullptr && nested) fail(p.range, "the argument `" + item + "` is given twice: as a value and as a tuple");
    if (t.items.size() >= kMaxTupleItems) fail(p.range, "the tuple `" + name + "` has more than 1024 items");
    found += arg != nullptr ? 1 : static_cast<size_t>(std::count_if(request.args.begin(), request.args.end(), [&](const CompileArg& a) { return a.name.starts_with(item + "["); }));
    Value v;
    if (nested) {
      v = tuple_argument(kernel, p, item, request, depth + 1);
    } else {
      if (const auto* pointer = std::get_if<PointerArg>(&arg->value); pointer != nullptr && !pointer->block.empty())
        fail(p.range, "a tensor descriptor cannot be an item of the tuple `" + name + "` here", "pass it as an argument of its own");
      FunctionParam one = p;
      one.name = item;
      v = kernel_param(kernel, one, *arg);
    }
    v.range = p.range;
    t.items.push_back(std::move(v));
  }
  if (found != inside)
    fail(p.range, "the items of the tuple `" + name + "` must be numbered from 0 without a gap; it has " + std::to_string(t.items.size()) + " in order");
  return {std::move(t), p.range};
}

/// "@relu": a function of the kernel's file, or one that it imports; "@tl.exp" works too.
Value Lowering::function_argument(const FunctionDef& kernel, const FunctionParam& p, const std::string& name) {
  const size_t dot = name.find('.');
  std::optional<Value> v = lookup_global(user_module_, kernel.scope, name.substr(0, dot), p.range);
  if (v && dot != std::string::npos) {
    const std::string rest = name.substr(dot + 1);
    v = v->is<ModuleValue>() && v->as<ModuleValue>().file == nullptr ? resolve_path(canonical_module(v->as<ModuleValue>().path + "." + rest)) : std::nullopt;
  }
  if (v && (v->is<FunctionValue>() || v->is<BuiltinValue>())) return *v;
  std::vector<std::string> known;
  for (const auto& f : user_module_.functions)
    if (f->is_jit) known.push_back(f->name);
  const std::string near = closest_name(name, known);
  fail(p.range, "the argument `" + p.name + "` is the function `" + name.substr(0, 80) + "`, which the kernel's file does not have",
       near.empty() ? "name a function with @triton.jit of that file, or one that it imports" : "did you mean `@" + near + "`?");
}

}  // namespace tilescope::lower
