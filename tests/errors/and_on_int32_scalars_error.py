# args: o_ptr=*int32 n=5
import triton
import triton.language as tl


@triton.jit
def kernel(o_ptr, n):
    p = tl.program_id(0)
    if p and n:  # error 8: `and` needs an int1, found a run-time int32 scalar
        tl.store(o_ptr, 1)
