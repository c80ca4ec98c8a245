# Library functions of the kernel language that are written in it. The text is embedded in the program and lowered like
# the helpers of a kernel file; builtins reach it through Context::call_prelude.
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def softmax(x, dim=None, keep_dims=False, ieee_rounding=False):
    axis: tl.constexpr = 0 if dim is None else dim
    shifted = x - tl.max(x, axis, keep_dims=keep_dims)
    e = tl.exp(shifted)
    return tl.fdiv(e, tl.sum(e, axis, keep_dims=keep_dims), ieee_rounding)


@triton.jit
def _unpack_e2m1(x):
    # Two numbers in a byte, the low one first: a sign, two bits of exponent, one of mantissa.
    code = tl.interleave(x & 15, (x >> 4) & 15)
    size = code & 7
    value = tl.where(size < 4, size * 0.5, tl.where(size < 6, size - 2.0, size * 2.0 - 8.0))
    return tl.where(code > 7, -value, value)


@triton.jit
def _scaled_operand(x, scale, format: tl.constexpr, fast_math: tl.constexpr, compute: tl.constexpr):
    # K is the last axis. Every value and every scale is exact in bfloat16.
    if format == "e2m1":
        value = _unpack_e2m1(x.to(tl.uint8, bitcast=True)).to(compute)
    elif format == "e4m3":
        value = x.to(tl.float8e4nv, bitcast=True).to(compute)
    elif format == "e5m2":
        value = x.to(tl.float8e5, bitcast=True).to(compute)
    else:
        value = x.to(compute)
    if scale is not None:
        code = scale.to(tl.uint8, bitcast=True)
        M: tl.constexpr = value.shape[0]
        K: tl.constexpr = value.shape[1]
        code = tl.reshape(tl.broadcast_to(code[:, :, None], (M, K // 32, 32)), (M, K))
        factor = (code.to(tl.uint32) << 23).to(tl.float32, bitcast=True).to(compute)
        value = value * factor
        if not fast_math:
            value = tl.where(code == 255, float("nan"), value).to(compute)
    return value


@triton.jit
def dot_scaled(lhs, lhs_scale, lhs_format: tl.constexpr, rhs, rhs_scale, rhs_format: tl.constexpr, acc=None,
               fast_math=False, lhs_k_pack=True, rhs_k_pack=True, out_dtype=tl.float32):
    compute: tl.constexpr = tl.float16 if lhs_format == "fp16" or rhs_format == "fp16" else tl.bfloat16
    a = _scaled_operand(lhs, lhs_scale, lhs_format, fast_math, compute)
    b = _scaled_operand(tl.trans(rhs), rhs_scale, rhs_format, fast_math, compute)
    return tl.dot(a, tl.trans(b), acc, out_dtype=out_dtype)


@triton.jit
def swizzle2d(i, j, size_i, size_j, size_g):
    # Tiles are numbered row by row; a group is size_g rows of tiles, the last one perhaps fewer.
    number = i * size_j + j
    per_group = size_g * size_j
    group = number // per_group
    first_row = group * size_g
    rows = tl.minimum(size_i - first_row, size_g)
    within = number % per_group
    return first_row + within % rows, within // rows


@triton.jit
def pair_uniform_to_normal(u1, u2):
    # Box-Muller; the bound keeps log away from 0.
    u1 = tl.maximum(1.0e-7, u1)
    angle = 6.283185307179586 * u2
    radius = tl.sqrt(-2.0 * tl.log(u1))
    return radius * tl.cos(angle), radius * tl.sin(angle)


@triton.jit
def _philox_rounds(c0, c1, c2, c3, k0, k1, n_rounds: tl.constexpr):
    # Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", for any number of rounds.
    if c0.dtype == tl.uint32:
        KEY_A: tl.constexpr = 0x9E3779B9
        KEY_B: tl.constexpr = 0xBB67AE85
        ROUND_A: tl.constexpr = 0xD2511F53
        ROUND_B: tl.constexpr = 0xCD9E8D57
    else:
        KEY_A: tl.constexpr = 0x9E3779B97F4A7C15
        KEY_B: tl.constexpr = 0xBB67AE8584CAA73B
        ROUND_A: tl.constexpr = 0xD2E7470EE14C6C93
        ROUND_B: tl.constexpr = 0xCA5A826395121157
    a = tl.full(c0.shape, ROUND_A, c0.dtype)
    b = tl.full(c0.shape, ROUND_B, c0.dtype)
    for _ in tl.static_range(n_rounds):
        old0 = c0
        old2 = c2
        c0 = tl.umulhi(b, old2) ^ c1 ^ k0
        c2 = tl.umulhi(a, old0) ^ c3 ^ k1
        c1 = b * old2
        c3 = a * old0
        k0 = k0 + KEY_A
        k1 = k1 + KEY_B
    return c0, c1, c2, c3


@triton.jit
def _cast_towards_zero(x, dtype: tl.constexpr, bits: tl.constexpr):
    # Rounds to nearest, then steps back by one where that went away from zero. An infinity steps back to the largest
    # number, unless x is one.
    nearest = x.to(dtype)
    back = nearest.to(x.dtype)
    too_far = (tl.abs(back) > tl.abs(x)) & (tl.abs(x) != float("inf"))
    code = nearest.to(bits, bitcast=True)
    return tl.where(too_far, code - 1, code).to(dtype, bitcast=True)


@triton.jit
def asinh(x):
    a = tl.abs(x)
    # Beyond 2^28 the square would lose the 1, and later overflow: asinh(a) is then log(2 a).
    small = libdevice.log1p(a + a * a / (1.0 + tl.sqrt(a * a + 1.0)))
    large = tl.log(a) + 0.6931471805599453
    return libdevice.copysign(tl.where(a < 268435456.0, small, large), x)


@triton.jit
def acosh(x):
    t = x - 1.0
    small = libdevice.log1p(t + tl.sqrt(2.0 * t + t * t))
    large = tl.log(x) + 0.6931471805599453
    return tl.where(x < 268435456.0, small, large)


@triton.jit
def atanh(x):
    a = tl.abs(x)
    return libdevice.copysign(0.5 * libdevice.log1p(2.0 * a / (1.0 - a)), x)


@triton.jit
def hypot(x, y):
    a = tl.abs(x)
    b = tl.abs(y)
    # Scaled by the larger, so that the squares neither overflow nor vanish.
    large = tl.maximum(a, b)
    ratio = tl.where(large == 0.0, 0.0, tl.minimum(a, b) / large)
    result = large * tl.sqrt(1.0 + ratio * ratio)
    infinite = (a == float("inf")) | (b == float("inf"))
    result = tl.where((a != a) | (b != b), a + b, result)
    return tl.where(infinite, float("inf"), result)


@triton.jit
def fdim(x, y):
    return tl.where(x > y, x - y, tl.where((x != x) | (y != y), x + y, 0.0))


@triton.jit
def saturatef(x):
    # A NaN gives 0.
    return tl.minimum(tl.maximum(x, 0.0), 1.0)


@triton.jit
def mulhi(x, y):
    # Signed high half from the unsigned one: each negative factor counts 2^n too much.
    high = tl.umulhi(x, y)
    return high - tl.where(x < 0, y, 0) - tl.where(y < 0, x, 0)
