#include "core/host_ops.h"

#include <algorithm>
#include <cmath>

namespace tilescope::host {

using K = HostValue::Kind;

bool is_number(const HostValue& v) { return v.kind == K::Int || v.kind == K::Bool || v.kind == K::Float; }
bool is_whole(const HostValue& v) { return v.kind == K::Int || v.kind == K::Bool; }
double real_of(const HostValue& v) { return v.kind == K::Float ? v.real : static_cast<double>(v.integer); }

namespace {

/// As CPython: from the exact remainder; a / b may round up to the next whole number (1.0 // 0.1 is 9.0).
double floor_divided(double a, double b) {
  double rest = std::fmod(a, b), q = (a - rest) / b;
  if (rest != 0 && (b < 0) != (rest < 0)) q -= 1;
  if (q == 0) return std::copysign(0.0, a / b);
  const double whole = std::floor(q);
  return q - whole > 0.5 ? whole + 1 : whole;
}

HostValue real(const Expr& e, SynOp op, double a, double b) {
  const bool divides = op == SynOp::Div || op == SynOp::FloorDiv || op == SynOp::Mod;
  if (divides && b == 0) refuse(e, "division by zero");
  switch (op) {
    case SynOp::Add: return HostValue::of(a + b);
    case SynOp::Sub: return HostValue::of(a - b);
    case SynOp::Mul: return HostValue::of(a * b);
    case SynOp::Div: return HostValue::of(a / b);
    case SynOp::FloorDiv: return HostValue::of(floor_divided(a, b));
    case SynOp::Pow: return HostValue::of(std::pow(a, b));
    default: refuse(e, std::string(spelling(op)) + " of floats is not read here");
  }
}

HostValue whole(const Expr& e, SynOp op, int64_t a, int64_t b) {
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

}  // namespace

const HostValue* Scope::find(const std::string& name) const {
  for (const Scope* s = this; s != nullptr; s = s->around)
    if (const auto found = s->names.find(name); found != s->names.end()) return &found->second;
  return nullptr;
}

void refuse(const SourceRange& at, const std::string& why) {
  Diagnostic d;
  d.message = why;
  d.range = at;
  throw Unknown{std::move(d)};
}

void refuse(const Expr& at, const std::string& why) { refuse(at.range, why); }

bool truth(const HostValue& v, const Expr& at) {
  switch (v.kind) {
    case K::None: return false;
    case K::Bool:
    case K::Int: return v.integer != 0;
    case K::Float: return v.real != 0;
    case K::Str: return !v.text.empty();
    case K::List:
    case K::Dict: return !v.items().empty();
    case K::Tensor: refuse(at, "whether a tensor is true needs its values");
    default: return true;
  }
}

HostValue dtype_value(DType t) {
  HostValue out;
  out.kind = K::DType;
  out.dtype = t;
  return out;
}

HostValue minus(const Expr& e, const HostValue& v) {
  if (!is_number(v)) refuse(e, "this needs a number");
  if (v.kind == K::Float) return HostValue::of(-v.real);
  if (v.integer == INT64_MIN) refuse(e, "the value does not fit 64 bits");
  return HostValue::of(-v.integer);
}

HostValue unary(const Expr& e, const HostValue& v) {
  if (e.op == SynOp::Not) return HostValue::of(!truth(v, e));
  if (!is_number(v)) refuse(e, "this needs a number");
  if (e.op == SynOp::Neg) return minus(e, v);
  if (e.op == SynOp::Pos) return v.kind == K::Bool ? HostValue::of(v.integer) : v;
  if (v.kind == K::Float) refuse(e, "this needs an integer");
  return HostValue::of(~v.integer);
}

HostValue to_int(const Expr& e, double v) {
  if (!(std::abs(v) < 9e18)) refuse(e, "the value does not fit 64 bits");
  return HostValue::of(static_cast<int64_t>(v));
}

// ---- charged to the budget

void Operations::charge(const SourceRange& at, size_t steps) {
  memory_.steps += steps;
  if (memory_.steps > kMaxSteps) refuse(at, "this takes too long to work out");
}

HostValue Operations::new_list(const Expr& at, K kind) {
  charge(at.range);
  HostValue out;
  out.kind = kind;
  out.list = &memory_.lists.emplace_back();
  return out;
}

Scope& Operations::new_scope(const Expr& at, Scope* around) {
  charge(at.range);
  Scope& out = memory_.scopes.emplace_back();
  out.around = around;
  return out;
}

void Operations::add(const Expr& at, const HostValue& list, HostValue v) {
  if (list.list->of_file) refuse(at, "host code changes a list of the file");
  if (list.list->items.size() >= kMaxItems) refuse(at, "a list of more than " + std::to_string(kMaxItems) + " items");
  charge(at.range, 1 + v.text.size() / 32);
  list.list->items.push_back(std::move(v));
}

void Operations::put(const Expr& at, const HostValue& dict, HostValue key, HostValue value) {
  std::vector<HostValue>& items = dict.list->items;
  charge(at.range, 1 + items.size() / 16);
  for (size_t i = 0; i + 1 < items.size(); i += 2)
    if (equal(at, items[i], key)) {
      items[i + 1] = std::move(value);
      return;
    }
  add(at, dict, std::move(key));
  add(at, dict, std::move(value));
}

HostValue Operations::sequence(const Expr& at, const HostValue& v) {
  if (v.kind == K::List) return v;
  if (v.kind != K::Dict) refuse(at, host_text(v) + " is no list");
  const HostValue keys = new_list(at);
  for (size_t i = 0; i < v.items().size(); i += 2) add(at, keys, v.items()[i]);
  return keys;
}

HostValue Operations::whole_list(const Expr& at, const std::vector<int64_t>& values) {
  const HostValue out = new_list(at);
  for (int64_t v : values) add(at, out, HostValue::of(v));
  return out;
}

HostValue Operations::binary(const Expr& e, SynOp op, const HostValue& a, const HostValue& b) {
  if ((op == SynOp::Add && a.kind == K::List && b.kind == K::List) || (op == SynOp::Mul && a.kind == K::List && is_whole(b))) {
    const HostValue out = new_list(e);
    const int64_t times = op == SynOp::Add || a.items().empty() ? 1 : b.integer;
    for (int64_t i = 0; i < times; ++i)
      for (const HostValue& v : a.items()) add(e, out, v);
    for (size_t i = 0; op == SynOp::Add && i < b.items().size(); ++i) add(e, out, b.items()[i]);
    return out;
  }
  if (op == SynOp::Add && a.kind == K::Str && b.kind == K::Str) {
    if (a.text.size() + b.text.size() > kMaxText) refuse(e, "this text is too long");
    charge(e.range, (a.text.size() + b.text.size()) / 32);
    return HostValue::of(a.text + b.text);
  }
  if (!is_number(a) || !is_number(b)) refuse(e, std::string(spelling(op)) + " of " + host_text(a) + " and " + host_text(b) + " is not read here");
  if (is_whole(a) && is_whole(b) && op != SynOp::Div) {
    const HostValue out = whole(e, op, a.integer, b.integer);
    const bool bits = op == SynOp::BitAnd || op == SynOp::BitOr || op == SynOp::BitXor;
    return bits && a.kind == K::Bool && b.kind == K::Bool ? HostValue::of(out.integer != 0) : out;
  }
  return real(e, op, real_of(a), real_of(b));
}

bool Operations::equal(const Expr& at, const HostValue& a, const HostValue& b, int depth) {
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
      if (depth > 50) refuse(at, "lists nested too deep to compare");
      if (a.items().size() != b.items().size()) return false;
      for (size_t i = 0; i < a.items().size(); ++i) {
        charge(at.range);
        if (!equal(at, a.items()[i], b.items()[i], depth + 1)) return false;
      }
      return true;
    default: refuse(at, "comparing " + host_text(a) + " is not read here");
  }
}

HostValue Operations::range(const Expr& e, const std::vector<HostValue>& a) {
  constexpr int64_t kFar = int64_t{1} << 60;
  for (const HostValue& v : a) {
    if (!is_whole(v)) refuse(e, "range needs integers");
    if (v.integer > kFar || v.integer < -kFar) refuse(e, "this range is not read here");
  }
  const int64_t from = a.size() > 1 ? a[0].integer : 0, to = a.size() > 1 ? a[1].integer : a[0].integer, step = a.size() > 2 ? a[2].integer : 1;
  if (step == 0) refuse(e, "this range is not read here");
  const HostValue out = new_list(e);
  for (int64_t i = from; step > 0 ? i < to : i > to; i += step) add(e, out, HostValue::of(i));
  return out;
}

HostValue Operations::product(const Expr& e, const std::vector<HostValue>& lists) {
  HostValue out = new_list(e);
  add(e, out, new_list(e));
  for (const HostValue& l : lists) {
    const HostValue next = new_list(e), values = sequence(e, l);
    for (const HostValue& begun : out.items())
      for (const HostValue& v : values.items()) {
        const HostValue row = new_list(e);
        for (const HostValue& x : begun.items()) add(e, row, x);
        add(e, row, v);
        add(e, next, row);
      }
    out = next;
  }
  return out;
}

}  // namespace tilescope::host
