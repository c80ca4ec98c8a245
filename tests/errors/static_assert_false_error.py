# args: o_ptr=*int32 B=8
import triton
import triton.language as tl


@triton.jit
def kernel(o_ptr, B: tl.constexpr):
    tl.static_assert(B % 16 == 0, "B must be a multiple of 16")  # error 22: static assertion failed: B must be a multiple of 16
    tl.store(o_ptr, B)
