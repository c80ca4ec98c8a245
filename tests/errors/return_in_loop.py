# args: x=*f32 n=5
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    for i in range(n):
        if i == 3:
            return  # error 13: `return` cannot stand inside a `for` or `while` loop
    tl.store(x, 1.0)
