# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    for i in tl.static_range(100000000000):  # error 14: tl.static_range would unroll 100000000000 iterations
        pass
