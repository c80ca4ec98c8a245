# args: o_ptr=*float32
import triton
import triton.language as tl


@triton.jit
def kernel(o_ptr):
    a = tl.zeros((16, 8), tl.float16)
    b = tl.zeros((8, 16), tl.float16)
    c = tl.dot(a, b)  # error 9: K of tl.dot must be at least 16 for float16, not 8
    tl.store(o_ptr, tl.sum(c))
