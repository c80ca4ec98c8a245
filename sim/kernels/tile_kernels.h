// Loops over the lanes of tiles: the table that the executor's plan resolves function pointers from. The functions are
// compiled once per instruction set (dispatch.h picks); every copy gives the same bytes.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/ir.h"

namespace tilescope {

/// One operand of an elementwise kernel. step 1: contiguous elements; 0: one element for all lanes.
struct Lanes {
  const void* data;
  int64_t step;
};

/// out[i] = op(in[0][i], in[1][i], ...). `out` is contiguous and may be the same memory as an input with step 1, never
/// partly overlapping. int1 is one byte, 0 or 1.
using ElementwiseFn = void (*)(int64_t n, void* out, const Lanes* in);

/// `operand` is the element type of the operands (for Select: of the chosen values; in[0] is then an int1 tile).
/// Pointers are passed as UInt64. Null when op_takes() says no.
ElementwiseFn elementwise_kernel(OpCode op, DType operand);
/// Value conversion, as the IR's cast.
ElementwiseFn cast_kernel(DType from, DType to);

/// What a Reduce or Scan combines with; the names are the IR's `combine` attribute ("user" has a region instead).
enum class Combine : uint8_t { Sum, Prod, Max, Min, MaxNan, MinNan, And, Or, Xor, ArgMax, ArgMin, ArgMaxRight, ArgMinRight };
inline constexpr int kCombineCount = 13;
/// "sum", "max_nan", "argmax_right" ...; empty optional as -1.
int find_combine(std::string_view name);

/// Reduces the middle axis (a power of two) of dense row-major [outer, axis, inner] by the balanced tree of adjacent
/// pairs. `scratch` holds outer x axis x inner elements. `in` is not changed; `out` overlaps neither.
using ReduceFn = void (*)(int64_t outer, int64_t axis, int64_t inner, const void* in, void* out, void* scratch);
/// Null when the type does not take it. Not for the Arg kinds.
ReduceFn reduce_kernel(Combine combine, DType t);

/// (value, int32 index) pairs; ArgMax and ArgMin keep the lower index of equal values, the Right kinds the right operand.
/// Scratch as for ReduceFn, one for the values and one for the indices.
using ArgReduceFn = void (*)(int64_t outer, int64_t axis, int64_t inner, const void* in, const int32_t* in_index, void* out,
                             int32_t* out_index, void* scratch, int32_t* scratch_index);
ArgReduceFn arg_reduce_kernel(Combine combine, DType t);

/// In-place inclusive Sklansky scan of the middle axis (a power of two) of dense [outer, axis, inner], lower index left.
using ScanFn = void (*)(int64_t outer, int64_t axis, int64_t inner, void* data);
ScanFn scan_kernel(Combine combine, DType t);

/// out[i...] = base + sum(stride[d] * i[d]) wrapped to the element type; dense row-major. Integers, and pointers as UInt64.
void fill_affine(DType t, void* out, const Shape& shape, int64_t base, const int64_t* strides);
/// Every element the low `elem_bytes` bytes of `bits`.
void fill(int elem_bytes, void* out, int64_t n, uint64_t bits);
/// dst dense; src element i at src + i * src_step_bytes.
void copy_strided(int elem_bytes, int64_t n, void* dst, const void* src, int64_t src_step_bytes);
/// dst dense row-major of `shape`; src with a byte stride per axis (any sign, 0 repeats).
void copy_tile(int elem_bytes, const Shape& shape, void* dst, const void* src, const int64_t* src_stride_bytes);

}  // namespace tilescope
