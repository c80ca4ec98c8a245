#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "core/builder.h"
#include "core/fold.h"
#include "core/op_domain.h"

using namespace tilescope;

namespace {

uint64_t f32(float x) { return std::bit_cast<uint32_t>(x); }

std::optional<uint64_t> of(OpCode op, DType t, std::initializer_list<uint64_t> in) { return evaluate(op, t, t, in.begin()); }

uint64_t cast(DType from, DType to, uint64_t bits) { return *evaluate(OpCode::Cast, from, to, &bits); }

}  // namespace

TEST_CASE("integers fold with the GPU's rules: they wrap, division truncates, shifts run out") {
  CHECK(of(OpCode::Add, DType::Int8, {0x7f, 1}) == 0x80);
  CHECK(of(OpCode::Mul, DType::Int32, {0x10000, 0x10000}) == 0);
  CHECK(of(OpCode::Div, DType::Int32, {0xfffffff9, 2}) == 0xfffffffd);  // -7 / 2 = -3
  CHECK(of(OpCode::Rem, DType::Int32, {0xfffffff9, 2}) == 0xffffffff);  // -7 % 2 = -1
  CHECK(of(OpCode::Div, DType::Int32, {0x80000000, 0xffffffff}) == 0x80000000);
  CHECK(of(OpCode::Shl, DType::Int32, {1, 32}) == 0);
  CHECK(of(OpCode::Shr, DType::Int16, {0x8000, 99}) == 0xffff);
  CHECK(of(OpCode::CmpLt, DType::Int32, {0xffffffff, 0}) == 1);
  CHECK(of(OpCode::CmpLt, DType::UInt32, {0xffffffff, 0}) == 0);
  CHECK(of(OpCode::Popc, DType::UInt8, {0xff}) == 8);
  CHECK(of(OpCode::Add, DType::Int1, {1, 1}) == 0);
}

TEST_CASE("floats fold to the bits of the shared scalar math") {
  CHECK(of(OpCode::Add, DType::Float32, {f32(-0.0f), f32(0.0f)}) == f32(0.0f));
  CHECK(of(OpCode::Maximum, DType::Float32, {f32(-0.0f), f32(0.0f)}) == f32(0.0f));
  CHECK(of(OpCode::Neg, DType::Float32, {f32(0.0f)}) == f32(0.0f));
  CHECK(of(OpCode::Sqrt, DType::Float32, {f32(2.0f)}) == f32(std::sqrt(2.0f)));
  CHECK(of(OpCode::Fma, DType::Float32, {f32(0x1.000002p0f), f32(0x1.000002p0f), f32(-1.0f)}) == f32(std::fma(0x1.000002p0f, 0x1.000002p0f, -1.0f)));
  CHECK(of(OpCode::Add, DType::BFloat16, {0x4020, 0x4000}) == 0x4090);  // 2.5 + 2.0 = 4.5
  CHECK(of(OpCode::Add, DType::Float16, {0x3c00, 0x1000}) == 0x3c00);   // 1 + 2^-11 ties to even
  CHECK(of(OpCode::Sub, DType::Float32, {f32(HUGE_VALF), f32(HUGE_VALF)}) == 0x7fffffff);  // one NaN for all
}

TEST_CASE("casts fold as the IR says: integers wrap, floats saturate, NaN gives 0") {
  CHECK(cast(DType::Int32, DType::Int8, 300) == 44);
  CHECK(cast(DType::Int8, DType::Int64, 0x80) == 0xffffffffffffff80);
  CHECK(cast(DType::Int1, DType::Int32, 1) == 1);
  CHECK(cast(DType::Float32, DType::Int32, f32(3e10f)) == 0x7fffffff);
  CHECK(cast(DType::Float32, DType::Int32, f32(std::nanf(""))) == 0);
  CHECK(cast(DType::Float32, DType::Float16, f32(65520.0f)) == 0x7c00);
  CHECK(cast(DType::Int64, DType::Float32, 16777217) == f32(16777216.0f));
  CHECK(element_bits(DType::Int1, int64_t{2}) == 1);
  CHECK(element_bits(DType::BFloat16, 0.1) == 0x3dcd);
  CHECK(element_bits(DType::UInt64, -1.0) == 0);  // as the cast: saturates
}

TEST_CASE("every elementwise row of the op table folds for every element type that it takes, and for no other") {
  for (int i = 0; i < op_count(); ++i) {
    const OpInfo& info = op_info(static_cast<OpCode>(i));
    if (info.group != OpGroup::Elementwise || info.rule == TypeRule::Explicit || info.rule == TypeRule::Select) continue;
    for (int t = 0; t < kDTypeCount; ++t) {
      const auto type = static_cast<DType>(t);
      const uint64_t one = element_bits(type, int64_t{1});
      const uint64_t in[3] = {one, one, one};
      const std::optional<uint64_t> out = evaluate(info.code, type, type, in);
      CAPTURE(info.name);
      CAPTURE(dtype_name(type));
      CHECK(out.has_value() == op_takes(info.code, type));
      const bool predicate = info.rule == TypeRule::Compare || info.rule == TypeRule::IsFloat;
      const DType result = predicate ? DType::Int1 : info.rule == TypeRule::ToFloat ? DType::Float32 : type;
      if (out) CHECK(canonical_bits(result, *out) == *out);
    }
  }
}
