# args: x=*f32 n=8
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    tl.store(x + n / 2, 1.0)  # error 14: a pointer moves by integers, not by float32
