# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def other(x):
    tl.store(x, 1.0)


@triton.jit
def kernel(x):
    other[(1,)](x)  # error 5: a kernel cannot launch a kernel
