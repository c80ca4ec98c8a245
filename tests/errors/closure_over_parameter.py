# args: x=*f32
import triton
import triton.language as tl


def make(width):
    @triton.jit
    def kernel(x):
        tl.store(x + tl.arange(0, width), 1.0)  # error 35: `width` is a parameter of the host function `make`

    return kernel
