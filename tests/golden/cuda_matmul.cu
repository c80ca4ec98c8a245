// matmul_kernel: one block of 128 threads (4 warps) runs one program.
// BLOCK_M = 32
// BLOCK_N = 32
// BLOCK_K = 32
#include "gpu/device/dot.h"
#include "gpu/device/memory.h"

extern "C" __global__ void __launch_bounds__(128)
matmul_kernel(ts::pointer a_ptr, ts::pointer b_ptr, ts::pointer c_ptr, int M, int N, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  extern __shared__ __align__(128) unsigned char shared[];
  unsigned char* const buffer0 = shared;
  unsigned char* const buffer1 = shared + 4096;
  const int t0 = warp;
  const int t1 = lane;
  const int t2 = lane + warp * 32;
  const int t3 = ts::swizzled<32, 32>(t2);
  const int t4 = (lane & 3) * 2 + (lane >> 2) * 36 + (warp & 1) * 576 + (warp >> 1) * 16;
  const int t5 = lane + warp * 36;
  // 8 | rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)   # rows of C (and of A) this program owns
  const int v0 = (int)blockIdx.x;
  const int v2 = ts::mul(v0, 32);
  int v3[8];
  each(r, 8) v3[r] = t0 + r * 4;
  int v3_2[1];
  v3_2[0] = t1;
  int rows[8];
  each(r, 8) rows[r] = ts::add(v2, v3[r]);
  // 9 | cols = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)   # columns of C (and of B)
  const int v5 = (int)blockIdx.y;
  const int v6 = ts::mul(v5, 32);
  int cols[1];
  cols[0] = ts::add(v6, v3_2[0]);
  // 10 | acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
  // 11 | for k in range(0, K, BLOCK_K):
  // 13 | a = tl.load(a_ptr + rows[:, None] * K + ks[None, :],
  int v9[8];
  each(r, 8) v9[r] = rows[r];
  int v11[8];
  each(r, 8) v11[r] = ts::mul(v9[r], K);
  ts::pointer v13[8];
  each(r, 8) v13[r] = ts::advance<ts::f16>(a_ptr, v11[r]);
  ts::pointer v14[8];
  each(r, 8) v14[r] = v13[r];
  bool v16[8];
  each(r, 8) v16[r] = v9[r] < M;
  bool v18[8];
  each(r, 8) v18[r] = v16[r];
  // 15 | b = tl.load(b_ptr + ks[:, None] * N + cols[None, :],
  int v22[1];
  v22[0] = cols[0];
  int v23[8];
  each(r, 8) v23[r] = v22[0];
  bool v25[1];
  v25[0] = v22[0] < N;
  bool v26[8];
  each(r, 8) v26[r] = v25[0];
  // 11 | for k in range(0, K, BLOCK_K):
  float acc_2[8];
  each(r, 8) acc_2[r] = 0.0f;
  int k;
  k = 0;
  for (ts::uint32_t trips = (ts::uint32_t)ts::trip_count(0, K, 32); trips != 0; --trips, k = ts::add(k, 32)) {
    // 12 | ks = k + tl.arange(0, BLOCK_K)
    int ks[8];
    each(r, 8) ks[r] = ts::add(k, v3[r]);
    int ks_2[1];
    ks_2[0] = ts::add(k, v3_2[0]);
    // 13 | a = tl.load(a_ptr + rows[:, None] * K + ks[None, :],
    int v28[1];
    v28[0] = ks_2[0];
    int v29[8];
    each(r, 8) v29[r] = v28[0];
    ts::pointer v30[8];
    each(r, 8) v30[r] = ts::advance<ts::f16>(v14[r], v29[r]);
    bool v31[1];
    v31[0] = v28[0] < K;
    bool v32[8];
    each(r, 8) v32[r] = v31[0];
    bool v33[8];
    each(r, 8) v33[r] = ts::bit_and(v18[r], v32[r]);
    ts::f16 a[8];
    each(r, 8) a[r] = ts::f16{0x0 /* 0.0 */};
    each(r, 8) ts::load<1>(a + r, v30[r], v33[r]);
    // 15 | b = tl.load(b_ptr + ks[:, None] * N + cols[None, :],
    int v34[8];
    each(r, 8) v34[r] = ks[r];
    int v35[8];
    each(r, 8) v35[r] = ts::mul(v34[r], N);
    ts::pointer v36[8];
    each(r, 8) v36[r] = ts::advance<ts::f16>(b_ptr, v35[r]);
    ts::pointer v37[8];
    each(r, 8) v37[r] = v36[r];
    ts::pointer v38[8];
    each(r, 8) v38[r] = ts::advance<ts::f16>(v37[r], v23[r]);
    bool v39[8];
    each(r, 8) v39[r] = v34[r] < K;
    bool v40[8];
    each(r, 8) v40[r] = v39[r];
    bool v41[8];
    each(r, 8) v41[r] = ts::bit_and(v40[r], v26[r]);
    ts::f16 b[8];
    each(r, 8) b[r] = ts::f16{0x0 /* 0.0 */};
    each(r, 8) ts::load<1>(b + r, v38[r], v41[r]);
    // 17 | acc += tl.dot(a, b)
    __syncthreads();
    ts::uint16_t* const stage = (ts::uint16_t*)(buffer0);
    ts::uint16_t* const stage_2 = (ts::uint16_t*)(buffer0 + 2048);
    each(r, 8) stage[(t3 ^ ((r & 1) * 144 + (r >> 1) * 256))] = a[r].bits;
    each(r, 8) stage_2[(t3 ^ ((r & 1) * 144 + (r >> 1) * 256))] = b[r].bits;
    __syncthreads();
    float acc_3[8];
    each(r, 8) acc_3[r] = acc_2[r];
    ts::dot<ts::F16, ts::DotShape<32, 32, 32, 16, 16, 32, 32>>(acc_3, stage, stage_2, (warp & 1) * 16, (warp >> 1) * 16);
    // 11 | for k in range(0, K, BLOCK_K):
    each(r, 8) acc_2[r] = acc_3[r];
  }
  float acc_1[8];
  // acc_1: another layout, through shared memory
  __syncthreads();
  float* const stage_3 = (float*)(buffer1);
  each(r, 4) ts::put_shared<2>(stage_3 + t4 + (r * 2 & 1) + (r * 2 >> 1 & 1) * 288 + (r * 2 >> 2) * 8, acc_2 + r * 2);
  __syncthreads();
  each(r, 8) ts::get_shared<1>(acc_1 + r, stage_3 + t5 + r * 144);
  // 18 | tl.store(c_ptr + rows[:, None] * N + cols[None, :], acc,
  int v42[8];
  each(r, 8) v42[r] = ts::mul(v9[r], N);
  ts::pointer v44[8];
  each(r, 8) v44[r] = ts::advance<float>(c_ptr, v42[r]);
  ts::pointer v45[8];
  each(r, 8) v45[r] = v44[r];
  ts::pointer v46[8];
  each(r, 8) v46[r] = ts::advance<float>(v45[r], v23[r]);
  bool v47[8];
  each(r, 8) v47[r] = ts::bit_and(v18[r], v26[r]);
  each(r, 8) ts::store<1>(acc_1 + r, v46[r], v47[r]);
}
