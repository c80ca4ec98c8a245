import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * N + cols, mask=mask, other=-float("inf"))
    naive = tl.exp(x)                        # as the formula says: overflows
    naive_y = naive / tl.sum(naive, axis=0)
    largest = tl.max(x, axis=0)              # 1. the largest
    z = x - largest                          # 2. subtract it
    e = tl.exp(z)                            # 3. exp
    total = tl.sum(e, axis=0)                # 4. sum
    y = e / total                            # 5. divide
    tl.store(y_ptr + row * N + cols, y, mask=mask)
