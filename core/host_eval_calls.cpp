// Calls of host Python: triton.Config, the functions it is known to have, and those of the file.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/host_evaluation.h"

namespace tilescope::host {

using K = HostValue::Kind;

namespace {

/// A key of a dict that stands after `**`.
const std::string& name_of(const Expr& at, const HostValue& key) {
  if (key.kind != K::Str) refuse(at, "the keys behind `**` must be strings, found " + host_text(key));
  return key.text;
}

bool is_module_call(const std::string& chain) {
  for (std::string_view module : {"triton.", "tl.", "math.", "itertools.", "builtins."})
    if (chain.starts_with(module)) return true;
  return false;
}

}  // namespace

bool is_language(const std::string& module) {
  const std::string first = module.substr(0, module.find('.'));
  for (const char* known : {"triton", "math", "itertools", "functools", "builtins", "operator", "typing", "torch", "os", "sys"})
    if (first == known) return true;
  return false;
}

bool Evaluation::is_known_function(const Expr& callee, const std::string& name, Scope* scope) {
  if (callee.kind != Expr::Kind::Name) return true;
  if (scope != nullptr && scope->find(name) != nullptr) return false;
  const Definition b = binding_of(name, callee.range);
  if (b.import != nullptr) return b.import->name == name && is_language(b.import->module);
  return b.place == 0;
}

HostValue Evaluation::call_function(const Expr& at, const HostValue& callee, std::vector<HostValue> positional, std::map<std::string, HostValue> named) {
  if (callee.kind != K::Function) refuse(at, "this is no function of the file");
  if (calls_ >= kMaxCalls) refuse(at, "calls nested deeper than " + std::to_string(kMaxCalls));
  ++calls_;
  HostValue out = callee.lambda != nullptr ? call_lambda(at, callee, positional, named)
                                           : call_def(at, *callee.function, positional, named);
  --calls_;
  return out;
}

HostValue Evaluation::call(const Expr& e, Scope* scope) {
  const std::string chain = dotted(*e.base);
  const bool own = !is_known_function(*e.base, chain, scope);
  std::vector<HostValue> positional;
  std::map<std::string, HostValue> named;
  const std::string last = chain.substr(chain.rfind('.') + 1);
  if (!own)
    if (const HostFact* known = find_host_fact(chain + "()")) return fact(*known);
  if (chain == "os.environ.get" || chain == "os.getenv")  // no variable is set here
    return e.items.size() > 1 ? eval(*e.items[1], scope) : HostValue{};
  if (e.base->kind == Expr::Kind::Attribute && !is_module_call(chain)) return method(e, eval(*e.base->base, scope), e.base->text, scope);
  if (!own && last == "Config") return config(e, scope);
  for (const Expr* item : e.items) {
    if (item->kind != Expr::Kind::Starred) {
      positional.push_back(eval(*item, scope));
      continue;
    }
    const HostValue more = sequence(*item, eval(*item->items[0], scope));
    charge(item->range, more.items().size());
    positional.insert(positional.end(), more.items().begin(), more.items().end());
  }
  for (const Keyword& k : e.keywords) {
    HostValue v = eval(*k.value, scope);
    if (!k.name.empty()) {
      named[k.name] = std::move(v);
      continue;
    }
    if (v.kind != K::Dict) refuse(*k.value, "only a dict can stand after `**`");
    charge(k.value->range, v.items().size());
    for (size_t i = 0; i + 1 < v.items().size(); i += 2) named[name_of(*k.value, v.items()[i])] = v.items()[i + 1];
  }
  if (!own)
    if (auto known = built_in(e, chain, last, positional, named)) return *known;
  // What a function says about the machine by its name, when it cannot be worked out.
  const HostFact* said = e.base->kind == Expr::Kind::Name ? find_named_fact(chain) : nullptr;
  if (said == nullptr) return call_function(e, eval(*e.base, scope), std::move(positional), std::move(named));
  const int depth = calls_;
  try {
    const HostValue callee = eval(*e.base, scope);
    if (callee.kind == K::Function) return call_function(e, callee, std::move(positional), std::move(named));
  } catch (const Unknown&) {
  }
  calls_ = depth;
  return fact(*said);
}

HostValue Evaluation::config(const Expr& e, Scope* scope) {
  HostValue out = new_list(e, K::Config), values = new_list(e, K::Dict);
  const HostValue options = new_list(e, K::Dict);
  out.range = e.range;
  const auto set = [&](const std::string& name, const Expr& at, HostValue value) {
    if (name == "pre_hook") return;  // a host function that changes no value
    if (name != "kwargs") return put(at, options, HostValue::of(name), std::move(value));
    if (value.kind != K::Dict) refuse(at, "the values of a config are a dict");
    values = std::move(value);
  };
  const auto evaluated = [&](const std::string& name, const Expr& value) { return name == "pre_hook" ? HostValue{} : eval(value, scope); };
  static const char* const kOrder[] = {"kwargs", "num_warps", "num_stages", "num_ctas", "maxnreg", "pre_hook"};
  if (e.items.size() > std::size(kOrder)) refuse(e, "a config with this many arguments is not read here");
  for (size_t i = 0; i < e.items.size(); ++i) set(kOrder[i], *e.items[i], evaluated(kOrder[i], *e.items[i]));
  for (const Keyword& k : e.keywords) {
    if (!k.name.empty()) {
      set(k.name, *k.value, evaluated(k.name, *k.value));
      continue;
    }
    const HostValue more = eval(*k.value, scope);
    if (more.kind != K::Dict) refuse(*k.value, "only a dict can stand after `**`");
    for (size_t i = 0; i + 1 < more.items().size(); i += 2) set(name_of(*k.value, more.items()[i]), *k.value, more.items()[i + 1]);
  }
  add(e, out, values);
  add(e, out, options);
  return out;
}

HostValue Evaluation::method(const Expr& e, const HostValue& base, const std::string& name, Scope* scope) {
  std::vector<HostValue> a;
  for (const Expr* item : e.items) a.push_back(eval(*item, scope));
  const auto axis = [&](const std::vector<int64_t>& values) {
    if (a.empty()) return whole_list(e, values);
    return item(e, whole_list(e, values), a[0]);
  };
  if (base.kind == K::Tensor) {
    const TensorSpec& t = *base.tensor;
    if (name == "element_size") return HostValue::of(static_cast<int64_t>(dtype_bytes(t.dtype)));
    if (name == "numel") return HostValue::of(t.layout.elements());
    if (name == "size") return axis(t.layout.shape);
    if (name == "stride") return axis(t.layout.strides);
    if (name == "dim") return HostValue::of(static_cast<int64_t>(t.layout.shape.size()));
  }
  if (base.kind == K::Str) {
    std::map<std::string, HostValue> named;
    for (const Keyword& k : e.keywords) named[k.name] = eval(*k.value, scope);
    if (auto v = text_method(*this, e, base.text, name, a, named)) return *v;
  }
  if (is_whole(base) && name == "bit_length" && a.empty()) return HostValue::of(bit_length(base.integer));
  if (base.kind == K::Dict && name == "copy") return base;
  if (base.kind == K::Dict && (name == "keys" || name == "values" || name == "items")) {
    const HostValue out = new_list(e);
    for (size_t i = 0; i + 1 < base.items().size(); i += 2) {
      if (name != "items") {
        add(e, out, base.items()[name == "keys" ? i : i + 1]);
        continue;
      }
      const HostValue pair = new_list(e);
      add(e, pair, base.items()[i]);
      add(e, pair, base.items()[i + 1]);
      add(e, out, pair);
    }
    return out;
  }
  if (base.kind == K::Arguments && name == "get" && !a.empty() && a[0].kind == K::Str) {
    const bool there = launch_ != nullptr && launch_->find(a[0].text) != nullptr;
    return there ? argument(e, a[0].text) : a.size() > 1 ? a[1] : HostValue{};
  }
  if (base.kind == K::Dict && name == "get" && !a.empty()) {
    if (const HostValue* found = value_under(e, base, a[0])) return *found;
    return a.size() > 1 ? a[1] : HostValue{};
  }
  refuse(e, "`." + name + "()` of " + host_text(base) + " is not known here");
}

std::optional<HostValue> Evaluation::built_in(const Expr& e, const std::string& chain, const std::string& last, const std::vector<HostValue>& a, const std::map<std::string, HostValue>& named) {
  const bool module_call = is_module_call(chain);
  if (!module_call && chain != last) return std::nullopt;
  if (!named.empty()) return std::nullopt;
  if (last == "cdiv" && a.size() == 2) {
    const HostValue q = binary(e, SynOp::FloorDiv, minus(e, a[0]), a[1]);
    return minus(e, q);
  }
  if (last == "next_power_of_2" && a.size() == 1 && is_whole(a[0])) {
    if (a[0].integer > int64_t{1} << 62) refuse(e, "the value does not fit 64 bits");
    int64_t n = a[0].integer <= 0 ? 0 : 1;
    while (n > 0 && n < a[0].integer) n *= 2;
    return HostValue::of(n);
  }
  if ((last == "min" || last == "max") && !a.empty()) {
    const std::vector<HostValue>& values = a.size() == 1 ? sequence(e, a[0]).items() : a;
    charge(e.range, values.size() / 16);
    if (values.empty()) refuse(e, last + " of nothing");
    HostValue best = values[0];
    for (const HostValue& v : values)
      if (holds(e, last == "min" ? SynOp::Lt : SynOp::Gt, v, best)) best = v;
    return best;
  }
  if (module_call && last == "constexpr" && a.size() == 1) return a[0];
  if (module_call && last == "product") return product(e, a);
  if (last == "log2" && a.size() == 1 && is_number(a[0]) && real_of(a[0]) > 0) return HostValue::of(std::log2(real_of(a[0])));
  if (last == "sqrt" && a.size() == 1 && is_number(a[0]) && real_of(a[0]) >= 0) return HostValue::of(std::sqrt(real_of(a[0])));
  if ((last == "ceil" || last == "floor") && a.size() == 1 && is_number(a[0]))
    return to_int(e, last == "ceil" ? std::ceil(real_of(a[0])) : std::floor(real_of(a[0])));
  return module_call ? std::nullopt : python_function(e, last, a);
}

std::optional<HostValue> Evaluation::python_function(const Expr& e, const std::string& f, const std::vector<HostValue>& a) {
  if (f == "filter" && a.size() == 2) {
    const HostValue out = new_list(e), values = sequence(e, a[1]);
    for (size_t i = 0; i < values.items().size(); ++i) {
      const HostValue v = values.items()[i];
      if (truth(call_function(e, a[0], {v}, {}), e)) add(e, out, v);
    }
    return out;
  }
  if (f == "range" && !a.empty() && a.size() <= 3) return range(e, a);
  if (a.size() != 1) return std::nullopt;
  if (f == "len" && (a[0].kind == K::List || a[0].kind == K::Dict || a[0].kind == K::Str))
    return HostValue::of(static_cast<int64_t>(a[0].kind == K::Str ? a[0].text.size() : a[0].kind == K::Dict ? a[0].items().size() / 2 : a[0].items().size()));
  if (f == "list" || f == "tuple") {
    const HostValue out = new_list(e);
    extend(e, out, a[0]);
    return out;
  }
  if (f == "str") return HostValue::of(text_of(e, a[0]));
  if (f == "any" || f == "all") {
    bool out = f == "all";
    const HostValue values = sequence(e, a[0]);
    charge(e.range, values.items().size() / 16);
    for (const HostValue& v : values.items()) out = f == "all" ? out && truth(v, e) : out || truth(v, e);
    return HostValue::of(out);
  }
  if (f == "bool") return HostValue::of(truth(a[0], e));
  if (f == "int" && is_whole(a[0])) return HostValue::of(a[0].integer);
  if (f == "int" && a[0].kind == K::Str) {
    int64_t n = 0;
    const auto [end, error] = std::from_chars(a[0].text.data(), a[0].text.data() + a[0].text.size(), n);
    if (error == std::errc() && end == a[0].text.data() + a[0].text.size()) return HostValue::of(n);
  }
  if (f == "int" && a[0].kind == K::Float) return to_int(e, std::trunc(a[0].real));
  if (f == "float" && is_number(a[0])) return HostValue::of(real_of(a[0]));
  if (f == "abs" && is_number(a[0])) return real_of(a[0]) < 0 ? minus(e, a[0]) : a[0];
  return std::nullopt;
}

HostValue Evaluation::call_lambda(const Expr& at, const HostValue& callee, const std::vector<HostValue>& positional,
                                  const std::map<std::string, HostValue>& named) {
  const Expr& lambda = *callee.lambda;
  Scope& scope = new_scope(at, callee.scope);
  charge(at.range, lambda.keywords.size());
  for (size_t i = 0; i < lambda.keywords.size(); ++i) {
    const Keyword& k = lambda.keywords[i];
    if (i < positional.size()) scope.names[k.name] = positional[i];
    else if (auto given = named.find(k.name); given != named.end()) scope.names[k.name] = given->second;
    else if (const HostValue* value = callee.find(k.name)) scope.names[k.name] = *value;
    else refuse(at, "`" + k.name + "` of the lambda has no value");
  }
  if (positional.size() > lambda.keywords.size()) refuse(at, "the lambda takes " + std::to_string(lambda.keywords.size()) + " arguments");
  for (const auto& [name, value] : named)
    if (scope.names.count(name) == 0) refuse(at, "the lambda has no parameter `" + name + "`");
  return eval(*lambda.items[0], &scope);
}

/// Defaults are worked out once, where the function stands.
HostValue Evaluation::default_of(const FunctionDef& f, const Expr& value) {
  const int64_t outer = before_;
  stand_at(f.range);
  HostValue out = eval(value, nullptr);
  before_ = outer;
  keep_as_it_is(value, out);
  return out;
}

HostValue Evaluation::call_def(const Expr& at, const FunctionDef& f, const std::vector<HostValue>& positional, const std::map<std::string, HostValue>& named) {
  if (!f.errors.empty() || !f.decorators.empty()) refuse(at, "`" + f.name + "` is not read here");
  Scope& scope = new_scope(at, nullptr);
  charge(at.range, f.params.size());
  for (size_t i = 0; i < f.params.size(); ++i) {
    const FunctionParam& p = f.params[i];
    if (p.kind == FunctionParam::Kind::VarArgs || p.kind == FunctionParam::Kind::KwArgs) refuse(at, "`" + f.name + "` takes any arguments: it is not read here");
    if (i < positional.size() && p.kind != FunctionParam::Kind::KeywordOnly) scope.names[p.name] = positional[i];
    else if (auto given = named.find(p.name); given != named.end()) scope.names[p.name] = given->second;
    else if (p.default_value != nullptr) scope.names[p.name] = default_of(f, *p.default_value);
    else refuse(at, "`" + p.name + "` of `" + f.name + "` has no value");
  }
  if (positional.size() > f.params.size()) refuse(at, "`" + f.name + "` takes " + std::to_string(f.params.size()) + " arguments");
  for (const auto& [name, value] : named)
    if (scope.names.count(name) == 0) refuse(at, "`" + f.name + "` has no parameter `" + name + "`");
  HostValue out;
  run(f.body, scope, out);
  return out;
}

}  // namespace tilescope::host
