# args: o_ptr=*int32
import triton
import triton.language as tl


@triton.jit
def kernel(o_ptr):
    i = tl.arange(0, 8)
    tl.store(o_ptr + tl.arange(0, 4), i[0:4])  # error 41: a tile cannot be sliced; only `:` and None may stand in [...]
