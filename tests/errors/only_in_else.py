# args: x=*f32 n=5
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    if n > 3:
        tl.store(x, 1.0)
    else:
        v = 2.0
    tl.store(x, v)  # error 17: `v` is not defined on every path to here
