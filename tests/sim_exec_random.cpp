// Random programs of index arithmetic, masks, shape ops, loads, stores and loops, executed in two ways: with closed
// forms (affine tiles, boxes, views, fused stores) and with every tile written out after every op. Same bytes, same
// faults, same counters.
#include <doctest/doctest.h>

#include <random>

#include "core/builder.h"
#include "core/print.h"
#include "core/verify.h"
#include "sim/run.h"
#include "tests/sim_exec_data.h"

namespace tilescope {
namespace {

class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed), b_(f_) {}

  Function make() {
    f_.name = "random";
    x_ = b_.param("x", Type::pointer_to(DType::Int32), 16);
    y_ = b_.param("y", Type::pointer_to(DType::Int32), 16);
    n_ = b_.param("n", Type::scalar(DType::Int32));
    const ValueId pid = b_.program_id(0);
    scalars_ = {n_, pid, constant(7), b_.elementwise(OpCode::Mul, {pid, constant(pick(5))})};
    for (int k = 0; k < 3; ++k) ranges();
    statements(6 + pick(12));
    if (pick(2) != 0) loop();
    statements(4 + pick(6));
    b_.create(OpCode::Return, {}, {});
    return std::move(f_);
  }

 private:
  int64_t pick(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint32_t>(n)); }
  template <class T>
  T any(const std::vector<T>& v) { return v[static_cast<size_t>(pick(static_cast<int64_t>(v.size())))]; }
  // A copy: building an op moves the table of types.
  Shape shape_of(ValueId v) const { return f_.type(v).shape; }
  ValueId constant(int64_t v) { return b_.constant_int(Type::scalar(DType::Int32), v); }

  // A tile of int32: a range with a scalar on top, along one or two axes.
  void ranges() {
    const int64_t n = int64_t{4} << pick(3);
    const int64_t start = pick(3) * n;
    ValueId r = b_.make_range(start, start + n);
    const Shape s = shape_of(r);
    r = b_.elementwise(OpCode::Add, {r, b_.splat(any(scalars_), s)});
    if (pick(3) == 0) r = b_.elementwise(OpCode::Mul, {r, b_.splat(constant(pick(9) - 4), s)});
    ints_.push_back(r);
  }
  // Two tiles of one shape.
  std::pair<ValueId, ValueId> alike(ValueId a, ValueId b) {
    const Shape sa = f_.type(a).shape, sb = f_.type(b).shape;
    if (sa == sb) return {a, b};
    if (sa.rank == 1 && sb.rank == 1) {
      const Shape s{sa[0], sb[0]};
      return {b_.broadcast(b_.expand_dims(a, 1), s), b_.broadcast(b_.expand_dims(b, 0), s)};
    }
    return {a, b_.splat(any(scalars_), sa)};
  }
  void statements(int64_t n) {
    for (int64_t k = 0; k < n; ++k) statement();
  }
  void statement() {
    switch (pick(12)) {
      case 0: ranges(); break;
      case 1: case 2: case 3: {
        const auto [x, y] = alike(any(ints_), any(ints_));
        const OpCode ops[] = {OpCode::Add, OpCode::Sub, OpCode::Mul, OpCode::Minimum, OpCode::Maximum, OpCode::BitAnd, OpCode::BitXor};
        keep(b_.elementwise(ops[pick(7)], {x, y}));
        break;
      }
      case 4: {
        const ValueId x = any(ints_);
        const OpCode ops[] = {OpCode::Div, OpCode::Rem, OpCode::Shl, OpCode::Add, OpCode::Mul};
        keep(b_.elementwise(ops[pick(5)], {x, b_.splat(constant(1 + pick(9)), shape_of(x))}));
        break;
      }
      case 5: case 6: mask(); break;
      case 7: shape(); break;
      case 8: {
        const DType narrow[] = {DType::Int8, DType::UInt8, DType::Int16, DType::Int64, DType::UInt32};
        keep(b_.cast(b_.cast(any(ints_), narrow[pick(5)]), DType::Int32));
        break;
      }
      case 9: case 10: load(); break;
      default: store();
    }
  }
  void keep(ValueId v) { ints_.push_back(v); }
  void mask() {
    const auto [x, y] = alike(any(ints_), pick(2) != 0 ? any(ints_) : b_.splat(n_, shape_of(any(ints_))));
    const OpCode ops[] = {OpCode::CmpLt, OpCode::CmpLe, OpCode::CmpGt, OpCode::CmpGe, OpCode::CmpEq, OpCode::CmpNe};
    ValueId m = b_.elementwise(ops[pick(6)], {x, y});
    if (!masks_.empty() && pick(2) != 0) {
      const ValueId other = any(masks_);
      if (shape_of(other) == shape_of(m)) m = b_.elementwise(pick(3) == 0 ? OpCode::BitOr : OpCode::BitAnd, {m, other});
    }
    if (pick(4) == 0) m = b_.elementwise(OpCode::BitNot, {m});
    masks_.push_back(m);
    if (pick(2) == 0) keep(b_.elementwise(OpCode::Select, {m, x, y}));
  }
  void shape() {
    const ValueId x = any(ints_);
    const Type t = f_.type(x);
    switch (pick(6)) {
      case 0:
        if (t.shape.rank == 2) keep(b_.trans(x, {1, 0}));
        break;
      case 1: keep(b_.reshape(x, {t.elements()})); break;
      case 2: keep(b_.create1(OpCode::Flip, {x}, t, {{"axis", pick(t.shape.rank)}})); break;
      case 3:
        if (t.elements() >= 8) keep(b_.reshape(x, {2, t.elements() / 2}));
        break;
      case 4: {
        const int axis = static_cast<int>(pick(t.shape.rank));
        Shape s;
        for (int a = 0; a < t.shape.rank; ++a)
          if (a != axis) s.push_back(t.shape[a]);
        if (s.rank > 0) keep(b_.create1(OpCode::Reduce, {x}, t.with_shape(s), {{"axis", int64_t{axis}}, {"combine", std::string("sum")}}));
        break;
      }
      default:
        if (t.elements() >= 8) {
          const ValueId y = b_.reshape(x, {t.elements() / 2, 2});
          const Op& op = b_.create(OpCode::Split, {y}, {t.with_shape({t.elements() / 2}), t.with_shape({t.elements() / 2})});
          const ValueId first = op.results[0], second = op.results[1];
          keep(first);
          keep(second);
          keep(b_.create1(OpCode::Cat, {first, second}, t.with_shape({t.elements()})));
        }
    }
  }
  // An index that mostly lies inside the tensor, and a mask of its shape or none.
  std::pair<ValueId, ValueId> place() {
    ValueId x = any(ints_);
    const Shape s = shape_of(x);
    if (pick(4) != 0) {
      const ValueId size = b_.splat(constant(64), s);
      x = b_.elementwise(OpCode::Rem, {b_.elementwise(OpCode::Abs, {b_.elementwise(OpCode::Rem, {x, size})}), size});
    }
    ValueId m = kNoValue;
    for (ValueId v : masks_)
      if (shape_of(v) == s && pick(2) != 0) m = v;
    if (pick(3) == 0) {
      const ValueId inside = b_.elementwise(OpCode::BitAnd, {b_.elementwise(OpCode::CmpGe, {x, b_.splat(constant(0), s)}),
                                                             b_.elementwise(OpCode::CmpLt, {x, b_.splat(n_, s)})});
      m = m == kNoValue ? inside : b_.elementwise(OpCode::BitAnd, {m, inside});
    }
    return {x, m};
  }
  ValueId pointers(ValueId base, ValueId index) { return b_.addptr(b_.splat(base, shape_of(index)), index); }
  void load() {
    const auto [x, m] = place();
    const ValueId other = m != kNoValue && pick(3) != 0 ? b_.splat(any(scalars_), shape_of(x)) : kNoValue;
    keep(b_.load(pointers(pick(2) != 0 ? x_ : y_, x), m, other));
  }
  void store() {
    const auto [x, m] = place();
    ValueId value = x;
    for (ValueId v : ints_)
      if (shape_of(v) == shape_of(x) && pick(2) != 0) value = v;
    if (pick(2) != 0) value = b_.elementwise(OpCode::Add, {value, x});
    b_.store(pointers(pick(3) != 0 ? y_ : x_, x), value, m);
  }
  // for i in range(0, 3): two carried tiles that swap, and some statements.
  void loop() {
    const ValueId a = any(ints_), c = any(ints_);
    const auto [x, y] = alike(a, c);
    std::vector<ValueId> operands = {constant(0), constant(3), constant(1), x, y};
    Op& op = b_.create(OpCode::For, operands, {f_.type(x), f_.type(y)});
    const ValueId r0 = op.results[0], r1 = op.results[1];
    Block* outer = b_.block();
    op.regions.emplace_back();
    Block* body = &op.regions[0];
    body->args = {f_.new_value(Type::scalar(DType::Int32)), f_.new_value(f_.type(x)), f_.new_value(f_.type(y))};
    const ValueId i = body->args[0], p = body->args[1], q = body->args[2];
    b_.set_block(body);
    const auto ints = ints_;
    const auto masks = masks_;
    const auto scalars = scalars_;
    scalars_.push_back(i);
    ints_.push_back(p);
    ints_.push_back(q);
    statements(5);
    const ValueId next = b_.elementwise(OpCode::Add, {p, b_.splat(i, shape_of(p))});
    b_.create(OpCode::Yield, pick(2) != 0 ? std::vector<ValueId>{q, next} : std::vector<ValueId>{next, q}, {});
    ints_ = ints;
    masks_ = masks;
    scalars_ = scalars;
    b_.set_block(outer);
    keep(r0);
    keep(r1);
  }

  std::mt19937 random_;
  Function f_;
  Builder b_;
  ValueId x_ = 0, y_ = 0, n_ = 0;
  std::vector<ValueId> scalars_, ints_, masks_;
};

struct Outcome {
  std::string bytes, faults, counters;
};

Outcome execute(const Function& f, bool closed_forms, int threads, bool uninitialised) {
  testing::Bench bench;
  bench.range("x", DType::Int32, {64});
  Tensor& y = bench.range("y", DType::Int32, {64});
  y.uninitialised = uninitialised;
  bench.integer("n", 50);
  RunOptions options;
  options.closed_forms = closed_forms;
  options.threads = threads;
  options.check.uninitialised = uninitialised;
  const RunTrace t = run(f, bench.bind(f), {3, 1, 1}, options);
  std::string faults;
  for (const Fault& fault : t.faults)
    faults += std::string(fault_kind_name(fault.kind)) + " " + std::to_string(fault.program[0]) + " " + std::to_string(fault.lane) + " " +
              std::to_string(fault.count) + " " + fault.message + "\n";
  return {bench.bytes(), faults, testing::text_of(t)};
}

TEST_CASE("random programs give the same bytes, faults and counters with and without closed forms") {
  int clean = 0;
  for (uint32_t seed = 0; seed < 1500; ++seed) {
    const Function f = Generator(seed).make();
    const std::vector<Diagnostic> problems = verify(f);
    REQUIRE_MESSAGE(problems.empty(), render(problems));
    for (bool uninitialised : {false, true}) {
      const Outcome fast = execute(f, true, 1, uninitialised), plain = execute(f, false, 1, uninitialised);
      if (fast.bytes == plain.bytes && fast.faults == plain.faults && fast.counters == plain.counters) {
        clean += fast.faults.empty();
        continue;
      }
      FAIL("seed ", seed, "\n", print(f), "\nclosed forms: ", fast.faults, fast.counters, "\nwritten out: ", plain.faults, plain.counters);
    }
  }
  CHECK(clean > 300);  // programs that fault early test little
}

}  // namespace
}  // namespace tilescope
