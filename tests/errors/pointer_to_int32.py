# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    tl.store(x, x.to(tl.int32))  # error 17: cannot convert pointer to float32 to int32
