# args: x=*f32 n=5
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    for i in tl.static_range(n):  # error 30: the end of tl.static_range must be a constexpr integer, found a run-time int32 scalar
        tl.store(x + i, 1.0)
