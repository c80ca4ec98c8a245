# args: x=*f32 n=5
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    tl.static_assert(n == 5)  # error 22: tl.static_assert needs a condition known at compile time, found a run-time int1 scalar
    tl.store(x, 1.0)
