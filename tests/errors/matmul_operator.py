# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    a = tl.zeros((16, 16), tl.float32)
    b = a @ a  # error 9: `@` is no operator of Triton
    tl.store(x, tl.sum(b))
