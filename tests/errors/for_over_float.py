# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    for i in range(2.5):  # error 20: the end of a range must be an integer scalar, found the constexpr 2.5
        tl.store(x + i, 1.0)
