# args: h_ptr=*float16 o_ptr=*float32
import triton
import triton.language as tl


@triton.jit
def kernel(h_ptr, o_ptr):
    i = tl.arange(0, 8)
    tl.store(o_ptr + i, tl.exp(tl.load(h_ptr + i)))  # error 32: tl.exp() takes float32 or float64, not float16
