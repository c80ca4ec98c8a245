# args: x=*f32 n=5
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    if n > 3:
        v = tl.zeros((8,), tl.float32)  # error 13: `v` gets different types in the two branches: a tile of float32 of shape [8] and a tile of float32 of shape [16]
    else:
        v = tl.zeros((16,), tl.float32)
    tl.store(x, tl.sum(v))
