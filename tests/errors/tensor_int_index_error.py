# args: o_ptr=*int32
import triton
import triton.language as tl


@triton.jit
def kernel(o_ptr):
    i = tl.arange(0, 8)
    tl.store(o_ptr, i[2])  # error 23: a tile cannot be indexed by the constexpr 2
