# args: x=*f32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    tl.store(x, tl.load(x).to(tl.int16, bitcast=True))  # error 17: cannot reinterpret float32 (32 bits) as int16 (16 bits)
