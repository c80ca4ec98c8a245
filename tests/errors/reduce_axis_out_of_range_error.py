# args: o_ptr=*int32
import triton
import triton.language as tl


@triton.jit
def kernel(o_ptr):
    tl.store(o_ptr, tl.sum(tl.arange(0, 8), axis=1))  # error 50: axis is 1, but the tile has rank 1
