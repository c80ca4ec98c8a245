# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    for i in tl.static_range(200000):
        tl.store(x + i, 1.0)  # error 25: this kernel grows too large
