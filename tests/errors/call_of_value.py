# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    v = tl.load(x)
    tl.store(x, v(1))  # error 17: a run-time float32 scalar cannot be called
