// Elementwise evaluation, shared by the handlers of exec_elementwise.cpp, exec_affine.cpp and the fused store.
#pragma once

#include "sim/handlers.h"

namespace tilescope {

/// The result's slot is filled by `kernel` on the operands, whatever their forms: one lane when all are uniform, in
/// place when an operand dies here, row by row when an operand is a view.
const Inst* run_elementwise(Machine& m, const Inst* i);

/// run_elementwise, or what stands for it in pointer arithmetic: where the closed forms hand over.
const Inst* run_general(Machine& m, const Inst* i);

/// Operand forms that a kernel can read: uniform or memory. Others are written out.
void settle_operands(Machine& m, const Inst* i);

/// Writes the lanes inside `active` (all when null) to `out`, with byte strides `out_strides` whose innermost moving
/// axis is contiguous. Operands are settled.
void evaluate(Machine& m, const Inst* i, std::byte* out, const int64_t* out_strides, const Box* active);

/// Tries the closed forms (uniform, affine, box) of an integer, pointer or int1 op; the general way otherwise.
Handler closed_form_handler(const Op& op, DType operand, DType result);

/// Smallest and largest lane of a uniform or affine tile as mathematical integers; not ok beyond int64.
struct LaneRange {
  int64_t lo = 0, hi = 0;
  bool ok = true;
};
LaneRange lane_range(const Tile& t, const TileType& type);
/// Every value of the range is a value of the element type: nothing wraps.
inline bool fits(const TileType& t, const LaneRange& r) { return r.ok && r.lo >= t.lowest && r.hi <= t.highest; }

/// Kernels of ops that have no row in the kernel tables.
ElementwiseFn bitcast_kernel(DType from, DType to);
const Inst* run_philox(Machine& m, const Inst* i);

}  // namespace tilescope
