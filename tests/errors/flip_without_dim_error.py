# args: o_ptr=*int32
import triton
import triton.language as tl


@triton.jit
def kernel(o_ptr):
    i = tl.arange(0, 8)
    tl.store(o_ptr + i, tl.flip(i))  # error 25: tl.flip needs the axis to reverse: Triton refuses it without dim
