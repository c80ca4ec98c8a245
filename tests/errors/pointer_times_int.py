# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    tl.store(x * 2, 1.0)  # error 14: cannot apply `*` to a pointer to float32 and the constexpr 2
