# args: o_ptr=*int32
import triton
import triton.language as tl


@triton.jit
def kernel(o_ptr):
    f = lambda a: a + 1  # error 9: a kernel cannot use a lambda
    tl.store(o_ptr, f(3))
