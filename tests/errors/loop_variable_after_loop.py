# args: x=*f32 n=5
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    t = 0
    for i in range(n):
        t += i
    tl.store(x + i, t)  # error 18: `i` is not defined on every path to here
