# args: x=*f32
import triton
import triton.language as tl
from mylib import gelu


@triton.jit
def kernel(x):
    tl.store(x, gelu(tl.load(x)))  # error 17: `gelu` comes from the module mylib, which is not part of the kernel language
