# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    def f(a):  # error 5: a kernel cannot use a `nested function` statement
        return a
    tl.store(x, f(1.0))
