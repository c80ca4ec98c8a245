# A launch gives tensors, but no table of their addresses, which the grouped matmul of the tutorials reads. This kernel
# writes that table and then runs the tutorial's kernel, all tiles in one program.
import triton
import triton.language as tl

from tutorials.grouped_gemm import grouped_matmul_kernel


@triton.jit
def kernel(a0, a1, b0, b1, c0, c1, a_table, b_table, c_table, sizes, leading, BLOCK: tl.constexpr, BLOCK_K: tl.constexpr):
    tl.store(a_table, a0.to(tl.int64))
    tl.store(a_table + 1, a1.to(tl.int64))
    tl.store(b_table, b0.to(tl.int64))
    tl.store(b_table + 1, b1.to(tl.int64))
    tl.store(c_table, c0.to(tl.int64))
    tl.store(c_table + 1, c1.to(tl.int64))
    grouped_matmul_kernel(a_table, b_table, c_table, sizes, leading, 2, 1, BLOCK, BLOCK, BLOCK_K)
