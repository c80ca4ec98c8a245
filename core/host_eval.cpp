#include "core/host_eval.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/host_changes.h"
#include "core/host_evaluation.h"
#include "core/launch_text.h"

namespace tilescope {

HostValue HostValue::of(int64_t v) {
  HostValue out;
  out.kind = Kind::Int;
  out.integer = v;
  return out;
}
HostValue HostValue::of(bool v) {
  HostValue out = of(int64_t{v});
  out.kind = Kind::Bool;
  return out;
}
HostValue HostValue::of(double v) {
  HostValue out;
  out.kind = Kind::Float;
  out.real = v;
  return out;
}
HostValue HostValue::of(std::string v) {
  HostValue out;
  out.kind = Kind::Str;
  out.text = std::move(v);
  return out;
}

const std::vector<HostValue>& HostValue::items() const {
  static const std::vector<HostValue> kNone;
  return list == nullptr ? kNone : list->items;
}

const HostValue* HostValue::find(const std::string& key) const {
  for (size_t i = 0; i + 1 < items().size(); i += 2)
    if (items()[i].kind == Kind::Str && items()[i].text == key) return &items()[i + 1];
  return nullptr;
}

std::string host_text(const HostValue& v) {
  using K = HostValue::Kind;
  switch (v.kind) {
    case K::None: return "None";
    case K::Bool: return v.integer != 0 ? "True" : "False";
    case K::Int: return std::to_string(v.integer);
    case K::Float: return real_text(v.real);
    case K::Str: return "'" + v.text + "'";
    case K::List: return "a list";
    case K::Dict: return "a dict";
    case K::Config: return "a config";
    case K::DType: return std::string(dtype_name(v.dtype));
    case K::Tensor: return "a tensor";
    case K::Function: return "a function";
    case K::Arguments: return "the arguments";
  }
  return {};
}

namespace host {

using K = HostValue::Kind;

std::string dotted(const Expr& e) {
  if (e.kind == Expr::Kind::Name) return e.text;
  if (e.kind == Expr::Kind::Call && e.items.empty() && e.keywords.empty()) {
    const std::string base = dotted(*e.base);
    return base.empty() ? base : base + "()";
  }
  if (e.kind != Expr::Kind::Attribute) return {};
  const std::string base = dotted(*e.base);
  return base.empty() ? base : base + "." + e.text;
}

HostValue Evaluation::eval(const Expr& e, Scope* scope) {
  charge(e.range);
  switch (e.kind) {
    case Expr::Kind::Name: return name(e, scope);
    case Expr::Kind::Int:
      if (e.too_big || e.integer > static_cast<uint64_t>(INT64_MAX)) refuse(e, "this integer does not fit 64 bits");
      return HostValue::of(static_cast<int64_t>(e.integer));
    case Expr::Kind::Float: return HostValue::of(e.real);
    case Expr::Kind::Bool: return HostValue::of(e.integer != 0);
    case Expr::Kind::None: return {};
    case Expr::Kind::Str:
      if (e.text.size() > kMaxText) refuse(e, "this string is longer than " + std::to_string(kMaxText) + " bytes");
      charge(e.range, e.text.size() / 32);
      return HostValue::of(e.text);
    case Expr::Kind::FString: return text_with_values(e, scope);
    case Expr::Kind::FormattedValue: return eval(*e.items[0], scope);
    case Expr::Kind::Tuple:
    case Expr::Kind::List: return list(e, scope);
    case Expr::Kind::Attribute: return attribute(e, scope);
    case Expr::Kind::Subscript: return subscript(e, scope);
    case Expr::Kind::Call: return call(e, scope);
    case Expr::Kind::BinOp: return binary(e, e.op, eval(*e.items[0], scope), eval(*e.items[1], scope));
    case Expr::Kind::UnaryOp: return unary(e, eval(*e.items[0], scope));
    case Expr::Kind::Compare: return compare(e, scope);
    case Expr::Kind::BoolOp: return bool_op(e, scope);
    case Expr::Kind::IfExp: return eval(truth(eval(*e.items[0], scope), *e.items[0]) ? *e.items[1] : *e.items[2], scope);
    case Expr::Kind::Unsupported: return unsupported(e, scope);
    default: refuse(e, "this is not read here");
  }
}

HostValue Evaluation::fact(const HostFact& fact) { return eval(value_of(fact), nullptr); }

HostValue Evaluation::text_with_values(const Expr& e, Scope* scope) {
  std::string out;
  for (const Expr* part : e.items) {
    if (part->kind != Expr::Kind::Str && !part->text.empty()) refuse(*part, "a format in an f-string is not read here");
    out += part->kind == Expr::Kind::Str ? part->text : text_of(*part, eval(*part, scope));
    if (out.size() > kMaxText) refuse(e, "this string is longer than " + std::to_string(kMaxText) + " bytes");
  }
  return HostValue::of(std::move(out));
}

HostValue Evaluation::name(const Expr& e, Scope* scope) {
  const HostFact* known = scope != nullptr && scope->find(e.text) != nullptr ? nullptr : find_named_fact(e.text);
  if (known == nullptr) return defined_name(e, scope);
  const int depth = calls_;
  const int64_t before = before_;
  try {
    return defined_name(e, scope);
  } catch (const Unknown&) {
  }
  calls_ = depth;
  before_ = before;
  return fact(*known);
}

HostValue Evaluation::defined_name(const Expr& e, Scope* scope) {
  if (scope != nullptr)
    if (const HostValue* found = scope->find(e.text)) {
      charge(e.range, found->text.size() / 32);
      return *found;
    }
  if (is_of_enclosing_host_code(e.text)) refuse(e, "what `" + e.text + "` is depends on the host code around the kernel");
  const Definition b = binding_of(e.text, e.range);
  if (b.place == 0) refuse(e, "`" + e.text + "` is not known here");
  if (b.block >= 0) refuse(e, "what `" + e.text + "` is depends on the host code around it");
  if (b.type != nullptr) refuse(e, "the class `" + e.text + "` is not read here");
  if (b.import != nullptr) refuse(e, "`" + e.text + "` is imported: what it is is not known here");
  if (b.assign != nullptr) return global(e, *b.assign);
  HostValue out;
  out.kind = K::Function;
  out.function = b.function;
  return out;
}

HostValue Evaluation::global(const Expr& e, const ModuleAssign& a) {
  if (const auto known = memory_.globals.find(&a); known != memory_.globals.end()) return known->second;
  const std::string& text = module_.source->text;
  const auto changed = [&](const std::string& key, bool (*look)(const std::string&, const std::string&)) {
    const auto known = memory_.changed.find(key);
    if (known != memory_.changed.end()) return known->second;
    charge(e.range, text.size() / 1024);
    return memory_.changed[key] = look(text, a.name);
  };
  if (changed(a.name, changes_name)) refuse(e, "host code changes `" + a.name + "` after its definition");
  if (calls_ >= kMaxCalls) refuse(e, "names that stand for each other, nested deeper than " + std::to_string(kMaxCalls));
  ++calls_;
  const int64_t outer = before_;
  before_ = place_of(a.range);  // a value is made of those before it
  HostValue out = eval(*a.value, nullptr);
  before_ = outer;
  --calls_;
  if (out.list != nullptr && out.kind != K::Function && changed("(" + a.name, hands_name_on))
    refuse(e, "host code hands `" + a.name + "` on after its definition");
  keep_as_it_is(e, out);
  return memory_.globals[&a] = out;
}

void Evaluation::keep_as_it_is(const Expr& at, const HostValue& v) {
  std::vector<HostList*> open = {v.list};
  while (!open.empty()) {
    HostList* list = open.back();
    open.pop_back();
    if (list == nullptr || list->of_file) continue;
    list->of_file = true;
    charge(at.range, list->items.size());
    for (const HostValue& item : list->items) open.push_back(item.list);
  }
}

bool Evaluation::is_of_enclosing_host_code(const std::string& name) const {
  for (int s = scope_; s > 0; s = module_.scopes[static_cast<size_t>(s)].parent) {
    const auto& params = module_.scopes[static_cast<size_t>(s)].params;
    if (std::find(params.begin(), params.end(), name) != params.end()) return true;
    for (const ModuleAssign& a : module_.assigns)
      if (a.scope == s && a.name == name) return true;
    if (module_.find_function(name, s) != nullptr) return true;
  }
  return false;
}

/// As in Python the last one that ran before: definitions of all kinds bind the same names.
Definition Evaluation::binding_of(const std::string& name, const SourceRange& use) {
  Definition out;
  const auto look = [&](const std::string& bound, auto&& counts) {
    const std::vector<Definition>& all = module_.definitions_of(bound);
    charge(use, all.size() / 256);
    for (const Definition& d : all)
      if (d.scope == 0 && d.place < before_ && d.place >= out.place && counts(d)) out = d;
  };
  look(name, [](const Definition&) { return true; });
  if (out.place > 0) look("", [](const Definition& d) { return !is_language(d.import->module); });
  return out;
}

HostValue Evaluation::list(const Expr& e, Scope* scope) {
  const HostValue out = new_list(e);
  for (const Expr* item : e.items) {
    if (item->kind != Expr::Kind::Starred) {
      add(*item, out, eval(*item, scope));
      continue;
    }
    const HostValue more = sequence(*item, eval(*item->items[0], scope));
    for (size_t i = 0; i < more.items().size(); ++i) add(*item, out, more.items()[i]);
  }
  return out;
}

HostValue Evaluation::unsupported(const Expr& e, Scope* scope) {
  if (e.text == "lambda") return function_of(e, scope);
  if (e.text == "dict") return dict(e, scope);
  if ((e.text == "list comprehension" || e.text == "generator expression") && !e.items.empty()) {
    const HostValue out = new_list(e);
    comprehend(e, 0, new_scope(e, scope), out);
    return out;
  }
  refuse(e, "a " + e.text + " is not read here");
}

/// A lambda sees the names around it as they are when it is called; its defaults are those of now.
HostValue Evaluation::function_of(const Expr& lambda, Scope* scope) {
  HostValue out = new_list(lambda, K::Function);
  out.lambda = &lambda;
  out.scope = scope;
  for (const Keyword& k : lambda.keywords)
    if (k.value != nullptr) put(lambda, out, HostValue::of(k.name), eval(*k.value, scope));
  return out;
}

HostValue Evaluation::dict(const Expr& e, Scope* scope) {
  const HostValue out = new_list(e, K::Dict);
  for (size_t i = 0; i + 1 < e.items.size(); i += 2) {
    if (e.items[i] != nullptr) {
      HostValue key = eval(*e.items[i], scope);
      put(*e.items[i], out, std::move(key), eval(*e.items[i + 1], scope));
      continue;
    }
    const HostValue more = eval(*e.items[i + 1], scope);
    if (more.kind != K::Dict) refuse(*e.items[i + 1], "only a dict can stand after `**`");
    for (size_t k = 0; k + 1 < more.items().size(); k += 2) put(e, out, more.items()[k], more.items()[k + 1]);
  }
  return out;
}

void Evaluation::comprehend(const Expr& e, size_t clause, Scope& scope, const HostValue& out) {
  if (clause == e.keywords.size()) return add(e, out, eval(*e.items[0], &scope));
  const Keyword& k = e.keywords[clause];
  if (k.name == "if") {
    if (truth(eval(*k.value, &scope), *k.value)) comprehend(e, clause + 1, scope, out);
    return;
  }
  const HostValue values = sequence(*k.value->items[1], eval(*k.value->items[1], &scope));
  for (size_t i = 0; i < values.items().size(); ++i) {
    bind(*k.value->items[0], values.items()[i], scope);
    comprehend(e, clause + 1, scope, out);
  }
}

void Evaluation::bind(const Expr& target, HostValue v, Scope& scope) {
  charge(target.range, 1 + v.text.size() / 32);
  if (target.kind == Expr::Kind::Name) {
    scope.names[target.text] = std::move(v);
    return;
  }
  if (target.kind != Expr::Kind::Tuple && target.kind != Expr::Kind::List) refuse(target, "this assignment is not read here");
  if (v.kind != K::List || v.items().size() != target.items.size()) refuse(target, "the number of values does not fit");
  for (size_t i = 0; i < target.items.size(); ++i) bind(*target.items[i], v.items()[i], scope);
}

HostValue Evaluation::attribute(const Expr& e, Scope* scope) {
  const std::string chain = dotted(e);
  if (chain.ends_with(".get_current_target().backend")) return HostValue::of(std::string("cuda"));  // under any alias
  if (chain == "triton.__version__") return HostValue::of(std::string(kTritonRelease));
  if (const HostFact* known = find_host_fact(chain)) return fact(*known);
  if (std::optional<HostValue> constant = class_constant(e)) return *constant;
  for (std::string_view module : {"torch.", "tl.", "triton.language."})
    if (chain.starts_with(module)) {
      if (auto t = parse_dtype(chain.substr(module.size()))) return dtype_value(*t);
      refuse(e, "`" + chain + "` is not known here");
    }
  const HostValue base = eval(*e.base, scope);
  if (base.kind == K::Tensor) {
    if (e.text == "dtype") return dtype_value(base.tensor->dtype);
    if (e.text == "shape") return whole_list(e, base.tensor->layout.shape);
    if (e.text == "ndim") return HostValue::of(static_cast<int64_t>(base.tensor->layout.shape.size()));
  }
  // Of tl.constexpr and of members of enumerations.
  if (e.text == "value" && (is_number(base) || base.kind == K::Str)) return base;
  if (base.kind == K::DType && e.text == "itemsize") return HostValue::of(static_cast<int64_t>(dtype_bytes(base.dtype)));
  if (base.kind == K::Config && e.text == "kwargs") return base.items()[0];
  if (base.kind == K::Config)
    if (const HostValue* found = base.items()[1].find(e.text)) return *found;
  refuse(e, "`." + e.text + "` of " + host_text(base) + " is not known here");
}

std::optional<HostValue> Evaluation::class_constant(const Expr& e) {
  if (e.base->kind != Expr::Kind::Name) return std::nullopt;
  for (const ModuleClass& c : module_.classes) {
    if (c.name != e.base->text || c.scope != 0) continue;
    const ModuleAssign* found = nullptr;
    charge(e.range, module_.assigns.size() / 256);
    for (const ModuleAssign& a : module_.assigns)
      if (a.scope == c.inside && a.name == e.text) found = &a;
    if (found == nullptr || found->block >= 0) return std::nullopt;
    if (calls_ >= kMaxCalls) refuse(e, "names that stand for each other, nested deeper than " + std::to_string(kMaxCalls));
    ++calls_;
    HostValue out = eval(*found->value, nullptr);
    --calls_;
    return out;
  }
  return std::nullopt;
}

HostValue Evaluation::argument(const Expr& at, const std::string& name) const {
  const LaunchArg* a = launch_ == nullptr ? nullptr : launch_->find(name);
  if (a == nullptr && launch_ != nullptr && name == "num_warps") return HostValue::of(int64_t{launch_->num_warps});
  if (a == nullptr && launch_ != nullptr && name == "num_stages") return HostValue::of(int64_t{launch_->num_stages});
  if (a == nullptr) refuse(at, "the argument `" + name + "` has no value yet");
  if (const auto* t = std::get_if<TensorSpec>(&a->value)) {
    HostValue out;
    out.kind = K::Tensor;
    out.tensor = t;
    return out;
  }
  if (const auto* i = std::get_if<int64_t>(&a->value)) return HostValue::of(*i);
  if (const auto* d = std::get_if<double>(&a->value)) return HostValue::of(*d);
  if (const auto* b = std::get_if<bool>(&a->value)) return HostValue::of(*b);
  if (const auto* s = std::get_if<std::string>(&a->value)) return HostValue::of(*s);
  if (std::holds_alternative<uint64_t>(a->value)) refuse(at, "`" + name + "` does not fit a signed 64-bit integer");
  return {};
}

HostValue Evaluation::subscript(const Expr& e, Scope* scope) {
  const HostValue base = eval(*e.base, scope);
  if (e.items.size() != 1) refuse(e, "this subscript is not read here");
  if (e.items[0]->kind == Expr::Kind::Slice) return slice(e, base, *e.items[0], scope);
  return item(e, base, eval(*e.items[0], scope));
}

HostValue Evaluation::item(const Expr& at, const HostValue& base, const HostValue& key) {
  if (base.kind == K::Arguments && key.kind == K::Str) return argument(at, key.text);
  if (base.kind == K::List && is_whole(key)) {
    const int64_t n = static_cast<int64_t>(base.items().size()), i = key.integer < 0 ? key.integer + n : key.integer;
    if (i < 0 || i >= n) refuse(at, "the list has " + std::to_string(n) + " items");
    return base.items()[static_cast<size_t>(i)];
  }
  if (base.kind == K::Dict) {
    if (const HostValue* found = value_under(at, base, key)) return *found;
    refuse(at, "the dict has no " + host_text(key));
  }
  refuse(at, "a subscript of " + host_text(base) + " is not read here");
}

const HostValue* Evaluation::value_under(const Expr& at, const HostValue& dict, const HostValue& key) {
  charge(at.range, dict.items().size() / 16);
  for (size_t i = 0; i + 1 < dict.items().size(); i += 2)
    if (equal(at, dict.items()[i], key)) return &dict.items()[i + 1];
  return nullptr;
}

HostValue Evaluation::slice(const Expr& e, const HostValue& base, const Expr& s, Scope* scope) {
  if (base.kind != K::List || (s.items.size() > 2 && s.items[2] != nullptr)) refuse(e, "this slice is not read here");
  const int64_t n = static_cast<int64_t>(base.items().size());
  int64_t ends[2] = {0, n};
  for (size_t i = 0; i < 2 && i < s.items.size(); ++i) {
    if (s.items[i] == nullptr) continue;
    const HostValue v = eval(*s.items[i], scope);
    if (!is_whole(v)) refuse(e, "a slice needs integers");
    ends[i] = std::clamp<int64_t>(v.integer < 0 ? v.integer + n : v.integer, 0, n);
  }
  const HostValue out = new_list(e);
  for (int64_t i = ends[0]; i < ends[1]; ++i) add(e, out, base.items()[static_cast<size_t>(i)]);
  return out;
}

bool Evaluation::holds(const Expr& e, SynOp op, const HostValue& a, const HostValue& b) {
  switch (op) {
    case SynOp::Eq: return equal(e, a, b);
    case SynOp::Ne: return !equal(e, a, b);
    case SynOp::Is:
    case SynOp::IsNot: {
      const bool constant = a.kind == K::None || b.kind == K::None || (a.kind == K::Bool && b.kind == K::Bool);
      if (!constant) refuse(e, "`is` is read with None, True and False only");
      const bool same = a.kind == b.kind && a.integer == b.integer;
      return same == (op == SynOp::Is);
    }
    case SynOp::In:
    case SynOp::NotIn: {
      if (a.kind == K::Str && b.kind == K::Arguments) return (launch_ != nullptr && launch_->find(a.text) != nullptr) == (op == SynOp::In);
      bool found = false;
      if (a.kind == K::Str && b.kind == K::Str) {
        charge(e.range, a.text.size() * b.text.size() / 1024);
        return (b.text.find(a.text) != std::string::npos) == (op == SynOp::In);
      }
      const HostValue values = sequence(e, b);
      charge(e.range, values.items().size() / 16);
      for (const HostValue& v : values.items()) found = found || equal(e, a, v);
      return found == (op == SynOp::In);
    }
    default: break;
  }
  const bool texts = a.kind == K::Str && b.kind == K::Str;
  if (!texts && (!is_number(a) || !is_number(b))) refuse(e, "comparing " + host_text(a) + " with " + host_text(b) + " is not read here");
  const bool wholes = is_whole(a) && is_whole(b);
  const int order = texts    ? (a.text < b.text ? -1 : a.text > b.text)
                    : wholes ? (a.integer < b.integer ? -1 : a.integer > b.integer)
                             : (real_of(a) < real_of(b) ? -1 : real_of(a) > real_of(b));
  if (!texts && !wholes && (std::isnan(real_of(a)) || std::isnan(real_of(b)))) return false;
  switch (op) {
    case SynOp::Lt: return order < 0;
    case SynOp::Le: return order <= 0;
    case SynOp::Gt: return order > 0;
    case SynOp::Ge: return order >= 0;
    default: refuse(e, "this comparison is not read here");
  }
}

HostValue Evaluation::compare(const Expr& e, Scope* scope) {
  HostValue left = eval(*e.items[0], scope);
  for (size_t i = 0; i < e.ops.size(); ++i) {
    HostValue right = eval(*e.items[i + 1], scope);
    if (!holds(e, e.ops[i], left, right)) return HostValue::of(false);
    left = std::move(right);
  }
  return HostValue::of(true);
}

HostValue Evaluation::bool_op(const Expr& e, Scope* scope) {
  HostValue v;
  for (const Expr* item : e.items) {
    v = eval(*item, scope);
    if (truth(v, *item) == (e.op == SynOp::Or)) return v;
  }
  return v;
}

}  // namespace host

HostEval::HostEval(const Module& module, int scope) : module_(module), scope_(scope), memory_(std::make_unique<host::Memory>()) {}
HostEval::~HostEval() = default;

Expected<HostValue> HostEval::evaluate(const Expr& e) {
  try {
    host::Evaluation evaluation(module_, scope_, nullptr, *memory_);
    evaluation.stand_at(e.range);
    return evaluation.eval(e, nullptr);
  } catch (host::Unknown& u) {
    return std::move(u.why);
  }
}

Expected<HostValue> HostEval::call_with_arguments(const HostValue& callee, const LaunchSpec& launch) {
  static const Expr kNowhere;
  HostValue arguments;
  arguments.kind = HostValue::Kind::Arguments;
  try {
    return host::Evaluation(module_, scope_, &launch, *memory_).call_function(callee.lambda != nullptr ? *callee.lambda : kNowhere, callee, {arguments}, {});
  } catch (host::Unknown& u) {
    return std::move(u.why);
  }
}

}  // namespace tilescope
