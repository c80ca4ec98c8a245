# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    i = tl.arange(0, 8)
    tl.store(x + i.T, 1.0)  # error 18: .T transposes tiles of rank 2, this is a tile of int32 of shape [8]
