# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    size = 32
    z = tl.zeros((size,), tl.float32)  # error 19: shape must be a constexpr integer, found a run-time int32 scalar
    tl.store(x, tl.sum(z))
