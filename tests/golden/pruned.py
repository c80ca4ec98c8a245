# args: x_ptr=*bf16 bias_ptr=None o_ptr=*f32 scale=0.5 MODE="square" BLOCK=8
import triton
import triton.language as tl

EPS = tl.constexpr(1e-6)


@triton.jit
def kernel(x_ptr, bias_ptr, o_ptr, scale, MODE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    if bias_ptr is not None:
        x += tl.load(bias_ptr + i)
    if MODE == "square":
        y = x * x
    elif MODE == "cube":
        y = this_name_does_not_exist(x)
    half = x * 0.5
    scaled = x * scale
    ratio = i / 3
    tl.store(o_ptr + i, y + half + scaled + ratio + EPS)
