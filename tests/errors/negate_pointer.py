# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    tl.store(-x, 1.0)  # error 14: `-` does not work on a pointer
