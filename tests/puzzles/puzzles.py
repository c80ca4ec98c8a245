# Answers to the twelve Triton Puzzles, with the parameters that the puzzles give their kernels.
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, z_ptr, N0, B0: tl.constexpr):
    i = tl.arange(0, B0)
    tl.store(z_ptr + i, tl.load(x_ptr + i) + 10.0)


@triton.jit
def add_mask2_kernel(x_ptr, z_ptr, N0, B0: tl.constexpr):
    i = tl.program_id(0) * B0 + tl.arange(0, B0)
    inside = i < N0
    tl.store(z_ptr + i, tl.load(x_ptr + i, inside) + 10.0, inside)


@triton.jit
def add_vec_kernel(x_ptr, y_ptr, z_ptr, N0, N1, B0: tl.constexpr, B1: tl.constexpr):
    i = tl.arange(0, B0)
    j = tl.arange(0, B1)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + j)
    tl.store(z_ptr + j[:, None] * N0 + i[None, :], x[None, :] + y[:, None])


@triton.jit
def add_vec_block_kernel(x_ptr, y_ptr, z_ptr, N0, N1, B0: tl.constexpr, B1: tl.constexpr):
    i = tl.program_id(0) * B0 + tl.arange(0, B0)
    j = tl.program_id(1) * B1 + tl.arange(0, B1)
    x = tl.load(x_ptr + i, i < N0)
    y = tl.load(y_ptr + j, j < N1)
    inside = (j[:, None] < N1) & (i[None, :] < N0)
    tl.store(z_ptr + j[:, None] * N0 + i[None, :], x[None, :] + y[:, None], inside)


@triton.jit
def mul_relu_block_kernel(x_ptr, y_ptr, z_ptr, N0, N1, B0: tl.constexpr, B1: tl.constexpr):
    i = tl.program_id(0) * B0 + tl.arange(0, B0)
    j = tl.program_id(1) * B1 + tl.arange(0, B1)
    x = tl.load(x_ptr + i, i < N0)
    y = tl.load(y_ptr + j, j < N1)
    inside = (j[:, None] < N1) & (i[None, :] < N0)
    product = x[None, :] * y[:, None]
    tl.store(z_ptr + j[:, None] * N0 + i[None, :], tl.where(product > 0, product, 0.0), inside)


@triton.jit
def mul_relu_block_back_kernel(x_ptr, y_ptr, dz_ptr, dx_ptr, N0, N1, B0: tl.constexpr, B1: tl.constexpr):
    i = tl.program_id(0) * B0 + tl.arange(0, B0)
    j = tl.program_id(1) * B1 + tl.arange(0, B1)
    inside = (j[:, None] < N1) & (i[None, :] < N0)
    at = j[:, None] * N0 + i[None, :]
    x = tl.load(x_ptr + at, inside)
    y = tl.load(y_ptr + j, j < N1)[:, None]
    dz = tl.load(dz_ptr + at, inside)
    tl.store(dx_ptr + at, tl.where(x * y > 0, dz * y, 0.0), inside)


@triton.jit
def sum_kernel(x_ptr, z_ptr, N0, N1, T, B0: tl.constexpr, B1: tl.constexpr):
    rows = tl.program_id(0) * B0 + tl.arange(0, B0)
    total = tl.zeros([B0], tl.float32)
    for start in range(0, T, B1):
        columns = start + tl.arange(0, B1)
        inside = (rows[:, None] < N0) & (columns[None, :] < T)
        total += tl.sum(tl.load(x_ptr + rows[:, None] * T + columns[None, :], inside, 0.0), 1)
    tl.store(z_ptr + rows, total, rows < N0)


@triton.jit
def softmax_kernel(x_ptr, z_ptr, N0, N1, T, B0: tl.constexpr, B1: tl.constexpr):
    log2_e: tl.constexpr = 1.44269504
    row = tl.program_id(0)
    largest = -float("inf")
    total = 0.0
    for start in range(0, T, B1):
        columns = start + tl.arange(0, B1)
        x = tl.load(x_ptr + row * T + columns, columns < T, -float("inf"))
        grown = tl.maximum(largest, tl.max(x))
        total = total * tl.exp2((largest - grown) * log2_e) + tl.sum(tl.exp2((x - grown) * log2_e))
        largest = grown
    for start in range(0, T, B1):
        columns = start + tl.arange(0, B1)
        x = tl.load(x_ptr + row * T + columns, columns < T, -float("inf"))
        tl.store(z_ptr + row * T + columns, tl.exp2((x - largest) * log2_e) / total, columns < T)


@triton.jit
def flashatt_kernel(q_ptr, k_ptr, v_ptr, z_ptr, N0, T, B0: tl.constexpr):
    log2_e: tl.constexpr = 1.44269504
    i = tl.program_id(0) * B0 + tl.arange(0, B0)
    q = tl.load(q_ptr + i, i < N0, 0.0) * log2_e
    largest = tl.full([B0], -float("inf"), tl.float32)
    total = tl.zeros([B0], tl.float32)
    weighted = tl.zeros([B0], tl.float32)
    for start in range(0, T, B0):
        j = start + tl.arange(0, B0)
        k = tl.load(k_ptr + j, j < T, 0.0)
        v = tl.load(v_ptr + j, j < T, 0.0)
        score = tl.where(j[None, :] < T, q[:, None] * k[None, :], -float("inf"))
        grown = tl.maximum(largest, tl.max(score, 1))
        kept = tl.exp2(largest - grown)
        p = tl.exp2(score - grown[:, None])
        total = total * kept + tl.sum(p, 1)
        weighted = weighted * kept + tl.sum(p * v[None, :], 1)
        largest = grown
    tl.store(z_ptr + i, weighted / total, i < N0)


@triton.jit
def conv2d_kernel(x_ptr, k_ptr, z_ptr, N0, H, W, KH: tl.constexpr, KW: tl.constexpr, B0: tl.constexpr):
    image = tl.program_id(0) * B0 + tl.arange(0, B0)[:, None, None]
    r = tl.arange(0, KH)[None, :, None]
    c = tl.arange(0, KW)[None, None, :]
    k = tl.load(k_ptr + r * KW + c)
    for y in range(H):
        for x in range(W):
            inside = (image < N0) & (y + r < H) & (x + c < W)
            part = tl.load(x_ptr + image * H * W + (y + r) * W + x + c, inside, 0.0)
            value = tl.sum(tl.sum(part * k, 2), 1)
            at = tl.program_id(0) * B0 + tl.arange(0, B0)
            tl.store(z_ptr + at * H * W + y * W + x, value, at < N0)


@triton.jit
def dot_kernel(x_ptr, y_ptr, z_ptr, N0, N1, N2, MID, B0: tl.constexpr, B1: tl.constexpr, B2: tl.constexpr,
               B_MID: tl.constexpr):
    batch = tl.program_id(2) * B0 + tl.arange(0, B0)[:, None, None]
    i = tl.program_id(0) * B1 + tl.arange(0, B1)[None, :, None]
    j = tl.program_id(1) * B2 + tl.arange(0, B2)[None, None, :]
    z = tl.zeros([B0, B1, B2], tl.float32)
    for start in range(0, MID, B_MID):
        m = start + tl.arange(0, B_MID)
        left = m[None, None, :]
        right = m[None, :, None]
        x = tl.load(x_ptr + batch * N1 * MID + i * MID + left, (batch < N0) & (i < N1) & (left < MID), 0.0)
        y = tl.load(y_ptr + batch * MID * N2 + right * N2 + j, (batch < N0) & (right < MID) & (j < N2), 0.0)
        z += tl.dot(x, y, input_precision="ieee")
    tl.store(z_ptr + batch * N1 * N2 + i * N2 + j, z, (batch < N0) & (i < N1) & (j < N2))


@triton.jit
def quant_dot_kernel(scale_ptr, offset_ptr, weight_ptr, activation_ptr, z_ptr, N0, N1, MID, B0: tl.constexpr,
                     B1: tl.constexpr, B_MID: tl.constexpr):
    # Eight 4-bit numbers in an int32; one scale and one 4-bit offset for each group of eight.
    packed: tl.constexpr = 8
    group: tl.constexpr = 8
    i = tl.program_id(0) * B0 + tl.arange(0, B0)
    j = tl.program_id(1) * B1 + tl.arange(0, B1)
    z = tl.zeros([B0, B1], tl.float32)
    for start in range(0, MID, B_MID):
        m = start + tl.arange(0, B_MID)
        inside = (i[:, None] < N0) & (m[None, :] < MID)
        words = tl.load(weight_ptr + i[:, None] * (MID // packed) + m[None, :] // packed, inside, 0)
        weight = (words >> ((m % packed) * 4)[None, :]) & 15
        offsets = tl.load(offset_ptr + i, i < N0, 0)
        offset = (offsets[:, None] >> ((m // group) * 4)[None, :]) & 15
        scale = tl.load(scale_ptr + i[:, None] * (MID // group) + m[None, :] // group, inside, 0.0)
        x = tl.load(activation_ptr + m[:, None] * N1 + j[None, :], (m[:, None] < MID) & (j[None, :] < N1), 0.0)
        z += tl.dot(scale * (weight - offset), x, input_precision="ieee")
    tl.store(z_ptr + i[:, None] * N1 + j[None, :], z, (i[:, None] < N0) & (j[None, :] < N1))
