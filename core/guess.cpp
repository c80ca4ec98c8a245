#include "core/guess.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/compile_module.h"
#include "core/guess_first.h"
#include "core/launch_arguments.h"
#include "core/launch_expr.h"
#include "core/lint_verdict.h"
#include "core/syntax/module_files.h"
#include "core/syntax/parser.h"
#include "core/thread_time.h"

namespace tilescope {
namespace {

CompileRequest request_of(const GuessedLaunch& g) {
  CompileRequest request;
  request.kernel = g.kernel;
  request.num_warps = g.num_warps;
  request.optimise = false;
  for (const GuessedArg& a : g.args)
    for (const LaunchArg& one : arguments_of(a)) request.args.push_back(compile_argument(one));
  return request;
}

/// Functions that a file imports from the files around it.
class Imports {
 public:
  FoundFunction find(const Module& module, const std::string& name) {
    const auto key = std::pair{&module, name};
    if (auto at = found_.find(key); at != found_.end()) return at->second;
    found_[key] = {};  // of files that import from each other
    return found_[key] = search(module, name);
  }

 private:
  FoundFunction search(const Module& module, const std::string& name) {
    const size_t dot = name.find('.');
    const std::string alias = name.substr(0, dot);
    for (const Import& i : module.imports) {
      if (i.name == "*" && dot == std::string::npos) {
        if (const Module* file = open(module, i.module))
          if (const FoundFunction f = in_file(*file, name); f.def != nullptr) return f;
      }
      if (i.alias != alias) continue;
      if (dot != std::string::npos) {
        const std::string inner = i.name.empty() ? i.module : i.module + (i.module.ends_with('.') ? "" : ".") + i.name;
        if (const Module* file = open(module, inner)) return in_file(*file, name.substr(dot + 1));
      } else if (!i.name.empty()) {
        if (const Module* file = open(module, i.module)) return in_file(*file, i.name);
      }
    }
    return {};
  }

  FoundFunction in_file(const Module& file, const std::string& name) {
    if (const FunctionDef* f = file.find_function(name)) return {f, &file};
    return find(file, name);
  }

  const Module* open(const Module& importing, const std::string& module) {
    for (const char* known : {"triton", "torch", "math", "typing"})
      if (module.starts_with(known)) return nullptr;
    const std::optional<std::string> path = find_module_file(importing.source->path, module);
    if (!path) return nullptr;
    std::shared_ptr<const Module> file = load_module(*path);
    if (file != nullptr) files_.push_back(file);
    return file.get();
  }

  std::map<std::pair<const Module*, std::string>, FoundFunction> found_;
  std::vector<std::shared_ptr<const Module>> files_;
};

/// How far a compilation came: the line of the kernel's own body, then how much was built.
struct Reach {
  int line = 0;
  size_t values = 0;
  friend bool operator<(const Reach& a, const Reach& b) { return std::tie(a.line, a.values) < std::tie(b.line, b.values); }
};

int line_in_kernel(const Diagnostic& d) {
  int line = d.range.line;
  for (const CallFrame* c = d.calls.get(); c != nullptr; c = c->outer.get()) line = c->call.line;
  return line;
}

bool contains(const SourceRange& outer, const SourceRange& inner) {
  return inner.file == outer.file && std::tie(inner.line, inner.column) >= std::tie(outer.line, outer.column) &&
         std::tie(inner.end_line, inner.end_column) <= std::tie(outer.end_line, outer.end_column);
}

/// Compiles guesses and changes those that stand in the way, while that leads further.
class Search {
 public:
  Search(const Module& module, const FunctionDef& kernel, const KernelUse& use, const GuessLimits& limits, GuessTrial& trial)
      : module_(module), kernel_(kernel), use_(use), limits_(limits), trial_(trial), start_(thread_seconds()) {}

  void run() {
    reach_ = attempt(trial_.launch, trial_.errors);
    while (!trial_.errors.empty() && (replace_default(trial_.errors[0]) || (!no_guess_helps(trial_.errors[0]) && improve()))) {
    }
    trial_.values = reach_.values;
    if (!trial_.errors.empty()) trial_.constant = !use_.cut_off && use_.is_constant(trial_.errors[0].range);
    if (!trial_.errors.empty())
      for (size_t i : suspects(trial_.errors[0])) trial_.suspects.push_back(kernel_.params[i].name);
  }

 private:
  bool exhausted() {
    if (trial_.compiles >= limits_.compiles) return true;
    if (thread_seconds() - start_ < limits_.seconds) return false;
    trial_.out_of_time = true;
    return true;
  }

  Reach attempt(const GuessedLaunch& g, std::vector<Diagnostic>& errors) {
    ++trial_.compiles;
    Reach reach;
    auto compiled = lower_kernel(module_, kernel_, request_of(g), &reach.values);
    errors = compiled ? std::vector<Diagnostic>{} : compiled.errors();
    reach.line = errors.empty() ? INT32_MAX : line_in_kernel(errors[0]);
    return reach;
  }

  /// A default that the compiler cannot know, such as the limits of a type that the host asks the GPU for, is given instead.
  bool replace_default(const Diagnostic& error) {
    for (size_t i = 0; i < kernel_.params.size() && !exhausted(); ++i) {
      const Expr* value = kernel_.params[i].default_value;
      GuessedArg& arg = trial_.launch.args[i];
      if (value == nullptr || !arg.leave_out || std::holds_alternative<std::monostate>(arg.value) || !contains(value->range, error.range)) continue;
      arg.leave_out = false;
      arg.why = "its default is known to host code only";
      reach_ = attempt(trial_.launch, trial_.errors);
      return true;
    }
    return false;
  }

  std::vector<size_t> suspects(const Diagnostic& d) const {
    ParamSet set = use_.behind(d.range);
    for (const Label& l : d.labels) set |= use_.behind(l.range);
    std::vector<size_t> out;
    for (size_t i = 0; i < use_.params.size(); ++i)
      if (set.test(i) || kernel_.params[i].range.line == d.range.line) out.push_back(i);
    // A name may be missing because its branch was not taken; else another branch may go around the error.
    ParamSet deciding = use_.conditions_around(d.range);
    for (const CallFrame* c = d.calls.get(); c != nullptr; c = c->outer.get()) deciding |= use_.conditions_around(c->call);
    if (const size_t end = d.message.find("` is not defined"); d.message.starts_with('`') && end != std::string::npos)
      if (auto guard = use_.guards.find(d.message.substr(1, end - 1)); guard != use_.guards.end()) deciding |= guard->second;
    for (size_t i = 0; i < use_.params.size(); ++i)
      if (deciding.test(i) && std::find(out.begin(), out.end(), i) == out.end()) out.push_back(i);
    // A parameter that the message names comes first.
    std::stable_partition(out.begin(), out.end(), [&](size_t i) { return d.message.find("`" + kernel_.params[i].name + "`") != std::string::npos; });
    return out;
  }

  /// Takes the guess over when it compiles or leads further.
  bool accept(GuessedLaunch g) {
    std::vector<Diagnostic> errors;
    const Reach reach = attempt(g, errors);
    if (!errors.empty() && !(reach_ < reach)) return false;
    trial_.launch = std::move(g);
    trial_.errors = std::move(errors);
    reach_ = reach;
    return true;
  }

  /// Messages about types are cured by tensors' element types, those about shapes by numbers: these are tried first.
  void sort_by_message(const Diagnostic& d, std::vector<size_t>& who) const {
    const auto says = [&](std::initializer_list<const char*> words) {
      return std::any_of(words.begin(), words.end(), [&](const char* w) { return d.message.find(w) != std::string::npos; });
    };
    const bool shapes = says({"shape", "extent", "broadcast", "power of two", "at least", "elements", "assert", "too large"});
    const bool types = !shapes && says({"float", "int1", "int8", "int16", "int32", "int64", "type", "convert", "bits", "operands"});
    if (!shapes && !types) return;
    std::stable_partition(who.begin(), who.end(), [&](size_t i) {
      const ArgValue& v = trial_.launch.args[i].value;
      const auto* s = std::get_if<std::string>(&v);
      return shapes ? std::holds_alternative<int64_t>(v) : std::holds_alternative<TensorSpec>(v) || (s != nullptr && s->starts_with("tl."));
    });
  }

  /// Every suspected tensor gets one element type.
  bool agree(const std::vector<size_t>& who) {
    std::vector<size_t> tensors;
    std::vector<ArgValue> values;
    for (size_t i : who) {
      const ArgValue& v = trial_.launch.args[i].value;
      if (!std::holds_alternative<TensorSpec>(v)) continue;
      tensors.push_back(i);
      if (std::none_of(values.begin(), values.end(), [&](const ArgValue& x) { return same_guess(x, v); })) values.push_back(v);
    }
    return values.size() > 1 && change(tensors, values);
  }

  /// Tuples of other lengths, and in place of one its only item.
  bool resize_tuples(const std::vector<size_t>& who) {
    for (size_t i : who)
      for (int n : {1, 2, 3, 4, 0, -1}) {
        if (trial_.launch.args[i].tuple < 0 || n == trial_.launch.args[i].tuple || exhausted()) continue;
        GuessedLaunch g = trial_.launch;
        g.args[i].tuple = n;
        if (accept(std::move(g))) return true;
      }
    return false;
  }

  bool improve() {
    const Diagnostic error = trial_.errors[0];
    std::vector<size_t> who = suspects(error);
    if (resize_tuples(who)) return true;
    sort_by_message(error, who);
    if (error.message.find("type") != std::string::npos && agree(who)) return true;
    // All that have one guess in common first: operands must agree.
    for (size_t i : who) {
      std::vector<size_t> alike;
      for (size_t j : who)
        if (same_guess(trial_.launch.args[i].value, trial_.launch.args[j].value)) alike.push_back(j);
      if (alike.size() < 2 || alike[0] != i) continue;
      if (change(alike, other_guesses(trial_.launch.args[i], use_.params[i], error))) return true;
    }
    for (size_t i : who)
      if (change({i}, other_guesses(trial_.launch.args[i], use_.params[i], error))) return true;
    return false;
  }

  bool change(const std::vector<size_t>& which, const std::vector<ArgValue>& values) {
    for (const ArgValue& v : values) {
      if (exhausted()) return false;
      GuessedLaunch g = trial_.launch;
      for (size_t i : which) {
        g.args[i].value = v;
        g.args[i].leave_out = false;
        if (std::holds_alternative<std::monostate>(v)) g.args[i].tuple = -1;
        g.args[i].why = "another guess did not compile";
      }
      if (accept(std::move(g))) return true;
    }
    return false;
  }

  const Module& module_;
  const FunctionDef& kernel_;
  const KernelUse& use_;
  const GuessLimits& limits_;
  GuessTrial& trial_;
  double start_;
  Reach reach_;
};

}  // namespace

GuessTrial try_guesses(const Module& module, const FunctionDef& kernel, const GuessLimits& limits) {
  GuessTrial trial;
  trial.launch.kernel = kernel.name;
  if (!kernel.errors.empty()) {
    trial.errors = kernel.errors;
    return trial;
  }
  if (kernel.params.size() > kMaxGuessedParams) {
    Diagnostic d;
    d.message = "this kernel has more than " + std::to_string(kMaxGuessedParams) + " parameters: none are guessed";
    d.range = kernel.name_range;
    trial.errors.push_back(std::move(d));
    return trial;
  }
  Imports imports;
  const KernelUse use = study_kernel(module, kernel, [&](const Module& m, const std::string& n) { return imports.find(m, n); });
  trial.launch = first_guess(module, kernel, use, trial.no_such_argument);
  Search(module, kernel, use, limits, trial).run();
  guess_grid(trial.launch, use);
  return trial;
}

Expected<GuessedLaunch> guess_launch(const SourcePtr& source, const std::string& name) {
  Expected<Module> module = parse_module(source);
  if (!module) return module.errors();
  return guess_launch(*module, name);
}

Expected<GuessedLaunch> guess_launch(const Module& module, const std::string& name) {
  Expected<const FunctionDef*> kernel = choose_kernel(module, name);
  if (!kernel) return kernel.errors();
  GuessTrial trial = try_guesses(module, **kernel, {});
  if (trial.no_such_argument) return *trial.no_such_argument;
  if (!trial.errors.empty()) return trial.errors;
  GuessedLaunch out = std::move(trial.launch);
  std::vector<GuessedArg> args;
  for (GuessedArg& a : out.args) {
    if (a.tuple < 0 || a.leave_out) {
      args.push_back(std::move(a));
      continue;
    }
    for (LaunchArg& item : arguments_of(a)) {
      GuessedArg one = a;
      one.name = item.name, one.value = std::move(item.value), one.tuple = -1;
      args.push_back(std::move(one));
    }
  }
  out.args = std::move(args);
  return out;
}

std::vector<LaunchArg> arguments_of(const GuessedArg& arg) {
  std::vector<LaunchArg> out;
  if (arg.leave_out) return out;
  if (arg.tuple < 0) out.push_back({arg.name, arg.value});
  if (arg.tuple == 0) out.push_back({arg.name + "[]", {}});
  for (int i = 0; i < arg.tuple; ++i) out.push_back({arg.name + "[" + std::to_string(i) + "]", arg.value});
  return out;
}

LaunchSpec launch_of(const GuessedLaunch& guess, const std::string& kernel_path) {
  LaunchSpec spec;
  spec.kernel = guess.kernel;
  spec.kernel_path = kernel_path;
  spec.num_warps = guess.num_warps;
  for (const GuessedArg& a : guess.args)
    for (LaunchArg& one : arguments_of(a)) spec.args.push_back(std::move(one));
  for (const std::string& text : guess.grid) {
    Expected<GridExpr> entry = parse_grid_expr(text, "grid");
    spec.grid.push_back(entry ? *entry : GridExpr::constant(1));
  }
  return spec;
}

}  // namespace tilescope
