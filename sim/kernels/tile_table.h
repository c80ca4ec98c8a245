// The table of tile kernels that each instruction set exports; tile_kernels.cpp in sim/ forwards to it.
#pragma once

#include "sim/kernels/dispatch.h"
#include "sim/kernels/tile_kernels.h"

namespace tilescope {

struct TileKernels {
  ElementwiseFn (*elementwise)(OpCode, DType);
  ElementwiseFn (*cast)(DType, DType);
  ReduceFn (*reduce)(Combine, DType);
  ArgReduceFn (*arg_reduce)(Combine, DType);
  ScanFn (*scan)(Combine, DType);
  /// One row: out[i] = base + i * step, wrapped to `elem_bytes`.
  void (*iota)(int elem_bytes, void* out, int64_t n, uint64_t base, uint64_t step);
  void (*fill)(int elem_bytes, void* out, int64_t n, uint64_t bits);
  void (*copy_strided)(int elem_bytes, int64_t n, void* dst, const void* src, int64_t src_step_bytes);
};
TILESCOPE_DECLARE_KERNELS(TileKernels, tile_kernels)

}  // namespace tilescope
