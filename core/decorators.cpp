#include "core/decorators.h"

#include <algorithm>
#include <set>

#include "core/compile_module.h"
#include "core/host_eval.h"
#include "core/launch_text.h"
#include "core/syntax/parser.h"

namespace tilescope {
namespace {

using K = HostValue::Kind;

/// The last name of a decorator that is called: "autotune" of `@triton.autotune(...)`.
std::string called_name(const Expr& decorator) {
  if (decorator.kind != Expr::Kind::Call) return {};
  const Expr& callee = *decorator.base;
  return callee.kind == Expr::Kind::Name || callee.kind == Expr::Kind::Attribute ? callee.text : std::string{};
}

bool is_autotune(const Expr& d) {
  const std::string name = called_name(d);
  return name.ends_with("autotune") || name == "libtuner";
}
bool is_heuristics(const Expr& d) { return called_name(d).ends_with("heuristics"); }

/// An argument of a decorator by name or place; null when it is not there.
const Expr* argument(const Expr& call, const std::string& name, size_t place) {
  for (const Keyword& k : call.keywords)
    if (k.name == name) return k.value;
  return place < call.items.size() ? call.items[place] : nullptr;
}

/// A host value as an argument; nothing for values that no argument can have.
std::optional<ArgValue> as_argument(const HostValue& v) {
  switch (v.kind) {
    case K::None: return ArgValue{std::monostate{}};
    case K::Bool: return ArgValue{v.integer != 0};
    case K::Int: return ArgValue{v.integer};
    case K::Float: return ArgValue{v.real};
    case K::Str: return ArgValue{v.text};
    case K::DType: return ArgValue{"tl." + std::string(dtype_name(v.dtype))};
    default: return std::nullopt;
  }
}

Diagnostic error_at(const SourceRange& range, std::string message, std::string hint = {}) {
  Diagnostic d;
  d.message = std::move(message);
  d.range = range;
  d.hint = std::move(hint);
  return d;
}

/// "write the values with --arg": what cannot be read can always be said.
Diagnostic unreadable(Diagnostic why, const SourceRange& decorator, const std::string& what) {
  why.message = what + " cannot be read: " + why.message;
  if (!why.range.valid()) why.range = decorator;
  why.hint = "write the values with --arg, or under \"args\" of a launch file";
  return why;
}

std::optional<int> small_option(const HostValue& config, const std::string& name) {
  const HostValue* found = config.items()[1].find(name);
  if (found == nullptr || found->kind != K::Int) return std::nullopt;
  return static_cast<int>(std::clamp<int64_t>(found->integer, INT32_MIN, INT32_MAX));
}

/// A config of the evaluator as one of a launch.
Expected<TuningConfig> config_of(const HostValue& v, const SourceRange& decorator) {
  if (v.kind != K::Config) return error_at(decorator, "a config of @triton.autotune is a triton.Config, found " + host_text(v));
  TuningConfig out;
  out.range = v.range;
  const std::vector<HostValue>& values = v.items()[0].items();
  for (size_t i = 0; i + 1 < values.size(); i += 2) {
    const std::optional<ArgValue> value = as_argument(values[i + 1]);
    if (values[i].kind != K::Str) return error_at(v.range, "the values of a config are given by name, found " + host_text(values[i]));
    if (!value) return error_at(v.range, "`" + values[i].text + "` of a config is " + host_text(values[i + 1]) + ": a value must be a number, a string, an element type or None");
    out.values.push_back({values[i].text, *value});
  }
  out.num_warps = small_option(v, "num_warps");
  out.num_stages = small_option(v, "num_stages");
  if (out.num_warps)
    if (auto d = check_num_warps(*out.num_warps, "num_warps of a config")) return error_at(v.range, d->message);
  if (out.num_stages && *out.num_stages == 0) out.num_stages = 1;  // Triton: no pipelining
  if (out.num_stages)
    if (auto d = check_num_stages(*out.num_stages, "num_stages of a config")) return error_at(v.range, d->message);
  return out;
}

Expected<std::vector<TuningConfig>> configs_of(const Module& module, const FunctionDef& kernel, const Expr& decorator) {
  const Expr* list = argument(decorator, "configs", 0);
  if (list == nullptr) return unreadable(error_at(decorator.range, "it names no configs"), decorator.range, "the configs of @" + called_name(decorator));
  const auto refuse = [&](const std::vector<Diagnostic>& errors) { return unreadable(errors[0], list->range, "the configs of @" + called_name(decorator)); };
  HostEval host(module, kernel.scope);
  Expected<HostValue> value = host.evaluate(*list);
  if (!value) return refuse(value.errors());
  if (value->kind != K::List) return refuse({error_at(list->range, host_text(*value) + " is no list")});
  std::vector<TuningConfig> out;
  for (const HostValue& v : value->items()) {
    Expected<TuningConfig> config = config_of(v, list->range);
    if (!config) return refuse(config.errors());
    out.push_back(std::move(*config));
  }
  if (out.empty()) return refuse({error_at(list->range, "the list is empty")});
  return out;
}

/// Fills one launch from the decorators of one kernel.
class Filler {
 public:
  Filler(const Module& module, const FunctionDef& kernel, LaunchSpec& spec) : module_(module), kernel_(kernel), spec_(spec) {
    for (const LaunchArg& a : spec.args) stated_.insert(a.name);
    stated_warps_ = spec.num_warps_stated, stated_stages_ = spec.num_stages_stated;
  }

  /// As Triton calls them, from the outermost: a heuristic gives its value over that of the config.
  std::optional<Diagnostic> fill(std::vector<Diagnostic>* notes) {
    const auto tuned = std::find_if(kernel_.decorators.begin(), kernel_.decorators.end(), [](const Expr* d) { return is_autotune(*d); });
    if (tuned == kernel_.decorators.end() && spec_.config)
      return plain_error("the kernel `" + kernel_.name + "` has no @triton.autotune, so there is no config " + std::to_string(*spec_.config + 1), "leave --config or \"config\" out");
    if (tuned != kernel_.decorators.end())
      if (auto d = use_config(**tuned)) return d;
    for (auto d = kernel_.decorators.begin(); d != kernel_.decorators.end(); ++d)
      if (is_heuristics(**d))
        if (auto problem = use_heuristics(**d, d < tuned)) return problem;
    if (notes != nullptr && used_) notes->push_back(note_of_config());
    return std::nullopt;
  }

 private:
  bool is_parameter(const std::string& name) const {
    return std::any_of(kernel_.params.begin(), kernel_.params.end(), [&](const FunctionParam& p) { return p.name == name; });
  }
  bool is_open(const std::string& name) const { return is_parameter(name) && stated_.count(name) == 0; }

  /// Parameters without a value that no heuristic gives: the configs must, if anything does.
  bool configs_are_needed() const {
    const std::set<std::string> given = heuristic_names();
    return std::any_of(kernel_.params.begin(), kernel_.params.end(), [&](const FunctionParam& p) {
      return p.default_value == nullptr && p.kind != FunctionParam::Kind::VarArgs && p.kind != FunctionParam::Kind::KwArgs &&
             spec_.find(p.name) == nullptr && given.count(p.name) == 0;
    });
  }

  std::set<std::string> heuristic_names() const {
    std::set<std::string> out;
    for (const Expr* d : kernel_.decorators) {
      if (!is_heuristics(*d)) continue;
      const Expr* values = argument(*d, "values", 0);
      for (size_t i = 0; values != nullptr && values->text == "dict" && i < values->items.size(); i += 2)
        if (values->items[i] != nullptr && values->items[i]->kind == Expr::Kind::Str) out.insert(values->items[i]->text);
    }
    return out;
  }

  void set(const std::string& name, ArgValue value) {
    for (LaunchArg& a : spec_.args)
      if (a.name == name) {
        a.value = std::move(value);
        return;
      }
    spec_.args.push_back({name, std::move(value)});
  }

  std::optional<Diagnostic> use_config(const Expr& decorator) {
    Expected<std::vector<TuningConfig>> configs = configs_of(module_, kernel_, decorator);
    if (!configs) return spec_.config || configs_are_needed() ? std::optional(configs.errors()[0]) : std::nullopt;
    const bool some_open = std::any_of(configs->begin(), configs->end(), [&](const TuningConfig& c) {
      return std::any_of(c.values.begin(), c.values.end(), [&](const LaunchArg& v) { return is_open(v.name); });
    });
    if (!some_open && !spec_.config) return std::nullopt;
    const int64_t number = spec_.config.value_or(0), count = static_cast<int64_t>(configs->size());
    if (number < 0 || number >= count)
      return error_at(decorator.range, "there is no config " + std::to_string(number + 1) + ": @" + called_name(decorator) + " has " + std::to_string(count),
                      "configs are counted from 1; `tilescope run FILE --configs` lists them");
    count_ = count;
    used_ = (*configs)[static_cast<size_t>(number)];
    for (const LaunchArg& v : used_->values)
      if (is_open(v.name)) set(v.name, v.value);
    if (used_->num_warps && !stated_warps_) spec_.num_warps = *used_->num_warps;
    if (used_->num_stages && !stated_stages_) spec_.num_stages = *used_->num_stages;
    spec_.config = number;
    return std::nullopt;
  }

  /// "config 1 of 2: BLOCK_M = 64, 8 warps (the launch says 4 warps)", with what the launch has instead.
  Diagnostic note_of_config() const {
    Diagnostic note;
    note.severity = Diagnostic::Severity::Note;
    note.message = "config " + std::to_string(*spec_.config + 1) + " of " + std::to_string(count_) + ": " + config_text(*used_) +
                   differences(false) + differences(true);
    if (*spec_.config == 0 && count_ > 1) note.hint = "--config N chooses another; `tilescope run FILE --configs` lists them";
    return note;
  }

  /// Where the launch differs from the config: by what it says itself, or by heuristics.
  std::string differences(bool by_heuristic) const {
    std::string out;
    const auto add = [&](const std::string& name, const std::string& what) {
      if (by_heuristic == (heuristic_.count(name) != 0)) out += (out.empty() ? "" : ", ") + what;
    };
    for (const LaunchArg& v : used_->values)
      if (const LaunchArg* now = spec_.find(v.name); now != nullptr && argument_text(now->value) != argument_text(v.value))
        add(v.name, v.name + " = " + argument_text(now->value));
    if (used_->num_warps && *used_->num_warps != spec_.num_warps) add("num_warps", std::to_string(spec_.num_warps) + " warps");
    if (used_->num_stages && *used_->num_stages != spec_.num_stages) add("num_stages", std::to_string(spec_.num_stages) + " stages");
    return out.empty() ? out : (by_heuristic ? " (heuristics give " : " (the launch says ") + out + ")";
  }

  /// `outside`: the decorator stands above @triton.autotune, where Triton refuses names that the config gives as well.
  std::optional<Diagnostic> use_heuristics(const Expr& decorator, bool outside) {
    const Expr* values = argument(decorator, "values", 0);
    const std::string what = "what @" + called_name(decorator) + " gives";
    HostEval host(module_, kernel_.scope);
    Expected<HostValue> dict = values == nullptr ? Expected<HostValue>(error_at(decorator.range, "it names no values")) : host.evaluate(*values);
    if (dict && dict->kind != K::Dict) dict = error_at(decorator.range, host_text(*dict) + " is no dict");
    if (!dict) return configs_are_needed() ? std::optional(unreadable(dict.errors()[0], decorator.range, what)) : std::nullopt;
    for (size_t i = 0; i + 1 < dict->items().size(); i += 2) {
      const HostValue& name = dict->items()[i];
      if (name.kind != K::Str) return unreadable(error_at(decorator.range, "a name is " + host_text(name)), decorator.range, what);
      if (outside && used_ && is_open(name.text) && gives(*used_, name.text))
        return error_at(decorator.range, "@triton.autotune and the @" + called_name(decorator) + " above it both give `" + name.text + "`: Triton refuses that",
                        "write @" + called_name(decorator) + " below @triton.autotune: its value then counts");
      if (auto d = use_heuristic(host, name.text, dict->items()[i + 1], decorator)) return d;
    }
    return std::nullopt;
  }

  static bool gives(const TuningConfig& c, const std::string& name) {
    return std::any_of(c.values.begin(), c.values.end(), [&](const LaunchArg& v) { return v.name == name; });
  }

  std::optional<Diagnostic> use_heuristic(HostEval& host, const std::string& name, const HostValue& function, const Expr& decorator) {
    const bool warps = name == "num_warps" && !is_parameter(name), stages = name == "num_stages" && !is_parameter(name);
    if (!is_open(name) && !(warps && !stated_warps_) && !(stages && !stated_stages_)) return std::nullopt;
    const SourceRange& range = function.lambda != nullptr ? function.lambda->range : decorator.range;
    const std::string what = "the heuristic of `" + name + "`";
    Expected<HostValue> value = host.call_with_arguments(function, spec_);
    if (!value) return unreadable(value.errors()[0], range, what);
    const std::optional<ArgValue> argument = as_argument(*value);
    if (!argument) return unreadable(error_at(range, "it gives " + host_text(*value)), range, what);
    heuristic_.insert(name);
    if (!warps && !stages) {
      set(name, *argument);
      return std::nullopt;
    }
    const auto* number = std::get_if<int64_t>(&*argument);
    if (number == nullptr) return unreadable(error_at(range, "it gives " + host_text(*value)), range, what);
    if (auto d = warps ? check_num_warps(*number, name) : check_num_stages(*number, name)) return error_at(range, d->message);
    (warps ? spec_.num_warps : spec_.num_stages) = static_cast<int>(*number);
    return std::nullopt;
  }

  const Module& module_;
  const FunctionDef& kernel_;
  LaunchSpec& spec_;
  std::set<std::string> stated_;  ///< what the launch itself gives; heuristics overwrite all else
  bool stated_warps_ = false, stated_stages_ = false;
  std::set<std::string> heuristic_;
  std::optional<TuningConfig> used_;
  int64_t count_ = 0;  ///< of configs
};

bool mentions_decorators(const std::string& text) {
  for (const char* word : {"autotune", "heuristics", "libtuner"})
    if (text.find(word) != std::string::npos) return true;
  return false;
}

}  // namespace

std::string argument_text(const ArgValue& value) {
  const auto* b = std::get_if<bool>(&value);
  return b == nullptr ? arg_text(value) : *b ? "True" : "False";
}

std::string config_text(const TuningConfig& config) {
  std::string out;
  const auto add = [&](const std::string& part) { out += (out.empty() ? "" : ", ") + part; };
  const auto counted = [](int n, const char* what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); };
  for (const LaunchArg& v : config.values) add(v.name + " = " + argument_text(v.value));
  if (config.num_warps) add(counted(*config.num_warps, "warp"));
  if (config.num_stages) add(counted(*config.num_stages, "stage"));
  return out;
}

Expected<std::vector<TuningConfig>> read_configs(const SourcePtr& source, const std::string& kernel) {
  Expected<Module> module = parse_module(source);
  if (!module) return module.errors();
  Expected<const FunctionDef*> chosen = choose_kernel(*module, kernel);
  if (!chosen) return chosen.errors();
  return read_configs(*module, **chosen);
}

Expected<std::vector<TuningConfig>> read_configs(const Module& module, const FunctionDef& kernel) {
  for (const Expr* d : kernel.decorators)
    if (is_autotune(*d)) return configs_of(module, kernel, *d);
  return std::vector<TuningConfig>{};
}

std::optional<Diagnostic> unread_configs(const Module& module, const FunctionDef& kernel) {
  for (const Expr* d : kernel.decorators) {
    if (!is_autotune(*d)) continue;
    const Expected<std::vector<TuningConfig>> configs = configs_of(module, kernel, *d);
    if (!configs) return configs.errors()[0];
    return std::nullopt;
  }
  return std::nullopt;
}

Expected<LaunchSpec> apply_decorators(const LaunchSpec& spec, const SourcePtr& source, std::vector<Diagnostic>* notes) {
  if (spec.host != nullptr || (!spec.config && !mentions_decorators(source->text))) return spec;
  Expected<Module> module = parse_module(source);
  return module ? apply_decorators(spec, *module, notes) : Expected<LaunchSpec>(spec);
}

Expected<LaunchSpec> apply_decorators(const LaunchSpec& spec, const Module& module, std::vector<Diagnostic>* notes) {
  if (!spec.config && !mentions_decorators(module.source->text)) return spec;
  Expected<const FunctionDef*> kernel = choose_kernel(module, spec.kernel);
  if (!kernel) return spec;
  LaunchSpec out = spec;
  if (auto d = Filler(module, **kernel, out).fill(notes)) return *d;
  return out;
}

}  // namespace tilescope
