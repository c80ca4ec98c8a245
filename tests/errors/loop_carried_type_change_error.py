# args: o_ptr=*float32 n=5
import triton
import triton.language as tl


@triton.jit
def kernel(o_ptr, n):
    acc = 0
    for i in range(n):
        acc = acc + 0.5  # error 15: `acc` changes its type in the loop: it starts as a run-time int32 scalar and becomes a run-time float32 scalar
    tl.store(o_ptr, acc)
