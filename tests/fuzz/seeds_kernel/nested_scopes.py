from typing import NamedTuple
import triton, torch
import triton.language as tl
from .beside import *
class Pair(NamedTuple):
    a: tl.tensor
    b: tl.constexpr = 2
def make(n):
    WIDTH = tl.constexpr(torch.iinfo(torch.int8).max + 1)
    class Holder:
        @staticmethod
        @triton.jit
        def sum(first, *rest, scale=1):
            return first * scale + rest[-1]
    if n:
        @triton.jit
        def kernel(x):
            p = Pair(tl.load(x), b=3)
            tl.store(x + tl.arange(0, WIDTH), p.a + p.b)
    return kernel
