# args: x_ptr=*float32 o_ptr=*float32
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, o_ptr):
    i = tl.arange(0, 8)
    tl.store(o_ptr + i, tl.load(x_ptr + i, other=0.0))  # error 50: `other` is given without a mask: no lane would take it
