# args: o_ptr=*float32 n=5
import triton
import triton.language as tl


@triton.jit
def kernel(o_ptr, n):
    for i in range(n):
        if i == 3:
            break  # error 13: a kernel cannot use `break`
    tl.store(o_ptr, n)
