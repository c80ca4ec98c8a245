# args: x=*f32 BLOCK=2048
import triton
import triton.language as tl


@triton.jit
def kernel(x, BLOCK: tl.constexpr):
    r = tl.arange(0, BLOCK)[:, None]
    c = tl.arange(0, BLOCK)[None, :]
    tl.store(x + r * BLOCK + c, 1.0)  # error 14: the result has shape [2048, 2048], which is more than 2^20 = 1048576 elements
