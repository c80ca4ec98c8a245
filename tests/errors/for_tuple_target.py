# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    for i, j in range(8):  # error 9: a loop in a kernel has one loop variable, a name
        tl.store(x + i, 1.0)
