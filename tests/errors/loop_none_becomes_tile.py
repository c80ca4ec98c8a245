# args: x=*f32 n=5
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    acc = None
    for i in range(n):
        acc = tl.zeros((8,), tl.float32)  # error 15: `acc` changes its type in the loop: it starts as None and becomes a tile of float32 of shape [8]
    tl.store(x, 1.0)
