# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    tl.store(x, tl.lod(x))  # error 17: `tl` has no `lod`
