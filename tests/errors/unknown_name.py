# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    value = tl.load(x)
    tl.store(x, valeu)  # error 17: `valeu` is not defined
