// Values that only host code gives: what it learns about the machine, constants of classes and enumerations, and what the
// evaluator of host Python (core/host_eval.h) works out where the kernel language has no word for it.
#include "core/host_eval.h"
#include "core/host_facts.h"
#include "core/lower/depth_guard.h"
#include "core/lower/lowering.h"

namespace tilescope::lower {
namespace {

/// `left`: how many items may still be made of tuples in tuples.
std::optional<Value> kernel_value(const HostValue& v, size_t& left) {
  using K = HostValue::Kind;
  switch (v.kind) {
    case K::None: return Value{NoneValue{}, {}};
    case K::Bool: return Value{v.integer != 0, {}};
    case K::Int: return Value{ConstInt{v.integer}, {}};
    case K::Float: return Value{v.real, {}};
    case K::Str: return Value{v.text, {}};
    case K::DType: return Value{DTypeValue{v.dtype, false, {}}, {}};
    case K::List: {
      TupleValue t;
      for (const HostValue& item : v.items()) {
        if (left == 0) return std::nullopt;
        --left;
        std::optional<Value> one = kernel_value(item, left);
        if (!one) return std::nullopt;
        t.items.push_back(std::move(*one));
      }
      return Value{std::move(t), {}};
    }
    default: return std::nullopt;
  }
}

bool is_auto(const Expr& e) { return e.kind == Expr::Kind::Call && e.items.empty() && e.base->text == "auto"; }

}  // namespace

std::optional<Value> Lowering::host_python(const Module& module, int scope, const Expr& e) {
  HostEval host(module, scope);
  const Expected<HostValue> v = host.evaluate(e);
  size_t left = kMaxTupleItems;
  return v ? kernel_value(*v, left) : std::nullopt;
}

Value Lowering::fact_value(const HostFact& fact, const SourceRange& use) {
  Frame frame;
  frame.module = &prelude();
  frame.constexpr_function = true;
  frame.statement = use;
  FrameGuard guard(*this, frame);
  const Expr& e = tilescope::value_of(fact);
  if (e.kind == Expr::Kind::Attribute)  // torch.float8_e4m3fn: the prelude imports no torch
    if (auto v = resolve_path("torch." + e.text)) return *v;
  return eval(e);
}

std::optional<Value> Lowering::path_fact(const std::string& path) {
  if (const HostFact* fact = find_host_fact(path)) return fact_value(*fact, {});
  if (holds_host_facts(path)) return Value{ModuleValue{path}, {}};
  return std::nullopt;
}

std::optional<Value> Lowering::named_fact(const std::string& name, const SourceRange& use) {
  if (name == "current_platform") return Value{ModuleValue{name}, use};
  const HostFact* fact = find_named_fact(name);
  if (fact == nullptr) return std::nullopt;
  const Value v = fact_value(*fact, use);
  note(use, "`" + name + "` depends on the machine: taken as on an NVIDIA H200, " + python_str(v));
  return v;
}

/// torch.cuda.get_device_capability(0), whatever stands between the parentheses.
std::optional<Value> Lowering::call_fact(const Value& callee, const Expr& call) {
  if (!callee.is<ModuleValue>() || callee.as<ModuleValue>().file != nullptr) return std::nullopt;
  auto v = path_fact(callee.as<ModuleValue>().path + "()");
  if (v) v->range = call.range;
  return v;
}

/// `A.X` of `class A(Enum): X = 1`, or of a class that only holds constants. A member of an enumeration and its value are one
/// thing here.
std::optional<Value> Lowering::class_attribute(const ClassValue& c, const std::string& name, const SourceRange& use) {
  const GlobalName key{c.module, c.def->inside, name, seen_until(*c.module)};
  if (auto known = globals_.find(key); known != globals_.end() && known->second) return known->second;
  ConstInt next = 1;  // of auto()
  for (const ModuleAssign& a : c.module->assigns) {
    if (a.scope != c.def->inside) continue;
    if (is_auto(*a.value) && a.name == name) return globals_[key] = Value{next, use};
    if (is_auto(*a.value)) ++next;
    else if (a.value->kind == Expr::Kind::Int && !a.value->too_big) next = static_cast<ConstInt>(a.value->integer) + 1;
  }
  const std::optional<Value> v = lookup_in_scope(*c.module, c.def->inside, name, use);
  if (v) globals_[key] = v;
  return v;
}

/// getattr(x, "name") and getattr(x, "name", otherwise) of host code.
std::optional<Value> Lowering::get_attribute(const Expr& call) {
  if (!frame_->constexpr_function || call.items.size() < 2 || call.items.size() > 3 || !call.keywords.empty()) return std::nullopt;
  const Value name = eval(*call.items[1]);
  if (!name.is<std::string>()) return std::nullopt;
  Expr attribute;
  attribute.kind = Expr::Kind::Attribute;
  attribute.range = call.range;
  attribute.base = call.items[0];
  attribute.text = name.as<std::string>();
  if (call.items.size() == 2) return eval(attribute);
  const Expected<Value> found = attempt([&] { return eval(attribute); });
  return found ? *found : eval(*call.items[2]);
}

}  // namespace tilescope::lower
