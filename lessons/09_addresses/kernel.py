import triton
import triton.language as tl


@triton.jit
def row_sums_kernel(a_ptr, out_ptr, M, K, stride_m, stride_k,
                    BLOCK_M: tl.constexpr, BLOCK_K: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)   # fixed for a program
    acc = tl.zeros((BLOCK_M,), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        ks = k + tl.arange(0, BLOCK_K)                          # moves on each round
        mask = (rows[:, None] < M) & (ks[None, :] < K)
        a = tl.load(a_ptr + rows[:, None] * stride_m + ks[None, :] * stride_k,
                    mask=mask, other=0.0)
        acc += tl.sum(a, axis=1)
    tl.store(out_ptr + rows, acc, mask=rows < M)
