# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    tl.store(x, tl.load(x).to(tl.flaot32))  # error 31: `tl` has no `flaot32`
