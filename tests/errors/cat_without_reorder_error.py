# args: o_ptr=*int32
import triton
import triton.language as tl


@triton.jit
def kernel(o_ptr):
    i = tl.arange(0, 4)
    tl.store(o_ptr + tl.arange(0, 8), tl.cat(i, i))  # error 39: tl.cat without can_reorder=True is not supported by Triton
