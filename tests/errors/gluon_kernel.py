# args: x=*f32
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit  # error 2: `kernel` is a Gluon kernel
def kernel(x):
    gl.store(x, 1.0)
