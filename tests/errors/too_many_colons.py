# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    i = tl.arange(0, 8)
    tl.store(x + i[:, :], 1.0)  # error 18: too many `:` for a tile of int32 of shape [8]: it has 1 axis
