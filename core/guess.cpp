#include "core/guess.h"

#include <algorithm>
#include <chrono>
#include <set>

#include "core/compile_module.h"
#include "core/guess_first.h"
#include "core/launch_expr.h"
#include "core/lint_verdict.h"
#include "core/syntax/parser.h"

namespace tilescope {
namespace {

struct ToCompileArg {
  CompileArg::Kind operator()(const TensorSpec& t) const { return PointerArg{t.dtype, 16}; }
  CompileArg::Kind operator()(int64_t v) const { return IntArg{v, false}; }
  CompileArg::Kind operator()(uint64_t v) const { return IntArg{static_cast<int64_t>(v), true}; }
  CompileArg::Kind operator()(double v) const { return FloatArg{v}; }
  CompileArg::Kind operator()(bool v) const { return BoolArg{v}; }
  CompileArg::Kind operator()(const std::string& v) const { return StringArg{v}; }
  CompileArg::Kind operator()(std::monostate) const { return NoneArg{}; }
};

CompileRequest request_of(const GuessedLaunch& g) {
  CompileRequest request;
  request.kernel = g.kernel;
  request.num_warps = g.num_warps;
  request.optimise = false;
  for (const GuessedArg& a : g.args)
    if (!a.leave_out) request.args.push_back({a.name, std::visit(ToCompileArg{}, a.value)});
  return request;
}

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

/// Compiles guesses and changes those that stand in the way, while that leads further.
class Search {
 public:
  Search(const Module& module, const FunctionDef& kernel, const KernelUse& use, const GuessLimits& limits, GuessTrial& trial)
      : module_(module), kernel_(kernel), use_(use), limits_(limits), trial_(trial), start_(Clock::now()) {}

  void run() {
    reach_ = attempt(trial_.launch, trial_.errors);
    while (!trial_.errors.empty() && !no_guess_helps(trial_.errors[0]) && improve()) {
    }
    trial_.values = reach_.values;
    if (!trial_.errors.empty())
      for (size_t i : suspects(trial_.errors[0])) trial_.suspects.push_back(kernel_.params[i].name);
  }

 private:
  using Clock = std::chrono::steady_clock;

  bool exhausted() {
    if (trial_.compiles >= limits_.compiles) return true;
    if (std::chrono::duration<double>(Clock::now() - start_).count() < limits_.seconds) return false;
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

  std::vector<size_t> suspects(const Diagnostic& d) const {
    ParamSet set = use_.behind(d.range);
    for (const Label& l : d.labels) set |= use_.behind(l.range);
    std::vector<size_t> out;
    for (size_t i = 0; i < use_.params.size(); ++i)
      if (set.test(i) || kernel_.params[i].range.line == d.range.line) out.push_back(i);
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

  bool improve() {
    const Diagnostic error = trial_.errors[0];
    const std::vector<size_t> who = suspects(error);
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
  Clock::time_point start_;
  Reach reach_;
};

}  // namespace

GuessTrial try_guesses(const Module& module, const FunctionDef& kernel, const FunctionLookup& lookup, const GuessLimits& limits) {
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
  const KernelUse use = study_kernel(module, kernel, lookup);
  trial.launch = first_guess(module, kernel, use, trial.no_such_argument);
  Search(module, kernel, use, limits, trial).run();
  trial.launch.grid = guess_grid(trial.launch, use);
  return trial;
}

Expected<GuessedLaunch> guess_launch(const SourcePtr& source, const std::string& name) {
  Expected<Module> module = parse_module(source);
  if (!module) return module.errors();
  Expected<const FunctionDef*> kernel = choose_kernel(*module, name);
  if (!kernel) return kernel.errors();
  GuessTrial trial = try_guesses(*module, **kernel, {}, {});
  if (trial.no_such_argument) return *trial.no_such_argument;
  if (!trial.errors.empty()) return trial.errors;
  return std::move(trial.launch);
}

LaunchSpec launch_of(const GuessedLaunch& guess, const std::string& kernel_path) {
  LaunchSpec spec;
  spec.kernel = guess.kernel;
  spec.kernel_path = kernel_path;
  spec.num_warps = guess.num_warps;
  for (const GuessedArg& a : guess.args)
    if (!a.leave_out) spec.args.push_back({a.name, a.value});
  for (const std::string& text : guess.grid) {
    Expected<GridExpr> entry = parse_grid_expr(text, "grid");
    spec.grid.push_back(entry ? *entry : GridExpr::constant(1));
  }
  return spec;
}

}  // namespace tilescope
