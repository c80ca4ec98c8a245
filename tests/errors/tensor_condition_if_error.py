# args: o_ptr=*float32
import triton
import triton.language as tl


@triton.jit
def kernel(o_ptr):
    i = tl.arange(0, 8)
    if i > 3:  # error 8: `if` needs one truth value, found a tile of int1 of shape [8]
        tl.store(o_ptr + i, 1.0)
