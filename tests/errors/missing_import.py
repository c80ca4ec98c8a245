# args: x=*f32
import triton


@triton.jit
def kernel(x):
    tl.store(x, 1.0)  # error 5: `tl` is not defined
