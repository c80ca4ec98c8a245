# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    tl.store(x, ~tl.load(x))  # error 17: `~` works on integers only, this is float32
