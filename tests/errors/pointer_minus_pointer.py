# args: x=*f32 y=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x, y):
    tl.store(x, x - y)  # error 17: cannot subtract pointers
