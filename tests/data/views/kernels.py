"""Random kernels with tl.view. cases.json: warps, and what Triton 3.6 stored on an H200 (README.md)."""
import triton
import triton.language as tl


@triton.jit
def k1(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int8 + tl.arange(0, 4)[:, None] * 2 + tl.arange(0, 2)[None, :] * 1) * tl.load(y + tl.arange(0, 4))[:, None]
    v = tl.reshape(a, [8, 1, 1], can_reorder=True)
    tl.store(o + 0 + tl.arange(0, 8)[:, None] * 1 + tl.arange(0, 1)[None, :] * 1, tl.sum(v, axis=2))
    tl.store(o + 8 + tl.arange(0, 8)[:, None] * 1 + tl.arange(0, 1)[None, :] * 1, tl.max(v, axis=1))


@triton.jit
def k2(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int16 + tl.arange(0, 8)[:, None, None] * 1 + tl.arange(0, 2)[None, :, None] * 8 + tl.arange(0, 2)[None, None, :] * 16) * tl.load(y + tl.arange(0, 8))[:, None, None]
    v = tl.view(a, (2, 16))
    tl.store(o + 0 + tl.arange(0, 16) * 1, tl.max(v, axis=0))


@triton.jit
def k3(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 16)[:, None, None] * 16 + tl.arange(0, 2)[None, :, None] * 8 + tl.arange(0, 8)[None, None, :] * 1)
    v = tl.view(a, (1, 32, 8))
    w = v * 5
    tl.store(o + 0 + tl.arange(0, 1)[:, None] * 32 + tl.arange(0, 32)[None, :] * 1, tl.sum(w, axis=2))


@triton.jit
def k4(x_int8, x_int16, x_int32, x_int64, y, o):
    b = tl.load(x_int32 + tl.arange(0, 8) * 1, mask=tl.arange(0, 8) * 1 < 5, other=7)
    a = b * 2
    v = tl.view(a, (4, 2))
    tl.store(o + 0 + tl.arange(0, 4) * 1, tl.sum(v, axis=1))


@triton.jit
def k5(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int8 + tl.arange(0, 128)[:, None] * 2 + tl.arange(0, 2)[None, :] * 1, mask=tl.arange(0, 128)[:, None] * 2 + tl.arange(0, 2)[None, :] * 1 < 199, other=7)
    v = tl.reshape(a, [4, 64], can_reorder=True)
    b2 = tl.load(y + tl.arange(0, 4)[:, None] * 64 + tl.arange(0, 64)[None, :] * 1)
    w = v * b2
    tl.store(o + 0 + tl.arange(0, 4)[:, None] * 64 + tl.arange(0, 64)[None, :] * 1, w)


@triton.jit
def k6(x_int8, x_int16, x_int32, x_int64, y, o):
    b = tl.load(x_int16 + tl.arange(0, 256) * 1)
    a = b * 2
    v = tl.view(a, (16, 8, 2))
    tl.store(o + 0 + tl.arange(0, 16)[:, None] * 2 + tl.arange(0, 2)[None, :] * 1, tl.min(v, axis=1))


@triton.jit
def k7(x_int8, x_int16, x_int32, x_int64, y, o):
    b = tl.load(x_int8 + tl.arange(0, 4)[:, None, None] * 16 + tl.arange(0, 16)[None, :, None] * 64 + tl.arange(0, 16)[None, None, :] * 1, mask=tl.arange(0, 4)[:, None, None] * 16 + tl.arange(0, 16)[None, :, None] * 64 + tl.arange(0, 16)[None, None, :] * 1 < 578, other=7)
    a = b - tl.expand_dims(tl.max(b, axis=0), 0)
    v = tl.view(a, (1024, 1))
    tl.store(o + 0 + tl.arange(0, 1) * 1, tl.argmax(v, axis=0))


@triton.jit
def k8(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 8)[:, None] * 64 + tl.arange(0, 64)[None, :] * 1) * tl.load(y + tl.arange(0, 8))[:, None]
    v = tl.view(a, (8, 1, 64))
    w = v * 5
    tl.store(o + 0 + tl.arange(0, 1)[:, None] * 64 + tl.arange(0, 64)[None, :] * 1, tl.sum(w, axis=0))
    tl.store(o + 64 + tl.arange(0, 8)[:, None] * 1 + tl.arange(0, 1)[None, :] * 1, tl.sum(v, axis=2))


@triton.jit
def k9(x_int8, x_int16, x_int32, x_int64, y, o):
    a = (tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :] * 1) * 2654435 % 10007
    v = tl.view(a, (8, 32))
    b2 = tl.load(y + tl.arange(0, 8)[:, None] * 1 + tl.arange(0, 32)[None, :] * 8)
    w = v * b2
    tl.store(o + 0 + tl.arange(0, 32) * 1, tl.sum(w, axis=0))


@triton.jit
def k10(x_int8, x_int16, x_int32, x_int64, y, o):
    a = (tl.arange(0, 16)[:, None] * 2 + tl.arange(0, 2)[None, :] * 1) * 2654435 % 10007
    v = tl.view(a, (8, 4))
    b2 = tl.load(y + tl.arange(0, 8)[:, None] * 4 + tl.arange(0, 4)[None, :] * 1)
    w = v * b2
    tl.store(o + 0 + tl.arange(0, 8)[:, None] * 4 + tl.arange(0, 4)[None, :] * 1, w)


@triton.jit
def k11(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 512) * 1) * 3 + 1
    v = tl.view(a, (256, 2))
    tl.store(o + 0 + tl.arange(0, 2) * 1, tl.min(v, axis=0))


@triton.jit
def k12(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int64 + tl.arange(0, 1)[:, None, None] * 512 + tl.arange(0, 2)[None, :, None] * 256 + tl.arange(0, 256)[None, None, :] * 1)
    v = tl.view(a, (1, 16, 32))
    tl.store(o + 0 + tl.arange(0, 1)[:, None] * 32 + tl.arange(0, 32)[None, :] * 1, tl.max(v, axis=1))


@triton.jit
def k13(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 512)[:, None] * 1 + tl.arange(0, 1)[None, :] * 512) + tl.load(y + tl.arange(0, 512)[:, None] * 1 + tl.arange(0, 1)[None, :] * 512)
    v = tl.view(a, (4, 128))
    w = v * 5
    tl.store(o + 0 + tl.arange(0, 4) * 1, tl.sum(w, axis=1))
    tl.store(o + 4 + tl.arange(0, 4) * 1, tl.sum(v, axis=1))


@triton.jit
def k16(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int64 + tl.arange(0, 16)[:, None, None] * 16 + tl.arange(0, 2)[None, :, None] * 8 + tl.arange(0, 8)[None, None, :] * 1) * tl.load(y + tl.arange(0, 16))[:, None, None]
    v = tl.reshape(a, [64, 4], can_reorder=True)
    tl.store(o + 0 + tl.arange(0, 64) * 1, tl.sum(v, axis=1))


@triton.jit
def k17(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 2)[:, None, None] * 512 + tl.arange(0, 1)[None, :, None] * 512 + tl.arange(0, 512)[None, None, :] * 1, mask=tl.arange(0, 2)[:, None, None] * 512 + tl.arange(0, 1)[None, :, None] * 512 + tl.arange(0, 512)[None, None, :] * 1 < 966, other=7)
    v = tl.reshape(a, [256, 2, 2], can_reorder=True)
    tl.store(o + 0 + tl.arange(0, 2)[:, None] * 2 + tl.arange(0, 2)[None, :] * 1, tl.min(v, axis=0))


@triton.jit
def k19(x_int8, x_int16, x_int32, x_int64, y, o):
    b = tl.load(x_int64 + tl.arange(0, 16)[:, None, None] * 1 + tl.arange(0, 64)[None, :, None] * 16 + tl.arange(0, 1)[None, None, :] * 16)
    a = b - tl.expand_dims(tl.max(b, axis=1), 1)
    v = tl.view(a, (128, 8))
    w = v - tl.expand_dims(tl.max(v, axis=0), 0)
    tl.store(o + 0 + tl.arange(0, 8) * 1, tl.sum(w, axis=0))


@triton.jit
def k20(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 16)[:, None, None] * 8 + tl.arange(0, 1)[None, :, None] * 8 + tl.arange(0, 8)[None, None, :] * 1, mask=tl.arange(0, 16)[:, None, None] * 8 + tl.arange(0, 1)[None, :, None] * 8 + tl.arange(0, 8)[None, None, :] * 1 < 92, other=7) * tl.load(y + tl.arange(0, 16))[:, None, None]
    v = tl.view(a, (2, 1, 64))
    w = v - tl.expand_dims(tl.max(v, axis=1), 1)
    tl.store(o + 0 + tl.arange(0, 2)[:, None, None] * 64 + tl.arange(0, 1)[None, :, None] * 64 + tl.arange(0, 64)[None, None, :] * 1, w)


@triton.jit
def k23(x_int8, x_int16, x_int32, x_int64, y, o):
    b = tl.load(x_int16 + tl.arange(0, 2)[:, None] * 1 + tl.arange(0, 32)[None, :] * 2)
    a = b - tl.expand_dims(tl.max(b, axis=1), 1)
    v = tl.view(a, (4, 16))
    w = v * 5
    tl.store(o + 0 + tl.arange(0, 4) * 1, tl.sum(w, axis=1))
    tl.store(o + 4 + tl.arange(0, 4) * 1, tl.sum(v, axis=1))


@triton.jit
def k24(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 16)[:, None, None] * 4 + tl.arange(0, 4)[None, :, None] * 1 + tl.arange(0, 1)[None, None, :] * 1) + tl.load(y + tl.arange(0, 16)[:, None, None] * 1 + tl.arange(0, 4)[None, :, None] * 16 + tl.arange(0, 1)[None, None, :] * 16)
    v = tl.reshape(a, [8, 4, 2], can_reorder=True)
    tl.store(o + 0 + tl.arange(0, 8)[:, None, None] * 8 + tl.arange(0, 4)[None, :, None] * 2 + tl.arange(0, 2)[None, None, :] * 1, v)


@triton.jit
def k25(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 512) * 1) * 3 + 1
    v = tl.view(a, (1, 8, 64))
    tl.store(o + 0 + tl.arange(0, 1)[:, None] * 8 + tl.arange(0, 8)[None, :] * 1, tl.sum(v, axis=2))
    tl.store(o + 8 + tl.arange(0, 1)[:, None] * 64 + tl.arange(0, 64)[None, :] * 1, tl.max(v, axis=1))


@triton.jit
def k27(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int8 + tl.arange(0, 32)[:, None] * 2 + tl.arange(0, 2)[None, :] * 1) * tl.load(y + tl.arange(0, 32))[:, None]
    v = tl.view(a, (8, 1, 8))
    tl.atomic_add(o + tl.arange(0, 8)[:, None, None] * 8 + tl.arange(0, 1)[None, :, None] * 64 + tl.arange(0, 8)[None, None, :] * 1, v.to(tl.int64))


@triton.jit
def k28(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 2)[:, None, None] * 8 + tl.arange(0, 8)[None, :, None] * 1 + tl.arange(0, 1)[None, None, :] * 1) + tl.load(y + tl.arange(0, 2)[:, None, None] * 8 + tl.arange(0, 8)[None, :, None] * 1 + tl.arange(0, 1)[None, None, :] * 1)
    v = tl.view(a, (2, 4, 2))
    w = v * 5
    tl.store(o + 0 + tl.arange(0, 2)[:, None] * 4 + tl.arange(0, 4)[None, :] * 1, tl.sum(w, axis=2))
    tl.store(o + 8 + tl.arange(0, 4)[:, None] * 2 + tl.arange(0, 2)[None, :] * 1, tl.sum(v, axis=0))


@triton.jit
def k29(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 2)[:, None, None] * 4 + tl.arange(0, 4)[None, :, None] * 1 + tl.arange(0, 1)[None, None, :] * 1, mask=tl.arange(0, 2)[:, None, None] * 4 + tl.arange(0, 4)[None, :, None] * 1 + tl.arange(0, 1)[None, None, :] * 1 < 6, other=7)
    v = tl.view(a, (8, 1))
    w = v - tl.expand_dims(tl.max(v, axis=0), 0)
    tl.store(o + 0 + tl.arange(0, 8) * 1, tl.sum(w, axis=1))


@triton.jit
def k30(x_int8, x_int16, x_int32, x_int64, y, o):
    a = (tl.arange(0, 16)[:, None] * 2 + tl.arange(0, 2)[None, :] * 1) * 2654435 % 10007
    v = tl.view(a, (8, 2, 2))
    tl.store(o + 0 + tl.arange(0, 8)[:, None] * 2 + tl.arange(0, 2)[None, :] * 1, tl.sum(v, axis=2))
    tl.store(o + 16 + tl.arange(0, 8)[:, None] * 2 + tl.arange(0, 2)[None, :] * 1, tl.max(v, axis=1))


@triton.jit
def k31(x_int8, x_int16, x_int32, x_int64, y, o):
    a = (tl.arange(0, 8)[:, None] * 32 + tl.arange(0, 32)[None, :] * 1) * 2654435 % 10007
    v = tl.view(a, (1, 256, 1))
    tl.store(o + 0 + tl.arange(0, 1)[:, None, None] * 256 + tl.arange(0, 256)[None, :, None] * 1 + tl.arange(0, 1)[None, None, :] * 1, v * 5 + 2)


@triton.jit
def k32(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 2)[:, None, None] * 1 + tl.arange(0, 4)[None, :, None] * 4 + tl.arange(0, 2)[None, None, :] * 2) * 3 + 1
    v = tl.view(a, (2, 4, 2))
    tl.store(o + 0 + tl.arange(0, 2)[:, None] * 4 + tl.arange(0, 4)[None, :] * 1, tl.sum(v, axis=2))
    tl.store(o + 8 + tl.arange(0, 2)[:, None] * 2 + tl.arange(0, 2)[None, :] * 1, tl.max(v, axis=1))


@triton.jit
def k33(x_int8, x_int16, x_int32, x_int64, y, o):
    acc = tl.zeros([1, 8], tl.int64)
    for k in range(3):
        a = tl.load(x_int8 + tl.arange(0, 8)[:, None, None] * 128 + tl.arange(0, 1)[None, :, None] * 128 + tl.arange(0, 128)[None, None, :] * 1)
        v = tl.view(a, (128, 1, 8))
        acc += tl.sum(v, axis=0) * (k + 1)
    tl.store(o + 0 + tl.arange(0, 1)[:, None] * 8 + tl.arange(0, 8)[None, :] * 1, acc)


@triton.jit
def k34(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 128)[:, None] * 1 + tl.arange(0, 1)[None, :] * 1)
    v = tl.view(a, (64, 2))
    tl.store(o + 0 + tl.arange(0, 64)[:, None] * 2 + tl.arange(0, 2)[None, :] * 1, v)


@triton.jit
def k35(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 256) * 1, mask=tl.arange(0, 256) * 1 < 138, other=7) * 3 + 1
    v = tl.view(a, (128, 2))
    tl.atomic_add(o + tl.arange(0, 128)[:, None] * 2 + tl.arange(0, 2)[None, :] * 1, v.to(tl.int64))


@triton.jit
def k39(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int64 + tl.arange(0, 16)[:, None] * 32 + tl.arange(0, 32)[None, :] * 1) + tl.load(y + tl.arange(0, 16)[:, None] * 1 + tl.arange(0, 32)[None, :] * 16)
    v = tl.view(a, (2, 256))
    tl.store(o + 0 + tl.arange(0, 256) * 1, tl.max(v, axis=0))


@triton.jit
def k40(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 8) * 1)
    v = tl.view(a, (8, 1, 1))
    tl.store(o + 0 + tl.arange(0, 8)[:, None] * 1 + tl.arange(0, 1)[None, :] * 1, tl.sum(v, axis=2))
    tl.store(o + 8 + tl.arange(0, 8)[:, None, None] * 1 + tl.arange(0, 1)[None, :, None] * 1 + tl.arange(0, 1)[None, None, :] * 1, v)


@triton.jit
def k41(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int16 + tl.arange(0, 2)[:, None, None] * 512 + tl.arange(0, 64)[None, :, None] * 8 + tl.arange(0, 8)[None, None, :] * 1)
    v = tl.reshape(a, [32, 32], can_reorder=True)
    tl.store(o + 0 + tl.arange(0, 32) * 1, tl.sum(v, axis=1))


@triton.jit
def k43(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int8 + tl.arange(0, 2)[:, None, None] * 8 + tl.arange(0, 256)[None, :, None] * 16 + tl.arange(0, 8)[None, None, :] * 1, mask=tl.arange(0, 2)[:, None, None] * 8 + tl.arange(0, 256)[None, :, None] * 16 + tl.arange(0, 8)[None, None, :] * 1 < 2316, other=7)
    v = tl.view(a, (1, 4096))
    tl.store(o + 0 + tl.arange(0, 1) * 1, tl.sum(v, axis=1))


@triton.jit
def k44(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int64 + tl.arange(0, 4)[:, None, None] * 8 + tl.arange(0, 4)[None, :, None] * 2 + tl.arange(0, 2)[None, None, :] * 1, mask=tl.arange(0, 4)[:, None, None] * 8 + tl.arange(0, 4)[None, :, None] * 2 + tl.arange(0, 2)[None, None, :] * 1 < 30, other=7)
    v = tl.view(a, (1, 32))
    tl.store(o + 0 + tl.arange(0, 32) * 1, tl.min(v, axis=0))


@triton.jit
def k45(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 8) * 1)
    v = tl.reshape(a, [1, 1, 8], can_reorder=True)
    tl.store(o + 0 + tl.arange(0, 1)[:, None] * 8 + tl.arange(0, 8)[None, :] * 1, tl.max(v, axis=1))


@triton.jit
def k46(x_int8, x_int16, x_int32, x_int64, y, o):
    b = tl.load(x_int16 + tl.arange(0, 128)[:, None, None] * 32 + tl.arange(0, 16)[None, :, None] * 2 + tl.arange(0, 2)[None, None, :] * 1, mask=tl.arange(0, 128)[:, None, None] * 32 + tl.arange(0, 16)[None, :, None] * 2 + tl.arange(0, 2)[None, None, :] * 1 < 4065, other=7)
    a = b - tl.expand_dims(tl.max(b, axis=1), 1)
    v = tl.view(a, (256, 16))
    w = v * 5
    tl.store(o + 0 + tl.arange(0, 256) * 1, tl.sum(w, axis=1))


@triton.jit
def k48(x_int8, x_int16, x_int32, x_int64, y, o):
    b = tl.load(x_int32 + tl.arange(0, 2)[:, None, None] * 1 + tl.arange(0, 4)[None, :, None] * 8 + tl.arange(0, 4)[None, None, :] * 2)
    a = b - tl.expand_dims(tl.max(b, axis=1), 1)
    v = tl.view(a, (2, 1, 16))
    tl.store(o + 0 + tl.arange(0, 2)[:, None, None] * 16 + tl.arange(0, 1)[None, :, None] * 1 + tl.arange(0, 16)[None, None, :] * 1, v)


@triton.jit
def k49(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 1)[:, None, None] * 16 + tl.arange(0, 1)[None, :, None] * 16 + tl.arange(0, 16)[None, None, :] * 1)
    v = tl.view(a, (1, 16))
    w = v * 5
    tl.store(o + 0 + tl.arange(0, 16) * 1, tl.sum(w, axis=0))
    tl.store(o + 16 + tl.arange(0, 16) * 1, tl.sum(v, axis=0))


@triton.jit
def k50(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int16 + tl.arange(0, 256) * 1) * 3 + 1
    v = tl.view(a, (2, 8, 16))
    tl.store(o + 0 + tl.arange(0, 8)[:, None] * 16 + tl.arange(0, 16)[None, :] * 1, tl.sum(v, axis=0))
    tl.store(o + 128 + tl.arange(0, 8)[:, None] * 16 + tl.arange(0, 16)[None, :] * 1, tl.max(v, axis=0))


@triton.jit
def k52(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 128)[:, None, None] * 16 + tl.arange(0, 2)[None, :, None] * 8 + tl.arange(0, 8)[None, None, :] * 1)
    v = tl.view(a, (2, 1024))
    b2 = tl.load(y + tl.arange(0, 2)[:, None] * 1024 + tl.arange(0, 1024)[None, :] * 1)
    w = v * b2
    tl.store(o + 0 + tl.arange(0, 2) * 1, tl.sum(w, axis=1))


@triton.jit
def k54(x_int8, x_int16, x_int32, x_int64, y, o):
    b = tl.load(x_int8 + tl.arange(0, 2)[:, None, None] * 16 + tl.arange(0, 16)[None, :, None] * 1 + tl.arange(0, 1)[None, None, :] * 1, mask=tl.arange(0, 2)[:, None, None] * 16 + tl.arange(0, 16)[None, :, None] * 1 + tl.arange(0, 1)[None, None, :] * 1 < 28, other=7)
    a = b - tl.expand_dims(tl.max(b, axis=1), 1)
    v = tl.view(a, (8, 4))
    w = v * 5
    tl.store(o + 0 + tl.arange(0, 4) * 1, tl.sum(w, axis=0))
    tl.store(o + 4 + tl.arange(0, 8) * 1, tl.sum(v, axis=1))


@triton.jit
def k55(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 256) * 1)
    v = tl.view(a, (4, 2, 32))
    tl.store(o + 0 + tl.arange(0, 4)[:, None, None] * 64 + tl.arange(0, 2)[None, :, None] * 32 + tl.arange(0, 32)[None, None, :] * 1, v)


@triton.jit
def k56(x_int8, x_int16, x_int32, x_int64, y, o):
    a = (tl.arange(0, 16) * 1) * 2654435 % 10007
    v = tl.reshape(a, [4, 4], can_reorder=True)
    tl.store(o + 0 + tl.arange(0, 4)[:, None] * 4 + tl.arange(0, 4)[None, :] * 1, v * 5 + 2)


@triton.jit
def k57(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 4)[:, None] * 8 + tl.arange(0, 8)[None, :] * 1) * 3 + 1
    v = tl.view(a, (4, 2, 4))
    b2 = tl.load(y + tl.arange(0, 4)[:, None, None] * 2 + tl.arange(0, 2)[None, :, None] * 1 + tl.arange(0, 4)[None, None, :] * 8)
    w = v * b2
    tl.store(o + 0 + tl.arange(0, 2)[:, None] * 4 + tl.arange(0, 4)[None, :] * 1, tl.sum(w, axis=0))


@triton.jit
def k58(x_int8, x_int16, x_int32, x_int64, y, o):
    a = (tl.arange(0, 1)[:, None] * 32 + tl.arange(0, 32)[None, :] * 1) * 2654435 % 10007
    v = tl.view(a, (2, 8, 2))
    tl.store(o + 0 + tl.arange(0, 2)[:, None, None] * 16 + tl.arange(0, 8)[None, :, None] * 2 + tl.arange(0, 2)[None, None, :] * 1, tl.cumsum(v, axis=2))


@triton.jit
def k59(x_int8, x_int16, x_int32, x_int64, y, o):
    acc = tl.zeros([1, 128], tl.int64)
    for k in range(3):
        a = tl.load(x_int16 + tl.arange(0, 16)[:, None, None] * 256 + tl.arange(0, 1)[None, :, None] * 4096 + tl.arange(0, 256)[None, None, :] * 1, mask=tl.arange(0, 16)[:, None, None] * 256 + tl.arange(0, 1)[None, :, None] * 4096 + tl.arange(0, 256)[None, None, :] * 1 < 2791, other=7)
        v = tl.view(a, (32, 1, 128))
        acc += tl.sum(v, axis=0) * (k + 1)
    tl.store(o + 0 + tl.arange(0, 1)[:, None] * 128 + tl.arange(0, 128)[None, :] * 1, acc)


@triton.jit
def k60(x_int8, x_int16, x_int32, x_int64, y, o):
    b = tl.load(x_int32 + tl.arange(0, 64)[:, None, None] * 1 + tl.arange(0, 2)[None, :, None] * 64 + tl.arange(0, 1)[None, None, :] * 64)
    a = b - tl.expand_dims(tl.max(b, axis=1), 1)
    v = tl.view(a, (8, 16, 1))
    w = v * 5
    tl.store(o + 0 + tl.arange(0, 8)[:, None] * 16 + tl.arange(0, 16)[None, :] * 1, tl.sum(w, axis=2))


@triton.jit
def k63(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int8 + tl.arange(0, 2)[:, None, None] * 1024 + tl.arange(0, 512)[None, :, None] * 2 + tl.arange(0, 2)[None, None, :] * 1)
    v = tl.reshape(a, [256, 8], can_reorder=True)
    w = v - tl.expand_dims(tl.max(v, axis=0), 0)
    tl.store(o + 0 + tl.arange(0, 8) * 1, tl.sum(w, axis=0))


@triton.jit
def k64(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int16 + tl.arange(0, 1024)[:, None] * 2 + tl.arange(0, 2)[None, :] * 1) * tl.load(y + tl.arange(0, 1024))[:, None]
    v = tl.view(a, (32, 64))
    tl.store(o + 0 + tl.arange(0, 32) * 1, tl.argmax(v, axis=1))


@triton.jit
def k65(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int8 + tl.arange(0, 4)[:, None, None] * 2 + tl.arange(0, 2)[None, :, None] * 1 + tl.arange(0, 1)[None, None, :] * 8)
    v = tl.view(a, (4, 2))
    tl.store(o + 0 + tl.arange(0, 4)[:, None] * 2 + tl.arange(0, 2)[None, :] * 1, v * 5 + 2)


@triton.jit
def k66(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 16)[:, None, None] * 4 + tl.arange(0, 2)[None, :, None] * 2 + tl.arange(0, 2)[None, None, :] * 1)
    v = tl.view(a, (1, 64))
    tl.store(o + 0 + tl.arange(0, 64) * 1, tl.argmax(v, axis=0))


@triton.jit
def k67(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int8 + tl.arange(0, 2)[:, None, None] * 1 + tl.arange(0, 2)[None, :, None] * 2 + tl.arange(0, 32)[None, None, :] * 4)
    v = tl.view(a, (2, 1, 64))
    tl.store(o + 0 + tl.arange(0, 2)[:, None] * 1 + tl.arange(0, 1)[None, :] * 1, tl.sum(v, axis=2))
    tl.store(o + 2 + tl.arange(0, 2)[:, None] * 64 + tl.arange(0, 64)[None, :] * 1, tl.max(v, axis=1))


@triton.jit
def k68(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int64 + tl.arange(0, 16)[:, None, None] * 8 + tl.arange(0, 1)[None, :, None] * 8 + tl.arange(0, 8)[None, None, :] * 1, mask=tl.arange(0, 16)[:, None, None] * 8 + tl.arange(0, 1)[None, :, None] * 8 + tl.arange(0, 8)[None, None, :] * 1 < 64, other=7)
    v = tl.reshape(a, [2, 4, 16], can_reorder=True)
    tl.store(o + 0 + tl.arange(0, 4)[:, None] * 16 + tl.arange(0, 16)[None, :] * 1, tl.max(v, axis=0))


@triton.jit
def k69(x_int8, x_int16, x_int32, x_int64, y, o):
    b = tl.load(x_int32 + tl.arange(0, 1)[:, None, None] * 8 + tl.arange(0, 8)[None, :, None] * 1 + tl.arange(0, 1)[None, None, :] * 1, mask=tl.arange(0, 1)[:, None, None] * 8 + tl.arange(0, 8)[None, :, None] * 1 + tl.arange(0, 1)[None, None, :] * 1 < 5, other=7)
    a = b - tl.expand_dims(tl.max(b, axis=1), 1)
    v = tl.view(a, (2, 4))
    tl.store(o + 0 + tl.arange(0, 2) * 1, tl.sum(v, axis=1))
    tl.store(o + 2 + tl.arange(0, 2)[:, None] * 4 + tl.arange(0, 4)[None, :] * 1, v)


@triton.jit
def k70(x_int8, x_int16, x_int32, x_int64, y, o):
    b = tl.load(x_int32 + tl.arange(0, 4096) * 1)
    a = b * 2
    v = tl.reshape(a, [32, 128], can_reorder=True)
    tl.store(o + 0 + tl.arange(0, 32) * 1, tl.sum(v, axis=1))
    tl.store(o + 32 + tl.arange(0, 32) * 1, tl.max(v, axis=1))


@triton.jit
def k71(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int8 + tl.arange(0, 256)[:, None] * 1 + tl.arange(0, 1)[None, :] * 256)
    v = tl.view(a, (2, 4, 32))
    w = v - tl.expand_dims(tl.max(v, axis=0), 0)
    tl.store(o + 0 + tl.arange(0, 2)[:, None] * 4 + tl.arange(0, 4)[None, :] * 1, tl.sum(w, axis=2))


@triton.jit
def k72(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int64 + tl.arange(0, 1)[:, None, None] * 8 + tl.arange(0, 1)[None, :, None] * 8 + tl.arange(0, 8)[None, None, :] * 1) + tl.load(y + tl.arange(0, 1)[:, None, None] * 8 + tl.arange(0, 1)[None, :, None] * 8 + tl.arange(0, 8)[None, None, :] * 1)
    v = tl.view(a, (8, 1))
    tl.store(o + 0 + tl.arange(0, 1) * 1, tl.min(v, axis=0))


@triton.jit
def k73(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 4)[:, None] * 64 + tl.arange(0, 64)[None, :] * 1) * tl.load(y + tl.arange(0, 4))[:, None]
    v = tl.view(a, (1, 64, 4))
    tl.atomic_add(o + tl.arange(0, 1)[:, None, None] * 256 + tl.arange(0, 64)[None, :, None] * 1 + tl.arange(0, 4)[None, None, :] * 64, v.to(tl.int64))


@triton.jit
def k74(x_int8, x_int16, x_int32, x_int64, y, o):
    a = (tl.arange(0, 128)[:, None, None] * 2 + tl.arange(0, 1)[None, :, None] * 2 + tl.arange(0, 2)[None, None, :] * 1) * 2654435 % 10007
    v = tl.view(a, (1, 2, 128))
    tl.store(o + 0 + tl.arange(0, 1)[:, None, None] * 256 + tl.arange(0, 2)[None, :, None] * 128 + tl.arange(0, 128)[None, None, :] * 1, tl.cumsum(v, axis=2))


@triton.jit
def k76(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int8 + tl.arange(0, 32) * 1, mask=tl.arange(0, 32) * 1 < 20, other=7) * 3 + 1
    v = tl.view(a, (8, 4))
    w = v * 5
    tl.store(o + 0 + tl.arange(0, 8) * 1, tl.sum(w, axis=1))
    tl.store(o + 8 + tl.arange(0, 4) * 1, tl.sum(v, axis=0))


@triton.jit
def k77(x_int8, x_int16, x_int32, x_int64, y, o):
    b = tl.load(x_int32 + tl.arange(0, 8)[:, None, None] * 2 + tl.arange(0, 2)[None, :, None] * 1 + tl.arange(0, 8)[None, None, :] * 16)
    a = b - tl.expand_dims(tl.max(b, axis=1), 1)
    v = tl.view(a, (8, 16))
    tl.store(o + 0 + tl.arange(0, 16) * 1, tl.argmax(v, axis=0))


@triton.jit
def k78(x_int8, x_int16, x_int32, x_int64, y, o):
    b = tl.load(x_int16 + tl.arange(0, 32)[:, None] * 4 + tl.arange(0, 4)[None, :] * 1, mask=tl.arange(0, 32)[:, None] * 4 + tl.arange(0, 4)[None, :] * 1 < 121, other=7)
    a = b - tl.expand_dims(tl.max(b, axis=1), 1)
    v = tl.view(a, (4, 2, 16))
    tl.store(o + 0 + tl.arange(0, 2)[:, None] * 16 + tl.arange(0, 16)[None, :] * 1, tl.sum(v, axis=0))
    tl.store(o + 32 + tl.arange(0, 4)[:, None] * 16 + tl.arange(0, 16)[None, :] * 1, tl.max(v, axis=1))


@triton.jit
def k79(x_int8, x_int16, x_int32, x_int64, y, o):
    b = tl.load(x_int32 + tl.arange(0, 32) * 1, mask=tl.arange(0, 32) * 1 < 25, other=7)
    a = b * 2
    v = tl.view(a, (2, 16))
    tl.store(o + 0 + tl.arange(0, 16) * 1, tl.sum(v, axis=0))
    tl.store(o + 16 + tl.arange(0, 16) * 1, tl.max(v, axis=0))


@triton.jit
def k80(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int64 + tl.arange(0, 256) * 1) + tl.load(y + tl.arange(0, 256) * 1)
    v = tl.reshape(a, [128, 2], can_reorder=True)
    tl.store(o + 0 + tl.arange(0, 128)[:, None] * 2 + tl.arange(0, 2)[None, :] * 1, v)


@triton.jit
def k81(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int8 + tl.arange(0, 64) * 1)
    v = tl.view(a, (4, 1, 16))
    tl.atomic_add(o + tl.arange(0, 4)[:, None, None] * 1 + tl.arange(0, 1)[None, :, None] * 4 + tl.arange(0, 16)[None, None, :] * 4, v.to(tl.int64))


@triton.jit
def k82(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int64 + tl.arange(0, 4)[:, None] * 1 + tl.arange(0, 8)[None, :] * 4)
    v = tl.view(a, (4, 8, 1))
    tl.store(o + 0 + tl.arange(0, 8)[:, None] * 1 + tl.arange(0, 1)[None, :] * 1, tl.sum(v, axis=0))
    tl.store(o + 8 + tl.arange(0, 4)[:, None] * 8 + tl.arange(0, 8)[None, :] * 1, tl.max(v, axis=2))


@triton.jit
def k83(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 2)[:, None] * 8 + tl.arange(0, 8)[None, :] * 1) * tl.load(y + tl.arange(0, 2))[:, None]
    v = tl.view(a, (1, 16))
    tl.store(o + 0 + tl.arange(0, 1)[:, None] * 16 + tl.arange(0, 16)[None, :] * 1, tl.cumsum(v, axis=1))


@triton.jit
def k85(x_int8, x_int16, x_int32, x_int64, y, o):
    a = (tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :] * 1) * 2654435 % 10007
    v = tl.reshape(a, [16, 8, 2], can_reorder=True)
    tl.atomic_add(o + tl.arange(0, 16)[:, None, None] * 16 + tl.arange(0, 8)[None, :, None] * 1 + tl.arange(0, 2)[None, None, :] * 8, v.to(tl.int64))


@triton.jit
def k86(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int16 + tl.arange(0, 8)[:, None, None] * 2 + tl.arange(0, 1)[None, :, None] * 2 + tl.arange(0, 2)[None, None, :] * 1, mask=tl.arange(0, 8)[:, None, None] * 2 + tl.arange(0, 1)[None, :, None] * 2 + tl.arange(0, 2)[None, None, :] * 1 < 11, other=7) + tl.load(y + tl.arange(0, 8)[:, None, None] * 2 + tl.arange(0, 1)[None, :, None] * 1 + tl.arange(0, 2)[None, None, :] * 1)
    v = tl.reshape(a, [1, 16], can_reorder=True)
    tl.store(o + 0 + tl.arange(0, 1) * 1, tl.sum(v, axis=1))
    tl.store(o + 1 + tl.arange(0, 16) * 1, tl.max(v, axis=0))


@triton.jit
def k87(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int16 + tl.arange(0, 128) * 1) + tl.load(y + tl.arange(0, 128) * 1)
    v = tl.view(a, (128, 1))
    w = v - tl.expand_dims(tl.max(v, axis=0), 0)
    tl.store(o + 0 + tl.arange(0, 128)[:, None] * 1 + tl.arange(0, 1)[None, :] * 1, w)


@triton.jit
def k88(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int16 + tl.arange(0, 8)[:, None] * 1 + tl.arange(0, 1)[None, :] * 1) * 3 + 1
    v = tl.view(a, (4, 2))
    tl.store(o + 0 + tl.arange(0, 4)[:, None] * 2 + tl.arange(0, 2)[None, :] * 1, tl.cumsum(v, axis=0))


@triton.jit
def k89(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int16 + tl.arange(0, 16)[:, None, None] * 128 + tl.arange(0, 32)[None, :, None] * 4 + tl.arange(0, 4)[None, None, :] * 1) * 3 + 1
    v = tl.view(a, (1, 2048))
    tl.store(o + 0 + tl.arange(0, 1) * 1, tl.min(v, axis=1))


@triton.jit
def k92(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int64 + tl.arange(0, 64) * 1)
    v = tl.view(a, (16, 4))
    w = v * 5
    tl.store(o + 0 + tl.arange(0, 4) * 1, tl.sum(w, axis=0))
    tl.store(o + 4 + tl.arange(0, 4) * 1, tl.sum(v, axis=0))


@triton.jit
def k93(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 128)[:, None] * 2 + tl.arange(0, 2)[None, :] * 1)
    v = tl.view(a, (4, 64))
    w = v * 5
    tl.store(o + 0 + tl.arange(0, 64) * 1, tl.sum(w, axis=0))


@triton.jit
def k95(x_int8, x_int16, x_int32, x_int64, y, o):
    acc = tl.zeros([1], tl.int64)
    for k in range(3):
        a = tl.load(x_int16 + tl.arange(0, 1)[:, None] * 1 + tl.arange(0, 32)[None, :] * 1) + tl.load(y + tl.arange(0, 1)[:, None] * 32 + tl.arange(0, 32)[None, :] * 1)
        v = tl.view(a, (32, 1))
        acc += tl.sum(v, axis=0) * (k + 1)
    tl.store(o + 0 + tl.arange(0, 1) * 1, acc)


@triton.jit
def k96(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int16 + tl.arange(0, 256) * 1) * 3 + 1
    v = tl.view(a, (64, 4, 1))
    tl.store(o + 0 + tl.arange(0, 4)[:, None] * 1 + tl.arange(0, 1)[None, :] * 1, tl.argmax(v, axis=0))


@triton.jit
def k98(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 512) * 1)
    v = tl.view(a, (256, 2))
    tl.store(o + 0 + tl.arange(0, 2) * 1, tl.sum(v, axis=0))


@triton.jit
def k99(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 16)[:, None] * 2 + tl.arange(0, 2)[None, :] * 1) + tl.load(y + tl.arange(0, 16)[:, None] * 1 + tl.arange(0, 2)[None, :] * 16)
    v = tl.view(a, (2, 16, 1))
    tl.store(o + 0 + tl.arange(0, 2)[:, None, None] * 16 + tl.arange(0, 16)[None, :, None] * 1 + tl.arange(0, 1)[None, None, :] * 1, v)


@triton.jit
def k102(x_int8, x_int16, x_int32, x_int64, y, o):
    b = tl.load(x_int32 + tl.arange(0, 16)[:, None, None] * 1 + tl.arange(0, 1)[None, :, None] * 1 + tl.arange(0, 1)[None, None, :] * 1)
    a = b - tl.expand_dims(tl.max(b, axis=2), 2)
    v = tl.view(a, (1, 4, 4))
    tl.store(o + 0 + tl.arange(0, 4)[:, None] * 4 + tl.arange(0, 4)[None, :] * 1, tl.min(v, axis=0))


@triton.jit
def k103(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int16 + tl.arange(0, 1)[:, None, None] * 64 + tl.arange(0, 8)[None, :, None] * 8 + tl.arange(0, 8)[None, None, :] * 1, mask=tl.arange(0, 1)[:, None, None] * 64 + tl.arange(0, 8)[None, :, None] * 8 + tl.arange(0, 8)[None, None, :] * 1 < 50, other=7) + tl.load(y + tl.arange(0, 1)[:, None, None] * 1 + tl.arange(0, 8)[None, :, None] * 8 + tl.arange(0, 8)[None, None, :] * 1)
    v = tl.view(a, (64, 1, 1))
    tl.atomic_add(o + tl.arange(0, 64)[:, None, None] * 1 + tl.arange(0, 1)[None, :, None] * 1 + tl.arange(0, 1)[None, None, :] * 1, v.to(tl.int64))


@triton.jit
def k104(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 1)[:, None] * 64 + tl.arange(0, 64)[None, :] * 1) * 3 + 1
    v = tl.reshape(a, [4, 2, 8], can_reorder=True)
    tl.store(o + 0 + tl.arange(0, 2)[:, None] * 8 + tl.arange(0, 8)[None, :] * 1, tl.argmax(v, axis=0))


@triton.jit
def k105(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int8 + tl.arange(0, 2)[:, None, None] * 16 + tl.arange(0, 8)[None, :, None] * 2 + tl.arange(0, 2)[None, None, :] * 1, mask=tl.arange(0, 2)[:, None, None] * 16 + tl.arange(0, 8)[None, :, None] * 2 + tl.arange(0, 2)[None, None, :] * 1 < 24, other=7)
    v = tl.reshape(a, [4, 8, 1], can_reorder=True)
    tl.store(o + 0 + tl.arange(0, 4)[:, None] * 1 + tl.arange(0, 1)[None, :] * 1, tl.sum(v, axis=1))
    tl.store(o + 4 + tl.arange(0, 4)[:, None, None] * 1 + tl.arange(0, 8)[None, :, None] * 4 + tl.arange(0, 1)[None, None, :] * 4, v)


@triton.jit
def k106(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int64 + tl.arange(0, 512)[:, None] * 1 + tl.arange(0, 1)[None, :] * 1) * 3 + 1
    v = tl.view(a, (128, 4))
    tl.store(o + 0 + tl.arange(0, 128) * 1, tl.max(v, axis=1))


@triton.jit
def k107(x_int8, x_int16, x_int32, x_int64, y, o):
    a = (tl.arange(0, 16) * 1) * 2654435 % 10007
    v = tl.view(a, (8, 2))
    w = v - tl.expand_dims(tl.max(v, axis=0), 0)
    tl.store(o + 0 + tl.arange(0, 8) * 1, tl.sum(w, axis=1))


@triton.jit
def k109(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int8 + tl.arange(0, 256) * 1) + tl.load(y + tl.arange(0, 256) * 1)
    v = tl.view(a, (64, 1, 4))
    tl.store(o + 0 + tl.arange(0, 64)[:, None, None] * 4 + tl.arange(0, 1)[None, :, None] * 4 + tl.arange(0, 4)[None, None, :] * 1, tl.cumsum(v, axis=2))


@triton.jit
def k110(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 256) * 1, mask=tl.arange(0, 256) * 1 < 248, other=7)
    v = tl.reshape(a, [2, 32, 4], can_reorder=True)
    b2 = tl.load(y + tl.arange(0, 2)[:, None, None] * 128 + tl.arange(0, 32)[None, :, None] * 4 + tl.arange(0, 4)[None, None, :] * 1)
    w = v * b2
    tl.store(o + 0 + tl.arange(0, 2)[:, None, None] * 4 + tl.arange(0, 32)[None, :, None] * 8 + tl.arange(0, 4)[None, None, :] * 1, w)


@triton.jit
def k111(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 2)[:, None, None] * 64 + tl.arange(0, 16)[None, :, None] * 4 + tl.arange(0, 4)[None, None, :] * 1, mask=tl.arange(0, 2)[:, None, None] * 64 + tl.arange(0, 16)[None, :, None] * 4 + tl.arange(0, 4)[None, None, :] * 1 < 93, other=7)
    v = tl.view(a, (64, 1, 2))
    tl.store(o + 0 + tl.arange(0, 64)[:, None] * 2 + tl.arange(0, 2)[None, :] * 1, tl.min(v, axis=1))


@triton.jit
def k112(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int64 + tl.arange(0, 2)[:, None, None] * 1 + tl.arange(0, 2)[None, :, None] * 8 + tl.arange(0, 4)[None, None, :] * 2, mask=tl.arange(0, 2)[:, None, None] * 1 + tl.arange(0, 2)[None, :, None] * 8 + tl.arange(0, 4)[None, None, :] * 2 < 13, other=7)
    v = tl.view(a, (1, 16))
    b2 = tl.load(y + tl.arange(0, 1)[:, None] * 16 + tl.arange(0, 16)[None, :] * 1)
    w = v * b2
    tl.store(o + 0 + tl.arange(0, 1)[:, None] * 16 + tl.arange(0, 16)[None, :] * 1, w)


@triton.jit
def k114(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int8 + tl.arange(0, 16) * 1)
    v = tl.view(a, (4, 4))
    tl.store(o + 0 + tl.arange(0, 4)[:, None] * 4 + tl.arange(0, 4)[None, :] * 1, tl.cumsum(v, axis=1))


@triton.jit
def k115(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 4)[:, None] * 4 + tl.arange(0, 4)[None, :] * 1) * 3 + 1
    v = tl.reshape(a, [16, 1], can_reorder=True)
    tl.store(o + 0 + tl.arange(0, 1) * 1, tl.max(v, axis=0))


@triton.jit
def k117(x_int8, x_int16, x_int32, x_int64, y, o):
    a = (tl.arange(0, 2)[:, None, None] * 8 + tl.arange(0, 4)[None, :, None] * 2 + tl.arange(0, 2)[None, None, :] * 1) * 2654435 % 10007
    v = tl.view(a, (4, 1, 4))
    tl.store(o + 0 + tl.arange(0, 4)[:, None, None] * 1 + tl.arange(0, 1)[None, :, None] * 16 + tl.arange(0, 4)[None, None, :] * 4, v * 5 + 2)


@triton.jit
def k118(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 4)[:, None, None] * 2 + tl.arange(0, 1)[None, :, None] * 2 + tl.arange(0, 2)[None, None, :] * 1)
    v = tl.view(a, (1, 4, 2))
    b2 = tl.load(y + tl.arange(0, 1)[:, None, None] * 8 + tl.arange(0, 4)[None, :, None] * 1 + tl.arange(0, 2)[None, None, :] * 4)
    w = v * b2
    tl.store(o + 0 + tl.arange(0, 1)[:, None] * 2 + tl.arange(0, 2)[None, :] * 1, tl.sum(w, axis=1))


@triton.jit
def k119(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int64 + tl.arange(0, 4)[:, None, None] * 8 + tl.arange(0, 8)[None, :, None] * 32 + tl.arange(0, 8)[None, None, :] * 1, mask=tl.arange(0, 4)[:, None, None] * 8 + tl.arange(0, 8)[None, :, None] * 32 + tl.arange(0, 8)[None, None, :] * 1 < 192, other=7)
    v = tl.view(a, (16, 1, 16))
    tl.store(o + 0 + tl.arange(0, 16)[:, None] * 1 + tl.arange(0, 1)[None, :] * 1, tl.argmax(v, axis=2))


@triton.jit
def k120(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 512) * 1, mask=tl.arange(0, 512) * 1 < 324, other=7) * 3 + 1
    v = tl.view(a, (4, 128))
    tl.store(o + 0 + tl.arange(0, 128) * 1, tl.min(v, axis=0))


@triton.jit
def k121(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int64 + tl.arange(0, 4)[:, None] * 4 + tl.arange(0, 4)[None, :] * 1, mask=tl.arange(0, 4)[:, None] * 4 + tl.arange(0, 4)[None, :] * 1 < 15, other=7)
    v = tl.view(a, (4, 1, 4))
    tl.store(o + 0 + tl.arange(0, 4)[:, None, None] * 4 + tl.arange(0, 1)[None, :, None] * 4 + tl.arange(0, 4)[None, None, :] * 1, tl.cumsum(v, axis=2))


@triton.jit
def k122(x_int8, x_int16, x_int32, x_int64, y, o):
    b = tl.load(x_int16 + tl.arange(0, 2)[:, None] * 16 + tl.arange(0, 16)[None, :] * 1)
    a = b - tl.expand_dims(tl.max(b, axis=0), 0)
    v = tl.reshape(a, [4, 8], can_reorder=True)
    tl.store(o + 0 + tl.arange(0, 4) * 1, tl.sum(v, axis=1))
    tl.store(o + 4 + tl.arange(0, 8) * 1, tl.max(v, axis=0))


@triton.jit
def k123(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 128) * 1, mask=tl.arange(0, 128) * 1 < 122, other=7)
    v = tl.view(a, (64, 2))
    tl.store(o + 0 + tl.arange(0, 64)[:, None] * 2 + tl.arange(0, 2)[None, :] * 1, v)


@triton.jit
def k124(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int16 + tl.arange(0, 8) * 1)
    v = tl.view(a, (2, 1, 4))
    tl.store(o + 0 + tl.arange(0, 2)[:, None] * 1 + tl.arange(0, 1)[None, :] * 1, tl.argmax(v, axis=2))


@triton.jit
def k125(x_int8, x_int16, x_int32, x_int64, y, o):
    b = tl.load(x_int16 + tl.arange(0, 64) * 1)
    a = b * 2
    v = tl.view(a, (4, 16))
    tl.atomic_add(o + tl.arange(0, 4)[:, None] * 16 + tl.arange(0, 16)[None, :] * 1, v.to(tl.int64))


@triton.jit
def k126(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 2)[:, None] * 4 + tl.arange(0, 4)[None, :] * 1)
    v = tl.view(a, (2, 4))
    tl.store(o + 0 + tl.arange(0, 2)[:, None] * 4 + tl.arange(0, 4)[None, :] * 1, v * 5 + 2)


@triton.jit
def k130(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int8 + tl.arange(0, 256) * 1)
    v = tl.view(a, (32, 8))
    tl.store(o + 0 + tl.arange(0, 32)[:, None] * 8 + tl.arange(0, 8)[None, :] * 1, tl.cumsum(v, axis=1))


@triton.jit
def k131(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 32)[:, None] * 2 + tl.arange(0, 2)[None, :] * 1) * tl.load(y + tl.arange(0, 32))[:, None]
    v = tl.view(a, (8, 8))
    b2 = tl.load(y + tl.arange(0, 8)[:, None] * 8 + tl.arange(0, 8)[None, :] * 1)
    w = v * b2
    tl.store(o + 0 + tl.arange(0, 8) * 1, tl.sum(w, axis=0))


@triton.jit
def k132(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int64 + tl.arange(0, 8)[:, None] * 1 + tl.arange(0, 1)[None, :] * 8, mask=tl.arange(0, 8)[:, None] * 1 + tl.arange(0, 1)[None, :] * 8 < 4, other=7)
    v = tl.view(a, (2, 4))
    b2 = tl.load(y + tl.arange(0, 2)[:, None] * 1 + tl.arange(0, 4)[None, :] * 2)
    w = v * b2
    tl.store(o + 0 + tl.arange(0, 4) * 1, tl.sum(w, axis=0))


@triton.jit
def k134(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 2)[:, None, None] * 4 + tl.arange(0, 4)[None, :, None] * 1 + tl.arange(0, 1)[None, None, :] * 1)
    v = tl.view(a, (2, 2, 2))
    tl.store(o + 0 + tl.arange(0, 2)[:, None] * 2 + tl.arange(0, 2)[None, :] * 1, tl.sum(v, axis=1))
    tl.store(o + 4 + tl.arange(0, 2)[:, None, None] * 4 + tl.arange(0, 2)[None, :, None] * 2 + tl.arange(0, 2)[None, None, :] * 1, v)


@triton.jit
def k138(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int64 + tl.arange(0, 16) * 1, mask=tl.arange(0, 16) * 1 < 13, other=7) + tl.load(y + tl.arange(0, 16) * 1)
    v = tl.view(a, (1, 16))
    tl.store(o + 0 + tl.arange(0, 1)[:, None] * 16 + tl.arange(0, 16)[None, :] * 1, tl.cumsum(v, axis=0))


@triton.jit
def k139(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int8 + tl.arange(0, 128) * 1) + tl.load(y + tl.arange(0, 128) * 1)
    v = tl.view(a, (4, 32))
    w = v * 5
    tl.store(o + 0 + tl.arange(0, 4) * 1, tl.sum(w, axis=1))
    tl.store(o + 4 + tl.arange(0, 32) * 1, tl.sum(v, axis=0))


@triton.jit
def k140(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int16 + tl.arange(0, 2)[:, None, None] * 8 + tl.arange(0, 1)[None, :, None] * 8 + tl.arange(0, 8)[None, None, :] * 1, mask=tl.arange(0, 2)[:, None, None] * 8 + tl.arange(0, 1)[None, :, None] * 8 + tl.arange(0, 8)[None, None, :] * 1 < 12, other=7)
    v = tl.reshape(a, [4, 4, 1], can_reorder=True)
    w = v * 5
    tl.store(o + 0 + tl.arange(0, 4)[:, None] * 1 + tl.arange(0, 1)[None, :] * 1, tl.sum(w, axis=1))


@triton.jit
def k142(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int16 + tl.arange(0, 2)[:, None, None] * 32 + tl.arange(0, 4)[None, :, None] * 8 + tl.arange(0, 8)[None, None, :] * 1) + tl.load(y + tl.arange(0, 2)[:, None, None] * 4 + tl.arange(0, 4)[None, :, None] * 1 + tl.arange(0, 8)[None, None, :] * 8)
    v = tl.view(a, (1, 2, 32))
    tl.store(o + 0 + tl.arange(0, 2)[:, None] * 32 + tl.arange(0, 32)[None, :] * 1, tl.sum(v, axis=0))
    tl.store(o + 64 + tl.arange(0, 2)[:, None] * 32 + tl.arange(0, 32)[None, :] * 1, tl.max(v, axis=0))


@triton.jit
def k143(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 256) * 1)
    v = tl.view(a, (2, 128))
    w = v * 5
    tl.store(o + 0 + tl.arange(0, 2) * 1, tl.sum(w, axis=1))
    tl.store(o + 2 + tl.arange(0, 128) * 1, tl.sum(v, axis=0))


@triton.jit
def k144(x_int8, x_int16, x_int32, x_int64, y, o):
    acc = tl.zeros([2, 8], tl.int64)
    for k in range(3):
        a = tl.load(x_int16 + tl.arange(0, 16)[:, None, None] * 1 + tl.arange(0, 1)[None, :, None] * 16 + tl.arange(0, 1)[None, None, :] * 1) + tl.load(y + tl.arange(0, 16)[:, None, None] * 1 + tl.arange(0, 1)[None, :, None] * 16 + tl.arange(0, 1)[None, None, :] * 16)
        v = tl.view(a, (1, 2, 8))
        acc += tl.sum(v, axis=0) * (k + 1)
    tl.store(o + 0 + tl.arange(0, 2)[:, None] * 8 + tl.arange(0, 8)[None, :] * 1, acc)


@triton.jit
def k145(x_int8, x_int16, x_int32, x_int64, y, o):
    a = (tl.arange(0, 8)[:, None] * 4 + tl.arange(0, 4)[None, :] * 1) * 2654435 % 10007
    v = tl.view(a, (16, 2, 1))
    tl.store(o + 0 + tl.arange(0, 16)[:, None, None] * 2 + tl.arange(0, 2)[None, :, None] * 1 + tl.arange(0, 1)[None, None, :] * 1, tl.cumsum(v, axis=2))


@triton.jit
def k146(x_int8, x_int16, x_int32, x_int64, y, o):
    a = (tl.arange(0, 8) * 1) * 2654435 % 10007
    v = tl.reshape(a, [1, 8], can_reorder=True)
    tl.store(o + 0 + tl.arange(0, 1)[:, None] * 8 + tl.arange(0, 8)[None, :] * 1, v)


@triton.jit
def k148(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 16)[:, None, None] * 1 + tl.arange(0, 4)[None, :, None] * 256 + tl.arange(0, 16)[None, None, :] * 16) + tl.load(y + tl.arange(0, 16)[:, None, None] * 1 + tl.arange(0, 4)[None, :, None] * 256 + tl.arange(0, 16)[None, None, :] * 16)
    v = tl.view(a, (32, 4, 8))
    w = v * 5
    tl.store(o + 0 + tl.arange(0, 32)[:, None] * 8 + tl.arange(0, 8)[None, :] * 1, tl.sum(w, axis=1))


@triton.jit
def k149(x_int8, x_int16, x_int32, x_int64, y, o):
    b = tl.load(x_int32 + tl.arange(0, 2)[:, None] * 1 + tl.arange(0, 128)[None, :] * 2)
    a = b - tl.expand_dims(tl.max(b, axis=0), 0)
    v = tl.view(a, (8, 1, 32))
    tl.store(o + 0 + tl.arange(0, 8)[:, None, None] * 32 + tl.arange(0, 1)[None, :, None] * 32 + tl.arange(0, 32)[None, None, :] * 1, v)


@triton.jit
def k151(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 2)[:, None, None] * 128 + tl.arange(0, 64)[None, :, None] * 2 + tl.arange(0, 2)[None, None, :] * 1) * tl.load(y + tl.arange(0, 2))[:, None, None]
    v = tl.reshape(a, [4, 4, 16], can_reorder=True)
    w = v - tl.expand_dims(tl.max(v, axis=0), 0)
    tl.store(o + 0 + tl.arange(0, 4)[:, None, None] * 64 + tl.arange(0, 4)[None, :, None] * 16 + tl.arange(0, 16)[None, None, :] * 1, w)


@triton.jit
def k153(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int16 + tl.arange(0, 32) * 1, mask=tl.arange(0, 32) * 1 < 31, other=7)
    v = tl.reshape(a, [4, 8], can_reorder=True)
    w = v - tl.expand_dims(tl.max(v, axis=0), 0)
    tl.store(o + 0 + tl.arange(0, 4)[:, None] * 8 + tl.arange(0, 8)[None, :] * 1, w)


@triton.jit
def k154(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int64 + tl.arange(0, 64) * 1)
    v = tl.view(a, (8, 4, 2))
    w = v * 5
    tl.store(o + 0 + tl.arange(0, 8)[:, None] * 4 + tl.arange(0, 4)[None, :] * 1, tl.sum(w, axis=2))
    tl.store(o + 32 + tl.arange(0, 4)[:, None] * 2 + tl.arange(0, 2)[None, :] * 1, tl.sum(v, axis=0))


@triton.jit
def k155(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int8 + tl.arange(0, 2)[:, None, None] * 1 + tl.arange(0, 1)[None, :, None] * 32 + tl.arange(0, 16)[None, None, :] * 2)
    v = tl.view(a, (32, 1))
    tl.store(o + 0 + tl.arange(0, 1) * 1, tl.sum(v, axis=0))
    tl.store(o + 1 + tl.arange(0, 1) * 1, tl.max(v, axis=0))


@triton.jit
def k156(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 8)[:, None] * 8 + tl.arange(0, 8)[None, :] * 1, mask=tl.arange(0, 8)[:, None] * 8 + tl.arange(0, 8)[None, :] * 1 < 48, other=7)
    v = tl.reshape(a, [16, 4, 1], can_reorder=True)
    w = v * 5
    tl.store(o + 0 + tl.arange(0, 16)[:, None] * 4 + tl.arange(0, 4)[None, :] * 1, tl.sum(w, axis=2))


@triton.jit
def k157(x_int8, x_int16, x_int32, x_int64, y, o):
    b = tl.load(x_int32 + tl.arange(0, 4)[:, None, None] * 1 + tl.arange(0, 1)[None, :, None] * 64 + tl.arange(0, 16)[None, None, :] * 4, mask=tl.arange(0, 4)[:, None, None] * 1 + tl.arange(0, 1)[None, :, None] * 64 + tl.arange(0, 16)[None, None, :] * 4 < 63, other=7)
    a = b - tl.expand_dims(tl.max(b, axis=1), 1)
    v = tl.reshape(a, [32, 2], can_reorder=True)
    tl.store(o + 0 + tl.arange(0, 32)[:, None] * 2 + tl.arange(0, 2)[None, :] * 1, tl.cumsum(v, axis=1))


@triton.jit
def k158(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 2)[:, None, None] * 4 + tl.arange(0, 1)[None, :, None] * 4 + tl.arange(0, 4)[None, None, :] * 1)
    v = tl.view(a, (2, 4, 1))
    tl.store(o + 0 + tl.arange(0, 4)[:, None] * 1 + tl.arange(0, 1)[None, :] * 1, tl.min(v, axis=0))


@triton.jit
def k159(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int8 + tl.arange(0, 2)[:, None] * 64 + tl.arange(0, 64)[None, :] * 1, mask=tl.arange(0, 2)[:, None] * 64 + tl.arange(0, 64)[None, :] * 1 < 103, other=7) + tl.load(y + tl.arange(0, 2)[:, None] * 64 + tl.arange(0, 64)[None, :] * 1)
    v = tl.view(a, (64, 2))
    tl.store(o + 0 + tl.arange(0, 64) * 1, tl.max(v, axis=1))


@triton.jit
def k160(x_int8, x_int16, x_int32, x_int64, y, o):
    a = (tl.arange(0, 16)[:, None] * 2 + tl.arange(0, 2)[None, :] * 1) * 2654435 % 10007
    v = tl.reshape(a, [16, 1, 2], can_reorder=True)
    w = v * 5
    tl.store(o + 0 + tl.arange(0, 16)[:, None] * 2 + tl.arange(0, 2)[None, :] * 1, tl.sum(w, axis=1))
    tl.store(o + 32 + tl.arange(0, 16)[:, None] * 2 + tl.arange(0, 2)[None, :] * 1, tl.sum(v, axis=1))


@triton.jit
def k161(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int16 + tl.arange(0, 1)[:, None] * 8 + tl.arange(0, 8)[None, :] * 1) * 3 + 1
    v = tl.view(a, (2, 4))
    tl.store(o + 0 + tl.arange(0, 2)[:, None] * 4 + tl.arange(0, 4)[None, :] * 1, v * 5 + 2)


@triton.jit
def k162(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int16 + tl.arange(0, 8)[:, None] * 1 + tl.arange(0, 1)[None, :] * 1, mask=tl.arange(0, 8)[:, None] * 1 + tl.arange(0, 1)[None, :] * 1 < 6, other=7) + tl.load(y + tl.arange(0, 8)[:, None] * 1 + tl.arange(0, 1)[None, :] * 8)
    v = tl.view(a, (4, 1, 2))
    tl.store(o + 0 + tl.arange(0, 4)[:, None, None] * 2 + tl.arange(0, 1)[None, :, None] * 2 + tl.arange(0, 2)[None, None, :] * 1, v)


@triton.jit
def k164(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int8 + tl.arange(0, 128) * 1)
    v = tl.view(a, (32, 4))
    w = v * 5
    tl.store(o + 0 + tl.arange(0, 4) * 1, tl.sum(w, axis=0))


@triton.jit
def k167(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int64 + tl.arange(0, 4)[:, None, None] * 16 + tl.arange(0, 16)[None, :, None] * 1 + tl.arange(0, 2)[None, None, :] * 64, mask=tl.arange(0, 4)[:, None, None] * 16 + tl.arange(0, 16)[None, :, None] * 1 + tl.arange(0, 2)[None, None, :] * 64 < 77, other=7) * tl.load(y + tl.arange(0, 4))[:, None, None]
    v = tl.view(a, (4, 2, 16))
    tl.store(o + 0 + tl.arange(0, 4)[:, None, None] * 32 + tl.arange(0, 2)[None, :, None] * 1 + tl.arange(0, 16)[None, None, :] * 2, v * 5 + 2)


@triton.jit
def k168(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int8 + tl.arange(0, 64) * 1) + tl.load(y + tl.arange(0, 64) * 1)
    v = tl.view(a, (4, 16))
    tl.store(o + 0 + tl.arange(0, 4)[:, None] * 16 + tl.arange(0, 16)[None, :] * 1, tl.cumsum(v, axis=1))


@triton.jit
def k171(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int8 + tl.arange(0, 8)[:, None] * 1 + tl.arange(0, 1)[None, :] * 1, mask=tl.arange(0, 8)[:, None] * 1 + tl.arange(0, 1)[None, :] * 1 < 5, other=7)
    v = tl.view(a, (4, 2))
    tl.atomic_add(o + tl.arange(0, 4)[:, None] * 1 + tl.arange(0, 2)[None, :] * 4, v.to(tl.int64))


@triton.jit
def k172(x_int8, x_int16, x_int32, x_int64, y, o):
    b = tl.load(x_int16 + tl.arange(0, 32) * 1)
    a = b * 2
    v = tl.reshape(a, [2, 16], can_reorder=True)
    tl.store(o + 0 + tl.arange(0, 16) * 1, tl.sum(v, axis=0))


@triton.jit
def k174(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int8 + tl.arange(0, 4)[:, None] * 1 + tl.arange(0, 32)[None, :] * 4, mask=tl.arange(0, 4)[:, None] * 1 + tl.arange(0, 32)[None, :] * 4 < 81, other=7)
    v = tl.view(a, (16, 2, 4))
    w = v * 5
    tl.store(o + 0 + tl.arange(0, 16)[:, None] * 4 + tl.arange(0, 4)[None, :] * 1, tl.sum(w, axis=1))


@triton.jit
def k175(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int8 + tl.arange(0, 1)[:, None, None] * 32 + tl.arange(0, 8)[None, :, None] * 4 + tl.arange(0, 4)[None, None, :] * 1, mask=tl.arange(0, 1)[:, None, None] * 32 + tl.arange(0, 8)[None, :, None] * 4 + tl.arange(0, 4)[None, None, :] * 1 < 27, other=7) + tl.load(y + tl.arange(0, 1)[:, None, None] * 32 + tl.arange(0, 8)[None, :, None] * 1 + tl.arange(0, 4)[None, None, :] * 8)
    v = tl.view(a, (2, 1, 16))
    tl.store(o + 0 + tl.arange(0, 2)[:, None, None] * 16 + tl.arange(0, 1)[None, :, None] * 16 + tl.arange(0, 16)[None, None, :] * 1, tl.cumsum(v, axis=0))


@triton.jit
def k176(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int16 + tl.arange(0, 128)[:, None, None] * 32 + tl.arange(0, 32)[None, :, None] * 1 + tl.arange(0, 1)[None, None, :] * 1) * tl.load(y + tl.arange(0, 128))[:, None, None]
    v = tl.view(a, (1024, 4))
    tl.store(o + 0 + tl.arange(0, 4) * 1, tl.sum(v, axis=0))


@triton.jit
def k177(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int16 + tl.arange(0, 256) * 1)
    v = tl.view(a, (2, 4, 32))
    tl.store(o + 0 + tl.arange(0, 2)[:, None] * 4 + tl.arange(0, 4)[None, :] * 1, tl.sum(v, axis=2))


@triton.jit
def k178(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int64 + tl.arange(0, 8) * 1)
    v = tl.view(a, (1, 2, 4))
    b2 = tl.load(y + tl.arange(0, 1)[:, None, None] * 8 + tl.arange(0, 2)[None, :, None] * 1 + tl.arange(0, 4)[None, None, :] * 2)
    w = v * b2
    tl.store(o + 0 + tl.arange(0, 1)[:, None, None] * 8 + tl.arange(0, 2)[None, :, None] * 4 + tl.arange(0, 4)[None, None, :] * 1, w)


@triton.jit
def k179(x_int8, x_int16, x_int32, x_int64, y, o):
    a = (tl.arange(0, 64) * 1) * 2654435 % 10007
    v = tl.view(a, (8, 2, 4))
    tl.store(o + 0 + tl.arange(0, 8)[:, None, None] * 8 + tl.arange(0, 2)[None, :, None] * 4 + tl.arange(0, 4)[None, None, :] * 1, tl.cumsum(v, axis=0))


@triton.jit
def k183(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 8)[:, None] * 1 + tl.arange(0, 16)[None, :] * 8) * 3 + 1
    v = tl.view(a, (8, 1, 16))
    tl.store(o + 0 + tl.arange(0, 8)[:, None, None] * 16 + tl.arange(0, 1)[None, :, None] * 16 + tl.arange(0, 16)[None, None, :] * 1, v)


@triton.jit
def k184(x_int8, x_int16, x_int32, x_int64, y, o):
    b = tl.load(x_int64 + tl.arange(0, 8) * 1)
    a = b * 2
    v = tl.view(a, (1, 8))
    tl.store(o + 0 + tl.arange(0, 8) * 1, tl.sum(v, axis=0))
    tl.store(o + 8 + tl.arange(0, 8) * 1, tl.max(v, axis=0))


@triton.jit
def k187(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int8 + tl.arange(0, 8)[:, None] * 128 + tl.arange(0, 128)[None, :] * 1)
    v = tl.reshape(a, [64, 16], can_reorder=True)
    w = v * 5
    tl.store(o + 0 + tl.arange(0, 16) * 1, tl.sum(w, axis=0))


@triton.jit
def k188(x_int8, x_int16, x_int32, x_int64, y, o):
    a = (tl.arange(0, 64) * 1) * 2654435 % 10007
    v = tl.view(a, (64, 1, 1))
    b2 = tl.load(y + tl.arange(0, 64)[:, None, None] * 1 + tl.arange(0, 1)[None, :, None] * 1 + tl.arange(0, 1)[None, None, :] * 1)
    w = v * b2
    tl.store(o + 0 + tl.arange(0, 64)[:, None, None] * 1 + tl.arange(0, 1)[None, :, None] * 1 + tl.arange(0, 1)[None, None, :] * 1, w)


@triton.jit
def k189(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int64 + tl.arange(0, 64)[:, None, None] * 8 + tl.arange(0, 8)[None, :, None] * 1 + tl.arange(0, 1)[None, None, :] * 1) * tl.load(y + tl.arange(0, 64))[:, None, None]
    v = tl.reshape(a, [64, 8], can_reorder=True)
    w = v * 5
    tl.store(o + 0 + tl.arange(0, 64) * 1, tl.sum(w, axis=1))


@triton.jit
def k190(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int64 + tl.arange(0, 32)[:, None] * 2 + tl.arange(0, 2)[None, :] * 1) * tl.load(y + tl.arange(0, 32))[:, None]
    v = tl.view(a, (2, 16, 2))
    w = v - tl.expand_dims(tl.max(v, axis=0), 0)
    tl.store(o + 0 + tl.arange(0, 2)[:, None, None] * 32 + tl.arange(0, 16)[None, :, None] * 2 + tl.arange(0, 2)[None, None, :] * 1, w)


@triton.jit
def k191(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 4)[:, None, None] * 8 + tl.arange(0, 1)[None, :, None] * 1 + tl.arange(0, 8)[None, None, :] * 1)
    v = tl.view(a, (1, 32))
    tl.atomic_add(o + tl.arange(0, 1)[:, None] * 1 + tl.arange(0, 32)[None, :] * 1, v.to(tl.int64))


@triton.jit
def k193(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 32) * 1)
    v = tl.view(a, (4, 8))
    tl.store(o + 0 + tl.arange(0, 4)[:, None] * 8 + tl.arange(0, 8)[None, :] * 1, tl.cumsum(v, axis=1))


@triton.jit
def k194(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 4)[:, None, None] * 32 + tl.arange(0, 4)[None, :, None] * 8 + tl.arange(0, 8)[None, None, :] * 1, mask=tl.arange(0, 4)[:, None, None] * 32 + tl.arange(0, 4)[None, :, None] * 8 + tl.arange(0, 8)[None, None, :] * 1 < 65, other=7)
    v = tl.view(a, (64, 2))
    w = v * 5
    tl.store(o + 0 + tl.arange(0, 2) * 1, tl.sum(w, axis=0))
    tl.store(o + 2 + tl.arange(0, 2) * 1, tl.sum(v, axis=0))


@triton.jit
def k195(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 16)[:, None, None] * 128 + tl.arange(0, 32)[None, :, None] * 4 + tl.arange(0, 4)[None, None, :] * 1) * 3 + 1
    v = tl.view(a, (8, 4, 64))
    w = v - tl.expand_dims(tl.max(v, axis=1), 1)
    tl.store(o + 0 + tl.arange(0, 8)[:, None] * 4 + tl.arange(0, 4)[None, :] * 1, tl.sum(w, axis=2))


@triton.jit
def k196(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 128) * 1, mask=tl.arange(0, 128) * 1 < 108, other=7)
    v = tl.reshape(a, [32, 4], can_reorder=True)
    tl.store(o + 0 + tl.arange(0, 32) * 1, tl.sum(v, axis=1))
    tl.store(o + 32 + tl.arange(0, 32)[:, None] * 4 + tl.arange(0, 4)[None, :] * 1, v)


@triton.jit
def k197(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 1)[:, None, None] * 512 + tl.arange(0, 8)[None, :, None] * 64 + tl.arange(0, 64)[None, None, :] * 1, mask=tl.arange(0, 1)[:, None, None] * 512 + tl.arange(0, 8)[None, :, None] * 64 + tl.arange(0, 64)[None, None, :] * 1 < 276, other=7) + tl.load(y + tl.arange(0, 1)[:, None, None] * 64 + tl.arange(0, 8)[None, :, None] * 64 + tl.arange(0, 64)[None, None, :] * 1)
    v = tl.view(a, (64, 8, 1))
    tl.store(o + 0 + tl.arange(0, 8)[:, None] * 1 + tl.arange(0, 1)[None, :] * 1, tl.min(v, axis=0))


@triton.jit
def k198(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int32 + tl.arange(0, 64)[:, None] * 2 + tl.arange(0, 2)[None, :] * 1) * tl.load(y + tl.arange(0, 64))[:, None]
    v = tl.view(a, (2, 64))
    tl.store(o + 0 + tl.arange(0, 64) * 1, tl.sum(v, axis=0))
    tl.store(o + 64 + tl.arange(0, 2) * 1, tl.max(v, axis=1))


@triton.jit
def k199(x_int8, x_int16, x_int32, x_int64, y, o):
    a = tl.load(x_int8 + tl.arange(0, 1)[:, None, None] * 1 + tl.arange(0, 16)[None, :, None] * 1 + tl.arange(0, 16)[None, None, :] * 16)
    v = tl.view(a, (2, 4, 32))
    tl.store(o + 0 + tl.arange(0, 2)[:, None] * 32 + tl.arange(0, 32)[None, :] * 1, tl.max(v, axis=1))
