# args: x=*f32
import torch
import triton
import triton.language as tl

DEVICE = torch.device("cuda")


@triton.jit
def kernel(x):
    tl.store(x, DEVICE)  # error 17: the global `DEVICE` has no value that a kernel can use: `torch.
