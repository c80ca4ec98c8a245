# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def f(**values):  # error 9: a helper cannot have **values: Triton passes no dictionaries
    return 1.0


@triton.jit
def kernel(x):
    tl.store(x, f())
