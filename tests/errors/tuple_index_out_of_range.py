# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    t = (1, 2)
    tl.store(x, t[2])  # error 19: index 2 is out of range: the tuple has 2 items
