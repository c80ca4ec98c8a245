# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    for i in range(8):  # error 5: a loop in a kernel cannot have an `else`
        tl.store(x + i, 1.0)
    else:
        tl.store(x, 2.0)
