# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def scale(v, factor=2):
    return v * factor


@triton.jit
def kernel(x):
    tl.store(x, scale(1, facter=3))  # error 33: `scale` has no parameter `facter`; did you mean `factor`?
