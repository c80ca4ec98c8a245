# A product of two matrices whose tile is chosen by autotuning: read by the tests of decorators.
import triton
import triton.language as tl

WIDTHS = [16, 32]


def tile_configs():
    configs = []
    for rows in (16, 32):
        for columns in WIDTHS:
            configs.append(triton.Config({"BLOCK_M": rows, "BLOCK_N": columns, "BLOCK_K": 16}, num_warps=rows // 8, num_stages=2))
    return configs


@triton.autotune(configs=tile_configs(), key=["M", "N", "K"])
@triton.heuristics({"EVEN_K": lambda args: args["K"] % args["BLOCK_K"] == 0})
@triton.jit
def product(a_ptr, b_ptr, c_ptr, M, N, K,
            BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, EVEN_K: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    steps = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + rows[:, None] * K + steps[None, :]
    b_ptrs = b_ptr + steps[:, None] * N + columns[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        if EVEN_K:
            a = tl.load(a_ptrs, mask=rows[:, None] < M, other=0.0)
            b = tl.load(b_ptrs, mask=columns[None, :] < N, other=0.0)
        else:
            left = K - k * BLOCK_K
            a = tl.load(a_ptrs, mask=(rows[:, None] < M) & (steps[None, :] < left), other=0.0)
            b = tl.load(b_ptrs, mask=(columns[None, :] < N) & (steps[:, None] < left), other=0.0)
        total = tl.dot(a, b, total)
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K * N
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], total, mask=(rows[:, None] < M) & (columns[None, :] < N))
