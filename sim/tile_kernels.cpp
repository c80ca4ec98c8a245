#include "sim/kernels/tile_kernels.h"

#include <array>
#include <cstring>

#include "core/op_domain.h"
#include "sim/kernels/tile_table.h"

namespace tilescope {

TILESCOPE_DEFINE_KERNELS(TileKernels, tile_kernels)

ElementwiseFn elementwise_kernel(OpCode op, DType operand) { return tile_kernels().elementwise(op, operand); }
ElementwiseFn cast_kernel(DType from, DType to) { return tile_kernels().cast(from, to); }
ReduceFn reduce_kernel(Combine c, DType t) { return tile_kernels().reduce(c, t); }
ArgReduceFn arg_reduce_kernel(Combine c, DType t) { return tile_kernels().arg_reduce(c, t); }
ScanFn scan_kernel(Combine c, DType t) { return tile_kernels().scan(c, t); }

int find_combine(std::string_view name) {
  static constexpr std::array<std::string_view, kCombineCount> names = {
      "sum", "prod", "max", "min", "max_nan", "min_nan", "and", "or", "xor", "argmax", "argmin", "argmax_right", "argmin_right"};
  for (int i = 0; i < kCombineCount; ++i)
    if (names[i] == name) return i;
  return -1;
}

void fill(int elem_bytes, void* out, int64_t n, uint64_t bits) { tile_kernels().fill(elem_bytes, out, n, bits); }

void copy_strided(int elem_bytes, int64_t n, void* dst, const void* src, int64_t src_step_bytes) {
  tile_kernels().copy_strided(elem_bytes, n, dst, src, src_step_bytes);
}

void fill_affine(DType t, void* out, const Shape& shape, int64_t base, const int64_t* strides) {
  const int bytes = dtype_bytes(t);
  const int64_t inner = shape.rank > 0 ? shape[shape.rank - 1] : 1;
  const uint64_t step = shape.rank > 0 ? static_cast<uint64_t>(strides[shape.rank - 1]) : 0;
  const int64_t rows = shape.elements() / inner;
  auto* row_out = static_cast<std::byte*>(out);
  std::array<int64_t, kMaxRank> index{};
  uint64_t row_base = static_cast<uint64_t>(base);
  for (int64_t r = 0; r < rows; ++r, row_out += inner * bytes) {
    tile_kernels().iota(bytes, row_out, inner, row_base, step);
    for (int d = shape.rank - 2; d >= 0; --d) {
      row_base += static_cast<uint64_t>(strides[d]);
      if (++index[d] < shape[d]) break;
      row_base -= static_cast<uint64_t>(strides[d]) * static_cast<uint64_t>(shape[d]);
      index[d] = 0;
    }
  }
}

void copy_tile(int elem_bytes, const Shape& shape, void* dst, const void* src, const int64_t* src_stride_bytes) {
  const int last = shape.rank - 1;
  const int64_t inner = shape.rank > 0 ? shape[last] : 1;
  const int64_t step = shape.rank > 0 ? src_stride_bytes[last] : elem_bytes;
  const int64_t rows = shape.elements() / inner;
  auto* to = static_cast<std::byte*>(dst);
  const auto* from = static_cast<const std::byte*>(src);
  std::array<int64_t, kMaxRank> index{};
  for (int64_t r = 0; r < rows; ++r, to += inner * elem_bytes) {
    copy_strided(elem_bytes, inner, to, from, step);
    for (int d = last - 1; d >= 0; --d) {
      from += src_stride_bytes[d];
      if (++index[d] < shape[d]) break;
      from -= src_stride_bytes[d] * shape[d];
      index[d] = 0;
    }
  }
}

}  // namespace tilescope
