# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    a, b = tl.arange(0, 2)  # error 5: cannot unpack a tile of int32 of shape [2] into 2 names
    tl.store(x, a + b)
