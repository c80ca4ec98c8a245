# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    mode = "relu"  # error 12: a plain variable holds run-time values, not the string "relu"
    tl.store(x, 1.0)
