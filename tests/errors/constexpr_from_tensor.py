# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    C: tl.constexpr = tl.program_id(0)  # error 23: `C` is declared tl.constexpr but gets a run-time int32 scalar
    tl.store(x, C)
