import triton
import triton.language as tl


@triton.jit
def double_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)                       # which program am I?
    offsets = pid * BLOCK + tl.arange(0, BLOCK)  # place: the elements that are mine
    mask = offsets < n                           # the numbers end at n
    x = tl.load(x_ptr + offsets, mask=mask)      # load
    y = x * 2                                    # compute
    tl.store(out_ptr + offsets, y, mask=mask)    # store
