# args: x=*f32 K=64
import triton
import triton.language as tl


@triton.jit
def kernel(x, K):
    rows = tl.arange(0, 32)
    ks = tl.arange(0, 64)
    offsets = rows[:, None] * K + ks[:, None]  # error 15: cannot broadcast [32, 1] with [64, 1]: axis 0 is 32 against 64
    tl.store(x + offsets, 1.0)
