# args: x=*f32
import triton
import triton.language as tl


class Pair:
    pass


@triton.jit
def kernel(x):
    p = Pair(1, 2)  # error 9: the class `Pair` cannot be used in a kernel
    tl.store(x, 1.0)
