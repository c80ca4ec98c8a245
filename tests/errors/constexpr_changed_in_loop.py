# args: x=*f32 n=5 BLOCK=4
import triton
import triton.language as tl


@triton.jit
def kernel(x, n, BLOCK: tl.constexpr):
    for i in range(n):
        BLOCK = BLOCK * 2  # error 9: the constexpr `BLOCK` cannot be reassigned in a run-time loop
    tl.store(x, BLOCK)
