# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    tl.store(x, x + tl.load(x))  # error 17: a pointer moves by integers, not by float32
