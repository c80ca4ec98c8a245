# args: x_ptr=*i32 n=7
# kernel: kernel
import triton
import triton.language as tl


@triton.jit
def clamp_to(v, limit):
    if v > limit:
        return limit
    if v < -limit:
        return -limit
    return v


@triton.jit
def kernel(x_ptr, n, VERBOSE: tl.constexpr = False):
    pid = tl.program_id(0)
    if pid >= n:
        return
    v = tl.load(x_ptr + pid)
    if VERBOSE:
        print("v", v)
    if v == 0:
        tl.store(x_ptr + pid, -1)
        return
    elif v == 1:
        v = 100
    tl.store(x_ptr + pid, clamp_to(v, 10))
