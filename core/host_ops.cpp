#include "core/host_ops.h"

#include <algorithm>
#include <cmath>

namespace tilescope::host {

using K = HostValue::Kind;

bool is_number(const HostValue& v) { return v.kind == K::Int || v.kind == K::Bool || v.kind == K::Float; }
bool is_whole(const HostValue& v) { return v.kind == K::Int || v.kind == K::Bool; }
double real_of(const HostValue& v) { return v.kind == K::Float ? v.real : static_cast<double>(v.integer); }

namespace {

HostValue real(const Expr& e, SynOp op, double a, double b) {
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

void refuse(const Expr& at, const std::string& why) {
  Diagnostic d;
  d.message = why;
  d.range = at.range;
  throw Unknown{std::move(d)};
}

bool truth(const HostValue& v, const Expr& at) {
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

void add(const Expr& at, HostValue& list, HostValue v) {
  if (list.items.size() >= kMaxItems) refuse(at, "a list of more than " + std::to_string(kMaxItems) + " items");
  list.items.push_back(std::move(v));
}

std::vector<HostValue> sequence(const Expr& at, const HostValue& v) {
  if (v.kind == K::List) return v.items;
  if (v.kind != K::Dict) refuse(at, host_text(v) + " is no list");
  std::vector<HostValue> keys;
  for (size_t i = 0; i < v.items.size(); i += 2) keys.push_back(v.items[i]);
  return keys;
}

HostValue dtype_value(DType t) {
  HostValue out;
  out.kind = K::DType;
  out.dtype = t;
  return out;
}

HostValue whole_list(const std::vector<int64_t>& values) {
  HostValue out;
  out.kind = K::List;
  for (int64_t v : values) out.items.push_back(HostValue::of(v));
  return out;
}

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

bool equal(const Expr& at, const HostValue& a, const HostValue& b) {
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

HostValue to_int(const Expr& e, double v) {
  if (!(std::abs(v) < 9e18)) refuse(e, "the value does not fit 64 bits");
  return HostValue::of(static_cast<int64_t>(v));
}

HostValue minus(const Expr& e, const HostValue& v) {
  if (!is_number(v)) refuse(e, "this needs a number");
  if (v.kind == K::Float) return HostValue::of(-v.real);
  if (v.integer == INT64_MIN) refuse(e, "the value does not fit 64 bits");
  return HostValue::of(-v.integer);
}

HostValue range(const Expr& e, const std::vector<HostValue>& a) {
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

HostValue product(const Expr& e, const std::vector<HostValue>& lists) {
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

}  // namespace tilescope::host
