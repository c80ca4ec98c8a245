// grouped_matmul_kernel: one block of 128 threads (4 warps) runs one program.
// stride_ak = 1
// stride_bk = 1
// stride_cn = 1
// BLOCK_M = 32
// BLOCK_N = 32
// BLOCK_K = 32
// GROUP_M = 3
#include "gpu/device/dot.h"
#include "gpu/device/memory.h"

extern "C" __global__ void __launch_bounds__(128)
grouped_matmul_kernel(ts::pointer a_ptr, ts::pointer b_ptr, ts::pointer c_ptr, int M, int N, int K, int stride_am, int stride_bn, int stride_cm) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  extern __shared__ __align__(128) unsigned char shared[];
  unsigned char* const buffer0 = shared;
  unsigned char* const buffer1 = shared + 4096;
  const int t0 = (lane & 3) * 8;
  const int t1 = lane;
  const int t2 = (lane >> 2) + warp * 8;
  const int t3 = warp;
  const int t4 = lane + warp * 32;
  const int t5 = ts::swizzled<32, 32>(t4);
  const int t6 = (lane & 3) * 256 + (lane >> 2) + warp * 8;
  const int t7 = ts::swizzled<32, 32>(t6);
  const int t8 = (lane & 3) * 2 + (lane >> 2) * 40 + (warp & 1) * 640 + (warp >> 1) * 16;
  const int t9 = lane + warp * 40;
  // 10 | pid = tl.program_id(0)
  const int pid = (int)blockIdx.x;
  // 11 | tiles_m = tl.cdiv(M, BLOCK_M)
  const int v1 = ts::add(M, 31);
  const int tiles_m = ts::div(v1, 32);
  // 12 | tiles_n = tl.cdiv(N, BLOCK_N)
  const int v3 = ts::add(N, 31);
  const int tiles_n = ts::div(v3, 32);
  // 13 | in_group = GROUP_M * tiles_n
  const int in_group = ts::mul(tiles_n, 3);
  // 14 | first_m = (pid // in_group) * GROUP_M
  const int v5 = ts::div(pid, in_group);
  const int first_m = ts::mul(v5, 3);
  // 15 | group_m = min(tiles_m - first_m, GROUP_M)    # the last group may be smaller
  const int v6 = ts::sub(tiles_m, first_m);
  const int group_m = ts::minimum(v6, 3);
  // 16 | tile_m = first_m + (pid % in_group) % group_m
  const int v7 = ts::rem(pid, in_group);
  const int v8 = ts::rem(v7, group_m);
  const int tile_m = ts::add(first_m, v8);
  // 17 | tile_n = (pid % in_group) // group_m
  const int tile_n = ts::div(v7, group_m);
  // 19 | rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
  const int v9 = ts::mul(tile_m, 32);
  int ks[8];
  each(r, 8) ks[r] = t0 + r;
  int ks_2[1];
  ks_2[0] = t1;
  int ks_3[1];
  ks_3[0] = t2;
  int ks_4[8];
  each(r, 8) ks_4[r] = t3 + r * 4;
  int rows[8];
  each(r, 8) rows[r] = ts::add(v9, ks_4[r]);
  // 20 | cols = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
  const int v11 = ts::mul(tile_n, 32);
  int cols[1];
  cols[0] = ts::add(v11, ks_2[0]);
  int cols_2[1];
  cols_2[0] = ts::add(v11, ks_3[0]);
  // 22 | a_tile = a_ptr + rows[:, None] * stride_am + ks[None, :] * stride_ak
  int v13[8];
  each(r, 8) v13[r] = rows[r];
  int v15[8];
  each(r, 8) v15[r] = ts::mul(v13[r], stride_am);
  ts::pointer v17[8];
  each(r, 8) v17[r] = ts::advance<ts::f16>(a_ptr, v15[r]);
  int v18[1];
  v18[0] = ks_2[0];
  ts::pointer v19[8];
  each(r, 8) v19[r] = v17[r];
  int v20[8];
  each(r, 8) v20[r] = v18[0];
  ts::pointer a_tile[8];
  each(r, 8) a_tile[r] = ts::advance<ts::f16>(v19[r], v20[r]);
  // 23 | b_tile = b_ptr + ks[:, None] * stride_bk + cols[None, :] * stride_bn
  int v21[8];
  each(r, 8) v21[r] = ks[r];
  ts::pointer v23[8];
  each(r, 8) v23[r] = ts::advance<ts::f16>(b_ptr, v21[r]);
  int v24[1];
  v24[0] = cols[0];
  int v24_2[1];
  v24_2[0] = cols_2[0];
  int v26[1];
  v26[0] = ts::mul(v24_2[0], stride_bn);
  ts::pointer v27[8];
  each(r, 8) v27[r] = v23[r];
  int v28[8];
  each(r, 8) v28[r] = v26[0];
  ts::pointer b_tile[8];
  each(r, 8) b_tile[r] = ts::advance<ts::f16>(v27[r], v28[r]);
  // 24 | acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
  // 25 | for k in range(0, tl.cdiv(K, BLOCK_K)):
  const int v29 = ts::add(K, 31);
  const int v30 = ts::div(v29, 32);
  // 27 | a = tl.load(a_tile, mask=(rows[:, None] < M) & (ks[None, :] < left), other=0.0)
  bool v34[8];
  each(r, 8) v34[r] = v13[r] < M;
  bool v35[8];
  each(r, 8) v35[r] = v34[r];
  // 28 | b = tl.load(b_tile, mask=(ks[:, None] < left) & (cols[None, :] < N), other=0.0)
  bool v38[1];
  v38[0] = v24[0] < N;
  bool v38_2[1];
  v38_2[0] = v24_2[0] < N;
  bool v39[8];
  each(r, 8) v39[r] = v38[0];
  bool v39_2[8];
  each(r, 8) v39_2[r] = v38_2[0];
  // 30 | a_tile += BLOCK_K * stride_ak            # the pointers walk along K
  // 25 | for k in range(0, tl.cdiv(K, BLOCK_K)):
  float acc_2[8];
  each(r, 8) acc_2[r] = 0.0f;
  ts::pointer a_tile_2[8];
  each(r, 8) a_tile_2[r] = a_tile[r];
  ts::pointer b_tile_2[8];
  each(r, 8) b_tile_2[r] = b_tile[r];
  int k;
  k = 0;
  for (ts::uint32_t trips = (ts::uint32_t)ts::trip_count(0, v30, 1); trips != 0; --trips, k = ts::add(k, 1)) {
    // 26 | left = K - k * BLOCK_K
    const int v41 = ts::mul(k, 32);
    const int left_2 = ts::sub(K, v41);
    // 27 | a = tl.load(a_tile, mask=(rows[:, None] < M) & (ks[None, :] < left), other=0.0)
    bool v43[1];
    v43[0] = v18[0] < left_2;
    bool v44[8];
    each(r, 8) v44[r] = v43[0];
    bool v45[8];
    each(r, 8) v45[r] = ts::bit_and(v35[r], v44[r]);
    ts::f16 a[8];
    each(r, 8) a[r] = ts::f16{0x0 /* 0.0 */};
    each(r, 8) ts::load<1>(a + r, a_tile_2[r], v45[r]);
    // 28 | b = tl.load(b_tile, mask=(ks[:, None] < left) & (cols[None, :] < N), other=0.0)
    bool v47[8];
    each(r, 8) v47[r] = v21[r] < left_2;
    bool v48[8];
    each(r, 8) v48[r] = v47[r];
    bool v49[8];
    each(r, 8) v49[r] = ts::bit_and(v48[r], v39_2[r]);
    ts::f16 b[8];
    each(r, 8) b[r] = ts::f16{0x0 /* 0.0 */};
    each(r, 8) ts::load<1>(b + r, b_tile_2[r], v49[r]);
    // 29 | acc = tl.dot(a, b, acc)
    __syncthreads();
    ts::uint16_t* const stage = (ts::uint16_t*)(buffer0);
    ts::uint16_t* const stage_2 = (ts::uint16_t*)(buffer0 + 2048);
    each(r, 8) stage[(t5 ^ ((r & 1) * 144 + (r >> 1) * 256))] = a[r].bits;
    each(r, 8) stage_2[(t7 ^ ((r & 1) * 32 + (r >> 1) * 72))] = b[r].bits;
    __syncthreads();
    float acc_3[8];
    each(r, 8) acc_3[r] = acc_2[r];
    ts::dot<ts::F16, ts::DotShape<32, 32, 32, 16, 16, 32, 32>>(acc_3, stage, stage_2, (warp & 1) * 16, (warp >> 1) * 16);
    // 30 | a_tile += BLOCK_K * stride_ak            # the pointers walk along K
    ts::pointer a_tile_3[8];
    each(r, 8) a_tile_3[r] = ts::advance<ts::f16>(a_tile_2[r], 32);
    // 31 | b_tile += BLOCK_K * stride_bk
    ts::pointer b_tile_3[8];
    each(r, 8) b_tile_3[r] = ts::advance<ts::f16>(b_tile_2[r], 32);
    // 25 | for k in range(0, tl.cdiv(K, BLOCK_K)):
    each(r, 8) acc_2[r] = acc_3[r];
    each(r, 8) a_tile_2[r] = a_tile_3[r];
    each(r, 8) b_tile_2[r] = b_tile_3[r];
  }
  // 32 | c_tile = c_ptr + rows[:, None] * stride_cm + cols[None, :] * stride_cn
  int v51[8];
  each(r, 8) v51[r] = ts::mul(v13[r], stride_cm);
  ts::pointer v53[8];
  each(r, 8) v53[r] = ts::advance<ts::f16>(c_ptr, v51[r]);
  ts::pointer v54[8];
  each(r, 8) v54[r] = v53[r];
  int v55[8];
  each(r, 8) v55[r] = v24[0];
  ts::pointer c_tile[8];
  each(r, 8) c_tile[r] = ts::advance<ts::f16>(v54[r], v55[r]);
  // 33 | tl.store(c_tile, acc.to(c_ptr.dtype.element_ty), mask=(rows[:, None] < M) & (cols[None, :] < N))
  ts::f16 v56[8];
  each(r, 8) v56[r] = ts::round_to_f16(acc_2[r]);
  ts::f16 v56_2[8];
  // v56_2: another layout, through shared memory
  __syncthreads();
  ts::f16* const stage_3 = (ts::f16*)(buffer1);
  each(r, 4) ts::put_shared<2>(stage_3 + t8 + (r * 2 & 1) + (r * 2 >> 1 & 1) * 320 + (r * 2 >> 2) * 8, v56 + r * 2);
  __syncthreads();
  each(r, 8) ts::get_shared<1>(v56_2 + r, stage_3 + t9 + r * 160);
  bool v57[8];
  each(r, 8) v57[r] = ts::bit_and(v35[r], v39[r]);
  each(r, 8) ts::store<1>(v56_2 + r, c_tile[r], v57[r]);
}
