# args: x=*f32 n=5
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    tl.static_assert(False, f"n is {n}")  # error 36: an f-string in a kernel can only show values known at compile time, found a run-time int32 scalar
