# args: o_ptr=*float32
import triton
import triton.language as tl


@triton.jit
def kernel(o_ptr):
    i = tl.arange(0, 8)
    tl.store(o_ptr + i, tl.exp(i))  # error 32: tl.exp() takes float32 or float64, not int32
