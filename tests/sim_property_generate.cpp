// Random statements: assignments, loops, branches, dots, and what a kernel starts and ends with.
#include <algorithm>

#include "tests/property/generator.h"

namespace tilescope::property {
namespace {

constexpr int kDepth = 3;

}  // namespace

Program generate(uint64_t seed) { return Generator(seed).make(); }

Program Generator::make() {
  block_ = &p_.body;
  for (int a = 0, axes = 1 + static_cast<int>(pick(3)); a < axes; ++a)
    p_.grid[static_cast<size_t>(a)] = 1 + pick(a == 0 ? 4 : 2);
  programs_ = p_.grid[0] * p_.grid[1] * p_.grid[2];
  p_.num_warps = 1 << pick(4);
  inputs();
  p_.floats.emplace_back("scale", static_cast<double>(pick(64)) / 8 - 3);
  ExprPtr pid;
  for (int64_t axis = 3; axis-- > 0;) {
    const Type t = Type::scalar(DType::Int32);
    const ExprPtr id = node(Kind::ProgramId, t, {}, {}, {axis});
    pid = pid == nullptr ? id : binary("+", id, binary("*", node(Kind::NumPrograms, t, {}, {}, {axis}), pid));
  }
  assign("pid", pid);
  pid_ = variable("pid", pid->type);
  scalars_ = {pid_};
  p_.integers.emplace_back("n", 2 + pick(60));
  scalars_.push_back(variable("n", pid->type));
  p_.integers.emplace_back("big", (int64_t{1} << 33) + pick(1000));
  tiles_.push_back({"scale", Type::scalar(DType::Float32)});
  tiles_.push_back({"big", Type::scalar(DType::Int64)});
  statements(5 + pick(7), 0);
  for (int k = 0; k < 2; ++k) {
    const Variable v = any(tiles_);
    store(v.type.shape, variable(v.name, v.type));
  }
  // A parameter that is never passed a tensor would be no test of it; one that is never used is fine.
  return std::move(p_);
}

void Generator::statements(int64_t n, int nesting) {
  for (int64_t k = 0; k < n; ++k) statement(nesting);
}

void Generator::statement(int nesting) {
  const bool room = p_.tensors.size() < 14;
  switch (pick(20)) {
    case 16: {
      const std::string name = fresh("m");
      const Shape s = any_shape();
      const ExprPtr value = mask(s, 2);
      assign(name, value);
      masks_.push_back({name, value->type});
      break;
    }
    case 17:
      if (room) store_block();
      break;
    case 18:
      if (room) round_trip();
      break;
    case 19:
      if (room) atomics();
      break;
    case 0:
    case 1:
    case 2:
    case 3:
      define(numeric(any_shape(), kDepth));
      break;
    case 4:
    case 5:
      reassign();
      break;
    case 6:
    case 7: {
      const Shape s = any_shape();
      if (room) store(s, numeric(s, kDepth - 1));
      break;
    }
    case 8:
      two_results();
      break;
    case 9:
    case 10:
      nesting < 2 ? loop(nesting) : reassign();
      break;
    case 11:
      nesting < 2 ? branch(nesting) : reassign();
      break;
    case 12:
      nesting < 1 ? while_loop(nesting) : reassign();
      break;
    case 13:
      pointer_walk();
      break;
    case 14:
      nesting < 1 ? dots() : reassign();
      break;
    default:
      if (room) copy_without_other();
  }
}

void Generator::assign(const std::string& name, ExprPtr value) {
  add({Stmt::Kind::Assign, {name}, {}, {value}, {}, {}});
}

void Generator::define(ExprPtr value) {
  const std::string name = fresh("t");
  assign(name, value);
  tiles_.push_back({name, value->type});
}

/// A variable keeps its type, so that it may be carried by loops and branches.
void Generator::reassign() {
  if (!masks_.empty() && chance(5)) {
    const Variable m = any(masks_);
    assign(m.name, mask(m.type.shape, 1));
    return;
  }
  const Variable v = any(tiles_);
  if (v.name == "scale" || v.name == "big") return;
  if (!is_fp8(v.type.elem) && chance(4)) {
    ExprPtr value = legal_cast(narrower(v.type.shape, 1), v.type.elem);
    add({Stmt::Kind::AugmentedAssign, {v.name}, chance(2) ? "+" : "*", {value}, {}, {}});
    return;
  }
  ExprPtr value = numeric(v.type.shape, kDepth - 1);
  if (chance(2) && !is_fp8(value->type.elem) && !is_fp8(v.type.elem))
    value = binary(chance(2) ? "+" : "-", variable(v.name, v.type), value);
  assign(v.name, legal_cast(value, v.type.elem));
}

void Generator::two_results() {
  const std::string first = fresh("t"), second = fresh("t");
  Shape s = any_shape();
  if (s.rank == 0) s = {8};
  ExprPtr e;
  Type type_of_second;
  if (chance(2)) {
    Shape paired = s;
    paired.push_back(2);
    const ExprPtr x =
        paired.rank > 3 ? reshape(numeric(s, kDepth - 1), {s.elements() / 2, 2}) : numeric(paired, kDepth - 1);
    s = x->type.shape;
    s.rank -= 1;
    e = node(Kind::Split, x->type.with_shape(s), {}, {x});
    type_of_second = e->type;
  } else if (chance(2)) {
    const ExprPtr x = numeric(s, kDepth - 1), i = integers(s, 1);
    const auto axis = static_cast<int>(pick(s.rank));
    Shape to;
    for (int a = 0; a < s.rank; ++a)
      if (a != axis) to.push_back(s[a]);
    const bool scan = chance(2);
    e = node(scan ? Kind::PairScan : Kind::PairReduce, x->type.with_shape(scan ? s : to), {}, {x, i}, {axis, pick(2)});
    type_of_second = e->type.with_elem(i->type.elem);
  } else {
    ExprPtr x = numeric(s, kDepth - 1);
    if (is_fp8(x->type.elem)) x = cast(x, DType::Float16);
    const auto axis = static_cast<int>(pick(s.rank));
    const bool keep = chance(2);
    Shape to;
    for (int a = 0; a < s.rank; ++a) {
      if (a != axis)
        to.push_back(s[a]);
      else if (keep)
        to.push_back(1);
    }
    const DType t = x->type.elem == DType::BFloat16 ? DType::Float32 : x->type.elem;
    e = node(Kind::ArgReduce, Type::tile(t, to), chance(2) ? "max" : "min", {x}, {axis, pick(2), keep});
    type_of_second = Type::tile(DType::Int32, to);
  }
  add({Stmt::Kind::AssignTwo, {first, second}, {}, {e}, {}, {}});
  tiles_.push_back({first, e->type});
  tiles_.push_back({second, type_of_second});
}

void Generator::loop(int nesting) {
  if (chance(2)) define(numeric(any_shape(), 1));  // something to carry
  Stmt s;
  s.kind = Stmt::Kind::For;
  s.names = {fresh("i")};
  static const std::vector<std::string> ranges = {"range", "range", "tl.range", "tl.static_range"};
  s.op = any(ranges);
  const bool unrolled = s.op == "tl.static_range", down = chance(4);
  const ExprPtr some = unrolled || chance(2) ? whole(pick(4)) : binary("&", any(scalars_), whole(3));
  const int64_t step = down ? -1 - pick(2) : 1 + pick(2);
  s.exprs = {whole(down ? 3 : 0), some, whole(step)};
  if (down) s.exprs[1] = whole(-1);
  nested(s.body, [&] {
    if (!unrolled) scalars_.push_back(variable(s.names[0], Type::scalar(DType::Int32)));
    reassign();
    statements(1 + pick(3), nesting + 1);
  });
  add(std::move(s));
}

void Generator::while_loop(int nesting) {
  const std::string i = fresh("w");
  const Type t = Type::scalar(DType::Int32);
  assign(i, binary("&", any(scalars_), whole(3)));
  Stmt s;
  s.kind = Stmt::Kind::While;
  s.exprs = {binary("<", variable(i, t), whole(2 + pick(3)))};
  nested(s.body, [&] {
    reassign();
    statements(pick(3), nesting + 1);
    add({Stmt::Kind::AugmentedAssign, {i}, "+", {whole(1)}, {}, {}});
  });
  add(std::move(s));
}

void Generator::branch(int nesting) {
  Stmt s;
  s.kind = Stmt::Kind::If;
  s.exprs = {mask(Shape{}, 1)};
  nested(s.body, [&] {
    reassign();
    statements(pick(3), nesting + 1);
  });
  if (chance(2))
    nested(s.orelse, [&] {
      reassign();
      statements(pick(2), nesting + 1);
    });
  add(std::move(s));
}

/// Pointers that a loop moves along a tensor.
void Generator::pointer_walk() {
  std::vector<const TensorArg*> flat;
  for (const TensorArg& t : p_.tensors)
    if (!t.output && t.layout.rank() == 1) flat.push_back(&t);
  const TensorArg& x = *any(flat);
  const int64_t n = int64_t{8} << pick(3);
  const std::string p = fresh("p"), offsets = fresh("o"), sum = fresh("t"), k = fresh("k");
  const Type index = Type::tile(DType::Int32, {n});
  assign(offsets, binary("+", arange(0, n), binary("*", pid_, whole(pick(3)))));
  const ExprPtr at = variable(offsets, index);
  const ExprPtr start = binary("+", variable(x.name, Type::pointer_to(x.dtype)), at);
  assign(p, start);
  ExprPtr initial = numeric({n}, 1);
  if (is_fp8(initial->type.elem)) initial = cast(initial, DType::Float32);
  assign(sum, initial);
  tiles_.push_back({sum, initial->type});
  Stmt s;
  s.kind = Stmt::Kind::For;
  s.names = {k};
  s.op = chance(2) ? "range" : "tl.range";
  s.exprs = {whole(0), whole(x.layout.shape[0]), whole(n)};
  nested(s.body, [&] {
    const ExprPtr position = binary("+", variable(k, Type::scalar(DType::Int32)), at);
    ExprPtr v = loaded(variable(p, start->type), binary("<", position, whole(x.layout.shape[0])), true);
    if (is_bool(v->type.elem)) v = cast(v, DType::Int32);
    if (is_fp8(v->type.elem)) v = cast(v, DType::Float32);
    assign(sum, legal_cast(binary(chance(2) ? "+" : "*", variable(sum, initial->type), v), initial->type.elem));
    if (chance(3)) reassign();
    add({Stmt::Kind::AugmentedAssign, {p}, "+", {whole(n)}, {}, {}});
  });
  add(std::move(s));
}

/// One chain of dots, by acc= and by +=. Its result leaves through a conversion, so that no later sum becomes part of
/// the chain.
void Generator::dots() {
  static const std::vector<DType> types = {DType::Float16,  DType::BFloat16, DType::Float32, DType::Float8E4NV,
                                           DType::Float8E5, DType::Int8,     DType::Float64};
  const DType in = any(types);
  const int64_t rows = int64_t{2} << pick(4), columns = int64_t{2} << pick(4),
                inner = dtype_bits(in) == 8 ? 32 : int64_t{16} << pick(2);
  DType out = in == DType::Int8 ? DType::Int32 : in == DType::Float64 ? DType::Float64 : DType::Float32;
  if ((in == DType::Float16 || is_fp8(in)) && chance(3)) out = DType::Float16;
  const std::string precision = in == DType::Float32 ? (chance(2) ? "ieee" : "tf32") : "";
  const std::string acc = fresh("acc");
  const Type result = Type::tile(out, {rows, columns});
  const auto operand = [&](const Shape& s) {
    const ExprPtr x = numeric(s, 1);
    return chance(2) ? legal_cast(x, in)
                     : legal_cast(binary("*", legal_cast(x, DType::Float32), number(0.3337, true)), in);
  };
  const auto product = [&](bool with_acc) {
    std::vector<ExprPtr> args = {operand({rows, inner}), operand({inner, columns})};
    if (with_acc) args.push_back(variable(acc, result));
    return node(Kind::Dot, result, precision, args);
  };
  assign(acc, chance(2) ? node(Kind::Full, result, {}, {whole(0)}) : typed(result.shape, out, 0));
  const auto step = [&] {
    if (chance(2) && (out == DType::Float32 || out == DType::Int32))
      add({Stmt::Kind::AugmentedAssign, {acc}, "+", {product(false)}, {}, {}});
    else
      assign(acc, product(true));
  };
  if (chance(2)) {
    Stmt s;
    s.kind = Stmt::Kind::For;
    s.names = {fresh("k")};
    s.op = "range";
    s.exprs = {whole(0), whole(1 + pick(3)), whole(1)};
    nested(s.body, [&] {
      scalars_.push_back(variable(s.names[0], Type::scalar(DType::Int32)));
      step();
    });
    add(std::move(s));
  } else {
    for (int64_t k = 1 + pick(2); k-- > 0;) step();
  }
  define(legal_cast(variable(acc, result), out == DType::Float32 ? DType::BFloat16
                                           : out == DType::Int32 ? DType::Int64
                                                                 : DType::Float32));
}

}  // namespace tilescope::property
