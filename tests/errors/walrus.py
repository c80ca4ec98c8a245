# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    if (n := 3) > 2:  # error 9: a kernel cannot use a := (assignment expression)
        tl.store(x, n)
