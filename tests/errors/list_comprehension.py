# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    t = [i for i in range(4)]  # error 9: a kernel cannot use a list comprehension
    tl.store(x, t[0])
