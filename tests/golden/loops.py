# args: x_ptr=*f32 o_ptr=*f32 n=5 one=1 BLOCK=16
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, o_ptr, n, one, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    state = (tl.zeros((BLOCK,), tl.float32), 0)
    p = x_ptr + i
    for k in range(0, n, one):
        v = tl.load(p)
        if k % 2 == 0:
            v = -v
        state = (state[0] + v, state[1] + 1)
        p += BLOCK
        for j in tl.static_range(2):
            one = one + j
    count = state[1]
    while count > 0 and one < 100:
        count -= 2
        one *= 3
    total = state[0] if n > 3 else state[0] * 2
    tl.store(o_ptr + i, total + count + one)
