import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, N, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0)
    start = row * N                          # where my row begins
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < N
    x = tl.load(x_ptr + start + cols, mask=mask, other=-float("inf"))
    largest = tl.max(x, axis=0)
    z = x - largest
    e = tl.exp(z)
    total = tl.sum(e, axis=0)
    y = e / total
    tl.store(y_ptr + start + cols, y, mask=mask)
