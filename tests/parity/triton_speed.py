"""The same kernel files under real Triton (and torch), as `gpu_parity --only speed` times them: its sizes, numbers of the same
kind (power, and so the clock, depends on them), the driver's own launches in bursts of five. Needs a GPU with Python, torch and
Triton; run it from the root of the source tree: python3 tests/parity/triton_speed.py"""
import ctypes
import importlib.util
import statistics
import sys

import torch
import triton

DRIVER = ctypes.CDLL("libcuda.so.1")


def load(folder):
    spec = importlib.util.spec_from_file_location(folder, f"lessons/kernels/{folder}/kernel.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[folder] = module
    spec.loader.exec_module(module)
    return module


def median(fn):
    """Milliseconds of one launch: the median of ten bursts of five, after two."""
    times = []
    for _ in range(12):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(5):
            fn()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) / 5)
    return statistics.median(times[2:])


def launcher(kernel, grid, *args, **options):
    """Launches what Triton compiled without Triton's own Python, which takes longer than a small kernel."""
    compiled = kernel[grid](*args, **options)
    values = [ctypes.c_uint64(a.data_ptr()) if torch.is_tensor(a) else ctypes.c_int32(a)
              for a in args if torch.is_tensor(a) or a != 1]  # a 1 is a constant of the code
    values += [ctypes.c_uint64(0)] * 2  # scratch memory that these kernels do not use
    pointers = (ctypes.c_void_p * len(values))(*[ctypes.addressof(v) for v in values])
    sizes = (*grid, 1, 1)[:3]
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)

    def launch():
        error = DRIVER.cuLaunchKernel(ctypes.c_void_p(compiled.function), *sizes, 32 * compiled.metadata.num_warps, 1, 1,
                                      compiled.metadata.shared, stream, pointers, None)
        assert error == 0, error

    launch.keep = values
    return launch


def numbers(*shape, dtype):
    """What gpu_parity fills its tensors with: halves of 0.5 to 1, of both signs; as floats about 1e-5."""
    halves = torch.randint(0, 1 << 16, (*shape, torch.empty(0, dtype=dtype).element_size() // 2), device="cuda", dtype=torch.int32)
    return (halves & 0x83FF | 0x3800).to(torch.int16).view(dtype).reshape(shape)


def show(name, ms, work, unit):
    print(f"{name:<44} {ms:9.4f} ms {work / ms * 1e3:8.2f} {unit}", flush=True)


add = load("vector_add").add_kernel
for n in (1 << 26, 1 << 28):
    x, y, o = (torch.rand(n, device="cuda") for _ in range(3))
    ms = median(launcher(add, (triton.cdiv(n, 1024),), x, y, o, n, BLOCK=1024))
    show(f"Triton vector add, {n} floats", ms, 12e-12 * n, "TB/s")
    del x, y, o
softmax = load("softmax").softmax_kernel
for rows, n, warps in ((65536, 1024, 4), (32768, 4096, 4), (32768, 4096, 8)):
    x = torch.randn(rows, n, device="cuda")
    o = torch.empty_like(x)
    ms = median(launcher(softmax, (rows,), x, o, n, BLOCK_SIZE=n, num_warps=warps))
    show(f"Triton softmax {rows} x {n}, {warps} warps", ms, 8e-12 * rows * n, "TB/s")
    show(f"torch softmax {rows} x {n}", median(lambda: torch.softmax(x, 1)), 8e-12 * rows * n, "TB/s")
matmul = load("matmul").matmul_kernel
for n in (1024, 2048, 4096):
    a, b = (numbers(n, n, dtype=torch.float16) for _ in range(2))
    c = torch.empty(n, n, device="cuda")
    ms = median(launcher(matmul, (triton.cdiv(n, 32), triton.cdiv(n, 32)), a, b, c, n, n, n, BLOCK_M=32, BLOCK_N=32, BLOCK_K=32))
    show(f"Triton matmul fp16 {n}, 32-tiles", ms, 2e-12 * n**3, "TFLOP/s")
grouped = load("grouped_matmul").grouped_matmul_kernel
torch.backends.cuda.matmul.allow_tf32 = True
for dtype, name, tiles in ((torch.float16, "fp16", ((128, 128, 64, 4), (128, 128, 64, 8), (128, 256, 64, 8))),
                           (torch.float32, "tf32", ((128, 128, 32, 8), (128, 128, 32, 4)))):
    for n in (1024, 2048, 4096, 8192):
        a, b = (numbers(n, n, dtype=dtype) for _ in range(2))
        c = torch.empty(n, n, device="cuda", dtype=dtype)
        for bm, bn, bk, warps in tiles:
            ms = median(launcher(grouped, (triton.cdiv(n, bm) * triton.cdiv(n, bn),), a, b, c, n, n, n, n, 1, n, 1, n, 1,
                                 BLOCK_M=bm, BLOCK_N=bn, BLOCK_K=bk, GROUP_M=8, num_warps=warps, num_stages=3))
            show(f"Triton matmul {name} {n}, {bm}x{bn}x{bk}, {warps} warps", ms, 2e-12 * n**3, "TFLOP/s")
        show(f"torch matmul {name} {n}", median(lambda: torch.matmul(a, b)), 2e-12 * n**3, "TFLOP/s")
