// Random expressions.
#include <algorithm>

#include "tests/property/generator.h"

namespace tilescope::property {

uint64_t Generator::next() {  // splitmix64
  uint64_t z = state_ += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

DType Generator::any_dtype(bool with_bool) {
  if (chance(3)) return chance(2) ? DType::Int32 : DType::Float32;
  return static_cast<DType>(with_bool ? pick(kDTypeCount) : 1 + pick(kDTypeCount - 1));
}

DType Generator::float_dtype() {
  static const std::vector<DType> types = {DType::Float16, DType::BFloat16, DType::Float32, DType::Float32,
                                           DType::Float64};
  return any(types);
}

Shape Generator::any_shape() {
  if (chance(16))
    return chance(2) ? Shape{int64_t{1024} << pick(2)}
                     : Shape{int64_t{16} << pick(3), 32};  // more than a chunk of the kernels
  switch (pick(8)) {
    case 0:
    case 1:
    case 2:
      return {chance(8) ? 256 : int64_t{8} << pick(4)};
    case 3:
      return {2, int64_t{2} << pick(2), 4};
    case 4:
      return {};
    default:
      return {int64_t{2} << pick(4), int64_t{2} << pick(4)};
  }
}

ExprPtr Generator::numeric(const Shape& s, int depth) {
  if (depth <= 0) return leaf(s, depth);
  switch (pick(18)) {
    case 16:
      return helper_call(s, depth - 1);
    case 17: {
      const ExprPtr x = numeric(s, depth - 1), y = typed(s, x->type.elem, depth - 1);
      return node(Kind::Ternary, x->type, {}, {x, mask(Shape{}, 0), y});
    }
    case 0:
    case 1:
    case 2:
    case 3:
      return arithmetic(s, depth - 1);
    case 4:
    case 5:
      return bits(s, depth - 1);
    case 6:
      return unary(s, depth - 1);
    case 7:
      return choice(s, depth - 1);
    case 8:
    case 9:
      return conversion(s, depth - 1);
    case 10:
    case 11:
      return rearranged(s, depth - 1);
    case 12:
      return reduction(s, depth - 1);
    case 13:
      return scanned(s, depth - 1);
    default:
      return leaf(s, depth);
  }
}

ExprPtr Generator::leaf(const Shape& s, int depth) {
  std::vector<ExprPtr> known;
  for (const Variable& v : tiles_)
    if (v.type.shape == s) known.push_back(variable(v.name, v.type));
  if (s.rank == 0) known.insert(known.end(), scalars_.begin(), scalars_.end());
  if (!known.empty() && !chance(3)) return any(known);
  if (memory_ && (depth > 0 || chance(4))) {
    ExprPtr v = load(s, depth);
    return is_bool(v->type.elem) ? cast(v, DType::Int32) : v;
  }
  if (chance(3) || s.rank == 0) {
    const DType t = any_dtype(false);
    return s.rank == 0 ? legal_cast(any(scalars_), t) : node(Kind::Full, Type::tile(t, s), {}, {small_number(t)});
  }
  ExprPtr offsets = flat_offsets(s);
  return chance(2) ? binary("+", offsets, any(scalars_)) : offsets;
}

/// A number that fits beside a tile of that type.
ExprPtr Generator::small_number(DType beside) {
  if (is_float(beside) && !chance(4)) {
    static const std::vector<double> values = {0.5, -1.25, 3.0, 0.0, -0.0, 100.0, 0.0078125, -2.0};
    return number(any(values), true);
  }
  const int64_t v = pick(chance(2) ? 4 : 100);
  return whole(is_signed_int(beside) || is_float(beside) ? (chance(3) ? -v : v) : v);
}

ExprPtr Generator::integers(const Shape& s, int depth) {
  ExprPtr x = numeric(s, depth);
  static const std::vector<DType> types = {DType::Int32, DType::Int64, DType::Int8, DType::UInt16, DType::UInt32};
  return is_int(x->type.elem) ? x : legal_cast(x, any(types));
}

ExprPtr Generator::narrower(const Shape& s, int depth) {
  if (s.rank == 2 && chance(3)) {
    const int axis = static_cast<int>(pick(2));
    return expand(numeric(Shape{s[1 - axis]}, depth), axis);
  }
  if (s.rank > 0 && chance(3)) return numeric(Shape{}, depth);
  return numeric(s, depth);
}

namespace {

/// Makes the two sides fit: no 8-bit float beside an integer, no division of mixed signedness.
void make_compatible(const std::string& op, ExprPtr& a, ExprPtr& b) {
  if (a->is_number() || b->is_number()) return;
  for (auto [x, y] : {std::pair{&a, &b}, std::pair{&b, &a}})
    if (is_fp8((*x)->type.elem) && is_int((*y)->type.elem)) *x = cast(*x, DType::Float32);
  const DType ta = a->type.elem, tb = b->type.elem;
  const bool division = op == "/" || op == "//" || op == "%";
  if (division && is_int(ta) && is_int(tb) && is_signed_int(ta) != is_signed_int(tb)) b = cast(b, ta);
}

}  // namespace

ExprPtr Generator::arithmetic(const Shape& s, int depth) {
  static const std::vector<std::string> ops = {"+", "-", "*", "+", "-", "*", "/", "%"};
  const std::string op = any(ops);
  ExprPtr a = numeric(s, depth), b = chance(4) ? small_number(a->type.elem) : narrower(s, depth);
  make_compatible(op, a, b);
  if (chance(2) && !(b->is_number() && op == "%")) std::swap(a, b);
  if (chance(8)) {
    const DType t = float_dtype();
    return node(Kind::Fma, Type::tile(t, s), {},
                {legal_cast(a->is_number() ? numeric(s, depth) : a, t),
                 legal_cast(b->is_number() ? numeric(s, depth) : b, t), typed(s, t, depth)});
  }
  return binary(op, a, b);
}

ExprPtr Generator::bits(const Shape& s, int depth) {
  static const std::vector<std::string> ops = {"&", "|", "^", "<<", ">>", "//", "%", "&"};
  const std::string op = any(ops);
  ExprPtr a = integers(s, depth), b = integers(s, depth);
  if (op == "<<" || op == ">>") {
    const int64_t width = dtype_bits(a->type.elem);
    b = chance(2) ? whole(pick(width)) : chance(4) ? b : binary("&", b, whole(width - 1));
  } else if (chance(4)) {
    b = small_number(a->type.elem);
  }
  make_compatible(op, a, b);
  return binary(op, a, b);
}

ExprPtr Generator::unary(const Shape& s, int depth) {
  static const std::vector<std::string> math = {"exp",  "exp2",  "log", "log2",  "sin", "cos",
                                                "sqrt", "rsqrt", "erf", "floor", "ceil"};
  ExprPtr x = numeric(s, depth);
  switch (pick(4)) {
    case 0:
      return node(Kind::Unary, x->type, "-", {x});
    case 1:
      return node(Kind::Unary, x->type, "tl.abs", {x});
    case 2:
      x = integers(s, depth);
      return node(Kind::Unary, x->type, "~", {x});
    default:
      x = legal_cast(x, chance(4) ? DType::Float64 : DType::Float32);
      return node(Kind::Math, x->type, any(math), {x});
  }
}

ExprPtr Generator::choice(const Shape& s, int depth) {
  ExprPtr x = numeric(s, depth), y = narrower(s, depth);
  make_compatible("", x, y);
  if (chance(2)) {
    if (chance(4)) y = small_number(x->type.elem);
    const DType t =
        common_type(x->type.elem, false, y->is_number() ? number_type(*y) : y->type.elem, y->is_number(), false);
    if (chance(2)) std::swap(x, y);
    return node(Kind::Where, Type::tile(t, s), {}, {mask(s, depth), x, y});
  }
  const auto promoted = [](DType t) { return t == DType::BFloat16 ? DType::Float32 : t; };
  const DType t = common_type(promoted(x->type.elem), false, promoted(y->type.elem), false, false);
  return node(Kind::Extremum, Type::tile(t, s), chance(2) ? "minimum" : "maximum", {x, y}, {pick(2)});
}

ExprPtr Generator::conversion(const Shape& s, int depth) {
  ExprPtr x = numeric(s, depth);
  if (!chance(4)) return legal_cast(x, any_dtype(false));
  std::vector<DType> same_width;
  for (int k = 1; k < kDTypeCount; ++k)
    if (dtype_bits(static_cast<DType>(k)) == dtype_bits(x->type.elem)) same_width.push_back(static_cast<DType>(k));
  const DType to = any(same_width);
  return to == x->type.elem ? x : node(Kind::Bitcast, x->type.with_elem(to), {}, {x});
}

ExprPtr Generator::helper_call(const Shape& s, int depth) {
  const ExprPtr first = numeric(s, depth), second = chance(2) ? numeric(s, depth) : numeric(Shape{}, depth);
  Helper h;
  h.name = fresh("helper");
  std::vector<Variable> tiles = {{"a", first->type}, {"b", second->type}}, masks;
  std::vector<ExprPtr> scalars = {node(Kind::ProgramId, Type::scalar(DType::Int32), {}, {}, {pick(3)})};
  const bool memory = memory_;
  memory_ = false;
  std::swap(tiles, tiles_);
  std::swap(masks, masks_);
  std::swap(scalars, scalars_);
  h.body = numeric(s, depth);
  std::swap(tiles, tiles_);
  std::swap(masks, masks_);
  std::swap(scalars, scalars_);
  memory_ = memory;
  const Type result = h.body->type;
  p_.helpers.push_back(h);
  return node(Kind::Call, result, h.name, {first, second});
}

ExprPtr Generator::mask(const Shape& s, int depth) {
  for (const Variable& v : masks_)
    if (v.type.shape == s && chance(3)) return variable(v.name, v.type);
  static const std::vector<std::string> ops = {"<", "<=", ">", ">=", "==", "!="};
  if (depth > 0 && chance(3)) {
    static const std::vector<std::string> joins = {"&", "|", "^"};
    const ExprPtr a = mask(s, depth - 1), b = mask(s, depth - 1);
    return binary(any(joins), a, b);
  }
  if (depth > 0 && chance(6)) {
    const ExprPtr m = mask(s, depth - 1);
    return node(Kind::Unary, m->type, "~", {m});
  }
  if (s.rank == 2 && chance(3)) {  // a box
    const ExprPtr rows = binary("<", expand(arange(0, s[0]), 1), whole(pick(s[0] + 2)));
    const ExprPtr columns = binary("<", expand(arange(0, s[1]), 0), chance(2) ? any(scalars_) : whole(pick(s[1] + 2)));
    return binary("&", rows, columns);
  }
  if (s.rank > 0 && (depth <= 0 ? !chance(4) : chance(3)))
    return binary(any(ops), flat_offsets(s), whole(pick(s.elements() + 2)));
  ExprPtr a = numeric(s, depth), b = narrower(s, depth);
  if (chance(4)) b = is_float(a->type.elem) ? number(0.5, true) : small_number(a->type.elem);
  make_compatible("<", a, b);
  return binary(any(ops), a, b);
}

ExprPtr Generator::rearranged(const Shape& s, int depth) {
  if (s.rank == 0) return leaf(s, depth);
  const int last = s.rank - 1;
  switch (pick(9)) {
    case 0:
    case 1: {  // the same elements in another shape
      std::vector<Shape> forms = {Shape{s.elements()}};
      if (s.elements() >= 4) forms.push_back({2, s.elements() / 2});
      if (s.elements() >= 8) forms.push_back({s.elements() / 4, 4});
      return reshape(numeric(any(forms), depth), s);
    }
    case 2: {
      if (s.rank == 1) break;
      std::vector<int64_t> order;
      for (int a = 0; a < s.rank; ++a) order.push_back(a);
      for (size_t a = order.size(); a-- > 1;)
        std::swap(order[a], order[static_cast<size_t>(pick(static_cast<int64_t>(a) + 1))]);
      Shape from = s;
      for (int a = 0; a < s.rank; ++a) from[static_cast<int>(order[static_cast<size_t>(a)])] = s[a];
      const ExprPtr x = numeric(from, depth);
      return node(Kind::Trans, x->type.with_shape(s), {}, {x}, order);
    }
    case 3:
    case 4: {  // even and odd elements along the last axis
      if (s[last] < 2) break;
      Shape half = s;
      half[last] /= 2;
      const bool join = s[last] == 2 && s.rank > 1;
      if (join) half.rank -= 1;
      const ExprPtr x = numeric(half, depth), y = legal_cast(numeric(half, depth), x->type.elem);
      if (!join && s.rank == 1 && chance(2)) return node(Kind::Cat, x->type.with_shape(s), {}, {x, y});
      return node(join ? Kind::Join : Kind::Interleave, x->type.with_shape(s), {}, {x, y});
    }
    case 5: {
      const ExprPtr x = numeric(s, depth);
      return node(Kind::Flip, x->type, {}, {x}, {pick(s.rank)});
    }
    case 6: {
      const auto axis = static_cast<int>(pick(s.rank));
      Shape from = s;
      from[axis] = int64_t{2} << pick(3);
      if (from.elements() > 512) break;
      const ExprPtr x = numeric(from, depth),
                    index = binary("&", legal_cast(integers(s, depth), DType::Int32), whole(from[axis] - 1));
      return node(Kind::Gather, x->type.with_shape(s), {}, {x, index}, {axis});
    }
    case 7: {
      const auto axis = static_cast<int>(pick(s.rank));
      Shape from = s;
      from[axis] = 1;
      const ExprPtr x = numeric(from, depth);
      return node(Kind::BroadcastTo, x->type.with_shape(s), {}, {x});
    }
    default: {
      const ExprPtr x = integers(s, depth);
      return node(Kind::Sort, x->type, {}, {x}, {pick(2)});
    }
  }
  return leaf(s, depth);
}

DType Generator::reduced_type(const std::string& name, DType t) {
  const bool narrow = dtype_bits(t) < 32;
  if (name == "sum" || name == "cumsum") {
    if (name == "cumsum" && t == DType::BFloat16) return DType::Float32;
    return is_int(t) && narrow ? int_type(32, is_signed_int(t)) : t;
  }
  if (name == "cumprod") return t == DType::BFloat16 ? DType::Float32 : t;
  if (name == "max" || name == "min") return narrow ? (is_float(t) ? DType::Float32 : DType::Int32) : t;
  return t;
}

ExprPtr Generator::reduction(const Shape& s, int depth) {
  static const std::vector<std::string> names = {"sum", "sum", "max", "min", "xor_sum", "reduce_or"};
  const int64_t length = int64_t{2} << pick(4);
  if (s.rank > 2 || s.elements() * length > 2048) return leaf(s, depth);
  const int axis = static_cast<int>(pick(s.rank + 1));
  Shape from;
  for (int a = 0; a <= s.rank; ++a) {
    if (a == axis) from.push_back(length);
    if (a < s.rank) from.push_back(s[a]);
  }
  const int64_t where = s.rank == 0 && chance(2) ? -1 : axis;
  if (where < 0 && chance(2)) from = {length, 4};
  ExprPtr x = numeric(from, depth);
  if (chance(3)) {
    const Combine& c = any(combines());
    if (c.integers_only) x = integers(from, depth);
    return node(Kind::UserReduce, x->type.with_shape(s), c.name, {x}, {where, 0});
  }
  const std::string name = any(names);
  if (name == "xor_sum" || name == "reduce_or") x = integers(from, depth);
  return node(Kind::Reduce, Type::tile(reduced_type(name, x->type.elem), s), name, {x}, {where, 0});
}

ExprPtr Generator::scanned(const Shape& s, int depth) {
  if (s.rank == 0) return reduction(s, depth);
  const int64_t axis = pick(s.rank);
  ExprPtr x = numeric(s, depth);
  if (chance(3)) {  // x minus its largest along the axis
    Shape kept = s;
    kept[static_cast<int>(axis)] = 1;
    const std::string name = chance(2) ? "max" : "sum";
    ExprPtr r = node(Kind::Reduce, Type::tile(reduced_type(name, x->type.elem), kept), name, {x}, {axis, 1});
    make_compatible("-", x, r);
    return binary("-", x, r);
  }
  if (chance(3)) {
    const Combine& c = any(combines());
    if (c.integers_only) x = integers(s, depth);
    return node(Kind::UserScan, x->type, c.name, {x}, {axis, pick(2)});
  }
  const std::string name = chance(3) ? "cumprod" : "cumsum";
  return node(Kind::Scan, Type::tile(reduced_type(name, x->type.elem), s), name, {x}, {axis, pick(2)});
}

}  // namespace tilescope::property
