# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    tl.store(x, int(tl.load(x)))  # error 21: int() needs a constexpr number or text, found a run-time float32 scalar
