# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    while True:  # error 11: this loop never ends: its condition is always true
        tl.store(x, 1.0)
