# args: o_ptr=*int32
import triton
import triton.language as tl


@triton.jit
def kernel(o_ptr):
    a = tl.zeros((16, 32), tl.int8)
    b = tl.zeros((32, 16), tl.int8)
    acc = tl.zeros((16, 16), tl.int32)
    acc = tl.dot(a, b, acc=acc)  # error 28: the accumulator is int32, but out_dtype is float32 and the product is int32
    tl.store(o_ptr, tl.sum(acc))
