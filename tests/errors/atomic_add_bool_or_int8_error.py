# args: o_ptr=*int8
import triton
import triton.language as tl


@triton.jit
def kernel(o_ptr):
    i = tl.arange(0, 8)
    tl.atomic_add(o_ptr + i, i.to(tl.int8))  # error 19: tl.atomic_add does not support int8
