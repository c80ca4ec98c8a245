"""A kernel that needs what the simulator does not have, one that Triton refuses too, one that nobody can guess."""
import triton
import triton.language as tl


@triton.jit
def stamp(times, x, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(x + at, 0.0)
    tl.store(times + tl.program_id(0), tl.extra.cuda.globaltimer())


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
