# args: x=*f32 n=5
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    for i in range(n):
        v = i * 2
    tl.store(x, v)  # error 17: `v` is not defined on every path to here
