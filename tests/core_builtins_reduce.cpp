#include "tests/core_builtins_support.h"

using namespace tilescope;

TEST_CASE("sums widen small integers and keep floats") {
  CHECK(type_of("tl.sum(x)") == "f32");
  CHECK(type_of("tl.sum(h, axis=0)") == "f16");
  CHECK(type_of("tl.sum(b)") == "bf16");
  CHECK(type_of("tl.sum(c)") == "i32");
  CHECK(type_of("tl.sum(v)") == "u32");
  CHECK(type_of("tl.sum(m)") == "u32");
  CHECK(type_of("tl.sum(l)") == "i64");
  CHECK(type_of("tl.sum(h, dtype=tl.float32)") == "f32");
  CHECK(type_of("tl.sum(x2, 1)") == "tile<4xf32>");
  CHECK(type_of("tl.sum(x2, axis=-2)") == "tile<8xf32>");
  CHECK(type_of("x2.sum(axis=1, keep_dims=True)") == "tile<4x1xf32>");
  CHECK(type_of("tl.sum(x2, keep_dims=True)") == "tile<1x1xf32>");
  CHECK(type_of("tl.sum(x2)") == "f32");
  CHECK(ir_of("tl.device_print('r', tl.sum(x2, 1))").find("reduce %x2 {axis=1, combine=\"sum\"}") != std::string::npos);
}

TEST_CASE("maxima promote to 32 bits, and come with their index") {
  CHECK(type_of("tl.max(h)") == "f32");
  CHECK(type_of("tl.max(b)") == "f32");
  CHECK(type_of("tl.min(c, axis=0)") == "i32");
  CHECK(type_of("tl.max(v)") == "i32");
  CHECK(type_of("tl.max(l)") == "i64");
  CHECK(type_of("tl.max(h, axis=0, return_indices=True)[0]") == "f16");
  CHECK(type_of("tl.max(x2, axis=1, return_indices=True)[1]") == "tile<4xi32>");
  CHECK(type_of("tl.argmax(x2, 0)") == "tile<8xi32>");
  CHECK(type_of("tl.argmin(x2, axis=1, keep_dims=True)") == "tile<4x1xi32>");
  CHECK(ir_of("tl.device_print('r', tl.argmin(x, 0, tie_break_left=False))").find("combine=\"argmin_right\"") !=
        std::string::npos);
  CHECK(refused("tl.max(x, return_indices=True)", "tl.max(x, return_indices=True)", {"an index needs an axis"}));
}

TEST_CASE("an axis outside the tile is refused") {
  CHECK(refused("tl.sum(r, axis=1)", "1", {"axis is", "the tile has rank 1"}));
  CHECK(refused("tl.sum(x2, axis=-3)", "-3", {"rank 2"}));
  CHECK(refused("tl.sum(x, axis=n)", "n", {}));
  CHECK(refused("tl.xor_sum(x)", "x", {"takes integers, not float32"}));
}

TEST_CASE("bitwise reductions, running sums and products") {
  CHECK(type_of("tl.xor_sum(i, axis=0)") == "i32");
  CHECK(type_of("tl.reduce_or(m, 0)") == "i1");
  CHECK(type_of("tl.cumsum(x2, axis=1)") == "tile<4x8xf32>");
  CHECK(type_of("tl.cumsum(c)") == "tile<16xi32>");
  CHECK(type_of("tl.cumsum(b)") == "tile<16xf32>");
  CHECK(type_of("tl.cumsum(h, dtype=tl.float32)") == "tile<16xf32>");
  CHECK(type_of("tl.cumprod(i, 0)") == "tile<16xi32>");
  CHECK(ir_of("tl.device_print('r', tl.cumsum(x, 0, reverse=True))").find("reverse=1") != std::string::npos);
}

TEST_CASE("a user's combine function becomes a region") {
  const std::string ir = ir_of("tl.device_print('r', tl.reduce(x2, 1, add_fn))");
  CHECK(ir.find("combine=\"user\"} (") != std::string::npos);
  CHECK(ir.find("yield") != std::string::npos);
  CHECK(type_of("tl.reduce((x, i), 0, pair_fn)[1]") == "i32");
  CHECK(type_of("tl.reduce(x2, 1, add_fn, keep_dims=True)") == "tile<4x1xf32>");
  CHECK(type_of("tl.associative_scan(x, 0, add_fn, reverse=True)") == "tile<16xf32>");
  CHECK(type_of("tl.associative_scan((x, i), 0, pair_fn)[0]") == "tile<16xf32>");
  CHECK(refused("tl.reduce(x, 0, wide_fn)", "tl.reduce(x, 0, wide_fn)", {"must return (f32), but it returns (f64)"}));
  CHECK(refused("tl.reduce((x, i2), 0, pair_fn)", "tl.reduce((x, i2), 0, pair_fn)", {"one shape"}));
  CHECK(refused("tl.reduce(x, 0, 3)", "3", {"must be a @triton.jit function"}));
}

TEST_CASE("softmax needs keep_dims along other axes than the first") {
  CHECK(type_of("tl.softmax(x)") == "tile<16xf32>");
  CHECK(type_of("tl.softmax(x2)") == "tile<4x8xf32>");
  CHECK(type_of("tl.softmax(x2, 1, keep_dims=True)") == "tile<4x8xf32>");
  CHECK(refused("tl.softmax(x2, dim=1)", "tl.softmax(x2, dim=1)", {"needs keep_dims=True"}));
  CHECK(refused("tl.softmax(h)", "h", {"not float16"}));
}

TEST_CASE("sorting, selecting and counting") {
  CHECK(type_of("tl.sort(x2, descending=True)") == "tile<4x8xf32>");
  CHECK(type_of("tl.topk(x2, 4)") == "tile<4x4xf32>");
  CHECK(type_of("tl.histogram(i, 8)") == "tile<8xi32>");
  CHECK(type_of("i.histogram(num_bins=8, mask=r < 3)") == "tile<8xi32>");
  CHECK(refused("tl.sort(x2, dim=0)", "0", {"only the last axis"}));
  CHECK(refused("tl.topk(x, 3)", "3", {"a power of two from 1 to 16"}));
  CHECK(refused("tl.histogram(x, 8)", "x", {"tile of integers"}));
}
