#include <doctest/doctest.h>

#include "core/builder.h"
#include "core/print.h"
#include "core/verify.h"

using namespace tilescope;

namespace {

/// x[i] = x[i] + 1.5 for the i below n of a block of 256.
Function masked_increment() {
  Function f;
  f.name = "increment";
  f.constexprs = {{"BLOCK", "256"}, {"MODE", "a b"}};
  Builder b(f);
  const ValueId x = b.param("x_ptr", Type::pointer_to(DType::Float32), 16);
  const ValueId n = b.param("n", Type::scalar(DType::Int32));
  const ValueId pid = b.program_id(0);
  const ValueId start = b.elementwise(OpCode::Mul, {pid, b.constant_int(Type::scalar(DType::Int32), 256)});
  const ValueId offsets = b.elementwise(OpCode::Add, {b.splat(start, {256}), b.make_range(0, 256)});
  f.values[offsets].name = "offs";
  const ValueId mask = b.elementwise(OpCode::CmpLt, {offsets, b.splat(n, {256})});
  f.values[mask].name = "offs";
  const ValueId pointers = b.addptr(b.splat(x, {256}), offsets);
  const ValueId loaded = b.load(pointers, mask);
  const ValueId sum = b.elementwise(OpCode::Add, {loaded, b.constant_float(Type::tile(DType::Float32, {256}), 1.5)});
  b.store(pointers, sum, mask);
  b.create(OpCode::Return, {}, {});
  return f;
}

}  // namespace

TEST_CASE("a function prints as readable text with the source's own names made unique") {
  CHECK(print(masked_increment()) ==
        R"(kernel increment(%x_ptr: ptr<f32> {div=16}, %n: i32) num_warps=4 num_stages=3 {BLOCK=256, MODE="a b"} {
  %0: i32 = program_id {axis=0}
  %1: i32 = constant 256
  %2: i32 = mul %0, %1
  %3: tile<256xi32> = splat %2
  %4: tile<256xi32> = make_range {start=0, end=256}
  %offs: tile<256xi32> = add %3, %4
  %5: tile<256xi32> = splat %n
  %offs_1: tile<256xi1> = lt %offs, %5
  %6: tile<256xptr<f32>> = splat %x_ptr
  %7: tile<256xptr<f32>> = addptr %6, %offs
  %8: tile<256xf32> = load %7, %offs_1
  %9: tile<256xf32> = constant 1.5
  %10: tile<256xf32> = add %8, %9
  store %7, %10, %offs_1
  return
}
)");
  CHECK(verify(masked_increment()).empty());
}

TEST_CASE("constants print by value when that reads back to the same bits, else as bits") {
  const auto text = [](DType t, uint64_t bits) { return constant_text(Type::scalar(t), bits); };
  CHECK(text(DType::Int1, 1) == "true");
  CHECK(text(DType::Int8, 0xff) == "-1");
  CHECK(text(DType::UInt8, 0xff) == "255");
  CHECK(text(DType::Int64, uint64_t{1} << 63) == "-9223372036854775808");
  CHECK(text(DType::UInt64, ~uint64_t{0}) == "18446744073709551615");
  CHECK(text(DType::Float32, 0x80000000) == "-0.0");
  CHECK(text(DType::Float32, 0x3dcccccd) == "0.1");
  CHECK(text(DType::Float32, 0xff800000) == "-inf");
  CHECK(text(DType::Float32, 0x7fc00000) == "0x7fc00000");
  CHECK(text(DType::Float32, 1) == "1e-45");
  CHECK(text(DType::Float16, 0x3c00) == "1.0");
  CHECK(text(DType::Float16, 0x0001) == "5.9604645e-08");
  CHECK(text(DType::BFloat16, 0x3dcd) == "0.100097656");
  CHECK(text(DType::Float8E4NV, 0x7e) == "448.0");
  CHECK(text(DType::Float8E5, 0x7c) == "0x7c");  // a conversion saturates, so infinity has no number that gives it
  CHECK(constant_text(Type::pointer_to(DType::Float32), 16) == "0x10");
}

TEST_CASE("every finite 8- and 16-bit float goes through its double and back") {
  for (DType t : {DType::Float8E4NV, DType::Float8E5, DType::Float16, DType::BFloat16}) {
    for (uint64_t bits = 0; bits < uint64_t{1} << dtype_bits(t); ++bits) {
      const std::string text = constant_text(Type::scalar(t), bits);
      const bool in_hex = text.rfind("0x", 0) == 0;
      const uint64_t magnitude = bits & ((uint64_t{1} << (dtype_bits(t) - 1)) - 1);
      const uint64_t largest = t == DType::Float8E4NV ? 0x7e : t == DType::Float8E5 ? 0x7b : t == DType::Float16 ? 0x7c00 : 0x7f80;
      CAPTURE(bits);
      REQUIRE(in_hex == (magnitude > largest));
    }
  }
}
