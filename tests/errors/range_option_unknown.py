# args: x=*f32 n=5
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    for i in tl.range(0, n, stages=2):  # error 36: `range` has no argument `stages`
        tl.store(x + i, 1.0)
