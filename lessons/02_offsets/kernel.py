import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    start = pid * BLOCK                      # where my part begins
    offsets = start + tl.arange(0, BLOCK)    # a tile of offsets
    addresses = x_ptr + offsets              # a tile of addresses
    mask = offsets < n
    x = tl.load(addresses, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)
