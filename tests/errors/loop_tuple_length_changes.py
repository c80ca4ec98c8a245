# args: x=*f32 n=5
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    t = (1, 2)
    for i in range(n):
        t = (1, 2, 3)  # error 13: `t` changes its type in the loop: it starts as a tuple (a run-time int32 scalar, a run-time int32 scalar) and becomes a tuple (a run-time int32 scalar, a run-time int32 scalar, a run-time int32 scalar)
    tl.store(x, t[0])
