# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    tl.store(x, len(tl.load(x)))  # error 21: len() needs a tuple, found a run-time float32 scalar
