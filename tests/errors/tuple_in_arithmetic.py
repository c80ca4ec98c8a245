# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    t = (tl.load(x), 2)
    tl.store(x, t + 1)  # error 17: `+` does not work on a tuple (a run-time float32 scalar, a run-time int32 scalar) and the constexpr 1
