# args: o_ptr=*int32
import triton
import triton.language as tl


@triton.jit
def kernel(o_ptr):
    tl.store(o_ptr, tl.program_id(3))  # error 35: axis must be 0, 1 or 2, not 3
