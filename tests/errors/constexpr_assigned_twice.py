# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    C: tl.constexpr = 4
    C: tl.constexpr = 8  # error 5: `C` is already defined; a constexpr cannot be assigned again
    tl.store(x, C)
