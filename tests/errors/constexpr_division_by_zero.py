# args: x=*f32 BLOCK=0
import triton
import triton.language as tl


@triton.jit
def kernel(x, BLOCK: tl.constexpr):
    tl.store(x, 5 // BLOCK)  # error 17: division by zero in a constexpr expression
