# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    a, b = (1,)  # error 5: cannot unpack 1 values into 2 names
    tl.store(x, a + b)
