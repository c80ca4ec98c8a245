# args: x=*u32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    tl.store(x, tl.load(x) + -1)  # error 30: the number -1 is out of range for uint32
