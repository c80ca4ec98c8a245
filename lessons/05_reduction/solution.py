import triton
import triton.language as tl


@triton.jit
def row_max_kernel(x_ptr, out_ptr, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * N + cols, mask=cols < N, other=-float("inf"))
    largest = tl.max(x, axis=0)
    tl.store(out_ptr + row, largest)
