# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    tl.store(x + 1.5, 1.0)  # error 14: a pointer moves by integers, not by float32
