import triton
import triton.language as tl


@triton.jit
def layer_norm_kernel(x_ptr, y_ptr, M, N, eps, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < N
    x = tl.load(x_ptr + row * N + cols, mask=mask, other=0.0)
    mean = tl.sum(x, axis=0) / N
    z = tl.where(mask, x - mean, 0.0)
    variance = tl.sum(z * z, axis=0) / N
    y = z / tl.sqrt(variance + eps)
    tl.store(y_ptr + row * N + cols, y)
