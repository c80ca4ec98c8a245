# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    for i in range(tl.arange(0, 8)):  # error 20: the end of a range must be an integer scalar, found a tile of int32 of shape [8]
        tl.store(x + i, 1.0)
