# args: o_ptr=*float32
import triton
import triton.language as tl


@triton.jit
def kernel(o_ptr):
    a = tl.zeros((16, 16), tl.float16)
    b = tl.zeros((16, 16), tl.float32)
    c = tl.dot(a, b)  # error 9: both operands of tl.dot must have one type
    tl.store(o_ptr, tl.sum(c))
