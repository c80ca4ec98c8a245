import triton
import triton.language as tl

SIZES = [32, 64]
WIDE = len(SIZES) > 1


def make_configs(kinds):
    out = []
    for kind in kinds:
        for w in (4, 8):
            out.append(triton.Config({"BLOCK": kind, "KIND": f"{kind}x{w}"}, num_warps=w, num_stages=3 if WIDE else 2))
    return out


@triton.autotune(configs=make_configs(SIZES) + [triton.Config({"BLOCK": 2 ** k}, num_warps=4) for k in range(3, 6)], key=["n"])
@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0, "WARPS": lambda args: max(1, min(args["BLOCK"] // 32, 8))})
@triton.jit
def scale(x_ptr, n, y_ptr, factor, BLOCK: tl.constexpr, KIND: tl.constexpr, EVEN: tl.constexpr, WARPS: tl.constexpr = 4):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        tl.store(y_ptr + i, tl.load(x_ptr + i) * factor)
    else:
        tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n) * factor, mask=i < n)
