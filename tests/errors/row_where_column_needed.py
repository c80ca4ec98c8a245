# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    rows = tl.arange(0, 32)
    tile = tl.zeros((32, 64), tl.float32)
    tl.store(x, tl.sum(tile + rows))  # error 24: cannot broadcast [32, 64] with [32]: axis 1 is 64 against 32
