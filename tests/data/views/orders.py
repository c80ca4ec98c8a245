import triton
import triton.language as tl


@triton.jit
def rows(x_int8, x_int16, x_int32, x_int64, y, o):
    x = tl.load(x_int32 + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :])
    tl.store(o + tl.arange(0, 32), tl.sum(tl.view(x, (32, 8)), axis=1))


@triton.jit
def plain(x_int8, x_int16, x_int32, x_int64, y, o):
    x = tl.load(x_int32 + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :])
    tl.store(o + tl.arange(0, 32), tl.sum(tl.reshape(x, (32, 8)), axis=1))


@triton.jit
def stored(x_int8, x_int16, x_int32, x_int64, y, o):
    x = tl.load(x_int32 + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :])
    v = tl.view(x, (32, 8))
    tl.store(o + tl.arange(0, 32)[:, None] * 8 + tl.arange(0, 8)[None, :], v)


@triton.jit
def softmax(x_int8, x_int16, x_int32, x_int64, y, o):
    x = tl.load(x_int32 + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :])
    v = tl.view(x, (32, 8))
    v = v - tl.max(v, axis=1)[:, None]
    tl.store(o + tl.arange(0, 32)[:, None] * 8 + tl.arange(0, 8)[None, :], v)


@triton.jit
def both(x_int8, x_int16, x_int32, x_int64, y, o):
    x = tl.load(x_int32 + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :])
    v = tl.view(x, (32, 8))
    tl.store(o + tl.arange(0, 32), tl.sum(v, axis=1))
    tl.store(o + 32 + tl.arange(0, 32)[:, None] * 8 + tl.arange(0, 8)[None, :], v)


@triton.jit
def two_axes(x_int8, x_int16, x_int32, x_int64, y, o):
    x = tl.load(x_int32 + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :])
    v = tl.view(x, (32, 8))
    tl.store(o + tl.arange(0, 32), tl.sum(v, axis=1))
    tl.store(o + 32 + tl.arange(0, 8), tl.sum(v, axis=0))


@triton.jit
def two_equal(x_int8, x_int16, x_int32, x_int64, y, o):
    x = tl.load(x_int32 + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :])
    tl.store(o + tl.arange(0, 32), tl.sum(tl.view(x, (32, 8)), axis=1))
    tl.store(o + 32 + tl.arange(0, 8), tl.sum(tl.view(x, (32, 8)), axis=0))


@triton.jit
def dead_use(x_int8, x_int16, x_int32, x_int64, y, o):
    x = tl.load(x_int32 + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :])
    v = tl.view(x, (32, 8))
    unused = tl.sum(v, axis=0) + 1
    tl.store(o + tl.arange(0, 32), tl.sum(v, axis=1))


@triton.jit
def chain(x_int8, x_int16, x_int32, x_int64, y, o):
    x = tl.load(x_int32 + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :])
    tl.store(o + tl.arange(0, 32), tl.sum(tl.reshape(tl.view(x, (256,)), (32, 8)), axis=1))


@triton.jit
def folded(x_int8, x_int16, x_int32, x_int64, y, o):
    x = tl.load(x_int32 + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :])
    tl.store(o + tl.arange(0, 32), tl.sum(tl.view(x, (32, 8)) * 1, axis=1))
