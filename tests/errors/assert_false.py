# args: x=*f32 BLOCK=8
import triton
import triton.language as tl


@triton.jit
def kernel(x, BLOCK: tl.constexpr):
    assert BLOCK == 16, f"BLOCK is {BLOCK}"  # error 12: this assertion is false: BLOCK is 8
    tl.store(x, 1.0)
