import triton
import triton.language as tl


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K,
                  BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    cols = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    for i in range(0, BLOCK_M):                      # one row of the tile after the other
        row = tl.program_id(0) * BLOCK_M + i
        acc = tl.zeros((BLOCK_N,), dtype=tl.float32)
        for k in range(0, K, BLOCK_K):
            ks = k + tl.arange(0, BLOCK_K)
            a = tl.load(a_ptr + row * K + ks, mask=(row < M) & (ks < K), other=0.0)
            b = tl.load(b_ptr + ks[:, None] * N + cols[None, :],
                        mask=(row < M) & (ks[:, None] < K) & (cols[None, :] < N), other=0.0)
            acc += tl.sum(a[:, None].to(tl.float32) * b, axis=0)
        tl.store(c_ptr + row * N + cols, acc, mask=(row < M) & (cols < N))
