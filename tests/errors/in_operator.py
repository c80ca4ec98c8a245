# args: x=*f32 MODE="a"
import triton
import triton.language as tl


@triton.jit
def kernel(x, MODE: tl.constexpr):
    if MODE in ("a", "b"):  # error 8: Triton has no `in`
        tl.store(x, 1.0)
