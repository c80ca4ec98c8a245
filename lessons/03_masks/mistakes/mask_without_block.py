import triton
import triton.language as tl


@triton.jit
def add_rows_kernel(x_ptr, y_ptr, out_ptr, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    offsets = row * N + cols
    mask = (tl.arange(0, BLOCK) < N) & (offsets < M * N)
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)
