#!/usr/bin/env python3
"""Runs the kernels of Triton's tutorials 01 to 08 on the simulator and compares with values computed here.

usage: tests/public/check.py FOLDER [--tilescope build/tilescope] [--only NAME]
       tests/public/check.py --puzzles tests/puzzles      writes the launch files of the puzzles

FOLDER holds the tutorials as `tutorials/01-vector-add.py` ... `tutorials/08-grouped-gemm.py`: copy them from
python/tutorials of Triton's repository; they are no part of this project. A file that is missing counts as a failure.
Every expected value is computed below in plain Python, in double precision, from the same inputs.
"""
import argparse
import json
import math
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

FORMATS = {"float16": "e", "float32": "f"}
ALL = []


def rounded(values, dtype):
    if dtype not in FORMATS:
        return list(values)
    code = "<" + FORMATS[dtype]
    return [struct.unpack(code, struct.pack(code, v))[0] for v in values]


def tensor(shape, values, dtype="float32"):
    flat = list(values)
    if len(flat) == 1 and math.prod(shape) > 1:
        return {"tensor": dtype, "shape": list(shape), "init": {"full": flat[0]}}
    return {"tensor": dtype, "shape": list(shape), "init": {"values": rounded(flat, dtype)}}


def normal(seed, *shape, dtype="float32", scale=1.0):
    rng = random.Random(seed)
    return rounded([rng.gauss(0, scale) for _ in range(math.prod(shape))], dtype)


def out(*shape, dtype="float32"):
    return {"tensor": dtype, "shape": list(shape), "init": "empty"}


def launch(name, file, kernel, grid, args, expected, tolerance=1e-5, **more):
    """`expected`: values by the name of the output."""
    outputs = {k: {"values": v, "rtol": tolerance, "atol": tolerance} for k, v in expected.items()}
    ALL.append((name, {"file": file, "kernel": kernel, "grid": grid, "args": args, "outputs": outputs, **more}))


def matmul(a, b, m, k, n):
    return [sum(a[i * k + x] * b[x * n + j] for x in range(k)) for i in range(m) for j in range(n)]


def softmax(row):
    top = max(row)
    e = [math.exp(v - top) for v in row]
    return [v / sum(e) for v in e]


# ---- the tutorials ----------------------------------------------------------------------------------------------------


def philox_uniform(seed, offset):
    """tl.rand: ten rounds of Philox 4x32 with the seed as key and the offset as counter, then the top bits in [0, 1)."""
    mask = 0xFFFFFFFF
    c, k0, k1 = [offset & mask, 0, 0, 0], seed & mask, (seed >> 32) & mask
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(b >> 32) ^ c[1] ^ k0, b & mask, (a >> 32) ^ c[3] ^ k1, a & mask]
        k0, k1 = (k0 + 0x9E3779B9) & mask, (k1 + 0xBB67AE85) & mask
    x = c[0] - (1 << 32) if c[0] >= 1 << 31 else c[0]
    return (-x - 1 if x < 0 else x) * 4.6566127342e-10


def simple_tutorials():
    n = 300
    x, y = normal(1, n), normal(2, n)
    launch("tutorial_01", "tutorials/01-vector-add.py", "add_kernel", ["cdiv(n_elements, BLOCK_SIZE)"],
           {"x_ptr": tensor([n], x), "y_ptr": tensor([n], y), "output_ptr": out(n), "n_elements": n, "BLOCK_SIZE": 128},
           {"output_ptr": [a + b for a, b in zip(x, y)]})
    rows, columns = 7, 50
    x = normal(3, rows, columns)
    launch("tutorial_02", "tutorials/02-fused-softmax.py", "softmax_kernel", [3],
           {"output_ptr": out(rows, columns), "input_ptr": tensor([rows, columns], x), "input_row_stride": columns,
            "output_row_stride": columns, "n_rows": rows, "n_cols": columns, "BLOCK_SIZE": 64, "num_stages": 2},
           {"output_ptr": sum((softmax(x[r * columns:(r + 1) * columns]) for r in range(rows)), [])})
    m, k, n = 40, 50, 36
    a, b = normal(4, m, k, dtype="float16"), normal(5, k, n, dtype="float16")
    product = [v if v >= 0 else 0.01 * v for v in matmul(a, b, m, k, n)]
    launch("tutorial_03", "tutorials/03-matrix-multiplication.py", "matmul_kernel",
           ["cdiv(M, BLOCK_SIZE_M) * cdiv(N, BLOCK_SIZE_N)"],
           {"a_ptr": tensor([m, k], a, "float16"), "b_ptr": tensor([k, n], b, "float16"),
            "c_ptr": out(m, n, dtype="float16"), "M": m, "N": n, "K": k, "stride_am": k, "stride_ak": 1, "stride_bk": n,
            "stride_bn": 1, "stride_cm": n, "stride_cn": 1, "BLOCK_SIZE_M": 16, "BLOCK_SIZE_N": 16, "BLOCK_SIZE_K": 16,
            "GROUP_SIZE_M": 2, "ACTIVATION": "leaky_relu"}, {"c_ptr": product}, 2e-2)
    n, p, seed = 200, 0.25, 123
    x = normal(6, n)
    keep = [random.Random(7 + i).randrange(2) for i in range(n)]
    launch("tutorial_04_mask", "tutorials/04-low-memory-dropout.py", "_dropout", ["cdiv(n_elements, BLOCK_SIZE)"],
           {"x_ptr": tensor([n], x), "x_keep_ptr": tensor([n], keep, "int32"), "output_ptr": out(n), "n_elements": n,
            "p": p, "BLOCK_SIZE": 64}, {"output_ptr": [v / (1 - p) if q else 0.0 for v, q in zip(x, keep)]})
    launch("tutorial_04_seed", "tutorials/04-low-memory-dropout.py", "_seeded_dropout", ["cdiv(n_elements, BLOCK_SIZE)"],
           {"x_ptr": tensor([n], x), "output_ptr": out(n), "n_elements": n, "p": p, "seed": seed, "BLOCK_SIZE": 64},
           {"output_ptr": [v / (1 - p) if philox_uniform(seed, i) > p else 0.0 for i, v in enumerate(x)]})
    x = [i / 100 - 1 for i in range(201)]
    launch("tutorial_07", "tutorials/07-extern-functions.py", "asin_kernel", ["cdiv(n_elements, BLOCK_SIZE)"],
           {"x_ptr": tensor([201], x), "y_ptr": out(201), "n_elements": 201, "BLOCK_SIZE": 128},
           {"y_ptr": [math.asin(max(-1, min(1, v))) for v in rounded(x, "float32")]})


def layer_norm():
    rows, n, eps, groups = 6, 40, 1e-5, 2
    x, w, b, dy = normal(8, rows, n), normal(9, n), normal(10, n), normal(11, rows, n)
    mean = [sum(x[r * n:(r + 1) * n]) / n for r in range(rows)]
    rstd = [1 / math.sqrt(sum((v - mean[r])**2 for v in x[r * n:(r + 1) * n]) / n + eps) for r in range(rows)]
    hat = [[(x[r * n + i] - mean[r]) * rstd[r] for i in range(n)] for r in range(rows)]
    file = "tutorials/05-layer-norm.py"
    launch("tutorial_05_forward", file, "_layer_norm_fwd_fused", [rows],
           {"X": tensor([rows, n], x), "Y": out(rows, n), "W": tensor([n], w), "B": tensor([n], b), "Mean": out(rows),
            "Rstd": out(rows), "stride": n, "N": n, "eps": eps, "BLOCK_SIZE": 16},
           {"Y": [hat[r][i] * w[i] + b[i] for r in range(rows) for i in range(n)], "Mean": mean, "Rstd": rstd}, 1e-4)
    dx, dw, db = [], [[0.0] * n for _ in range(groups)], [[0.0] * n for _ in range(groups)]
    for r in range(rows):
        g = [w[i] * dy[r * n + i] for i in range(n)]
        c1, c2 = sum(h * v for h, v in zip(hat[r], g)) / n, sum(g) / n
        dx += [(v - (h * c1 + c2)) * rstd[r] for h, v in zip(hat[r], g)]
        for i in range(n):
            dw[r % groups][i] += dy[r * n + i] * hat[r][i]
            db[r % groups][i] += dy[r * n + i]
    flat = lambda rows_: sum(rows_, [])
    launch("tutorial_05_backward", file, "_layer_norm_bwd_dx_fused", [rows],
           {"DX": out(rows, n), "DY": tensor([rows, n], dy), "DW": out(groups, n), "DB": out(groups, n),
            "X": tensor([rows, n], x), "W": tensor([n], w), "Mean": tensor([rows], mean), "Rstd": tensor([rows], rstd),
            "Lock": tensor([2 * groups], [0], "int32"), "stride": n, "N": n, "GROUP_SIZE_M": groups, "BLOCK_SIZE_N": 64},
           {"DX": dx, "DW": flat(dw), "DB": flat(db)}, 1e-4)
    launch("tutorial_05_gradients", file, "_layer_norm_bwd_dwdb", ["cdiv(N, BLOCK_SIZE_N)"],
           {"DW": tensor([groups, n], flat(dw)), "DB": tensor([groups, n], flat(db)), "FINAL_DW": out(n),
            "FINAL_DB": out(n), "M": groups, "N": n, "BLOCK_SIZE_M": 4, "BLOCK_SIZE_N": 32},
           {"FINAL_DW": [sum(c) for c in zip(*dw)], "FINAL_DB": [sum(c) for c in zip(*db)]}, 1e-4)


def attention(causal):
    heads, n, d, scale = 2, 64, 16, 0.5
    rows = heads * n
    q, k, v, do = (normal(s, rows, d, dtype="float16", scale=0.5) for s in (12, 13, 14, 15))
    at = lambda t, r: t[r * d:(r + 1) * d]
    dot = lambda a, b: sum(x * y for x, y in zip(a, b))
    o, m, delta = [], [], []
    dq, dk, dv = ([[0.0] * d for _ in range(rows)] for _ in range(3))
    for h in range(heads):
        for i in range(h * n, (h + 1) * n):
            last = i + 1 if causal else (h + 1) * n
            s = [dot(at(q, i), at(k, j)) * scale for j in range(h * n, last)]
            p = softmax(s)
            m.append((max(s) + math.log(sum(math.exp(x - max(s)) for x in s))) / math.log(2))
            row = [sum(p[j - h * n] * v[j * d + c] for j in range(h * n, last)) for c in range(d)]
            o += row
            delta.append(dot(row, at(do, i)))
            for j in range(h * n, last):
                pj = p[j - h * n]
                ds = pj * (dot(at(do, i), at(v, j)) - delta[-1]) * scale
                for c in range(d):
                    dv[j][c] += pj * do[i * d + c]
                    dk[j][c] += ds * q[i * d + c]
                    dq[i][c] += ds * k[j * d + c]
    half = lambda t: tensor([rows, d], t, "float16")
    file = "tutorials/06-fused-attention.py"
    name = "tutorial_06_forward" + ("_causal" if causal else "")
    launch(name, file, "_attn_fwd", ["cdiv(N_CTX, BLOCK_M)", "Z * H"],
           {"sm_scale": scale, "M": out(rows), "Z": 1, "H": heads, "desc_q": half(q), "desc_k": half(k), "desc_v": half(v),
            "desc_o": out(rows, d, dtype="float16"), "N_CTX": n, "HEAD_DIM": d, "BLOCK_M": 32, "BLOCK_N": 16,
            "FP8_OUTPUT": False, "STAGE": 3 if causal else 1, "warp_specialize": False, "IS_HOPPER": True},
           {"desc_o": o, "M": m}, 1e-2)
    if not causal:
        return
    launch("tutorial_06_preprocess", file, "_attn_bwd_preprocess", ["cdiv(N_CTX, BLOCK_M)", "H"],
           {"O": half(o), "DO": half(do), "Delta": out(rows), "Z": 1, "H": heads, "N_CTX": n, "BLOCK_M": 32, "HEAD_DIM": d},
           {"Delta": delta}, 1e-2)
    scaled = rounded([x * scale / math.log(2) for x in k], "float16")
    flat = lambda t: sum(t, [])
    launch("tutorial_06_backward", file, "_attn_bwd", ["cdiv(N_CTX, BLOCK_N1)", 1, "H"],
           {"Q": half(q), "K": half(scaled), "V": half(v), "sm_scale": scale, "DO": half(do),
            "DQ": out(rows, d, dtype="float16"), "DK": out(rows, d, dtype="float16"), "DV": out(rows, d, dtype="float16"),
            "M": tensor([rows], m), "D": tensor([rows], delta), "stride_z": rows * d, "stride_h": n * d, "stride_tok": d,
            "stride_d": 1, "H": heads, "N_CTX": n, "BLOCK_M1": 32, "BLOCK_N1": 32, "BLOCK_M2": 32, "BLOCK_N2": 32,
            "BLK_SLICE_FACTOR": 2, "HEAD_DIM": d}, {"DQ": flat(dq), "DK": flat(dk), "DV": flat(dv)}, 2e-2)


def grouped_gemm():
    shapes = [(32, 48, 32), (16, 32, 64)]  # m, n, k; full tiles of 16, as the kernel assumes
    args, expected = {}, {}
    for i, (m, n, k) in enumerate(shapes):
        a, b = normal(20 + i, m, k, dtype="float16"), normal(30 + i, k, n, dtype="float16")
        args[f"a{i}"], args[f"b{i}"] = tensor([m, k], a, "float16"), tensor([k, n], b, "float16")
        args[f"c{i}"] = out(m, n, dtype="float16")
        expected[f"c{i}"] = matmul(a, b, m, k, n)
    for table in ("a_table", "b_table", "c_table"):
        args[table] = tensor([2], [0], "int64")
    args["sizes"] = tensor([2, 3], [v for s in shapes for v in s], "int32")
    args["leading"] = tensor([2, 3], [v for m, n, k in shapes for v in (k, n, n)], "int32")
    launch("tutorial_08", "group_of_matrices.py", "kernel", [1], {**args, "BLOCK": 16, "BLOCK_K": 16}, expected, 2e-2)


# ---- the puzzles: solutions in tests/puzzles/puzzles.py ----------------------------------------------------------------


def puzzles():
    file, blocks = "puzzles.py", ["cdiv(N0, B0)", "cdiv(N1, B1)"]
    x = normal(41, 32)
    launch("puzzle_01", file, "add_kernel", [1], {"x_ptr": tensor([32], x), "z_ptr": out(32), "N0": 32, "B0": 32},
           {"z_ptr": [v + 10 for v in x]})
    x = normal(42, 50)
    launch("puzzle_02", file, "add_mask2_kernel", blocks[:1],
           {"x_ptr": tensor([50], x), "z_ptr": out(50), "N0": 50, "B0": 16}, {"z_ptr": [v + 10 for v in x]})
    for name, kernel, n0, n1, b, f in (("puzzle_03", "add_vec_kernel", 16, 16, 16, lambda a, c: a + c),
                                       ("puzzle_04", "add_vec_block_kernel", 20, 18, 8, lambda a, c: a + c),
                                       ("puzzle_05", "mul_relu_block_kernel", 20, 18, 8, lambda a, c: max(a * c, 0))):
        x, y = normal(43, n0), normal(44, n1)
        launch(name, file, kernel, blocks,
               {"x_ptr": tensor([n0], x), "y_ptr": tensor([n1], y), "z_ptr": out(n1, n0), "N0": n0, "N1": n1, "B0": b,
                "B1": b}, {"z_ptr": [f(a, c) for c in y for a in x]})
    n0, n1 = 20, 18
    x, y, dz = normal(45, n1, n0), normal(46, n1), normal(47, n1, n0)
    launch("puzzle_06", file, "mul_relu_block_back_kernel", blocks,
           {"x_ptr": tensor([n1, n0], x), "y_ptr": tensor([n1], y), "dz_ptr": tensor([n1, n0], dz),
            "dx_ptr": out(n1, n0), "N0": n0, "N1": n1, "B0": 8, "B1": 8},
           {"dx_ptr": [dz[i] * y[i // n0] if x[i] * y[i // n0] > 0 else 0.0 for i in range(n0 * n1)]})
    rows, t = 4, 50
    x = normal(48, rows, t)
    matrix = [x[r * t:(r + 1) * t] for r in range(rows)]
    common = {"x_ptr": tensor([rows, t], x), "N0": rows, "N1": t, "T": t, "B0": 1, "B1": 16}
    launch("puzzle_07", file, "sum_kernel", blocks[:1], {**common, "z_ptr": out(rows)}, {"z_ptr": [sum(r) for r in matrix]})
    launch("puzzle_08", file, "softmax_kernel", blocks[:1], {**common, "z_ptr": out(rows, t)},
           {"z_ptr": sum((softmax(r) for r in matrix), [])})
    n = 50
    q, k, v = normal(49, n), normal(50, n), normal(51, n)
    launch("puzzle_09", file, "flashatt_kernel", blocks[:1],
           {"q_ptr": tensor([n], q), "k_ptr": tensor([n], k), "v_ptr": tensor([n], v), "z_ptr": out(n), "N0": n, "T": n,
            "B0": 16}, {"z_ptr": [sum(p * w for p, w in zip(softmax([a * b for b in k]), v)) for a in q]}, 1e-4)
    images, h, w, kh, kw = 3, 6, 7, 4, 4
    x, k = normal(52, images, h, w), normal(53, kh, kw)
    launch("puzzle_10", file, "conv2d_kernel", blocks[:1],
           {"x_ptr": tensor([images, h, w], x), "k_ptr": tensor([kh, kw], k), "z_ptr": out(images, h, w), "N0": images,
            "H": h, "W": w, "KH": kh, "KW": kw, "B0": 1},
           {"z_ptr": [sum(x[(b * h + i + r) * w + j + c] * k[r * kw + c] for r in range(kh) for c in range(kw)
                          if i + r < h and j + c < w) for b in range(images) for i in range(h) for j in range(w)]}, 1e-4)
    batch, n1, n2, mid = 2, 20, 18, 24
    x, y = normal(54, batch, n1, mid), normal(55, batch, mid, n2)
    launch("puzzle_11", file, "dot_kernel", ["cdiv(N1, B1)", "cdiv(N2, B2)", "cdiv(N0, B0)"],
           {"x_ptr": tensor([batch, n1, mid], x), "y_ptr": tensor([batch, mid, n2], y), "z_ptr": out(batch, n1, n2),
            "N0": batch, "N1": n1, "N2": n2, "MID": mid, "B0": 1, "B1": 16, "B2": 16, "B_MID": 16},
           {"z_ptr": sum((matmul(x[b * n1 * mid:(b + 1) * n1 * mid], y[b * mid * n2:(b + 1) * mid * n2], n1, mid, n2)
                          for b in range(batch)), [])}, 1e-4)
    n0, n1, mid = 20, 18, 32
    rng = random.Random(56)
    nibbles = [rng.randrange(16) for _ in range(n0 * mid)]
    shifts = [rng.randrange(16) for _ in range(n0 * mid // 8)]
    signed = lambda v: v - (1 << 32) if v >= 1 << 31 else v
    pack = lambda part: signed(sum(v << (4 * i) for i, v in enumerate(part)))
    scale, x = normal(57, n0, mid // 8), normal(58, mid, n1)
    full = [scale[i // 8] * (nibbles[i] - shifts[i // 8]) for i in range(n0 * mid)]
    launch("puzzle_12", file, "quant_dot_kernel", blocks,
           {"scale_ptr": tensor([n0, mid // 8], scale), "z_ptr": out(n0, n1), "N0": n0, "N1": n1, "MID": mid,
            "offset_ptr": tensor([n0], [pack(shifts[i * 4:i * 4 + 4]) for i in range(n0)], "int32"),
            "weight_ptr": tensor([n0, mid // 8], [pack(nibbles[i:i + 8]) for i in range(0, n0 * mid, 8)], "int32"),
            "activation_ptr": tensor([mid, n1], x), "B0": 16, "B1": 16, "B_MID": 16},
           {"z_ptr": matmul(full, x, n0, mid, n1)}, 1e-3)


# ---- running ----------------------------------------------------------------------------------------------------------


def run(name, spec, folder, tilescope):
    path = os.path.join(folder, name + ".json")
    with open(path, "w") as f:
        json.dump(spec, f)
    if not os.path.exists(os.path.join(folder, spec["file"])):
        return f"missing: {spec['file']}"
    done = subprocess.run([tilescope, "check", path], capture_output=True, text=True, timeout=120)
    if done.returncode == 0:
        return ""
    return f"exit {done.returncode}\n" + (done.stdout + done.stderr)[-3000:]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--tilescope", default="build/tilescope")
    parser.add_argument("--only", default="")
    parser.add_argument("--puzzles", metavar="FOLDER")
    options = parser.parse_args()
    if options.puzzles:
        puzzles()
        for name, spec in ALL:
            with open(os.path.join(options.puzzles, name + ".json"), "w") as f:
                f.write(json.dumps(spec) + "\n")
        return 0
    if not options.folder:
        parser.error("the folder of the tutorials is missing")
    simple_tutorials()
    layer_norm()
    attention(False)
    attention(True)
    grouped_gemm()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(os.path.abspath(options.folder), "tutorials")
        if os.path.isdir(source):
            shutil.copytree(source, os.path.join(folder, "tutorials"))
            grouped = os.path.join(source, "08-grouped-gemm.py")  # a module's name has no digits in front
            if os.path.exists(grouped):
                shutil.copy(grouped, os.path.join(folder, "tutorials", "grouped_gemm.py"))
        shutil.copy(os.path.join(os.path.dirname(os.path.abspath(__file__)), "group_of_matrices.py"), folder)
        chosen = [(name, spec) for name, spec in ALL if options.only in name]
        for name, spec in chosen:
            problem = run(name, spec, folder, options.tilescope)
            failed += bool(problem)
            print(f"{name:26} {'ok' if not problem else problem}", flush=True)
    print(f"{len(chosen) - failed} of {len(chosen)} right")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
