"""How far real Triton agrees with the simulator: the kernel files of the parity suite's launch files, on the same inputs.

gpu_parity writes each case's tensors, before and after its run on the simulator, and calls this with their folder. Needs a
GPU with Python, torch and Triton. A result counts as within tolerance by the launch file's own rtol and atol."""
import importlib.util
import json
import pathlib
import sys
import warnings

import numpy
import torch
import triton

warnings.filterwarnings("ignore", category=UserWarning)  # what Triton finds old-fashioned in a kernel

DTYPES = {"bool": torch.bool, "int1": torch.bool, "int8": torch.int8, "int16": torch.int16, "int32": torch.int32,
          "int64": torch.int64, "uint8": torch.uint8, "uint16": torch.uint16, "uint32": torch.uint32, "uint64": torch.uint64,
          "float8e4nv": torch.float8_e4m3fn, "float8e5": torch.float8_e5m2, "float16": torch.float16,
          "bfloat16": torch.bfloat16, "float32": torch.float32, "float64": torch.float64}


def load_kernel(path, name):
    spec = importlib.util.spec_from_file_location("kernel_" + str(abs(hash(str(path)))), path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return getattr(module, name)


def tensor_of(bytes_, dtype):
    return torch.frombuffer(bytearray(bytes_), dtype=torch.uint8).view(DTYPES[dtype])


def descriptor_of(tensor, block, launch_arguments):
    """A launch file's block: numbers, or names of integer arguments."""
    from triton.tools.tensor_descriptor import TensorDescriptor
    return TensorDescriptor.from_tensor(tensor, [launch_arguments[e] if isinstance(e, str) else e for e in block])


def different(mine, real, dtype):
    """Elements whose bytes differ; all NaNs are one."""
    size = mine.element_size()
    bytes_differ = (mine.view(torch.uint8) != real.view(torch.uint8)).view(-1, size).any(1)
    if mine.dtype.is_floating_point:
        bytes_differ &= ~(mine.to(torch.float64).isnan() & real.to(torch.float64).isnan())
    return bytes_differ


def run_case(folder):
    """'equal', 'within' or 'differing', and a word about the worst tensor."""
    case = json.loads((folder / "case.json").read_text())
    launch_path = pathlib.Path(case["launch"])
    launch = json.loads(launch_path.read_text())
    kernel = load_kernel(launch_path.parent / launch.get("file", "kernel.py"), launch["kernel"])
    memory, arguments = {}, {}
    for t in case["tensors"]:
        memory[t["name"]] = tensor_of((folder / t["before"]).read_bytes(), t["dtype"]).cuda()
    for name, value in launch["args"].items():
        arguments[name] = value
    for t in case["tensors"]:
        view = torch.as_strided(memory[t["name"]], t["shape"], t["strides"], t["origin"])
        block = launch["args"][t["name"]].get("descriptor")
        arguments[t["name"]] = view if block is None else descriptor_of(view, block, launch["args"])
    kernel[tuple(case["grid"])](**arguments, num_warps=case["num_warps"], num_stages=case["num_stages"])
    torch.cuda.synchronize()
    verdict, word = "equal", ""
    for t in case["tensors"]:
        mine = tensor_of((folder / t["after"]).read_bytes(), t["dtype"])
        real = memory[t["name"]].cpu()
        wrong = different(mine, real, t["dtype"])
        if not wrong.any():
            continue
        spec = (launch.get("outputs") or {}).get(t["name"], {})
        rtol, atol = (0, 0) if spec.get("exact") else (spec.get("rtol", 0), spec.get("atol", 0))
        a, b = (x.to(torch.float64).numpy()[wrong.numpy()] for x in (mine, real))
        within = bool(numpy.all(numpy.abs(a - b) <= atol + rtol * numpy.abs(a)))
        if within and verdict == "equal":
            verdict = "within"
        if not within:
            verdict, word = "differing", f"{t['name']}: {int(wrong.sum())} of {wrong.numel()} elements"
    return ("by order" if verdict == "differing" and case["by_order"] else verdict), word


def main():
    found = {"equal": [], "within": [], "differing": [], "by order": [], "not run": []}
    for folder in sorted(pathlib.Path(sys.argv[1]).iterdir()):
        name = folder.name
        try:
            verdict, word = run_case(folder)
        except Exception as e:  # a kernel that this Triton refuses, or a type that this torch has not
            verdict, word = "not run", (str(e).strip().splitlines() or [type(e).__name__])[0][:100]
        found[verdict].append(name + (f" ({word})" if word else ""))
    print(f"{'real Triton ' + triton.__version__:<20} {'cases':>7} {'equal bytes':>12} {'within tolerance':>17} "
          f"{'differing':>10} {'by order':>9} {'not run':>8}")
    print(f"{'':<20} {sum(map(len, found.values())):>7} {len(found['equal']):>12} {len(found['within']):>17} "
          f"{len(found['differing']):>10} {len(found['by order']):>9} {len(found['not run']):>8}")
    for verdict in ("within", "differing", "not run"):
        for name in found[verdict]:
            print(f"  {verdict}: {name}")


main()
