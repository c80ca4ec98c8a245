// Names: local, then global, then Python's own. Imports and dotted paths end in the builtin table.
#include <algorithm>
#include <cmath>

#include "core/lower/builtins.h"
#include "core/lower/depth_guard.h"
#include "core/lower/lowering.h"

namespace tilescope::lower {
namespace {

/// Other spellings of modules, longest first.
constexpr std::pair<std::string_view, std::string_view> kModules[] = {
    {"triton.language", "tl"},
    {"tl.extra.cuda.libdevice", "libdevice"},
    {"tl.extra.hip.libdevice", "libdevice"},
    {"tl.extra.libdevice", "libdevice"},
    {"tl.libdevice", "libdevice"},
    {"tl.standard", "tl"},
    {"tl.core", "tl"},
    {"tl.random", "tl"},
};

bool is_prefix(std::string_view prefix, std::string_view path) {
  return path.starts_with(prefix) && (path.size() == prefix.size() || path[prefix.size()] == '.');
}

std::string canonical(std::string path) {
  for (auto [from, to] : kModules)
    if (is_prefix(from, path)) path = std::string(to) + path.substr(from.size());
  return path;
}

bool is_known_module(const std::string& path) {
  if (path == "triton" || path == "math" || path == "tl" || path == "libdevice") return true;
  return path.find('.') != std::string::npos && is_prefix(path.substr(0, path.find('.')), "tl") &&
         is_builtin_namespace(path);
}

std::optional<DType> language_dtype(const std::string& name) {
  for (int i = 0; i < kDTypeCount; ++i)
    if (dtype_name(static_cast<DType>(i)) == name) return static_cast<DType>(i);
  return std::nullopt;
}

/// Constants of Python's math module; its functions are in special_forms.cpp.
std::optional<double> math_constant(const std::string& path) {
  if (path == "math.pi") return std::acos(-1.0);
  if (path == "math.e") return std::exp(1.0);
  if (path == "math.tau") return 2 * std::acos(-1.0);
  if (path == "math.inf") return HUGE_VAL;
  if (path == "math.nan") return std::nan("");
  return std::nullopt;
}

/// `X = tl.constexpr(5)` and `X: tl.constexpr = 5` are meant for kernels; `X = 5` is refused by Triton.
bool is_declared_constexpr(const ModuleAssign& a) {
  const auto ends_in_constexpr = [](const Expr* e) {
    return e != nullptr && (e->kind == Expr::Kind::Name || e->kind == Expr::Kind::Attribute) && e->text == "constexpr";
  };
  return ends_in_constexpr(a.annotation) || (a.value->kind == Expr::Kind::Call && ends_in_constexpr(a.value->base));
}

}  // namespace

Value Lowering::lookup(const Expr& name) {
  if (const Binding* local = frame_->scope.find(name.text)) return local->value;
  if (auto gone = frame_->gone.find(name.text); gone != frame_->gone.end()) {
    Diagnostic d = gone->second;
    d.message = "`" + name.text + "` is not defined on every path to here";
    d.range = name.range;
    fail(std::move(d));
  }
  if (auto v = lookup_global(*frame_->module, name.text, name.range)) return *v;
  const std::string path = "py." + name.text;
  if (const Builtin* b = find_builtin(path)) return {BuiltinValue{b, nullptr}, name.range};
  if (const Builtin* b = find_special_form(path)) return {BuiltinValue{b, nullptr}, name.range};
  fail_unknown_name(name);
}

void Lowering::fail_unknown_name(const Expr& name) {
  std::vector<std::string> known = {"range", "min", "max", "len", "float", "int"};
  for (const auto& [n, binding] : frame_->scope.names()) known.push_back(n);
  for (const auto& f : frame_->module->functions) known.push_back(f->name);
  for (const auto& a : frame_->module->assigns) known.push_back(a.name);
  for (const auto& i : frame_->module->imports) known.push_back(i.alias);
  std::string hint;
  const std::string near = closest_name(name.text, known);
  if (!near.empty())
    hint = "did you mean `" + near + "`?";
  else if (name.text == "tl")
    hint = "write `import triton.language as tl` at the top of the file";
  else if (language_dtype(name.text) || find_builtin("tl." + name.text))
    hint = "did you mean tl." + name.text + "?";
  fail(name.range, "`" + name.text + "` is not defined", hint);
}

// ---- globals
// -------------------------------------------------------------------------------------------------------------

std::optional<Value> Lowering::lookup_global(const Module& module, const std::string& name, const SourceRange& use) {
  auto cached = globals_.find({&module, name});
  if (cached != globals_.end()) return cached->second;
  // The last binding in the file wins, as in Python; an import that leads nowhere only when nothing else is left.
  int line = -1;
  std::optional<Value> found;
  const ModuleAssign* assign = nullptr;
  if (const FunctionDef* f = module.find_function(name)) {
    line = f->name_range.line;
    found = Value{FunctionValue{f, &module}, f->name_range};
  }
  for (const ModuleAssign& a : module.assigns) {
    if (a.name != name || a.range.line < line) continue;
    line = a.range.line;
    assign = &a;
    found.reset();
  }
  const Import* unknown = nullptr;
  for (const Import& i : module.imports) {
    if (i.alias != name) continue;
    unknown = &i;
    if (i.range.line < line && !(i.conditional && !found && assign == nullptr)) continue;
    if (auto v = import_value(i)) {
      line = i.range.line;
      found = *v;
      assign = nullptr;
    }
  }
  if (assign != nullptr) found = evaluate_global(module, *assign, use);
  if (found) {
    globals_[{&module, name}] = *found;
    return found;
  }
  if (unknown != nullptr) {
    const std::string from = unknown->module.empty() ? unknown->name : unknown->module;
    fail(use, "`" + name + "` comes from the module " + from + ", which is not part of the kernel language",
         "copy what the kernel needs from it into this file");
  }
  for (const ModuleClass& c : module.classes)
    if (c.name == name) fail(use, "the class `" + name + "` cannot be used in a kernel", "use a tuple: (a, b), t[0]");
  return std::nullopt;
}

std::optional<Value> Lowering::import_value(const Import& import) {
  std::string path = import.module;
  if (import.name.empty()) {
    if (import.alias != import.module && import.module.starts_with(import.alias + ".")) path = import.alias;
  } else {
    path += (path.ends_with('.') ? "" : ".") + import.name;
  }
  return resolve_path(canonical(path));
}

Value Lowering::evaluate_global(const Module& module, const ModuleAssign& assign, const SourceRange& use) {
  if (!evaluating_.insert({&module, assign.name}).second)
    fail(use, "the global `" + assign.name + "` is defined by itself");
  Frame frame;
  frame.module = &module;
  frame.statement = assign.range;
  frame.calls = frame_->calls;
  frame.user_location = frame_->user_location;
  Value v;
  try {
    FrameGuard guard(*this, frame);
    v = eval(*assign.value);
    if (!is_compile_time(v)) fail(assign.value->range, "this is no compile-time value");
  } catch (CompileError& e) {
    evaluating_.erase({&module, assign.name});
    Diagnostic d;
    d.message = "the global `" + assign.name + "` has no value that a kernel can use: " + e.diagnostic.message;
    d.range = use;
    d.labels.push_back({assign.range, "defined here"});
    d.hint = "kernels see globals that are constexprs, types or functions; pass other values as arguments";
    fail(std::move(d));
  }
  evaluating_.erase({&module, assign.name});
  if (v.is_const_scalar() && !in_default_ && !is_declared_constexpr(assign))
    note(use,
         "Triton refuses the plain global `" + assign.name + "`: define it as " + assign.name + " = tl.constexpr(...)");
  return v;
}

// ---- modules
// -------------------------------------------------------------------------------------------------------------

std::optional<Value> Lowering::resolve_path(const std::string& path) {
  if (path.starts_with("tl.")) {
    if (auto t = language_dtype(path.substr(3))) return Value{DTypeValue{*t, false, {}}, {}};
    if (path == "tl.PropagateNan") return Value{ModuleValue{path}, {}};
    if (path.starts_with("tl.PropagateNan.")) {
      if (path != "tl.PropagateNan.ALL" && path != "tl.PropagateNan.NONE") return std::nullopt;
      return Value{EnumValue{path}, {}};
    }
  }
  if (const Builtin* b = find_builtin(path)) return Value{BuiltinValue{b, nullptr}, {}};
  if (const Builtin* b = find_special_form(path)) return Value{BuiltinValue{b, nullptr}, {}};
  if (auto x = math_constant(path)) return Value{*x, {}};
  if (is_known_module(path)) return Value{ModuleValue{path}, {}};
  return std::nullopt;
}

Value Lowering::module_attribute(const ModuleValue& m, const Expr& e) {
  const std::string path = canonical(m.path + "." + e.text);
  if (auto v = resolve_path(path)) return *v;
  std::string near = nearest_builtin(path);
  if (m.path == "tl") {
    std::vector<std::string> names = {"static_range", "static_assert", "static_print", "constexpr", "pointer_type"};
    if (!near.empty()) names.push_back(near);
    for (int i = 0; i < kDTypeCount; ++i) names.emplace_back(dtype_name(static_cast<DType>(i)));
    near = closest_name(e.text, names);
  }
  SourceRange word = e.range;
  if (word.line == word.end_line) word.column = word.end_column - static_cast<int>(e.text.size());
  fail(e.range, "`" + m.path + "` has no `" + e.text + "`",
       near.empty() ? "" : "did you mean " + m.path + "." + near + "?");
}

}  // namespace tilescope::lower
