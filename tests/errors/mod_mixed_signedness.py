# args: x=*u32 y=*i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, y):
    tl.store(x, tl.load(x) % tl.load(y))  # error 17: cannot divide uint32 by int32: one is signed, the other is not
