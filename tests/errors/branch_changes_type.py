# args: x=*f32 n=5
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    v = 1
    if n > 3:
        v = 1.5  # error 13: `v` gets different types in the two branches: a run-time float32 scalar and a run-time int32 scalar
    tl.store(x, v)
