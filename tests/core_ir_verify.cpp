#include <doctest/doctest.h>

#include "core/builder.h"
#include "core/verify.h"

using namespace tilescope;

namespace {

/// Builds a kernel with one float pointer `x` and one int `n`, and returns the first broken rule.
template <class Fn>
std::string first_problem(Fn&& build) {
  Function f;
  f.name = "k";
  Builder b(f);
  const ValueId x = b.param("x", Type::pointer_to(DType::Float32));
  const ValueId n = b.param("n", Type::scalar(DType::Int32));
  build(b, x, n);
  const std::vector<Diagnostic> errors = verify(f);
  return errors.empty() ? "" : errors[0].message;
}

bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Op& end_region(Builder& b, Op& op, OpCode terminator, std::vector<ValueId> values) {
  Block* outer = b.block();
  b.set_block(&op.regions.back());
  Op& end = b.create(terminator, std::move(values), {});
  b.set_block(outer);
  return end;
}

const Type kInt = Type::scalar(DType::Int32);

}  // namespace

TEST_CASE("the verifier finds operands of different types") {
  CHECK(mentions(first_problem([](Builder& b, ValueId, ValueId n) {
          b.create1(OpCode::Add, {n, b.constant_int(Type::scalar(DType::Int64), 1)}, kInt);
        }), "operands differ in type: i32 and i64"));
  CHECK(mentions(first_problem([](Builder& b, ValueId x, ValueId) {
          b.create1(OpCode::Add, {x, x}, b.type(x));
        }), "does not take ptr<f32>"));
  CHECK(mentions(first_problem([](Builder& b, ValueId, ValueId n) { b.elementwise(OpCode::Exp, {n}); }), "does not take i32"));
}

TEST_CASE("the verifier finds wrong operand counts, missing attributes and attributes out of range") {
  CHECK(mentions(first_problem([](Builder& b, ValueId, ValueId n) { b.create1(OpCode::Add, {n}, kInt); }), "wrong number of operands"));
  CHECK(mentions(first_problem([](Builder& b, ValueId, ValueId) { b.create1(OpCode::ProgramId, {}, kInt); }), "needs an axis"));
  CHECK(mentions(first_problem([](Builder& b, ValueId, ValueId) { b.program_id(3); }), "needs an axis from 0 to 2"));
  CHECK(mentions(first_problem([](Builder& b, ValueId, ValueId) {
          b.constant_bits(Type::scalar(DType::Int8), 0x100);
        }), "bits are set above the element's width"));
}

TEST_CASE("the verifier finds extents that are no power of two and tiles that are too large") {
  CHECK(mentions(first_problem([](Builder& b, ValueId, ValueId n) { b.splat(n, {48}); }), "axis 0 is 48, not a power of two"));
  CHECK(mentions(first_problem([](Builder& b, ValueId, ValueId n) { b.splat(n, {1024, 2048}); }), "at most 1048576 elements"));
  CHECK(first_problem([](Builder& b, ValueId, ValueId n) { b.splat(n, {1024, 1024}); }).empty());
}

TEST_CASE("the verifier finds uses before the definition and outside the region") {
  CHECK(mentions(first_problem([](Builder& b, ValueId, ValueId n) {
          const ValueId later = b.function().new_value(kInt);
          b.elementwise(OpCode::Add, {n, later});
        }), "uses a value before its definition"));
  CHECK(mentions(first_problem([](Builder& b, ValueId, ValueId n) {
          Op& loop = b.create(OpCode::For, {n, n, n}, {});
          loop.regions.resize(1);
          const ValueId k = b.function().new_value(kInt);
          loop.regions[0].args = {k};
          end_region(b, loop, OpCode::Yield, {});
          b.elementwise(OpCode::Add, {k, k});
        }), "uses a value outside its region"));
}

TEST_CASE("the verifier finds loops whose carried values do not agree") {
  const auto loop_yielding = [](bool carried_as_int) {
    return first_problem([&](Builder& b, ValueId, ValueId n) {
      Op& loop = b.create(OpCode::For, {n, n, n, n}, {kInt});
      loop.regions.resize(1);
      const ValueId k = b.function().new_value(kInt), carried = b.function().new_value(kInt);
      loop.regions[0].args = {k, carried};
      Block* outer = b.block();
      b.set_block(&loop.regions[0]);
      const ValueId wide = b.cast(carried, DType::Int64);
      b.create(OpCode::Yield, {carried_as_int ? carried : wide}, {});
      b.set_block(outer);
    });
  };
  CHECK(loop_yielding(true).empty());
  CHECK(mentions(loop_yielding(false), "agree in type"));
}

TEST_CASE("the verifier finds a region without its end") {
  CHECK(mentions(first_problem([](Builder& b, ValueId, ValueId n) {
          Op& loop = b.create(OpCode::For, {n, n, n}, {});
          loop.regions.resize(1);
          loop.regions[0].args = {b.function().new_value(kInt)};
        }), "must end in yield"));
  CHECK(mentions(first_problem([](Builder& b, ValueId, ValueId) { b.create(OpCode::Yield, {}, {}); }), "outside a region"));
}

TEST_CASE("the verifier finds a dot whose accumulator does not fit its contract") {
  const auto dot = [](DType acc, std::string contract) {
    return first_problem([&](Builder& b, ValueId, ValueId) {
      const ValueId a = b.constant_float(Type::tile(DType::Float16, {16, 32}), 1);
      const ValueId w = b.constant_float(Type::tile(DType::Float16, {32, 16}), 1);
      const ValueId c = b.constant_float(Type::tile(acc, {16, 16}), 0);
      b.create1(OpCode::Dot, {a, w, c}, b.type(c), {{"contract", contract}});
    });
  };
  CHECK(dot(DType::Float32, "tc.f16.k16.f25.trunc").empty());
  CHECK(mentions(dot(DType::Float16, "tc.f16.k16.f25.trunc"), "accumulator has another type"));
  CHECK(mentions(dot(DType::Float32, "by hand"), "needs a contract"));
}
