"""A kernel that needs what the simulator does not have, one that Triton refuses too, one that nobody can guess."""
import triton
import triton.language as tl


@triton.jit
def scaled_product(a, a_scale, b, b_scale, out, N: tl.constexpr):
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    acc = tl.dot_scaled(tl.load(a + at), tl.load(a_scale + at), "e4m3", tl.load(b + at), tl.load(b_scale + at), "e4m3")
    tl.store(out + at, acc)


@triton.jit
def early_end(x, n, PIECE: tl.constexpr):
    for i in range(0, n):
        if i > 4:
            break
        tl.store(x + i, 0.0)


@triton.jit
def particular(x, N: tl.constexpr):
    tl.static_assert(N % 1009 == 777 - N % 3, "made for few lengths")
    tl.store(x + tl.arange(0, 16), 1.0)
