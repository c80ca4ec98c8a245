# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    i = tl.arange(0, 8)
    tl.store(x + i, 1.0 if i > 3 else 2.0)  # error 28: `x if c else y` needs one truth value, found a tile of int1 of shape [8]
