# args: o_ptr=*int32
import triton
import triton.language as tl


@triton.jit
def kernel(o_ptr):
    tl.store(o_ptr + tl.arange(0, 8), tl.full((8,), 3.9, tl.int32))  # error 53: a float cannot fill a tile of int32
