# args: x=*f32 m=3
import triton
import triton.language as tl


@triton.jit
def kernel(x, n=2):  # error 5: the kernel `kernel` has no parameter `m`
    tl.store(x, n)
