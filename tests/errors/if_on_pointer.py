# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    if x:  # error 8: `if` needs a condition, found a pointer to float32
        tl.store(x, 1.0)
