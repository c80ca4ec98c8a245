# args: o_ptr=*int32
import triton
import triton.language as tl


@triton.jit
def kernel(o_ptr):
    p = tl.program_id(0)
    if not p:  # error 8: `not` needs an int1, found a run-time int32 scalar
        tl.store(o_ptr, 1)
