# args: x=*f32
import triton
import triton.language as tl


def square(v):
    return v * v


@triton.jit
def kernel(x):
    tl.store(x, square(tl.load(x)))  # error 17: `square` is host code: a kernel can only call functions with @triton.jit
