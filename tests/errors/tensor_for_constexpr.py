# args: x=*f32 BLOCK=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x, BLOCK: tl.constexpr):  # error 15: the argument `BLOCK` is a tensor, but the kernel needs a constexpr
    tl.store(x, 1.0)
