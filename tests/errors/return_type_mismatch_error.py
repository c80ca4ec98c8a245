# args: o_ptr=*float32 n=5
import triton
import triton.language as tl


@triton.jit
def pick(n):
    if n > 2:
        return n
    return 1.5  # error 12: the returns of `pick` have different types: a run-time int32 scalar and a run-time float32 scalar


@triton.jit
def kernel(o_ptr, n):
    tl.store(o_ptr, pick(n))
