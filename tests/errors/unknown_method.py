# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    tl.store(x, tl.load(x).too(tl.int32))  # error 17: a run-time float32 scalar has no attribute `too`
