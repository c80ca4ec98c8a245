import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, N, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0)                       # one program for each row
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < N                              # BLOCK_SIZE is the power of two not below N
    x = tl.load(x_ptr + row * N + cols, mask=mask, other=-float("inf"))
    x = x - tl.max(x, axis=0)                    # exp cannot overflow now
    numerator = tl.exp(x)
    denominator = tl.sum(numerator, axis=0)
    tl.store(y_ptr + row * N + cols, numerator / denominator, mask=mask)
