# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    tl.store(x, 1 << 200)  # error 17: this constexpr integer is beyond 127 bits
