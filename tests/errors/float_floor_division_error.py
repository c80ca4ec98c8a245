# args: o_ptr=*float32 x=7.5
import triton
import triton.language as tl


@triton.jit
def kernel(o_ptr, x):
    tl.store(o_ptr, x // 2.0)  # error 21: `//` works on integers only, these are float32
