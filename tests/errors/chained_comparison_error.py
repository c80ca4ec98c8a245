# args: o_ptr=*float32 n=5
import triton
import triton.language as tl


@triton.jit
def kernel(o_ptr, n):
    if 0 < n < 9:  # error 8: Triton has no chained comparisons
        tl.store(o_ptr, 1.0)
