// softmax_kernel: one block of 128 threads (4 warps) runs one program.
// BLOCK_SIZE = 1024
#include "gpu/device/dot.h"
#include "gpu/device/memory.h"

extern "C" __global__ void __launch_bounds__(128)
softmax_kernel(ts::pointer x_ptr, ts::pointer y_ptr, int N) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  extern __shared__ __align__(128) unsigned char shared[];
  unsigned char* const buffer0 = shared;
  unsigned char* const buffer1 = shared + 16;
  const int t0 = lane + warp * 32;
  const int t1 = warp;
  const int t2 = (lane & 7) * 4 + warp;
  // 7 | row = tl.program_id(0)                       # one program for each row
  const int row = (int)blockIdx.x;
  // 8 | cols = tl.arange(0, BLOCK_SIZE)
  int cols[8];
  each(r, 8) cols[r] = t0 + r * 128;
  // 9 | mask = cols < N                              # BLOCK_SIZE is the power of two not below N
  bool mask[8];
  each(r, 8) mask[r] = cols[r] < N;
  // 10 | x = tl.load(x_ptr + row * N + cols, mask=mask, other=-float("inf"))
  const int v1 = ts::mul(row, N);
  const ts::pointer v2 = ts::advance<float>(x_ptr, v1);
  ts::pointer v4[8];
  each(r, 8) v4[r] = ts::advance<float>(v2, cols[r]);
  float x[8];
  each(r, 8) x[r] = ts::from_bits<float>(0xff800000u);
  each(r, 8) ts::load<1>(x + r, v4[r], mask[r]);
  // 11 | x = x - tl.max(x, axis=0)                    # exp cannot overflow now
  // max along axis 0: in any order
  float part[8];
  each(r, 8) part[r] = x[r];
  each(r, 4) part[r] = ts::largest(part[r * 2], part[r * 2 + 1]);
  each(r, 2) part[r] = ts::largest(part[r * 2], part[r * 2 + 1]);
  part[0] = ts::largest(part[0], part[1]);
  { const float other = ts::from_lane_xor(part[0], 1), own = part[0]; part[0] = ts::largest(own, other); }
  { const float other = ts::from_lane_xor(part[0], 2), own = part[0]; part[0] = ts::largest(own, other); }
  { const float other = ts::from_lane_xor(part[0], 4), own = part[0]; part[0] = ts::largest(own, other); }
  { const float other = ts::from_lane_xor(part[0], 8), own = part[0]; part[0] = ts::largest(own, other); }
  { const float other = ts::from_lane_xor(part[0], 16), own = part[0]; part[0] = ts::largest(own, other); }
  float* const stage = (float*)(buffer0);
  if (lane == 0) stage[t1] = part[0];
  __syncthreads();
  float part_2[1];
  part_2[0] = stage[lane & 3];
  { const float other = ts::from_lane_xor(part_2[0], 1), own = part_2[0]; part_2[0] = ts::largest(own, other); }
  { const float other = ts::from_lane_xor(part_2[0], 2), own = part_2[0]; part_2[0] = ts::largest(own, other); }
  float v6;
  v6 = part_2[0];
  float x_1[8];
  each(r, 8) x_1[r] = x[r] - v6;
  // 12 | numerator = tl.exp(x)
  float numerator[8];
  each(r, 8) numerator[r] = ts::exp(x_1[r]);
  // 13 | denominator = tl.sum(numerator, axis=0)
  // sum along axis 0: adjacent pairs first
  float part_3[8];
  each(r, 8) part_3[r] = numerator[r];
  each(r, 4) { const bool up = (lane & 1) != 0; const float other = ts::from_lane_xor(up ? part_3[r * 2] : part_3[r * 2 + 1], 1), own = up ? part_3[r * 2 + 1] : part_3[r * 2]; part_3[r] = own + other; }
  each(r, 2) { const bool up = (lane & 2) != 0; const float other = ts::from_lane_xor(up ? part_3[r * 2] : part_3[r * 2 + 1], 2), own = up ? part_3[r * 2 + 1] : part_3[r * 2]; part_3[r] = own + other; }
  { const bool up = (lane & 4) != 0; const float other = ts::from_lane_xor(up ? part_3[0] : part_3[1], 4), own = up ? part_3[1] : part_3[0]; part_3[0] = own + other; }
  { const float other = ts::from_lane_xor(part_3[0], 8), own = part_3[0]; part_3[0] = own + other; }
  { const float other = ts::from_lane_xor(part_3[0], 16), own = part_3[0]; part_3[0] = own + other; }
  float* const stage_2 = (float*)(buffer1);
  if ((lane & 24) == 0) stage_2[t2] = part_3[0];
  __syncthreads();
  float part_4[1];
  part_4[0] = stage_2[lane & 31];
  { const float other = ts::from_lane_xor(part_4[0], 1), own = part_4[0]; part_4[0] = own + other; }
  { const float other = ts::from_lane_xor(part_4[0], 2), own = part_4[0]; part_4[0] = own + other; }
  { const float other = ts::from_lane_xor(part_4[0], 4), own = part_4[0]; part_4[0] = own + other; }
  { const float other = ts::from_lane_xor(part_4[0], 8), own = part_4[0]; part_4[0] = own + other; }
  { const float other = ts::from_lane_xor(part_4[0], 16), own = part_4[0]; part_4[0] = own + other; }
  float denominator;
  denominator = part_4[0];
  // 14 | tl.store(y_ptr + row * N + cols, numerator / denominator, mask=mask)
  const ts::pointer v8 = ts::advance<float>(y_ptr, v1);
  ts::pointer v10[8];
  each(r, 8) v10[r] = ts::advance<float>(v8, cols[r]);
  float v12[8];
  each(r, 8) v12[r] = ts::div(numerator[r], denominator);
  each(r, 8) ts::store<1>(v12 + r, v10[r], mask[r]);
}
