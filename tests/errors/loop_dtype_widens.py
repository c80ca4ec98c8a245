# args: x=*f32 n=5
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    acc = tl.zeros((8,), tl.float16)
    for i in range(n):
        acc += tl.zeros((8,), tl.float32)  # error 9: `acc` changes its type in the loop: it starts as a tile of float16 of shape [8] and becomes a tile of float32 of shape [8]
    tl.store(x, tl.sum(acc))
