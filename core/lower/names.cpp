// Names: local, then global, then Python's own. Dotted paths end in the builtin table.
#include <algorithm>
#include <cmath>

#include "core/host_changes.h"
#include "core/host_facts.h"
#include "core/lower/builtins.h"
#include "core/lower/depth_guard.h"
#include "core/lower/lowering.h"
#include "core/lower/module_names.h"
#include "core/words.h"

namespace tilescope::lower {
namespace {

bool is_known_module(const std::string& path) {
  for (const char* known : {"triton", "math", "tl", "libdevice", "torch", "numpy"})
    if (path == known) return true;
  for (const char* host : {"os", "os.environ", "packaging", "packaging.version", "typing"})  // of what conditions ask
    if (path == host) return true;
  return path.find('.') != std::string::npos && is_module_prefix(path.substr(0, path.find('.')), "tl") &&
         is_builtin_namespace(path);
}

std::optional<DType> language_dtype(const std::string& name) {
  for (int i = 0; i < kDTypeCount; ++i)
    if (dtype_name(static_cast<DType>(i)) == name) return static_cast<DType>(i);
  return std::nullopt;
}

/// Types that real Triton has for other GPUs: kernels compare with them, and nothing here has them.
bool is_foreign_dtype(const std::string& name) {
  return name == "float8e4b8" || name == "float8e4b15" || name == "float8e5b16";
}

/// PyTorch's names of element types, as constants of the file use them: torch.finfo(torch.float16).max.
std::optional<DType> torch_dtype(const std::string& name) {
  static constexpr std::pair<const char*, DType> kNames[] = {
      {"half", DType::Float16},  {"float", DType::Float32}, {"double", DType::Float64}, {"bool", DType::Int1},
      {"short", DType::Int16},   {"int", DType::Int32},     {"long", DType::Int64},     {"float8_e4m3fn", DType::Float8E4NV},
      {"float8_e5m2", DType::Float8E5}};
  for (auto [text, type] : kNames)
    if (name == text) return type;
  const std::optional<DType> same = language_dtype(name);
  return same && !name.starts_with("float8") && name != "int1" ? same : std::nullopt;
}

/// Constants of Python's math module, torch and numpy; math's functions are in special_forms.cpp.
std::optional<double> math_constant(const std::string& path) {
  const std::string name = path.substr(path.find('.') + 1);
  if (!path.starts_with("math.") && !path.starts_with("torch.") && !path.starts_with("numpy.")) return std::nullopt;
  if (name == "pi") return std::acos(-1.0);
  if (name == "e") return std::exp(1.0);
  if (name == "tau") return 2 * std::acos(-1.0);
  if (name == "inf") return HUGE_VAL;
  if (name == "nan") return std::nan("");
  return std::nullopt;
}

/// What a statement binds whose value only the running host code knows (core/syntax/parser_host.cpp).
/// A name may be defined thousands of times, and asked for as often.
constexpr size_t kDefinitionsPerStep = 50;

bool is_host_value(const Expr& e) { return e.kind == Expr::Kind::Unsupported && e.text == kHostValue; }

/// A list or dict, which host code may change in place.
bool is_mutable(const Expr& e) {
  if (e.kind == Expr::Kind::Unsupported) return e.text == "list comprehension" || e.text == "dict";
  return e.kind == Expr::Kind::List || (e.kind == Expr::Kind::Call && (e.base->is_name("list") || e.base->is_name("dict")));
}

/// A line without the blanks around it.
SourceRange whole_line(const SourcePtr& file, int number) {
  const std::string_view line = file->line(number);
  const size_t first = std::min(line.find_first_not_of(" \t"), line.size()), last = line.find_last_not_of(" \t\r");
  return {file, number, static_cast<int>(first) + 1, number, static_cast<int>(last == std::string_view::npos ? first : last + 1) + 1};
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
  if (auto v = lookup_global(*frame_->module, frame_->host_scope, name.text, name.range)) return *v;
  const std::string path = "py." + name.text;
  if (const Builtin* b = find_builtin(path)) return {BuiltinValue{b, nullptr}, name.range};
  if (const Builtin* b = find_special_form(path)) return {BuiltinValue{b, nullptr}, name.range};
  fail_unknown_name(name);
}

void Lowering::fail_unknown_name(const Expr& name) {
  if (host_tests_ > 0) fail(name.range, remember(say(CoreWords::NotDefined, {{"name", name.text}})));
  fail_misspelt_import(name);
  std::vector<std::string> known = {"range", "min", "max", "len", "float", "int"};
  for (const auto& [n, binding] : frame_->scope.names()) known.push_back(n);
  for (const auto& f : frame_->module->functions) known.push_back(f->name);
  for (const auto& a : frame_->module->assigns) known.push_back(a.name);
  for (const auto& i : frame_->module->imports) known.push_back(i.alias);
  std::string hint;
  const std::string near = closest_name(name.text, known);
  if (!near.empty())
    hint = remember(say(CoreWords::DidYouMean, {{"name", near}}));
  else if (name.text == "tl")
    hint = remember(say(CoreWords::ImportTl));
  else if (language_dtype(name.text) || find_builtin("tl." + name.text))
    hint = remember(say(CoreWords::DidYouMeanTl, {{"name", name.text}}));
  fail(name.range, remember(say(CoreWords::NotDefined, {{"name", name.text}})), hint);
}

// ---- globals
// -------------------------------------------------------------------------------------------------------------

std::optional<Value> Lowering::lookup_global(const Module& module, int scope, const std::string& name,
                                             const SourceRange& use) {
  for (int s = scope; s >= 0; s = module.scopes[static_cast<size_t>(s)].parent) {
    // Functions of a class do not see its other members; only the class's own constants do.
    const HostScope& at = module.scopes[static_cast<size_t>(s)];
    if (at.class_index >= 0 && !(s == scope && frame_->def == nullptr)) continue;
    const GlobalName key{&module, s, name, seen_until(module)};
    auto cached = globals_.find(key);
    if (cached == globals_.end()) {
      if (s != 0 && std::find(at.params.begin(), at.params.end(), name) != at.params.end())
        fail(use, "`" + name + "` is a parameter of the host function `" + at.name + "`, known only when that runs",
             "pass it to the kernel as an argument");
      cached = globals_.emplace(key, lookup_in_scope(module, s, name, use)).first;
    }
    if (cached->second) return cached->second;
  }
  return std::nullopt;
}

std::optional<Value> Lowering::value_of(const Module& module, const Definition& d, const SourceRange& use) {
  if (d.function != nullptr) return Value{FunctionValue{d.function, &module}, d.function->name_range};
  if (d.assign != nullptr) return evaluate_global(module, *d.assign, use);
  return import_value(module, *d.import, use);
}

/// As in Python the last definition wins among those that host code reaches. Where that cannot be known, the first one that
/// has a value here and is not None; an import that leads nowhere counts only when nothing else is left.
std::optional<Value> Lowering::lookup_in_scope(const Module& module, int scope, const std::string& name,
                                               const SourceRange& use) {
  std::vector<Definition> all;
  const int64_t end = seen_until(module);
  for (const Definition& d : module.definitions_of(name)) {
    if (d.place >= end) break;
    if (d.scope == scope && d.type == nullptr) all.push_back(d);
  }
  count_step(use, static_cast<int64_t>(all.size() / kDefinitionsPerStep));
  const Import* nowhere = nullptr;
  std::vector<const Definition*> possible;  // last first: the last that is sure, and those after it
  for (size_t i = all.size(); i-- > 0;) {
    const Truth reached = is_reached(module, all[i].block);
    if (reached == Truth::No) continue;
    if (reached == Truth::Yes && all[i].import != nullptr && i > 0) {
      bool leads = false;
      const Expected<Value> tried = attempt([&] { return leads = import_value(module, *all[i].import, use).has_value(), Value{}; });
      if (tried && !leads) {
        nowhere = all[i].import;
        continue;
      }
    }
    possible.push_back(&all[i]);
    if (reached == Truth::Yes) break;
  }
  for (const Definition* d : possible)
    if (d->assign != nullptr && is_host_value(*d->assign->value)) return value_of(module, *d, use);
  std::optional<Value> none;
  std::optional<Diagnostic> error;
  for (size_t i = possible.size(); i-- > 0;) {
    const Definition& d = *possible[i];
    std::optional<Value> v;
    if (possible.size() == 1) {
      v = value_of(module, d, use);
    } else {
      const Expected<Value> tried = attempt([&] {
        v = value_of(module, d, use);
        return v ? *v : Value{};
      });
      if (!tried && !error) error = tried.errors().front();
    }
    if (v && !v->is<NoneValue>()) {
      if (i > 0) note_choice(module, name, d, *v, std::span(possible).first(i), use);
      return v;
    }
    if (v && !none) none = v;
    if (!v && d.import != nullptr) nowhere = d.import;
  }
  if (none) return none;
  if (error || nowhere != nullptr)
    if (auto v = named_fact(name, use)) return v;
  if (error) fail(*error);
  if (nowhere != nullptr) fail_import(module, *nowhere, name, use);
  for (const Definition& d : module.definitions_of(name))
    if (d.type != nullptr && d.scope == scope) return Value{ClassValue{d.type, &module}, d.type->range};
  return scope == 0 ? star_import_value(module, name, use) : std::nullopt;
}

/// Says which definition is taken when host code decides and another one has another value.
void Lowering::note_choice(const Module& module, const std::string& name, const Definition& taken, const Value& value,
                           std::span<const Definition* const> others, const SourceRange& use) {
  const auto differs = [&](const Definition* d) {
    std::optional<Value> v;
    const Expected<Value> tried = attempt([&] {
      v = value_of(module, *d, use);
      return v ? *v : Value{};
    });
    if (!tried || !v || v->is<NoneValue>()) return false;
    return !value.is_const_scalar() || !v->is_const_scalar() || python_str(value) != python_str(*v);
  };
  if (std::any_of(others.begin(), others.end(), differs))
    note(use, "host code decides which `" + name + "` there is: taken as defined at line " + std::to_string(taken.place >> 24));
}

/// Lists that host code changes in place behind their definition.
void Lowering::refuse_changed(const Module& module, const ModuleAssign& assign, const SourceRange& use) {
  if (assign.scope != 0 || !is_mutable(*assign.value)) return;
  count_step(use, static_cast<int64_t>(module.source->text.size() >> 14));
  const int line = host::line_that_changes(module.source->text, assign.name, assign.range.end_line);
  if (line == 0) return;
  Diagnostic d;
  d.message = "the global `" + assign.name + "` has no value that a kernel can use: host code changes it at line " + std::to_string(line);
  d.range = use;
  d.labels = {{assign.range, "defined here"}, {whole_line(module.source, line), "changed here"}};
  d.hint = "pass its items to the kernel as arguments";
  fail(std::move(d));
}

Value Lowering::evaluate_global(const Module& module, const ModuleAssign& assign, const SourceRange& use) {
  refuse_changed(module, assign, use);
  const GlobalName key{&module, assign.scope, assign.name, place_of(assign.range)};
  if (!evaluating_.insert(key).second)
    fail(use, "the global `" + assign.name + "` is defined by itself");
  Frame frame;
  frame.module = &module;
  frame.host_scope = assign.scope;
  frame.constexpr_function = true;  // host code: it may call host functions
  frame.before = place_of(assign.range);
  frame.statement = assign.range;
  frame.calls = frame_->calls;
  frame.user_location = frame_->user_location;
  Value v;
  try {
    FrameGuard guard(*this, frame);
    v = eval(*assign.value);
    if (!is_compile_time(v)) fail(assign.value->range, "this is no compile-time value");
  } catch (CompileError& e) {
    evaluating_.erase(key);
    if (auto worked_out = host_python(module, assign.scope, *assign.value)) return *worked_out;
    if (auto known = named_fact(assign.name, use)) return *known;
    Diagnostic d;
    d.message = e.diagnostic.message;
    if (!d.message.starts_with("the global `"))
      d.message = "the global `" + assign.name + "` has no value that a kernel can use: " + d.message;
    d.range = use;
    d.labels.push_back({assign.range, "defined here"});
    d.hint = "kernels see globals that are constexprs, types or functions; pass other values as arguments";
    if (is_host_value(*assign.value)) {
      d.message = "the global `" + assign.name + "` has no value that a kernel can use: host code changes it at line " + std::to_string(assign.range.line);
      d.labels.back().text = "changed here";
    }
    fail(std::move(d));
  }
  evaluating_.erase(key);
  // Host code may read it.
  if (v.is_const_scalar() && !in_default_ && !frame_->constexpr_function && !is_declared_constexpr(assign))
    note(use,
         "Triton refuses the plain global `" + assign.name + "`: define it as " + assign.name + " = tl.constexpr(...)");
  return v;
}

// ---- modules
// -------------------------------------------------------------------------------------------------------------

std::optional<Value> Lowering::resolve_path(const std::string& path) {
  if (path.starts_with("tl.")) {
    if (auto t = language_dtype(path.substr(3))) return Value{DTypeValue{*t, false, {}}, {}};
    if (is_foreign_dtype(path.substr(3))) return Value{EnumValue{path}, {}};
    if (path == "tl.PropagateNan") return Value{ModuleValue{path}, {}};
    if (path.starts_with("tl.PropagateNan.")) {
      if (path != "tl.PropagateNan.ALL" && path != "tl.PropagateNan.NONE") return std::nullopt;
      return Value{EnumValue{path}, {}};
    }
  }
  if (path.starts_with("torch."))
    if (auto t = torch_dtype(path.substr(6))) return Value{DTypeValue{*t, false, {}}, {}};
  if (const Builtin* b = find_builtin(path)) return Value{BuiltinValue{b, nullptr}, {}};
  if (const Builtin* b = find_special_form(path)) return Value{BuiltinValue{b, nullptr}, {}};
  if (auto x = math_constant(path)) return Value{*x, {}};
  if (path == "triton.__version__") return Value{std::string(kTritonRelease), {}};
  if (path == "typing.TYPE_CHECKING") return Value{false, {}};
  if (is_known_module(path)) return Value{ModuleValue{path}, {}};
  return path_fact(path);
}

Value Lowering::module_attribute(const ModuleValue& m, const Expr& e) {
  if (m.file != nullptr) {
    if (auto v = file_attribute(*m.file, m.path, e.text, e.range)) return *v;
    fail(e.range, "the file " + m.file->source->path + " has no `" + e.text + "`");
  }
  const std::string path = canonical_module(m.path + "." + e.text);
  if (auto v = resolve_path(path)) return *v;
  if (m.path == "torch" || m.path == "numpy")
    fail(e.range, "`" + path + "` is host code: of " + m.path + " only finfo, iinfo, element types, inf and pi are known",
         "compute it on the host and pass it to the kernel");
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
