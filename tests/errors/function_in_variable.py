# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    f = tl.exp  # error 9: a plain variable holds run-time values, not the function tl.exp
    tl.store(x, f(tl.load(x)))
