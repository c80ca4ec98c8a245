# args: a_ptr=*uint32 o_ptr=*int32
import triton
import triton.language as tl


@triton.jit
def kernel(a_ptr, o_ptr):
    i = tl.arange(0, 8)
    tl.store(o_ptr + i, i // tl.load(a_ptr + i))  # error 25: cannot divide int32 by uint32: one is signed, the other is not
