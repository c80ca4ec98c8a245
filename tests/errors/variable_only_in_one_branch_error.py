# args: o_ptr=*float32 n=5
import triton
import triton.language as tl


@triton.jit
def kernel(o_ptr, n):
    if n > 2:
        v = n
    tl.store(o_ptr, v)  # error 21: `v` is not defined on every path to here
