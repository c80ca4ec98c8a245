# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    raise ValueError("no")  # error 5: this `raise` is reached
