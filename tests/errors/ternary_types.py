# args: x=*f32 n=5
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    v = 1.0 if n > 3 else 0  # error 9: both sides of `x if c else y` need one type, found a run-time float32 scalar and a run-time int32 scalar
    tl.store(x, v)
