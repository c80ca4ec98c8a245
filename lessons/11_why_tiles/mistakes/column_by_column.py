import triton
import triton.language as tl


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K,
                  BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    for j in range(0, BLOCK_N):
        col = tl.program_id(1) * BLOCK_N + j
        acc = tl.zeros((BLOCK_M,), dtype=tl.float32)
        for k in range(0, K, BLOCK_K):
            ks = k + tl.arange(0, BLOCK_K)
            a = tl.load(a_ptr + rows[:, None] * K + ks[None, :],
                        mask=(rows[:, None] < M) & (ks[None, :] < K), other=0.0)
            b = tl.load(b_ptr + ks * N + col, mask=(ks < K) & (col < N), other=0.0)
            acc += tl.sum(a.to(tl.float32) * b[None, :], axis=1)
        tl.store(c_ptr + rows * N + col, acc, mask=(rows < M) & (col < N))
