# args: x=*f32 n=5 BLOCK=4
import triton
import triton.language as tl


@triton.jit
def kernel(x, n, BLOCK: tl.constexpr):
    if n > 3:
        BLOCK = n  # error 17: the constexpr `BLOCK` cannot be reassigned under a run-time `if`
    tl.store(x, BLOCK)
