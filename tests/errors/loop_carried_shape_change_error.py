# args: o_ptr=*float32 n=5
import triton
import triton.language as tl


@triton.jit
def kernel(o_ptr, n):
    acc = 0.0
    for i in range(n):
        acc = acc + tl.zeros((8,), tl.float32)  # error 15: `acc` changes its shape in the loop: it starts as a run-time float32 scalar and becomes a tile of float32 of shape [8]
    tl.store(o_ptr + tl.arange(0, 8), acc)
