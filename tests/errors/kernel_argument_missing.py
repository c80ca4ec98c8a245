# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):  # error 15: the argument `n` of `kernel` is missing
    tl.store(x, n)
