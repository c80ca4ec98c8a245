# args: x=*f32 y=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x, y):
    if x == y:  # error 8: cannot apply `==` to two pointers
        tl.store(x, 1.0)
