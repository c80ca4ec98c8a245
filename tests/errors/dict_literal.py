# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    d = {"a": 1}  # error 9: a kernel cannot use a dict
    tl.store(x, d["a"])
