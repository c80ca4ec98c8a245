# args: x=*f32 BLOCK=2097152
import triton
import triton.language as tl


@triton.jit
def kernel(x, BLOCK: tl.constexpr):
    z = tl.zeros((BLOCK,), tl.float32)  # error 18: shape has more than 2^20 = 1048576 elements, the most that a tile can hold
    tl.store(x, tl.sum(z))
