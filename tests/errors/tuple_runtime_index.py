# args: x=*f32 n=5
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    t = (1, 2)
    tl.store(x, t[n])  # error 19: a tuple index must be a constexpr integer, found a run-time int32 scalar
