// Reductions and scans in the one order of the design: a balanced tree of adjacent pairs, lower index on the left.
#include "sim/kernels/isa_math.h"
#include "sim/kernels/tile_table.h"

namespace tilescope::TILESCOPE_ISA {
namespace {

template <OpCode op, class T> struct Combiner {
  static inline __attribute__((always_inline)) T call(T a, T b) { return Meaning<op>::call(a, b); }
};

/// One level of the tree: pairs of rows of `inner` elements; `in` has 2 * rows of them.
template <class F, class T> void level(int64_t rows, int64_t inner, const T* in, T* out) {
  if (inner == 1) {
#pragma GCC ivdep
    for (int64_t i = 0; i < rows; ++i) out[i] = F::call(in[2 * i], in[2 * i + 1]);
    return;
  }
  for (int64_t r = 0; r < rows; ++r) {
    const T* a = in + 2 * r * inner;
    T* o = out + r * inner;
#pragma GCC ivdep
    for (int64_t i = 0; i < inner; ++i) o[i] = F::call(a[i], a[inner + i]);
  }
}

/// Level by level over one array: rows of the next level are again adjacent, whatever `outer` is. Each level writes
/// behind the one before, so that no loop reads what it writes.
template <class F, class T> void reduce(int64_t outer, int64_t axis, int64_t inner, const void* in, void* out, void* scratch) {
  const T* from = static_cast<const T*>(in);
  T* o = static_cast<T*>(out);
  T* buffer = static_cast<T*>(scratch);
  if (axis == 1)
    for (int64_t i = 0; i < outer * inner; ++i) o[i] = from[i];
  for (int64_t n = axis / 2; n >= 1; n /= 2) {
    T* to = n == 1 ? o : buffer;
    level<F, T>(outer * n, inner, from, to);
    buffer = to + outer * n * inner;
    from = to;
  }
}

/// Combines whose value does not depend on the order (largest, smallest, bits, wrapping sums): a row is read once from
/// start to end, which the processor's prefetchers like, into kLanes partial results, which needs no shuffles.
template <class F, class T> void reduce_any_order(int64_t outer, int64_t axis, int64_t inner, const void* in, void* out, void* scratch) {
  constexpr int64_t kLanes = 512 / sizeof(T);
  if (inner != 1 || axis < 2 * kLanes) return reduce<F, T>(outer, axis, inner, in, out, scratch);
  for (int64_t r = 0; r < outer; ++r) {
    const T* x = static_cast<const T*>(in) + r * axis;
    T partial[kLanes];
    for (int64_t i = 0; i < kLanes; ++i) partial[i] = x[i];
    for (int64_t at = kLanes; at < axis; at += kLanes) {
#pragma GCC ivdep
      for (int64_t i = 0; i < kLanes; ++i) partial[i] = F::call(partial[i], x[at + i]);
    }
    for (int64_t n = kLanes / 2; n >= 1; n /= 2) {
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) partial[i] = F::call(partial[i], partial[n + i]);
    }
    static_cast<T*>(out)[r] = partial[0];
  }
}

template <class F, class T> void scan(int64_t outer, int64_t axis, int64_t inner, void* data) {
  for (int64_t o = 0; o < outer; ++o) {
    T* x = static_cast<T*>(data) + o * axis * inner;
    for (int64_t half = 1; half < axis; half *= 2)
      for (int64_t block = half; block < axis; block += 2 * half) {
        const T* left = x + (block - 1) * inner;
        for (int64_t r = 0; r < half; ++r) {
          T* right = x + (block + r) * inner;
#pragma GCC ivdep
          for (int64_t i = 0; i < inner; ++i) right[i] = F::call(left[i], right[i]);
        }
      }
  }
}

template <bool largest, bool left_wins, class T>
inline __attribute__((always_inline)) bool keep_left(T a, int32_t ia, T b, int32_t ib) {
  const bool better = largest ? math::cmp_gt(a, b) : math::cmp_lt(a, b);
  return better | (left_wins & math::cmp_eq(a, b) & (ia < ib));
}

template <bool largest, bool left_wins, class T>
void arg_reduce(int64_t outer, int64_t axis, int64_t inner, const void* in, const int32_t* in_index, void* out,
                int32_t* out_index, void* scratch, int32_t* scratch_index) {
  const T* v = static_cast<const T*>(in);
  const int32_t* x = in_index;
  for (int64_t n = axis; n >= 1; n /= 2) {
    const bool last = n <= 2;
    T* vo = static_cast<T*>(last ? out : scratch);
    int32_t* xo = last ? out_index : scratch_index;
    const int64_t rows = n == 1 ? outer : outer * n / 2;
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t i = 0; i < inner; ++i) {
        const int64_t to = r * inner + i, a = n == 1 ? to : 2 * r * inner + i, b = n == 1 ? to : a + inner;
        const bool left = keep_left<largest, left_wins>(v[a], x[a], v[b], x[b]);
        const T value = left ? v[a] : v[b];
        const int32_t index = left ? x[a] : x[b];
        vo[to] = value;
        xo[to] = index;
      }
    if (last) return;
    v = vo;
    x = xo;
  }
}

constexpr bool any_order(OpCode op, DType t) {
  return op != OpCode::Add && op != OpCode::Mul ? true : t < DType::Float8E4NV;
}
template <OpCode op, DType t> ReduceFn reduce_or_null() {
  if constexpr (op_takes(op, t) && any_order(op, t)) return reduce_any_order<Combiner<op, CType<t>>, CType<t>>;
  if constexpr (op_takes(op, t)) return reduce<Combiner<op, CType<t>>, CType<t>>;
  return nullptr;
}
template <OpCode op, DType t> ScanFn scan_or_null() {
  if constexpr (op_takes(op, t)) return scan<Combiner<op, CType<t>>, CType<t>>;
  return nullptr;
}

}  // namespace

template <DType t> ReduceFn find_reduce(Combine c) {
  switch (c) {
    case Combine::Sum: return reduce_or_null<OpCode::Add, t>();
    case Combine::Prod: return reduce_or_null<OpCode::Mul, t>();
    case Combine::Max: return reduce_or_null<OpCode::Maximum, t>();
    case Combine::Min: return reduce_or_null<OpCode::Minimum, t>();
    case Combine::MaxNan: return reduce_or_null<OpCode::MaximumNan, t>();
    case Combine::MinNan: return reduce_or_null<OpCode::MinimumNan, t>();
    case Combine::And: return reduce_or_null<OpCode::BitAnd, t>();
    case Combine::Or: return reduce_or_null<OpCode::BitOr, t>();
    case Combine::Xor: return reduce_or_null<OpCode::BitXor, t>();
    default: return nullptr;
  }
}

template <DType t> ScanFn find_scan(Combine c) {
  switch (c) {
    case Combine::Sum: return scan_or_null<OpCode::Add, t>();
    case Combine::Prod: return scan_or_null<OpCode::Mul, t>();
    case Combine::Max: return scan_or_null<OpCode::Maximum, t>();
    case Combine::Min: return scan_or_null<OpCode::Minimum, t>();
    case Combine::MaxNan: return scan_or_null<OpCode::MaximumNan, t>();
    case Combine::MinNan: return scan_or_null<OpCode::MinimumNan, t>();
    case Combine::And: return scan_or_null<OpCode::BitAnd, t>();
    case Combine::Or: return scan_or_null<OpCode::BitOr, t>();
    case Combine::Xor: return scan_or_null<OpCode::BitXor, t>();
    default: return nullptr;
  }
}

template <DType t> ArgReduceFn find_arg_reduce(Combine c) {
  using T = CType<t>;
  switch (c) {
    case Combine::ArgMax: return arg_reduce<true, true, T>;
    case Combine::ArgMin: return arg_reduce<false, true, T>;
    case Combine::ArgMaxRight: return arg_reduce<true, false, T>;
    case Combine::ArgMinRight: return arg_reduce<false, false, T>;
    default: return nullptr;
  }
}

#define TILESCOPE_BY_DTYPE(Fn, name, find)       \
  Fn name(Combine c, DType t) {                  \
    switch (t) {                                 \
      TILESCOPE_DTYPES(X)                        \
    }                                            \
    return nullptr;                              \
  }
#define X(dtype, canonical, shorthand, bits, kind) \
  case DType::dtype: return find_reduce<DType::dtype>(c);
TILESCOPE_BY_DTYPE(ReduceFn, reduce_lookup, find_reduce)
#undef X
#define X(dtype, canonical, shorthand, bits, kind) \
  case DType::dtype: return find_scan<DType::dtype>(c);
TILESCOPE_BY_DTYPE(ScanFn, scan_lookup, find_scan)
#undef X
#define X(dtype, canonical, shorthand, bits, kind) \
  case DType::dtype: return find_arg_reduce<DType::dtype>(c);
TILESCOPE_BY_DTYPE(ArgReduceFn, arg_reduce_lookup, find_arg_reduce)
#undef X

}  // namespace tilescope::TILESCOPE_ISA
