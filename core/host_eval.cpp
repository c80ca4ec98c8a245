#include "core/host_eval.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "core/host_evaluation.h"

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

std::string host_text(const HostValue& v) {
  using K = HostValue::Kind;
  switch (v.kind) {
    case K::None: return "None";
    case K::Bool: return v.integer != 0 ? "True" : "False";
    case K::Int: return std::to_string(v.integer);
    case K::Float: {
      char buffer[32];
      const auto [end, ec] = std::to_chars(buffer, buffer + sizeof buffer, v.real);
      std::string s(buffer, ec == std::errc() ? end : buffer);
      return s.find_first_of(".en") == std::string::npos ? s + ".0" : s;
    }
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

void Evaluation::stand_at(int line) {
  assigns_seen_ = 0;
  for (size_t i = 0; i < module_.assigns.size(); ++i)
    if (module_.assigns[i].scope == 0 && module_.assigns[i].range.line <= line) assigns_seen_ = i + 1;
}

namespace {

/// How much a value weighs in memory: lists of lists grow quickly.
size_t weight(const HostValue& v) {
  size_t n = 1 + v.text.size() / 64;
  for (const HostValue& item : v.items) n += weight(item);
  return n;
}

}  // namespace

HostValue Evaluation::eval(const Expr& e, Scope* scope) {
  HostValue v = eval_kind(e, scope);
  if (!v.items.empty() || !v.text.empty()) copied_ += weight(v);
  if (copied_ > kMaxCopied) refuse(e, "the values here grow too large");
  return v;
}

HostValue Evaluation::eval_kind(const Expr& e, Scope* scope) {
  if (++steps_ > kMaxSteps) refuse(e, "this takes too long to work out");
  switch (e.kind) {
    case Expr::Kind::Name: return name(e, scope);
    case Expr::Kind::Int:
      if (e.too_big || e.integer > static_cast<uint64_t>(INT64_MAX)) refuse(e, "this integer does not fit 64 bits");
      return HostValue::of(static_cast<int64_t>(e.integer));
    case Expr::Kind::Float: return HostValue::of(e.real);
    case Expr::Kind::Bool: return HostValue::of(e.integer != 0);
    case Expr::Kind::None: return {};
    case Expr::Kind::Str: return HostValue::of(e.text);
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
  const HostFact* known = scope != nullptr && scope->count(e.text) != 0 ? nullptr : find_named_fact(e.text);
  if (known == nullptr) return defined_name(e, scope);
  const int depth = calls_;
  const size_t seen = assigns_seen_;
  try {
    return defined_name(e, scope);
  } catch (const Unknown&) {
  }
  calls_ = depth;
  assigns_seen_ = seen;
  return fact(*known);
}

HostValue Evaluation::defined_name(const Expr& e, Scope* scope) {
  if (scope != nullptr)
    if (auto found = scope->find(e.text); found != scope->end()) return found->second;
  if (is_of_enclosing_host_code(e.text)) refuse(e, "what `" + e.text + "` is depends on the host code around the kernel");
  if (const ModuleAssign* a = module_value(e)) {
    if (calls_ >= kMaxCalls) refuse(e, "names that stand for each other, nested deeper than " + std::to_string(kMaxCalls));
    ++calls_;
    const size_t outer = assigns_seen_;
    assigns_seen_ = static_cast<size_t>(a - module_.assigns.data());  // a value is made of those before it
    HostValue out = eval(*a->value, nullptr);
    assigns_seen_ = outer;
    --calls_;
    return out;
  }
  if (const FunctionDef* f = module_.find_function(e.text, 0); f != nullptr) {
    const auto same = [&](const auto& other) { return other->scope == 0 && other->name == f->name; };
    if (f->block >= 0 || std::count_if(module_.functions.begin(), module_.functions.end(), same) > 1)
      refuse(e, "which `" + e.text + "` is meant depends on the host code");
    HostValue out;
    out.kind = K::Function;
    out.function = f;
    return out;
  }
  refuse(e, "`" + e.text + "` is not known here");
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

const ModuleAssign* Evaluation::module_value(const Expr& e) {
  const ModuleAssign* found = nullptr;
  bool conditional = false;
  for (size_t i = 0; i < std::min(assigns_seen_, module_.assigns.size()); ++i) {
    const ModuleAssign& a = module_.assigns[i];
    if (a.name != e.text || a.scope != 0) continue;
    found = &a;
    conditional = conditional || a.block >= 0;
  }
  if (found == nullptr) return nullptr;
  if (conditional) refuse(e, "what `" + e.text + "` is depends on the host code around it");
  for (const char* change : {".append(", ".extend(", ".insert(", ".remove(", ".pop(", ".update(", "+=", " +=", "["})
    if (changed_by_host_code(e.text, change)) refuse(e, "host code changes `" + e.text + "` after its definition");
  return found;
}

bool Evaluation::changed_by_host_code(const std::string& name, std::string_view change) const {
  const std::string& text = module_.source->text;
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    size_t begin = at;
    while (begin > 0 && (text[begin - 1] == ' ' || text[begin - 1] == '\t')) --begin;
    const bool line_start = begin == 0 || text[begin - 1] == '\n';
    if (!line_start || text.compare(at + name.size(), change.size(), change) != 0) continue;
    if (change != "[") return true;
    const std::string_view rest = std::string_view(text).substr(at, text.find('\n', at) - at);
    const size_t close = rest.find("] =");
    if (close != std::string_view::npos && rest.compare(close, 4, "] ==") != 0) return true;
  }
  return false;
}

HostValue Evaluation::list(const Expr& e, Scope* scope) {
  HostValue out;
  out.kind = K::List;
  for (const Expr* item : e.items) {
    if (item->kind != Expr::Kind::Starred) {
      add(*item, out, eval(*item, scope));
      continue;
    }
    for (HostValue& v : sequence(*item, eval(*item->items[0], scope))) add(*item, out, std::move(v));
  }
  return out;
}

HostValue Evaluation::unsupported(const Expr& e, Scope* scope) {
  if (e.text == "lambda") {
    HostValue out;
    out.kind = K::Function;
    out.lambda = &e;
    return out;
  }
  if (e.text == "dict") return dict(e, scope);
  if ((e.text == "list comprehension" || e.text == "generator expression") && !e.items.empty()) {
    HostValue out;
    out.kind = K::List;
    Scope inner = scope != nullptr ? *scope : Scope{};
    comprehend(e, 0, inner, out);
    return out;
  }
  refuse(e, "a " + e.text + " is not read here");
}

HostValue Evaluation::dict(const Expr& e, Scope* scope) {
  HostValue out;
  out.kind = K::Dict;
  for (size_t i = 0; i + 1 < e.items.size(); i += 2) {
    HostValue value = eval(*e.items[i + 1], scope);
    if (e.items[i] != nullptr) {
      put(*e.items[i], out, eval(*e.items[i], scope), std::move(value));
      continue;
    }
    if (value.kind != K::Dict) refuse(*e.items[i + 1], "only a dict can stand after `**`");
    for (size_t k = 0; k + 1 < value.items.size(); k += 2) put(e, out, value.items[k], value.items[k + 1]);
  }
  return out;
}

void Evaluation::put(const Expr& at, HostValue& dict, HostValue key, HostValue value) {
  for (size_t i = 0; i + 1 < dict.items.size(); i += 2)
    if (equal(at, dict.items[i], key)) {
      dict.items[i + 1] = std::move(value);
      return;
    }
  add(at, dict, std::move(key));
  add(at, dict, std::move(value));
}

void Evaluation::comprehend(const Expr& e, size_t clause, Scope& scope, HostValue& out) {
  if (clause == e.keywords.size()) return add(e, out, eval(*e.items[0], &scope));
  const Keyword& k = e.keywords[clause];
  if (k.name == "if") {
    if (truth(eval(*k.value, &scope), *k.value)) comprehend(e, clause + 1, scope, out);
    return;
  }
  for (HostValue& v : sequence(*k.value->items[1], eval(*k.value->items[1], &scope))) {
    bind(*k.value->items[0], std::move(v), scope);
    comprehend(e, clause + 1, scope, out);
  }
}

void Evaluation::bind(const Expr& target, HostValue v, Scope& scope) {
  if (target.kind == Expr::Kind::Name) {
    scope[target.text] = std::move(v);
    return;
  }
  if (target.kind != Expr::Kind::Tuple && target.kind != Expr::Kind::List) refuse(target, "this assignment is not read here");
  if (v.kind != K::List || v.items.size() != target.items.size()) refuse(target, "the number of values does not fit");
  for (size_t i = 0; i < target.items.size(); ++i) bind(*target.items[i], std::move(v.items[i]), scope);
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
    if (e.text == "shape") return whole_list(base.tensor->layout.shape);
    if (e.text == "ndim") return HostValue::of(static_cast<int64_t>(base.tensor->layout.shape.size()));
  }
  // Of tl.constexpr and of members of enumerations.
  if (e.text == "value" && (is_number(base) || base.kind == K::Str)) return base;
  if (base.kind == K::DType && e.text == "itemsize") return HostValue::of(static_cast<int64_t>(dtype_bytes(base.dtype)));
  if (base.kind == K::Config && e.text == "kwargs") return base.items[0];
  if (base.kind == K::Config)
    if (auto found = base.options.find(e.text); found != base.options.end()) return found->second;
  refuse(e, "`." + e.text + "` of " + host_text(base) + " is not known here");
}

std::optional<HostValue> Evaluation::class_constant(const Expr& e) {
  if (e.base->kind != Expr::Kind::Name) return std::nullopt;
  for (const ModuleClass& c : module_.classes) {
    if (c.name != e.base->text || c.scope != 0) continue;
    const ModuleAssign* found = nullptr;
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
    const int64_t n = static_cast<int64_t>(base.items.size()), i = key.integer < 0 ? key.integer + n : key.integer;
    if (i < 0 || i >= n) refuse(at, "the list has " + std::to_string(n) + " items");
    return base.items[static_cast<size_t>(i)];
  }
  if (base.kind == K::Dict) {
    for (size_t i = 0; i + 1 < base.items.size(); i += 2)
      if (equal(at, base.items[i], key)) return base.items[i + 1];
    refuse(at, "the dict has no " + host_text(key));
  }
  refuse(at, "a subscript of " + host_text(base) + " is not read here");
}

HostValue Evaluation::slice(const Expr& e, const HostValue& base, const Expr& s, Scope* scope) {
  if (base.kind != K::List || (s.items.size() > 2 && s.items[2] != nullptr)) refuse(e, "this slice is not read here");
  const int64_t n = static_cast<int64_t>(base.items.size());
  int64_t ends[2] = {0, n};
  for (size_t i = 0; i < 2 && i < s.items.size(); ++i) {
    if (s.items[i] == nullptr) continue;
    const HostValue v = eval(*s.items[i], scope);
    if (!is_whole(v)) refuse(e, "a slice needs integers");
    ends[i] = std::clamp<int64_t>(v.integer < 0 ? v.integer + n : v.integer, 0, n);
  }
  HostValue out;
  out.kind = K::List;
  for (int64_t i = ends[0]; i < ends[1]; ++i) out.items.push_back(base.items[static_cast<size_t>(i)]);
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
      if (a.kind == K::Str && b.kind == K::Str) found = b.text.find(a.text) != std::string::npos;
      else
        for (const HostValue& v : sequence(e, b)) found = found || equal(e, a, v);
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

Evaluation::Flow Evaluation::run(const std::vector<Stmt*>& body, Scope& scope, HostValue& result) {
  for (const Stmt* s : body)
    if (const Flow flow = statement(*s, scope, result); flow != Flow::On) return flow;
  return Flow::On;
}

Evaluation::Flow Evaluation::statement(const Stmt& s, Scope& scope, HostValue& result) {
  switch (s.kind) {
    case Stmt::Kind::Pass: return Flow::On;
    case Stmt::Kind::Break: return Flow::Break;
    case Stmt::Kind::Continue: return Flow::Continue;
    case Stmt::Kind::Return:
      if (s.value != nullptr) result = eval(*s.value, &scope);
      return Flow::Return;
    case Stmt::Kind::If: return run(truth(eval(*s.value, &scope), *s.value) ? s.body : s.orelse, scope, result);
    case Stmt::Kind::Assign:
    case Stmt::Kind::AnnAssign:
      if (s.value == nullptr) return Flow::On;
      for (const Expr* t : s.targets) bind(*t, eval(*s.value, &scope), scope);
      return Flow::On;
    case Stmt::Kind::AugAssign: {
      if (s.targets.empty() || s.targets[0]->kind != Expr::Kind::Name) break;
      bind(*s.targets[0], binary(*s.targets[0], s.op, eval(*s.targets[0], &scope), eval(*s.value, &scope)), scope);
      return Flow::On;
    }
    case Stmt::Kind::For: return loop(s, scope, result);
    case Stmt::Kind::ExprStmt:
      if (append(*s.value, scope)) return Flow::On;
      break;
    default: break;
  }
  Diagnostic d;
  d.message = "this statement of host code is not read here";
  d.range = s.range;
  throw Unknown{std::move(d)};
}

Evaluation::Flow Evaluation::loop(const Stmt& s, Scope& scope, HostValue& result) {
  for (HostValue& v : sequence(*s.value, eval(*s.value, &scope))) {
    bind(*s.targets[0], std::move(v), scope);
    const Flow flow = run(s.body, scope, result);
    if (flow == Flow::Return) return flow;
    if (flow == Flow::Break) return Flow::On;
  }
  return run(s.orelse, scope, result);
}

bool Evaluation::append(const Expr& e, Scope& scope) {
  if (e.kind == Expr::Kind::Str) return true;
  if (e.kind != Expr::Kind::Call || e.base->kind != Expr::Kind::Attribute || e.items.size() != 1 || !e.keywords.empty()) return false;
  const Expr& object = *e.base->base;
  const bool extend = e.base->text == "extend";
  if (object.kind != Expr::Kind::Name || (e.base->text != "append" && !extend)) return false;
  auto found = scope.find(object.text);
  if (found == scope.end() || found->second.kind != K::List) return false;
  HostValue v = eval(*e.items[0], &scope);
  if (!extend) add(e, found->second, std::move(v));
  else
    for (HostValue& one : sequence(e, v)) add(e, found->second, std::move(one));
  return true;
}

}  // namespace host

HostEval::HostEval(const Module& module, int scope, const LaunchSpec* launch) : module_(module), scope_(scope), launch_(launch) {}

Expected<HostValue> HostEval::evaluate(const Expr& e) {
  try {
    host::Evaluation evaluation(module_, scope_, launch_);
    evaluation.stand_at(e.range.line);
    return evaluation.eval(e, nullptr);
  } catch (host::Unknown& u) {
    return std::move(u.why);
  }
}

Expected<HostValue> HostEval::call_with_arguments(const HostValue& callee) {
  static const Expr kNowhere;
  HostValue arguments;
  arguments.kind = HostValue::Kind::Arguments;
  try {
    return host::Evaluation(module_, scope_, launch_).call_function(callee.lambda != nullptr ? *callee.lambda : kNowhere, callee, {arguments}, {});
  } catch (host::Unknown& u) {
    return std::move(u.why);
  }
}

}  // namespace tilescope
