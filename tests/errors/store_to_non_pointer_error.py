# args: o_ptr=*float32 n=5
import triton
import triton.language as tl


@triton.jit
def kernel(o_ptr, n):
    tl.store(n + tl.arange(0, 8), 1.0)  # error 14: the first argument of tl.store must be a pointer or a tile of pointers, not a tile of int32 of shape [8]
