"""Random kernels with tl.cat; cat_cases.json has what Triton 3.6 stored on an H200 (README.md)."""
import triton
import triton.language as tl


@triton.jit
def k1(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + 4 - 1 - tl.arange(0, 4))
    b = tl.load(x_int32 + tl.arange(0, 4))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 8), c)


@triton.jit
def k2(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.sum(tl.load(x_int16 + tl.arange(0, 8)[:, None] * 2 + tl.arange(0, 2)[None, :]), axis=1).to(tl.int16)
    b = tl.load(x_int16 + tl.arange(0, 8))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 16), tl.cumsum(c, axis=0))


@triton.jit
def k5(x_int8, x_int16, x_int32, x_int64, y, o):
    a = (tl.arange(0, 16) * 7 % 101).to(tl.int32)
    b = (tl.arange(0, 16) * 7 % 101).to(tl.int32)
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 32), tl.cumsum(c, axis=0))


@triton.jit
def k6(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.sum(tl.load(x_int32 + tl.arange(0, 16)[:, None] * 2 + tl.arange(0, 2)[None, :]), axis=1).to(tl.int32)
    b = tl.load(x_int32 + tl.arange(0, 16))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 32), c)


@triton.jit
def k7(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 32))
    b = tl.load(x_int32 + tl.arange(0, 32))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 64), c)


@triton.jit
def k9(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int64 + tl.arange(0, 64)) + tl.load(x_int64 + 1 + tl.arange(0, 64))
    b = tl.load(x_int64 + tl.arange(0, 64))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 128), c)


@triton.jit
def k10(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int64 + tl.arange(0, 64))
    b = tl.sum(tl.load(x_int64 + tl.arange(0, 64)[:, None] * 2 + tl.arange(0, 2)[None, :]), axis=1).to(tl.int64)
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 128), c * tl.load(y + tl.arange(0, 128)))


@triton.jit
def k12(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.sum(tl.load(x_int64 + tl.arange(0, 8)[:, None] * 2 + tl.arange(0, 2)[None, :]), axis=1).to(tl.int64)
    b = tl.load(x_int64 + tl.arange(0, 8))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 16), tl.cumsum(c, axis=0))


@triton.jit
def k14(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + 4 - 1 - tl.arange(0, 4))
    b = tl.load(x_int32 + tl.arange(0, 4))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 8), tl.cumsum(c, axis=0))


@triton.jit
def k15(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int64 + tl.arange(0, 4)) + tl.load(x_int64 + 1 + tl.arange(0, 4))
    b = (tl.arange(0, 4) * 7 % 101).to(tl.int64)
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 8), c)


@triton.jit
def k17(x_int8, x_int16, x_int32, x_int64, y, o):
    a = (tl.arange(0, 32) * 7 % 101).to(tl.int64)
    b = tl.load(x_int64 + tl.arange(0, 32))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 64), c * tl.load(y + tl.arange(0, 64)))


@triton.jit
def k18(x_int8, x_int16, x_int32, x_int64, y, o):
    a = (tl.arange(0, 64) * 7 % 101).to(tl.int32)
    b = tl.load(x_int32 + 64 - 1 - tl.arange(0, 64))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 128), c * 3 + 1)


@triton.jit
def k19(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int16 + tl.arange(0, 64))
    b = tl.load(x_int16 + tl.arange(0, 64))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 128), c * 3 + 1)


@triton.jit
def k21(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int64 + tl.arange(0, 8))
    b = tl.load(x_int64 + tl.arange(0, 8))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 16), c)


@triton.jit
def k22(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int16 + tl.arange(0, 16))
    b = tl.load(x_int16 + 16 - 1 - tl.arange(0, 16))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 32), c)


@triton.jit
def k23(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 8))
    b = tl.load(x_int32 + 8 - 1 - tl.arange(0, 8))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 16), c * tl.load(y + tl.arange(0, 16)))


@triton.jit
def k25(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int16 + tl.arange(0, 4))
    b = tl.sum(tl.load(x_int16 + tl.arange(0, 4)[:, None] * 2 + tl.arange(0, 2)[None, :]), axis=1).to(tl.int16)
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 8), c)


@triton.jit
def k26(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int16 + tl.arange(0, 16))
    b = tl.load(x_int16 + tl.arange(0, 16))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 32), tl.cumsum(c, axis=0))


@triton.jit
def k28(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.sum(tl.load(x_int8 + tl.arange(0, 16)[:, None] * 2 + tl.arange(0, 2)[None, :]), axis=1).to(tl.int8)
    b = tl.load(x_int8 + tl.arange(0, 16))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 32), c * tl.load(y + tl.arange(0, 32)))


@triton.jit
def k31(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int64 + tl.arange(0, 16))
    b = tl.load(x_int64 + tl.arange(0, 16))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 32), tl.cumsum(c, axis=0))


@triton.jit
def k32(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.sum(tl.load(x_int32 + tl.arange(0, 64)[:, None] * 2 + tl.arange(0, 2)[None, :]), axis=1).to(tl.int32)
    b = tl.sum(tl.load(x_int32 + tl.arange(0, 64)[:, None] * 2 + tl.arange(0, 2)[None, :]), axis=1).to(tl.int32)
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 128), c * 3 + 1)


@triton.jit
def k39(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.sum(tl.load(x_int32 + tl.arange(0, 16)[:, None] * 2 + tl.arange(0, 2)[None, :]), axis=1).to(tl.int32)
    b = tl.load(x_int32 + tl.arange(0, 16))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 32), tl.cumsum(c, axis=0))


@triton.jit
def k40(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int16 + tl.arange(0, 64))
    b = (tl.arange(0, 64) * 7 % 101).to(tl.int16)
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 128), c * tl.load(y + tl.arange(0, 128)))


@triton.jit
def k42(x_int8, x_int16, x_int32, x_int64, y, o):
    a = (tl.arange(0, 4) * 7 % 101).to(tl.int32)
    b = tl.load(x_int32 + tl.arange(0, 4)) + tl.load(x_int32 + 1 + tl.arange(0, 4))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 8), c * tl.load(y + tl.arange(0, 8)))


@triton.jit
def k43(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + 16 - 1 - tl.arange(0, 16))
    b = tl.load(x_int32 + 16 - 1 - tl.arange(0, 16))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 32), c)


@triton.jit
def k47(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + 8 - 1 - tl.arange(0, 8))
    b = tl.load(x_int32 + tl.arange(0, 8))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 16), c)


@triton.jit
def k50(x_int8, x_int16, x_int32, x_int64, y, o):
    a = (tl.arange(0, 8) * 7 % 101).to(tl.int8)
    b = tl.load(x_int8 + tl.arange(0, 8))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 16), c * tl.load(y + tl.arange(0, 16)))


@triton.jit
def k51(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 64)) + tl.load(x_int32 + 1 + tl.arange(0, 64))
    b = tl.load(x_int32 + tl.arange(0, 64)) + tl.load(x_int32 + 1 + tl.arange(0, 64))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 128), c * tl.load(y + tl.arange(0, 128)))


@triton.jit
def k58(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int64 + tl.arange(0, 64)) + tl.load(x_int64 + 1 + tl.arange(0, 64))
    b = tl.load(x_int64 + tl.arange(0, 64))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 128), c * 3 + 1)


@triton.jit
def k59(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int64 + tl.arange(0, 64))
    b = tl.load(x_int64 + tl.arange(0, 64)) + tl.load(x_int64 + 1 + tl.arange(0, 64))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 128), c)


@triton.jit
def k60(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 8))
    b = tl.load(x_int32 + tl.arange(0, 8))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 16), c)


@triton.jit
def k62(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 32))
    b = tl.load(x_int32 + tl.arange(0, 32)) + tl.load(x_int32 + 1 + tl.arange(0, 32))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 64), c * 3 + 1)


@triton.jit
def k63(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int64 + tl.arange(0, 16)) + tl.load(x_int64 + 1 + tl.arange(0, 16))
    b = (tl.arange(0, 16) * 7 % 101).to(tl.int64)
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 32), tl.cumsum(c, axis=0))


@triton.jit
def k65(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int8 + tl.arange(0, 64))
    b = tl.load(x_int8 + 64 - 1 - tl.arange(0, 64))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 128), c * tl.load(y + tl.arange(0, 128)))


@triton.jit
def k66(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int64 + tl.arange(0, 4))
    b = tl.load(x_int64 + 4 - 1 - tl.arange(0, 4))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 8), c * tl.load(y + tl.arange(0, 8)))


@triton.jit
def k67(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 16))
    b = (tl.arange(0, 16) * 7 % 101).to(tl.int32)
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 32), tl.cumsum(c, axis=0))


@triton.jit
def k68(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 8)) + tl.load(x_int32 + 1 + tl.arange(0, 8))
    b = tl.sum(tl.load(x_int32 + tl.arange(0, 8)[:, None] * 2 + tl.arange(0, 2)[None, :]), axis=1).to(tl.int32)
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 16), tl.cumsum(c, axis=0))


@triton.jit
def k70(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 64))
    b = tl.sum(tl.load(x_int32 + tl.arange(0, 64)[:, None] * 2 + tl.arange(0, 2)[None, :]), axis=1).to(tl.int32)
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 128), c)


@triton.jit
def k74(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 8))
    b = tl.load(x_int32 + 8 - 1 - tl.arange(0, 8))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 16), tl.cumsum(c, axis=0))


@triton.jit
def k75(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int16 + tl.arange(0, 8))
    b = tl.load(x_int16 + tl.arange(0, 8))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 16), c)


@triton.jit
def k76(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 32))
    b = tl.load(x_int32 + 32 - 1 - tl.arange(0, 32))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 64), tl.cumsum(c, axis=0))


@triton.jit
def k77(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int8 + tl.arange(0, 16))
    b = tl.load(x_int8 + tl.arange(0, 16)) + tl.load(x_int8 + 1 + tl.arange(0, 16))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 32), c)


@triton.jit
def k78(x_int8, x_int16, x_int32, x_int64, y, o):
    a = (tl.arange(0, 8) * 7 % 101).to(tl.int32)
    b = tl.load(x_int32 + tl.arange(0, 8))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 16), tl.cumsum(c, axis=0))


@triton.jit
def k79(x_int8, x_int16, x_int32, x_int64, y, o):
    a = (tl.arange(0, 8) * 7 % 101).to(tl.int32)
    b = (tl.arange(0, 8) * 7 % 101).to(tl.int32)
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 16), c)


@triton.jit
def k82(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int64 + tl.arange(0, 4))
    b = (tl.arange(0, 4) * 7 % 101).to(tl.int64)
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 8), c * tl.load(y + tl.arange(0, 8)))


@triton.jit
def k83(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int64 + tl.arange(0, 64))
    b = (tl.arange(0, 64) * 7 % 101).to(tl.int64)
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 128), c)


@triton.jit
def k84(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int8 + tl.arange(0, 64))
    b = tl.sum(tl.load(x_int8 + tl.arange(0, 64)[:, None] * 2 + tl.arange(0, 2)[None, :]), axis=1).to(tl.int8)
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 128), c)


@triton.jit
def k87(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 8)) + tl.load(x_int32 + 1 + tl.arange(0, 8))
    b = tl.load(x_int32 + tl.arange(0, 8)) + tl.load(x_int32 + 1 + tl.arange(0, 8))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 16), tl.cumsum(c, axis=0))


@triton.jit
def k89(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int16 + 4 - 1 - tl.arange(0, 4))
    b = tl.sum(tl.load(x_int16 + tl.arange(0, 4)[:, None] * 2 + tl.arange(0, 2)[None, :]), axis=1).to(tl.int16)
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 8), c)


@triton.jit
def k90(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.sum(tl.load(x_int16 + tl.arange(0, 8)[:, None] * 2 + tl.arange(0, 2)[None, :]), axis=1).to(tl.int16)
    b = tl.load(x_int16 + tl.arange(0, 8))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 16), c)


@triton.jit
def k93(x_int8, x_int16, x_int32, x_int64, y, o):
    a = (tl.arange(0, 64) * 7 % 101).to(tl.int64)
    b = tl.load(x_int64 + tl.arange(0, 64))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 128), c * tl.load(y + tl.arange(0, 128)))


@triton.jit
def k95(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 4))
    b = tl.load(x_int32 + tl.arange(0, 4))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 8), c)


@triton.jit
def k97(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int64 + tl.arange(0, 64)) + tl.load(x_int64 + 1 + tl.arange(0, 64))
    b = tl.load(x_int64 + tl.arange(0, 64)) + tl.load(x_int64 + 1 + tl.arange(0, 64))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 128), c)


@triton.jit
def k98(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 32))
    b = tl.load(x_int32 + tl.arange(0, 32))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 64), tl.cumsum(c, axis=0))


@triton.jit
def k100(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 16))
    b = tl.load(x_int32 + tl.arange(0, 16)) + tl.load(x_int32 + 1 + tl.arange(0, 16))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 32), c)


@triton.jit
def k103(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + 64 - 1 - tl.arange(0, 64))
    b = tl.load(x_int32 + tl.arange(0, 64))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 128), c)


@triton.jit
def k104(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int8 + tl.arange(0, 32))
    b = tl.load(x_int8 + 32 - 1 - tl.arange(0, 32))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 64), c)


@triton.jit
def k107(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + 16 - 1 - tl.arange(0, 16))
    b = tl.load(x_int32 + tl.arange(0, 16))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 32), c)


@triton.jit
def k112(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.sum(tl.load(x_int16 + tl.arange(0, 4)[:, None] * 2 + tl.arange(0, 2)[None, :]), axis=1).to(tl.int16)
    b = tl.load(x_int16 + tl.arange(0, 4))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 8), c)


@triton.jit
def k113(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int16 + tl.arange(0, 64))
    b = tl.load(x_int16 + 64 - 1 - tl.arange(0, 64))
    c = tl.cat(a, b, can_reorder=True)
    tl.store(o + tl.arange(0, 128), c)
