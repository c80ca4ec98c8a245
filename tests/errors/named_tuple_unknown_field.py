# args: x=*f32
from typing import NamedTuple

import triton
import triton.language as tl


class Pair(NamedTuple):
    first: tl.tensor
    second: tl.tensor


@triton.jit
def kernel(x):
    p = Pair(first=1.0, third=2.0)  # error 31: `Pair` has no field `third`
    tl.store(x, p.first)
