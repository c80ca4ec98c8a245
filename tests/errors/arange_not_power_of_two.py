# args: x=*f32 BLOCK=48
import triton
import triton.language as tl


@triton.jit
def kernel(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)  # error 9: the length of tl.arange must be a power of two, not 48
    tl.store(x + i, 1.0)
