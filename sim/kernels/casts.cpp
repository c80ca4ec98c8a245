// Casts between all element types, and selection and copying by element width.
#include "sim/kernels/elementwise.h"
#include "sim/kernels/tile_table.h"

namespace tilescope::TILESCOPE_ISA {
namespace {

template <class To, class From> void cast(int64_t n, void* out, const Lanes* in) {
  To* o = static_cast<To*>(out);
  const From* a = static_cast<const From*>(in[0].data);
  if (in[0].step == 0) {
    const To one = math::convert<To>(*a);
    for (int64_t i = 0; i < n; ++i) o[i] = one;
    return;
  }
  if constexpr (sizeof(To) <= sizeof(From)) {
    // `out` may be the input: each result lies at or before its operand, and vectors are read before they are written.
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) o[i] = math::convert<To>(a[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) o[i] = math::convert<To>(a[i]);
  }
}

template <DType from> ElementwiseFn find_cast(DType to) {
  switch (to) {
#define X(dtype, canonical, shorthand, bits, kind) \
  case DType::dtype: return cast<CType<DType::dtype>, CType<from>>;
    TILESCOPE_DTYPES(X)
#undef X
  }
  return nullptr;
}

template <class T> void select(int64_t n, void* out, const Lanes* in) {
  T* o = static_cast<T*>(out);
  const uint8_t* c = static_cast<const uint8_t*>(in[0].data);
  const T* a = static_cast<const T*>(in[1].data);
  const T* b = static_cast<const T*>(in[2].data);
  if (in[0].step == 0) {
    const Lanes& chosen = *c ? in[1] : in[2];
    const T* p = static_cast<const T*>(chosen.data);
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) o[i] = p[i * chosen.step];
    return;
  }
  if (in[1].step != 0 && in[2].step != 0) {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) o[i] = c[i] ? a[i] : b[i];
  } else if (in[1].step != 0) {
    const T y = *b;
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) o[i] = c[i] ? a[i] : y;
  } else if (in[2].step != 0) {
    const T x = *a;
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) o[i] = c[i] ? x : b[i];
  } else {
    const T x = *a, y = *b;
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) o[i] = c[i] ? x : y;
  }
}

template <class T> void iota_of(void* out, int64_t n, uint64_t base, uint64_t step) {
  T* o = static_cast<T*>(out);
  const T b = static_cast<T>(base), s = static_cast<T>(step);
  for (int64_t i = 0; i < n; ++i) o[i] = static_cast<T>(b + static_cast<T>(i) * s);
}

template <class T> void fill_of(void* out, int64_t n, uint64_t bits) {
  T* o = static_cast<T*>(out);
  for (int64_t i = 0; i < n; ++i) o[i] = static_cast<T>(bits);
}

template <class T> void copy_of(int64_t n, void* dst, const void* src, int64_t step_bytes) {
  T* o = static_cast<T*>(dst);
  const char* s = static_cast<const char*>(src);
  for (int64_t i = 0; i < n; ++i) __builtin_memcpy(&o[i], s + i * step_bytes, sizeof(T));
}

void iota(int elem_bytes, void* out, int64_t n, uint64_t base, uint64_t step) {
  switch (elem_bytes) {
    case 1: return iota_of<uint8_t>(out, n, base, step);
    case 2: return iota_of<uint16_t>(out, n, base, step);
    case 4: return iota_of<uint32_t>(out, n, base, step);
    default: return iota_of<uint64_t>(out, n, base, step);
  }
}

void fill(int elem_bytes, void* out, int64_t n, uint64_t bits) {
  switch (elem_bytes) {
    case 1: return fill_of<uint8_t>(out, n, bits);
    case 2: return fill_of<uint16_t>(out, n, bits);
    case 4: return fill_of<uint32_t>(out, n, bits);
    default: return fill_of<uint64_t>(out, n, bits);
  }
}

void copy_strided(int elem_bytes, int64_t n, void* dst, const void* src, int64_t step_bytes) {
  if (step_bytes == elem_bytes) {
    __builtin_memcpy(dst, src, static_cast<size_t>(n * elem_bytes));
    return;
  }
  switch (elem_bytes) {
    case 1: return copy_of<uint8_t>(n, dst, src, step_bytes);
    case 2: return copy_of<uint16_t>(n, dst, src, step_bytes);
    case 4: return copy_of<uint32_t>(n, dst, src, step_bytes);
    default: return copy_of<uint64_t>(n, dst, src, step_bytes);
  }
}

ElementwiseFn elementwise_lookup(OpCode op, DType t) {
  if (op == OpCode::Select) {
    switch (t) {
      case DType::Int1: case DType::Int8: case DType::UInt8: case DType::Float8E4NV: case DType::Float8E5:
        return select<uint8_t>;
      case DType::Int16: case DType::UInt16: case DType::Float16: case DType::BFloat16: return select<uint16_t>;
      case DType::Int32: case DType::UInt32: case DType::Float32: return select<uint32_t>;
      default: return select<uint64_t>;
    }
  }
  switch (t) {
    case DType::Float32: return elementwise_float32(op);
    case DType::Float64: return elementwise_float64(op);
    case DType::Float8E4NV: case DType::Float8E5: case DType::Float16: case DType::BFloat16:
      return elementwise_small_float(op, t);
    default: return elementwise_integer(op, t);
  }
}

ElementwiseFn cast_lookup(DType from, DType to) {
  switch (from) {
#define X(dtype, canonical, shorthand, bits, kind) \
  case DType::dtype: return find_cast<DType::dtype>(to);
    TILESCOPE_DTYPES(X)
#undef X
  }
  return nullptr;
}

}  // namespace

ReduceFn reduce_lookup(Combine c, DType t);
ScanFn scan_lookup(Combine c, DType t);
ArgReduceFn arg_reduce_lookup(Combine c, DType t);

extern const TileKernels tile_kernels_table;
const TileKernels tile_kernels_table = {elementwise_lookup, cast_lookup, reduce_lookup, arg_reduce_lookup,
                                        scan_lookup,        iota,        fill,          copy_strided};

}  // namespace tilescope::TILESCOPE_ISA
