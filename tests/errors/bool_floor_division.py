# args: x=*i1
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    tl.store(x, tl.load(x) // tl.load(x))  # error 17: `//` does not work on int1
