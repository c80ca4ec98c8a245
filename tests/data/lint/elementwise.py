"""Two kernels that compile whatever their arguments are called."""
import triton
import triton.language as tl


@triton.jit
def scale_rows(src, dst, factors, width, PIECE: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, PIECE)
    inside = at < width
    values = tl.load(src + row * width + at, mask=inside, other=0.0)
    tl.store(dst + row * width + at, values * tl.load(factors + row), mask=inside)


@triton.heuristics({"WHOLE": lambda args: args["count"] % args["PIECE"] == 0})
@triton.jit
def clip(src, dst, count, low, high, WHOLE: tl.constexpr, PIECE: tl.constexpr):
    at = tl.program_id(0) * PIECE + tl.arange(0, PIECE)
    if WHOLE:
        values = tl.load(src + at)
    else:
        values = tl.load(src + at, mask=at < count, other=0.0)
    values = tl.minimum(tl.maximum(values, low), high)
    tl.store(dst + at, values, mask=at < count)


def launch(src, dst):
    return [x for x in (src, dst)]
