# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def f(n):
    return f(n - 1)  # error 12: `f` calls itself without an end


@triton.jit
def kernel(x):
    tl.store(x, f(3))
