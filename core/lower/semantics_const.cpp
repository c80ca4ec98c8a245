// Arithmetic on values known at compile time, by Python's rules: exact integers, floor division, true division.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/lower/semantics.h"

namespace tilescope::lower {
namespace {

bool is_integer(const Value& v) { return v.is<bool>() || v.is<ConstInt>(); }
ConstInt as_integer(const Value& v) { return v.is<bool>() ? ConstInt{v.as<bool>()} : v.as<ConstInt>(); }
double as_double(const Value& v) { return v.is<double>() ? v.as<double>() : static_cast<double>(as_integer(v)); }

[[noreturn]] void fail_size(Context& c, const SourceRange& range) {
  c.fail(range, "this constexpr integer is beyond 127 bits", "Tilescope computes constexpr integers in 127 bits");
}

[[noreturn]] void fail_zero(Context& c, const SourceRange& range) {
  c.fail(range, "division by zero in a constexpr expression");
}

[[noreturn]] void fail_kinds(Context& c, const std::string& op, const Value& a, const Value& b,
                             const SourceRange& range) {
  const Function& f = c.b().function();
  Diagnostic d;
  d.message = "`" + op + "` does not work on " + describe(a, f) + " and " + describe(b, f);
  d.range = range;
  if (a.is<NoneValue>() || b.is<NoneValue>()) d.hint = "None can only be compared: `x is None`, `x is not None`";
  c.fail(std::move(d));
  internal_error("Context::fail returned");
}

ConstInt floor_div(ConstInt a, ConstInt b) {
  ConstInt q = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q;
}

double floor_mod(double a, double b) {
  double r = std::fmod(a, b);
  if (r == 0) return std::copysign(0.0, b);
  return (r < 0) != (b < 0) ? r + b : r;
}

Value power(Context& c, ConstInt base, ConstInt exponent, const SourceRange& range) {
  if (exponent < 0) {
    if (base == 0) fail_zero(c, range);
    return {std::pow(static_cast<double>(base), static_cast<double>(exponent)), range};
  }
  ConstInt result = 1;
  if (base == 0 || base == 1 || base == -1) {
    result = base == 0 ? ConstInt{exponent == 0} : (base == 1 || exponent % 2 == 0) ? ConstInt{1} : ConstInt{-1};
    return {result, range};
  }
  for (ConstInt i = 0; i < exponent; ++i)
    if (__builtin_mul_overflow(result, base, &result)) fail_size(c, range);
  return {result, range};
}

Value shift(Context& c, bool left, ConstInt a, ConstInt count, const SourceRange& range) {
  if (count < 0) c.fail(range, "shift by a negative count");
  if (!left) return {count > 126 ? ConstInt{a < 0 ? -1 : 0} : a >> static_cast<int>(count), range};
  if (a == 0) return {ConstInt{0}, range};
  for (ConstInt i = 0; i < count; ++i)
    if (__builtin_mul_overflow(a, ConstInt{2}, &a)) fail_size(c, range);
  return {a, range};
}

Value integer_op(Context& c, const std::string& op, ConstInt a, ConstInt b, const SourceRange& range) {
  ConstInt r = 0;
  bool overflow = false;
  if (op == "+")
    overflow = __builtin_add_overflow(a, b, &r);
  else if (op == "-")
    overflow = __builtin_sub_overflow(a, b, &r);
  else if (op == "*")
    overflow = __builtin_mul_overflow(a, b, &r);
  else if (op == "**")
    return power(c, a, b, range);
  else if (op == "<<" || op == ">>")
    return shift(c, op == "<<", a, b, range);
  else if (op == "&")
    r = a & b;
  else if (op == "|")
    r = a | b;
  else if (op == "^")
    r = a ^ b;
  else if (b == 0)
    fail_zero(c, range);
  else if (op == "/")
    return {static_cast<double>(a) / static_cast<double>(b), range};
  else if (b == -1)
    overflow = op == "//" && __builtin_sub_overflow(ConstInt{0}, a, &r);
  else
    r = op == "//" ? floor_div(a, b) : a - floor_div(a, b) * b;
  if (overflow) fail_size(c, range);
  return {r, range};
}

Value float_op(Context& c, const std::string& op, const Value& lhs, const Value& rhs, const SourceRange& range) {
  const double a = as_double(lhs), b = as_double(rhs);
  if (op == "+") return {a + b, range};
  if (op == "-") return {a - b, range};
  if (op == "*") return {a * b, range};
  if (op == "**") return {std::pow(a, b), range};
  if (op == "/" || op == "//" || op == "%") {
    if (b == 0) fail_zero(c, range);
    if (op == "/") return {a / b, range};
    return {op == "//" ? std::floor(a / b) : floor_mod(a, b), range};
  }
  fail_kinds(c, op, lhs, rhs, range);
}

template <class T>
bool compare(const std::string& op, const T& a, const T& b) {
  if (op == "==") return a == b;
  if (op == "!=") return !(a == b);
  if (op == "<") return a < b;
  if (op == "<=") return a <= b;
  if (op == ">") return a > b;
  return a >= b;
}

bool is_comparison(const std::string& op) {
  return op == "==" || op == "!=" || op == "<" || op == "<=" || op == ">" || op == ">=";
}

/// Equality of any two compile-time values; different kinds are unequal.
bool equal(const Value& a, const Value& b) {
  if (a.is_const_number() && b.is_const_number()) {
    if (is_integer(a) && is_integer(b)) return as_integer(a) == as_integer(b);
    return as_double(a) == as_double(b);
  }
  if (a.v.index() != b.v.index()) return false;
  if (a.is<NoneValue>()) return true;
  if (a.is<std::string>()) return a.as<std::string>() == b.as<std::string>();
  if (a.is<EnumValue>()) return a.as<EnumValue>().name == b.as<EnumValue>().name;
  if (a.is<FunctionValue>()) return a.as<FunctionValue>().def == b.as<FunctionValue>().def;
  if (a.is<BuiltinValue>()) return a.as<BuiltinValue>().builtin == b.as<BuiltinValue>().builtin;
  if (a.is<DTypeValue>()) {
    const auto &x = a.as<DTypeValue>(), &y = b.as<DTypeValue>();
    return x.dtype == y.dtype && x.pointer == y.pointer && x.shape == y.shape;
  }
  if (!a.is<TupleValue>()) return false;
  const auto &x = a.as<TupleValue>().items, &y = b.as<TupleValue>().items;
  if (x.size() != y.size()) return false;
  for (size_t i = 0; i < x.size(); ++i)
    if (!equal(x[i], y[i])) return false;
  return true;
}

/// As Python compares tuples: the first items that differ decide.
Value compare_tuples(Context& c, const std::string& op, const Value& lhs, const Value& rhs, const SourceRange& range) {
  const auto &x = lhs.as<TupleValue>().items, &y = rhs.as<TupleValue>().items;
  for (size_t i = 0; i < std::min(x.size(), y.size()); ++i)
    if (!equal(x[i], y[i])) return const_binary(c, op, x[i], y[i], range);
  return {compare(op, x.size(), y.size()), range};
}

bool is_version(const Value& v) { return v.is<TupleValue>() && v.as<TupleValue>().type_name == "Version"; }

std::vector<ConstInt> release(const Value& version) {
  std::vector<ConstInt> out;
  for (const Value& item : version.as<TupleValue>().items) out.push_back(item.as<ConstInt>());
  return out;
}

}  // namespace

Value const_binary(Context& c, const std::string& op, const Value& lhs, const Value& rhs, const SourceRange& range) {
  if (op == "==" || op == "!=") return {equal(lhs, rhs) == (op == "=="), range};
  if (lhs.is_const_number() && rhs.is_const_number()) {
    const bool integers = is_integer(lhs) && is_integer(rhs);
    if (is_comparison(op))
      return {integers ? compare(op, as_integer(lhs), as_integer(rhs)) : compare(op, as_double(lhs), as_double(rhs)),
              range};
    if (lhs.is<bool>() && rhs.is<bool>() && (op == "&" || op == "|" || op == "^")) {
      const bool a = lhs.as<bool>(), b = rhs.as<bool>();
      return {op == "&" ? (a && b) : op == "|" ? (a || b) : a != b, range};
    }
    if (integers) return integer_op(c, op, as_integer(lhs), as_integer(rhs), range);
    return float_op(c, op, lhs, rhs, range);
  }
  if (lhs.is<std::string>() && rhs.is<std::string>()) {
    if (op == "+") {
      if (lhs.as<std::string>().size() + rhs.as<std::string>().size() > 65536)
        c.fail(range, "this string is longer than 65536 bytes");
      return {lhs.as<std::string>() + rhs.as<std::string>(), range};
    }
    if (is_comparison(op)) return {compare(op, lhs.as<std::string>(), rhs.as<std::string>()), range};
  }
  if (lhs.is<TupleValue>() && rhs.is<TupleValue>() && op == "+") {
    TupleValue t;
    t.items = lhs.as<TupleValue>().items;
    for (const Value& item : rhs.as<TupleValue>().items) t.items.push_back(item);
    check_tuple_size(c, t, range);
    return {std::move(t), range};
  }
  if (is_version(lhs) && is_version(rhs) && is_comparison(op)) return {compare(op, release(lhs), release(rhs)), range};
  if (lhs.is<TupleValue>() && rhs.is<TupleValue>() && is_comparison(op) && is_compile_time(lhs) && is_compile_time(rhs))
    return compare_tuples(c, op, lhs, rhs, range);
  fail_kinds(c, op, lhs, rhs, range);
}

namespace {

constexpr int kMaxTupleDepth = 32;  ///< each level is copied with those around it

/// Counts items, and returns the levels.
int count_items(const TupleValue& t, size_t& n) {
  int deepest = 0;
  n += t.items.size();
  for (size_t i = 0; i < t.items.size() && n <= kMaxTupleItems; ++i)
    if (t.items[i].is<TupleValue>()) deepest = std::max(deepest, count_items(t.items[i].as<TupleValue>(), n));
  return deepest + 1;
}

}  // namespace

void check_tuple_size(Context& c, const TupleValue& t, const SourceRange& range) {
  size_t n = 0;
  const int levels = count_items(t, n);
  if (levels > kMaxTupleDepth) c.fail(range, "these tuples are nested more than " + std::to_string(kMaxTupleDepth) + " deep");
  if (n > kMaxTupleItems) c.fail(range, "this tuple has more than 1024 items");
}

Value const_unary(Context& c, const std::string& op, const Value& x, const SourceRange& range) {
  if (op == "not") return {!const_truth(x), range};
  if (x.is<double>() && op != "~") return {op == "-" ? -x.as<double>() : x.as<double>(), range};
  if (is_integer(x)) {
    const ConstInt n = as_integer(x);
    ConstInt r = n;
    if (op == "-" && __builtin_sub_overflow(ConstInt{0}, n, &r)) fail_size(c, range);
    if (op == "~") r = ~n;
    return {r, range};
  }
  c.fail(range, "`" + op + "` does not work on " + describe(x, c.b().function()));
}

bool const_truth(const Value& v) {
  if (v.is<NoneValue>()) return false;
  if (v.is<bool>()) return v.as<bool>();
  if (v.is<ConstInt>()) return v.as<ConstInt>() != 0;
  if (v.is<double>()) return v.as<double>() != 0;
  if (v.is<std::string>()) return !v.as<std::string>().empty();
  if (v.is<TupleValue>()) return !v.as<TupleValue>().items.empty();
  return true;
}

bool is_compile_time(const Value& v) {
  if (v.is<TupleValue>()) {
    for (const Value& item : v.as<TupleValue>().items)
      if (!is_compile_time(item)) return false;
    return true;
  }
  return !v.is_tensor() && !v.is<BlockPointerValue>() && !v.is<DescriptorValue>();
}

}  // namespace tilescope::lower
