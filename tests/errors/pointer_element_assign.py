# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    x[0] = 1.0  # error 5: a tile's elements cannot be assigned
