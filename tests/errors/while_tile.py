# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    i = tl.arange(0, 8)
    while i < 8:  # error 11: `while` needs one truth value, found a tile of int1 of shape [8]
        i += 1
    tl.store(x + i, 1.0)
