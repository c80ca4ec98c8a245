# args: o_ptr=*float32 n=5
import triton
import triton.language as tl


@triton.jit
def kernel(o_ptr, n):
    t = 0
    for i in range(n):
        if i == 3:
            continue  # error 13: a kernel cannot use `continue`
        t += i
    tl.store(o_ptr, t)
