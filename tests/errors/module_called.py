# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    tl.store(x, tl(1))  # error 17: the module tl cannot be called
