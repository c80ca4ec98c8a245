# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    y = tl.load(x)
    if x.dtype.element_ty == tl.float8e4b8:
        y += 1.0
    tl.store(x, y.to(tl.float8e4b8).to(tl.float32))  # error 22: tl.float8e4b8 is no element type of this GPU
