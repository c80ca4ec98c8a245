# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def f(a):
    return a + )  # error 16: has no opening bracket


@triton.jit
def kernel(x):
    tl.store(x, f(1.0))
