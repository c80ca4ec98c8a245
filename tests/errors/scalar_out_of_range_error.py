# args: a_ptr=*int8 o_ptr=*int32
import triton
import triton.language as tl


@triton.jit
def kernel(a_ptr, o_ptr):
    i = tl.arange(0, 8)
    tl.store(o_ptr + i, tl.load(a_ptr + i) + 300)  # error 46: the number 300 is out of range for int8
