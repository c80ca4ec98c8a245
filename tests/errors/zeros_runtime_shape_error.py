# args: o_ptr=*float32 n=8
import triton
import triton.language as tl


@triton.jit
def kernel(o_ptr, n):
    z = tl.zeros((n,), tl.float32)  # error 19: shape must be a constexpr integer, found a run-time int32 scalar
    tl.store(o_ptr + tl.arange(0, 8), z)
