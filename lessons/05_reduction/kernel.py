import triton
import triton.language as tl


@triton.jit
def row_sum_kernel(x_ptr, out_ptr, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)                   # one program for each row
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * N + cols, mask=mask, other=0.0)
    total = tl.sum(x, axis=0)                # a tile goes in, one number comes out
    tl.store(out_ptr + row, total)
