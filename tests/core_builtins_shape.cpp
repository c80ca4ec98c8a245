#include "tests/core_builtins_support.h"

using namespace tilescope;

TEST_CASE("shapes are changed as a tuple or as separate numbers") {
  CHECK(type_of("tl.reshape(x, (4, 4))") == "tile<4x4xf32>");
  CHECK(type_of("tl.reshape(x, 4, 4)") == "tile<4x4xf32>");
  CHECK(type_of("x.reshape(2, 8, can_reorder=True)") == "tile<2x8xf32>");
  CHECK(type_of("tl.view(x2, [32])") == "tile<32xf32>");
  CHECK(type_of("tl.ravel(x2)") == "tile<32xf32>");
  CHECK(type_of("tl.broadcast_to(r[:, None], (16, 2))") == "tile<16x2xi32>");
  CHECK(type_of("tl.broadcast_to(s, 8)") == "tile<8xf32>");
  CHECK(type_of("tl.expand_dims(x, 1)") == "tile<16x1xf32>");
  CHECK(type_of("x.expand_dims(-2)") == "tile<1x16xf32>");
  CHECK(type_of("tl.expand_dims(x, (0, 2))") == "tile<1x16x1xf32>");
  CHECK(type_of("tl.expand_dims(s, 0)") == "tile<1xf32>");
  CHECK(type_of("tl.broadcast(r[:, None], r[None, :])[0]") == "tile<16x16xi32>");
  CHECK(type_of("tl.reshape(x, (1, 16)).sum(1).item()") == "f32");
}

TEST_CASE("tl.view says that a GPU may reorder the elements") {
  Expected<CompiledKernel> k = compile_builtin("tl.device_print('r', tl.view(x2, 32))");
  REQUIRE(k.ok());
  REQUIRE(k->notes.size() == 1);
  CHECK(k->notes[0].message.find("may reorder") != std::string::npos);
}

TEST_CASE("wrong shapes are refused with both shapes") {
  CHECK(refused("tl.reshape(x, (4, 8))", "tl.reshape(x, (4, 8))", {"cannot reshape [16] to [4, 8]"}));
  CHECK(refused("tl.broadcast_to(x, (8,))", "x", {"cannot broadcast shape [16] to [8]"}));
  CHECK(refused("tl.broadcast_to(x, (16, 16))", "x", {"the ranks must be equal"}));
  CHECK(refused("tl.expand_dims(x, 3)", "3", {"rank 2"}));
  CHECK(refused("tl.expand_dims(x, (0, 0))", "(0, 0)", {"twice"}));
  CHECK(refused("x.item()", "x.item()", {"single element"}));
}

TEST_CASE("axes are permuted") {
  CHECK(type_of("tl.trans(x2)") == "tile<8x4xf32>");
  CHECK(type_of("x2.trans(1, 0)") == "tile<8x4xf32>");
  CHECK(type_of("tl.permute(x2.reshape(2, 4, 4), (2, 0, 1))") == "tile<4x2x4xf32>");
  CHECK(type_of("tl.trans(x2.reshape(2, 2, 8))") == "tile<2x8x2xf32>");
  CHECK(refused("tl.trans(x)", "tl.trans(x)", {"needs two axes"}));
  CHECK(refused("tl.permute(x2, (0, 0))", "tl.permute(x2, (0, 0))", {"axis 0 is given twice"}));
  CHECK(refused("tl.permute(x2, 0)", "tl.permute(x2, 0)", {"names 1 axes, but the tile has 2"}));
}

TEST_CASE("tiles are joined, split, interleaved, reversed and gathered") {
  CHECK(type_of("tl.join(x, x)") == "tile<16x2xf32>");
  CHECK(type_of("tl.join(s, s)") == "tile<2xf32>");
  CHECK(type_of("tl.split(x.reshape(8, 2))[1]") == "tile<8xf32>");
  CHECK(type_of("tl.split(tl.join(s, s))[0]") == "f32");
  CHECK(type_of("tl.interleave(x2, x2)") == "tile<4x16xf32>");
  CHECK(type_of("tl.interleave(s, s)") == "tile<2xf32>");
  CHECK(type_of("tl.cat(x, x, can_reorder=True)") == "tile<32xf32>");
  CHECK(type_of("tl.flip(x2, 0)") == "tile<4x8xf32>");
  CHECK(type_of("tl.gather(x2, i2, axis=1)") == "tile<4x8xf32>");
  CHECK(type_of("x.gather(tl.arange(0, 4), 0)") == "tile<4xf32>");
  CHECK(refused("tl.cat(x, x)", "tl.cat(x, x)", {"can_reorder=True"}));
  CHECK(refused("tl.flip(x)", "tl.flip(x)", {"needs the axis", "dim=0"}));
  CHECK(refused("tl.split(x)", "x", {"must have length 2"}));
  CHECK(refused("tl.join(x, h)", "tl.join(x, h)", {"float32 and float16"}));
  CHECK(refused("tl.gather(x2, x2, 1)", "x2", {"tile of integers, not float32"}));
}

TEST_CASE("where promotes its values and broadcasts its condition") {
  CHECK(type_of("tl.where(m, h, 0.0)") == "tile<16xf16>");
  CHECK(type_of("tl.where(m, x, h)") == "tile<16xf32>");
  CHECK(type_of("tl.where(r[:, None] > 3, x[None, :], 0)") == "tile<16x16xf32>");
  CHECK(type_of("tl.where(n > 3, x, 1.0)") == "tile<16xf32>");
  CHECK(type_of("tl.where(m, x_ptr + r, x_ptr)") == "tile<16xptr<f32>>");
  CHECK(type_of("tl.where(m, 1, 2)") == "tile<16xi32>");
  CHECK(refused("tl.where(m, x_ptr, i_ptr)", "tl.where(m, x_ptr, i_ptr)", {"pointer to float32 and pointer to int32"}));
  CHECK(refused("tl.where(m, x2, 0.0)", "tl.where(m, x2, 0.0)", {"cannot broadcast"}));
}

TEST_CASE("elements are converted, reinterpreted and rounded towards zero") {
  CHECK(type_of("x.to(tl.float16)") == "tile<16xf16>");
  CHECK(type_of("tl.cast(i, tl.int8)") == "tile<16xi8>");
  CHECK(type_of("i.to(tl.dtype('uint32'), bitcast=True)") == "tile<16xu32>");
  CHECK(type_of("x.to(tl.get_int_dtype(32, True), bitcast=True)") == "tile<16xi32>");
  CHECK(refused("x.to(tl.dtype('int7'))", "'int7'", {"no element type \"int7\""}));
  CHECK(type_of("x.cast(tl.int32, bitcast=True)") == "tile<16xi32>");
  CHECK(type_of("x.to(tl.bfloat16, fp_downcast_rounding='rtne')") == "tile<16xbf16>");
  CHECK(type_of("x.to(tl.float16, fp_downcast_rounding='rtz')") == "tile<16xf16>");
  CHECK(refused("x.to(tl.int16, bitcast=True)", "x.to(tl.int16, bitcast=True)", {}));
  CHECK(refused("h.to(tl.float32, fp_downcast_rounding='rtz')", "'rtz'", {"narrower float"}));
  CHECK(refused("x.to(tl.float16, fp_downcast_rounding='up')", "'up'", {"does not exist"}));
}
