# args: o_ptr=*int32 n=8
import triton
import triton.language as tl


@triton.jit
def kernel(o_ptr, n):
    i = tl.arange(0, n)  # error 22: the end of tl.arange must be a constexpr, not a run-time value
    tl.store(o_ptr + i, i)
