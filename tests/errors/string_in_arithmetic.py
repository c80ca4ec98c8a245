# args: x=*f32 MODE="relu"
import triton
import triton.language as tl


@triton.jit
def kernel(x, MODE: tl.constexpr):
    tl.store(x, tl.load(x) + MODE)  # error 17: `+` does not work on a run-time float32 scalar and the string "relu"
