#include "core/host_eval.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

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

namespace {

using K = HostValue::Kind;
using Scope = std::map<std::string, HostValue>;

constexpr int kMaxSteps = 200'000;
constexpr int kMaxCalls = 12;  ///< an expression has up to 200 levels in each
constexpr size_t kMaxItems = 10'000;
constexpr size_t kMaxText = 4096;

/// Why something is not known.
struct Unknown {
  Diagnostic why;
};

bool is_number(const HostValue& v) { return v.kind == K::Int || v.kind == K::Bool || v.kind == K::Float; }
bool is_whole(const HostValue& v) { return v.kind == K::Int || v.kind == K::Bool; }
double real_of(const HostValue& v) { return v.kind == K::Float ? v.real : static_cast<double>(v.integer); }

/// "triton.cdiv" of an attribute chain of names; a call in between is written "()". Empty for anything else.
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

class Evaluation {
 public:
  Evaluation(const Module& module, int scope, const LaunchSpec* launch) : module_(module), scope_(scope), launch_(launch) {}

  HostValue eval(const Expr& e, Scope* scope) {
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

  HostValue call_function(const Expr& at, const HostValue& callee, std::vector<HostValue> positional,
                          std::map<std::string, HostValue> named) {
    if (callee.kind != K::Function) refuse(at, "this is no function of the file");
    if (calls_ >= kMaxCalls) refuse(at, "calls nested deeper than " + std::to_string(kMaxCalls));
    ++calls_;
    HostValue out = callee.lambda != nullptr ? call_lambda(at, *callee.lambda, positional, named)
                                             : call_def(at, *callee.function, positional, named);
    --calls_;
    return out;
  }

 private:
  [[noreturn]] static void refuse(const Expr& at, const std::string& why) {
    Diagnostic d;
    d.message = why;
    d.range = at.range;
    throw Unknown{std::move(d)};
  }

  static bool truth(const HostValue& v, const Expr& at) {
    switch (v.kind) {
      case K::None: return false;
      case K::Bool:
      case K::Int: return v.integer != 0;
      case K::Float: return v.real != 0;
      case K::Str: return !v.text.empty();
      case K::List:
      case K::Dict: return !v.items.empty();
      case K::Tensor: refuse(at, "whether a tensor is true needs its values");
      default: return true;
    }
  }

  HostValue name(const Expr& e, Scope* scope) {
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
      if (f->conditional || std::count_if(module_.functions.begin(), module_.functions.end(), same) > 1)
        refuse(e, "which `" + e.text + "` is meant depends on the host code");
      HostValue out;
      out.kind = K::Function;
      out.function = f;
      return out;
    }
    refuse(e, "`" + e.text + "` is not known here");
  }

  /// A name of a class or function that the kernel stands in.
  bool is_of_enclosing_host_code(const std::string& name) const {
    for (int s = scope_; s > 0; s = module_.scopes[static_cast<size_t>(s)].parent) {
      const auto& params = module_.scopes[static_cast<size_t>(s)].params;
      if (std::find(params.begin(), params.end(), name) != params.end()) return true;
      for (const ModuleAssign& a : module_.assigns)
        if (a.scope == s && a.name == name) return true;
      if (module_.find_function(name, s) != nullptr) return true;
    }
    return false;
  }

  /// The assignment that gives a name of the file its value; refused where host code decides.
  const ModuleAssign* module_value(const Expr& e) {
    const ModuleAssign* found = nullptr;
    bool conditional = false;
    for (size_t i = 0; i < std::min(assigns_seen_, module_.assigns.size()); ++i) {
      const ModuleAssign& a = module_.assigns[i];
      if (a.name != e.text || a.scope != 0) continue;
      found = &a;
      conditional = conditional || a.conditional;
    }
    if (found == nullptr) return nullptr;
    if (conditional) refuse(e, "what `" + e.text + "` is depends on the host code around it");
    for (const char* change : {".append(", ".extend(", ".insert(", ".remove(", ".pop(", ".update(", "+=", " +=", "["})
      if (changed_by_host_code(e.text, change)) refuse(e, "host code changes `" + e.text + "` after its definition");
    return found;
  }

  /// A line of host code begins with `name` and this change.
  bool changed_by_host_code(const std::string& name, std::string_view change) const {
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

  HostValue list(const Expr& e, Scope* scope) {
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

  static void add(const Expr& at, HostValue& list, HostValue v) {
    if (list.items.size() >= kMaxItems) refuse(at, "a list of more than " + std::to_string(kMaxItems) + " items");
    list.items.push_back(std::move(v));
  }

  /// What a `for` goes over.
  static std::vector<HostValue> sequence(const Expr& at, const HostValue& v) {
    if (v.kind == K::List) return v.items;
    if (v.kind != K::Dict) refuse(at, host_text(v) + " is no list");
    std::vector<HostValue> keys;
    for (size_t i = 0; i < v.items.size(); i += 2) keys.push_back(v.items[i]);
    return keys;
  }

  HostValue unsupported(const Expr& e, Scope* scope) {
    if (e.text == "lambda") {
      HostValue out;
      out.kind = K::Function;
      out.lambda = &e;
      return out;
    }
    if (e.text == "dict") return dict(e, scope);
    if (e.text == "list comprehension" && !e.items.empty()) {
      HostValue out;
      out.kind = K::List;
      Scope inner = scope != nullptr ? *scope : Scope{};
      comprehend(e, 0, inner, out);
      return out;
    }
    refuse(e, "a " + e.text + " is not read here");
  }

  HostValue dict(const Expr& e, Scope* scope) {
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

  void put(const Expr& at, HostValue& dict, HostValue key, HostValue value) {
    for (size_t i = 0; i + 1 < dict.items.size(); i += 2)
      if (equal(at, dict.items[i], key)) {
        dict.items[i + 1] = std::move(value);
        return;
      }
    add(at, dict, std::move(key));
    add(at, dict, std::move(value));
  }

  void comprehend(const Expr& e, size_t clause, Scope& scope, HostValue& out) {
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

  void bind(const Expr& target, HostValue v, Scope& scope) {
    if (target.kind == Expr::Kind::Name) {
      scope[target.text] = std::move(v);
      return;
    }
    if (target.kind != Expr::Kind::Tuple && target.kind != Expr::Kind::List) refuse(target, "this assignment is not read here");
    if (v.kind != K::List || v.items.size() != target.items.size()) refuse(target, "the number of values does not fit");
    for (size_t i = 0; i < target.items.size(); ++i) bind(*target.items[i], std::move(v.items[i]), scope);
  }

  // ---- attributes and subscripts

  HostValue attribute(const Expr& e, Scope* scope) {
    const std::string chain = dotted(e);
    // Tilescope models NVIDIA GPUs: host code that asks for the vendor gets that answer.
    if (chain.ends_with(".get_current_target().backend")) return HostValue::of(std::string("cuda"));
    if (chain == "torch.version.hip") return {};
    for (std::string_view module : {"torch.", "tl.", "triton.language."})
      if (chain.starts_with(module)) {
        if (auto t = parse_dtype(chain.substr(module.size()))) return dtype(*t);
        refuse(e, "`" + chain + "` is not known here");
      }
    const HostValue base = eval(*e.base, scope);
    if (base.kind == K::Tensor) {
      if (e.text == "dtype") return dtype(base.tensor->dtype);
      if (e.text == "shape") return whole_list(base.tensor->layout.shape);
      if (e.text == "ndim") return HostValue::of(static_cast<int64_t>(base.tensor->layout.shape.size()));
    }
    if (base.kind == K::DType && e.text == "itemsize") return HostValue::of(static_cast<int64_t>(dtype_bytes(base.dtype)));
    if (base.kind == K::Config && e.text == "kwargs") return base.items[0];
    if (base.kind == K::Config)
      if (auto found = base.options.find(e.text); found != base.options.end()) return found->second;
    refuse(e, "`." + e.text + "` of " + host_text(base) + " is not known here");
  }

  static HostValue dtype(DType t) {
    HostValue out;
    out.kind = K::DType;
    out.dtype = t;
    return out;
  }

  static HostValue whole_list(const std::vector<int64_t>& values) {
    HostValue out;
    out.kind = K::List;
    for (int64_t v : values) out.items.push_back(HostValue::of(v));
    return out;
  }

  HostValue argument(const Expr& at, const std::string& name) const {
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

  HostValue subscript(const Expr& e, Scope* scope) {
    const HostValue base = eval(*e.base, scope);
    if (e.items.size() != 1) refuse(e, "this subscript is not read here");
    if (e.items[0]->kind == Expr::Kind::Slice) return slice(e, base, *e.items[0], scope);
    return item(e, base, eval(*e.items[0], scope));
  }

  HostValue item(const Expr& at, const HostValue& base, const HostValue& key) {
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

  HostValue slice(const Expr& e, const HostValue& base, const Expr& s, Scope* scope) {
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

  // ---- operators

  HostValue unary(const Expr& e, const HostValue& v) {
    if (e.op == SynOp::Not) return HostValue::of(!truth(v, e));
    if (!is_number(v)) refuse(e, "this needs a number");
    if (e.op == SynOp::Pos) return v;
    if (v.kind == K::Float && e.op == SynOp::Neg) return HostValue::of(-v.real);
    if (v.kind == K::Float) refuse(e, "this needs an integer");
    if (e.op == SynOp::Invert) return HostValue::of(~v.integer);
    if (v.integer == INT64_MIN) refuse(e, "the value does not fit 64 bits");
    return HostValue::of(-v.integer);
  }

  HostValue binary(const Expr& e, SynOp op, HostValue a, HostValue b) {
    if (op == SynOp::Add && a.kind == K::List && b.kind == K::List) {
      for (HostValue& v : b.items) add(e, a, std::move(v));
      return a;
    }
    if (op == SynOp::Mul && a.kind == K::List && is_whole(b)) {
      HostValue out;
      out.kind = K::List;
      for (int64_t i = 0; i < b.integer && !a.items.empty(); ++i)
        for (const HostValue& v : a.items) add(e, out, v);
      return out;
    }
    if (op == SynOp::Add && a.kind == K::Str && b.kind == K::Str) {
      if (a.text.size() + b.text.size() > kMaxText) refuse(e, "this text is too long");
      return HostValue::of(a.text + b.text);
    }
    if (!is_number(a) || !is_number(b)) refuse(e, std::string(spelling(op)) + " of " + host_text(a) + " and " + host_text(b) + " is not read here");
    if (is_whole(a) && is_whole(b) && op != SynOp::Div) return whole(e, op, a.integer, b.integer);
    return real(e, op, real_of(a), real_of(b));
  }

  static HostValue real(const Expr& e, SynOp op, double a, double b) {
    const bool divides = op == SynOp::Div || op == SynOp::FloorDiv || op == SynOp::Mod;
    if (divides && b == 0) refuse(e, "division by zero");
    switch (op) {
      case SynOp::Add: return HostValue::of(a + b);
      case SynOp::Sub: return HostValue::of(a - b);
      case SynOp::Mul: return HostValue::of(a * b);
      case SynOp::Div: return HostValue::of(a / b);
      case SynOp::FloorDiv: return HostValue::of(std::floor(a / b));
      case SynOp::Pow: return HostValue::of(std::pow(a, b));
      default: refuse(e, std::string(spelling(op)) + " of floats is not read here");
    }
  }

  static HostValue whole(const Expr& e, SynOp op, int64_t a, int64_t b) {
    int64_t out = 0;
    bool over = false;
    switch (op) {
      case SynOp::Add: over = __builtin_add_overflow(a, b, &out); break;
      case SynOp::Sub: over = __builtin_sub_overflow(a, b, &out); break;
      case SynOp::Mul: over = __builtin_mul_overflow(a, b, &out); break;
      case SynOp::FloorDiv:
      case SynOp::Mod: {
        if (b == 0) refuse(e, "division by zero");
        if (b == -1) {
          over = a == INT64_MIN;
          out = op == SynOp::Mod || over ? 0 : -a;
          break;
        }
        int64_t q = a / b;
        if (a % b != 0 && (a < 0) != (b < 0)) --q;
        out = op == SynOp::Mod ? a - q * b : q;
        break;
      }
      case SynOp::Pow: {
        if (b < 0 || b > 64) refuse(e, "this power is not read here");
        out = 1;
        for (int64_t i = 0; i < b && !over; ++i) over = __builtin_mul_overflow(out, a, &out);
        break;
      }
      case SynOp::Shl:
        if (b < 0 || b > 62) refuse(e, "this shift is not read here");
        over = __builtin_mul_overflow(a, int64_t{1} << b, &out);
        break;
      case SynOp::Shr:
        if (b < 0) refuse(e, "a negative shift");
        out = a >> std::min<int64_t>(b, 63);
        break;
      case SynOp::BitAnd: out = a & b; break;
      case SynOp::BitOr: out = a | b; break;
      case SynOp::BitXor: out = a ^ b; break;
      default: refuse(e, std::string(spelling(op)) + " is not read here");
    }
    if (over) refuse(e, "the value does not fit 64 bits");
    return HostValue::of(out);
  }

  /// ==. Refused where it needs a tensor's values.
  static bool equal(const Expr& at, const HostValue& a, const HostValue& b) {
    if (is_number(a) && is_number(b)) return is_whole(a) && is_whole(b) ? a.integer == b.integer : real_of(a) == real_of(b);
    if (a.kind == K::Tensor || b.kind == K::Tensor) {
      if (a.kind == K::None || b.kind == K::None) return false;
      refuse(at, "comparing a tensor needs its values");
    }
    if (a.kind != b.kind) return false;
    switch (a.kind) {
      case K::None: return true;
      case K::Str: return a.text == b.text;
      case K::DType: return a.dtype == b.dtype;
      case K::List:
        if (a.items.size() != b.items.size()) return false;
        for (size_t i = 0; i < a.items.size(); ++i)
          if (!equal(at, a.items[i], b.items[i])) return false;
        return true;
      default: refuse(at, "comparing " + host_text(a) + " is not read here");
    }
  }

  bool holds(const Expr& e, SynOp op, const HostValue& a, const HostValue& b) {
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

  HostValue compare(const Expr& e, Scope* scope) {
    HostValue left = eval(*e.items[0], scope);
    for (size_t i = 0; i < e.ops.size(); ++i) {
      HostValue right = eval(*e.items[i + 1], scope);
      if (!holds(e, e.ops[i], left, right)) return HostValue::of(false);
      left = std::move(right);
    }
    return HostValue::of(true);
  }

  HostValue bool_op(const Expr& e, Scope* scope) {
    HostValue v;
    for (const Expr* item : e.items) {
      v = eval(*item, scope);
      if (truth(v, *item) == (e.op == SynOp::Or)) return v;
    }
    return v;
  }

  // ---- calls

  HostValue call(const Expr& e, Scope* scope) {
    const std::string chain = dotted(*e.base);
    const bool own = e.base->kind == Expr::Kind::Name && (module_.find_function(chain, 0) != nullptr || (scope != nullptr && scope->count(chain) != 0));
    std::vector<HostValue> positional;
    std::map<std::string, HostValue> named;
    const std::string last = chain.substr(chain.rfind('.') + 1);
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
    return call_function(e, eval(*e.base, scope), std::move(positional), std::move(named));
  }

  static bool is_module_call(const std::string& chain) {
    for (std::string_view module : {"triton.", "tl.", "math.", "itertools.", "builtins."})
      if (chain.starts_with(module)) return true;
    return false;
  }

  HostValue config(const Expr& e, Scope* scope) {
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

  HostValue method(const Expr& e, const HostValue& base, const std::string& name, Scope* scope) {
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

  std::optional<HostValue> built_in(const Expr& e, const std::string& chain, const std::string& last, const std::vector<HostValue>& a,
                                    const std::map<std::string, HostValue>& named) {
    const bool module_call = is_module_call(chain);
    if (!module_call && chain != last) return std::nullopt;
    if (!named.empty()) return std::nullopt;
    if (last == "cdiv" && a.size() == 2) {
      const HostValue q = binary(e, SynOp::FloorDiv, unary_minus(e, a[0]), a[1]);
      return unary_minus(e, q);
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

  std::optional<HostValue> python_function(const Expr& e, const std::string& f, const std::vector<HostValue>& a) {
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
    if (f == "bool") return HostValue::of(truth(a[0], e));
    if (f == "int" && is_whole(a[0])) return HostValue::of(a[0].integer);
    if (f == "int" && a[0].kind == K::Float) return to_int(e, std::trunc(a[0].real));
    if (f == "float" && is_number(a[0])) return HostValue::of(real_of(a[0]));
    if (f == "abs" && is_number(a[0])) return real_of(a[0]) < 0 ? unary_minus(e, a[0]) : a[0];
    return std::nullopt;
  }

  static HostValue to_int(const Expr& e, double v) {
    if (!(std::abs(v) < 9e18)) refuse(e, "the value does not fit 64 bits");
    return HostValue::of(static_cast<int64_t>(v));
  }

  HostValue unary_minus(const Expr& e, const HostValue& v) {
    if (!is_number(v)) refuse(e, "this needs a number");
    if (v.kind == K::Float) return HostValue::of(-v.real);
    if (v.integer == INT64_MIN) refuse(e, "the value does not fit 64 bits");
    return HostValue::of(-v.integer);
  }

  static HostValue range(const Expr& e, const std::vector<HostValue>& a) {
    for (const HostValue& v : a)
      if (!is_whole(v)) refuse(e, "range needs integers");
    const int64_t from = a.size() > 1 ? a[0].integer : 0, to = a.size() > 1 ? a[1].integer : a[0].integer, step = a.size() > 2 ? a[2].integer : 1;
    constexpr int64_t kFar = int64_t{1} << 60;
    if (step == 0 || std::max({std::abs(from), std::abs(to), std::abs(step)}) > kFar) refuse(e, "this range is not read here");
    HostValue out;
    out.kind = K::List;
    for (int64_t i = from; step > 0 ? i < to : i > to; i += step) add(e, out, HostValue::of(i));
    return out;
  }

  static HostValue product(const Expr& e, const std::vector<HostValue>& lists) {
    HostValue out, none;
    out.kind = none.kind = K::List;
    out.items.push_back(none);
    for (const HostValue& l : lists) {
      HostValue next;
      next.kind = K::List;
      for (const HostValue& begun : out.items)
        for (const HostValue& v : sequence(e, l)) {
          HostValue row = begun;
          row.items.push_back(v);
          add(e, next, std::move(row));
        }
      out = std::move(next);
    }
    return out;
  }

  HostValue call_lambda(const Expr& at, const Expr& lambda, const std::vector<HostValue>& positional, const std::map<std::string, HostValue>& named) {
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

  HostValue call_def(const Expr& at, const FunctionDef& f, const std::vector<HostValue>& positional, const std::map<std::string, HostValue>& named) {
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

  enum class Flow { On, Break, Continue, Return };

  Flow run(const std::vector<Stmt*>& body, Scope& scope, HostValue& result) {
    for (const Stmt* s : body)
      if (const Flow flow = statement(*s, scope, result); flow != Flow::On) return flow;
    return Flow::On;
  }

  Flow statement(const Stmt& s, Scope& scope, HostValue& result) {
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

  Flow loop(const Stmt& s, Scope& scope, HostValue& result) {
    for (HostValue& v : sequence(*s.value, eval(*s.value, &scope))) {
      bind(*s.targets[0], std::move(v), scope);
      const Flow flow = run(s.body, scope, result);
      if (flow == Flow::Return) return flow;
      if (flow == Flow::Break) return Flow::On;
    }
    return run(s.orelse, scope, result);
  }

  /// `name.append(x)`, `name.extend(x)` of a list of this function; a string that stands alone is a comment.
  bool append(const Expr& e, Scope& scope) {
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

  const Module& module_;
  const int scope_;  ///< that the kernel stands in
  const LaunchSpec* launch_;
  size_t assigns_seen_ = SIZE_MAX;  ///< assignments of the file that are in force
  int steps_ = 0, calls_ = 0;
};

}  // namespace

HostEval::HostEval(const Module& module, int scope, const LaunchSpec* launch) : module_(module), scope_(scope), launch_(launch) {}

Expected<HostValue> HostEval::evaluate(const Expr& e) {
  try {
    return Evaluation(module_, scope_, launch_).eval(e, nullptr);
  } catch (Unknown& u) {
    return std::move(u.why);
  }
}

Expected<HostValue> HostEval::call_with_arguments(const HostValue& callee) {
  static const Expr kNowhere;
  HostValue arguments;
  arguments.kind = K::Arguments;
  try {
    return Evaluation(module_, scope_, launch_).call_function(callee.lambda != nullptr ? *callee.lambda : kNowhere, callee, {arguments}, {});
  } catch (Unknown& u) {
    return std::move(u.why);
  }
}

}  // namespace tilescope
