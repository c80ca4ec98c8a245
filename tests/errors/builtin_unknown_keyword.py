# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    tl.store(x, tl.load(x, msk=True))  # error 32: tl.load() has no argument 'msk'; did you mean 'mask'?
