// Small constructors of expressions, each with the type that the language gives the result.
#pragma once

#include <string>
#include <utility>

#include "tests/property/program.h"

namespace tilescope::property {

inline ExprPtr node(Kind kind, Type type, std::string name = {}, std::vector<ExprPtr> args = {},
                    std::vector<int64_t> ints = {}) {
  auto e = std::make_shared<Expr>();
  e->kind = kind;
  e->type = type;
  e->name = std::move(name);
  e->args = std::move(args);
  e->ints = std::move(ints);
  return e;
}

/// A Python number: a literal, or a constexpr when it has a name.
inline ExprPtr number(double value, bool is_float, std::string name = {}) {
  auto e = std::make_shared<Expr>();
  e->number = value;
  e->is_float = is_float;
  e->name = std::move(name);
  e->type = Type::scalar(is_float ? DType::Float32 : DType::Int32);
  return e;
}
inline ExprPtr whole(int64_t value) { return number(static_cast<double>(value), false); }

inline ExprPtr variable(const std::string& name, Type t) { return node(Kind::Variable, t, name); }

/// The shape that both broadcast to; the caller knows that they do.
inline Shape common_shape(const Shape& a, const Shape& b) {
  if (a.rank < b.rank) return common_shape(b, a);
  Shape out = a;
  for (int i = 0; i < b.rank; ++i) out[a.rank - b.rank + i] = std::max(a[a.rank - b.rank + i], b[i]);
  return out;
}

inline ExprPtr binary(const std::string& op, ExprPtr a, ExprPtr b) {
  const Shape shape = common_shape(a->type.shape, b->type.shape);
  if (a->type.pointer) return node(Kind::Binary, a->type.with_shape(shape), op, {a, b});
  DType t = operator_type(op, *a, *b);
  if (is_comparison(op))
    t = DType::Int1;
  else if (op == "/" && !is_float(t))
    t = DType::Float32;
  return node(Kind::Binary, Type::tile(t, shape), op, {a, b});
}

inline ExprPtr cast(ExprPtr x, DType to) {
  return x->type.elem == to && !x->is_number() ? x : node(Kind::Cast, x->type.with_elem(to), {}, {x});
}

/// Between 8-bit floats and integers there is no direct conversion.
inline ExprPtr legal_cast(ExprPtr x, DType to) {
  if ((is_fp8(x->type.elem) && is_int(to)) || (is_fp8(to) && is_int(x->type.elem))) x = cast(x, DType::Float32);
  return cast(x, to);
}

inline ExprPtr expand(ExprPtr x, int axis) {
  Shape s;
  for (int i = 0; i <= x->type.shape.rank; ++i) {
    if (i == axis) s.push_back(1);
    if (i < x->type.shape.rank) s.push_back(x->type.shape[i]);
  }
  return node(Kind::ExpandDims, x->type.with_shape(s), {}, {x}, {axis});
}

inline ExprPtr reshape(ExprPtr x, const Shape& s) {
  return x->type.shape == s ? x : node(Kind::Reshape, x->type.with_shape(s), {}, {x});
}

inline ExprPtr arange(int64_t start, int64_t end) {
  return node(Kind::Arange, Type::tile(DType::Int32, Shape{end - start}), {}, {}, {start, end});
}

}  // namespace tilescope::property
