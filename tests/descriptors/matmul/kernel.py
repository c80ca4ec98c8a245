import triton
import triton.language as tl


# The host passes tensor descriptors in place of pointers; their blocks reach beyond the matrices' edges.
@triton.jit
def matmul(a_desc, b_desc, c_desc, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    row = tl.program_id(0) * BLOCK_M
    column = tl.program_id(1) * BLOCK_N
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in range(0, a_desc.shape[1], BLOCK_K):
        acc += tl.dot(a_desc.load([row, k]), b_desc.load([k, column]))
    c_desc.store([row, column], acc)
