# args: x=*f32 bias=None
import triton
import triton.language as tl


@triton.jit
def kernel(x, bias):
    tl.store(x, tl.load(x) + bias)  # error 17: `+` does not work on a run-time float32 scalar and None
