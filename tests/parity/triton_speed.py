"""The same kernel files under real Triton (and torch), at the sizes of `gpu_parity --only speed`. Needs a GPU with
Python, torch and Triton; run it from the root of the source tree: python3 tests/parity/triton_speed.py"""
import importlib.util
import sys

import torch
import triton
from triton.testing import do_bench


def load(folder):
    spec = importlib.util.spec_from_file_location(folder, f"lessons/kernels/{folder}/kernel.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[folder] = module
    spec.loader.exec_module(module)
    return module


def median(fn):
    return do_bench(fn, warmup=50, rep=200, return_mode="median")


def show(name, ms, work, unit):
    print(f"{name:<44} {ms:9.4f} ms {work / ms * 1e3:8.2f} {unit}", flush=True)


add = load("vector_add").add_kernel
for n in (1 << 26, 1 << 28):
    x, y, o = (torch.rand(n, device="cuda") for _ in range(3))
    show(f"Triton vector add, {n} floats", median(lambda: add[(triton.cdiv(n, 1024),)](x, y, o, n, BLOCK=1024)), 12e-12 * n, "TB/s")
    del x, y, o
softmax = load("softmax").softmax_kernel
for rows, n, warps in ((65536, 1024, 4), (32768, 4096, 4), (32768, 4096, 8)):
    x = torch.randn(rows, n, device="cuda")
    o = torch.empty_like(x)
    show(f"Triton softmax {rows} x {n}, {warps} warps", median(lambda: softmax[(rows,)](x, o, n, BLOCK_SIZE=n, num_warps=warps)), 8e-12 * rows * n, "TB/s")
    show(f"torch softmax {rows} x {n}", median(lambda: torch.softmax(x, 1)), 8e-12 * rows * n, "TB/s")
matmul = load("matmul").matmul_kernel
for n in (1024, 2048, 4096):
    a, b = (torch.randn(n, n, device="cuda", dtype=torch.float16) for _ in range(2))
    c = torch.empty(n, n, device="cuda")
    grid = (triton.cdiv(n, 32), triton.cdiv(n, 32))
    show(f"Triton matmul fp16 {n}, 32-tiles", median(lambda: matmul[grid](a, b, c, n, n, n, BLOCK_M=32, BLOCK_N=32, BLOCK_K=32)), 2e-12 * n**3, "TFLOP/s")
grouped = load("grouped_matmul").grouped_matmul_kernel
for dtype in (torch.float16, torch.float32):
    torch.backends.cuda.matmul.allow_tf32 = True
    for n in (1024, 2048, 4096, 8192):
        a, b = (torch.randn(n, n, device="cuda", dtype=dtype) for _ in range(2))
        c = torch.empty(n, n, device="cuda", dtype=dtype)
        name = "fp16" if dtype == torch.float16 else "tf32"
        for bm, bn, bk, warps, stages in ((128, 128, 64, 4, 3), (128, 128, 64, 8, 3), (128, 256, 64, 8, 3)) if dtype == torch.float16 else ((128, 128, 32, 8, 3), (128, 128, 32, 4, 3)):
            grid = (triton.cdiv(n, bm) * triton.cdiv(n, bn),)
            run = lambda: grouped[grid](a, b, c, n, n, n, n, 1, n, 1, n, 1, BLOCK_M=bm, BLOCK_N=bn, BLOCK_K=bk, GROUP_M=8, num_warps=warps, num_stages=stages)
            show(f"Triton matmul {name} {n}, {bm}x{bn}x{bk}, {warps} warps", median(run), 2e-12 * n**3, "TFLOP/s")
        show(f"torch matmul {name} {n}", median(lambda: torch.matmul(a, b)), 2e-12 * n**3, "TFLOP/s")
