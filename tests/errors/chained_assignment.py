# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    a = b = 1  # error 9: Triton assigns to one target at a time
    tl.store(x, a + b)
