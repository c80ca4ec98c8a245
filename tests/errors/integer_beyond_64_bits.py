# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    tl.store(x, 1 << 100)  # error 17: the integer 1267650600228229401496703205376 does not fit in 64 bits
