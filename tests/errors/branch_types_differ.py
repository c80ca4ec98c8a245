# args: x=*f32 n=5
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    if n > 3:
        v = 1  # error 13: `v` gets different types in the two branches: a run-time int32 scalar and a run-time float32 scalar
    else:
        v = 1.5
    tl.store(x, v)
