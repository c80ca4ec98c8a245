# args: o_ptr=*float32
import triton
import triton.language as tl


@triton.jit
def kernel(o_ptr):
    x = tl.zeros((4, 8), tl.float32)
    tl.store(o_ptr, tl.sum(tl.softmax(x, dim=1)))  # error 28: tl.softmax along axis 1 needs keep_dims=True
