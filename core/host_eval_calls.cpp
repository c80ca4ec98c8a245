// Calls of host Python: triton.Config, the functions it is known to have, and those of the file.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/host_evaluation.h"

namespace tilescope::host {

using K = HostValue::Kind;

namespace {

bool is_module_call(const std::string& chain) {
  for (std::string_view module : {"triton.", "tl.", "math.", "itertools.", "builtins."})
    if (chain.starts_with(module)) return true;
  return false;
}

}  // namespace

HostValue Evaluation::call_function(const Expr& at, const HostValue& callee, std::vector<HostValue> positional, std::map<std::string, HostValue> named) {
  if (callee.kind != K::Function) refuse(at, "this is no function of the file");
  if (calls_ >= kMaxCalls) refuse(at, "calls nested deeper than " + std::to_string(kMaxCalls));
  ++calls_;
  HostValue out = callee.lambda != nullptr ? call_lambda(at, *callee.lambda, positional, named)
                                           : call_def(at, *callee.function, positional, named);
  --calls_;
  return out;
}

HostValue Evaluation::call(const Expr& e, Scope* scope) {
  const std::string chain = dotted(*e.base);
  const bool own = e.base->kind == Expr::Kind::Name && (module_.find_function(chain, 0) != nullptr || (scope != nullptr && scope->count(chain) != 0));
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
    if (item->kind == Expr::Kind::Starred)
      for (HostValue& v : sequence(*item, eval(*item->items[0], scope))) positional.push_back(std::move(v));
    else
      positional.push_back(eval(*item, scope));
  }
  for (const Keyword& k : e.keywords) {
    HostValue v = eval(*k.value, scope);
    if (!k.name.empty()) {
      named[k.name] = std::move(v);
      continue;
    }
    if (v.kind != K::Dict) refuse(*k.value, "only a dict can stand after `**`");
    for (size_t i = 0; i + 1 < v.items.size(); i += 2) named[v.items[i].text] = v.items[i + 1];
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
  HostValue out;
  out.kind = K::Config;
  out.range = e.range;
  const auto set = [&](const std::string& name, const Expr& value) {
    if (name == "kwargs") {
      out.items = {eval(value, scope)};
      if (out.items[0].kind != K::Dict) refuse(value, "the values of a config are a dict");
    } else if (name != "pre_hook") {  // a host function that changes no value
      out.options[name] = eval(value, scope);
    }
  };
  static const char* const kOrder[] = {"kwargs", "num_warps", "num_stages", "num_ctas", "maxnreg", "pre_hook"};
  if (e.items.size() > std::size(kOrder)) refuse(e, "a config with this many arguments is not read here");
  for (size_t i = 0; i < e.items.size(); ++i) set(kOrder[i], *e.items[i]);
  for (const Keyword& k : e.keywords) {
    if (!k.name.empty()) {
      set(k.name, *k.value);
      continue;
    }
    const HostValue more = eval(*k.value, scope);
    if (more.kind != K::Dict) refuse(*k.value, "only a dict can stand after `**`");
    for (size_t i = 0; i + 1 < more.items.size(); i += 2) out.options[more.items[i].text] = more.items[i + 1];
  }
  if (out.items.empty()) {
    HostValue none;
    none.kind = K::Dict;
    out.items.push_back(none);
  }
  return out;
}

HostValue Evaluation::method(const Expr& e, const HostValue& base, const std::string& name, Scope* scope) {
  std::vector<HostValue> a;
  for (const Expr* item : e.items) a.push_back(eval(*item, scope));
  const auto axis = [&](const std::vector<int64_t>& values) {
    if (a.empty()) return whole_list(values);
    return item(e, whole_list(values), a[0]);
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
    Scope named;
    for (const Keyword& k : e.keywords) named[k.name] = eval(*k.value, scope);
    if (auto v = text_method(e, base.text, name, a, named)) return *v;
  }
  if (is_whole(base) && name == "bit_length" && a.empty()) return HostValue::of(bit_length(base.integer));
  if (base.kind == K::Dict && name == "copy") return base;
  if (base.kind == K::Dict && (name == "keys" || name == "values" || name == "items")) {
    HostValue out;
    out.kind = K::List;
    for (size_t i = 0; i + 1 < base.items.size(); i += 2) {
      HostValue pair;
      pair.kind = K::List;
      pair.items = {base.items[i], base.items[i + 1]};
      out.items.push_back(name == "keys" ? base.items[i] : name == "values" ? base.items[i + 1] : pair);
    }
    return out;
  }
  if (base.kind == K::Arguments && name == "get" && !a.empty() && a[0].kind == K::Str) {
    const bool there = launch_ != nullptr && launch_->find(a[0].text) != nullptr;
    return there ? argument(e, a[0].text) : a.size() > 1 ? a[1] : HostValue{};
  }
  if (base.kind == K::Dict && name == "get" && !a.empty()) {
    for (size_t i = 0; i + 1 < base.items.size(); i += 2)
      if (equal(e, base.items[i], a[0])) return base.items[i + 1];
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
    const std::vector<HostValue> values = a.size() == 1 ? sequence(e, a[0]) : a;
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
    HostValue out;
    out.kind = K::List;
    for (const HostValue& v : sequence(e, a[1]))
      if (truth(call_function(e, a[0], {v}, {}), e)) out.items.push_back(v);
    return out;
  }
  if (f == "range" && !a.empty() && a.size() <= 3) return range(e, a);
  if (a.size() != 1) return std::nullopt;
  if (f == "len" && (a[0].kind == K::List || a[0].kind == K::Dict || a[0].kind == K::Str))
    return HostValue::of(static_cast<int64_t>(a[0].kind == K::Str ? a[0].text.size() : a[0].kind == K::Dict ? a[0].items.size() / 2 : a[0].items.size()));
  if (f == "list" || f == "tuple") {
    HostValue out;
    out.kind = K::List;
    out.items = sequence(e, a[0]);
    return out;
  }
  if (f == "str") return HostValue::of(text_of(e, a[0]));
  if (f == "any" || f == "all") {
    bool out = f == "all";
    for (const HostValue& v : sequence(e, a[0])) out = f == "all" ? out && truth(v, e) : out || truth(v, e);
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

HostValue Evaluation::call_lambda(const Expr& at, const Expr& lambda, const std::vector<HostValue>& positional, const std::map<std::string, HostValue>& named) {
  Scope scope;
  for (size_t i = 0; i < lambda.keywords.size(); ++i) {
    const Keyword& k = lambda.keywords[i];
    if (i < positional.size()) scope[k.name] = positional[i];
    else if (auto given = named.find(k.name); given != named.end()) scope[k.name] = given->second;
    else if (k.value != nullptr) scope[k.name] = eval(*k.value, nullptr);
    else refuse(at, "`" + k.name + "` of the lambda has no value");
  }
  if (positional.size() > lambda.keywords.size()) refuse(at, "the lambda takes " + std::to_string(lambda.keywords.size()) + " arguments");
  return eval(*lambda.items[0], &scope);
}

HostValue Evaluation::call_def(const Expr& at, const FunctionDef& f, const std::vector<HostValue>& positional, const std::map<std::string, HostValue>& named) {
  if (!f.errors.empty() || !f.decorators.empty()) refuse(at, "`" + f.name + "` is not read here");
  Scope scope;
  for (size_t i = 0; i < f.params.size(); ++i) {
    const FunctionParam& p = f.params[i];
    if (p.kind == FunctionParam::Kind::VarArgs || p.kind == FunctionParam::Kind::KwArgs) refuse(at, "`" + f.name + "` takes any arguments: it is not read here");
    if (i < positional.size()) scope[p.name] = positional[i];
    else if (auto given = named.find(p.name); given != named.end()) scope[p.name] = given->second;
    else if (p.default_value != nullptr) scope[p.name] = eval(*p.default_value, nullptr);
    else refuse(at, "`" + p.name + "` of `" + f.name + "` has no value");
  }
  if (positional.size() > f.params.size()) refuse(at, "`" + f.name + "` takes " + std::to_string(f.params.size()) + " arguments");
  HostValue out;
  run(f.body, scope, out);
  return out;
}

}  // namespace tilescope::host
