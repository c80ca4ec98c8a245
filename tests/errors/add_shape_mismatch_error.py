# args: o_ptr=*int32
import triton
import triton.language as tl


@triton.jit
def kernel(o_ptr):
    a = tl.arange(0, 8)
    b = tl.arange(0, 4)
    tl.store(o_ptr + a, a + b)  # error 25: cannot broadcast [8] with [4]: axis 0 is 8 against 4
