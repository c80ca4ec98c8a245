#include "tests/core_builtins_support.h"

using namespace tilescope;

TEST_CASE("a load takes the shape that pointers, mask and other broadcast to") {
  CHECK(type_of("tl.load(x_ptr)") == "f32");
  CHECK(type_of("tl.load(h_ptr + r)") == "tile<16xf16>");
  CHECK(type_of("tl.load(m_ptr + r)") == "tile<16xi1>");
  CHECK(type_of("tl.load(x_ptr + r[:, None], mask=r[None, :] < 3, other=0)") == "tile<16x16xf32>");
  CHECK(type_of("tl.load(i_ptr + r, mask=n > 3, other=0.0)") == "tile<16xi32>");
  CHECK(type_of("tl.load(x_ptr, mask=n > 3, other=42)") == "f32");
  CHECK(count_in("tl.load(x_ptr + r, cache_modifier='.cg', eviction_policy='evict_last', volatile=True)",
                 OpCode::Load) == 1);
}

TEST_CASE("a load without a mask takes no other, and a mask is int1") {
  CHECK(refused("tl.load(x_ptr + r, other=0.0)", "0.0", {"`other` is given without a mask"}));
  CHECK(refused("tl.load(x_ptr + r, mask=i)", "i", {"mask must be int1, not int32"}));
  CHECK(refused("tl.load(x_ptr, mask=r < 3)", "r < 3", {"shape [16]", "the pointer is a scalar"}));
  CHECK(refused("tl.load(n)", "n", {"must be a pointer"}));
  CHECK(refused("tl.load(x_ptr + r, boundary_check=(0,))", "(0,)", {"needs a block pointer"}));
  CHECK(refused("tl.load(x_ptr + r, cache_modifier='.xx')", "'.xx'", {"does not exist", ".ca"}));
}

TEST_CASE("a store converts and repeats its value to the pointers") {
  CHECK(ir_of("tl.store(h_ptr + r, x)").find("cast") != std::string::npos);
  CHECK(count_ops("tl.store(x_ptr + r, 1)", OpCode::Store) == 1);
  CHECK(count_ops("tl.store(x_ptr + r, s, mask=r > 2)", OpCode::Store) == 1);
  CHECK(count_ops("(x_ptr + r).store(x)", OpCode::Store) == 1);
  CHECK(refused("tl.store(n + r, 1.0)", "n + r", {"must be a pointer"}));
  CHECK(refused("tl.store(x_ptr + r, x2)", "tl.store(x_ptr + r, x2)", {"cannot broadcast"}));
  CHECK(refused("tl.store(x_ptr + r[:, None], x)", "x_ptr + r[:, None]",
                {"the pointers have shape [16, 1], but what is stored has shape [16, 16]"}));
  CHECK(refused("tl.store(x_ptr, x)", "x", {"shape [16]", "the pointer is a scalar"}));
}

TEST_CASE("program ids, ranges and filled tiles state their limits") {
  CHECK(type_of("tl.program_id(2)") == "i32");
  CHECK(type_of("tl.num_programs(axis=0)") == "i32");
  CHECK(type_of("tl.arange(0, N)") == "tile<16xi32>");
  CHECK(type_of("tl.full((4, 8), 1.5, tl.float16)") == "tile<4x8xf16>");
  CHECK(type_of("tl.full([4], n, tl.int64)") == "tile<4xi64>");
  CHECK(type_of("tl.zeros([N, 2], dtype=tl.bfloat16)") == "tile<16x2xbf16>");
  CHECK(type_of("tl.zeros_like(h2)") == "tile<4x8xf16>");
  CHECK(refused("tl.program_id(3)", "3", {"axis must be 0, 1 or 2"}));
  CHECK(refused("tl.arange(0, 12)", "tl.arange(0, 12)", {"a power of two, not 12", "16 lanes"}));
  CHECK(refused("tl.arange(0, n)", "n", {"must be a constexpr"}));
  CHECK(refused("tl.arange(8, 8)", "tl.arange(8, 8)", {"is empty"}));
  CHECK(refused("tl.full((8,), 3.9, tl.int32)", "3.9", {"a float cannot fill a tile of int32"}));
  CHECK(refused("tl.full((8,), 300, tl.int8)", "300", {"does not fit int8"}));
  CHECK(refused("tl.zeros((n,), tl.float32)", "n", {}));
}

TEST_CASE("block pointers become addresses, masks and padding") {
  const std::string p = "p = tl.make_block_ptr(x_ptr, (n, 8), (8, 1), (4, 0), (4, 8), (1, 0))\n";
  CHECK(count_ops(p + "tl.load(p)", OpCode::Load) == 1);
  CHECK(ir_of(p + "tl.load(p, boundary_check=(0,), padding_option='nan')").find("constant 0x7f") != std::string::npos);
  CHECK(count_ops(p + "p = tl.advance(p, (4, 0))\ntl.store(p, x2, boundary_check=(0, 1))", OpCode::Store) == 1);
  CHECK(count_ops(p + "p.advance((4, 0)).store(x2)", OpCode::Store) == 1);
  CHECK(refused(p + "tl.load(p, mask=x2 > 0)", "x2 > 0", {"mask does not go with a block pointer"}));
  CHECK(refused(p + "tl.load(p, boundary_check=(2,))", "(2,)", {"boundary_check names axis 2"}));
  CHECK(refused(p + "tl.store(p, h2)", "h2", {"the block holds float32, but the value is float16"}));
  CHECK(refused("tl.make_block_ptr(x_ptr, (n,), (8, 1), (4, 0), (4, 8), (1, 0))", "(n,)",
                {"block_shape has 2 axes, but shape has 1"}));
  CHECK(refused("tl.make_block_ptr(x_ptr, (n, 8), (8, 1), (4, 0), (4, 8), (1, 1))", "(1, 1)", {"permutation"}));
  CHECK(refused("tl.make_block_ptr(x_ptr, (n, 8), (8, 1), (tl.full((), 4, tl.int64), 0), (4, 8), (1, 0))",
                "tl.full((), 4, tl.int64)", {"must fit int32"}));
}

TEST_CASE("descriptors load, store, add, gather and scatter blocks") {
  const std::string d = "d = tl.make_tensor_descriptor(x_ptr, shape=[n, 8], strides=[8, 1], block_shape=[4, 8])\n";
  CHECK(count_ops(d + "d.load([0, 0])", OpCode::Load) == 1);
  CHECK(count_ops(d + "d.store([n, 0], x2)", OpCode::Store) == 1);
  CHECK(count_ops(d + "d.atomic_add([0, 0], x2)", OpCode::AtomicRmw) == 1);
  CHECK(count_ops(d + "tl.load_tensor_descriptor(d, [0, 0])", OpCode::Load) == 1);
  const std::string rows = "g = tl.make_tensor_descriptor(x_ptr, [n, 8], [8, 1], [1, 8])\n";
  CHECK(ir_of(rows + "tl.device_print('r', g.gather(r, 0))").find("tile<16x8xf32> = load") != std::string::npos);
  CHECK(count_ops(rows + "g.scatter(g.gather(r, 0), r, 0)", OpCode::Store) == 1);
  CHECK(count_ops(d + "tl.static_assert(isinstance(d, tl.tensor_descriptor))", OpCode::Load) == 0);
  CHECK(ir_of(d + "tl.device_print('r', tl.zeros(d.block_shape, d.dtype))").find("tile<4x8xf32>") != std::string::npos);
  CHECK(refused(d + "d.load([0])", "[0]", {"has 2 axes, but 1 offsets are given"}));
  CHECK(refused("tl.make_tensor_descriptor(x_ptr, [n, 8], [8, 2], [4, 8])", "2", {"last stride"}));
  CHECK(refused("tl.make_tensor_descriptor(x_ptr, [n, 8], [8, 1], [4, 2])", "[4, 2]", {"at least 16 bytes"}));
}

TEST_CASE("atomics return the old values and refuse types that the GPU lacks") {
  CHECK(type_of("tl.atomic_add(x_ptr + r, 1)") == "tile<16xf32>");
  CHECK(type_of("tl.atomic_add(h_ptr + r, x, mask=r < 3, sem='relaxed', scope='cta')") == "tile<16xf16>");
  CHECK(type_of("tl.atomic_max(i_ptr, 3)") == "i32");
  CHECK(type_of("tl.atomic_cas(i_ptr + r, 0, i)") == "tile<16xi32>");
  CHECK(ir_of("tl.atomic_min(u_ptr + r, u)").find("kind=\"min\"") != std::string::npos);
  CHECK(ir_of("tl.atomic_xchg(x_ptr + r, x)").find("sem=\"acq_rel\"") != std::string::npos);
  CHECK(refused("tl.atomic_add(c_ptr + r, 1)", "c_ptr + r", {"does not support int8"}));
  CHECK(refused("tl.atomic_add(m_ptr + r, m)", "m_ptr + r", {"does not support int1"}));
  CHECK(refused("tl.atomic_max(h_ptr + r, h)", "h_ptr + r", {"does not support float16"}));
  CHECK(refused("tl.atomic_and(x_ptr + r, x)", "x_ptr + r", {"does not support float32"}));
  CHECK(refused("tl.atomic_add(x_ptr, x)", "tl.atomic_add(x_ptr, x)", {"the pointer is a scalar"}));
  CHECK(refused("tl.atomic_add(x_ptr + r, 1, sem='seq_cst')", "'seq_cst'", {"does not exist", "relaxed"}));
  CHECK(refused("tl.atomic_cas(i_ptr + r, 0, x)", "x", {"must be int32", "not float32"}));
}
