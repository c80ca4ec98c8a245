# args: o_ptr=*int32
import triton
import triton.language as tl


@triton.jit
def two(a, b):
    return a + b


@triton.jit
def kernel(o_ptr):
    tl.store(o_ptr, two(1))  # error 21: `two` is called without its argument `b`
