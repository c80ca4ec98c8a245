# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    tl.store(x, x[0])  # error 17: a pointer cannot be indexed
