# args: x=*f32
import triton
import triton.language as tl

A = B + 1
B = A + 1


@triton.jit
def kernel(x):
    tl.store(x, A)  # error 17: the global `A` has no value that a kernel can use: `B` is not defined
