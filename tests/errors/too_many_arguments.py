# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def double(v):
    return v + v


@triton.jit
def kernel(x):
    tl.store(x, double(1, 2))  # error 27: `double` takes 1 arguments, this is one more
