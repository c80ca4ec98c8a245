# args: x=*f32 n=40
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    r = tl.arange(0, 32)[:, None]
    c = tl.arange(0, 64)[None, :]
    v = tl.load(x + r * 64 + c, mask=tl.arange(0, 32) < n)  # error 9: cannot broadcast these shapes: axis 1 is 64 against 32
    tl.store(x + r * 64 + c, v)
