// Tensors of random kernels: their layouts and first values, and loads and stores that stay inside them.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "tests/property/generator.h"

namespace tilescope::property {
namespace {

/// Strides that map the shape to memory without overlap: axes in some order, with gaps, forwards or backwards.
std::vector<int64_t> scattered_strides(const std::vector<int64_t>& shape, uint64_t choice) {
  std::vector<size_t> order;
  for (size_t a = 0; a < shape.size(); ++a) order.push_back(a);
  for (size_t a = order.size(); a-- > 1; choice /= 3) std::swap(order[a], order[choice % (a + 1)]);
  std::vector<int64_t> strides(shape.size());
  int64_t step = 1 + static_cast<int64_t>(choice % 4 == 3);
  choice /= 4;
  for (size_t a : order) {
    strides[a] = choice % 3 == 0 ? -step : step;
    step *= shape[a];
    step += static_cast<int64_t>(choice / 3 % 3);
    choice /= 9;
  }
  return strides;
}

double special_value(uint64_t r) {
  static const double values[] = {0.0,
                                  -0.0,
                                  std::numeric_limits<double>::infinity(),
                                  -std::numeric_limits<double>::infinity(),
                                  std::numeric_limits<double>::quiet_NaN(),
                                  1e-40,
                                  -1e-44,
                                  3e38,
                                  -1e30,
                                  6e-8,
                                  65504,
                                  448,
                                  57344,
                                  2147483648.0,
                                  -9.3e18,
                                  1.0};
  return values[r % 16];
}

void fill(Tensor& t, uint64_t seed, int special) {
  uint64_t state = seed;
  const auto next = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state ^ (state >> 29)) >> 16;
  };
  for (int64_t i = 0; i < t.storage_elements(); ++i) {
    std::byte* e = t.element(i);
    const uint64_t r = next(), kind = next() % 16;
    if (is_bool(t.dtype))
      write_int64(t.dtype, e, static_cast<int64_t>(r & 1));
    else if (is_int(t.dtype)) {
      const uint64_t bits = static_cast<int>(kind) < special ? (r % 4 == 0   ? 0
                                                                : r % 4 == 1 ? ~uint64_t{0}
                                                                             : uint64_t{1} << (dtype_bits(t.dtype) - 1))
                            : kind < 8                       ? r * 0x9e3779b97f4a7c15u
                                                             : r % 100;
      std::memcpy(e, &bits, static_cast<size_t>(dtype_bytes(t.dtype)));
    } else if (static_cast<int>(kind) < special) {
      write_double(t.dtype, e, special_value(r));
    } else {
      const double quarter = static_cast<double>(static_cast<int64_t>(r % 65) - 32) / 4;
      write_double(
          t.dtype, e,
          kind < 8 ? quarter : std::ldexp(static_cast<double>(r % 4096) - 2048, static_cast<int>(r >> 12 & 15) - 18));
    }
  }
}

}  // namespace

std::vector<Tensor> make_tensors(const Program& p) {
  std::vector<Tensor> out;
  for (const TensorArg& a : p.tensors) {
    Expected<Tensor> t = allocate_tensor(a.name, a.dtype, a.layout);
    if (!t) internal_error("property test: " + render(t.errors()));
    fill(*t, a.fill_seed, a.special);
    t->uninitialised = a.uninitialised;
    out.push_back(std::move(*t));
  }
  return out;
}

std::string Generator::input(DType t, std::vector<int64_t> shape, bool strided) {
  TensorArg a;
  a.name = "x" + std::to_string(p_.tensors.size());
  a.dtype = t;
  std::vector<int64_t> strides;
  if (strided) strides = scattered_strides(shape, next());
  Expected<TensorLayout> layout = make_layout(a.name, t, std::move(shape), std::move(strides));
  if (!layout) internal_error("property test: " + render(layout.errors()));
  a.layout = *layout;
  a.fill_seed = next();
  a.special = chance(2) ? static_cast<int>(pick(6)) : 0;
  p_.tensors.push_back(a);
  return a.name;
}

void Generator::inputs() {
  input(DType::Int32, {16 + pick(100)}, false);
  input(DType::Float32, {16 + pick(200)}, false);
  for (int64_t k = 1 + pick(3); k-- > 0;) input(any_dtype(true), {8 + pick(150)}, false);
  for (int64_t k = 1 + pick(2); k-- > 0;) input(any_dtype(true), {3 + pick(20), 2 + pick(20)}, true);
}

ExprPtr Generator::argument(const std::string& name, int64_t value) {
  // A run-time integer of value 1 becomes a constexpr, hence a Python number.
  if (value == 1 || chance(3)) {
    if (value == 1 && chance(2))
      p_.integers.emplace_back(name, value);
    else
      p_.constexprs.emplace_back(name, value);
    return number(static_cast<double>(value), false, name);
  }
  p_.integers.emplace_back(name, value);
  return variable(name, Type::scalar(DType::Int32));
}

/// 0, 1, 2 ... in row-major order, or transposed.
ExprPtr Generator::flat_offsets(const Shape& s) {
  if (s.rank == 1) return arange(0, s[0]);
  if (s.rank == 2 && !chance(4)) {
    const bool turned = chance(3);
    const ExprPtr rows = expand(arange(0, s[0]), 1), columns = expand(arange(0, s[1]), 0);
    return turned ? binary("+", rows, binary("*", columns, whole(s[0])))
                  : binary("+", binary("*", rows, whole(s[1])), columns);
  }
  return reshape(arange(0, s.elements()), s);
}

ExprPtr Generator::other_for(DType t, const Shape& s) {
  if (chance(3)) {
    // Converted to the elements' type by the load, which knows no way between 8-bit floats and integers.
    ExprPtr x = chance(2) ? numeric(Shape{}, 0) : numeric(s, 0);
    return is_fp8(x->type.elem) || is_fp8(t) ? legal_cast(x, t) : x;
  }
  if (!is_float(t)) return whole(pick(2));
  static const std::vector<double> values = {0.0,
                                             -0.0,
                                             1.5,
                                             -2.0,
                                             std::numeric_limits<double>::infinity(),
                                             -std::numeric_limits<double>::infinity(),
                                             std::numeric_limits<double>::quiet_NaN()};
  return number(any(values), true);
}

ExprPtr Generator::loaded(ExprPtr pointer, ExprPtr m, bool needs_other) {
  const Type t = Type::tile(pointer->type.elem, pointer->type.shape);
  std::vector<ExprPtr> args = {pointer};
  if (m != nullptr) args.push_back(m);
  if (m != nullptr && needs_other) args.push_back(other_for(t.elem, t.shape));
  return node(Kind::Load, t, {}, args);
}

ExprPtr Generator::load(const Shape& s, int depth) {
  if (!own_.empty() && chance(4)) {  // what this program stored before, or what was there
    for (const auto& [pointer, shape] : own_)
      if (shape == s) return loaded(pointer, chance(2) ? mask(s, 0) : nullptr, true);
  }
  std::vector<const TensorArg*> flat, matrices;
  for (const TensorArg& t : p_.tensors) {
    if (t.output) continue;
    if (t.layout.rank() == 1)
      flat.push_back(&t);
    else if (t.layout.rank() == 2)
      matrices.push_back(&t);
  }
  if (s.rank == 2 && chance(2)) return chance(3) ? load_block(*any(matrices), s) : load_matrix(*any(matrices), s);
  const TensorArg& t = *any(flat);
  return depth > 0 && chance(2) ? load_anywhere(t, s, depth - 1) : load_range(t, s);
}

/// Any integers as an index, folded into the tensor.
ExprPtr Generator::load_anywhere(const TensorArg& t, const Shape& s, int depth) {
  int64_t power = 1;
  while (power * 2 <= t.layout.shape[0]) power *= 2;
  ExprPtr index =
      binary("&", legal_cast(integers(s, depth), chance(3) ? DType::Int64 : DType::Int32), whole(power - 1));
  const ExprPtr pointer = binary("+", variable(t.name, Type::pointer_to(t.dtype)), index);
  return loaded(pointer, chance(2) ? mask(s, depth) : nullptr, true);
}

/// A range of elements, with a mask for what lies outside.
ExprPtr Generator::load_range(const TensorArg& t, const Shape& s) {
  const int64_t n = t.layout.shape[0];
  ExprPtr index = s.rank == 0 ? any(scalars_) : flat_offsets(s);
  static const std::vector<int64_t> steps = {1, 1, 1, 2, 3, -1};
  const int64_t step = any(steps);
  if (step != 1) index = binary("*", index, whole(step));
  if (chance(2))
    index = binary("+", index, binary("*", pid_, whole(s.elements())));
  else if (chance(2))
    index = binary("+", index, whole(step < 0 ? n - 1 : pick(n)));
  if (chance(6)) index = cast(index, DType::Int64);
  ExprPtr inside = binary("<", index, whole(n));
  if (step < 0 || s.rank == 0) inside = binary("&", inside, binary(">=", index, whole(0)));
  if (chance(3)) inside = binary("&", inside, mask(s, 0));
  return loaded(binary("+", variable(t.name, Type::pointer_to(t.dtype)), index), inside, true);
}

ExprPtr Generator::stride_of(const TensorArg& t, size_t axis) {
  const std::string stride = "s_" + t.name + "_" + std::to_string(axis);
  for (const auto& [name, value] : p_.integers)
    if (name == stride) return value == 1 ? number(1, false, name) : variable(name, Type::scalar(DType::Int32));
  for (const auto& [name, value] : p_.constexprs)
    if (name == stride) return number(static_cast<double>(value), false, name);
  return argument(stride, t.layout.strides[axis]);
}

ExprPtr Generator::load_block(const TensorArg& t, const Shape& s) {
  std::vector<ExprPtr> args = {variable(t.name, Type::pointer_to(t.dtype)), stride_of(t, 0), stride_of(t, 1)};
  for (int a = 0; a < 2; ++a)
    args.push_back(chance(3) ? binary("*", pid_, whole(s[a]))
                             : whole(pick(t.layout.shape[static_cast<size_t>(a)]) - 1));
  return node(Kind::BlockLoad, Type::tile(t.dtype, s), {}, args,
              {t.layout.shape[0], t.layout.shape[1], is_float(t.dtype) && chance(2)});
}

/// A tile of a matrix with any strides.
ExprPtr Generator::load_matrix(const TensorArg& t, const Shape& s) {
  std::array<ExprPtr, 2> parts, inside;
  for (int a = 0; a < 2; ++a) {
    ExprPtr index = arange(0, s[a]);
    if (chance(2))
      index = binary("+", index,
                     chance(2) ? whole(pick(t.layout.shape[static_cast<size_t>(a)])) : binary("*", pid_, whole(s[a])));
    index = expand(index, 1 - a);
    parts[static_cast<size_t>(a)] = binary("*", index, stride_of(t, static_cast<size_t>(a)));
    inside[static_cast<size_t>(a)] = binary("<", index, whole(t.layout.shape[static_cast<size_t>(a)]));
  }
  ExprPtr pointer = variable(t.name, Type::pointer_to(t.dtype));
  pointer = chance(2) ? binary("+", binary("+", pointer, parts[0]), parts[1])
                      : binary("+", pointer, binary("+", parts[0], parts[1]));
  ExprPtr m = binary("&", inside[0], inside[1]);
  if (chance(4)) m = binary("&", m, mask(s, 0));
  return loaded(pointer, m, true);
}

ExprPtr Generator::own_place(const Shape& s, DType t) {
  TensorArg a;
  a.name = "y" + std::to_string(p_.tensors.size());
  a.dtype = t;
  a.output = true;
  a.fill_seed = next();
  const ExprPtr base = variable(a.name, Type::pointer_to(t));
  ExprPtr pointer;
  std::vector<int64_t> shape = {programs_, s.elements()}, strides;
  if (s.rank == 2 && chance(2)) {
    shape = {programs_, s[0], s[1]};
    strides = scattered_strides(shape, next());
    pointer = binary("+", base, binary("*", pid_, argument("s_" + a.name + "_p", strides[0])));
    pointer = binary("+", pointer, binary("*", expand(arange(0, s[0]), 1), argument("s_" + a.name + "_r", strides[1])));
    pointer = binary("+", pointer, binary("*", expand(arange(0, s[1]), 0), argument("s_" + a.name + "_c", strides[2])));
  } else if (s.rank == 0) {
    pointer = binary("+", base, pid_);
  } else {
    ExprPtr offsets = flat_offsets(s);
    if (chance(4)) offsets = binary("^", offsets, whole(pick(s.elements())));
    if (chance(6)) offsets = binary("-", whole(s.elements() - 1), offsets);
    pointer = binary("+", base, binary("+", binary("*", pid_, whole(s.elements())), offsets));
  }
  Expected<TensorLayout> layout = make_layout(a.name, t, std::move(shape), std::move(strides));
  if (!layout) internal_error("property test: " + render(layout.errors()));
  a.layout = *layout;
  p_.tensors.push_back(a);
  own_.emplace_back(pointer, s);
  return pointer;
}

void Generator::store(const Shape& s, ExprPtr value) {
  const DType t = chance(2) ? value->type.elem : any_dtype(true);
  ExprPtr pointer;
  for (const auto& [known, shape] : own_)
    if (shape == s && chance(3)) pointer = known;
  if (pointer == nullptr) pointer = own_place(s, t);
  if ((is_fp8(pointer->type.elem) && is_int(value->type.elem)) ||
      (is_fp8(value->type.elem) && is_int(pointer->type.elem)))
    value = cast(value, DType::Float32);
  std::vector<ExprPtr> exprs = {pointer, value};
  if (chance(2)) exprs.push_back(mask(s, 1));
  add({Stmt::Kind::Store, {}, {}, exprs, {}, {}});
}

/// A block pointer into this program's own matrix, part of the block outside.
void Generator::store_block() {
  const Shape s = {int64_t{2} << pick(3), int64_t{2} << pick(3)};
  const DType t = any_dtype(false);
  TensorArg a;
  a.name = "y" + std::to_string(p_.tensors.size());
  a.dtype = t;
  a.output = true;
  a.fill_seed = next();
  const std::vector<int64_t> shape = {programs_, 1 + pick(s[0] + 3), 1 + pick(s[1] + 3)};
  Expected<TensorLayout> layout = make_layout(a.name, t, shape, scattered_strides(shape, next()));
  if (!layout) internal_error("property test: " + render(layout.errors()));
  a.layout = *layout;
  p_.tensors.push_back(a);
  ExprPtr base = variable(a.name, Type::pointer_to(t));
  base = binary("+", base, binary("*", pid_, argument("s_" + a.name + "_p", a.layout.strides[0])));
  const std::vector<ExprPtr> args = {base, argument("s_" + a.name + "_r", a.layout.strides[1]),
                                     argument("s_" + a.name + "_c", a.layout.strides[2]), whole(pick(4) - 2),
                                     whole(pick(4) - 2)};
  const ExprPtr place = node(Kind::BlockLoad, Type::tile(t, s), {}, args, {shape[1], shape[2], 0});
  add({Stmt::Kind::BlockStore, {}, {}, {place, typed(s, t, 2)}, {}, {}});
  if (chance(2)) define(place);
}

/// What was stored through a mask is read back through it, out of memory that held nothing before.
void Generator::round_trip() {
  Shape s = any_shape();
  if (s.rank == 0) s = {16};
  const DType t = any_dtype(false);
  const ExprPtr place = own_place(s, t);
  own_.pop_back();  // elsewhere it may not be read
  p_.tensors.back().uninitialised = true;
  const std::string m = fresh("m");
  assign(m, mask(s, 1));
  const ExprPtr on = variable(m, Type::tile(DType::Int1, s));
  masks_.push_back({m, on->type});
  const bool all = chance(3);
  std::vector<ExprPtr> exprs = {place, typed(s, t, 2)};
  if (!all) exprs.push_back(on);
  add({Stmt::Kind::Store, {}, {}, exprs, {}, {}});
  define(all && chance(2) ? loaded(place, nullptr, false)
                          : loaded(place,
                                   all         ? on
                                   : chance(2) ? on
                                               : binary("&", on, mask(s, 0)),
                                   true));
}

/// Updates of elements that all programs share; their order does not matter, since one kind commutes with itself.
void Generator::atomics() {
  static const std::vector<std::string> kinds = {"add", "max", "min", "and", "or", "xor"};
  static const std::vector<DType> types = {DType::Int32, DType::UInt32, DType::Int64, DType::UInt64};
  TensorArg a;
  a.name = "z" + std::to_string(p_.tensors.size());
  a.dtype = any(types);
  a.output = true;
  a.fill_seed = next();
  const int64_t n = int64_t{1} << pick(6);
  Expected<TensorLayout> layout = make_layout(a.name, a.dtype, {n}, {});
  if (!layout) internal_error("property test: " + render(layout.errors()));
  a.layout = *layout;
  p_.tensors.push_back(a);
  const Shape s = any_shape();
  const ExprPtr index = binary("&", legal_cast(integers(s, 1), DType::Int32), whole(n - 1));
  std::vector<ExprPtr> exprs = {binary("+", variable(a.name, Type::pointer_to(a.dtype)), index), typed(s, a.dtype, 2)};
  if (chance(2)) exprs.push_back(mask(s, 1));
  add({Stmt::Kind::Atomic, {}, any(kinds), exprs, {}, {}});
}

/// Lanes that the mask leaves out of a load without `other` may be used as long as they are not stored.
void Generator::copy_without_other() {
  const Shape s = {int64_t{8} << pick(4)};
  std::vector<const TensorArg*> flat;
  for (const TensorArg& t : p_.tensors)
    if (!t.output && t.layout.rank() == 1 && !is_bool(t.dtype)) flat.push_back(&t);
  const TensorArg& t = *any(flat);
  const std::string m = fresh("m"), v = fresh("v");
  ExprPtr index = binary("+", arange(0, s[0]), binary("*", pid_, whole(s[0])));
  ExprPtr inside = binary("<", index, whole(t.layout.shape[0]));
  if (chance(2)) inside = binary("&", inside, mask(s, 1));
  assign(m, inside);
  const ExprPtr kept = variable(m, inside->type);
  ExprPtr value = loaded(binary("+", variable(t.name, Type::pointer_to(t.dtype)), index), kept, false);
  assign(v, value);
  value = variable(v, value->type);
  if (chance(2)) value = binary("*", value, small_number(t.dtype));
  if (chance(2)) value = node(Kind::Where, value->type, {}, {kept, value, legal_cast(numeric(s, 1), value->type.elem)});
  const ExprPtr place = own_place(s, value->type.elem);
  add({Stmt::Kind::Store, {}, {}, {place, value, chance(2) ? kept : binary("&", kept, mask(s, 0))}, {}, {}});
}

}  // namespace tilescope::property
