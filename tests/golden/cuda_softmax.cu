// softmax_kernel: one block of 128 threads (4 warps) runs one program.
// BLOCK_SIZE = 1024
#include "gpu/device/dot.h"
#include "gpu/device/memory.h"

extern "C" __global__ void __launch_bounds__(128)
softmax_kernel(ts::pointer x_ptr, ts::pointer y_ptr, int N) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  extern __shared__ __align__(16) unsigned char shared[];
  unsigned char* const buffer0 = shared;
  unsigned char* const buffer1 = shared + 128;
  const int t0 = lane + warp * 32;
  const int t1 = warp;
  // 7 | row = tl.program_id(0)                       # one program for each row
  int row;
  row = (int)blockIdx.x;
  // 8 | cols = tl.arange(0, BLOCK_SIZE)
  int cols[8];
  each(r, 8) cols[r] = t0 + r * 128;
  // 9 | mask = cols < N                              # BLOCK_SIZE is the power of two not below N
  bool mask[8];
  each(r, 8) mask[r] = cols[r] < N;
  // 10 | x = tl.load(x_ptr + row * N + cols, mask=mask, other=-float("inf"))
  int v1;
  v1 = ts::mul(row, N);
  ts::pointer v2;
  v2 = ts::advance<float>(x_ptr, v1);
  ts::pointer v4[8];
  each(r, 8) v4[r] = ts::advance<float>(v2, cols[r]);
  float x[8];
  each(r, 8) x[r] = ts::from_bits<float>(0xff800000u);
  each(r, 8) ts::load<1>(x + r, v4[r], mask[r]);
  // 11 | x = x - tl.max(x, axis=0)                    # exp cannot overflow now
  // max along axis 0: adjacent pairs first
  float part[8];
  each(r, 8) part[r] = x[r];
  each(r, 8) { const float other = ts::from_lane_xor(part[r], 1); part[r] = ts::maximum(part[r], other); }
  each(r, 8) { const float other_2 = ts::from_lane_xor(part[r], 2); part[r] = ts::maximum(part[r], other_2); }
  each(r, 8) { const float other_3 = ts::from_lane_xor(part[r], 4); part[r] = ts::maximum(part[r], other_3); }
  each(r, 8) { const float other_4 = ts::from_lane_xor(part[r], 8); part[r] = ts::maximum(part[r], other_4); }
  each(r, 8) { const float other_5 = ts::from_lane_xor(part[r], 16); part[r] = ts::maximum(part[r], other_5); }
  float* const stage = (float*)(buffer0);
  each(r, 8) if (lane == 0) stage[t1 + r * 4] = part[r];
  __syncthreads();
  float v6;
  {
    float part_2[32];
    each(pos, 32) part_2[pos] = stage[0 + pos * 1];
    each(pos, 16) part_2[pos] = ts::maximum(part_2[2 * pos], part_2[2 * pos + 1]);
    each(pos, 8) part_2[pos] = ts::maximum(part_2[2 * pos], part_2[2 * pos + 1]);
    each(pos, 4) part_2[pos] = ts::maximum(part_2[2 * pos], part_2[2 * pos + 1]);
    each(pos, 2) part_2[pos] = ts::maximum(part_2[2 * pos], part_2[2 * pos + 1]);
    each(pos, 1) part_2[pos] = ts::maximum(part_2[2 * pos], part_2[2 * pos + 1]);
    v6 = part_2[0];
  }
  float x_1[8];
  each(r, 8) x_1[r] = x[r] - v6;
  // 12 | numerator = tl.exp(x)
  float numerator[8];
  each(r, 8) numerator[r] = ts::exp(x_1[r]);
  // 13 | denominator = tl.sum(numerator, axis=0)
  // sum along axis 0: adjacent pairs first
  float part_3[8];
  each(r, 8) part_3[r] = numerator[r];
  each(r, 8) { const float other_6 = ts::from_lane_xor(part_3[r], 1); part_3[r] = part_3[r] + other_6; }
  each(r, 8) { const float other_7 = ts::from_lane_xor(part_3[r], 2); part_3[r] = part_3[r] + other_7; }
  each(r, 8) { const float other_8 = ts::from_lane_xor(part_3[r], 4); part_3[r] = part_3[r] + other_8; }
  each(r, 8) { const float other_9 = ts::from_lane_xor(part_3[r], 8); part_3[r] = part_3[r] + other_9; }
  each(r, 8) { const float other_10 = ts::from_lane_xor(part_3[r], 16); part_3[r] = part_3[r] + other_10; }
  float* const stage_2 = (float*)(buffer1);
  each(r, 8) if (lane == 0) stage_2[t1 + r * 4] = part_3[r];
  __syncthreads();
  float denominator;
  {
    float part_4[32];
    each(pos, 32) part_4[pos] = stage_2[0 + pos * 1];
    each(pos, 16) part_4[pos] = part_4[2 * pos] + part_4[2 * pos + 1];
    each(pos, 8) part_4[pos] = part_4[2 * pos] + part_4[2 * pos + 1];
    each(pos, 4) part_4[pos] = part_4[2 * pos] + part_4[2 * pos + 1];
    each(pos, 2) part_4[pos] = part_4[2 * pos] + part_4[2 * pos + 1];
    each(pos, 1) part_4[pos] = part_4[2 * pos] + part_4[2 * pos + 1];
    denominator = part_4[0];
  }
  // 14 | tl.store(y_ptr + row * N + cols, numerator / denominator, mask=mask)
  ts::pointer v8;
  v8 = ts::advance<float>(y_ptr, v1);
  ts::pointer v10[8];
  each(r, 8) v10[r] = ts::advance<float>(v8, cols[r]);
  float v12[8];
  each(r, 8) v12[r] = ts::div(numerator[r], denominator);
  each(r, 8) ts::store<1>(v12 + r, v10[r], mask[r]);
}
