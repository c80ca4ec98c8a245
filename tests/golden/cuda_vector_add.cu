// add_kernel: one block of 128 threads (4 warps) runs one program.
// BLOCK = 256
#include "gpu/device/dot.h"
#include "gpu/device/memory.h"

extern "C" __global__ void __launch_bounds__(128)
add_kernel(ts::pointer x_ptr, ts::pointer y_ptr, ts::pointer out_ptr, int n) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int t0 = lane * 2 + warp * 64;
  // 7 | pid = tl.program_id(axis=0)                 # which program am I?
  const int pid = (int)blockIdx.x;
  // 8 | offsets = pid * BLOCK + tl.arange(0, BLOCK)  # the elements this program owns
  const int v1 = ts::mul(pid, 256);
  int v2[2];
  each(r, 2) v2[r] = t0 + r;
  int offsets[2];
  each(r, 2) offsets[r] = ts::add(v1, v2[r]);
  // 9 | mask = offsets < n                           # the last program reaches past the end
  bool mask[2];
  each(r, 2) mask[r] = offsets[r] < n;
  // 10 | x = tl.load(x_ptr + offsets, mask=mask)
  ts::pointer v6[2];
  each(r, 2) v6[r] = ts::advance<float>(x_ptr, offsets[r]);
  float x[2];
  each(r, 2) x[r] = float();
  each(r, 2) ts::load<1>(x + r, v6[r], mask[r]);
  // 11 | y = tl.load(y_ptr + offsets, mask=mask)
  ts::pointer v8[2];
  each(r, 2) v8[r] = ts::advance<float>(y_ptr, offsets[r]);
  float y[2];
  each(r, 2) y[r] = float();
  each(r, 2) ts::load<1>(y + r, v8[r], mask[r]);
  // 12 | tl.store(out_ptr + offsets, x + y, mask=mask)
  ts::pointer v10[2];
  each(r, 2) v10[r] = ts::advance<float>(out_ptr, offsets[r]);
  float v11[2];
  each(r, 2) v11[r] = x[r] + y[r];
  each(r, 2) ts::store<1>(v11 + r, v10[r], mask[r]);
}
